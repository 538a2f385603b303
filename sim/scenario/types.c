#include "sim/scenario/types.h"

#include "sim/scenario/command/api_fault_read.h"
#include "sim/scenario/config/batchai_types.h"

#define MAX_COUNT INT32_MAX

/* --- Storage --- */

#define AT(member) .offset = offsetof(ShareText, member)
static const char *const share_kinds[] = {"file", "blob", NULL};
static const Field share_fields[] = {
    {.name = "name",
     .kind = FIELD_TEXT,
     AT(name),
     .is_required = true,
     .doc = "name of the file share or blob container"},
    {.name = "kind",
     .kind = FIELD_CHOICE,
     AT(kind),
     .choices = share_kinds,
     .fallback = "file",
     .doc = "an Azure Files share or a blob container"},
    {.name = "tier",
     .kind = FIELD_TEXT,
     AT(tier),
     .doc = "share tier of the catalogue; the default is \"standard\" for files, \"blob\" for "
            "blobs"},
    {.name = "provisioned",
     .kind = FIELD_BYTES,
     AT(provisioned),
     .doc = "size that is paid for, used or not, where the tier's limits grow with it"},
    {.name = "files",
     .kind = FIELD_ANY,
     AT(files),
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"type\": "
               "\"string\"}, {\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, "
               "\"properties\": {\"bytes\": {\"type\": [\"string\", \"integer\"]}, \"text\": "
               "{\"type\": \"string\"}}, \"additionalProperties\": false}]}}",
     .doc = "what lies on the share at the start: path to local file, or to {\"bytes\": size} "
            "or {\"text\": \"...\"}"},
    {0},
};
#undef AT
static const ObjectType share_type = {"share", "A file share or blob container.", sizeof(ShareText),
                                      share_fields};

#define AT(member) .offset = offsetof(StorageText, member)
static const Field storage_fields[] = {
    {.name = "account",
     .kind = FIELD_TEXT,
     AT(account),
     .is_required = true,
     .doc =
         "name of the storage account; the first one stands for <AZURE_BATCHAI_STORAGE_ACCOUNT>"},
    {.name = "shares",
     .kind = FIELD_OBJECTS,
     AT(shares),
     .type = &share_type,
     .doc = "its file shares and blob containers"},
    {0},
};
#undef AT
static const ObjectType storage_type = {"storage", "A storage account with its shares.",
                                        sizeof(StorageText), storage_fields};

/* --- Programs --- */

#define DISTRIBUTION "{\"type\": [\"string\", \"object\"]}"
#define COUNT_OR_EXPRESSION "{\"type\": [\"integer\", \"string\"]}"

#define AT(member) .offset = offsetof(DataText, member)
static const Field data_fields[] = {
    {.name = "path",
     .kind = FIELD_TEXT,
     AT(path),
     .is_required = true,
     .doc = "where the data set lies, such as \"$AZ_BATCHAI_INPUT_DATA/cifar\" or \"{--data}\""},
    {.name = "bytes",
     .kind = FIELD_BYTES,
     AT(bytes),
     .is_required = true,
     .doc = "how much every node reads from there before training"},
    {0},
};
#undef AT
static const ObjectType data_type = {"data", "A data set on a mounted share.", sizeof(DataText),
                                     data_fields};

#define AT(member) .offset = offsetof(SaveText, member)
static const Field checkpoint_fields[] = {
    {.name = "path",
     .kind = FIELD_TEXT,
     AT(path),
     .is_required = true,
     .doc = "where rank 0 writes it; {epoch} stands for the epoch, {--name} for what the command "
            "line gives that option, {--name=default} where it need not; a path under no mount is "
            "on the node's own disk"},
    {.name = "bytes", .kind = FIELD_BYTES, AT(bytes), .is_required = true, .doc = "its size"},
    {.name = "every",
     .kind = FIELD_INTEGER,
     AT(every),
     .minimum = 1,
     .maximum = MAX_COUNT,
     .fallback = "1",
     .doc = "epochs between two of them"},
    {.name = "resume",
     .kind = FIELD_BOOLEAN,
     AT(resume),
     .fallback = "false",
     .doc = "whether a new attempt goes on from the last one that outlived the nodes: one on a "
            "share"},
    {0},
};
static const Field save_fields[] = {
    {.name = "path",
     .kind = FIELD_TEXT,
     AT(path),
     .is_required = true,
     .doc = "where rank 0 writes it; {--name} stands for what the command line gives that option, "
            "{--name=default} where it need not; a path under no mount is on the node's own disk"},
    {.name = "bytes", .kind = FIELD_BYTES, AT(bytes), .is_required = true, .doc = "its size"},
    {0},
};
#undef AT
static const ObjectType checkpoint_type = {"checkpoint", "A checkpoint written after epochs.",
                                           sizeof(SaveText), checkpoint_fields};
static const ObjectType save_type = {"save", "The model saved at the end.", sizeof(SaveText),
                                     save_fields};

#define AT(member) .offset = offsetof(ProgramText, member)
static const char *const program_precisions[] = {
#define X(ENUM, text) text,
    STEP_PRECISIONS(X)
#undef X
        NULL};
static const char *const program_outputs[] = {"plain", "keras", NULL};
static const Field program_fields[] = {
    {.name = "match",
     .kind = FIELD_TEXT,
     AT(match),
     .is_required = true,
     .doc = "glob on the job's command line (* any characters, ? one); the first program that "
            "matches is taken"},
    {.name = "name",
     .kind = FIELD_TEXT,
     AT(name),
     .doc = "what reports call it; the default is `match`"},
    {.name = "duration",
     .kind = FIELD_ANY,
     AT(duration),
     .schema = DISTRIBUTION,
     .doc = "a program that only takes time: how much; a time, quantiles {\"0\": .., \"0.5\": .., "
            "\"1\": ..}, or {\"exponential\": MEAN}, {\"weibull\": {\"scale\", \"shape\"}}, "
            "{\"lognormal\": {\"median\", \"sigma\"}}; a slow node takes no longer for it"},
    {.name = "exit_code",
     .kind = FIELD_INTEGER,
     AT(exit_code),
     .minimum = 0,
     .maximum = 255,
     .fallback = "0",
     .doc = "how a program that only takes time ends"},
    {.name = "model",
     .kind = FIELD_TEXT,
     AT(model),
     .doc = "a program that trains: the network of the catalogue"},
    {.name = "data_set", .kind = FIELD_TEXT, AT(data_set), .doc = "data set of the catalogue"},
    {.name = "framework",
     .kind = FIELD_TEXT,
     AT(framework),
     .doc = "software of the catalogue around the network"},
    {.name = "exchange",
     .kind = FIELD_TEXT,
     AT(exchange),
     .doc = "how ranks exchange gradients, of the catalogue"},
    {.name = "learning",
     .kind = FIELD_TEXT,
     AT(learning),
     .doc = "learning curve of the catalogue"},
    {.name = "jitter",
     .kind = FIELD_TEXT,
     AT(jitter),
     .doc = "step jitter of the catalogue; without it all steps are equal"},
    {.name = "precision",
     .kind = FIELD_CHOICE,
     AT(precision),
     .choices = program_precisions,
     .fallback = "fp32",
     .doc = "what it computes in; others than fp32 on devices that were measured in them"},
    {.name = "batch_per_rank",
     .kind = FIELD_INTEGER,
     AT(batch_per_rank),
     .minimum = 1,
     .maximum = MAX_COUNT,
     .doc = "samples in one step of one rank"},
    {.name = "epochs",
     .kind = FIELD_ANY,
     AT(epochs),
     .schema = COUNT_OR_EXPRESSION,
     .doc = "how many, as a number or an expression of ranks, nodes, gpus and batch, such as "
            "\"ceil(100/ranks)\""},
    {.name = "steps_per_epoch",
     .kind = FIELD_ANY,
     AT(steps_per_epoch),
     .schema = COUNT_OR_EXPRESSION,
     .fallback = "ceil(samples/batch)",
     .doc = "steps of each rank, as a number or an expression of samples, batch, ranks, nodes and "
            "gpus"},
    {.name = "evaluate_samples",
     .kind = FIELD_ANY,
     AT(evaluate_samples),
     .schema = COUNT_OR_EXPRESSION,
     .fallback = "test_samples",
     .doc = "evaluated by every rank after every epoch; 0 for never"},
    {.name = "evaluates_at_end",
     .kind = FIELD_BOOLEAN,
     AT(evaluates_at_end),
     .fallback = "true",
     .doc = "once more after the last epoch"},
    {.name = "data",
     .kind = FIELD_OBJECT,
     AT(data),
     .type = &data_type,
     .doc = "where the data set is read from; without it every node downloads it"},
    {.name = "checkpoint",
     .kind = FIELD_OBJECT,
     AT(checkpoint),
     .type = &checkpoint_type,
     .doc = "a file after every so many epochs"},
    {.name = "save",
     .kind = FIELD_OBJECT,
     AT(save),
     .type = &save_type,
     .doc = "the model at the end"},
    {.name = "output",
     .kind = FIELD_CHOICE,
     AT(output),
     .choices = program_outputs,
     .fallback = "plain",
     .doc = "what it prints while it trains"},
    {0},
};
#undef AT
const ObjectType program_type = {
    "program",
    "What a job's command line does: train a network (\"model\"), or take a time "
    "(\"duration\").",
    sizeof(ProgramText), program_fields};

#define AT(member) .offset = offsetof(OtherText, member)
static const Field other_fields[] = {
    {.name = "duration",
     .kind = FIELD_ANY,
     AT(duration),
     .schema = DISTRIBUTION,
     .is_required = true,
     .doc = "how long such a command takes: a time or a distribution, as of a program"},
    {.name = "exit_code",
     .kind = FIELD_INTEGER,
     AT(exit_code),
     .minimum = 0,
     .maximum = 255,
     .fallback = "0",
     .doc = "how it ends"},
    {0},
};
#undef AT
static const ObjectType other_type = {
    "other_program",
    "A command line that nothing else describes: it is not run, and its output says so.",
    sizeof(OtherText), other_fields};

#define AT(member) .offset = offsetof(PreparationText, member)
static const Field preparation_fields[] = {
    {.name = "match",
     .kind = FIELD_TEXT,
     AT(match),
     .is_required = true,
     .doc = "glob on the preparation command"},
    {.name = "duration",
     .kind = FIELD_DURATION,
     AT(duration),
     .is_required = true,
     .doc = "how long it takes on one node"},
    {.name = "exit_code",
     .kind = FIELD_INTEGER,
     AT(exit_code),
     .minimum = 0,
     .maximum = 255,
     .fallback = "0",
     .doc = "how it ends"},
    {0},
};
#undef AT
static const ObjectType preparation_type = {
    "preparation", "A job preparation command; those of the catalogue come after these.",
    sizeof(PreparationText), preparation_fields};
static const ObjectType setup_type = {"setup",
                                      "A cluster's set-up task: how long it takes, how it ends.",
                                      sizeof(SetupText), preparation_fields};

/* --- Commands --- */

#define AT(member) .offset = offsetof(CommandText, member)
static const char *const query_words[] = {
#define X(name, text) text,
    SHOW_QUERIES(X)
#undef X
        NULL};
static const char *const command_words[] = {
#define X(name, text, what) text,
    SERVICE_COMMANDS(X)
#undef X
        NULL};
static const char *const execution_words[] = {
#define X(name, text) text,
    JOB_EXECUTIONS(X)
#undef X
        NULL};

const char *job_execution_word(JobExecution execution)
{
    return execution_words[execution];
}

static const Field command_fields[] = {
    {.name = "do",
     .kind = FIELD_CHOICE,
     AT(action),
     .is_required = true,
     .choices = command_words,
     .doc = "what is asked of the service"},
    {.name = "at",
     .kind = FIELD_DURATION,
     AT(at),
     .fallback = "0s",
     .doc = "when, counted from the start"},
    {.name = "after",
     .kind = FIELD_TEXT,
     AT(after),
     .doc = "instead of `at`: \"cluster NAME steady|ready|empty|deleted\", \"job NAME "
            "submitted|started|training|completed|requeued\" or \"job NAME epoch|checkpoint|step "
            "3\", and \"+ 5m\" for a while later; an epoch is met when it begins, a step when it "
            "ends, and checkpoint 3 is the one after epoch 3"},
    {.name = "name",
     .kind = FIELD_TEXT,
     AT(name),
     .is_required = true,
     .doc = "name of the thing; for shares and files the share: \"account/share\""},
    {.name = "config",
     .kind = FIELD_ANY,
     AT(config),
     .schema = "{\"type\": [\"string\", \"object\"]}",
     .doc = "cluster.create and job.create: the cluster.json or job.json, or its content"},
    {.name = "cluster",
     .kind = FIELD_TEXT,
     AT(cluster),
     .doc = "job.create: where it runs; the default is the cluster in its config"},
    {.name = "target",
     .kind = FIELD_INTEGER,
     AT(target),
     .minimum = 0,
     .maximum = MAX_COUNT,
     .doc = "cluster.resize: how many nodes"},
    {.name = "deallocation",
     .kind = FIELD_CHOICE,
     AT(deallocation),
     .choices = deallocation_words,
     .fallback = "requeue",
     .doc = "cluster.resize: what happens to a job on a node that goes"},
    {.name = "query",
     .kind = FIELD_CHOICE,
     AT(query),
     .choices = query_words,
     .fallback = "table",
     .doc = "cluster.show: the table or nodeStateCounts; job.show: the table or executionState"},
    {.name = "minimum",
     .kind = FIELD_INTEGER,
     AT(minimum),
     .minimum = 0,
     .maximum = MAX_COUNT,
     .doc = "cluster.autoscale: nodes that are always there"},
    {.name = "maximum",
     .kind = FIELD_INTEGER,
     AT(maximum),
     .minimum = 0,
     .maximum = MAX_COUNT,
     .doc = "cluster.autoscale: nodes that are never exceeded"},
    {.name = "expected",
     .kind = FIELD_DURATION,
     AT(expected),
     .doc = "job.create: how long its owner says it runs, for policies that plan ahead; the "
            "default is its maxWallClockTime"},
    {.name = "execution",
     .kind = FIELD_CHOICE,
     AT(execution),
     .choices = execution_words,
     .fallback = "emulated",
     .doc = "job.create: whether its commands are modelled, or run elsewhere and end when job.ran "
            "says so: \"real\" hands a training to the trainer where that knows the network, and "
            "takes other commands as they are, \"command\" takes all as they are, \"training\" "
            "models all but such trainings"},
    {.name = "node",
     .kind = FIELD_INTEGER,
     AT(place),
     .minimum = 1,
     .maximum = MAX_COUNT,
     .doc = "job.ran: it was the preparation on that node of the job, from 1; without it the "
            "job's own command"},
    {.name = "took",
     .kind = FIELD_DURATION,
     AT(took),
     .doc = "job.ran: from the beginning of the command to its end; job.reached: of the program to "
            "the end of the step"},
    {.name = "exit_code",
     .kind = FIELD_INTEGER,
     AT(exit_code),
     .minimum = 0,
     .maximum = 255,
     .doc = "job.ran: what the command ended with; without it the job fails and has none"},
    {.name = "reason",
     .kind = FIELD_TEXT,
     AT(reason),
     .doc = "job.ran: why it failed, where the exit code does not say it"},
    {.name = "ran_as",
     .kind = FIELD_TEXT,
     AT(ran_as),
     .doc =
         "job.ran: what was trained, in the words of `trainyard run --real`: a scenario in which "
         "the job is another one is warned of"},
    {.name = "epochs",
     .kind = FIELD_INTEGER,
     AT(epochs),
     .minimum = 0,
     .maximum = MAX_COUNT,
     .doc = "job.ran: how many a training has done, with those that it went on from"},
    {.name = "steps",
     .kind = FIELD_INTEGER,
     AT(steps),
     .minimum = 0,
     .maximum = INT64_C(1) << 53,
     .doc = "job.ran: likewise its steps, of one rank"},
    {.name = "val_accuracy",
     .kind = FIELD_ANY,
     AT(val_accuracy),
     .schema = "{\"type\": \"number\", \"minimum\": 0, \"maximum\": 1}",
     .doc = "job.ran: of the test set, after the last of those epochs"},
    {.name = "val_loss",
     .kind = FIELD_ANY,
     AT(val_loss),
     .schema = "{\"type\": \"number\", \"minimum\": 0}",
     .doc = "job.ran: likewise"},
    {.name = "step",
     .kind = FIELD_INTEGER,
     AT(step),
     .minimum = 1,
     .maximum = MAX_COUNT,
     .doc = "job.reached: the step that has ended, counted over all epochs from 1"},
    {.name = "kept",
     .kind = FIELD_INTEGER,
     AT(kept),
     .minimum = 0,
     .maximum = MAX_COUNT,
     .doc = "job.reached: the epochs whose checkpoint is on a share by then: a new attempt goes on "
            "behind them"},
    {.name = "vm_size",
     .kind = FIELD_TEXT,
     AT(vm_size),
     .doc = "fileserver.create: VM size of the catalogue"},
    {.name = "tier",
     .kind = FIELD_TEXT,
     AT(tier),
     .doc =
         "share.create, which needs it, and fileserver.create: share tier of the catalogue; of a "
         "file server the default is \"nfs\""},
    {.name = "file",
     .kind = FIELD_TEXT,
     AT(file),
     .doc = "file.upload, file.delete: path on the share"},
    {.name = "content",
     .kind = FIELD_ANY,
     AT(content),
     .schema = "{\"type\": [\"string\", \"object\"]}",
     .doc = "file.upload: a local file, or {\"bytes\": size}, or {\"text\": \"...\"}"},
    {.name = "experiment",
     .kind = FIELD_TEXT,
     AT(experiment),
     .doc = "of a job; the default is the scenario's"},
    {.name = "workspace",
     .kind = FIELD_TEXT,
     AT(workspace),
     .doc = "the default is the scenario's"},
    {.name = "resource_group",
     .kind = FIELD_TEXT,
     AT(resource_group),
     .doc = "the default is the scenario's; of a storage account none"},
    {0},
};
#undef AT
const ObjectType command_type = {"command", "One request to the service, as `az` would send it.",
                                 sizeof(CommandText), command_fields};

/* --- Expectations --- */

#define AT(member) .offset = offsetof(ExpectText, member)
#define NUMBER_OR_QUANTITY "{\"type\": [\"number\", \"string\"]}"
static const Field expect_fields[] = {
    {.name = "job", .kind = FIELD_TEXT, AT(job), .doc = "a job that ends in `state`"},
    {.name = "cluster", .kind = FIELD_TEXT, AT(cluster), .doc = "a cluster that ends in `state`"},
    {.name = "state", .kind = FIELD_TEXT, AT(state), .doc = "such as \"succeeded\""},
    {.name = "exit_code",
     .kind = FIELD_INTEGER,
     AT(exit_code),
     .minimum = 0,
     .maximum = 255,
     .doc = "job: the code that it ends with"},
    {.name = "error",
     .kind = FIELD_TEXT,
     AT(error),
     .doc = "job: code of its error, such as \"JobFailed\"; cluster: code of one of the errors of "
            "the cluster and its nodes, such as \"AccountCoreQuotaReached\""},
    {.name = "metric",
     .kind = FIELD_TEXT,
     AT(metric),
     .doc = "keys of summary.json joined by dots, such as \"jobs.train.run_s\"; what depends on "
            "jobs that "
            "still wait at the end, such as a p95 of their waits, is unknown and lies within no "
            "bounds"},
    {.name = "files",
     .kind = FIELD_TEXT,
     AT(files),
     .doc = "glob on \"account/share/path\" of the files that are left"},
    {.name = "equals",
     .kind = FIELD_ANY,
     AT(equals),
     .schema = NUMBER_OR_QUANTITY,
     .doc = "the metric's value: a number, a quantity with unit, or a text"},
    {.name = "between",
     .kind = FIELD_ANY,
     AT(between),
     .schema =
         "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": " NUMBER_OR_QUANTITY
         "}",
     .doc = "smallest and largest value of the metric"},
    {.name = "at_least",
     .kind = FIELD_ANY,
     AT(at_least),
     .schema = NUMBER_OR_QUANTITY,
     .doc = "smallest value of the metric"},
    {.name = "at_most",
     .kind = FIELD_ANY,
     AT(at_most),
     .schema = NUMBER_OR_QUANTITY,
     .doc = "largest value of the metric"},
    {.name = "count",
     .kind = FIELD_ANY,
     AT(count),
     .schema = "{\"type\": \"integer\", \"minimum\": 0}",
     .doc = "how many files match; without it at least one"},
    {.name = "always",
     .kind = FIELD_TEXT,
     AT(always),
     .doc =
         "a condition that holds at the end of every instant, such as \"cluster gpu nodes <= 4\""},
    {.name = "never",
     .kind = FIELD_TEXT,
     AT(never),
     .doc = "a condition that never holds; with \"for 10m\" at its end, never for so long"},
    {.name = "sometimes",
     .kind = FIELD_TEXT,
     AT(sometimes),
     .doc = "a condition that holds at least once"},
    {.name = "eventually",
     .kind = FIELD_TEXT,
     AT(eventually),
     .doc = "a condition that holds `within` a time `of` a moment"},
    {.name = "within", .kind = FIELD_DURATION, AT(within), .doc = "eventually: how long at most"},
    {.name = "of",
     .kind = FIELD_TEXT,
     AT(of),
     .doc = "eventually: counted from this moment, as in `after`; the default is the start"},
    {.name = "before",
     .kind = FIELD_TEXT,
     AT(before),
     .doc = "a moment, as in `after`, that comes, and before that of `then`"},
    {.name = "then",
     .kind = FIELD_TEXT,
     AT(then),
     .doc = "before: the later moment, which need not come at all"},
    {.name = "order",
     .kind = FIELD_ANY,
     AT(order),
     .schema = "{\"type\": \"array\", \"minItems\": 2, \"items\": {\"type\": \"string\"}}",
     .doc = "moments, as in `after`, that all come, for the first time in this order"},
    {.name = "seeds",
     .kind = FIELD_INTEGER,
     AT(seeds),
     .minimum = 2,
     .maximum = 100000,
     .doc = "metric: over so many runs, each with its own seed"},
    {.name = "statistic",
     .kind = FIELD_TEXT,
     AT(statistic),
     .fallback = "mean",
     .doc = "seeds: \"mean\" or a quantile such as \"p95\" of the runs' values"},
    {.name = "confidence",
     .kind = FIELD_TEXT,
     AT(confidence),
     .fallback = "95%",
     .doc = "seeds: how sure it must be that the statistic of all runs there could be is within "
            "the limits"},
    {0},
};
#undef AT
const ObjectType expect_type = {
    "expectation", "What should come out: a state, a metric, files, or what holds when.",
    sizeof(ExpectText), expect_fields};

/* --- The scenario --- */

#define AT(member) .offset = offsetof(ScenarioText, member)
static const char *const policy_words[] = {
#define X(name, function, text, sight, what) text,
    POLICIES(X)
#undef X
        NULL};
static const char *const fidelity_words[] = {"step", "epoch", "job", NULL};
static const Field scenario_fields[] = {
    {.name = "$schema", .kind = FIELD_TEXT, AT(schema), .doc = "for editors; not read"},
    {.name = "trainyard",
     .kind = FIELD_INTEGER,
     AT(version),
     .is_required = true,
     .minimum = 1,
     .maximum = 1,
     .doc = "version of this format"},
    {.name = "description", .kind = FIELD_TEXT, AT(description), .doc = "the question it answers"},
    {.name = "seed",
     .kind = FIELD_INTEGER,
     AT(seed),
     .minimum = 0,
     .maximum = INT64_C(1) << 53,
     .fallback = "1",
     .doc = "where the random numbers start"},
    {.name = "start",
     .kind = FIELD_ISO_TIME,
     AT(start),
     .fallback = "2018-07-18T17:45:00Z",
     .doc = "simulated time 0 on the calendar"},
    {.name = "until",
     .kind = FIELD_DURATION,
     AT(until),
     .doc = "stop here at the latest, and with a \"session\" not before; without it the run ends "
            "when nothing is left to happen: "
            "needed where nodes fail again and again. The bill ends with the run; held_nodes and "
            "held_usd_per_h of summary.json tell what goes on"},
    {.name = "fidelity",
     .kind = FIELD_CHOICE,
     AT(fidelity),
     .choices = fidelity_words,
     .fallback = "step",
     .doc =
         "how finely training is simulated; jobs that share uplinks of racks slow each other down "
         "exactly at \"step\" and by a bound at the others; at \"job\" checkpoints take the time "
         "that each takes alone, and leave no files"},
    {.name = "catalog",
     .kind = FIELD_ANY,
     AT(catalog),
     .is_required = true,
     .schema = "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": [\"string\", "
               "\"object\"]}}",
     .doc =
         "files with the numbers of the real world, later ones changing earlier ones; looked for "
         "beside this file and in the folders above it"},
    {.name = "subscription",
     .kind = FIELD_TEXT,
     AT(subscription),
     .fallback = "00000000-0000-0000-0000-000000000000",
     .doc = "subscription id, as it appears in paths"},
    {.name = "region", .kind = FIELD_TEXT, AT(region), .fallback = "eastus", .doc = "Azure region"},
    {.name = "resource_group",
     .kind = FIELD_TEXT,
     AT(resource_group),
     .fallback = "batchai",
     .doc = "of commands that name none; made at the start when no command does"},
    {.name = "workspace",
     .kind = FIELD_TEXT,
     AT(workspace),
     .fallback = "workspace",
     .doc = "of commands that name none; made at the start when no command does"},
    {.name = "experiment",
     .kind = FIELD_TEXT,
     AT(experiment),
     .fallback = "experiment",
     .doc = "of jobs whose command names none; made at the start when no command does"},
    {.name = "storage",
     .kind = FIELD_OBJECTS,
     AT(storage),
     .type = &storage_type,
     .doc = "storage accounts that are there at the start"},
    {.name = "programs",
     .kind = FIELD_OBJECTS,
     AT(programs),
     .type = &program_type,
     .doc = "what the jobs' command lines do; one of simple commands (echo, cat, sleep, ...) that "
            "none of these matches runs as in a shell"},
    {.name = "other_programs",
     .kind = FIELD_OBJECT,
     AT(other_programs),
     .type = &other_type,
     .doc = "what becomes of command lines that nothing else describes; without it they are a "
            "problem"},
    {.name = "preparations",
     .kind = FIELD_OBJECTS,
     AT(preparations),
     .type = &preparation_type,
     .doc = "how long the jobs' preparation commands take; simple commands that neither these "
            "nor a pattern of the catalogue match (other than \"*\") run as in a shell"},
    {.name = "setups",
     .kind = FIELD_OBJECTS,
     AT(setups),
     .type = &setup_type,
     .doc = "how long the clusters' set-up tasks take; one that is not listed takes the time of "
            "its sleeps, if it has only simple commands and no files, or none"},
    {.name = "groups",
     .kind = FIELD_OBJECTS,
     AT(groups),
     .type = &group_type,
     .doc = "nodes that go together: racks, zones"},
    {.name = "failures",
     .kind = FIELD_OBJECT,
     AT(failures),
     .type = &failures_type,
     .doc = "what goes wrong by itself; without it nothing does"},
    {.name = "faults",
     .kind = FIELD_OBJECTS,
     AT(faults),
     .type = &fault_type,
     .doc = "what goes wrong on request: at a time, after a moment, on a condition"},
    {.name = "api_faults",
     .kind = FIELD_OBJECTS,
     AT(api_faults),
     .type = &api_fault_type,
     .doc = "what goes wrong between clients and `trainyard serve`, from each of its starts on; "
            "other verbs have no clients and only check it"},
    {.name = "network",
     .kind = FIELD_OBJECT,
     AT(network),
     .type = &network_type,
     .doc = "wires that jobs share; without it every node has its own way to all others"},
    {.name = "policy",
     .kind = FIELD_CHOICE,
     AT(policy),
     .choices = policy_words,
     .fallback = "service",
     .doc = "who starts next in a cluster's queue"},
    {.name = "workloads",
     .kind = FIELD_OBJECTS,
     AT(workloads),
     .type = &workload_type,
     .doc = "jobs that come by themselves"},
    {.name = "commands",
     .kind = FIELD_OBJECTS,
     AT(commands),
     .is_required = true,
     .type = &command_type,
     .doc = "what is asked of the service, and when"},
    {.name = "session",
     .kind = FIELD_ANY,
     AT(session),
     .schema = "{\"type\": \"array\", \"items\": {\"anyOf\": [{\"$ref\": "
               "\"#/definitions/command\"}, {\"$ref\": \"#/definitions/fault\"}]}}",
     .doc = "what was asked of the emulator, as `trainyard export` writes it: commands and faults, "
            "each `at` a time of its own, in order; they come after all others"},
    {.name = "expect",
     .kind = FIELD_OBJECTS,
     AT(expect),
     .type = &expect_type,
     .doc = "what should come out, for `trainyard test`"},
    {0},
};
#undef AT
const ObjectType scenario_type = {"scenario", "A trainyard scenario.", sizeof(ScenarioText),
                                  scenario_fields};

static const char *or_else(BoundText text, BoundText fallback)
{
    return text.value != NULL ? text.value : fallback.value;
}

ResourcePath scenario_scope(const ScenarioText *text, BoundText group, BoundText workspace,
                            BoundText experiment)
{
    return (ResourcePath){.group = or_else(group, text->resource_group),
                          .workspace = or_else(workspace, text->workspace),
                          .experiment = or_else(experiment, text->experiment)};
}

const CommandText *scenario_command(const ScenarioText *text, int32_t index)
{
    return text->commands.items[index];
}

bool command_is(const CommandText *command, CommandKind kind)
{
    return !command->action.is_refused && command->action.value == (int64_t)kind;
}

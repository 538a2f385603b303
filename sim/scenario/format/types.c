#include "sim/scenario/format/types.h"

#include "sim/scenario/format/api_fault_types.h"
#include "sim/scenario/format/batchai_types.h"
#include "sim/scenario/format/command_members.h"

#define MAX_COUNT INT32_MAX

/* --- Storage --- */

#define OWNER ShareText
static const char *const share_kinds[] = {"file", "blob", NULL};
static const Field share_fields[] = {
    NEEDED_TEXT("name", name, "name of the file share or blob container"),
    FIELD_CHOICE("kind", kind, share_kinds, "file",
                 "an Azure Files share or a blob container, which commands call "
                 "\"account/blob:name\": an account may have "
                 "both under one name"),
    FIELD_TEXT("tier", tier, NULL,
               "share tier of the catalogue; the default is \"standard\" for files, \"blob\" for "
               "blobs"),
    FIELD_BYTES("provisioned", provisioned, NULL,
                "size that is paid for, used or not, if the tier's limits grow with it"),
    FIELD_JSON("files", files,
               "{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"type\": "
               "\"string\"}, {\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, "
               "\"properties\": {\"bytes\": {\"type\": [\"string\", \"integer\"]}, \"text\": "
               "{\"type\": \"string\"}}, \"additionalProperties\": false}]}}",
               "files on the share at the start: path to local file, or to {\"bytes\": size} or "
               "{\"text\": \"...\"}"),
    {0},
};
#undef OWNER
static const ObjectType share_type = {"share", "A file share or blob container.", sizeof(ShareText),
                                      share_fields};

#define OWNER StorageText
static const Field storage_fields[] = {
    NEEDED_TEXT("account", account,
                "name of the storage account; the first account stands for "
                "<AZURE_BATCHAI_STORAGE_ACCOUNT>"),
    FIELD_OBJECTS("shares", shares, share_type, "its file shares and blob containers"),
    {0},
};
#undef OWNER
const ObjectType storage_type = {"storage", "A storage account with its shares.",
                                 sizeof(StorageText), storage_fields};

/* --- Programs --- */

#define DISTRIBUTION "{\"type\": [\"string\", \"object\"]}"
#define COUNT_OR_EXPRESSION "{\"type\": [\"integer\", \"string\"]}"

#define OWNER DataText
static const Field data_fields[] = {
    NEEDED_TEXT("path", path,
                "path of the data set, such as \"$AZ_BATCHAI_INPUT_DATA/cifar\" or \"{--data}\""),
    NEEDED_BYTES("bytes", bytes, "how much each node reads from there before the training"),
    {0},
};
#undef OWNER
static const ObjectType data_type = {"data", "A data set on a mounted share.", sizeof(DataText),
                                     data_fields};

#define ON_NOTICE                                                                                  \
    "whether the job writes one more checkpoint when a low-priority node of it gets notice of "    \
    "preemption, or the job itself gets notice from the scheduler (`grace_period` of a queue): "   \
    "after the step or evaluation under way, with {epoch} such as \"3-step-120\" for 120 steps "   \
    "of "                                                                                          \
    "epoch 4. If it is written in time, a new attempt continues from that step, otherwise from "   \
    "the older checkpoint."

#define OWNER SaveText
static const Field save_fields[] = {
    NEEDED_TEXT("path", path,
                "where rank 0 writes it; {--name} stands for the value of that option on the "
                "command line, {--name=default} where the option may be missing; a path that is "
                "not under a mount is on the node's own disk"),
    NEEDED_BYTES("bytes", bytes, "its size"),
    {0},
};
#undef OWNER
static const ObjectType save_type = {"save", "The model saved at the end.", sizeof(SaveText),
                                     save_fields};

#define OWNER StateText
static const Field state_fields[] = {
    NEEDED_TEXT("path", path,
                "the folder that all ranks write their parts into, or with ZeRO-0 those of one "
                "copy of the model; as the path of a checkpoint, where {epoch} stands for the "
                "number of the checkpoint. A new attempt continues from the last one on a share"),
    NEEDED_JSON("every", every, "{\"type\": [\"integer\", \"string\"]}",
                "steps from one checkpoint to the next, or a time, which becomes whole steps: 500, "
                "\"30m\". The last step is followed by one too"),
    FIELD_DURATION(
        "blocks", blocks, NULL,
        "how long all ranks wait for a checkpoint, which is then written during the next "
        "steps, as asynchronous checkpoints are; the next one waits until it is written. "
        "Without it, and after the last step, they wait until it is written"),
    FIELD_BOOLEAN("on_notice", on_notice, "false",
                  ON_NOTICE " All ranks wait for it. Needs a "
                            "share"),
    {0},
};
#undef OWNER
static const ObjectType state_type = {"state",
                                      "Checkpoints of a transformer: weights (2 bytes a parameter) "
                                      "and optimizer (12 bytes). All ranks "
                                      "wait while they are written, unless \"blocks\" is given.",
                                      sizeof(StateText), state_fields};

#define OWNER TransformerText
static const Field transformer_fields[] = {
    NEEDED_JSON("model", model, "{\"type\": [\"string\", \"object\"]}",
                "a transformer of the catalogue, \"llama3-8b\", or the members of a model file "
                "(`trainyard schema model`)"),
    FIELD_TEXT("layout", layout, "best",
               "how it is spread over the job's GPUs, as `predict --layout` has it: "
               "\"tp=8,pp=2,fsdp\", with experts \"ep=8\"; \"best\" is the fastest that fits"),
    FIELD_TEXT("software", software, "megatron-core", "transformer software of the catalogue"),
    FIELD_INTEGER("sequence", sequence, 1, MAX_COUNT, NULL,
                  "tokens of a sequence; as the model has it, if not given"),
    NEEDED_INTEGER("global_batch", global_batch, 1, MAX_COUNT, "sequences of a step, on all GPUs"),
    FIELD_JSON(
        "tokens", tokens, "{\"type\": [\"integer\", \"string\"]}",
        "tokens of the whole training, as a number or \"1T\", \"300B\"; whole steps are done"),
    FIELD_INTEGER("steps", steps, 1, INT64_C(1) << 32, NULL, "or the steps of the whole training"),
    FIELD_DURATION("start", start, "5m",
                   "from the start of the program until it reads the checkpoint, in each attempt: "
                   "imports, connections, compilation. The default is an assumption"),
    FIELD_OBJECT("checkpoint", checkpoint, state_type,
                 "without it a lost attempt is repeated from the first step"),
    {0},
};
#undef OWNER
static const ObjectType transformer_type = {
    "transformer",
    "The training of a transformer on all GPUs of its job, one rank on each. A step takes the time "
    "that `trainyard predict` states.",
    sizeof(TransformerText), transformer_fields};

#define OWNER ProgramText
static const char *const program_precisions[] = {
#define X(ENUM, text) text,
    STEP_PRECISIONS(X)
#undef X
        NULL};
static const char *const program_outputs[] = {"plain", "keras", NULL};
static const Field program_fields[] = {
    NEEDED_TEXT("match", match,
                "pattern of the job's command line (* any characters, ? one); the first program "
                "that matches is used"),
    FIELD_TEXT("name", name, NULL, "its name in reports; the default is `match`"),
    FIELD_JSON("duration", duration, DISTRIBUTION,
               "for a program that only takes time: a duration, quantiles {\"0\": .., \"0.5\": .., "
               "\"1\": ..}, or {\"exponential\": MEAN}, {\"weibull\": {\"scale\", \"shape\"}}, "
               "{\"lognormal\": {\"median\", \"sigma\"}}; the same on a slow node"),
    FIELD_JSON("speeds", speeds, SPEEDS_SCHEMA,
               "with `duration`: how fast it runs on kinds of nodes, as for job.create, for jobs "
               "that do not state it. It has no effect on a cluster without node_kinds"),
    FIELD_INTEGER("exit_code", exit_code, 0, 255, "0",
                  "exit code of a program that only takes time"),
    FIELD_TEXT("script", script, NULL,
               "for a program that does what simple commands do: \"echo started; sleep 20m; exit "
               "3\" runs as in a shell, with the variables and mounts of the job"),
    FIELD_OBJECT("transformer", transformer, transformer_type,
                 "for a program that trains a transformer"),
    FIELD_TEXT("model", model, NULL, "for a program that trains: the network of the catalogue"),
    FIELD_TEXT("data_set", data_set, NULL, "data set of the catalogue"),
    FIELD_TEXT("framework", framework, NULL, "framework of the catalogue"),
    FIELD_TEXT("exchange", exchange, NULL, "exchange of gradients of the catalogue"),
    FIELD_TEXT("learning", learning, NULL, "learning curve of the catalogue"),
    FIELD_TEXT("jitter", jitter, NULL,
               "step jitter of the catalogue; without it all steps are equal"),
    FIELD_CHOICE(
        "precision", precision, program_precisions, "fp32",
        "precision of the arithmetic; other than fp32 only on devices that were measured in it"),
    FIELD_INTEGER("batch_per_rank", batch_per_rank, 1, MAX_COUNT, NULL,
                  "samples in one step of one rank"),
    FIELD_JSON("epochs", epochs, COUNT_OR_EXPRESSION,
               "number of epochs, or an expression of ranks, nodes, gpus and batch, such as "
               "\"ceil(100/ranks)\""),
    FIELD_ROW(JSON, "steps_per_epoch", steps_per_epoch, .schema = COUNT_OR_EXPRESSION,
              .fallback = "ceil(samples/batch)",
              .doc = "steps of each rank, a number or an expression of samples, batch, ranks, "
                     "nodes and gpus"),
    FIELD_ROW(JSON, "evaluate_samples", evaluate_samples, .schema = COUNT_OR_EXPRESSION,
              .fallback = "test_samples",
              .doc = "samples that each rank evaluates after each epoch; 0: no evaluation"),
    FIELD_BOOLEAN("evaluates_at_end", evaluates_at_end, "true",
                  "whether there is one more evaluation after the last epoch"),
    FIELD_OBJECT("data", data, data_type,
                 "where the data set is read from; without it each node downloads the set"),
    FIELD_OBJECT("checkpoint", checkpoint, checkpoint_type,
                 "what a training writes after every so many epochs or steps, and a program that "
                 "only takes time after every so much time; without it a lost attempt is repeated "
                 "from its beginning"),
    FIELD_OBJECT("save", save, save_type, "the model file at the end"),
    FIELD_CHOICE("output", output, program_outputs, "plain",
                 "what the program prints while it trains"),
    {0},
};
#undef OWNER
const ObjectType program_type = {
    "program",
    "The action of a job's command line: train a network (\"model\") or a transformer "
    "(\"transformer\"), take a time (\"duration\"), or do what simple commands do (\"script\").",
    sizeof(ProgramText), program_fields};

#define OWNER OtherText
static const Field other_fields[] = {
    FIELD_JSON("duration", duration, DISTRIBUTION,
               "how long such a command takes: a duration or a distribution, as for a program; "
               "without it the catalogue's service/unknown_program, or service/unknown_tool for a "
               "line of tools that end at once"),
    FIELD_INTEGER("exit_code", exit_code, 0, 255, "0", "its exit code"),
    {0},
};
#undef OWNER
static const ObjectType other_type = {
    "other_program",
    "A command line that nothing else describes: it is not run, and its output says so.",
    sizeof(OtherText), other_fields};

#define OWNER PreparationText
static const Field preparation_fields[] = {
    NEEDED_TEXT("match", match, "pattern of the preparation command"),
    NEEDED_DURATION("duration", duration, "how long it takes on one node"),
    FIELD_INTEGER("exit_code", exit_code, 0, 255, "0", "its exit code"),
    {0},
};
#undef OWNER
static const ObjectType preparation_type = {
    "preparation", "A job preparation command; those of the catalogue come after these.",
    sizeof(PreparationText), preparation_fields};
static const ObjectType setup_type = {"setup",
                                      "A cluster's set-up task: how long it takes, how it ends.",
                                      sizeof(SetupText), preparation_fields};

/* --- Commands --- */

#define OWNER CommandText
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

static bool command_word_takes(int32_t word, const char *key)
{
    return command_may_have((CommandKind)word, key);
}

static const Field command_fields[] = {
    NEEDED_ROW(CHOICE, "do", action, .choices = command_words, .choice_takes = command_word_takes,
               .doc = "the kind of command"),
    FIELD_DURATION("at", at, "0s", "time of the command, counted from the start"),
    FIELD_DURATION("every", every, NULL,
                   "cluster.resize, cluster.autoscale and *.show: again after each such time, as "
                   "in \"7d\", until the scenario's `until`"),
    FIELD_TEXT(
        "after", after, NULL,
        "instead of `at`: \"cluster NAME steady|ready|empty|deleted\", \"job NAME "
        "submitted|started|training|completed|requeued\" or \"job NAME "
        "epoch|checkpoint|step|saved 3\", and \"+ 5m\" for later; an epoch counts when it "
        "begins, a step when it ends, checkpoint 3 is the one after epoch 3, and saved 3 the "
        "first one that has 3 steps or more, counted over all epochs"),
    NEEDED_TEXT("name", name,
                "name of the resource; for shares and files the share: \"account/share\"; for a "
                "program its pattern"),
    FIELD_JSON("config", config, "{\"type\": [\"string\", \"object\"]}",
               "cluster.create and job.create: the cluster.json or job.json, or its content"),
    FIELD_TEXT("cluster", cluster, NULL,
               "job.create: the cluster of the job; the default is the cluster in its config"),
    FIELD_INTEGER("target", target, 0, MAX_COUNT, NULL, "cluster.resize: the number of nodes"),
    FIELD_CHOICE("deallocation", deallocation, deallocation_words, "requeue",
                 "cluster.resize: what happens to a job on a node that is removed"),
    FIELD_CHOICE(
        "query", query, query_words, "table",
        "cluster.show: the table or nodeStateCounts; job.show: the table or executionState"),
    FIELD_INTEGER("minimum", minimum, 0, MAX_COUNT, NULL,
                  "cluster.autoscale: the least number of nodes"),
    FIELD_INTEGER("maximum", maximum, 0, MAX_COUNT, NULL,
                  "cluster.autoscale: the largest number of nodes"),
    FIELD_DURATION("expected", expected, NULL,
                   "job.create: the run time that the owner states, for policies that plan ahead; "
                   "the default is maxWallClockTime"),
    FIELD_INTEGER(
        "gpus", gpus, 0, MAX_COUNT, NULL,
        "job.create: the job asks for so many GPUs, and shares nodes with others, instead "
        "of nodeCount whole nodes"),
    FIELD_INTEGER(
        "gpus_per_node", gpus_per_node, 0, MAX_COUNT, NULL,
        "job.create: the job asks for so many GPUs on each of nodeCount nodes, and shares "
        "these with others"),
    FIELD_INTEGER("cpus", cpus, 0, MAX_COUNT, NULL,
                  "job.create, with `gpus` or `gpus_per_node`: the cores that the job asks for in "
                  "total; each of its nodes gives them in proportion to the GPUs that it gives"),
    FIELD_BYTES("memory", memory, NULL,
                "job.create: the main memory that the job asks for in total, divided like `cpus`"),
    FIELD_TEXT("queue", queue, NULL,
               "job.create: the queue of the job, if its cluster has \"queues\""),
    FIELD_OBJECTS(
        "node_kinds", node_kinds, kind_type,
        "cluster.create: the kinds of its nodes, if they are not all alike, instead of "
        "vmSize and scaleSettings in the config. A job runs on nodes of one kind. One kind "
        "may scale automatically"),
    FIELD_JSON("node_kind", node_kind, NODE_KIND_SCHEMA,
               "job.create, on a cluster with node_kinds: the kinds of nodes on which the job may "
               "run, by name, VM size or GPU model, such as \"V100\"; the default is any. "
               "cluster.resize: the kind whose number of nodes changes"),
    FIELD_JSON(
        "speeds", speeds, SPEEDS_SCHEMA,
        "job.create, on a cluster with node_kinds, of a program that takes a stated time: "
        "how fast it runs on kinds of nodes, such as {\"V100\": 1, \"A100\": 2.5}: on an "
        "A100 it takes the stated time divided by 2.5. It replaces the kind's `speed`, which "
        "counts for kinds that are not named; names are as in `node_kind`. Time limits and "
        "the times of checkpoints do not depend on it"),
    FIELD_OBJECTS("queues", queues, queue_type,
                  "cluster.create: the queues (virtual clusters) that share the cluster; without "
                  "them all jobs wait in one"),
    FIELD_OBJECTS("maintenance", maintenance, maintenance_type,
                  "cluster.create: planned maintenance of its nodes, before which no job starts "
                  "that would run into it. The cluster does not scale automatically"),
    FIELD_OBJECT("program", program, program_type,
                 "program.set: what the command lines that it matches do from now on"),
    FIELD_CHOICE("execution", execution, execution_words, "emulated",
                 "job.create: whether its commands are modelled, or run elsewhere and end when "
                 "job.ran reports it: \"real\" gives a training to the trainer if it knows the "
                 "network, and runs other commands unchanged; \"command\" runs all of them "
                 "unchanged; \"training\" models all except such trainings"),
    FIELD_INTEGER("node", place, 1, MAX_COUNT, NULL,
                  "job.ran: the preparation on that node of the job ran, from 1; without it the "
                  "job's own command"),
    FIELD_DURATION("took", took, NULL,
                   "job.ran: from the start of the command to its end; job.reached: from the start "
                   "of the program to the end of the step"),
    FIELD_INTEGER(
        "exit_code", exit_code, 0, 255, NULL,
        "job.ran: exit code of the command; without it the job fails without an exit code"),
    FIELD_TEXT("reason", reason, NULL, "job.ran: why it failed, if the exit code does not show it"),
    FIELD_TEXT("ran_as", ran_as, NULL,
               "job.ran: what was trained, as `trainyard run --real` describes it: a scenario "
               "whose job differs gets a warning"),
    FIELD_INTEGER("epochs", epochs, 0, MAX_COUNT, NULL,
                  "job.ran: epochs of a training, including those before the checkpoint that it "
                  "resumed from"),
    FIELD_INTEGER("steps", steps, 0, INT64_C(1) << 53, NULL,
                  "job.ran: steps of one rank, counted like the epochs"),
    FIELD_JSON("val_accuracy", val_accuracy,
               "{\"type\": \"number\", \"minimum\": 0, \"maximum\": 1}",
               "job.ran: accuracy on the test set after the last epoch"),
    FIELD_JSON("val_loss", val_loss, "{\"type\": \"number\", \"minimum\": 0}",
               "job.ran: loss on the test set after the last epoch"),
    FIELD_INTEGER("step", step, 1, MAX_COUNT, NULL,
                  "job.reached: the step that has ended, counted from 1 over all epochs"),
    FIELD_INTEGER("kept", kept, 0, MAX_COUNT, NULL,
                  "job.reached: the epochs whose checkpoint is already on a share: a new attempt "
                  "continues after them"),
    FIELD_INTEGER("kept_steps", kept_steps, 0, MAX_COUNT, NULL,
                  "job.reached: the steps of the next epoch in that checkpoint"),
    FIELD_TEXT("vm_size", vm_size, NULL, "fileserver.create: VM size of the catalogue"),
    FIELD_TEXT("tier", tier, NULL,
               "share.create, which needs it, and fileserver.create: share tier of the catalogue; "
               "the default for a file server is \"nfs\""),
    FIELD_TEXT("file", file, NULL, "file.upload, file.delete: path on the share"),
    FIELD_JSON("content", content, "{\"type\": [\"string\", \"object\"]}",
               "file.upload: a local file, or {\"bytes\": size}, or {\"text\": \"...\"}"),
    FIELD_TEXT("experiment", experiment, NULL,
               "experiment of a job; the default is the scenario's"),
    FIELD_TEXT("workspace", workspace, NULL,
               "workspace of the resource; the default is the scenario's"),
    FIELD_TEXT("resource_group", resource_group, NULL,
               "resource group of the resource; the default is the scenario's; a storage account "
               "has none"),
    {0},
};
#undef OWNER
const ObjectType command_type = {"command", "One request to the service, as `az` would send it.",
                                 sizeof(CommandText), command_fields};

/* --- Expectations --- */

#define OWNER ExpectText
#define NUMBER_OR_QUANTITY "{\"type\": [\"number\", \"string\"]}"
static const Field expect_fields[] = {
    FIELD_TEXT("job", job, NULL, "a job that ends in `state`"),
    FIELD_TEXT("cluster", cluster, NULL, "a cluster that ends in `state`"),
    FIELD_TEXT("state", state, NULL, "such as \"succeeded\""),
    FIELD_INTEGER("exit_code", exit_code, 0, 255, NULL, "job: its exit code"),
    FIELD_TEXT(
        "error", error, NULL,
        "job: code of its error, such as \"JobFailed\"; cluster: code of one of the errors of "
        "the cluster and its nodes, such as \"AccountCoreQuotaReached\""),
    FIELD_TEXT("metric", metric, NULL,
               "a [metric](#metrics), such as \"jobs.train.run_s\" or "
               "\"workloads.day.waited_within(20m)\"; a value that may still grow, because jobs "
               "wait when the run ends, is not at most anything"),
    FIELD_TEXT("files", files, NULL, "pattern of \"account/share/path\" of the files at the end"),
    FIELD_JSON("equals", equals, NUMBER_OR_QUANTITY,
               "the metric's value: a number, a quantity with unit, or a text"),
    FIELD_JSON(
        "between", between,
        "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": " NUMBER_OR_QUANTITY
        "}",
        "smallest and largest value of the metric"),
    FIELD_JSON("at_least", at_least, NUMBER_OR_QUANTITY,
               "smallest value of the metric: a number, a quantity such as \"20m\" or \"4USD\", or "
               "\"95%\" of a "
               "ratio"),
    FIELD_JSON("at_most", at_most, NUMBER_OR_QUANTITY, "largest value of the metric"),
    FIELD_JSON("count", count, "{\"type\": \"integer\", \"minimum\": 0}",
               "how many files match; without it at least one"),
    FIELD_TEXT(
        "always", always, NULL,
        "a condition that holds at the end of each instant, such as \"cluster gpu nodes <= 4\""),
    FIELD_TEXT(
        "never", never, NULL,
        "a condition that never holds; with \"for 10m\" at its end: that never holds for so long"),
    FIELD_TEXT("sometimes", sometimes, NULL, "a condition that holds at least once"),
    FIELD_TEXT("eventually", eventually, NULL,
               "a condition that holds `within` a time `of` a moment"),
    FIELD_DURATION("within", within, NULL, "eventually: the longest time"),
    FIELD_TEXT("of", of, NULL,
               "eventually: the moment from which the time counts, as in `after`; the default is "
               "the start"),
    FIELD_TEXT("before", before, NULL,
               "a moment, as in `after`, that happens, and before the moment of `then`"),
    FIELD_TEXT("then", then, NULL, "before: the later moment, which may also never happen"),
    FIELD_JSON("order", order,
               "{\"type\": \"array\", \"minItems\": 2, \"items\": {\"type\": \"string\"}}",
               "moments, as in `after`, that all happen, for the first time in this order"),
    FIELD_INTEGER("seeds", seeds, 2, 100000, NULL,
                  "metric: number of runs, each with a different seed"),
    FIELD_TEXT("statistic", statistic, "mean",
               "seeds: \"mean\" or a quantile such as \"p95\" of the runs' values"),
    FIELD_TEXT(
        "confidence", confidence, "95%",
        "seeds: probability with which the statistic of all possible runs is within the limits"),
    {0},
};
#undef OWNER
const ObjectType expect_type = {
    "expectation", "An expected result: a state, a metric, files, or a condition over time.",
    sizeof(ExpectText), expect_fields};

/* --- The scenario --- */

#define OWNER MeasureText
static const Field measure_fields[] = {
    FIELD_DURATION("from", from, "0s", "the end of the warm-up"),
    FIELD_DURATION("until", until, NULL, "the end of the window; default: the end of the run"),
    FIELD_BOOLEAN("steady", steady, "false",
                  "as the runs of a steady study: jobs of workloads arrive until the end of the "
                  "window, whatever the workloads and the scenario's `until` state, and the run "
                  "ends when its jobs have ended"),
    {0},
};
static const ObjectType measure_type = OBJECT_TYPE(
    "measure",
    "The part of the run that metrics of workloads are about. Everything is simulated as without "
    "it, unless it is steady. Jobs submitted outside of the window are not counted in `workloads`, "
    "nor in `queue_s`; "
    "jobs submitted in it are counted with all their waits. `measured` of summary.json has node "
    "time, utilisation and the price of nodes within the window. All other members are about the "
    "whole run.",
    measure_fields);
#undef OWNER

#define OWNER PreemptionCostText
static const Field preemption_cost_fields[] = {
    FIELD_DURATION("one_gpu", one_gpu, "7s", "of a job with 1 GPU or none"),
    FIELD_DURATION("to_8_gpus", to_8_gpus, "30s", "of a job with 2 to 8 GPUs"),
    FIELD_DURATION("more_gpus", more_gpus, "60s", "of a job with more than 8 GPUs"),
    {0},
};
const ObjectType preemption_cost_type = OBJECT_TYPE(
    "preemption_cost",
    "The cost of stopping a running job in favour of another, if the policy does that, and of "
    "continuing it later. Programs with a \"duration\" and jobs of traces keep their work, and the "
    "cost is added to the time that they still need. All other programs lose the work since their "
    "last checkpoint instead. On nodes without GPUs each node counts as one GPU.",
    preemption_cost_fields);
#undef OWNER

#define OWNER ScenarioText
const char *const policy_words[] = {
#define X(name, function, text, sight, first, victim, what) text,
    POLICIES(X)
#undef X
        NULL};
static const char *const placement_words[] = {
#define X(name, function, text, what) text,
    PLACEMENTS(X)
#undef X
        NULL};
static const char *const kind_choice_words[] = {
#define X(name, text, what) text,
    KIND_CHOICES(X)
#undef X
        NULL};
static const char *const wide_jobs_words[] = {"wait", "refuse", NULL};
static const char *const fidelity_words[] = {"step", "epoch", "job", NULL};
static const Field scenario_fields[] = {
    FIELD_TEXT("$schema", schema, NULL, "for editors; not read"),
    NEEDED_INTEGER("trainyard", version, 1, 1, "version of this format"),
    FIELD_TEXT("description", description, NULL, "the question it answers"),
    FIELD_ROW(NAMED, "parameters", parameters, .type = &parameter_type,
              .doc = "named values that texts use as \"${name}\"; `--param NAME=VALUE` changes "
                     "them"),
    FIELD_INTEGER("seed", seed, 0, SEED_MOST, "1", "the seed of the random numbers"),
    FIELD_ISO_TIME("start", start, "2018-07-18T17:45:00Z", "date and time at simulated time 0"),
    FIELD_DURATION(
        "until", until, NULL,
        "the latest end of the run, and its end if there is a \"session\"; by default "
        "the run ends when no event is left, so scenarios whose nodes fail again and "
        "again need it. Jobs that run or wait then are unfinished, which is not a failure: "
        "the time of their attempts counts up to the end, and a time that they still "
        "wait for is at least so long. Nodes that are still held are billed up to the "
        "end; held_nodes and held_usd_per_h of summary.json state them"),
    FIELD_OBJECT("measure", measure, measure_type,
                 "the part of the run that metrics of workloads are about; default: all of it"),
    FIELD_DURATION("wait_target", wait_target, NULL,
                   "the longest time that a job should wait in the queue; the report shows the "
                   "share of jobs within it (30m without it)"),
    FIELD_CHOICE(
        "fidelity", fidelity, fidelity_words, "step",
        "how finely training is simulated; jobs that share uplinks of racks slow each "
        "other down exactly at \"step\" and by a bound at the others; at \"job\" a "
        "checkpoint takes the time that it takes alone and leaves no file, and steps continue "
        "during a checkpoint on notice"),
    NEEDED_JSON(
        "catalog", catalog,
        "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": [\"string\", "
        "\"object\"]}}",
        "files with the numbers of the real world, later ones changing earlier ones; they "
        "are looked for next to this file, in the folders above it, and in the program itself"),
    FIELD_JSON("quotas", quotas,
               "{\"type\": [\"string\", \"object\"], \"additionalProperties\": {\"type\": "
               "[\"integer\", \"string\", \"object\"]}}",
               "\"unlimited\", or cores by family of VM sizes instead of the catalogue's, such as "
               "{\"NC\": 96, \"total\": 200}: of dedicated and of low-priority nodes each; "
               "{\"dedicated\": 96, \"low_priority\": 0} states both, and \"unlimited\" none"),
    FIELD_JSON("assume", assume, "{\"type\": \"object\"}",
               "single values instead of the catalogue's, by the names that `trainyard explain` "
               "prints, such as {\"vm_sizes/Standard_NC6/dedicated_price_per_hour\": \"0.80USD\"}"),
    FIELD_TEXT("subscription", subscription, "00000000-0000-0000-0000-000000000000",
               "subscription id, as it appears in paths"),
    FIELD_TEXT("region", region, "eastus", "Azure region"),
    FIELD_TEXT(
        "resource_group", resource_group, "batchai",
        "resource group of commands that name none; made at the start unless a command makes it"),
    FIELD_TEXT("workspace", workspace, "workspace",
               "workspace of commands that name none; made at the start unless a command makes it"),
    FIELD_TEXT(
        "experiment", experiment, "experiment",
        "experiment of jobs whose command names none; made at the start unless a command makes it"),
    FIELD_OBJECTS("storage", storage, storage_type, "storage accounts that exist at the start"),
    FIELD_OBJECTS("programs", programs, program_type,
                  "what the jobs' command lines do; a line of simple commands (echo, cat, sleep, "
                  "...) that no program matches runs as in a shell"),
    FIELD_OBJECT(
        "other_programs", other_programs, other_type,
        "how command lines end that no other rule describes, {} for the catalogue's times; "
        "without it they are a problem in a run, and `trainyard serve` takes {}"),
    FIELD_OBJECTS(
        "preparations", preparations, preparation_type,
        "how long the jobs' preparation commands take; simple commands that match neither these "
        "nor a pattern of the catalogue (other than \"*\") run as in a shell"),
    FIELD_OBJECTS("setups", setups, setup_type,
                  "how long the clusters' set-up tasks take; a task that is not listed takes the "
                  "time of its sleeps, if it has only simple commands and no files, or no time"),
    FIELD_OBJECTS("groups", groups, group_type, "nodes that belong together: racks, zones"),
    FIELD_OBJECT("failures", failures, failures_type,
                 "failures that happen by chance; without it there are none"),
    FIELD_OBJECTS("faults", faults, fault_type,
                  "failures on request: at a time, after a moment, on a condition"),
    FIELD_OBJECTS("api_faults", api_faults, api_fault_type,
                  "failures between clients and `trainyard serve`, from each of its starts on; "
                  "other verbs have no clients and only check the list"),
    FIELD_OBJECT(
        "network", network, network_type,
        "links that jobs share; without it every node has a separate link to each other node"),
    FIELD_CHOICE("policy", policy, policy_words, "service",
                 "which job of a cluster's queue starts next"),
    FIELD_OBJECT("preemption_cost", preemption_cost, preemption_cost_type,
                 "the cost of stopping a running job in favour of another; by default that of its "
                 "members"),
    FIELD_DURATION(
        "fair_share_half_life", fair_share_half_life, NULL,
        "time after which used node time counts half for policy \"fair-share\"; default: "
        "it counts for ever"),
    FIELD_CHOICE("placement", placement, placement_words, "consolidate",
                 "which node gives a job the GPUs that it asks for"),
    FIELD_CHOICE("kind_choice", kind_choice, kind_choice_words, "placement",
                 "on a cluster with node_kinds: on which of the kinds on which it fits a job "
                 "starts, under every policy"),
    FIELD_CHOICE("wide_jobs", wide_jobs, wide_jobs_words, "wait",
                 "jobs that need more than their cluster may ever have: they wait, and may block "
                 "the queue for ever, or they are refused when they are submitted"),
    FIELD_INTEGER("queue_limit", queue_limit, 0, MAX_COUNT, NULL,
                  "the most jobs that may wait for a cluster; a job that joins a full queue and "
                  "cannot start at once fails (JobRejected), and is counted as rejected instead "
                  "of failed. 0: no job waits. Jobs that lost their nodes keep their place. "
                  "Default: no limit"),
    FIELD_OBJECTS("workloads", workloads, workload_type, "jobs that arrive without a command"),
    NEEDED_OBJECTS("commands", commands, command_type,
                   "requests to the service, and when they are sent"),
    FIELD_JSON("session", session,
               "{\"type\": \"array\", \"items\": {\"anyOf\": [{\"$ref\": "
               "\"#/definitions/command\"}, {\"$ref\": \"#/definitions/fault\"}]}}",
               "requests to the emulator, as `trainyard export` writes them: commands and faults "
               "in order, each `at` a different time; they follow all others"),
    FIELD_OBJECTS("expect", expect, expect_type, "expected results, for `trainyard test`"),
    {0},
};
#undef OWNER
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

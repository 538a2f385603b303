#include "sim/scenario/format/command_types.h"

#include "sim/scenario/format/batchai_types.h"
#include "sim/scenario/format/command_members.h"

#define MAX_COUNT INT32_MAX

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

bool command_is(const CommandText *command, CommandKind kind)
{
    return !command->action.is_refused && command->action.value == (int64_t)kind;
}

#include "sim/scenario/format/failure_types.h"

#include <string.h>

#include "sim/scenario/format/batchai_types.h"
#include "sim/scenario/format/command_members.h"
#include "sim/scenario/format/types.h"

#define MAX_COUNT INT32_MAX

/* --- Groups --- */

#define OWNER GroupText
static const Field group_fields[] = {
    NEEDED_TEXT("name", name,
                "its name in failures and faults; part of the addresses of its random draws"),
    FIELD_TEXT("cluster", cluster, NULL, "the cluster of `nodes`"),
    FIELD_TEXT("nodes", nodes, NULL,
               "places in the cluster, from 1: \"1-4\", \"3\", \"1-4, 9\"; a node that replaces "
               "another takes its place; the default is all nodes of the cluster"),
    FIELD_JSON("clusters", clusters,
               "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}",
               "instead of `cluster`: all nodes of these clusters"),
    {0},
};
#undef OWNER
const ObjectType group_type = {"group", "Nodes that go together: a rack, a zone.",
                               sizeof(GroupText), group_fields};

/* --- Failures by chance --- */

#define OWNER GroupFailureText
static const Field group_failure_fields[] = {
    NEEDED_TEXT("group", group, "the group whose nodes fail together"),
    NEEDED_TEXT("model", model, "failure model of the catalogue"),
    {0},
};
#undef OWNER
static const ObjectType group_failure_type = {"group_failure",
                                              "A group that fails again and again.",
                                              sizeof(GroupFailureText), group_failure_fields};

#define OWNER FailuresText
static const Field failures_fields[] = {
    FIELD_ROW(
        JSON, "scale", scale, .schema = "{\"type\": [\"number\", \"string\"]}", .fallback = "1",
        .doc = "factor on all rates and chances below: 0 switches them off, 2 doubles them (up to "
               "1000)"),
    FIELD_TEXT("nodes", nodes, NULL,
               "failure model of the catalogue for every node; without it no node fails"),
    FIELD_TEXT(
        "detected", detected, "0%",
        "share of the failures of \"nodes\" of which a health check finds signs `warning` "
        "before: the node is drained then, and repaired as after the failure. If its jobs end "
        "first, nothing is lost; otherwise it fails. Jobs that save on notice write a "
        "checkpoint. No source says how many failures can be expected so, so any share is an "
        "assumption; `scale` does not change it"),
    FIELD_DURATION("warning", warning, NULL, "time from these signs to the failure"),
    FIELD_TEXT("preemption", preemption, NULL,
               "failure model of the catalogue whose \"between\" is the lifetime of each "
               "low-priority node, or \"by-family\" for the models that the catalogue's "
               "\"preemptions\" have for families of VM sizes; without it no node is preempted"),
    FIELD_OBJECTS("groups", groups, group_failure_type, "groups that fail as a whole"),
    FIELD_TEXT("allocation", allocation, "0%", "chance that a requested node is not allocated"),
    FIELD_TEXT("preparation", preparation, "0%", "chance that the preparation of a node fails"),
    FIELD_TEXT("setup", setup, "0%", "chance that a node's set-up task fails"),
    FIELD_TEXT("mount", mount, "0%", "chance that a mount of a node or job fails"),
    FIELD_TEXT("container", container, "0%", "chance that a container does not start"),
    FIELD_TEXT("file_server", file_server, "0%", "chance that a file server is not created"),
    FIELD_TEXT("slow_nodes", slow_nodes, "0%",
               "chance that a node is slow from the beginning (\"lemon\")"),
    FIELD_TEXT("slow_node_speed", slow_node_speed, NULL,
               "speed of a slow node, such as \"90%\": of trainings; a program with a \"duration\" "
               "takes the same time on any node"),
    FIELD_INTEGER(
        "crews", crews, 1, MAX_COUNT, NULL,
        "how many failed nodes of all clusters are repaired or replaced at once; the "
        "others wait in the order of their failures; without it each node is repaired at once"),
    {0},
};
#undef OWNER
const ObjectType failures_type = {
    "failures", "Failures by chance; the address of each random draw is that of its subject.",
    sizeof(FailuresText), failures_fields};

/* --- What goes wrong on request --- */

#define OWNER FaultText
static const char *const fault_words[] = {
#define X(name, text, what) text,
    FAULT_KINDS(X)
#undef X
        NULL};
static const char *const recovery_words[] = {
#define X(name, text) text,
    NODE_RECOVERIES(X)
#undef X
        NULL};
/* The kinds of faults come last, in the order of fault_words. */
static CommandKind kind_of_word(int32_t word)
{
    return (CommandKind)(COMMAND_NODE_CRASH + word);
}

static bool fault_word_takes(int32_t word, const char *key)
{
    return command_may_have(kind_of_word(word), key);
}

static const Field fault_fields[] = {
    NEEDED_ROW(CHOICE, "do", action, .choices = fault_words, .choice_takes = fault_word_takes,
               .doc = "the kind of fault"),
    FIELD_DURATION("at", at, NULL, "time of the fault, counted from the start"),
    FIELD_DURATION("every", every, NULL,
                   "with `at`: again after each such time, until the scenario's `until`"),
    FIELD_TEXT("after", after, NULL,
               "instead of `at`: a moment as in commands, such as \"job train epoch 3 + 12m\""),
    FIELD_TEXT("when", when, NULL,
               "instead of `at`: a condition, such as \"cluster gpu idle >= 4 for 10m\""),
    FIELD_TEXT("cluster", cluster, NULL,
               "the cluster, or the cluster of the node: \"gpu\" or \"workspace/gpu\""),
    FIELD_TEXT("job", job, NULL, "the job; for node.*: one of the nodes that it runs on"),
    FIELD_TEXT("share", share, NULL,
               "share.slow: \"account/share\", \"fileserver/NAME\", or in another workspace "
               "\"fileserver/GROUP/WORKSPACE/NAME\""),
    FIELD_TEXT("group", group, NULL, "group.*: one of the scenario's groups"),
    FIELD_INTEGER("node", place, 1, MAX_COUNT, NULL,
                  "place of the node in its cluster, or among the job's nodes, from 1; without it "
                  "one of the possible nodes is drawn"),
    FIELD_CHOICE("recovery", recovery, recovery_words, "stays",
                 "*.crash, preparation.fail: what becomes of the node"),
    FIELD_DURATION(
        "duration", duration, NULL,
        "from the fault (not from its detection by the service) until repair, or length "
        "of an outage; an outage without it does not end. node.drain: of the work on the "
        "node, which begins when its jobs have ended; without it until node.resume"),
    FIELD_TEXT(
        "speed", speed, NULL,
        "*.slow: share of the modelled speed, such as \"50%\"; \"0%\" of a share is an outage; of "
        "a node the speed of trainings, while a program with a \"duration\" takes the same time"),
    FIELD_INTEGER("count", count, 1, MAX_COUNT, "1",
                  "allocation.fail: how many nodes are not allocated"),
    FIELD_INTEGER("exit_code", exit_code, 0, 255, NULL, "job.exit: exit code of the program"),
    FIELD_TEXT("family", family, NULL,
               "quota.change: family of VM sizes as in the catalogue's quotas, such as \"NC\", or "
               "\"total\""),
    FIELD_INTEGER("vcpus", vcpus, 0, MAX_COUNT, NULL,
                  "quota.change: cores of the quota from now on"),
    FIELD_CHOICE("priority", priority, vm_priority_words, "dedicated",
                 "quota.change: the kind of nodes"),
    FIELD_TEXT("queue", queue, NULL, "queue.change: the queue of the cluster"),
    FIELD_INTEGER("gpus", gpus, 0, INT32_MAX, NULL,
                  "queue.change: the GPUs, or nodes, that it is guaranteed from now on. If its "
                  "jobs have more, those that the guarantee covers no longer borrow, and other "
                  "queues may reclaim their GPUs"),
    FIELD_INTEGER("gpus_max", gpus_max, 0, INT32_MAX, NULL,
                  "queue.change: the most GPUs, or nodes, that its jobs have at once from now on; "
                  "the size of the cluster or more lifts the limit. If its jobs have more, none is "
                  "stopped, and none starts until they have less"),
    FIELD_INTEGER("seed", seed, 0, SEED_MOST, NULL, "seed.change: the seed from now on"),
    FIELD_CHOICE("policy", policy, policy_words, NULL, "policy.change: the policy from now on"),
    FIELD_TEXT("reason", reason, NULL, "in plain words, for the trace and the report"),
    {0},
};
#undef OWNER
const ObjectType fault_type = {"fault", "A failure or another change on request.",
                               sizeof(FaultText), fault_fields};

CommandKind fault_kind(const FaultText *fault)
{
    return kind_of_word((int32_t)fault->action.value);
}

bool failures_are_by_family(const FailuresText *failures)
{
    const char *preemption = failures->preemption.value;
    return preemption != NULL && strcmp(preemption, PREEMPTION_BY_FAMILY) == 0;
}

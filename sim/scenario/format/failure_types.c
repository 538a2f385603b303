#include "sim/scenario/format/failure_types.h"

#include "sim/scenario/format/batchai_types.h"

#define MAX_COUNT INT32_MAX

/* --- Groups --- */

#define OWNER GroupText
static const Field group_fields[] = {
    NEEDED_TEXT("name", name,
                "what failures and faults call it; part of the addresses of its random draws"),
    FIELD_TEXT("cluster", cluster, NULL, "the cluster in which `nodes` lie"),
    FIELD_TEXT(
        "nodes", nodes, NULL,
        "places in it, from 1: \"1-4\", \"3\", \"1-4, 9\"; a node that replaces another takes its "
        "place; without it all nodes of the cluster"),
    FIELD_JSON("clusters", clusters,
               "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}",
               "instead of `cluster`: all nodes of these clusters"),
    {0},
};
#undef OWNER
const ObjectType group_type = {"group", "Nodes that go together: a rack, a zone.",
                               sizeof(GroupText), group_fields};

/* --- What goes wrong by itself --- */

#define OWNER GroupFailureText
static const Field group_failure_fields[] = {
    NEEDED_TEXT("group", group, "whose nodes fall silent together"),
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
               "failure model of the catalogue for every node; without it none fails"),
    FIELD_TEXT(
        "preemption", preemption, NULL,
        "failure model of the catalogue whose \"between\" is the lifetime of every low-priority "
        "node; without it none is preempted"),
    FIELD_OBJECTS("groups", groups, group_failure_type, "groups that fail as one"),
    FIELD_TEXT("allocation", allocation, "0%",
               "chance that a node that was asked for does not come"),
    FIELD_TEXT("preparation", preparation, "0%", "chance that the preparation of a node fails"),
    FIELD_TEXT("setup", setup, "0%", "chance that a node's set-up task fails"),
    FIELD_TEXT("mount", mount, "0%", "chance that a mount of a node or job fails"),
    FIELD_TEXT("container", container, "0%", "chance that a container does not start"),
    FIELD_TEXT("file_server", file_server, "0%", "chance that a file server is not created"),
    FIELD_TEXT("slow_nodes", slow_nodes, "0%",
               "chance that a node is slow from the beginning (\"lemon\")"),
    FIELD_TEXT(
        "slow_node_speed", slow_node_speed, NULL,
        "speed of a slow node, such as \"90%\": of trainings; a program with a \"duration\" takes "
        "that anywhere"),
    {0},
};
#undef OWNER
const ObjectType failures_type = {
    "failures", "What goes wrong by itself; every draw has the address of what it strikes.",
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
static const Field fault_fields[] = {
    NEEDED_CHOICE("do", action, fault_words, "what goes wrong"),
    FIELD_DURATION("at", at, NULL, "when, counted from the start"),
    FIELD_TEXT("after", after, NULL,
               "instead of `at`: a moment as in commands, such as \"job train epoch 3 + 12m\""),
    FIELD_TEXT(
        "when", when, NULL,
        "instead of `at`: once a condition has held, such as \"cluster gpu idle >= 4 for 10m\""),
    FIELD_TEXT("cluster", cluster, NULL,
               "whose node, or what, is struck: \"gpu\" or \"workspace/gpu\""),
    FIELD_TEXT("job", job, NULL, "what is struck; with node.*: one of the nodes that it runs on"),
    FIELD_TEXT("share", share, NULL,
               "share.slow: \"account/share\", \"fileserver/NAME\", or of another workspace "
               "\"fileserver/GROUP/WORKSPACE/NAME\""),
    FIELD_TEXT("group", group, NULL, "group.*: one of the scenario's groups"),
    FIELD_INTEGER(
        "node", place, 1, MAX_COUNT, NULL,
        "place of the node in its cluster, or among the job's nodes, from 1; without it one is "
        "drawn of those that it can befall"),
    FIELD_CHOICE("recovery", recovery, recovery_words, "stays",
                 "*.crash, preparation.fail: what becomes of the node"),
    FIELD_DURATION(
        "duration", duration, NULL,
        "until repair, from the fault on and not from when the service notices it, or until an "
        "outage is over; without it an outage lasts for ever"),
    FIELD_TEXT(
        "speed", speed, NULL,
        "*.slow: of what is modelled, such as \"50%\"; of a share \"0%\" is an outage; of a node "
        "that of trainings, while a program with a \"duration\" takes that anywhere"),
    FIELD_INTEGER("count", count, 1, MAX_COUNT, "1", "allocation.fail: how many nodes do not come"),
    FIELD_INTEGER("exit_code", exit_code, 0, 255, NULL, "job.exit: how the program ends"),
    FIELD_TEXT(
        "family", family, NULL,
        "quota.change: family of VM sizes as the catalogue's quotas have it, such as \"NC\", or "
        "\"total\""),
    FIELD_INTEGER("vcpus", vcpus, 0, MAX_COUNT, NULL, "quota.change: cores of it from now on"),
    FIELD_CHOICE("priority", priority, vm_priority_words, "dedicated",
                 "quota.change: of which nodes"),
    FIELD_TEXT("reason", reason, NULL, "in plain words, for the trace and the report"),
    {0},
};
#undef OWNER
const ObjectType fault_type = {"fault", "Something that goes wrong on request.", sizeof(FaultText),
                               fault_fields};

CommandKind fault_kind(const FaultText *fault)
{
    // The kinds of faults come last, in the order of fault_words.
    return (CommandKind)(COMMAND_NODE_CRASH + fault->action.value);
}

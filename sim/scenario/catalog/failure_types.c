#include "sim/scenario/config/batchai_types.h"
#include "sim/scenario/types.h"

#define MAX_COUNT INT32_MAX

/* --- Groups --- */

#define AT(member) .offset = offsetof(GroupText, member)
static const Field group_fields[] = {
    {.name = "name",
     .kind = FIELD_TEXT,
     AT(name),
     .is_required = true,
     .doc = "what failures and faults call it; part of the addresses of its random draws"},
    {.name = "cluster", .kind = FIELD_TEXT, AT(cluster), .doc = "the cluster in which `nodes` lie"},
    {.name = "nodes",
     .kind = FIELD_TEXT,
     AT(nodes),
     .doc =
         "places in it, from 1: \"1-4\", \"3\", \"1-4, 9\"; a node that replaces another takes its "
         "place; without it all nodes of the cluster"},
    {.name = "clusters",
     .kind = FIELD_ANY,
     AT(clusters),
     .schema = "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}",
     .doc = "instead of `cluster`: all nodes of these clusters"},
    {0},
};
#undef AT
const ObjectType group_type = {"group", "Nodes that go together: a rack, a zone.",
                               sizeof(GroupText), group_fields};

/* --- What goes wrong by itself --- */

#define AT(member) .offset = offsetof(GroupFailureText, member)
static const Field group_failure_fields[] = {
    {.name = "group",
     .kind = FIELD_TEXT,
     AT(group),
     .is_required = true,
     .doc = "whose nodes fall silent together"},
    {.name = "model",
     .kind = FIELD_TEXT,
     AT(model),
     .is_required = true,
     .doc = "failure model of the catalogue"},
    {0},
};
#undef AT
static const ObjectType group_failure_type = {"group_failure",
                                              "A group that fails again and again.",
                                              sizeof(GroupFailureText), group_failure_fields};

#define AT(member) .offset = offsetof(FailuresText, member)
static const Field failures_fields[] = {
    {.name = "scale",
     .kind = FIELD_ANY,
     AT(scale),
     .schema = "{\"type\": [\"number\", \"string\"]}",
     .fallback = "1",
     .doc = "factor on all rates and chances below: 0 switches them off, 2 doubles them (up to "
            "1000)"},
    {.name = "nodes",
     .kind = FIELD_TEXT,
     AT(nodes),
     .doc = "failure model of the catalogue for every node; without it none fails"},
    {.name = "preemption",
     .kind = FIELD_TEXT,
     AT(preemption),
     .doc =
         "failure model of the catalogue whose \"between\" is the lifetime of every low-priority "
         "node; without it none is preempted"},
    {.name = "groups",
     .kind = FIELD_OBJECTS,
     AT(groups),
     .type = &group_failure_type,
     .doc = "groups that fail as one"},
#define CHANCE(key, member, text)                                                                  \
    {                                                                                              \
        .name = key, .kind = FIELD_TEXT, AT(member), .fallback = "0%", .doc = text                 \
    }
    CHANCE("allocation", allocation, "chance that a node that was asked for does not come"),
    CHANCE("preparation", preparation, "chance that the preparation of a node fails"),
    CHANCE("setup", setup, "chance that a node's set-up task fails"),
    CHANCE("mount", mount, "chance that a mount of a node or job fails"),
    CHANCE("container", container, "chance that a container does not start"),
    CHANCE("file_server", file_server, "chance that a file server is not created"),
    CHANCE("slow_nodes", slow_nodes, "chance that a node is slow from the beginning (\"lemon\")"),
#undef CHANCE
    {.name = "slow_node_speed",
     .kind = FIELD_TEXT,
     AT(slow_node_speed),
     .doc =
         "speed of a slow node, such as \"90%\": of trainings; a program with a \"duration\" takes "
         "that anywhere"},
    {0},
};
#undef AT
const ObjectType failures_type = {
    "failures", "What goes wrong by itself; every draw has the address of what it strikes.",
    sizeof(FailuresText), failures_fields};

/* --- What goes wrong on request --- */

#define AT(member) .offset = offsetof(FaultText, member)
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
    {.name = "do",
     .kind = FIELD_CHOICE,
     AT(action),
     .is_required = true,
     .choices = fault_words,
     .doc = "what goes wrong"},
    {.name = "at", .kind = FIELD_DURATION, AT(at), .doc = "when, counted from the start"},
    {.name = "after",
     .kind = FIELD_TEXT,
     AT(after),
     .doc = "instead of `at`: a moment as in commands, such as \"job train epoch 3 + 12m\""},
    {.name = "when",
     .kind = FIELD_TEXT,
     AT(when),
     .doc =
         "instead of `at`: once a condition has held, such as \"cluster gpu idle >= 4 for 10m\""},
    {.name = "cluster",
     .kind = FIELD_TEXT,
     AT(cluster),
     .doc = "whose node, or what, is struck: \"gpu\" or \"workspace/gpu\""},
    {.name = "job",
     .kind = FIELD_TEXT,
     AT(job),
     .doc = "what is struck; with node.*: one of the nodes that it runs on"},
    {.name = "share",
     .kind = FIELD_TEXT,
     AT(share),
     .doc = "share.slow: \"account/share\", \"fileserver/NAME\", or of another workspace "
            "\"fileserver/GROUP/WORKSPACE/NAME\""},
    {.name = "group",
     .kind = FIELD_TEXT,
     AT(group),
     .doc = "group.*: one of the scenario's groups"},
    {.name = "node",
     .kind = FIELD_INTEGER,
     AT(place),
     .minimum = 1,
     .maximum = MAX_COUNT,
     .doc = "place of the node in its cluster, or among the job's nodes, from 1; without it one is "
            "drawn of those that it can befall"},
    {.name = "recovery",
     .kind = FIELD_CHOICE,
     AT(recovery),
     .choices = recovery_words,
     .fallback = "stays",
     .doc = "*.crash, preparation.fail: what becomes of the node"},
    {.name = "duration",
     .kind = FIELD_DURATION,
     AT(duration),
     .doc = "until repair, from the fault on and not from when the service notices it, or until an "
            "outage is over; without it an outage lasts for ever"},
    {.name = "speed",
     .kind = FIELD_TEXT,
     AT(speed),
     .doc =
         "*.slow: of what is modelled, such as \"50%\"; of a share \"0%\" is an outage; of a node "
         "that of trainings, while a program with a \"duration\" takes that anywhere"},
    {.name = "count",
     .kind = FIELD_INTEGER,
     AT(count),
     .minimum = 1,
     .maximum = MAX_COUNT,
     .fallback = "1",
     .doc = "allocation.fail: how many nodes do not come"},
    {.name = "exit_code",
     .kind = FIELD_INTEGER,
     AT(exit_code),
     .minimum = 0,
     .maximum = 255,
     .doc = "job.exit: how the program ends"},
    {.name = "family",
     .kind = FIELD_TEXT,
     AT(family),
     .doc =
         "quota.change: family of VM sizes as the catalogue's quotas have it, such as \"NC\", or "
         "\"total\""},
    {.name = "vcpus",
     .kind = FIELD_INTEGER,
     AT(vcpus),
     .minimum = 0,
     .maximum = MAX_COUNT,
     .doc = "quota.change: cores of it from now on"},
    {.name = "priority",
     .kind = FIELD_CHOICE,
     AT(priority),
     .choices = vm_priority_words,
     .fallback = "dedicated",
     .doc = "quota.change: of which nodes"},
    {.name = "reason",
     .kind = FIELD_TEXT,
     AT(reason),
     .doc = "in plain words, for the trace and the report"},
    {0},
};
#undef AT
const ObjectType fault_type = {"fault", "Something that goes wrong on request.", sizeof(FaultText),
                               fault_fields};

CommandKind fault_kind(const FaultText *fault)
{
    // The kinds of faults come last, in the order of fault_words.
    return (CommandKind)(COMMAND_NODE_CRASH + fault->action.value);
}

#include "sim/scenario/format/workload_types.h"

#include "sim/scenario/format/kind_types.h"

#define OWNER WorkloadText
static const char *const arrival_words[] = {
#define X(name, text) text,
    ARRIVALS(X)
#undef X
        NULL};
static const char *const cores_words[] = {"ignore", "bind", NULL};
static const Field workload_fields[] = {
    NEEDED_TEXT("name", name, "its jobs are called NAME-1, NAME-2, ..."),
    FIELD_JSON("config", config, "{\"type\": [\"string\", \"object\"]}",
               "the job.json of every job, or its content; needed without `trace`"),
    FIELD_JSON(
        "cluster", cluster,
        "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\", "
        "\"minProperties\": 1, \"maxProperties\": 1, \"additionalProperties\": false, "
        "\"properties\": {\"queue\": {\"const\": \"*\"}, \"gpu_type\": {\"const\": "
        "\"*\"}}}]}",
        "the cluster of the jobs; the default is the cluster in the config. A trace may also have "
        "{\"queue\": \"*\"} or {\"gpu_type\": \"*\"}: the jobs of each queue, or of each "
        "kind of GPU, run on the cluster of its name"),
    FIELD_TEXT(
        "trace", trace, NULL,
        "a workload file, as `trainyard import` writes it: its rows are the jobs, with their "
        "submissions, run times and GPUs. The jobs mount nothing and need no config"),
    FIELD_BOOLEAN("stop_at_requested", stop_at_requested, "false",
                  "trace: a job that runs for longer than its owner asked for is stopped then"),
    FIELD_DURATION(
        "resample", resample, "0s",
        "trace: each seed has other jobs. The list is cut into pieces of this length, and as many "
        "as it has are drawn with replacement. \"7d\" keeps hours and weekdays. A remainder of "
        "less than nine tenths of a piece is left out. 0s: every run has the list itself"),
    FIELD_JSON("load", load, "{\"type\": \"number\", \"minimum\": 0.01, \"maximum\": 100}",
               "trace with `resample`: the jobs that come, as a multiple of those of the list: "
               "1.3 adds to each piece another one, of whose jobs 30 % come. The default is 1"),
    FIELD_CHOICE("arrivals", arrivals, arrival_words, "poisson",
                 "independent of the hour, by hour and weekday (UTC), or several at once"),
    FIELD_TEXT("rate", rate, NULL,
               "mean rate of arrivals (of bursts: of bursts), a number and a period, such as "
               "\"12/h\", \"200/week\", \"200/7d\" or \"0.5/min\""),
    FIELD_INTEGER("count", count, 1, 1000000, NULL,
                  "instead of `rate`: exactly so many arrivals (of bursts: bursts) in each period "
                  "of `within`, at independent times"),
    FIELD_DURATION("within", within, NULL,
                   "the length of a period, such as \"7d\". The first begins at `begin`; there is "
                   "one period, unless `jobs`, `end` or the scenario's `until` states another end"),
    FIELD_JSON("hours", hours,
               "{\"type\": \"array\", \"anyOf\": [{\"minItems\": 24, \"maxItems\": 24}, "
               "{\"minItems\": 168, \"maxItems\": 168}], \"items\": {\"type\": \"number\", "
               "\"minimum\": 0, \"maximum\": 100}}",
               "diurnal: factors on the rate in each hour of the day, the first from 00:00 UTC, or "
               "in each hour of the week, the first from Monday 00:00 UTC; 1 without them. With "
               "factors whose mean over the week is 1, `rate` is the mean rate"),
    FIELD_JSON("weekdays", weekdays,
               "{\"type\": \"array\", \"minItems\": 7, \"maxItems\": 7, \"items\": {\"type\": "
               "\"number\", \"minimum\": 0, \"maximum\": 100}}",
               "diurnal: further factors for each weekday (UTC), the first for Monday: the rate is "
               "`rate` times the hour's factor times the weekday's"),
    FIELD_INTEGER("burst", burst, 1, 1000000, NULL, "bursts: jobs that arrive at one instant"),
    FIELD_INTEGER("jobs", jobs, 1, 100000000, NULL,
                  "number of jobs; without it they arrive until `end`"),
    FIELD_DURATION("begin", begin, "0s", "no job arrives before this time, counted from the start"),
    FIELD_DURATION("end", end, NULL, "no job arrives at this time or later"),
    FIELD_JSON("nodes", nodes,
               "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"type\": "
               "\"string\"}}",
               "instead of the config's nodeCount: numbers of nodes and the share of the jobs that "
               "have them, such as {\"1\": \"70%\", \"4\": \"30%\"}"),
    FIELD_JSON(
        "gpus", gpus,
        "{\"anyOf\": [{\"type\": \"integer\", \"minimum\": 0}, {\"type\": \"object\", "
        "\"minProperties\": 1, \"additionalProperties\": {\"type\": \"string\"}}]}",
        "the jobs ask for so many GPUs, and share nodes, instead of nodeCount whole nodes; or "
        "numbers of GPUs and the share of the jobs that ask for them, such as {\"1\": "
        "\"75%\", \"4\": \"25%\"}"),
    FIELD_INTEGER("gpus_per_node", gpus_per_node, 0, 1000000, NULL,
                  "the jobs ask for so many GPUs on each of their nodes, and share these"),
    FIELD_INTEGER("cpus", cpus, 0, 1000000, NULL,
                  "with `gpus` or `gpus_per_node`: the cores that each job asks for in total; each "
                  "of its nodes gives them in proportion to the GPUs that it gives"),
    FIELD_BYTES("memory", memory, NULL,
                "the main memory that each job asks for in total, divided like `cpus`"),
    FIELD_CHOICE("cores_and_memory", cores_and_memory, cores_words, "ignore",
                 "trace: whether the jobs ask for the cores and the memory that the columns cpus "
                 "and memory_bytes state, which is as `cpus` and `memory`"),
    FIELD_JSON("node_kind", node_kind, NODE_KIND_SCHEMA,
               "the kinds of nodes on which the jobs may run, if their cluster has node_kinds: by "
               "name, VM size or GPU model; the default is any"),
    FIELD_JSON("speeds", speeds, SPEEDS_SCHEMA,
               "how fast the jobs run their stated time on kinds of nodes of their cluster, as for "
               "job.create. The column speeds of a trace states it for each job; a kind that a row "
               "does not name has the speed stated here"),
    FIELD_CHOICE("gpu_type", gpu_type, cores_words, "ignore",
                 "trace: whether the column gpu_type says on which kinds of nodes of its cluster a "
                 "job may run. Its words are names, VM sizes or GPU models of the node_kinds, "
                 "several with \"|\" between them; a job without a word runs on any"),
    FIELD_OBJECT("checkpoint", checkpoint, checkpoint_type,
                 "trace: what its jobs write while they run, as programs that only take time; "
                 "without it they begin again when they lose their nodes. The jobs of other "
                 "workloads have the checkpoint of their program"),
    FIELD_TEXT(
        "queue", queue, NULL,
        "the queue of the jobs, if their cluster has \"queues\"; the jobs of a trace wait in "
        "the queues that it states, unless all are to wait in this one"),
    FIELD_DURATION("expected", expected, NULL,
                   "the run time that the owner states, for policies that plan ahead; the default "
                   "is maxWallClockTime"),
    FIELD_TEXT("experiment", experiment, NULL,
               "experiment of the jobs; the default is the scenario's"),
    FIELD_TEXT("workspace", workspace, NULL,
               "workspace of the jobs; the default is the scenario's"),
    FIELD_TEXT("resource_group", resource_group, NULL,
               "resource group of the jobs; the default is the scenario's"),
    {0},
};
#undef OWNER
const ObjectType workload_type = {"workload", "Jobs that arrive without a command.",
                                  sizeof(WorkloadText), workload_fields};

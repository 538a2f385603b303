#include "sim/scenario/format/workload_types.h"

#define OWNER WorkloadText
static const char *const arrival_words[] = {
#define X(name, text) text,
    ARRIVALS(X)
#undef X
        NULL};
static const Field workload_fields[] = {
    NEEDED_TEXT("name", name, "its jobs are called NAME-1, NAME-2, ..."),
    NEEDED_JSON("config", config, "{\"type\": [\"string\", \"object\"]}",
                "the job.json of every job, or its content"),
    FIELD_TEXT("cluster", cluster, NULL,
               "where they run; the default is the cluster in the config"),
    FIELD_CHOICE(
        "arrivals", arrivals, arrival_words, "poisson",
        "one after another whatever the hour, by the hour of the day (UTC), or several at once"),
    NEEDED_TEXT("rate", rate,
                "mean arrivals (of bursts: bursts), such as \"12/h\", \"100/day\" or \"0.5/min\""),
    FIELD_JSON("hours", hours,
               "{\"type\": \"array\", \"minItems\": 24, \"maxItems\": 24, \"items\": {\"type\": "
               "\"number\", \"minimum\": 0, \"maximum\": 100}}",
               "diurnal: factors on the rate in each hour of the day, the first from 00:00 UTC"),
    FIELD_INTEGER("burst", burst, 1, 1000000, NULL, "bursts: jobs that come at one instant"),
    FIELD_INTEGER("jobs", jobs, 1, 100000000, NULL,
                  "how many come in all; without it they come until `end`"),
    FIELD_DURATION("begin", begin, "0s", "none comes before, counted from the start"),
    FIELD_DURATION("end", end, NULL, "none comes then or later"),
    FIELD_JSON("nodes", nodes,
               "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"type\": "
               "\"string\"}}",
               "in place of the config's nodeCount: numbers of nodes and how many of the jobs have "
               "them, such as {\"1\": \"70%\", \"4\": \"30%\"}"),
    FIELD_DURATION(
        "expected", expected, NULL,
        "how long their owner says they run, for policies that plan ahead; the default is "
        "their maxWallClockTime"),
    FIELD_TEXT("experiment", experiment, NULL, "of the jobs; the default is the scenario's"),
    FIELD_TEXT("workspace", workspace, NULL, "the default is the scenario's"),
    FIELD_TEXT("resource_group", resource_group, NULL, "the default is the scenario's"),
    {0},
};
#undef OWNER
const ObjectType workload_type = {"workload", "Jobs that come by themselves.", sizeof(WorkloadText),
                                  workload_fields};

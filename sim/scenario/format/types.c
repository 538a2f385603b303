#include "sim/scenario/format/types.h"

#include "sim/scenario/format/api_fault_types.h"

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
    "`queue_s`, `job_counts` and `waited_within`; "
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
        "other down exactly at \"step\"; at \"epoch\" an epoch, and at \"job\" a training, has the "
        "rate that it has if the jobs that train across racks when it begins exchange all the "
        "time, so those that come later do not slow it down; at \"job\" a "
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

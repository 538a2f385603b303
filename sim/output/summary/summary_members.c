/* Private to sim/output/summary: the tables of summary.json, in the order of the file. */
#include "sim/json/decimal.h"
#include "sim/output/summary/making.h"

#define MEASURED(key, member, digits, of, ...)                                                     \
    FIELD_DECIMAL(key, member, digits, __VA_ARGS__, .unit = of)
#define SECONDS(key, member, ...) MEASURED(key, member, DECIMALS_S, "s", __VA_ARGS__)
#define MILLISECONDS(key, member, ...) MEASURED(key, member, DECIMALS_MS, "ms", __VA_ARGS__)
#define USD(key, member, ...) MEASURED(key, member, DECIMALS_USD, "USD", __VA_ARGS__)
#define KWH(key, member, ...) MEASURED(key, member, DECIMALS_KWH, "kWh", __VA_ARGS__)
#define RATIO(key, member, ...) MEASURED(key, member, DECIMALS_RATIO, "1", __VA_ARGS__)
/* The documentation of every utilisation says so. */
#define UTILISATION_DOC "a shared node counts by the part of its GPUs that jobs had"
#define SPREAD(key, member, text)                                                                  \
    FIELD_ROW(OBJECT, key, member, .type = &summary_spread_type, .doc = text, NULLABLE)

/* --- Parts of several tables --- */

#define OWNER SummarySpread
static const Field spread_fields[] = {
    SECONDS("mean", mean_ns, "mean", NULLABLE),
    SECONDS("p50", p50_ns, "median", NULLABLE),
    SECONDS("p95", p95_ns, "95th percentile", NULLABLE),
    SECONDS("p99", p99_ns, "99th percentile", NULLABLE),
    SECONDS("max", max_ns, "longest time", NULLABLE),
    FIELD_COUNT("waiting", waiting, "times that have not ended, if there are any"),
    FIELD_LIST(TEXTS, "at_least", at_least, at_least_count, NULL,
               "the members that are lower bounds, if there are any", .is_left_out_empty = true),
    {0},
};
const ObjectType summary_spread_type = OBJECT_TYPE(
    "Spread",
    "Times of many jobs in seconds. Percentiles are by nearest rank. A time that has not ended "
    "counts up to the end of the run. `at_least` names the members that may grow with it.",
    spread_fields);
#undef OWNER

#define OWNER SummaryUses
#define USE_ROWS(name, text, words)                                                                \
    SECONDS(text "_s", ns[USE_##name], "node time: " words),                                       \
        USD(text "_usd", micro_usd[USE_##name], "its part of the bill"),
static const Field uses_fields[] = {NODE_USES(USE_ROWS){0}};
static const ObjectType uses_type =
    OBJECT_TYPE("Attribution",
                "Node time from allocation to release, and its bill, divided by use. Both add up: "
                "the bill is divided in proportion to time, by largest remainder.",
                uses_fields);
#undef OWNER

#define OWNER SummaryWaits
#define WAIT_ROW(name, text, words) SECONDS(text "_s", ns[WAIT_##name], "job time: " words),
static const Field waits_fields[] = {WAIT_CAUSES(WAIT_ROW){0}};
const ObjectType summary_waits_type =
    OBJECT_TYPE("Waiting",
                "Time of jobs in the queue, divided by the causes of waiting. The parts add up to "
                "the sum of the times that all jobs spent in the queue.",
                waits_fields);
#undef OWNER

/* --- Clusters --- */

#define OWNER SummaryKind
static const Field kind_fields[] = {
    FIELD_KEY(name, "name of the kind"),
    PLAIN_TEXT("vm_size", vm_size, "VM size of its nodes"),
    PLAIN_TEXT("priority", priority, "dedicated or lowpriority"),
    FIELD_COUNT("nodes_max", nodes_max, "most nodes at one time"),
    SECONDS("node_s", held_ns, "node time from allocation to release"),
    SECONDS("running_s", running_ns, "node time with a job"),
    RATIO("utilisation", utilisation_ppm, "part of its node time that ran jobs; " UTILISATION_DOC,
          NULLABLE),
    USD("cost_usd", cost_micro_usd, "price of its nodes"),
    KWH("energy_kwh", micro_kwh, "energy of its nodes, without cooling"),
    FIELD_OBJECT("attribution", uses, uses_type, "node_s and cost_usd by use"),
    {0},
};
static const ObjectType kind_type =
    OBJECT_TYPE("Kind summary", "The nodes of one kind of a cluster.", kind_fields);
#undef OWNER

#define OWNER SummaryQueue
static const Field queue_fields[] = {
    FIELD_KEY(name, "name of the queue"),
    FIELD_COUNT("reclaims", reclaims,
                "starts of its jobs for which jobs of other queues were stopped (`reclaim_after`)"),
    FIELD_COUNT("notices", notices,
                "notices that jobs got before they would be stopped for it (`grace_period`)",
                .shown_if = offsetof(OWNER, has_grace)),
    FIELD_COUNT("notices_withdrawn", notices_withdrawn,
                "those that were withdrawn, because the job need not be stopped any more",
                .shown_if = offsetof(OWNER, has_grace)),
    FIELD_COUNT("stopped", stopped,
                "how often its own jobs were stopped for the guarantee of another queue"),
    SECONDS("lost_s", lost_ns,
            "work of these jobs that was lost: time of nodes, or of GPUs if the jobs ask for GPUs; "
            "the cost of continuing them is starting time"),
    {0},
};
static const ObjectType queue_type =
    OBJECT_TYPE("Queue summary", "A queue of a cluster.", queue_fields);
#undef OWNER

#define OWNER SummaryCluster
static const Field cluster_fields[] = {
    FIELD_KEY(name, "name of the cluster"),
    PLAIN_TEXT("path", path, "workspace/cluster", .is_required = true),
    PLAIN_TEXT("state", state, "as `az batchai cluster show` prints it", NULLABLE),
    PLAIN_TEXT("vm_size", vm_size, "VM size of its nodes"),
    PLAIN_TEXT("priority", priority, "dedicated or lowpriority"),
    SECONDS("created_s", created_ns, "when it was created", NULLABLE),
    SECONDS("steady_s", steady_ns, "when it first became steady", NULLABLE),
    SECONDS(
        "ready_s", ready_ns,
        "when it was first steady with no node in preparation and at least one that can run jobs",
        NULLABLE),
    SECONDS("deleted_s", deleted_ns, "when it was deleted", NULLABLE),
    FIELD_COUNT("nodes_max", nodes_max, "most nodes at one time"),
    SECONDS("node_s", held_ns, "node time from allocation to release"),
    SECONDS("billed_node_s", billed_ns, "the billed part of it"),
    USD("cost_usd", cost_micro_usd, "price of its nodes"),
    KWH("energy_kwh", micro_kwh, "energy of its nodes, without cooling"),
    SECONDS("preparing_s", state_ns[NODE_PREPARING], "node time in preparation"),
    SECONDS("idle_s", state_ns[NODE_IDLE], "node time without a job"),
    SECONDS("running_s", state_ns[NODE_RUNNING], "node time with a job"),
    SECONDS("leaving_s", state_ns[NODE_LEAVING], "node time of nodes that leave"),
    SECONDS("unusable_s", state_ns[NODE_UNUSABLE], "node time of unusable nodes, drained ones too"),
    FIELD_OBJECT("attribution", uses, uses_type, "node_s and cost_usd by use"),
    FIELD_LIST(NAMED, "kinds", kinds, kind_count, &kind_type,
               "its nodes by kind, if they are of several kinds", .is_left_out_empty = true),
    FIELD_LIST(NAMED, "queues", queues, queue_count, &queue_type, "its queues, if it has any",
               .is_left_out_empty = true),
    FIELD_ROW(OBJECT, "waiting", waits, .type = &summary_waits_type, .doc = "what jobs waited for",
              .shown_if = offsetof(OWNER, waits.is_known)),
    {0},
};
_Static_assert(NODE_STATE_COUNT == 5, "one row per state");
static const ObjectType cluster_type =
    OBJECT_TYPE("Cluster summary", "A cluster of the run.", cluster_fields);

static const Field cluster_cost_fields[] = {
    FIELD_KEY(name, "name of the cluster"),
    USD("cost_usd", cost_micro_usd, "price of its nodes"),
    {0},
};
static const ObjectType cluster_cost_type =
    OBJECT_TYPE("Cluster cost", "The price of a cluster's nodes.", cluster_cost_fields);
#undef OWNER

/* --- Jobs --- */

#define OWNER SummaryJob
static const Field error_of_job_fields[] = {
    PLAIN_TEXT("code", error_code, "code of the error"),
    PLAIN_TEXT("message", error_message, "its message"),
    {0},
};
static const ObjectType error_of_job_type =
    OBJECT_TYPE("Job error", "Why a job failed.", error_of_job_fields);

static const Field step_fields[] = {
    MILLISECONDS("mean", step_mean_ns, "mean"),
    MILLISECONDS("p50", step_p50_ns, "median; from a trace with steps"),
    MILLISECONDS("p95", step_p95_ns, "95th percentile; from a trace with steps"),
    {0},
};
static const ObjectType step_type =
    OBJECT_TYPE("Step times", "Times of training steps in milliseconds.", step_fields);

static const Field split_fields[] = {
    SECONDS("input", part_ns[PART_INPUT], "waiting for training data"),
    SECONDS("compute", part_ns[PART_COMPUTE], "forward and backward passes"),
    SECONDS("wait", part_ns[PART_WAIT], "waiting for slower ranks"),
    SECONDS("exchange", part_ns[PART_EXCHANGE], "exchange of gradients"),
    SECONDS("update", part_ns[PART_UPDATE], "update of the weights"),
    SECONDS("evaluate", part_ns[PART_EVALUATE], "evaluation after epochs"),
    SECONDS("checkpoint", part_ns[PART_CHECKPOINT], "checkpoints"),
    {0},
};
static const ObjectType split_type =
    OBJECT_TYPE("Time split", "The training time of rank 0 in seconds.", split_fields);

static const Field job_fields[] = {
    FIELD_KEY(name, "name of the job"),
    PLAIN_TEXT("path", path, "workspace/experiment/job", .is_required = true),
    PLAIN_TEXT("cluster", cluster, "name of its cluster"),
    PLAIN_TEXT("tool", tool, "what starts its ranks: horovod, customMpi, ..."),
    FIELD_COUNT("nodes", nodes, "nodes that it takes"),
    FIELD_COUNT("ranks", ranks, "ranks of its training"),
    PLAIN_TEXT(
        "state", state,
        "its last execution state; \"failed\" also of a job that a full queue rejected, which "
        "`job_counts` counts as rejected (error JobRejected)",
        NULLABLE),
    FIELD_COUNT("exit_code", exit_code, "exit code of its command line", NULLABLE),
    FIELD_GROUP("error", error_of_job_type, "why it failed"),
    SECONDS("submitted_s", submitted_ns, "when it was submitted", NULLABLE),
    SECONDS("started_s", started_ns, "when its latest attempt began", NULLABLE),
    SECONDS("ended_s", ended_ns, "when it ended", NULLABLE),
    SECONDS("queue_s", queue_ns, "total time in the queue"),
    SECONDS("prep_s", prep_ns,
            "latest attempt: from its start until the last node finished mounts, image, container "
            "and job preparation",
            NULLABLE),
    SECONDS("start_s", start_ns, "latest attempt: from there to the first step", NULLABLE,
            .shown_if = offsetof(OWNER, trains)),
    SECONDS("train_s", train_ns, "latest attempt: to the end of the last epoch", NULLABLE,
            .shown_if = offsetof(OWNER, trains)),
    SECONDS("finish_s", finish_ns, "latest attempt: to the end of the job", NULLABLE,
            .shown_if = offsetof(OWNER, trains)),
    SECONDS("run_s", run_ns, "latest attempt: from its start to its end", NULLABLE),
    PLAIN_TEXT("execution", execution, "\"real\" if the job ran outside of the simulation"),
    FIELD_COUNT("steps", steps, "latest attempt: its training steps"),
    FIELD_GROUP("step_ms", step_type, "latest attempt: times of its steps"),
    FIELD_GROUP("split_s", split_type, "latest attempt: parts of train_s"),
    FIELD_COUNT("epochs", epochs, "epochs trained, in all attempts together"),
    RATIO("val_accuracy", val_accuracy_ppm, "validation accuracy"),
    MEASURED("val_loss", val_loss_micro, DECIMALS_RATIO, NULL, "validation loss"),
    SECONDS("node_s", node_ns, "node time of its attempts"),
    SECONDS("gpu_s", gpu_ns, "their GPU time"),
    FIELD_COUNT("restarts", restarts, "attempts after the first"),
    FIELD_COUNT("attempts", attempts, "attempts that took nodes and have ended"),
    FIELD_COUNT("notice_checkpoints", notice_checkpoints,
                "checkpoints that it wrote on notice of preemption",
                .shown_if = offsetof(OWNER, saves_on_notice)),
    SECONDS("lost_node_s", lost_ns, "node time whose work was thrown away"),
    SECONDS("wasted_gpu_s", wasted_gpu_ns, "GPU time whose work was thrown away"),
    RATIO("goodput", goodput_ppm,
          "share of the attempts' node time that advanced the job: computation that was kept, "
          "exchange, input and checkpoints; null before one has ended",
          NULLABLE),
    FIELD_COUNT("tokens", tokens,
                "a transformer's training: tokens of the steps that need not be done again"),
    FIELD_COUNT("tokens_per_s", tokens_per_s,
                "these tokens in each second from its submission to its end"),
    RATIO("mfu", mfu_ppm,
          "operations that these tokens need as a share of the peak of its GPU time, attention as "
          "computed"),
    SECONDS("checkpoint_node_s", checkpoint_ns, "node time in which checkpoints were written"),
    PLAIN_TEXT("output_path", output_path, "folder of its files on the share", NULLABLE,
               .shown_if = offsetof(OWNER, is_described)),
    {0},
};
static const ObjectType job_type =
    OBJECT_TYPE("Job summary",
                "A job of the run. If it ran outside of the simulation, its steps, epochs, "
                "val_accuracy and val_loss are the values that it reported, over all attempts.",
                job_fields);
#undef OWNER

#define OWNER SummaryWorkload
static const Field workload_fields[] = {
    FIELD_KEY(name, "name of the workload"),
    FIELD_COUNT("jobs", all.jobs, "jobs submitted"),
    FIELD_COUNT("succeeded", all.succeeded, "jobs that succeeded"),
    FIELD_COUNT("failed", all.failed, "jobs that failed"),
    FIELD_COUNT("rejected", all.rejected, "jobs that a full queue rejected; they have no times",
                .shown_if = offsetof(OWNER, has_queue_limit)),
    FIELD_COUNT("unfinished", all.unfinished, "jobs that had not ended"),
    SPREAD("queue_s", all.queue, "time in the queue"),
    SPREAD("run_s", all.run, "run time of the jobs that have ended, each in its latest attempt"),
    SPREAD("turnaround_s", all.turnaround, "time from submission to end"),
    SECONDS("last_ended_s", last_ended_ns, "when the last job ended", NULLABLE),
    FIELD_COUNT("restarts", restarts, "attempts after the first of each job"),
    FIELD_COUNT("notice_checkpoints", notice_checkpoints,
                "checkpoints that its jobs wrote on notice of preemption",
                .shown_if = offsetof(OWNER, saves_on_notice)),
    SECONDS("lost_node_s", lost_ns, "node time whose work was thrown away"),
    SECONDS("checkpoint_node_s", checkpoint_ns, "node time in which checkpoints were written",
            .shown_if = offsetof(OWNER, saves_work)),
    RATIO("goodput", goodput_ppm,
          "share of its attempts' node time that advanced its jobs, as of a job", NULLABLE),
    {0},
};
const ObjectType summary_workload_type = OBJECT_TYPE(
    "Workload summary",
    "The jobs of a workload. They are not listed under `jobs`, because there may be 100,000.",
    workload_fields);
#undef OWNER

#define OWNER SummaryClass
static const Field class_fields[] = {
    FIELD_KEY(name, "name of the class"),
    FIELD_COUNT("jobs", jobs, "jobs submitted"),
    FIELD_COUNT("succeeded", succeeded, "jobs that succeeded"),
    FIELD_COUNT("failed", failed, "jobs that failed"),
    FIELD_COUNT("rejected", rejected, "jobs that a full queue rejected"),
    FIELD_COUNT("unfinished", unfinished, "jobs that had not ended"),
    SPREAD("queue_s", queue, "time in the queue"),
    SPREAD("run_s", run, "run time of the jobs that have ended"),
    SPREAD("turnaround_s", turnaround, "time from submission to end"),
    {0},
};
const ObjectType summary_class_type = OBJECT_TYPE(
    "Class summary", "The jobs of a workload that have something in common.", class_fields);
#undef OWNER

/* --- The run --- */

#define OWNER SummaryError
static const Field error_fields[] = {
    PLAIN_TEXT("cluster", cluster, "name of the cluster", NULLABLE),
    PLAIN_TEXT("of", of, "cluster or nodes"),
    PLAIN_TEXT("what", what, "code and message"),
    PLAIN_TEXT("cause", cause, "fault that caused it", NULLABLE),
    FIELD_COUNT("count", count, "how often it happened"),
    SECONDS("first_s", first_ns, "when it happened first"),
    SECONDS("last_s", last_ns, "when it happened last"),
    {0},
};
static const ObjectType error_type =
    OBJECT_TYPE("Error summary", "An error of a cluster or its nodes.", error_fields);
#undef OWNER

#define OWNER SummaryExpectation
static const Field expectation_fields[] = {
    PLAIN_TEXT("expectation", text, "the expectation in a line"),
    PLAIN_TEXT(
        "result", result,
        "met, missed, or not judged: `trainyard test` judges an expectation over several seeds"),
    PLAIN_TEXT("expected", expected, "if it was missed: the expected value"),
    PLAIN_TEXT("got", got, "if it was missed: the value of this run"),
    {0},
};
static const ObjectType expectation_type =
    OBJECT_TYPE("Expectation summary", "An expectation of the scenario.", expectation_fields);
#undef OWNER

#define OWNER SummaryFileServer
static const Field file_server_fields[] = {
    FIELD_KEY(name, "name of the file server"),
    USD("cost_usd", cost_micro_usd, "price of all file servers of this name"),
    {0},
};
static const ObjectType file_server_type =
    OBJECT_TYPE("File server cost", "The price of a file server.", file_server_fields);
#undef OWNER

#define OWNER SummaryMeasured
static const Field measured_fields[] = {
    SECONDS("from_s", from_ns, "begin of the part"),
    SECONDS("until_s", until_ns, "its end"),
    SECONDS("node_s", held_ns, "node time in it"),
    SECONDS("running_s", running_ns, "node time with a job in it"),
    RATIO("utilisation", utilisation_ppm, "part of node_s that ran jobs; " UTILISATION_DOC),
    USD("node_cost_usd", micro_usd, "price of node_s: each node's bill in proportion to time"),
    {0},
};
static const ObjectType measured_type =
    OBJECT_TYPE("Measured part", "The part of the run that `measure` of the scenario selects.",
                measured_fields);
#undef OWNER

#define OWNER GivenPair
static const Field given_parameter_fields[] = {
    FIELD_KEY(name, "name of the parameter"),
    PLAIN_TEXT("value", value, "its value, as text"),
    {0},
};
static const ObjectType given_parameter_type =
    OBJECT_TYPE("Given parameter", "A parameter of the run.", given_parameter_fields);

static const Field given_file_fields[] = {
    FIELD_KEY(name, "name of the file, seen from the scenario"),
    PLAIN_TEXT("checksum", value, "checksum of its bytes"),
    {0},
};
static const ObjectType given_file_type =
    OBJECT_TYPE("Given file", "A file that the run was made of.", given_file_fields);
#undef OWNER

#define OWNER SummaryEnergy
static const Field energy_fields[] = {
    KWH("total_kwh", micro_kwh,
        "energy of the site: nodes_kwh times `energy/pue` of the catalogue"),
    KWH("nodes_kwh", nodes_micro_kwh, "energy of all nodes"),
    MEASURED("peak_kw", peak_mw, DECIMALS_KW, "kW",
             "power of the site if the most nodes were all busy at once: what it must provide"),
    MEASURED("carbon_kg", carbon_mg, DECIMALS_KG, "kg",
             "CO2e of total_kwh, each hour by its factor (`energy/carbon_hours`)"),
    {0},
};
static const ObjectType energy_type = OBJECT_TYPE(
    "Energy",
    "The energy that nodes draw, if the catalogue has \"power\" of their VM sizes. A node draws "
    "its busy "
    "power in the uses `useful` and `lost` of its time, `energy/exchange_load` of the catalogue in "
    "`exchange`, and its idle power in all others, from allocation to release. If jobs share a "
    "node, the GPUs that compute count. Storage and file servers are not included. Where price or "
    "CO2e change with the hour, the computation of an attempt is spread evenly over its time.",
    energy_fields);
#undef OWNER

#define OWNER RunGiven
static const Field given_fields[] = {
    FIELD_LIST(TEXTS, "set", sets, set_count, NULL,
               "changes by --set, and by options that are short for it: /seed=7, /until=\"2d\"",
               .is_left_out_empty = true),
    PLAIN_TEXT("failures", failures, "the factor of --failures"),
    FIELD_LIST(NAMED_VALUES, "parameters", parameters, parameter_count, &given_parameter_type,
               "value of each parameter, as text", .is_left_out_empty = true),
    PLAIN_TEXT("samples", samples, "images to train on and to test with, in the folder of --data"),
    FIELD_LIST(NAMED_VALUES, "files", files, file_count, &given_file_type,
               "checksum of the scenario and of each file that it names, catalogues too",
               .is_left_out_empty = true),
    {0},
};
static const ObjectType given_type = OBJECT_TYPE(
    "Given", "The inputs of the run. The same inputs, seed and version give the same run.",
    given_fields);
#undef OWNER

#define OWNER Summary
static const Field cost_fields[] = {
    USD("total", cost_micro_usd, "the whole bill"),
    FIELD_LIST(NAMED_VALUES, "clusters", clusters, cluster_count, &cluster_cost_type,
               "price of each cluster's nodes", .is_derived = true),
    FIELD_LIST(NAMED_VALUES, "file_servers", file_servers, file_server_count, &file_server_type,
               "price of each file server"),
    USD("storage", storage_micro_usd,
        "price of the stored bytes, or of a premium share's provisioned size"),
    USD("energy", energy.micro_usd,
        "price of energy.total_kwh, if `energy/price_per_kwh` of the catalogue states one; each "
        "hour by its factor (`energy/price_hours`)"),
    USD("per_trillion_tokens", micro_usd_per_trillion_tokens,
        "the whole bill for each 10^12 tokens that transformers were trained on"),
    {0},
};
static const ObjectType cost_type = OBJECT_TYPE("Costs", "The costs of the run.", cost_fields);

static const Field job_count_fields[] = {
    FIELD_COUNT("submitted", submitted, "all jobs"),
    FIELD_COUNT("succeeded", succeeded, "jobs that succeeded"),
    FIELD_COUNT("failed", failed, "jobs that failed"),
    FIELD_COUNT("rejected", rejected, "jobs that a full queue rejected",
                .shown_if = offsetof(OWNER, has_queue_limit)),
    FIELD_COUNT("unfinished", unfinished, "jobs that had not ended when the run ended"),
    {0},
};
static const ObjectType job_count_type =
    OBJECT_TYPE("Job counts", "How the jobs of the run ended.", job_count_fields);

static const Field summary_fields[] = {
    PLAIN_TEXT("scenario", scenario, "name of the scenario"),
    PLAIN_TEXT("description", description, "the question that it answers"),
    FIELD_COUNT("seed", seed, "seed of the run"),
    PLAIN_TEXT("version", version, "version of trainyard"),
    FIELD_OBJECT("given", given, given_type, "the inputs of the run"),
    PLAIN_TEXT("rng", rng, "random number generator"),
    SECONDS("simulated_s", end_ns, "simulated time", .is_required = true),
    FIELD_COUNT("events", events, "events that happened"),
    FIELD_COUNT("draws", draws, "random numbers drawn"),
    PLAIN_TEXT("fidelity", fidelity, "step, epoch or job"),
    PLAIN_TEXT("start", start, "date and time of second 0"),
    FIELD_LIST(NAMED, "clusters", clusters, cluster_count, &cluster_type, "clusters by name",
               .is_required = true),
    FIELD_LIST(NAMED, "jobs", jobs, job_count, &job_type,
               "jobs by name, without those of workloads", .is_required = true),
    FIELD_LIST(NAMED, "workloads", workloads, workload_count, &summary_workload_type,
               "workloads by name", .is_left_out_empty = true),
    SPREAD("queue_s", queue, "time in the queue of all jobs, also of workloads"),
    SECONDS("wait_target_s", wait_target_ns, "`wait_target` of the scenario"),
    FIELD_GROUP("job_counts", job_count_type,
                "how many jobs, also of workloads, ended and how; with `measure` "
                "those submitted in its part"),
    FIELD_GROUP("cost_usd", cost_type, "what the run costs"),
    FIELD_OBJECT("energy", energy, energy_type, "what nodes draw"),
    FIELD_COUNT("held_nodes", held_nodes, "nodes that were still held when the run ended"),
    USD("held_usd_per_h", held_micro_usd_per_hour, "what these cost per hour from then on"),
    FIELD_OBJECT("attribution", uses, uses_type, "sum over clusters"),
    FIELD_ROW(OBJECT, "waiting", waits, .type = &summary_waits_type,
              .doc = "what jobs waited for: sum over clusters",
              .shown_if = offsetof(OWNER, waits.is_known)),
    RATIO("utilisation", utilisation_ppm, "part of all node time that ran jobs; " UTILISATION_DOC,
          NULLABLE),
    FIELD_OBJECT("measured", measured, measured_type,
                 "node time and its price in the part that `measure` selects"),
    FIELD_LIST(TEXTS, "problems", problems, problem_count, NULL, "one sentence each"),
    FIELD_LIST(OBJECTS, "errors", errors, error_count, &error_type, "errors by cluster and cause"),
    FIELD_LIST(OBJECTS, "expectations", expectations, expectation_count, &expectation_type,
               "the scenario's expectations and whether they were met", .is_left_out_empty = true),
    FIELD_LIST(TEXTS, "why", story, story_count, NULL,
               "the story of the job that `run --json --why JOB` names, line by line; not in files",
               .is_left_out_empty = true),
    PLAIN_TEXT("fingerprint", fingerprint, "fingerprints of the trace"),
    {0},
};
const ObjectType summary_type = OBJECT_TYPE(
    "Summary",
    "The results of a run. Every number is exact: a counted integer, or such an integer with its "
    "decimal point moved; means and ratios are rounded down. Times are seconds since the start.",
    summary_fields);
#undef OWNER

Json *summary_json(Arena *arena, const Summary *summary)
{
    return plain_write(arena, &summary_type, summary);
}

void summary_read(Arena *arena, const Json *root, Summary *summary, Problems *problems)
{
    const int32_t before = problems->kept;
    plain_read(arena, &summary_type, root, summary, problems);
    for (int32_t i = before; i < problems->kept; i++)
        status_hint(&problems->items[i],
                    "summary.json is written by `trainyard run SCENARIO -o DIR`");
}

#include "sim/output/summary.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/core/sample.h"
#include "sim/output/capped.h"
#include "sim/output/decimal.h"
#include "sim/output/summary_names.h"

// Prices per month are for 730 hours, the month of Azure's price lists (365 * 24 / 12).
#define MONTH_NS (730 * NS_PER_HOUR)

static const char rng_name[] = "philox4x32-10/v1"; // as sim/core/rng.h has it

enum { DECIMALS_S = 9, DECIMALS_MS = 6, DECIMALS_USD = 6, DECIMALS_RATIO = 6 };

/* --- The run being summed up --- */

typedef struct {
    Arena *arena;
    const RunFacts *facts;
    const RunMetrics *run;
    const char **cluster_names; /* [ClusterId.index] */
    const char **job_names;     /* [JobId.index] */
} Summary;

static void name_things(Summary *summary)
{
    const RunMetrics *run = summary->run;
    const char **clusters = ARENA_ARRAY(summary->arena, const char *, run->cluster_count);
    for (uint32_t i = 0; i < run->cluster_count; i++)
        clusters[i] = run->clusters[i].path;
    summary->cluster_names = summary_names(summary->arena, clusters, run->cluster_count);
    const char **jobs = ARENA_ARRAY(summary->arena, const char *, run->job_count);
    for (uint32_t i = 0; i < run->job_count; i++)
        jobs[i] = run->jobs[i].path;
    summary->job_names = summary_names(summary->arena, jobs, run->job_count);
}

/* --- Members --- */

static void set_text(Arena *arena, Json *object, const char *key, const char *text)
{
    json_set(arena, object, key, text != NULL ? json_string(arena, text) : json_null(arena));
}

static void set_integer(Arena *arena, Json *object, const char *key, int64_t value)
{
    json_set(arena, object, key, json_integer(arena, value));
}

static void set_seconds(Arena *arena, Json *object, const char *key, int64_t ns)
{
    json_set(arena, object, key, decimal_json(arena, ns, DECIMALS_S));
}

/* A moment, or null where it has not come. */
static void set_moment(Arena *arena, Json *object, const char *key, int64_t at_ns)
{
    if (at_ns == METRIC_NEVER)
        json_set(arena, object, key, json_null(arena));
    else
        set_seconds(arena, object, key, at_ns);
}

/* The time from one moment to a later one, or null where either has not come. */
static void set_between(Arena *arena, Json *object, const char *key, int64_t from_ns, int64_t to_ns)
{
    const bool is_over = from_ns != METRIC_NEVER && to_ns != METRIC_NEVER;
    set_moment(arena, object, key, is_over ? to_ns - from_ns : METRIC_NEVER);
}

/* --- Clusters --- */

/* As `az batchai cluster show` calls it: what the nodes do, unless the record is going. */
static const char *cluster_state(const ClusterMetrics *cluster)
{
    const char *record = cluster->provisioning;
    const bool is_going =
        record != NULL && (strcmp(record, provisioning_state_name(PROVISIONING_DELETING)) == 0 ||
                           strcmp(record, provisioning_state_name(PROVISIONING_DELETED)) == 0);
    return is_going ? record : cluster->allocation;
}

static Json *cluster_json(const Summary *summary, uint32_t id)
{
    Arena *arena = summary->arena;
    const ClusterMetrics *cluster = &summary->run->clusters[id];
    Json *object = json_object(arena);
    set_text(arena, object, "path", cluster->path);
    set_text(arena, object, "state", cluster_state(cluster));
    if (summary->facts != NULL) {
        const ClusterFacts *facts = &summary->facts->clusters[id];
        set_text(arena, object, "vm_size", facts->vm_size);
        set_text(arena, object, "priority", facts->is_low_priority ? "lowpriority" : "dedicated");
    }
    set_moment(arena, object, "created_s", cluster->created_ns);
    set_moment(arena, object, "steady_s", cluster->steady_ns);
    set_moment(arena, object, "ready_s", cluster->ready_ns);
    set_moment(arena, object, "deleted_s", cluster->deleted_ns);
    set_integer(arena, object, "nodes_max", cluster->nodes_max);
    set_seconds(arena, object, "node_s", cluster->held_ns);
    set_seconds(arena, object, "billed_node_s", cluster->billed_ns);
    json_set(arena, object, "cost_usd", decimal_json(arena, cluster->cost_micro_usd, DECIMALS_USD));
    for (int state = 0; state < NODE_STATE_COUNT; state++)
        set_seconds(arena, object, arena_printf(arena, "%s_s", node_state_name((NodeState)state)),
                    cluster->state_ns[state]);
    return object;
}

/* --- Jobs --- */

static Json *error_json(Arena *arena, const char *error)
{
    const char *colon = strstr(error, ": ");
    Json *object = json_object(arena);
    if (colon != NULL)
        set_text(arena, object, "code", arena_strndup(arena, error, (size_t)(colon - error)));
    set_text(arena, object, "message", colon != NULL ? colon + 2 : error);
    return object;
}

static void set_times(Arena *arena, Json *object, const JobMetrics *job)
{
    set_moment(arena, object, "submitted_s", job->submitted_ns);
    set_moment(arena, object, "started_s", job->started_ns);
    set_moment(arena, object, "ended_s", job->ended_ns);
    set_seconds(arena, object, "queue_s", job->queue_ns);
    // Without any preparation the program begins with the job.
    const int64_t prepared_ns =
        job->prepared_ns != METRIC_NEVER ? job->prepared_ns : job->started_ns;
    set_between(arena, object, "prep_s", job->started_ns, prepared_ns);
    if (job->ranks > 0) {
        set_between(arena, object, "start_s", prepared_ns, job->training_ns);
        set_between(arena, object, "train_s", job->training_ns, job->trained_ns);
        set_between(arena, object, "finish_s", job->trained_ns, job->ended_ns);
    }
    set_between(arena, object, "run_s", job->started_ns, job->ended_ns);
}

static int64_t step_total_ns(const JobMetrics *job)
{
    const int64_t parts_ns[] = {job->compute_ns, job->wait_ns, job->exchange_ns, job->update_ns};
    int64_t total_ns = job->input_ns;
    for (size_t i = 0; i < sizeof parts_ns / sizeof parts_ns[0]; i++)
        total_ns = capped_sum(total_ns, parts_ns[i]);
    return total_ns;
}

static Json *step_json(Arena *arena, const JobMetrics *job)
{
    Json *object = json_object(arena);
    json_set(arena, object, "mean",
             decimal_json(arena, step_total_ns(job) / job->steps, DECIMALS_MS));
    if (job->step_count == 0)
        return object;
    const int64_t p50_ns = percentile_of(job->step_ns, job->step_count, 50);
    const int64_t p95_ns = percentile_of(job->step_ns, job->step_count, 95);
    json_set(arena, object, "p50", decimal_json(arena, p50_ns, DECIMALS_MS));
    json_set(arena, object, "p95", decimal_json(arena, p95_ns, DECIMALS_MS));
    return object;
}

static Json *split_json(Arena *arena, const JobMetrics *job)
{
    const struct {
        const char *key;
        int64_t ns;
    } parts[] = {
        {"input", job->input_ns},
        {"compute", job->compute_ns},
        {"wait", job->wait_ns},
        {"exchange", job->exchange_ns},
        {"update", job->update_ns},
        {"evaluate", job->evaluate_ns},
        {"checkpoint", job->checkpoint_ns},
    };
    Json *object = json_object(arena);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        set_seconds(arena, object, parts[i].key, parts[i].ns);
    return object;
}

static void set_training(Arena *arena, Json *object, const JobMetrics *job)
{
    const bool is_trained = job->trained_ns != METRIC_NEVER;
    if (is_trained && job->steps > 0) {
        set_integer(arena, object, "steps", job->steps);
        json_set(arena, object, "step_ms", step_json(arena, job));
        json_set(arena, object, "split_s", split_json(arena, job));
    }
    set_integer(arena, object, "epochs", job->epochs);
    if (is_trained) {
        json_set(arena, object, "val_accuracy",
                 decimal_json(arena, job->accuracy_ppm, DECIMALS_RATIO));
        json_set(arena, object, "val_loss", decimal_json(arena, job->loss_micro, DECIMALS_RATIO));
    }
}

/* A forged trace may have jobs of a cluster that no record of its own tells of. */
static const char *cluster_of_job(const Summary *summary, const JobMetrics *job)
{
    const uint32_t id = job->cluster.index;
    return id < summary->run->cluster_count && summary->cluster_names[id] != NULL
               ? summary->cluster_names[id]
               : summary_short_name(job->cluster_path);
}

static Json *job_json(const Summary *summary, uint32_t id)
{
    Arena *arena = summary->arena;
    const JobMetrics *job = &summary->run->jobs[id];
    const JobFacts *facts = summary->facts != NULL ? &summary->facts->jobs[id] : NULL;
    Json *object = json_object(arena);
    set_text(arena, object, "path", job->path);
    set_text(arena, object, "cluster", cluster_of_job(summary, job));
    if (facts != NULL)
        set_text(arena, object, "tool", facts->tool);
    set_integer(arena, object, "nodes", facts != NULL ? facts->nodes : job->nodes_max);
    if (job->ranks > 0)
        set_integer(arena, object, "ranks", job->ranks);
    set_text(arena, object, "state", job->state);
    json_set(arena, object, "exit_code",
             job->exit_code >= 0 ? json_integer(arena, job->exit_code) : json_null(arena));
    if (job->error != NULL)
        json_set(arena, object, "error", error_json(arena, job->error));
    set_times(arena, object, job);
    if (job->ranks > 0)
        set_training(arena, object, job);
    set_seconds(arena, object, "node_s", job->node_ns);
    if (facts != NULL) {
        const int32_t gpus = summary->facts->clusters[job->cluster.index].gpus_per_node;
        set_seconds(arena, object, "gpu_s", capped_product(job->node_ns, gpus));
    }
    set_integer(arena, object, "restarts", job->restarts);
    if (facts != NULL)
        set_text(arena, object, "output_path", facts->output_path);
    return object;
}

/* --- What went wrong, and why --- */

static void add_problem(Json *list, Arena *arena, const char *sentence)
{
    json_add(list, json_string(arena, sentence));
}

static void add_refused(const Summary *summary, Json *list)
{
    for (uint32_t i = 0; i < summary->run->refused_count; i++) {
        const RefusedCommand *command = &summary->run->refused[i];
        Text at = {0};
        duration_print(&at, command->at_ns);
        add_problem(list, summary->arena,
                    command->is_refusal
                        ? arena_printf(summary->arena, "refused after %s: %s", text_string(&at),
                                       command->what)
                        : arena_printf(summary->arena,
                                       "%s never happened: the moment it waits for did not come",
                                       command->what));
        text_free(&at);
    }
}

/* Why a job that still waits could not start, as far as the numbers say; "" when they do not. */
static const char *waiting_reason(const Summary *summary, uint32_t id)
{
    const JobMetrics *job = &summary->run->jobs[id];
    const uint32_t cluster = job->cluster.index;
    if (summary->facts == NULL || cluster >= summary->run->cluster_count)
        return "";
    const int32_t needed = summary->facts->jobs[id].nodes;
    const int32_t most = summary->run->clusters[cluster].nodes_max;
    if (needed <= most)
        return "";
    return arena_printf(summary->arena,
                        ": it needs %" PRId32 " node%s, cluster %s never had more than %" PRId32,
                        needed, needed == 1 ? "" : "s", cluster_of_job(summary, job), most);
}

static void add_job_problem(const Summary *summary, uint32_t id, Json *list)
{
    const JobMetrics *job = &summary->run->jobs[id];
    const char *name = summary->job_names[id];
    if (job->state == NULL || strcmp(job->state, job_state_name(JOB_SUCCEEDED)) == 0)
        return;
    if (strcmp(job->state, job_state_name(JOB_FAILED)) != 0) {
        add_problem(
            list, summary->arena,
            arena_printf(summary->arena, "job %s was still %s when the run ended%s", name,
                         job->state,
                         job->started_ns == METRIC_NEVER ? waiting_reason(summary, id) : ""));
        return;
    }
    const char *error = job->error != NULL ? job->error : "no reason given";
    add_problem(list, summary->arena,
                job->exit_code >= 0
                    ? arena_printf(summary->arena, "job %s failed: %s (exit code %" PRId64 ")",
                                   name, error, job->exit_code)
                    : arena_printf(summary->arena, "job %s failed: %s", name, error));
}

static void add_cluster_problem(const Summary *summary, uint32_t id, Json *list)
{
    const ClusterMetrics *cluster = &summary->run->clusters[id];
    const char *state = cluster_state(cluster), *name = summary->cluster_names[id];
    if (state != NULL && strcmp(state, allocation_state_name(ALLOCATION_RESIZING)) == 0)
        add_problem(
            list, summary->arena,
            arena_printf(summary->arena, "cluster %s was still resizing when the run ended", name));
    if (cluster->state_ns[NODE_UNUSABLE] == 0)
        return;
    Text lost = {0};
    duration_print(&lost, cluster->state_ns[NODE_UNUSABLE]);
    add_problem(list, summary->arena,
                arena_printf(summary->arena, "cluster %s: nodes were unusable, and paid, for %s",
                             name, text_string(&lost)));
    text_free(&lost);
}

static Json *problems_json(const Summary *summary)
{
    Json *list = json_array(summary->arena);
    add_refused(summary, list);
    for (uint32_t i = 0; i < summary->run->cluster_count; i++)
        if (summary->cluster_names[i] != NULL)
            add_cluster_problem(summary, i, list);
    for (uint32_t i = 0; i < summary->run->job_count; i++)
        if (summary->job_names[i] != NULL)
            add_job_problem(summary, i, list);
    return list;
}

/* --- The whole --- */

static int64_t storage_micro_usd(const RunFacts *facts, const RunMetrics *run)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < run->share_count; i++)
        sum = capped_sum(sum, capped_proportion(run->shares[i].stored_gib_ns,
                                                facts->share_micro_usd_per_gib_month[i], MONTH_NS));
    return sum;
}

/* Storage is there when its prices are known, and then part of the total. */
static Json *cost_json(const Summary *summary)
{
    Arena *arena = summary->arena;
    int64_t total = 0;
    Json *clusters = json_object(arena);
    for (uint32_t i = 0; i < summary->run->cluster_count; i++) {
        const int64_t cost = summary->run->clusters[i].cost_micro_usd;
        total = capped_sum(total, cost);
        if (summary->cluster_names[i] != NULL)
            json_set(arena, clusters, summary->cluster_names[i],
                     decimal_json(arena, cost, DECIMALS_USD));
    }
    const int64_t storage =
        summary->facts != NULL ? storage_micro_usd(summary->facts, summary->run) : 0;
    Json *object = json_object(arena);
    json_set(arena, object, "total", decimal_json(arena, capped_sum(total, storage), DECIMALS_USD));
    json_set(arena, object, "clusters", clusters);
    if (summary->facts != NULL)
        json_set(arena, object, "storage", decimal_json(arena, storage, DECIMALS_USD));
    return object;
}

static Json *utilisation_json(Arena *arena, const RunMetrics *run)
{
    int64_t held_ns = 0, running_ns = 0;
    for (uint32_t i = 0; i < run->cluster_count; i++) {
        held_ns = capped_sum(held_ns, run->clusters[i].held_ns);
        running_ns = capped_sum(running_ns, run->clusters[i].state_ns[NODE_RUNNING]);
    }
    return held_ns > 0
               ? decimal_json(arena, capped_proportion(running_ns, PPM, held_ns), DECIMALS_RATIO)
               : json_null(arena);
}

static void set_run(const Summary *summary, Json *object)
{
    Arena *arena = summary->arena;
    const RunFacts *facts = summary->facts;
    if (facts != NULL) {
        set_text(arena, object, "scenario", facts->scenario);
        json_set(arena, object, "seed",
                 json_decimal(arena, arena_printf(arena, "%" PRIu64, facts->seed)));
        set_text(arena, object, "version", facts->version);
        set_text(arena, object, "rng", rng_name);
    }
    set_seconds(arena, object, "simulated_s", summary->run->ended_ns);
    set_integer(arena, object, "events", summary->run->events);
    if (facts != NULL) {
        char start[CIVIL_TEXT];
        iso_time_print(facts->start_unix_ms, start);
        set_text(arena, object, "fidelity", facts->fidelity);
        set_text(arena, object, "start", start);
    }
}

Json *summary_json(Arena *arena, const RunFacts *facts, const RunMetrics *metrics,
                   const char *fingerprint)
{
    Summary summary = {.arena = arena, .facts = facts, .run = metrics};
    name_things(&summary);
    Json *object = json_object(arena);
    set_run(&summary, object);
    Json *clusters = json_set(arena, object, "clusters", json_object(arena));
    for (uint32_t i = 0; i < metrics->cluster_count; i++)
        if (summary.cluster_names[i] != NULL)
            json_set(arena, clusters, summary.cluster_names[i], cluster_json(&summary, i));
    Json *jobs = json_set(arena, object, "jobs", json_object(arena));
    for (uint32_t i = 0; i < metrics->job_count; i++)
        if (summary.job_names[i] != NULL)
            json_set(arena, jobs, summary.job_names[i], job_json(&summary, i));
    json_set(arena, object, "cost_usd", cost_json(&summary));
    json_set(arena, object, "utilisation", utilisation_json(arena, metrics));
    json_set(arena, object, "problems", problems_json(&summary));
    if (fingerprint != NULL)
        set_text(arena, object, "fingerprint", fingerprint);
    return object;
}

#include "sim/output/summary/summary.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/engine/sample.h"
#include "sim/output/summary/capped.h"
#include "sim/output/summary/decimal.h"
#include "sim/output/summary/members.h"
#include "sim/output/summary/names.h"
#include "sim/output/summary/workloads.h"

// Prices per month are for 730 hours, the month of Azure's price lists (365 * 24 / 12).
#define MONTH_NS (730 * NS_PER_HOUR)
#define GIB (INT64_C(1) << 30)

static const char rng_name[] = "philox4x32-10/v1"; // as sim/engine/rng.h has it

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

/* Time and bill by use; the bill in proportion to time. */
static bool cluster_money(const ClusterMetrics *cluster, Wide *use_ns, int64_t *use_micro_usd)
{
    const bool adds_up = cluster_uses(cluster, use_ns);
    attribution_divide(cluster->cost_micro_usd, use_ns, use_micro_usd);
    return adds_up;
}

static Json *cluster_json(const Summary *summary, uint32_t id)
{
    Arena *arena = summary->arena;
    const ClusterMetrics *cluster = &summary->run->clusters[id];
    Json *object = json_object(arena);
    member_text(arena, object, "path", cluster->path);
    member_text(arena, object, "state", cluster_state(cluster));
    if (summary->facts != NULL) {
        const ClusterFacts *facts = &summary->facts->clusters[id];
        member_text(arena, object, "vm_size", facts->vm_size);
        member_text(arena, object, "priority",
                    facts->is_low_priority ? "lowpriority" : "dedicated");
    }
    member_moment(arena, object, "created_s", cluster->created_ns);
    member_moment(arena, object, "steady_s", cluster->steady_ns);
    member_moment(arena, object, "ready_s", cluster->ready_ns);
    member_moment(arena, object, "deleted_s", cluster->deleted_ns);
    member_integer(arena, object, "nodes_max", cluster->nodes_max);
    member_seconds(arena, object, "node_s", cluster->held_ns);
    member_seconds(arena, object, "billed_node_s", cluster->billed_ns);
    json_set(arena, object, "cost_usd", decimal_json(arena, cluster->cost_micro_usd, DECIMALS_USD));
    for (int state = 0; state < NODE_STATE_COUNT; state++)
        member_seconds(arena, object,
                       arena_printf(arena, "%s_s", node_state_name((NodeState)state)),
                       cluster->state_ns[state]);
    Wide use_ns[USE_COUNT];
    int64_t use_micro_usd[USE_COUNT];
    cluster_money(cluster, use_ns, use_micro_usd);
    member_uses(arena, object, use_ns, use_micro_usd);
    return object;
}

/* --- Jobs --- */

static Json *error_json(Arena *arena, const char *error)
{
    const char *colon = strstr(error, ": ");
    Json *object = json_object(arena);
    if (colon != NULL)
        member_text(arena, object, "code", arena_strndup(arena, error, (size_t)(colon - error)));
    member_text(arena, object, "message", colon != NULL ? colon + 2 : error);
    return object;
}

static void set_times(Arena *arena, Json *object, const JobMetrics *job)
{
    member_moment(arena, object, "submitted_s", job->submitted_ns);
    member_moment(arena, object, "started_s", job->started_ns);
    member_moment(arena, object, "ended_s", job->ended_ns);
    member_seconds(arena, object, "queue_s", job->queue_ns);
    // Without any preparation the program begins with the job.
    const int64_t prepared_ns =
        job->prepared_ns != METRIC_NEVER ? job->prepared_ns : job->started_ns;
    member_between(arena, object, "prep_s", job->started_ns, prepared_ns);
    if (job->ranks > 0) {
        member_between(arena, object, "start_s", prepared_ns, job->training_ns);
        member_between(arena, object, "train_s", job->training_ns, job->trained_ns);
        member_between(arena, object, "finish_s", job->trained_ns, job->ended_ns);
    }
    member_between(arena, object, "run_s", job->started_ns, job->ended_ns);
}

static int64_t step_total_ns(const JobMetrics *job)
{
    const int64_t parts_ns[] = {job->parts.compute_ns, job->parts.wait_ns, job->parts.exchange_ns,
                                job->parts.update_ns};
    int64_t total_ns = job->parts.input_ns;
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
        {"input", job->parts.input_ns},     {"compute", job->parts.compute_ns},
        {"wait", job->parts.wait_ns},       {"exchange", job->parts.exchange_ns},
        {"update", job->parts.update_ns},   {"evaluate", job->evaluate_ns},
        {"checkpoint", job->checkpoint_ns},
    };
    Json *object = json_object(arena);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        member_seconds(arena, object, parts[i].key, parts[i].ns);
    return object;
}

static void set_training(Arena *arena, Json *object, const JobMetrics *job)
{
    const bool is_trained = job->trained_ns != METRIC_NEVER;
    if (is_trained && job->steps > 0) {
        member_integer(arena, object, "steps", job->steps);
        json_set(arena, object, "step_ms", step_json(arena, job));
        json_set(arena, object, "split_s", split_json(arena, job));
    }
    member_integer(arena, object, "epochs", job->epochs);
    if (is_trained) {
        json_set(arena, object, "val_accuracy",
                 decimal_json(arena, job->accuracy_ppm, DECIMALS_RATIO));
        json_set(arena, object, "val_loss", decimal_json(arena, job->loss_micro, DECIMALS_RATIO));
    }
}

/* Of a job that ran outside of the world: what somebody told of it. */
static void set_real(Arena *arena, Json *object, const RealFacts *facts)
{
    const RealTraining *training = &facts->training;
    member_text(arena, object, "execution", "real");
    if (facts->ranks > 0)
        member_integer(arena, object, "ranks", facts->ranks);
    if (training->steps >= 0)
        member_integer(arena, object, "steps", training->steps);
    if (training->epochs >= 0)
        member_integer(arena, object, "epochs", training->epochs);
    if (training->accuracy_ppm >= 0)
        json_set(arena, object, "val_accuracy",
                 decimal_json(arena, training->accuracy_ppm, DECIMALS_RATIO));
    if (training->loss_micro >= 0)
        json_set(arena, object, "val_loss",
                 decimal_json(arena, training->loss_micro, DECIMALS_RATIO));
}

static bool is_listed(const Summary *summary, uint32_t job)
{
    return summary->job_names[job] != NULL && !is_workload_job(summary->facts, job);
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
    member_text(arena, object, "path", job->path);
    member_text(arena, object, "cluster", cluster_of_job(summary, job));
    if (facts != NULL)
        member_text(arena, object, "tool", facts->tool);
    member_integer(arena, object, "nodes", facts != NULL ? facts->nodes : job->nodes_max);
    if (job->ranks > 0)
        member_integer(arena, object, "ranks", job->ranks);
    member_text(arena, object, "state", job->state);
    json_set(arena, object, "exit_code",
             job->exit_code >= 0 ? json_integer(arena, job->exit_code) : json_null(arena));
    if (job->error != NULL)
        json_set(arena, object, "error", error_json(arena, job->error));
    set_times(arena, object, job);
    if (job->ranks > 0)
        set_training(arena, object, job);
    if (facts != NULL && facts->real != NULL)
        set_real(arena, object, facts->real);
    member_seconds(arena, object, "node_s", job->node_ns);
    if (facts != NULL) {
        const int32_t gpus = summary->facts->clusters[job->cluster.index].gpus_per_node;
        member_seconds(arena, object, "gpu_s", (Wide)job->node_ns * gpus);
    }
    member_integer(arena, object, "restarts", job->restarts);
    member_integer(arena, object, "attempts", job->attempts);
    const int64_t lost_ns = job->use_ns[USE_LOST];
    member_seconds(arena, object, "lost_node_s", lost_ns);
    if (facts != NULL) {
        const int32_t gpus = summary->facts->clusters[job->cluster.index].gpus_per_node;
        member_seconds(arena, object, "wasted_gpu_s", (Wide)lost_ns * gpus);
    }
    Wide use_ns[USE_OF_ATTEMPTS];
    for (int use = 0; use < USE_OF_ATTEMPTS; use++)
        use_ns[use] = job->use_ns[use];
    member_share(arena, object, "goodput", uses_forward_ns(use_ns), uses_sum_ns(use_ns));
    if (facts != NULL)
        member_text(arena, object, "output_path", facts->output_path);
    return object;
}

/* --- What went wrong, and why --- */

enum { ERRORS_TOLD = 20 }; // in sentences; "errors" has them all

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

static bool needs_too_much(const Summary *summary, uint32_t id)
{
    const uint32_t cluster = summary->run->jobs[id].cluster.index;
    return summary->facts->jobs[id].nodes > summary->run->clusters[cluster].nodes_max;
}

static bool is_queued(const JobMetrics *job)
{
    return job->state != NULL && strcmp(job->state, job_state_name(JOB_QUEUED)) == 0;
}

/* A job that waits in front of `id` for nodes that its cluster never had; ID_NONE: there is none,
 * or it could be overtaken. */
static uint32_t blocked_by(const Summary *summary, uint32_t id)
{
    const RunFacts *facts = summary->facts;
    const JobMetrics *jobs = summary->run->jobs;
    for (uint32_t i = 0; facts->policy == POLICY_SERVICE && i < summary->run->job_count; i++) {
        const JobPriority own = facts->jobs[id].priority, other = facts->jobs[i].priority;
        const bool is_before = other > own || (other == own && i < id);
        if (is_before && is_listed(summary, i) && is_queued(&jobs[i]) &&
            jobs[i].cluster.index == jobs[id].cluster.index && needs_too_much(summary, i))
            return i;
    }
    return ID_NONE;
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
    if (!needs_too_much(summary, id)) {
        const uint32_t blocker = blocked_by(summary, id);
        return blocker != ID_NONE
                   ? arena_printf(summary->arena, ": job %s stood before it and could not start",
                                  summary->job_names[blocker])
                   : "";
    }
    return arena_printf(summary->arena,
                        ": it needs %" PRId32 " node%s, cluster %s never had more than %" PRId32,
                        needed, plural(needed), cluster_of_job(summary, job), most);
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
    Wide use_ns[USE_COUNT];
    if (summary->run->is_ended && !cluster_uses(cluster, use_ns))
        add_problem(list, summary->arena,
                    arena_printf(summary->arena,
                                 "cluster %s: node time does not add up: the trace contradicts "
                                 "itself",
                                 name));
    if (cluster->state_ns[NODE_UNUSABLE] == 0)
        return;
    Text lost = {0};
    duration_print(&lost, wide_capped(cluster->state_ns[NODE_UNUSABLE]));
    add_problem(list, summary->arena,
                arena_printf(summary->arena, "cluster %s: nodes were unusable, and paid, for %s",
                             name, text_string(&lost)));
    text_free(&lost);
}

/* "cluster gpu: AccountCoreQuotaReached: ... (3 times, first after 2 min)" */
static void add_error_problem(const Summary *summary, const ErrorMetrics *error, Json *list)
{
    Text text = {0}, first = {0};
    const char *cluster = summary->cluster_names[error->cluster.index];
    duration_print(&first, error->first_ns);
    text_printf(&text, "cluster %s%s: %s (", cluster != NULL ? cluster : "?",
                error->is_of_nodes ? ", nodes" : "", error->what);
    if (error->count > 1)
        text_printf(&text, "%" PRId64 " times, first ", error->count);
    text_printf(&text, "after %s)", text_string(&first));
    add_problem(list, summary->arena, text_string(&text));
    text_free(&text);
    text_free(&first);
}

static void add_error_problems(const Summary *summary, Json *list)
{
    const RunMetrics *run = summary->run;
    uint32_t told = run->error_count < ERRORS_TOLD ? run->error_count : ERRORS_TOLD;
    int64_t left_out = run->errors_left_out;
    for (uint32_t i = 0; i < told; i++)
        add_error_problem(summary, &run->errors[i], list);
    for (uint32_t i = told; i < run->error_count; i++)
        left_out += run->errors[i].count;
    if (left_out > 0)
        add_problem(list, summary->arena,
                    arena_printf(summary->arena,
                                 "and %" PRId64 " more errors of clusters and nodes", left_out));
}

static Json *problems_json(const Summary *summary)
{
    Json *list = json_array(summary->arena);
    if (summary->run->given_up != NULL)
        add_problem(
            list, summary->arena,
            arena_printf(summary->arena, "the run was given up: %s", summary->run->given_up));
    add_refused(summary, list);
    for (uint32_t i = 0; i < summary->run->cluster_count; i++)
        if (summary->cluster_names[i] != NULL)
            add_cluster_problem(summary, i, list);
    add_error_problems(summary, list);
    for (uint32_t i = 0; i < summary->run->job_count; i++)
        if (is_listed(summary, i))
            add_job_problem(summary, i, list);
    summary_add_workload_problems(summary->arena, list, summary->facts, summary->run);
    return list;
}

static Json *errors_json(const Summary *summary)
{
    Arena *arena = summary->arena;
    Json *list = json_array(arena);
    for (uint32_t i = 0; i < summary->run->error_count; i++) {
        const ErrorMetrics *error = &summary->run->errors[i];
        Json *object = json_add(list, json_object(arena));
        member_text(arena, object, "cluster", summary->cluster_names[error->cluster.index]);
        member_text(arena, object, "of", error->is_of_nodes ? "nodes" : "cluster");
        member_text(arena, object, "what", error->what);
        member_text(arena, object, "cause",
                    error->cause != CAUSE_NONE ? trace_cause_name(error->cause) : NULL);
        member_integer(arena, object, "count", error->count);
        member_seconds(arena, object, "first_s", error->first_ns);
        member_seconds(arena, object, "last_s", error->last_ns);
    }
    return list;
}

/* --- The whole --- */

static int64_t storage_micro_usd(const RunFacts *facts, const RunMetrics *run)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < facts->share_count; i++) {
        const ShareFacts *share = &facts->shares[i];
        const Wide stored_gib_ns = i < run->share_count ? run->shares[i].stored_gib_ns : 0;
        const Wide paid_gib_ns = (Wide)share->existed_ns * share->paid_bytes / GIB;
        sum = capped_sum(sum, wide_proportion(share->paid_bytes > 0 ? paid_gib_ns : stored_gib_ns,
                                              share->micro_usd_per_gib_month, (Wide)MONTH_NS));
    }
    return sum;
}

static int64_t set_cluster_costs(const Summary *summary, Json *object)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < summary->run->cluster_count; i++) {
        const int64_t cost = summary->run->clusters[i].cost_micro_usd;
        total = capped_sum(total, cost);
        if (summary->cluster_names[i] != NULL)
            member_usd(summary->arena, object, summary->cluster_names[i], cost);
    }
    return total;
}

/* One of a name may be deleted and made again: their bills stand together. */
static int64_t set_file_server_costs(const Summary *summary, Json *object)
{
    const RunMetrics *run = summary->run;
    int64_t total = 0;
    for (uint32_t i = 0; i < run->file_server_count; i++) {
        const FileServerMetrics *server = &run->file_servers[i];
        int64_t before = 0;
        (void)json_scaled(json_member(object, server->name), DECIMALS_USD, &before);
        member_usd(summary->arena, object, server->name,
                   capped_sum(before, server->cost_micro_usd));
        total = capped_sum(total, server->cost_micro_usd);
    }
    return total;
}

/* Storage is there when its prices are known, and then part of the total. */
static Json *cost_json(const Summary *summary)
{
    Arena *arena = summary->arena;
    Json *object = json_object(arena);
    json_put_null(arena, object, "total"); // stands first, is known at last
    Json *clusters = json_put_object(arena, object, "clusters");
    int64_t sum = set_cluster_costs(summary, clusters);
    Json *servers = json_put_object(arena, object, "file_servers");
    sum = capped_sum(sum, set_file_server_costs(summary, servers));
    if (summary->facts != NULL) {
        const int64_t storage = storage_micro_usd(summary->facts, summary->run);
        sum = capped_sum(sum, storage);
        member_usd(arena, object, "storage", storage);
    }
    member_usd(arena, object, "total", sum);
    return object;
}

/* The sum over clusters. */
static void set_attribution(const Summary *summary, Json *object)
{
    Wide sum_ns[USE_COUNT] = {0};
    int64_t sum_micro_usd[USE_COUNT] = {0};
    for (uint32_t i = 0; i < summary->run->cluster_count; i++) {
        Wide use_ns[USE_COUNT];
        int64_t use_micro_usd[USE_COUNT];
        cluster_money(&summary->run->clusters[i], use_ns, use_micro_usd);
        for (int use = 0; use < USE_COUNT; use++) {
            sum_ns[use] += use_ns[use];
            sum_micro_usd[use] = capped_sum(sum_micro_usd[use], use_micro_usd[use]);
        }
    }
    member_uses(summary->arena, object, sum_ns, sum_micro_usd);
}

static Json *utilisation_json(Arena *arena, const RunMetrics *run)
{
    Wide held_ns = 0, running_ns = 0;
    for (uint32_t i = 0; i < run->cluster_count; i++) {
        held_ns += run->clusters[i].held_ns;
        running_ns += run->clusters[i].state_ns[NODE_RUNNING];
    }
    return held_ns > 0
               ? decimal_json(arena, wide_proportion(running_ns, PPM, held_ns), DECIMALS_RATIO)
               : json_null(arena);
}

static void set_run(const Summary *summary, Json *object)
{
    Arena *arena = summary->arena;
    const RunFacts *facts = summary->facts;
    if (facts != NULL) {
        member_text(arena, object, "scenario", facts->scenario);
        json_put_decimal(arena, object, "seed", arena_printf(arena, "%" PRIu64, facts->seed));
        member_text(arena, object, "version", facts->version);
        member_text(arena, object, "rng", rng_name);
    }
    member_seconds(arena, object, "simulated_s", summary->run->ended_ns);
    member_integer(arena, object, "events", summary->run->events);
    member_integer(arena, object, "draws", summary->run->draws);
    if (facts != NULL) {
        char start[CIVIL_TEXT];
        iso_time_print(facts->start_unix_ms, start);
        member_text(arena, object, "fidelity", facts->fidelity);
        member_text(arena, object, "start", start);
    }
}

Json *summary_json(Arena *arena, const RunFacts *facts, const RunMetrics *metrics,
                   const char *fingerprint)
{
    Summary summary = {.arena = arena, .facts = facts, .run = metrics};
    name_things(&summary);
    Json *object = json_object(arena);
    set_run(&summary, object);
    Json *clusters = json_put_object(arena, object, "clusters");
    for (uint32_t i = 0; i < metrics->cluster_count; i++)
        if (summary.cluster_names[i] != NULL)
            json_set(arena, clusters, summary.cluster_names[i], cluster_json(&summary, i));
    Json *jobs = json_put_object(arena, object, "jobs");
    for (uint32_t i = 0; i < metrics->job_count; i++)
        if (is_listed(&summary, i))
            json_set(arena, jobs, summary.job_names[i], job_json(&summary, i));
    summary_set_workloads(arena, object, facts, metrics);
    summary_set_queue(arena, object, metrics);
    json_set(arena, object, "cost_usd", cost_json(&summary));
    member_integer(arena, object, "held_nodes", metrics->held_nodes);
    member_usd(arena, object, "held_usd_per_h", metrics->held_micro_usd_per_hour);
    set_attribution(&summary, object);
    json_set(arena, object, "utilisation", utilisation_json(arena, metrics));
    json_set(arena, object, "problems", problems_json(&summary));
    json_set(arena, object, "errors", errors_json(&summary));
    if (fingerprint != NULL)
        member_text(arena, object, "fingerprint", fingerprint);
    return object;
}

#include "sim/output/summary/problems.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"

enum { ERRORS_LISTED = 20 }; // as problems; the member "errors" of the summary lists all

static void add(Making *making, const char *sentence)
{
    Summary *summary = making->summary;
    summary->problems = array_room(making->arena, summary->problems, summary->problem_count + 1,
                                   &making->problem_capacity, sizeof *summary->problems);
    summary->problems[summary->problem_count++] = sentence;
}

static void add_commands(Making *making)
{
    for (uint32_t i = 0; i < making->run->refused_count; i++) {
        const RefusedCommand *command = &making->run->refused[i];
        Text at = {0};
        duration_print(&at, command->at_ns);
        if (command->is_refusal)
            add(making, arena_printf(making->arena, "refused after %s: %s", text_string(&at),
                                     command->what));
        else
            add(making, arena_printf(making->arena,
                                     "%s never happened: the moment it waits for did not come",
                                     command->what));
        text_free(&at);
    }
}

/* --- Jobs --- */

static bool needs_too_much(const Making *making, uint32_t id)
{
    const uint32_t cluster = run_job(making->run, id)->cluster.index;
    return making->facts->jobs[id].nodes > making->run->clusters[cluster].nodes_max;
}

/* A job before `id` in the queue that waits for more nodes than its cluster ever had; ID_NONE when
 * there is none, or when `id` could overtake it. */
static uint32_t blocked_by(const Making *making, uint32_t id)
{
    const RunFacts *facts = making->facts;
    for (uint32_t i = 0; facts->policy == POLICY_SERVICE && i < making->run->job_count; i++) {
        const JobPriority own = facts->jobs[id].priority, other = facts->jobs[i].priority;
        const bool is_before = other > own || (other == own && i < id);
        if (is_before && making_lists_job(making, i) &&
            run_job(making->run, i)->state == JOB_QUEUED &&
            run_job(making->run, i)->cluster.index == run_job(making->run, id)->cluster.index &&
            needs_too_much(making, i))
            return i;
    }
    return ID_NONE;
}

/* Why a job that still waits could not start, as far as the numbers show; "" otherwise. */
static const char *waiting_reason(const Making *making, uint32_t id)
{
    const JobMetrics *job = run_job(making->run, id);
    const uint32_t cluster = job->cluster.index;
    if (making->facts == NULL || cluster >= making->run->cluster_count)
        return "";
    const int32_t needed = making->facts->jobs[id].nodes;
    const int32_t most = making->run->clusters[cluster].nodes_max;
    if (!needs_too_much(making, id)) {
        const uint32_t blocker = blocked_by(making, id);
        return blocker != ID_NONE
                   ? arena_printf(making->arena, ": job %s was ahead of it and could not start",
                                  making->job_names[blocker])
                   : "";
    }
    return arena_printf(making->arena,
                        ": it needs %" PRId32 " node%s, cluster %s never had more than %" PRId32,
                        needed, plural(needed), making_cluster_of(making, job), most);
}

static void add_job(Making *making, uint32_t id)
{
    const JobMetrics *job = run_job(making->run, id);
    const char *name = making->job_names[id];
    const char *error =
        job_details(job)->error != NULL ? job_details(job)->error : "no reason given";
    if (job->state == JOB_STATE_COUNT || job->state == JOB_SUCCEEDED)
        return;
    if (job->state != JOB_FAILED)
        add(making,
            arena_printf(making->arena, "job %s was still %s when the run ended%s", name,
                         job_state_name((JobState)job->state),
                         job->started_ns == METRIC_NEVER ? waiting_reason(making, id) : ""));
    else if (job->exit_code >= 0)
        add(making, arena_printf(making->arena, "job %s failed: %s (exit code %d)", name, error,
                                 (int)job->exit_code));
    else
        add(making, arena_printf(making->arena, "job %s failed: %s", name, error));
}

static void add_workload(Making *making, const SummaryWorkload *workload)
{
    if (workload->all.rejected > 0)
        add(making,
            arena_printf(making->arena,
                         "workload %s: a full queue rejected %" PRId64 " of %" PRId64 " job%s",
                         workload->name, workload->all.rejected, workload->all.jobs,
                         plural(workload->all.jobs)));
    if (workload->all.failed > 0 || workload->all.unfinished > 0)
        add(making, arena_printf(making->arena,
                                 "workload %s: of %" PRId64 " job%s %" PRId64 " failed and %" PRId64
                                 " had not finished when the run ended",
                                 workload->name, workload->all.jobs, plural(workload->all.jobs),
                                 workload->all.failed, workload->all.unfinished));
}

/* Reports, once for each workload, a job that waits for more than its cluster ever had. */
static void add_wide_jobs(Making *making)
{
    const RunMetrics *run = making->run;
    const uint32_t count = making->summary->workload_count;
    bool *is_reported = ARENA_ARRAY(making->arena, bool, count + 1);
    for (uint32_t i = 0; count > 0 && i < run->job_count; i++) {
        const JobFacts *facts = &making->facts->jobs[i];
        const uint32_t cluster = run_job(run, i)->cluster.index;
        const int32_t most = cluster < run->cluster_count ? run->clusters[cluster].nodes_max : 0;
        if (facts->workload == 0 || most == 0 || is_reported[facts->workload] ||
            run_job(run, i)->state != JOB_QUEUED || !needs_too_much(making, i))
            continue;
        is_reported[facts->workload] = true;
        add(making,
            arena_printf(making->arena,
                         "workload %s: a job of size %" PRId32 " waited for %" PRId32
                         " node%s, cluster %s never had more than %" PRId32
                         ": it may have blocked the queue",
                         making->facts->workloads[facts->workload - 1], facts->size, facts->nodes,
                         plural(facts->nodes), making_cluster_of(making, run_job(run, i)), most));
    }
}

/* --- Clusters --- */

static void add_cluster(Making *making, uint32_t id)
{
    const ClusterMetrics *cluster = &making->run->clusters[id];
    const char *state = making_cluster_state(cluster), *name = making->cluster_names[id];
    if (state != NULL && strcmp(state, allocation_state_name(ALLOCATION_RESIZING)) == 0)
        add(making,
            arena_printf(making->arena, "cluster %s was still resizing when the run ended", name));
    Wide use_ns[USE_COUNT];
    if (making->run->is_ended && !cluster_uses(cluster, use_ns))
        add(making,
            arena_printf(making->arena,
                         "cluster %s: node time does not add up: the trace contradicts itself",
                         name));
    const ClusterMetrics total = cluster_total(cluster);
    const Wide failed_ns = total.state_ns[NODE_UNUSABLE] - total.drained_ns;
    if (failed_ns == 0)
        return;
    Text lost = {0};
    duration_print(&lost, wide_capped(failed_ns));
    add(making, arena_printf(making->arena, "cluster %s: nodes were unusable, and paid, for %s",
                             name, text_string(&lost)));
    text_free(&lost);
}

/* "cluster gpu: AccountCoreQuotaReached: ... (3 times, first after 2 min)" */
static void add_error(Making *making, const ErrorMetrics *error)
{
    Text times = {0}, first = {0};
    const char *cluster = making->cluster_names[error->cluster.index];
    duration_print(&first, error->first_ns);
    if (error->count > 1)
        text_printf(&times, "%" PRId64 " times, first ", error->count);
    add(making, arena_printf(making->arena, "cluster %s%s: %s (%safter %s)",
                             cluster != NULL ? cluster : "?", error->is_of_nodes ? ", nodes" : "",
                             error->what, text_string(&times), text_string(&first)));
    text_free(&times);
    text_free(&first);
}

static void add_errors(Making *making)
{
    const RunMetrics *run = making->run;
    const uint32_t listed = run->error_count < ERRORS_LISTED ? run->error_count : ERRORS_LISTED;
    int64_t left_out = run->errors_left_out;
    for (uint32_t i = 0; i < listed; i++)
        add_error(making, &run->errors[i]);
    for (uint32_t i = listed; i < run->error_count; i++)
        left_out += run->errors[i].count;
    if (left_out > 0)
        add(making, arena_printf(making->arena, "and %" PRId64 " more errors of clusters and nodes",
                                 left_out));
}

void summary_add_problems(Making *making)
{
    if (making->run->given_up != NULL)
        add(making, arena_printf(making->arena, "the run was given up: %s", making->run->given_up));
    add_commands(making);
    for (uint32_t i = 0; i < making->run->cluster_count; i++)
        if (making->cluster_names[i] != NULL)
            add_cluster(making, i);
    add_errors(making);
    for (uint32_t i = 0; i < making->run->job_count; i++)
        if (making_lists_job(making, i))
            add_job(making, i);
    for (uint32_t i = 0; i < making->summary->workload_count; i++)
        add_workload(making, &making->summary->workloads[i]);
    add_wide_jobs(making);
}

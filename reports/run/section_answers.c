/* Private to reports/run: the top of the page: the first questions, answered in sentences, and
 * the key figures. */
#include <inttypes.h>
#include <string.h>

#include "reports/run/clock.h"
#include "reports/run/sections.h"
#include "reports/run/table.h"
#include "reports/run/waits.h"
#include "reports/text/wording.h"
#include "sim/base/capped.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"
#include "sim/json/decimal.h"

/* If there are more clusters or jobs than this, a summary replaces one sentence for each. */
enum { TOLD_ONE_BY_ONE = 6 };

static bool is_in_state(const SummaryJob *job, JobState state)
{
    return job->state != NULL && strcmp(job->state, job_state_name(state)) == 0;
}

static uint32_t jobs_in_state(const Facts *facts, JobState state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts->run->job_count; i++)
        count += is_in_state(&facts->run->jobs[i], state);
    return count;
}

/* " after 4 min 42 s (17:49:42 UTC)" */
static void moment_print(Text *out, const Facts *facts, int64_t at_ns)
{
    text_add(out, " after ");
    span_print(out, at_ns);
    text_add(out, " (");
    clock_time_print(out, facts, at_ns);
    text_add(out, " UTC)");
}

/* One answer: its sentences as paragraphs. Takes `plain`, whose lines are the paragraphs. */
static void answer_print(Text *html, const char *question, Text *plain)
{
    text_printf(html, "<div><dt>%s</dt><dd>", question);
    const char *line = text_string(plain);
    while (*line != '\0') {
        const size_t length = strcspn(line, "\n");
        Text paragraph = {0};
        text_append(&paragraph, line, length);
        text_add(html, "<p>");
        markup_print(html, text_string(&paragraph));
        text_add(html, "</p>");
        text_free(&paragraph);
        line += length + (line[length] == '\n');
    }
    text_add(html, "</dd></div>\n");
    text_free(plain);
}

/* --- When was the cluster ready? --- */

static void cluster_ready_words(Text *out, const Facts *facts, const SummaryCluster *cluster)
{
    text_add(out, cluster->name);
    if (cluster->ready_ns != ABSENT) {
        text_add(out, " was ready");
        moment_print(out, facts, cluster->ready_ns);
    } else if (cluster->steady_ns != ABSENT) {
        text_add(out, " was steady");
        moment_print(out, facts, cluster->steady_ns);
        text_add(out, " but never had all its nodes prepared");
    } else {
        text_add(out, " never became steady");
    }
    if (cluster->nodes_max != ABSENT && cluster->nodes_max > 0) {
        text_add(out, "; it had up to ");
        count_print(out, cluster->nodes_max, "node", "nodes");
        if (cluster->vm_size != NULL)
            text_printf(out, " of %s", cluster->vm_size);
        if (cluster->priority != NULL)
            text_printf(out, ", %s", cluster->priority);
    }
    text_add(out, ".\n");
}

static void clusters_ready_words(Text *out, const Facts *facts)
{
    uint32_t ready = 0;
    int64_t last_ns = 0;
    for (uint32_t i = 0; i < facts->run->cluster_count; i++)
        if (facts->run->clusters[i].ready_ns != ABSENT) {
            ready++;
            last_ns = facts->run->clusters[i].ready_ns > last_ns ? facts->run->clusters[i].ready_ns
                                                                 : last_ns;
        }
    text_printf(out, "%" PRIu32 " of %" PRIu32 " clusters became ready", ready,
                facts->run->cluster_count);
    if (ready > 0) {
        text_add(out, ", the last");
        moment_print(out, facts, last_ns);
    }
    text_add(out, ".\n");
}

static void answer_ready(Text *html, const Facts *facts)
{
    Text plain = {0};
    if (facts->run->cluster_count == 0)
        text_add(&plain, "The run created no cluster.\n");
    if (facts->run->cluster_count > TOLD_ONE_BY_ONE)
        clusters_ready_words(&plain, facts);
    for (uint32_t i = 0;
         facts->run->cluster_count <= TOLD_ONE_BY_ONE && i < facts->run->cluster_count; i++)
        cluster_ready_words(&plain, facts, &facts->run->clusters[i]);
    answer_print(html,
                 facts->run->cluster_count == 1 ? "When was the cluster ready?"
                                                : "When were the clusters ready?",
                 &plain);
}

/* --- When was each job done? --- */

static void spent_print(Text *out, int64_t ns, const char *on, const char **separator)
{
    if (ns == ABSENT || ns == 0)
        return;
    text_add(out, *separator);
    span_print(out, ns);
    text_printf(out, " %s", on);
    *separator = ", ";
}

/* The rest of a run that the named parts do not explain: a program that does not train, or a
 * training cut short. */
static int64_t program_ns(const SummaryJob *job)
{
    const int64_t parts_ns[] = {job->prep_ns, job->start_ns, job->train_ns, job->finish_ns};
    if (job->run_ns == ABSENT)
        return ABSENT;
    int64_t rest_ns = job->run_ns;
    for (size_t i = 0; i < sizeof parts_ns / sizeof parts_ns[0]; i++)
        if (parts_ns[i] != ABSENT)
            rest_ns = parts_ns[i] < rest_ns ? rest_ns - parts_ns[i] : 0;
    return rest_ns;
}

static void job_done_words(Text *out, const Facts *facts, const SummaryJob *job)
{
    text_add(out, job->name);
    if (job->ended_ns == ABSENT) {
        text_printf(out, " was still %s when the run ended.\n",
                    job->state != NULL ? job->state : "unknown");
        return;
    }
    text_printf(out, " %s", job->state != NULL ? job->state : "ended");
    moment_print(out, facts, job->ended_ns);
    const char *separator = ": ";
    const bool has_restarted = job->restarts != ABSENT && job->restarts > 0;
    if (has_restarted) { // the wait covers all attempts, the rest covers the last
        spent_print(out, job_turnaround_ns(job), "since it was submitted", &separator);
        text_printf(out, "%s%" PRId64 " restart%s", separator, job->restarts,
                    plural(job->restarts));
        separator = ", ";
    }
    spent_print(out, job->queue_ns, "in the queue", &separator);
    if (has_restarted)
        separator = "; of the last attempt ";
    spent_print(out, job->prep_ns, "preparing its nodes", &separator);
    spent_print(out, job->start_ns, "starting", &separator);
    spent_print(out, job->train_ns, "training", &separator);
    spent_print(out, program_ns(job), "running", &separator);
    spent_print(out, job->finish_ns, "finishing", &separator);
    text_add(out, ".\n");
}

/* The larger of two values; either may be ABSENT. */
static int64_t later(int64_t a_ns, int64_t b_ns)
{
    if (a_ns == ABSENT || b_ns == ABSENT)
        return a_ns == ABSENT ? b_ns : a_ns;
    return a_ns > b_ns ? a_ns : b_ns;
}

/* Among the jobs that are listed. */
static void longest_wait_words(Text *out, const Facts *facts)
{
    const SummaryJob *longest = NULL;
    for (uint32_t i = 0; i < facts->run->job_count; i++) {
        const SummaryJob *job = &facts->run->jobs[i];
        if (job->queue_ns != ABSENT && (longest == NULL || job->queue_ns > longest->queue_ns))
            longest = job;
    }
    if (longest == NULL)
        return;
    text_printf(out, "The longest wait in a queue was that of %s: ", longest->name);
    span_print(out, longest->queue_ns);
    text_add(out, ".\n");
}

/* Among the jobs that are listed. */
static int64_t last_end_ns(const Facts *facts)
{
    int64_t last_ns = ABSENT;
    for (uint32_t i = 0; i < facts->run->job_count; i++)
        last_ns = later(last_ns, facts->run->jobs[i].ended_ns);
    return last_ns;
}

/* When the last of all jobs was done, those of workloads included; ABSENT while one is not. */
static int64_t all_ended_ns(const Facts *facts)
{
    int64_t last_ns = last_end_ns(facts);
    for (uint32_t i = 0; i < facts->run->job_count; i++)
        if (facts->run->jobs[i].ended_ns == ABSENT)
            return ABSENT;
    for (uint32_t i = 0; i < facts->run->workload_count; i++) {
        if (facts->run->workloads[i].all.unfinished != 0)
            return ABSENT;
        last_ns = later(last_ns, facts->run->workloads[i].last_ended_ns);
    }
    return last_ns;
}

static void jobs_done_words(Text *out, const Facts *facts)
{
    text_printf(out, "Of %" PRIu32 " %sjobs %" PRIu32 " succeeded and %" PRIu32 " failed",
                facts->run->job_count, facts->run->workload_count > 0 ? "other " : "",
                jobs_in_state(facts, JOB_SUCCEEDED), jobs_in_state(facts, JOB_FAILED));
    if (last_end_ns(facts) != ABSENT) {
        text_add(out, "; the last one ended");
        moment_print(out, facts, last_end_ns(facts));
    }
    text_add(out, ".\n");
    longest_wait_words(out, facts);
}

/* "more than 3 d" for a lower bound. */
static void wait_print(Text *out, const SummarySpread *queue, const char *key, int64_t ns)
{
    text_add(out, spread_is_at_least(queue, key) ? "more than " : "");
    span_print(out, ns);
}

static void workload_done_words(Text *out, const SummaryWorkload *workload)
{
    text_printf(out,
                "Workload %s: of %" PRId64 " jobs %" PRId64 " succeeded, %" PRId64
                " failed and %" PRId64 " had not ended",
                workload->name, workload->all.jobs, workload->all.succeeded, workload->all.failed,
                workload->all.unfinished);
    if (workload->all.queue.p95_ns != ABSENT) {
        text_add(out, "; 95\xC2\xA0% of them waited at most ");
        wait_print(out, &workload->all.queue, "p95", workload->all.queue.p95_ns);
        text_add(out, ", the longest ");
        wait_print(out, &workload->all.queue, "max", workload->all.queue.max_ns);
    }
    if (workload->all.queue.waiting != ABSENT)
        text_printf(out, "; %" PRId64 " still waited when the run ended, so these are lower bounds",
                    workload->all.queue.waiting);
    text_add(out, ".\n");
}

static void answer_done(Text *html, const Facts *facts)
{
    Text plain = {0};
    if (facts->run->job_count == 0 && facts->run->workload_count == 0)
        text_add(&plain, "The run had no job.\n");
    for (uint32_t i = 0; i < facts->run->workload_count; i++)
        workload_done_words(&plain, &facts->run->workloads[i]);
    if (facts->run->job_count > TOLD_ONE_BY_ONE)
        jobs_done_words(&plain, facts);
    for (uint32_t i = 0; facts->run->job_count <= TOLD_ONE_BY_ONE && i < facts->run->job_count; i++)
        job_done_words(&plain, facts, &facts->run->jobs[i]);
    answer_print(html,
                 facts->run->job_count == 1 ? "When was the job done?" : "When were the jobs done?",
                 &plain);
}

/* --- What did it cost? --- */

static void cluster_cost_words(Text *out, const SummaryCluster *cluster)
{
    if (cluster->cost_micro_usd == ABSENT)
        return;
    text_printf(out, "%s: ", cluster->name);
    usd_print(out, cluster->cost_micro_usd);
    if (cluster->billed_ns != ABSENT) {
        text_add(out, " for ");
        if (cluster->billed_ns <= INT64_MAX)
            span_print(out, wide_capped(cluster->billed_ns));
        else
            cell_hours(out, cluster->billed_ns);
        text_add(out, " of node time billed");
    }
    text_add(out, ".\n");
}

static void answer_cost(Text *html, const Facts *facts)
{
    Text plain = {0};
    if (facts->run->cost_micro_usd == ABSENT) {
        text_add(&plain, "The summary has no cost.\n");
    } else {
        usd_print(&plain, facts->run->cost_micro_usd);
        text_add(&plain, " in all");
        if (facts->run->storage_micro_usd != ABSENT && facts->run->storage_micro_usd > 0) {
            text_add(&plain, ", of which ");
            usd_print(&plain, facts->run->storage_micro_usd);
            text_add(&plain, " for file storage");
        }
        text_add(&plain, ".\n");
    }
    for (uint32_t i = 0;
         facts->run->cluster_count <= TOLD_ONE_BY_ONE && i < facts->run->cluster_count; i++)
        cluster_cost_words(&plain, &facts->run->clusters[i]);
    if (facts->run->held_nodes != ABSENT && facts->run->held_nodes > 0) {
        text_printf(&plain,
                    "%" PRId64 " node%s still held when the run ended: ", facts->run->held_nodes,
                    facts->run->held_nodes == 1 ? " was" : "s were");
        usd_print(&plain, facts->run->held_micro_usd_per_hour);
        text_add(&plain, " an hour is still charged.\n");
    }
    answer_print(html, "What did it cost?", &plain);
}

/* --- What went wrong, and why? --- */

/* No job failed in the end; repeated work is reported nevertheless. */
static void unharmed_words(Text *out, const Facts *facts)
{
    Wide lost_ns = 0;
    int64_t restarts = 0;
    for (uint32_t i = 0; i < facts->run->job_count; i++) {
        const SummaryJob *job = &facts->run->jobs[i];
        restarts = capped_sum(restarts, job->restarts == ABSENT ? 0 : job->restarts);
        lost_ns += job->lost_ns == ABSENT ? 0 : job->lost_ns;
    }
    for (uint32_t i = 0; i < facts->run->workload_count; i++) {
        const SummaryWorkload *workload = &facts->run->workloads[i];
        restarts = capped_sum(restarts, workload->restarts == ABSENT ? 0 : workload->restarts);
        lost_ns += workload->lost_ns == ABSENT ? 0 : workload->lost_ns;
    }
    if (restarts == 0) {
        text_add(out, "Nothing.\n");
        return;
    }
    text_printf(out, "No job failed, but jobs were started again %" PRId64 " time%s", restarts,
                plural(restarts));
    if (lost_ns > 0) {
        text_add(out, ", and ");
        cell_hours(out, lost_ns);
        text_add(out, " of node time was lost");
    }
    text_add(out, ".\n");
}

static void answer_wrong(Text *html, const Facts *facts)
{
    Text plain = {0};
    const uint32_t told_max = 2 * TOLD_ONE_BY_ONE;
    if (facts->run->problem_count == 0)
        unharmed_words(&plain, facts);
    for (uint32_t i = 0; i < facts->run->problem_count && i < told_max; i++)
        text_printf(&plain, "%s.\n", facts->run->problems[i]);
    if (facts->run->problem_count > told_max)
        text_printf(&plain, "And %" PRIu32 " more, which summary.json lists under \"problems\".\n",
                    facts->run->problem_count - told_max);
    answer_print(html, "What went wrong, and why?", &plain);
}

/* --- What accuracy was reached? --- */

static const SummaryJob *most_accurate(const Facts *facts)
{
    const SummaryJob *best = NULL;
    for (uint32_t i = 0; i < facts->run->job_count; i++) {
        const SummaryJob *job = &facts->run->jobs[i];
        if (job->val_accuracy_ppm != ABSENT &&
            (best == NULL || job->val_accuracy_ppm > best->val_accuracy_ppm))
            best = job;
    }
    return best;
}

static void accuracy_words(Text *out, const SummaryJob *job)
{
    if (job->val_accuracy_ppm == ABSENT)
        return;
    text_printf(out, "%s: ", job->name);
    percent_print(out, job->val_accuracy_ppm, 1);
    text_add(out, " on validation data");
    if (job->epochs != ABSENT) {
        text_add(out, " after ");
        count_print(out, job->epochs, "epoch", "epochs");
    }
    if (job->val_loss_micro != ABSENT) {
        text_add(out, ", loss ");
        decimal_print_rounded(out, job->val_loss_micro, 6, 3);
    }
    text_add(out, ".\n");
}

static void answer_accuracy(Text *html, const Facts *facts)
{
    const SummaryJob *best = most_accurate(facts);
    Text plain = {0};
    if (best == NULL) {
        text_add(&plain, "No job finished its training.\n");
    } else if (facts->run->job_count > TOLD_ONE_BY_ONE) {
        text_add(&plain, "The best is ");
        accuracy_words(&plain, best);
    } else {
        for (uint32_t i = 0; i < facts->run->job_count; i++)
            accuracy_words(&plain, &facts->run->jobs[i]);
    }
    answer_print(html, "What accuracy was reached?", &plain);
}

void section_answers(Text *html, const Facts *facts)
{
    text_add(html, "<dl class=\"answers\">\n");
    answer_ready(html, facts);
    answer_done(html, facts);
    answer_cost(html, facts);
    answer_wrong(html, facts);
    if (facts_have_training(facts) || most_accurate(facts) != NULL)
        answer_accuracy(html, facts);
    text_add(html, "</dl>\n");
}

/* --- Key figures --- */

/* `class` colours the tile: "bad", "open" or ""; its words say the same. */
static void key_tile_print(Text *html, const char *class, Text *value, const char *name)
{
    text_printf(html, "<div%s%s%s><dd>", *class != '\0' ? " class=\"" : "", class,
                *class != '\0' ? "\"" : "");
    markup_print(html, text_string(value));
    text_printf(html, "</dd><dt>%s</dt></div>\n", name);
    text_free(value);
}

static void key_figure_print(Text *html, Text *value, const char *name)
{
    key_tile_print(html, "", value, name);
}

static void key_span_print(Text *html, int64_t ns, const char *name)
{
    Text value = {0};
    if (ns == ABSENT)
        return;
    int64_t grain_ns = NS_PER_S; // two units can be read at a glance
    if (ns >= NS_PER_HOUR)
        grain_ns = ns >= NS_PER_DAY ? NS_PER_HOUR : NS_PER_MIN;
    span_print(&value, capped_sum(ns, grain_ns / 2) / grain_ns * grain_ns);
    key_figure_print(html, &value, name);
}

static int64_t first_ready_ns(const Facts *facts)
{
    int64_t first_ns = ABSENT; // which is later than all times
    for (uint32_t i = 0; i < facts->run->cluster_count; i++)
        if (facts->run->clusters[i].ready_ns < first_ns)
            first_ns = facts->run->clusters[i].ready_ns;
    return first_ns;
}

/* All jobs, listed or of workloads. */
typedef struct {
    int64_t jobs, succeeded, failed, rejected;
} JobCounts;

static JobCounts count_jobs(const Facts *facts)
{
    JobCounts counts = {facts->run->job_count, jobs_in_state(facts, JOB_SUCCEEDED),
                        jobs_in_state(facts, JOB_FAILED), 0};
    for (uint32_t i = 0; i < facts->run->workload_count; i++) {
        const SummaryClass *all = &facts->run->workloads[i].all;
        counts.jobs = capped_sum(counts.jobs, all->jobs);
        counts.succeeded = capped_sum(counts.succeeded, all->succeeded);
        counts.failed = capped_sum(counts.failed, all->failed);
        counts.rejected = capped_sum(counts.rejected, all->rejected);
    }
    return counts;
}

static void key_jobs_print(Text *html, const Facts *facts)
{
    Text value = {0};
    const JobCounts counts = count_jobs(facts);
    const int64_t unfinished = counts.jobs - counts.succeeded - counts.failed - counts.rejected;
    if (counts.jobs == 0)
        return;
    text_printf(&value, "%" PRId64 " of %" PRId64, counts.succeeded, counts.jobs);
    key_figure_print(html, &value, counts.jobs == 1 ? "job succeeded" : "jobs succeeded");
    if (counts.failed > 0) {
        Text failed = {0};
        text_printf(&failed, "%" PRId64 " failed", counts.failed);
        key_tile_print(html, "bad", &failed, counts.failed == 1 ? "job" : "jobs");
    }
    if (counts.rejected > 0) {
        Text rejected = {0};
        text_printf(&rejected, "%" PRId64 " rejected", counts.rejected);
        key_tile_print(html, "bad", &rejected, "by a full queue");
    }
    if (unfinished > 0) {
        Text open = {0};
        text_printf(&open, "%" PRId64 " unfinished", unfinished);
        key_tile_print(html, "open", &open,
                       unfinished == 1 ? "job when the run ended" : "jobs when the run ended");
    }
}

static void key_share_print(Text *html, int64_t ppm, const char *name)
{
    Text value = {0};
    if (ppm == ABSENT)
        return;
    percent_print(&value, ppm, 1);
    key_figure_print(html, &value, name);
}

/* "> 3 d 4 h" for a lower bound. */
static void key_wait_print(Text *html, const SummarySpread *queue)
{
    Text value = {0}, rounded = {0};
    if (queue->p95_ns == ABSENT)
        return;
    const int64_t grain_ns = queue->p95_ns >= NS_PER_DAY    ? NS_PER_HOUR
                             : queue->p95_ns >= NS_PER_HOUR ? NS_PER_MIN
                                                            : NS_PER_S;
    span_print(&rounded, capped_sum(queue->p95_ns, grain_ns / 2) / grain_ns * grain_ns);
    text_printf(&value, "%s%s", spread_is_at_least(queue, "p95") ? "> " : "",
                text_string(&rounded));
    text_free(&rounded);
    key_figure_print(html, &value, "that 95\xC2\xA0% of the jobs waited at most");
}

static void key_within_print(Text *html, const Facts *facts)
{
    if (facts->job_count == 0)
        return;
    Arena *scratch = arena_create();
    const SizeClasses classes = {0};
    const Waits waits = waits_of(scratch, facts, &classes, -1);
    key_share_print(html, waits_within_ppm(&waits, WAIT_TARGET_NS),
                    "of the jobs waited at most 30\xC2\xA0minutes");
    arena_destroy(scratch);
}

static void key_times_print(Text *html, const Facts *facts)
{
    key_span_print(html, first_ready_ns(facts),
                   facts->run->cluster_count > 1 ? "until the first cluster was ready"
                                                 : "until the cluster was ready");
    key_span_print(html, all_ended_ns(facts),
                   facts->run->job_count > 1 || facts->run->workload_count > 0
                       ? "until the last job was done"
                       : "until the job was done");
}

void section_key_figures(Text *html, const Facts *facts)
{
    const SummaryJob *best = most_accurate(facts);
    Text cost = {0};
    text_add(html, "<dl class=\"keys\">\n");
    if (facts_are_of_many(facts)) {
        key_wait_print(html, &facts->run->queue);
        key_within_print(html, facts);
        key_jobs_print(html, facts);
    } else {
        key_times_print(html, facts);
    }
    if (facts->run->cost_micro_usd != ABSENT) {
        usd_print(&cost, facts->run->cost_micro_usd);
        key_figure_print(html, &cost, "total cost");
    }
    if (!facts_are_of_many(facts))
        key_jobs_print(html, facts);
    if (best != NULL)
        key_share_print(html, best->val_accuracy_ppm,
                        facts->run->job_count > 1 ? "best validation accuracy"
                                                  : "validation accuracy");
    key_share_print(html, facts->run->utilisation_ppm, "of node time ran jobs");
    text_add(html, "</dl>\n");
}

/* Private to reports/run: the first questions, answered in sentences. */
#include <inttypes.h>
#include <string.h>

#include "reports/run/clock.h"
#include "reports/run/facts/totals.h"
#include "reports/run/sections.h"
#include "reports/run/table.h"
#include "reports/text/wording.h"
#include "sim/base/capped.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"
#include "sim/json/decimal.h"

/* If there are more clusters or jobs than this, a summary replaces one sentence for each. */
enum { TOLD_ONE_BY_ONE = 6 };

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

static void jobs_done_words(Text *out, const Facts *facts)
{
    text_printf(out, "Of %" PRIu32 " %sjobs %" PRIu32 " succeeded and %" PRIu32 " failed",
                facts->run->job_count, facts->run->workload_count > 0 ? "other " : "",
                run_jobs_in_state(facts, JOB_SUCCEEDED), run_jobs_in_state(facts, JOB_FAILED));
    if (run_last_end_ns(facts) != ABSENT) {
        text_add(out, "; the last one ended");
        moment_print(out, facts, run_last_end_ns(facts));
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
    text_printf(out, "Workload %s: of ", workload->name);
    count_print(out, workload->all.jobs, "job", "jobs");
    text_printf(out, " %" PRId64 " succeeded, %" PRId64 " failed and %" PRId64 " had not ended",
                workload->all.succeeded, workload->all.failed, workload->all.unfinished);
    if (workload->all.rejected > 0 && workload->all.rejected != ABSENT)
        text_printf(out, ", and a full queue rejected %" PRId64, workload->all.rejected);
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

/* The part of the run that "measure" selects, if it selects one. */
static void measured_jobs_words(Text *out, const Facts *facts)
{
    const SummaryMeasured *measured = &facts->run->measured;
    if (measured->from_ns == ABSENT || facts->run->workload_count == 0)
        return;
    text_add(out, "These are the jobs that were submitted from ");
    span_print(out, measured->from_ns);
    text_add(out, " to ");
    span_print(out, measured->until_ns);
    text_add(out, " (\"measure\" of the scenario); the plots have all jobs.\n");
}

static void answer_done(Text *html, const Facts *facts)
{
    Text plain = {0};
    if (facts->run->job_count == 0 && facts->run->workload_count == 0)
        text_add(&plain, "The run had no job.\n");
    for (uint32_t i = 0; i < facts->run->workload_count; i++)
        workload_done_words(&plain, &facts->run->workloads[i]);
    measured_jobs_words(&plain, facts);
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

/* The parts of the bill that are not of clusters. */
static void other_costs_words(Text *out, const Summary *run)
{
    int64_t of_servers = 0;
    for (uint32_t i = 0; i < run->file_server_count; i++)
        of_servers = capped_sum(of_servers, run->file_servers[i].cost_micro_usd);
    const struct {
        int64_t micro_usd;
        const char *name;
    } parts[] = {{of_servers, "file servers"},
                 {run->storage_micro_usd, "file storage"},
                 {run->energy.micro_usd, "energy"}};
    const char *separator = ", of which ";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].micro_usd == ABSENT || parts[i].micro_usd == 0)
            continue;
        text_add(out, separator);
        usd_print(out, parts[i].micro_usd);
        text_printf(out, " for %s", parts[i].name);
        separator = ", ";
    }
}

static void measured_cost_words(Text *out, const SummaryMeasured *measured)
{
    if (measured->utilisation_ppm == ABSENT)
        return;
    text_add(out, "In the measured part nodes ran jobs ");
    percent_print(out, measured->utilisation_ppm, 1);
    text_add(out, " of the time");
    if (measured->micro_usd != ABSENT) {
        text_add(out, ", at a price of ");
        usd_print(out, measured->micro_usd);
    }
    text_add(out, ".\n");
}

static void answer_cost(Text *html, const Facts *facts)
{
    Text plain = {0};
    if (facts->run->cost_micro_usd == ABSENT) {
        text_add(&plain,
                 "The cost is unknown: no price is known for some of the nodes or file servers.\n");
    } else {
        usd_print(&plain, facts->run->cost_micro_usd);
        text_add(&plain, " in all");
        other_costs_words(&plain, facts->run);
        text_add(&plain, ".\n");
    }
    for (uint32_t i = 0;
         facts->run->cluster_count <= TOLD_ONE_BY_ONE && i < facts->run->cluster_count; i++)
        cluster_cost_words(&plain, &facts->run->clusters[i]);
    measured_cost_words(&plain, &facts->run->measured);
    if (facts->run->held_nodes != ABSENT && facts->run->held_nodes > 0) {
        text_printf(&plain,
                    "%" PRId64 " node%s still held when the run ended: ", facts->run->held_nodes,
                    facts->run->held_nodes == 1 ? " was" : "s were");
        if (facts->run->held_micro_usd_per_hour == ABSENT) {
            text_add(&plain, "their price is not known.\n");
        } else {
            usd_print(&plain, facts->run->held_micro_usd_per_hour);
            text_add(&plain, " an hour is still charged.\n");
        }
    }
    answer_print(html, "What did it cost?", &plain);
}

/* --- How much energy did it take? --- */

static void amount_words(Text *out, int64_t millionths, const char *unit)
{
    decimal_print_amount(out, millionths);
    text_printf(out, " %s", unit);
}

static void answer_energy(Text *html, const Facts *facts)
{
    const SummaryEnergy *energy = &facts->run->energy;
    Text plain = {0};
    if (energy->micro_kwh == ABSENT)
        return;
    amount_words(&plain, energy->micro_kwh, "kWh with cooling and losses");
    if (energy->carbon_mg != ABSENT) {
        text_add(&plain, ", which emit ");
        amount_words(&plain, energy->carbon_mg, "kg of CO2e");
    }
    text_add(&plain, ".\nNodes alone: ");
    amount_words(&plain, energy->nodes_micro_kwh, "kWh.\n");
    text_add(&plain, "If the most nodes were all busy at once, the site had to provide ");
    amount_words(&plain, energy->peak_mw, "kW.\n");
    answer_print(html, "How much energy did it take?", &plain);
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
    const SummaryJob *best = run_most_accurate(facts);
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

/* --- What did the training of transformers reach? --- */

/* "1.000 T" or "12.345 B" tokens. */
static void tokens_print(Text *out, int64_t tokens)
{
    enum { BILLION = 9, TRILLION = 12, SHOWN = 3 };
    const bool is_trillion = tokens >= INT64_C(1000000000000);
    decimal_print_rounded(out, tokens, is_trillion ? TRILLION : BILLION, SHOWN);
    text_add(out, is_trillion ? "\xC2\xA0T"
                              : "\xC2\xA0"
                                "B");
}

static void transformer_words(Text *out, const SummaryJob *job)
{
    text_printf(out, "%s: ", job->name);
    tokens_print(out, job->tokens);
    text_add(out, " tokens, ");
    thousands_print(out, job->tokens_per_s);
    text_add(out, " a second from its submission to its end");
    if (job->mfu_ppm != ABSENT) {
        text_add(out, "; MFU ");
        percent_print(out, job->mfu_ppm, 1);
    }
    if (job->goodput_ppm != ABSENT) {
        text_add(out, ", goodput ");
        percent_print(out, job->goodput_ppm, 1);
    }
    if (job->node_ns > 0) {
        text_add(out, ". Checkpoints took ");
        percent_print(out, share_ppm(job->checkpoint_ns, wide_capped(job->node_ns)), 1);
        text_add(out, " of its node time, work that was lost ");
        percent_print(out, share_ppm(job->lost_ns, wide_capped(job->node_ns)), 1);
    }
    text_add(out, ".\n");
}

static void answer_transformers(Text *html, const Facts *facts)
{
    Text plain = {0};
    uint32_t told = 0;
    for (uint32_t i = 0; i < facts->run->job_count && told < TOLD_ONE_BY_ONE; i++)
        if (job_is_transformer(&facts->run->jobs[i])) {
            transformer_words(&plain, &facts->run->jobs[i]);
            told++;
        }
    if (plain.length == 0)
        return;
    if (facts->run->micro_usd_per_trillion_tokens != ABSENT) {
        usd_print(&plain, facts->run->micro_usd_per_trillion_tokens);
        text_add(&plain, " for 10\xC2\xB9\xC2\xB2 tokens, all costs included.\n");
    }
    answer_print(html, "How far did the training get?", &plain);
}

/* --- Were the expectations met? --- */

/* "jobs.train.run_s at most 1h: got 4012.5." for the first missed expectations. */
static void missed_words(Text *out, const Facts *facts)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < facts->run->expectation_count && told < TOLD_ONE_BY_ONE; i++) {
        const SummaryExpectation *stated = &facts->run->expectations[i];
        if (!run_expectation_is(facts, i, EXPECTATION_MISSED))
            continue;
        text_printf(out, "%s: got %s.\n", or_unknown(stated->text), or_unknown(stated->got));
        told++;
    }
}

static void answer_expected(Text *html, const Facts *facts)
{
    const ExpectationCounts counts = run_expectation_counts(facts);
    const uint32_t judged = counts.met + counts.missed;
    const uint32_t open = facts->run->expectation_count - judged;
    Text plain = {0};
    if (facts->run->expectation_count == 0)
        return;
    if (judged == 1 && counts.missed == 0)
        text_add(&plain, "Yes, the only one.\n");
    else if (judged > 0 && counts.missed == 0)
        text_printf(&plain, "Yes, all %" PRIu32 ".\n", judged);
    else if (judged > 0)
        text_printf(&plain, "No: %" PRIu32 " of %" PRIu32 " %s missed.\n", counts.missed, judged,
                    counts.missed == 1 ? "was" : "were");
    missed_words(&plain, facts);
    if (open > 0)
        text_printf(&plain,
                    "%" PRIu32 " %s about several seeds, which one run cannot judge; trainyard "
                    "test does.\n",
                    open, open == 1 ? "is" : "are");
    answer_print(html, "Were the expectations met?", &plain);
}

void section_answers(Text *html, const Facts *facts)
{
    text_add(html, "<dl class=\"answers\">\n");
    answer_ready(html, facts);
    answer_done(html, facts);
    answer_cost(html, facts);
    answer_energy(html, facts);
    answer_wrong(html, facts);
    answer_expected(html, facts);
    answer_transformers(html, facts);
    if (facts_have_learning(facts) || run_most_accurate(facts) != NULL)
        answer_accuracy(html, facts);
    text_add(html, "</dl>\n");
}

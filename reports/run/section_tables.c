/* Private to reports/run: the tables of clusters, jobs and nodes. */
#include <inttypes.h>
#include <string.h>

#include "reports/run/facts/totals.h"
#include "reports/run/sections.h"
#include "reports/run/table.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"
#include "sim/json/decimal.h"

enum { ROWS_SHOWN = 200 };

#define COLUMNS(table) (table), (int32_t)(sizeof(table) / sizeof((table)[0]))

static uint32_t shown_of(Text *html, uint32_t count, const char *things)
{
    if (count <= ROWS_SHOWN)
        return count;
    text_printf(html,
                "<p class=\"note\">The first %d of %" PRIu32 " %s are listed; summary.json and "
                "trace.tsv have them all.</p>\n",
                ROWS_SHOWN, count, things);
    return ROWS_SHOWN;
}

/* --- Clusters --- */

static void cluster_name(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->clusters[row].name);
}

static void cluster_size(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->clusters[row].vm_size);
}

static void cluster_priority(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->clusters[row].priority);
}

static void cluster_state(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->clusters[row].state);
}

static void cluster_nodes(Text *out, const Facts *facts, uint32_t row)
{
    cell_count(out, facts->run->clusters[row].nodes_max);
}

static void cluster_created(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->run->clusters[row].created_ns);
}

static void cluster_steady(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->run->clusters[row].steady_ns);
}

static void cluster_ready(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->run->clusters[row].ready_ns);
}

static void cluster_held(Text *out, const Facts *facts, uint32_t row)
{
    cell_hours(out, facts->run->clusters[row].held_ns);
}

static void cluster_billed(Text *out, const Facts *facts, uint32_t row)
{
    cell_hours(out, facts->run->clusters[row].billed_ns);
}

static void cluster_cost(Text *out, const Facts *facts, uint32_t row)
{
    cell_usd(out, facts->run->clusters[row].cost_micro_usd);
}

static const PageColumn cluster_columns[] = {
    {"Cluster", false, cluster_name},       {"VM size", false, cluster_size},
    {"Priority", false, cluster_priority},  {"State at the end", false, cluster_state},
    {"Most nodes", true, cluster_nodes},    {"Created", true, cluster_created},
    {"Steady", true, cluster_steady},       {"Ready", true, cluster_ready},
    {"Node time held", true, cluster_held}, {"Node time billed", true, cluster_billed},
    {"Bill", true, cluster_cost},
};

static void bill_words(Text *html, const Facts *facts)
{
    if (facts->run->cost_micro_usd == ABSENT) {
        text_add(html, "<p class=\"total\">Total: unknown, because a price is not known</p>\n");
        return;
    }
    text_add(html, "<p class=\"total\">");
    if (facts->run->storage_micro_usd != ABSENT && facts->run->storage_micro_usd > 0) {
        text_add(html, "File storage adds ");
        usd_print(html, facts->run->storage_micro_usd);
        text_add(html, ". ");
    }
    text_add(html, "Total: <strong>");
    usd_print(html, facts->run->cost_micro_usd);
    text_add(html, "</strong></p>\n");
}

void section_clusters_table(Text *html, const Facts *facts)
{
    static const PageTable table = {COLUMNS(cluster_columns), "cards", NULL};
    if (facts->run->cluster_count == 0)
        text_add(html, "<p class=\"note\">This run had no clusters.</p>\n");
    else
        page_table_print(html, &table, facts,
                         shown_of(html, facts->run->cluster_count, "clusters"));
    bill_words(html, facts);
}

/* --- Jobs --- */

static void job_name(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->jobs[row].name);
}

static void job_state(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->jobs[row].state);
}

static void job_cluster(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->jobs[row].cluster);
}

static void job_nodes(Text *out, const Facts *facts, uint32_t row)
{
    cell_count(out, facts->run->jobs[row].nodes);
}

static void job_submitted(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->run->jobs[row].submitted_ns);
}

static void job_queued(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->run->jobs[row].queue_ns);
}

static void job_ran(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->run->jobs[row].run_ns);
}

static void job_ended(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->run->jobs[row].ended_ns);
}

static void job_epochs(Text *out, const Facts *facts, uint32_t row)
{
    cell_count(out, facts->run->jobs[row].epochs);
}

static void job_step(Text *out, const Facts *facts, uint32_t row)
{
    if (facts->run->jobs[row].step_mean_ns != ABSENT)
        duration_print(out, facts->run->jobs[row].step_mean_ns);
}

static void job_accuracy(Text *out, const Facts *facts, uint32_t row)
{
    if (facts->run->jobs[row].val_accuracy_ppm != ABSENT)
        percent_print(out, facts->run->jobs[row].val_accuracy_ppm, 1);
}

static void job_tokens(Text *out, const Facts *facts, uint32_t row)
{
    const SummaryJob *job = &facts->run->jobs[row];
    if (job_is_transformer(job))
        decimal_print_rounded(out, job->tokens, 9, 1);
}

static void job_mfu(Text *out, const Facts *facts, uint32_t row)
{
    if (facts->run->jobs[row].mfu_ppm != ABSENT)
        percent_print(out, facts->run->jobs[row].mfu_ppm, 1);
}

static void job_gpu(Text *out, const Facts *facts, uint32_t row)
{
    cell_hours(out, facts->run->jobs[row].gpu_ns);
}

static void job_restarts(Text *out, const Facts *facts, uint32_t row)
{
    if (facts->run->jobs[row].restarts != 0)
        cell_count(out, facts->run->jobs[row].restarts);
}

static void job_lost(Text *out, const Facts *facts, uint32_t row)
{
    if (facts->run->jobs[row].lost_ns != 0)
        cell_hours(out, facts->run->jobs[row].lost_ns);
}

static void job_goodput(Text *out, const Facts *facts, uint32_t row)
{
    if (facts->run->jobs[row].goodput_ppm != ABSENT)
        percent_print(out, facts->run->jobs[row].goodput_ppm, 1);
}

static bool shows_goodput(const Facts *facts)
{
    for (uint32_t row = 0; row < facts->run->job_count; row++)
        if (facts->run->jobs[row].goodput_ppm != ABSENT)
            return true;
    for (uint32_t row = 0; row < facts->run->workload_count; row++)
        if (facts->run->workloads[row].goodput_ppm != ABSENT)
            return true;
    return false;
}

static const char *job_class(const Facts *facts, uint32_t row)
{
    const char *state = facts->run->jobs[row].state;
    return state != NULL && strcmp(state, job_state_name(JOB_FAILED)) == 0 ? "failed" : NULL;
}

static void job_turnaround(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, job_turnaround_ns(&facts->run->jobs[row]));
}

static const PageColumn job_columns[] = {
    {"Job", false, job_name},
    {"State", false, job_state},
    {"Cluster", false, job_cluster},
    {"Nodes", true, job_nodes},
    {"Submitted", true, job_submitted},
    {"Queued for", true, job_queued},
    {"Last attempt", true, job_ran},
    {"Done", true, job_ended},
    {"Turnaround", true, job_turnaround},
    {"Epochs", true, job_epochs},
    {"Mean step", true, job_step},
    {"Accuracy", true, job_accuracy},
    {"10\xE2\x81\xB9 tokens", true, job_tokens},
    {"MFU", true, job_mfu},
    {"GPU time", true, job_gpu},
    {"Restarts", true, job_restarts},
    {"Node time lost", true, job_lost},
    {"Goodput", true, job_goodput},
};

void section_jobs_table(Text *html, const Facts *facts)
{
    static const PageTable table = {COLUMNS(job_columns), "cards", job_class};
    if (facts->run->job_count == 0 && facts->run->workload_count == 0)
        text_add(html, "<p class=\"note\">This run had no jobs.</p>\n");
    else if (facts->run->job_count > 0)
        page_table_print(html, &table, facts, shown_of(html, facts->run->job_count, "jobs"));
    if (shows_goodput(facts))
        text_add(html,
                 "<p class=\"note\">Goodput: the share of the attempts' node time that went into "
                 "computation that was kept, exchange of gradients, input and checkpoints. The "
                 "rest was lost, or went into starting and waiting for other nodes.</p>\n");
}

/* --- Workloads --- */

static void workload_name(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->workloads[row].name);
}

static void workload_jobs(Text *out, const Facts *facts, uint32_t row)
{
    cell_count(out, facts->run->workloads[row].all.jobs);
}

static void workload_succeeded(Text *out, const Facts *facts, uint32_t row)
{
    cell_count(out, facts->run->workloads[row].all.succeeded);
}

static void workload_failed(Text *out, const Facts *facts, uint32_t row)
{
    cell_count(out, facts->run->workloads[row].all.failed);
}

static void workload_rejected(Text *out, const Facts *facts, uint32_t row)
{
    if (facts->run->rejected > 0)
        cell_count(out, facts->run->workloads[row].all.rejected);
}

static void workload_unfinished(Text *out, const Facts *facts, uint32_t row)
{
    cell_count(out, facts->run->workloads[row].all.unfinished);
}

static void workload_restarts(Text *out, const Facts *facts, uint32_t row)
{
    cell_count(out, facts->run->workloads[row].restarts);
}

/* "> 0:30:00" for a lower bound. */
static void cell_spread(Text *out, const SummarySpread *spread, const char *key, int64_t ns)
{
    text_add(out, spread_is_at_least(spread, key) ? "> " : "");
    cell_clock(out, ns);
}

static void workload_queue(Text *out, const Facts *facts, uint32_t row)
{
    const SummarySpread *queue = &facts->run->workloads[row].all.queue;
    cell_spread(out, queue, "p50", queue->p50_ns);
}

static void workload_queue_long(Text *out, const Facts *facts, uint32_t row)
{
    const SummarySpread *queue = &facts->run->workloads[row].all.queue;
    cell_spread(out, queue, "p95", queue->p95_ns);
}

static void workload_run(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->run->workloads[row].all.run.p50_ns);
}

static void workload_turnaround(Text *out, const Facts *facts, uint32_t row)
{
    const SummarySpread *turnaround = &facts->run->workloads[row].all.turnaround;
    cell_spread(out, turnaround, "p50", turnaround->p50_ns);
}

static void workload_turnaround_long(Text *out, const Facts *facts, uint32_t row)
{
    const SummarySpread *turnaround = &facts->run->workloads[row].all.turnaround;
    cell_spread(out, turnaround, "p95", turnaround->p95_ns);
}

static void workload_lost(Text *out, const Facts *facts, uint32_t row)
{
    cell_hours(out, facts->run->workloads[row].lost_ns);
}

static void workload_goodput(Text *out, const Facts *facts, uint32_t row)
{
    if (facts->run->workloads[row].goodput_ppm != ABSENT)
        percent_print(out, facts->run->workloads[row].goodput_ppm, 1);
}

static const PageColumn workload_columns[] = {
    {"Workload", false, workload_name},
    {"Jobs", true, workload_jobs},
    {"Succeeded", true, workload_succeeded},
    {"Failed", true, workload_failed},
    {"Rejected", true, workload_rejected},
    {"Unfinished", true, workload_unfinished},
    {"Restarts", true, workload_restarts},
    {"Queued for (median)", true, workload_queue},
    {"Queued for (95 %)", true, workload_queue_long},
    {"Ran for (median)", true, workload_run},
    {"In all (median)", true, workload_turnaround},
    {"In all (95 %)", true, workload_turnaround_long},
    {"Node time lost", true, workload_lost},
    {"Goodput", true, workload_goodput},
};

void section_workloads_table(Text *html, const Facts *facts)
{
    static const PageTable table = {COLUMNS(workload_columns), "cards", NULL};
    if (facts->run->workload_count == 0)
        return;
    text_add(html,
             "<p class=\"note\">Jobs of workloads are summed up; in all is from submission to "
             "end.</p>\n");
    page_table_print(html, &table, facts, shown_of(html, facts->run->workload_count, "workloads"));
}

/* --- Errors of clusters and nodes --- */

static void error_of(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->errors[row].cluster);
    if (facts->run->errors[row].of != NULL && strcmp(facts->run->errors[row].of, "nodes") == 0)
        text_add(out, ", nodes");
}

static void error_what(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->errors[row].what);
}

static void error_count(Text *out, const Facts *facts, uint32_t row)
{
    cell_count(out, facts->run->errors[row].count);
}

static void error_first(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->run->errors[row].first_ns);
}

static void error_last(Text *out, const Facts *facts, uint32_t row)
{
    if (facts->run->errors[row].count > 1)
        cell_clock(out, facts->run->errors[row].last_ns);
}

static const PageColumn error_columns[] = {
    {"Where", false, error_of},   {"What and why", false, error_what}, {"Times", true, error_count},
    {"First", true, error_first}, {"Last", true, error_last},
};

void section_errors_table(Text *html, const Facts *facts)
{
    static const PageTable table = {COLUMNS(error_columns), "cards", NULL};
    if (facts->run->error_count > 0)
        page_table_print(html, &table, facts, shown_of(html, facts->run->error_count, "errors"));
}

/* --- Expectations --- */

static void expectation_text(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->expectations[row].text);
}

static void expectation_result(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->expectations[row].result);
}

static void expectation_expected(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->expectations[row].expected);
}

static void expectation_got(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->run->expectations[row].got);
}

static const PageColumn expectation_columns[] = {
    {"Expectation", false, expectation_text},
    {"Result", false, expectation_result},
    {"Expected", false, expectation_expected},
    {"Got", false, expectation_got},
};

static const char *expectation_class(const Facts *facts, uint32_t row)
{
    return run_expectation_is(facts, row, EXPECTATION_MISSED) ? "failed" : NULL;
}

void section_expectations_table(Text *html, const Facts *facts)
{
    static const PageTable table = {COLUMNS(expectation_columns), "cards", expectation_class};
    if (facts->run->expectation_count > 0)
        page_table_print(html, &table, facts,
                         shown_of(html, facts->run->expectation_count, "expectations"));
}

/* --- Nodes --- */

static void node_label(Text *out, const Facts *facts, uint32_t row)
{
    const ReportNode *node = &facts->nodes[row];
    if (node->cluster != ID_NONE)
        text_printf(out, "%s %" PRId32, facts->run->clusters[node->cluster].name, node->number);
}

static void node_name(Text *out, const Facts *facts, uint32_t row)
{
    cell_text(out, facts->nodes[row].name);
}

static void node_allocated(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->nodes[row].allocated_ns);
}

static void node_released(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->nodes[row].released_ns);
}

static void node_billed(Text *out, const Facts *facts, uint32_t row)
{
    cell_clock(out, facts->nodes[row].billed_ns);
}

static const PageColumn node_columns[] = {
    {"Node", false, node_label},         {"Id", false, node_name},
    {"Allocated", true, node_allocated}, {"Released", true, node_released},
    {"Billed for", true, node_billed},
};

void section_nodes_table(Text *html, const Facts *facts)
{
    static const PageTable table = {COLUMNS(node_columns), "cards", NULL};
    if (facts->node_count == 0)
        return;
    text_printf(html, "<details><summary>Nodes and their ids (%" PRIu32 ")</summary>\n",
                facts->node_count);
    page_table_print(html, &table, facts, shown_of(html, facts->node_count, "nodes"));
    text_add(html, "</details>\n");
}

/* Private to reports/run: the key figures at the top of the page, as tiles. */
#include <inttypes.h>

#include "reports/run/facts/totals.h"
#include "reports/run/figures/wait_times.h"
#include "reports/run/sections.h"
#include "reports/text/wording.h"
#include "sim/base/capped.h"
#include "sim/base/text.h"
#include "sim/base/units.h"

#define USD INT64_C(1000000) /* in micro-USD */

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

/* Failed jobs and missed expectations; printed before all other tiles. */
static void key_faults_print(Text *html, const Facts *facts)
{
    const JobCounts jobs = run_job_counts(facts);
    const ExpectationCounts expectations = run_expectation_counts(facts);
    Text failed = {0}, rejected = {0}, missed = {0};
    if (jobs.failed > 0) {
        text_printf(&failed, "%" PRId64 " failed", jobs.failed);
        key_tile_print(html, "bad", &failed, jobs.failed == 1 ? "job" : "jobs");
    }
    if (jobs.rejected > 0) {
        text_printf(&rejected, "%" PRId64 " rejected", jobs.rejected);
        key_tile_print(html, "bad", &rejected, "by a full queue");
    }
    if (expectations.missed > 0) {
        text_printf(&missed, "%" PRIu32 " of %" PRIu32 " missed", expectations.missed,
                    expectations.met + expectations.missed);
        key_tile_print(html, "bad", &missed, "expectations");
    }
}

static void key_met_print(Text *html, const Facts *facts)
{
    const ExpectationCounts counts = run_expectation_counts(facts);
    Text value = {0};
    if (counts.met == 0 || counts.missed > 0)
        return;
    text_printf(&value, "%" PRIu32 " of %" PRIu32, counts.met, counts.met);
    key_figure_print(html, &value, counts.met == 1 ? "expectation met" : "expectations met");
}

static void key_jobs_print(Text *html, const Facts *facts)
{
    Text value = {0};
    const JobCounts counts = run_job_counts(facts);
    const int64_t unfinished = counts.jobs - counts.succeeded - counts.failed - counts.rejected;
    if (counts.jobs == 0)
        return;
    text_printf(&value, "%" PRId64 " of %" PRId64, counts.succeeded, counts.jobs);
    key_figure_print(html, &value, counts.jobs == 1 ? "job succeeded" : "jobs succeeded");
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
    Text name = {0};
    text_add(&name, "of the jobs waited at most ");
    span_print(&name, facts->wait_target_ns);
    key_share_print(html, waits_within_ppm(&waits, facts->wait_target_ns), text_string(&name));
    text_free(&name);
    arena_destroy(scratch);
}

static void key_times_print(Text *html, const Facts *facts)
{
    key_span_print(html, first_ready_ns(facts),
                   facts->run->cluster_count > 1 ? "until the first cluster was ready"
                                                 : "until the cluster was ready");
    key_span_print(html, run_all_ended_ns(facts),
                   facts->run->job_count > 1 || facts->run->workload_count > 0
                       ? "until the last job was done"
                       : "until the job was done");
}

/* Whole dollars from ten thousand on, which have room. */
static void key_cost_print(Text *html, int64_t micro_usd)
{
    Text cost = {0};
    if (micro_usd == ABSENT) {
        text_add(&cost, "unknown");
    } else if (micro_usd < 10000 * USD) {
        usd_print(&cost, micro_usd);
    } else {
        thousands_print(&cost, (micro_usd + USD / 2) / USD);
        text_add(&cost, "\xC2\xA0USD");
    }
    key_figure_print(html, &cost, "total cost");
}

void section_key_figures(Text *html, const Facts *facts)
{
    const SummaryJob *best = run_most_accurate(facts);
    text_add(html, "<dl class=\"keys\">\n");
    key_faults_print(html, facts);
    if (facts_are_of_many(facts)) {
        key_wait_print(html, &facts->run->queue);
        key_within_print(html, facts);
        key_jobs_print(html, facts);
    } else {
        key_times_print(html, facts);
    }
    key_cost_print(html, facts->run->cost_micro_usd);
    if (!facts_are_of_many(facts))
        key_jobs_print(html, facts);
    if (best != NULL)
        key_share_print(html, best->val_accuracy_ppm,
                        facts->run->job_count > 1 ? "best validation accuracy"
                                                  : "validation accuracy");
    key_share_print(html, facts->run->utilisation_ppm, "of node time ran jobs");
    key_met_print(html, facts);
    text_add(html, "</dl>\n");
}

#include "tools/trainyard/study/sweep_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cli/text_grid.h"
#include "sim/study/point_estimate.h"
#include "sim/study/statistics/forecast.h"
#include "sim/study/sweep_progress.h"

/* --- Forecast --- */

/* Bytes of a run in the journal and in results.csv. */
static int64_t bytes_a_run(const Study *study)
{
    enum { FIXED = 60, NUMBER = 20 };
    return 2 * (FIXED + (int64_t)NUMBER * (study->value_count + study->factor_count));
}

/* A number of runs of each point. */
typedef int32_t RunsOfPoint(const Sweep *sweep, int32_t point);

static int32_t runs_at_least(const Sweep *sweep, int32_t point)
{
    (void)point;
    return sweep->study->seeds.at_least;
}

static int32_t runs_at_most(const Sweep *sweep, int32_t point)
{
    (void)point;
    return sweep->study->seeds.at_most;
}

/* By the rules; points without a pilot as the last one before them with one. */
static int32_t runs_by_rule(const Sweep *sweep, int32_t point)
{
    int32_t runs = 0;
    for (int32_t p = point; runs == 0 && p >= 0; p--)
        runs = waves_forecast(sweep->study, sweep->findings.results, p);
    return runs > 0 ? runs : sweep->study->seeds.at_least;
}

/* Runs, jobs, time and disk, from the pilot's runs. */
static void add_amount(const Sweep *sweep, RunsOfPoint *runs_of, Text *out)
{
    const Study *study = sweep->study;
    const Results *results = sweep->findings.results;
    double ns = 0;
    int64_t runs = 0;
    for (int32_t point = 0; point < study->point_count; point++) {
        const int32_t own = runs_of(sweep, point);
        ns += (double)results_mean_ns(results, point) * own;
        runs += own;
    }
    ns /= sweep->thread_count;
    thousands_print(out, runs);
    text_add(out, " runs, ");
    forecast_count_print(out, results->timed_count > 0
                                  ? (double)results->job_count / (double)results->timed_count *
                                        (double)runs
                                  : 0);
    text_add(out, " jobs, ");
    duration_print(out, ns < (double)LAST_INSTANT_NS ? (int64_t)ns : LAST_INSTANT_NS);
    text_printf(out, " on %" PRId32 " thread%s, ", sweep->thread_count,
                plural(sweep->thread_count));
    bytes_print(out, runs * bytes_a_run(study));
    text_add(out, "\n");
}

void sweep_text_forecast(const Sweep *sweep, Text *out)
{
    const Study *study = sweep->study;
    const SeedPlan *seeds = &study->seeds;
    thousands_print(out, study->point_count);
    text_printf(out, " point%s x %" PRId32 " seeds: ", plural(study->point_count), seeds->at_least);
    add_amount(sweep, runs_at_least, out);
    if (seeds->rule_count > 0) {
        text_add(out, "until the half-widths are met: ");
        add_amount(sweep, runs_by_rule, out);
        text_printf(out, "at most %" PRId32 " seeds each: ", seeds->at_most);
        add_amount(sweep, runs_at_most, out);
    }
    if (sweep->resumed_count > 0) {
        thousands_print(out, sweep->resumed_count);
        text_add(out, " runs are done already\n");
    }
}

/* --- Results --- */

enum { ROWS_MAX = 40, CELL_MAX = 48 };

static const char *estimate_text(Arena *arena, const MetricEstimate *estimate)
{
    Text text = {0};
    if (isnan(estimate->value))
        return "?";
    point_estimate_print(estimate, 1, &text);
    if (isnan(estimate->low) && estimate->note[0] != '\0' && estimate->lower_bound_count == 0)
        text_add(&text, " *"); // add_notes has it
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static void fill_row(const Sweep *sweep, Arena *arena, const TextGrid *grid, int32_t point)
{
    const Study *study = sweep->study;
    const char **cells = grid->cells + (size_t)(point + 1) * (size_t)grid->column_count;
    *cells++ = arena_printf(arena, "%" PRId32, point);
    for (int32_t f = 0; f < study->factor_count; f++)
        *cells++ = point_level(study, point, f)->label;
    *cells++ = arena_printf(arena, "%" PRId32, sweep->findings.used[point]);
    for (int32_t m = 0; m < study->metric_count; m++) {
        const MetricEstimate estimate = metric_estimate(sweep->findings.results, m, point,
                                                        sweep->findings.used[point], NO_POINT, 0);
        *cells++ = estimate_text(arena, &estimate);
    }
}

static void add_points(const Sweep *sweep, Text *out)
{
    const Study *study = sweep->study;
    const int32_t shown = study->point_count < ROWS_MAX ? study->point_count : ROWS_MAX;
    Arena *scratch = arena_create();
    TextGrid grid = {.row_count = shown + 1,
                     .column_count = 2 + study->factor_count + study->metric_count};
    grid.cells = ARENA_ARRAY(scratch, const char *, grid.row_count *grid.column_count);
    const char **cells = grid.cells;
    *cells++ = "point";
    for (int32_t f = 0; f < study->factor_count; f++)
        *cells++ = study->factors[f]->name;
    *cells++ = "n";
    for (int32_t m = 0; m < study->metric_count; m++)
        *cells++ = study->metrics[m].name;
    for (int32_t point = 0; point < shown; point++)
        fill_row(sweep, scratch, &grid, point);
    text_grid_print(&grid, out);
    if (shown < study->point_count)
        text_printf(out, "... and %" PRId32 " more points in points.csv\n",
                    study->point_count - shown);
    arena_destroy(scratch);
}

/* The notes of the points shown, each once: "* 20 runs are too few for p99 at 95 %". */
static void add_notes(const Sweep *sweep, Text *out)
{
    enum { NOTES_MAX = 5 };
    const Study *study = sweep->study;
    const char *seen[NOTES_MAX];
    int32_t count = 0;
    Arena *scratch = arena_create();
    for (int32_t point = 0; point < study->point_count && point < ROWS_MAX; point++)
        for (int32_t m = 0; m < study->metric_count && count < NOTES_MAX; m++) {
            const MetricEstimate estimate = metric_estimate(
                sweep->findings.results, m, point, sweep->findings.used[point], NO_POINT, 0);
            int32_t i = 0;
            while (i < count && strcmp(seen[i], estimate.note) != 0)
                i++;
            if (i < count || estimate.note[0] == '\0' || estimate.lower_bound_count > 0)
                continue;
            seen[count++] = arena_strdup(scratch, estimate.note);
            text_printf(out, "* point %" PRId32 ", %s: %s\n", point, study->metrics[m].name,
                        estimate.note);
        }
    arena_destroy(scratch);
}

static void add_shard(const Sweep *sweep, Text *out)
{
    const int64_t missing = waves_missing_count(sweep->waves);
    text_printf(out, "shard %" PRId32 "/%" PRId32 " has all of its runs; ", sweep->shard.index,
                sweep->shard.count);
    if (missing == 0) {
        text_add(out, "no run of the others is missing: the same command without --shard writes "
                      "the tables\n");
        return;
    }
    thousands_print(out, missing);
    text_printf(out, " run%s of others %s missing here: `trainyard merge` joins the folders\n",
                plural(missing), missing == 1 ? "is" : "are");
}

static void add_summary(const Sweep *sweep, Text *out)
{
    const Results *results = sweep->findings.results;
    const int64_t ran = results->run_count - sweep->resumed_count;
    thousands_print(out, ran);
    text_printf(out, " run%s in ", plural(ran));
    duration_print(out, sweep->took_ns);
    text_printf(out, " on %" PRId32 " thread%s", sweep->thread_count, plural(sweep->thread_count));
    if (sweep->resumed_count > 0) {
        text_add(out, ", and ");
        thousands_print(out, sweep->resumed_count);
        text_add(out, " of earlier");
    }
    text_add(out, "\n");
    if (!waves_are_done(sweep->waves)) {
        const int64_t left = waves_run_count(sweep->waves) - waves_done_count(sweep->waves);
        text_add(out, "interrupted: at least ");
        thousands_print(out, left);
        text_printf(out, " run%s missing; the same command continues\n",
                    left == 1 ? " is" : "s are");
    } else if (sweep->shard.count > 1) {
        add_shard(sweep, out);
    }
}

void sweep_text_result(const Sweep *sweep, Text *out)
{
    if (sweep->shard.count == 1) {
        add_points(sweep, out);
        add_notes(sweep, out);
    }
    add_summary(sweep, out);
    for (int32_t i = 0; i < sweep->idle_count; i++)
        idle_levels_print(sweep->study, &sweep->idle[i], out);
}

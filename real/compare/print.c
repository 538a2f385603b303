#include "real/compare/print.h"

#include <inttypes.h>
#include <math.h>

/* --- Tables --- */

static const char *verdict_of(const CompareRow *row, Tolerance tolerance)
{
    if (!row->is_judged || !compare_row_has_error(row))
        return "";
    const double low = fabs(compare_row_error_low(row)), high = fabs(compare_row_error_high(row));
    if (fabs(compare_row_error(row)) > tolerance.worst)
        return "outside";
    return low > tolerance.worst || high > tolerance.worst ? "inside, but not certain" : "inside";
}

static const char *name_of(Arena *arena, const CompareRow *row)
{
    return arena_printf(arena, "%s%s", row->is_part ? "\xC2\xB7 " : "", row->what);
}

static void add_row(Cells *cells, Arena *arena, const CompareRow *row, const char *name,
                    Tolerance tolerance)
{
    const bool has_error = compare_row_has_error(row), is_measured = row->measured.runs > 0;
    const Estimate *measured = &row->measured;
    const char *error_interval =
        has_error && measured->low > 0
            ? arena_printf(arena, "%+.1f to %+.1f", 100 * compare_row_error_low(row),
                           100 * compare_row_error_high(row))
            : "";
    cells_row(cells, (const char *[]){name, compare_units[row->unit],
                                      row->is_predicted ? cell_number(arena, row->predicted) : "",
                                      is_measured ? cell_number(arena, measured->median) : "",
                                      cell_interval(arena, measured->low, measured->high),
                                      has_error ? cell_error(arena, compare_row_error(row)) : "",
                                      error_interval, verdict_of(row, tolerance)});
}

static const TableColumn columns[] = {{"Quantity", TABLE_TEXT},      {"Unit", TABLE_TEXT},
                                      {"Predicted", TABLE_NUMBER},   {"Measured", TABLE_NUMBER},
                                      {"95 %", TABLE_NUMBER},        {"Error", TABLE_NUMBER},
                                      {"Error, 95 %", TABLE_NUMBER}, {"Verdict", TABLE_TEXT}};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

Cells *compare_quantities(Arena *arena, const CompareJob *job, Tolerance tolerance)
{
    Cells *cells = cells_create(arena, columns, COLUMN_COUNT);
    for (int32_t i = 0; i < job->row_count; i++)
        if (job->rows[i].rank < 0)
            add_row(cells, arena, &job->rows[i], name_of(arena, &job->rows[i]), tolerance);
    return cells;
}

Cells *compare_ranks(Arena *arena, const CompareJob *job)
{
    if (job->predicted.ranks == 1)
        return NULL;
    Cells *cells = cells_create(arena, columns, COLUMN_COUNT - 1); // nothing here is judged
    for (int32_t i = 0; i < job->row_count; i++)
        if (job->rows[i].rank >= 0)
            add_row(
                cells, arena, &job->rows[i],
                arena_printf(arena, "rank %" PRId32 ": %s", job->rows[i].rank, job->rows[i].what),
                (Tolerance){0});
    return cells;
}

/* --- Sentences --- */

void compare_title(Text *out, const CompareJob *job)
{
    const PredictedJob *prediction = job->prediction;
    const Estimate *steps = &job->rows[0].measured;
    text_printf(out,
                "%s: %s, batches of %" PRId64 ", %" PRId32 " rank%s; %" PRId32 " run%s, %" PRId64
                " steps, %" PRId64 " of them left out as warm-up",
                prediction->job, prediction->program->network->name,
                prediction->program->batch_per_rank, prediction->plan.ranks,
                plural(prediction->plan.ranks), job->run_count, plural(job->run_count),
                steps->count, steps->warmup);
}

void compare_blame_print(Text *out, const Blame *blame)
{
    if (blame->part == NULL)
        text_printf(out, "Most to blame: %s.", blame->words);
    else
        text_printf(out,
                    "Most to blame: %s. It is predicted %.3f ms too %s: %.0f %% of all errors.",
                    blame->words, fabs(blame->error_ms), blame->error_ms < 0 ? "short" : "long",
                    100 * blame->share);
}

void compare_recovery_print(Text *out, const CompareJob *job)
{
    const int32_t restarts = job->prediction->restarts;
    if (job->recovery.attempts <= 1 && restarts == 0)
        return;
    text_printf(out,
                "Recovery: %" PRId32 " restart%s predicted, %" PRId32 " measured; %" PRId64
                " step%s repeated in the prediction, ",
                restarts, plural(restarts), job->recovery.attempts - 1, job->prediction->steps_lost,
                plural(job->prediction->steps_lost));
    if (job->recovery.steps_lost < 0)
        text_add(out, "unknown how many measured");
    else
        text_printf(out, "%" PRId64 " measured", job->recovery.steps_lost);
    text_add(out, ".");
}

void compare_verdict_print(Text *out, const Comparison *comparison)
{
    const Tolerance tolerance = comparison->tolerance;
    text_printf(out,
                "%s: steps are off by %.1f %% in the mean, of %.1f %% allowed; of %" PRId32
                " judged quantit%s the worst is off by %.1f %%, of %.1f %% allowed.",
                comparison->is_inside ? "Inside" : "Outside", 100 * comparison->mean_error,
                100 * tolerance.mean, comparison->judged, comparison->judged == 1 ? "y" : "ies",
                100 * comparison->worst_error, 100 * tolerance.worst);
}

/* The share of the machine from which on other programs lengthen steps noticeably. */
#define LOAD_NOTICED 0.05

void compare_load_print(Text *out, const Comparison *comparison)
{
    if (comparison->other_cores < 0)
        return;
    text_printf(out, "Other programs used %.1f of %" PRId32 " core%s during the runs",
                comparison->other_cores, comparison->cores, plural(comparison->cores));
    if (comparison->other_cores > LOAD_NOTICED * comparison->cores)
        text_add(out, ": the measured times are too long. Repeat it on an idle machine");
    text_add(out, ".");
}

/* Prints the sentence on a separate line, unless it is empty. */
static void line_print(Text *out, const char *before, const Text *sentence)
{
    if (sentence->length > 0)
        text_printf(out, "%s%s\n", before, text_string(sentence));
}

void compare_print(Text *out, Arena *arena, const Comparison *comparison)
{
    for (int32_t i = 0; i < comparison->job_count; i++) {
        const CompareJob *job = &comparison->jobs[i];
        Text recovery = {0};
        compare_title(out, job);
        text_add(out, "\n\n");
        cells_print_text(compare_quantities(arena, job, comparison->tolerance), arena, out);
        const Cells *ranks = compare_ranks(arena, job);
        if (ranks != NULL) {
            text_add(out, "\n");
            cells_print_text(ranks, arena, out);
        }
        text_add(out, "\n");
        compare_blame_print(out, &job->blame);
        text_add(out, "\n");
        compare_recovery_print(&recovery, job);
        line_print(out, "", &recovery);
        text_add(out, "\n");
        text_free(&recovery);
    }
    compare_verdict_print(out, comparison);
    text_add(out, "\n");
    Text load = {0};
    compare_load_print(&load, comparison);
    line_print(out, "", &load);
    text_free(&load);
}

#include "real/compare/validation_print.h"

#include <inttypes.h>
#include <math.h>

#include "real/compare/cells.h"
#include "reports/figure/drawing.h"
#include "sim/cloud/training/layer_rates.h"

/* --- The table --- */

static Cells *table_of(Arena *arena, const Validation *validation)
{
    static const TableColumn columns[] = {
        {"Network", TABLE_TEXT},         {"Precision", TABLE_TEXT},
        {"Ranks", TABLE_TEXT},           {"Batch", TABLE_NUMBER},
        {"Predicted, ms", TABLE_NUMBER}, {"Measured, ms", TABLE_NUMBER},
        {"Rounds", TABLE_NUMBER},        {"Spread of rounds, ms", TABLE_NUMBER},
        {"Error", TABLE_NUMBER},         {"Most to blame", TABLE_TEXT}};
    Cells *cells = cells_create(arena, columns, sizeof columns / sizeof columns[0]);
    for (int32_t i = 0; i < validation->cell_count; i++) {
        const ValidationCell *cell = &validation->cells[i];
        const ValidationRow *settings = cell->settings;
        const char *ranks = cell->cores == CORES_CROWDED
                                ? arena_printf(arena, "%" PRId32 " on %" PRId32 " cores",
                                               settings->ranks, validation->table->cores)
                                : arena_printf(arena, "%" PRId32, settings->ranks);
        cells_row(cells,
                  (const char *[]){
                      settings->network, step_precision_word(settings->precision), ranks,
                      arena_printf(arena, "%" PRId64, settings->batch),
                      cell_number(arena, cell->predicted_ms), cell_number(arena, cell->measured_ms),
                      arena_printf(arena, "%" PRId32, cell->rounds),
                      cell_interval(arena, cell->low_ms, cell->high_ms),
                      cell_error(arena, cell->error), cell->blame.part ? cell->blame.part : ""});
    }
    return cells;
}

/* --- Sentences --- */

static void settings_print(Text *out, const Validation *validation)
{
    const ValidationTable *table = validation->table;
    int64_t steps = INT64_MAX;
    for (int32_t i = 0; i < table->row_count; i++)
        steps = table->rows[i].steps < steps ? table->rows[i].steps : steps;
    text_printf(out,
                "%s, %" PRId32 " core%s, %s, backend %s: %" PRId32 " measurements of %" PRId64
                " steps or more, %" PRId32 " cells.",
                table->machine, table->cores, plural(table->cores), table->date, table->backend,
                table->row_count, steps, validation->cell_count);
}

static void verdict_print(Text *out, const Validation *validation)
{
    const ValidationSummary *judged = &validation->judged;
    if (judged->count == 0)
        text_add(out, "Outside: no cell has a core for each rank, so none can be judged.");
    else
        text_printf(out,
                    "%s: with a core for each rank, %" PRId32
                    " cell%s: off by %.1f %% in the mean, of %.1f %% allowed, and by %.1f %% at "
                    "the worst, of %.1f %% allowed; with signs %+.1f %% in the mean.",
                    validation->is_inside ? "Inside" : "Outside", judged->count,
                    plural(judged->count), 100 * judged->mean, 100 * validation->tolerance.mean,
                    100 * judged->worst, 100 * validation->tolerance.worst, 100 * judged->bias);
}

static const char legend_note[] = "Circles are fp32, squares bf16, filled where judged; lines are "
                                  "the spread of the rounds. The green band is what is allowed.";

/* Prints `between` between paragraphs. */
static void uses_print(Text *out, const Validation *validation, const char *between)
{
    static const char *const names[CORE_USE_COUNT] = {
        [CORES_FREE] = "Of these, with a core left for everything else",
        [CORES_TAKEN] = "Of these, with no core left",
        [CORES_CROWDED] = "Not judged: with more ranks than cores"};
    for (CoreUse use = CORES_FREE; use < CORE_USE_COUNT; use++) {
        const ValidationSummary *summary = &validation->uses[use];
        if (summary->count > 0)
            text_printf(
                out,
                "%s%s, %" PRId32
                " cell%s: off by %.1f %% in the mean and by %.1f %% at the worst; with signs "
                "%+.1f %% in the mean.\n",
                between, names[use], summary->count, plural(summary->count), 100 * summary->mean,
                100 * summary->worst, 100 * summary->bias);
    }
}

void validation_print(Text *out, Arena *arena, const Validation *validation)
{
    settings_print(out, validation);
    text_add(out, "\n\n");
    cells_print_text(table_of(arena, validation), arena, out);
    text_add(out, "\n");
    verdict_print(out, validation);
    text_add(out, "\n");
    uses_print(out, validation, "");
}

void validation_markdown(Text *out, Arena *arena, const Validation *validation, const char *plot)
{
    text_printf(out, "## %s\n\n", validation->table->machine);
    settings_print(out, validation);
    text_add(out, "\n\n**");
    verdict_print(out, validation);
    text_add(out, "**\n");
    uses_print(out, validation, "\n");
    text_printf(out, "\n![The error of each prediction](%s)\n\n%s\n\n", plot, legend_note);
    cells_print_markdown(table_of(arena, validation), out);
}

/* --- Plots --- */

enum { RANKS_SHOWN = SERIES_MAX }; // each with a colour

/* The numbers of ranks of all cells, in rising order. Numbers after the first RANKS_SHOWN share the
 * last colour. */
static int32_t rank_kinds(const Validation *validation, int32_t *ranks)
{
    int32_t count = 0;
    for (int32_t i = 0; i < validation->cell_count; i++) {
        const int32_t wanted = validation->cells[i].settings->ranks;
        int32_t at = count;
        while (at > 0 && ranks[at - 1] >= wanted)
            at--;
        if ((at < count && ranks[at] == wanted) || count == RANKS_SHOWN)
            continue;
        for (int32_t j = count; j > at; j--)
            ranks[j] = ranks[j - 1];
        ranks[at] = wanted;
        count++;
    }
    return count;
}

static int32_t rgb_of(const int32_t *ranks, int32_t count, int32_t wanted)
{
    int32_t kind = 0;
    while (kind < count - 1 && ranks[kind] != wanted)
        kind++;
    return series_rgb[kind];
}

static void legend_print(Text *out, Arena *arena, const Validation *validation,
                         const int32_t *ranks, int32_t count, FigureLayout layout)
{
    Shade shades[RANKS_SHOWN];
    for (int32_t i = 0; i < count; i++)
        shades[i] = (Shade){arena_printf(arena, "%" PRId32 " rank%s%s", ranks[i], plural(ranks[i]),
                                         ranks[i] > validation->table->cores ? ", not judged" : ""),
                            series_rgb[i]};
    key_print(out, shades, count, (1U << count) - 1, layout);
}

/* A circle for fp32, a square for bf16, otherwise a triangle; filled if the cell is judged. They
 * are letters, because gnuplot's points refer to definitions that collide on a page with several
 * drawings. */
static const char *mark_of(const ValidationCell *cell)
{
    static const char *const open[STEP_PRECISION_COUNT] = {
        [STEP_FP32] = "\xE2\x97\x8B", [STEP_BF16] = "\xE2\x96\xA1", [STEP_TF32] = "\xE2\x96\xB3"};
    static const char *const filled[STEP_PRECISION_COUNT] = {
        [STEP_FP32] = "\xE2\x97\x8F", [STEP_BF16] = "\xE2\x96\xA0", [STEP_TF32] = "\xE2\x96\xB2"};
    return (cell->cores == CORES_CROWDED ? open : filled)[cell->settings->precision];
}

static void cell_point(Text *out, const ValidationCell *cell, bool is_error)
{
    if (is_error)
        text_printf(out, "%.9g %.9g %.9g %.9g", cell->measured_ms, 100 * cell->error,
                    100 * (cell->predicted_ms / cell->high_ms - 1),
                    100 * (cell->predicted_ms / cell->low_ms - 1));
    else
        text_printf(out, "%.9g %.9g %.9g %.9g", cell->measured_ms, cell->predicted_ms, cell->low_ms,
                    cell->high_ms);
}

static void cells_data(Text *out, Arena *arena, const Validation *validation, bool is_error,
                       FigureLayout layout)
{
    int32_t ranks[RANKS_SHOWN];
    const int32_t kinds = rank_kinds(validation, ranks);
    double least = INFINITY, most = 0, worst = validation->tolerance.worst;
    legend_print(out, arena, validation, ranks, kinds, layout);
    text_add(out, "$cells << END\n");
    for (int32_t i = 0; i < validation->cell_count; i++) {
        const ValidationCell *cell = &validation->cells[i];
        cell_point(out, cell, is_error);
        text_printf(out, " 0x%06" PRIX32 " %s\n",
                    (uint32_t)rgb_of(ranks, kinds, cell->settings->ranks), mark_of(cell));
        least = fmin(least, fmin(cell->low_ms, cell->predicted_ms));
        most = fmax(most, fmax(cell->high_ms, cell->predicted_ms));
        worst = fmax(worst, fabs(cell->error));
    }
    text_printf(out, "END\nx_begin = %.9g\nx_end = %.9g\ny_end = %.9g\nworst = %.9g\n", least / 1.2,
                most * 1.2, 115 * worst, validation->tolerance.worst * (is_error ? 100 : 1));
}

static void figure_add(Figures *figures, const Validation *validation, bool is_error)
{
    const Figure figure = {.file = is_error ? "validation-error" : "validation",
                           .title = is_error ? "The error of each prediction"
                                             : "Predicted and measured steps",
                           .note = legend_note,
                           .is_half = false};
    Text wide = {0}, narrow = {0};
    cells_data(&wide, figures->arena, validation, is_error, figure_layout(false, false));
    cells_data(&narrow, figures->arena, validation, is_error, figure_layout(false, true));
    figures_draw(figures, figure, is_error ? "errors.gp" : "validation.gp", text_string(&wide),
                 text_string(&narrow), is_error ? 320 : 560);
    text_free(&wide);
    text_free(&narrow);
}

bool validation_plots_write(Arena *arena, const Validation *validation, const char *folder,
                            Status *no_plots, Status *status)
{
    Figures figures = {.arena = arena};
    Drawings drawings;
    figure_add(&figures, validation, false);
    figure_add(&figures, validation, true);
    return !drawings_make(arena, &figures, &drawings, no_plots) ||
           drawings_write(arena, folder, &drawings, status);
}

/* Private to reports/run/figures: accuracy and loss over epochs, in training and in validation. */
#include <inttypes.h>

#include "reports/run/figures/draw.h"
#include "reports/run/figures/epoch_rows.h"
#include "reports/run/figures/figures.h"
#include "reports/text/wording.h"
#include "sim/json/decimal.h"

enum { JOBS_SHOWN = SERIES_MAX, POINTS_MAX = 3 }; /* longer curves need no points */

/* A measure and its place in the trace. */
typedef struct {
    const char *file;
    const char *title;
    int64_t (*value)(const TraceRecord *record);
    int32_t decimals; /* of the value as shown: ppm as per cent have 4 */
    const char *axis;
} Measure;

static int64_t accuracy_ppm(const TraceRecord *record)
{
    return record->kind == TRACE_EPOCH ? record->epoch.train_accuracy_ppm
                                       : record->evaluation.accuracy_ppm;
}

static int64_t loss_micro(const TraceRecord *record)
{
    return record->kind == TRACE_EPOCH ? record->epoch.train_loss_micro
                                       : record->evaluation.loss_micro;
}

static const Measure measures[] = {
    {"accuracy", "Accuracy over epochs", accuracy_ppm, 4, "y_end = 100\ny_format = '%g %%'\n"},
    {"loss", "Loss over epochs", loss_micro, 6, "y_end = 0\ny_format = '%g'\n"},
};
enum { MEASURES = sizeof(measures) / sizeof(measures[0]) };

typedef struct {
    uint32_t job;
    TraceKind kind; /* TRACE_EPOCH: training; TRACE_EVALUATION: validation */
    uint32_t points;
} Curve;

typedef struct {
    Curve items[2 * JOBS_SHOWN];
    int32_t count;
    uint32_t jobs;     /* that have a curve */
    uint32_t jobs_all; /* that would, with more room */
} Curves;

static Curves curves_of(const Facts *facts)
{
    Curves curves = {.count = 0};
    for (uint32_t job = 0; job < facts->run->job_count; job++) {
        const Curve validation = {job, TRACE_EVALUATION, facts->job_rows[job].evaluations};
        const Curve training = {job, TRACE_EPOCH, facts->job_rows[job].epochs};
        if (validation.points + training.points == 0 || job_is_transformer(&facts->run->jobs[job]))
            continue;
        curves.jobs_all++;
        if (curves.jobs == JOBS_SHOWN)
            continue;
        curves.jobs++;
        if (validation.points > 0)
            curves.items[curves.count++] = validation;
        if (training.points > 0)
            curves.items[curves.count++] = training;
    }
    return curves;
}

/* The two curves of a single job differ in colour; with several jobs, the jobs differ. */
static int32_t series_of(const Curves *curves, int32_t curve)
{
    if (curves->jobs == 1)
        return curves->items[curve].kind == TRACE_EPOCH;
    int32_t series = 0;
    for (int32_t i = 0; i < curve; i++)
        series += curves->items[i].job != curves->items[i + 1].job;
    return series;
}

static void curves_key_print(Text *out, const Facts *facts, const Curves *curves,
                             FigureLayout layout)
{
    Shade shades[2 * JOBS_SHOWN] = {{0}};
    uint32_t used = 0;
    for (int32_t curve = 0; curve < curves->count; curve++) {
        const Curve *item = &curves->items[curve];
        const int32_t series = series_of(curves, curve);
        const char *kind = item->kind == TRACE_EPOCH ? "training" : "validation";
        shades[series].name = curves->jobs == 1 ? kind : facts->run->jobs[item->job].name;
        shades[series].rgb = series_rgb[series];
        used |= 1U << series;
    }
    key_print(out, shades, 2 * JOBS_SHOWN, used, layout);
}

static void curve_style_print(Text *out, const Curves *curves, int32_t curve)
{
    const int32_t dash = curves->items[curve].kind == TRACE_EPOCH ? 2 : 1;
    text_printf(out, "curve_dash[%d] = %d\ncurve_rgb[%d] = 0x%06" PRIX32 "\n", curve + 1, dash,
                curve + 1, (uint32_t)series_rgb[series_of(curves, curve)]);
}

static int64_t epoch_of(const TraceRow *row)
{
    return row->record.kind == TRACE_EPOCH ? row->record.epoch.epoch : row->record.evaluation.epoch;
}

/* Prints the curve's points and returns its last epoch. */
static int64_t points_print(Text *out, const Facts *facts, const Curve *curve,
                            const Measure *measure)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < facts->row_count; i++) {
        const TraceRow *row = &facts->rows[i];
        if (row->record.kind != curve->kind || row->record.job.index != curve->job)
            continue;
        const int64_t epoch = epoch_of(row);
        text_printf(out, "%" PRId64 " ", epoch);
        decimal_print_rounded(out, measure->value(&row->record), measure->decimals,
                              measure->decimals);
        text_add(out, "\n");
        last = epoch > last ? epoch : last;
    }
    return last;
}

static void learning_data(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout)
{
    const Measure *measure = &measures[subject];
    const Curves curves = curves_of(facts);
    int64_t epochs = 1;
    bool has_points = false;
    curves_key_print(out, facts, &curves, layout);
    text_printf(out, "curves = %" PRId32 "\narray curve_rgb[curves]\narray curve_dash[curves]\n",
                curves.count);
    for (int32_t curve = 0; curve < curves.count; curve++) {
        curve_style_print(out, &curves, curve);
        has_points = has_points || curves.items[curve].points <= POINTS_MAX;
    }
    text_add(out, "$curves << END\n");
    for (int32_t curve = 0; curve < curves.count; curve++) {
        const int64_t last = points_print(out, facts, &curves.items[curve], measure);
        epochs = last > epochs ? last : epochs;
        text_add(out, "\n\n");
    }
    text_printf(out, "END\n%sepochs = %" PRId64 "\nx_step = %" PRId64 "\nhas_points = %d\n",
                measure->axis, epochs, round_step(epochs, layout.is_narrow ? 6 : 8), has_points);
}

/* --- The table --- */

static int32_t curve_of(const Curves *curves, const TraceRow *row)
{
    for (int32_t i = 0; i < curves->count; i++)
        if (row->record.kind == curves->items[i].kind &&
            row->record.job.index == curves->items[i].job)
            return i;
    return -1;
}

static int64_t last_epoch(const Facts *facts, const Curves *curves)
{
    int64_t last = 1;
    for (uint32_t i = 0; i < facts->row_count; i++)
        if (curve_of(curves, &facts->rows[i]) >= 0 && epoch_of(&facts->rows[i]) > last)
            last = epoch_of(&facts->rows[i]);
    return last;
}

static const char *value_cell(Arena *arena, const Measure *measure, const TraceRecord *record)
{
    Text text = {0};
    if (measure->value == accuracy_ppm)
        percent_print(&text, accuracy_ppm(record), 1);
    else
        decimal_print_rounded(&text, measure->value(record), measure->decimals, 4);
    return text_move(arena, &text);
}

static const char *const *learning_headings(Arena *arena, const Facts *facts, const Curves *curves)
{
    const char **headings = ARENA_ARRAY(arena, const char *, curves->count + 1);
    headings[0] = "epoch";
    for (int32_t i = 0; i < curves->count; i++) {
        const Curve *curve = &curves->items[i];
        const char *kind = curve->kind == TRACE_EPOCH ? "training" : "validation";
        headings[i + 1] = curves->jobs == 1 ? kind
                                            : arena_printf(arena, "%s, %s",
                                                           facts->run->jobs[curve->job].name, kind);
    }
    return headings;
}

static const FigureNumbers *learning_numbers(Arena *arena, const Facts *facts, const Curves *curves,
                                             const Measure *measure)
{
    const EpochRows rows = epoch_rows(last_epoch(facts, curves));
    const int32_t columns = curves->count + 1;
    const char **cells = ARENA_ARRAY(arena, const char *, rows.count *columns);
    for (int64_t row = 0; row < rows.count; row++)
        for (int32_t column = 0; column < columns; column++)
            cells[row * columns + column] =
                column == 0 ? arena_printf(arena, "%" PRId64, epoch_rows_epoch(&rows, row)) : "";
    for (uint32_t i = 0; i < facts->row_count; i++) {
        const int32_t curve = curve_of(curves, &facts->rows[i]);
        const int64_t row = curve >= 0 ? epoch_rows_find(&rows, epoch_of(&facts->rows[i])) : -1;
        if (row >= 0)
            cells[row * columns + curve + 1] = value_cell(arena, measure, &facts->rows[i].record);
    }
    FigureNumbers *numbers =
        numbers_create(arena, learning_headings(arena, facts, curves), columns, false);
    for (int64_t row = 0; row < rows.count; row++) // learning.gp leaves 2 % on the right
        numbers_add(numbers, epoch_rows_band(&rows, row, 0, (Wide)102 * rows.epochs),
                    cells + row * columns);
    return numbers;
}

static const char *curves_note(Arena *arena, const Curves *curves)
{
    if (curves->jobs == 1)
        return "";
    return arena_printf(arena, "Lines: validation. Dashes: training.%s",
                        curves->jobs < curves->jobs_all
                            ? arena_printf(arena,
                                           " The first %" PRIu32 " of %" PRIu32 " jobs are drawn.",
                                           curves->jobs, curves->jobs_all)
                            : "");
}

void figures_learning(Figures *figures, const Facts *facts)
{
    const Curves curves = curves_of(facts);
    for (uint32_t i = 0; i < MEASURES; i++) {
        Figure figure = {.section = SECTION_LEARNING,
                         .file = measures[i].file,
                         .title = measures[i].title,
                         .note = "",
                         .left = 56,
                         .left_narrow = 56,
                         .is_half = true};
        if (curves.count > 0) {
            figure.note = curves_note(figures->arena, &curves);
            figure.numbers = learning_numbers(figures->arena, facts, &curves, &measures[i]);
            figure_draw(figures, figure, "learning.gp", learning_data, facts, i, 190);
            continue;
        }
        figure.note = facts_no_epochs(facts);
        figures_missing(figures, figure);
    }
}

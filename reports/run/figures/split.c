/* Private to reports/run/figures: the parts of training time: a bar for each job, and one job's
 * epochs. */
#include <inttypes.h>

#include "reports/figure/bars.h"
#include "reports/run/figures/draw.h"
#include "reports/run/figures/epoch_rows.h"
#include "reports/run/figures/figures.h"
#include "reports/run/figures/palette.h"
#include "reports/text/wording.h"
#include "sim/base/capped.h"
#include "sim/base/units.h"

enum { SPLITS_SHOWN = 12 };

static int64_t part_ns(const SummaryJob *job, int32_t part)
{
    return job->part_ns[part] == ABSENT ? 0 : job->part_ns[part];
}

static int64_t training_ns(const SummaryJob *job)
{
    int64_t sum_ns = 0;
    for (int32_t part = 0; part < PART_COUNT; part++)
        sum_ns = capped_sum(sum_ns, part_ns(job, part));
    return sum_ns;
}

static uint32_t jobs_with_split(const Facts *facts)
{
    uint32_t count = 0;
    for (uint32_t job = 0; job < facts->run->job_count; job++)
        count += training_ns(&facts->run->jobs[job]) > 0;
    return count;
}

/* --- All jobs --- */

static uint32_t splits_shown(const Facts *facts)
{
    const uint32_t all = jobs_with_split(facts);
    return all < SPLITS_SHOWN ? all : SPLITS_SHOWN;
}

static void split_data(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout)
{
    (void)subject;
    const uint32_t rows = splits_shown(facts);
    Bars bars = bars_begin(rows, (BarStyle){step_part_shades, PART_COUNT, 90000, layout});
    for (uint32_t i = 0; bars.row < rows; i++) {
        const SummaryJob *job = &facts->run->jobs[i];
        int64_t of_job_ns[PART_COUNT];
        for (int32_t part = 0; part < PART_COUNT; part++)
            of_job_ns[part] = part_ns(job, part);
        if (training_ns(job) > 0)
            bars_add(&bars, job->name, of_job_ns);
    }
    bars_end(out, &bars);
}

static const char *time_cell(Arena *arena, int64_t ns)
{
    Text text = {0};
    span_print(&text, ns);
    return text_move(arena, &text);
}

static const char *const *part_headings(Arena *arena, const char *first, int32_t count)
{
    const char **headings = ARENA_ARRAY(arena, const char *, count + 1);
    headings[0] = first;
    for (int32_t part = 0; part < count; part++)
        headings[part + 1] = step_part_shades[part].shade.name;
    return headings;
}

static const FigureNumbers *split_numbers(Arena *arena, const Facts *facts)
{
    const char *cells[PART_COUNT + 1];
    const int64_t rows = splits_shown(facts);
    FigureNumbers *numbers =
        numbers_create(arena, part_headings(arena, "job", PART_COUNT), PART_COUNT + 1, true);
    for (uint32_t i = 0; numbers->row_count < rows; i++) {
        const SummaryJob *job = &facts->run->jobs[i];
        const int64_t row = numbers->row_count;
        cells[0] = job->name;
        for (int32_t part = 0; part < PART_COUNT; part++)
            cells[part + 1] = time_cell(arena, part_ns(job, part));
        if (training_ns(job) > 0)
            numbers_add(numbers, (PlotBand){PPM * row / rows, PPM * (row + 1) / rows}, cells);
    }
    return numbers;
}

/* --- The epochs of one job --- */

static bool is_epoch_of(const TraceRow *row, uint32_t job)
{
    return row->record.kind == TRACE_EPOCH && row->record.job.index == job;
}

typedef struct {
    int64_t ns[PART_STEP_COUNT];
} EpochParts;

static EpochParts epoch_parts(const TraceRow *row)
{
    const StepParts *spent = &row->record.epoch.parts;
    return (EpochParts){{[PART_INPUT] = spent->input_ns,
                         [PART_COMPUTE] = spent->compute_ns,
                         [PART_WAIT] = spent->wait_ns,
                         [PART_EXCHANGE] = spent->exchange_ns,
                         [PART_UPDATE] = spent->update_ns}};
}

static void epochs_data(Text *out, const Facts *facts, uint32_t job, FigureLayout layout)
{
    const int64_t labels_max = layout.is_narrow ? 6 : 10;
    int64_t epochs = 1;
    bars_key_print(out, step_part_shades, PART_STEP_COUNT, (1U << PART_STEP_COUNT) - 1, layout);
    text_add(out, "$epochs << END\n");
    for (uint32_t i = 0; i < facts->row_count; i++) {
        const TraceRow *row = &facts->rows[i];
        if (!is_epoch_of(row, job))
            continue;
        const int64_t epoch = row->record.epoch.epoch;
        const EpochParts spent = epoch_parts(row);
        int64_t sum_ns = 0;
        text_printf(out, "%" PRId64, epoch);
        for (int32_t part = 0; part < PART_STEP_COUNT; part++) {
            sum_ns = capped_sum(sum_ns, spent.ns[part]);
            text_add(out, " ");
            seconds_print(out, sum_ns);
        }
        text_add(out, "\n");
        epochs = epoch > epochs ? epoch : epochs;
    }
    text_printf(out, "END\nepochs = %" PRId64 "\nx_step = %" PRId64 "\n", epochs,
                round_step(epochs, labels_max));
}

static int64_t last_epoch(const Facts *facts, uint32_t job)
{
    int64_t last = 1;
    for (uint32_t i = 0; i < facts->row_count; i++)
        if (is_epoch_of(&facts->rows[i], job) && facts->rows[i].record.epoch.epoch > last)
            last = facts->rows[i].record.epoch.epoch;
    return last;
}

/* An epoch that was trained twice has the parts of its last time. */
static const FigureNumbers *epochs_numbers(Arena *arena, const Facts *facts, uint32_t job)
{
    const EpochRows rows = epoch_rows(last_epoch(facts, job));
    const TraceRow **epochs = ARENA_ARRAY(arena, const TraceRow *, rows.count);
    const char *cells[PART_STEP_COUNT + 1];
    for (uint32_t i = 0; i < facts->row_count; i++) {
        const TraceRow *row = &facts->rows[i];
        const int64_t found =
            is_epoch_of(row, job) ? epoch_rows_find(&rows, row->record.epoch.epoch) : -1;
        if (found >= 0)
            epochs[found] = row;
    }
    FigureNumbers *numbers = numbers_create(arena, part_headings(arena, "epoch", PART_STEP_COUNT),
                                            PART_STEP_COUNT + 1, false);
    for (int64_t row = 0; row < rows.count; row++) {
        cells[0] = arena_printf(arena, "%" PRId64, epoch_rows_epoch(&rows, row));
        for (int32_t part = 0; part < PART_STEP_COUNT; part++)
            cells[part + 1] =
                epochs[row] == NULL ? "" : time_cell(arena, epoch_parts(epochs[row]).ns[part]);
        // epochs.gp begins at 0.4 and leaves 0.6 on the right.
        numbers_add(numbers, epoch_rows_band(&rows, row, 40, (Wide)100 * rows.epochs + 60), cells);
    }
    return numbers;
}

static uint32_t job_with_most_epochs(const Facts *facts)
{
    uint32_t best = 0, best_count = 0;
    for (uint32_t job = 0; job < facts->run->job_count; job++) {
        const uint32_t count = facts->job_rows[job].epochs;
        if (count > best_count) {
            best = job;
            best_count = count;
        }
    }
    return best_count > 0 ? best : ID_NONE;
}

static void epochs_figure(Figures *figures, const Facts *facts)
{
    Figure figure = {.section = SECTION_SPLIT,
                     .file = "epochs",
                     .title = "The parts of each epoch",
                     .note = "",
                     .left = 68, // "100000 s"
                     .left_narrow = 68,
                     .is_half = true};
    const uint32_t job = job_with_most_epochs(facts);
    if (job == ID_NONE) {
        figure.note = facts_no_epochs(facts);
        figures_missing(figures, figure);
        return;
    }
    if (jobs_with_split(facts) > 1)
        figure.note = arena_printf(figures->arena, "Job %s, the one with the most epochs.",
                                   facts->run->jobs[job].name);
    figure.numbers = epochs_numbers(figures->arena, facts, job);
    figure_draw(figures, figure, "epochs.gp", epochs_data, facts, job, 190);
}

void figures_split(Figures *figures, const Facts *facts)
{
    Figure figure = {.section = SECTION_SPLIT,
                     .file = "split",
                     .title = "Where training time went",
                     .note = "",
                     .left = 130,
                     .left_narrow = 86,
                     .is_half = true};
    const uint32_t all = jobs_with_split(facts);
    if (all == 0) {
        figure.note = "Not drawn: no job finished its training.";
        figures_missing(figures, figure);
    } else {
        const int32_t rows = (int32_t)splits_shown(facts);
        if (all > SPLITS_SHOWN)
            figure.note = arena_printf(figures->arena,
                                       "The first %d of %" PRIu32 " jobs that trained are drawn.",
                                       SPLITS_SHOWN, all);
        figure.numbers = split_numbers(figures->arena, facts);
        figure_draw(figures, figure, "split.gp", split_data, facts, 0, rows == 1 ? 84 : rows * 30);
    }
    epochs_figure(figures, facts);
}

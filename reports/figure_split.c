/* Where the time of training goes: a bar for each job, and one job's epochs. */
#include <inttypes.h>

#include "reports/figure.h"
#include "reports/wording.h"
#include "sim/base/units.h"
#include "sim/output/capped.h"
#include "sim/output/decimal.h"

enum { SPLITS_SHOWN = 12 };

/* P. Tol's "bright" scheme; the ink of the numbers inside has a contrast of at least 4.5 to 1. */
static const struct {
    Shade shade;
    int32_t ink_rgb;
} parts[] = {
    {{"input", 0xCCBB44}, 0x000000},      {{"compute", 0x228833}, 0xFFFFFF},
    {{"waiting", 0xBBBBBB}, 0x000000},    {{"exchange", 0x3B6FB0}, 0xFFFFFF},
    {{"update", 0xAA3377}, 0xFFFFFF},     {{"evaluation", 0xEE7733}, 0x000000},
    {{"checkpoint", 0xCC6677}, 0x000000},
};
_Static_assert(sizeof(parts) / sizeof(parts[0]) == PART_COUNT, "one shade per part");

static int64_t part_ns(const ReportJob *job, int32_t part)
{
    return job->part_ns[part] == ABSENT ? 0 : job->part_ns[part];
}

static int64_t training_ns(const ReportJob *job)
{
    int64_t sum_ns = 0;
    for (int32_t part = 0; part < PART_COUNT; part++)
        sum_ns = capped_sum(sum_ns, part_ns(job, part));
    return sum_ns;
}

static uint32_t parts_used(const ReportJob *job)
{
    uint32_t used = 0;
    for (int32_t part = 0; part < PART_COUNT; part++)
        used |= (part_ns(job, part) > 0 ? 1U : 0U) << part;
    return used;
}

static uint32_t jobs_with_split(const Facts *facts)
{
    uint32_t count = 0;
    for (uint32_t job = 0; job < facts->job_count; job++)
        count += training_ns(&facts->jobs[job]) > 0;
    return count;
}

static void key_of_parts_print(Text *out, int32_t count, uint32_t used, FigureLayout layout)
{
    Shade shades[PART_COUNT];
    for (int32_t part = 0; part < count; part++)
        shades[part] = parts[part].shade;
    key_print(out, shades, count, used, layout);
}

/* --- All jobs --- */

static void bar_print(Text *bars, Text *numbers, const ReportJob *job, uint32_t row)
{
    const int64_t number_from_ppm = 90000; // narrower parts have no room for a number
    const int64_t whole_ns = training_ns(job);
    int64_t before_ns = 0;
    for (int32_t part = 0; part < PART_COUNT; part++) {
        const int64_t after_ns = capped_sum(before_ns, part_ns(job, part));
        const int64_t from_ppm = share_ppm(before_ns, whole_ns);
        const int64_t to_ppm = share_ppm(after_ns, whole_ns);
        text_printf(bars, "%" PRIu32 " ", row);
        decimal_print_rounded(bars, from_ppm, 4, 4);
        text_add(bars, " ");
        decimal_print_rounded(bars, to_ppm, 4, 4);
        text_printf(bars, " 0x%06" PRIX32 "\n", (uint32_t)parts[part].shade.rgb);
        if (to_ppm - from_ppm >= number_from_ppm) {
            text_printf(numbers, "%" PRIu32 " ", row);
            decimal_print_rounded(numbers, (from_ppm + to_ppm) / 2, 4, 4);
            text_add(numbers, " \"");
            decimal_print_rounded(numbers, share_ppm(after_ns - before_ns, whole_ns), 4, 0);
            text_printf(numbers, " %%\" 0x%06" PRIX32 "\n", (uint32_t)parts[part].ink_rgb);
        }
        before_ns = after_ns;
    }
}

static void label_print(Text *out, const ReportJob *job, uint32_t row, FigureLayout layout)
{
    Text label = {0};
    shortened_print(&label, job->name, layout.is_narrow ? 12 : 17);
    text_printf(out, "row_label[%" PRIu32 "] = ", row);
    gnuplot_string_print(out, text_string(&label));
    text_add(out, "\n");
    text_free(&label);
}

static uint32_t splits_shown(const Facts *facts)
{
    const uint32_t all = jobs_with_split(facts);
    return all < SPLITS_SHOWN ? all : SPLITS_SHOWN;
}

static void split_data(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout)
{
    (void)subject;
    const uint32_t rows = splits_shown(facts);
    uint32_t used = 0, row = 0;
    Text bars = {0}, numbers = {0};
    text_printf(out, "rows = %" PRIu32 "\narray row_label[rows]\n", rows);
    for (uint32_t i = 0; row < rows; i++) {
        const ReportJob *job = &facts->jobs[i];
        if (training_ns(job) == 0)
            continue;
        row++;
        label_print(out, job, row, layout);
        bar_print(&bars, &numbers, job, row);
        used |= parts_used(job);
    }
    key_of_parts_print(out, PART_COUNT, used, layout);
    text_printf(out, "$parts << END\n%sEND\n$numbers << END\n%sNaN NaN \"\" 0\nEND\n",
                text_string(&bars), text_string(&numbers));
    text_free(&bars);
    text_free(&numbers);
}

/* --- The epochs of one job --- */

static bool is_epoch_of(const TraceRow *row, uint32_t job)
{
    return row->record.kind == TRACE_EPOCH && row->record.job.index == job;
}

static uint32_t epochs_told(const Facts *facts, uint32_t job)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts->row_count; i++)
        count += is_epoch_of(&facts->rows[i], job);
    return count;
}

static void epochs_data(Text *out, const Facts *facts, uint32_t job, FigureLayout layout)
{
    static const char *const keys[PART_STEP_COUNT] = {"input_ns", "compute_ns", "wait_ns",
                                                      "exchange_ns", "update_ns"};
    const int64_t labels_max = layout.is_narrow ? 6 : 10;
    int64_t epochs = 1;
    key_of_parts_print(out, PART_STEP_COUNT, (1U << PART_STEP_COUNT) - 1, layout);
    text_add(out, "$epochs << END\n");
    for (uint32_t i = 0; i < facts->row_count; i++) {
        const TraceRow *row = &facts->rows[i];
        if (!is_epoch_of(row, job))
            continue;
        const int64_t epoch = row_value(row, "epoch");
        int64_t sum_ns = 0;
        text_printf(out, "%" PRId64, epoch);
        for (int32_t part = 0; part < PART_STEP_COUNT; part++) {
            sum_ns = capped_sum(sum_ns, row_value(row, keys[part]));
            text_add(out, " ");
            seconds_print(out, sum_ns);
        }
        text_add(out, "\n");
        epochs = epoch > epochs ? epoch : epochs;
    }
    text_printf(out, "END\nepochs = %" PRId64 "\nx_step = %" PRId64 "\n", epochs,
                round_step(epochs, labels_max));
}

static uint32_t job_with_most_epochs(const Facts *facts)
{
    uint32_t best = 0, best_count = 0;
    for (uint32_t job = 0; job < facts->job_count; job++) {
        const uint32_t count = epochs_told(facts, job);
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
                     .is_half = true};
    const uint32_t job = job_with_most_epochs(facts);
    if (job == ID_NONE) {
        figure.note = facts_no_epochs(facts);
        figures_missing(figures, figure);
        return;
    }
    if (jobs_with_split(facts) > 1)
        figure.note = arena_printf(figures->arena, "Job %s, the one with the most epochs.",
                                   facts->jobs[job].name);
    figures_draw(figures, figure, "epochs.gp", epochs_data, facts, job, 190);
}

void figures_split(Figures *figures, const Facts *facts)
{
    Figure figure = {.section = SECTION_SPLIT,
                     .file = "split",
                     .title = "Where training time went",
                     .note = "",
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
        figures_draw(figures, figure, "split.gp", split_data, facts, 0, rows == 1 ? 84 : rows * 30);
    }
    epochs_figure(figures, facts);
}

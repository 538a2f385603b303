/* Private to reports/run/figures: the share of jobs that waited at most this long, by the size of
 * the jobs. */
#include <inttypes.h>

#include "reports/run/figures/draw.h"
#include "reports/run/figures/figures.h"
#include "reports/run/figures/wait_times.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"

/* The steps of the axis. Waits reach from seconds to weeks, so that equal steps of time would show
 * either. */
static const struct {
    int64_t ns;
    const char *name;
} steps[] = {
    {0, "0"},
    {10 * NS_PER_S, "10 s"},
    {NS_PER_MIN, "1 min"},
    {5 * NS_PER_MIN, "5 min"},
    {10 * NS_PER_MIN, "10 min"},
    {30 * NS_PER_MIN, "30 min"},
    {NS_PER_HOUR, "1 h"},
    {2 * NS_PER_HOUR, "2 h"},
    {4 * NS_PER_HOUR, "4 h"},
    {8 * NS_PER_HOUR, "8 h"},
    {NS_PER_DAY, "1 d"},
    {2 * NS_PER_DAY, "2 d"},
    {4 * NS_PER_DAY, "4 d"},
    {7 * NS_PER_DAY, "7 d"},
    {14 * NS_PER_DAY, "14 d"},
    {30 * NS_PER_DAY, "30 d"},
    {90 * NS_PER_DAY, "90 d"},
    {LAST_INSTANT_NS, "292 years"},
};
enum { STEPS = sizeof steps / sizeof steps[0], STEPS_LEAST = 7, POINTS_MAX = 300 };

enum { CURVES_MAX = 1 + SIZE_CLASSES_MAX };

/* The curves: all jobs, then each class if there are several. */
typedef struct {
    int32_t count;
    Shade shades[CURVES_MAX];
    Waits waits[CURVES_MAX];
    int32_t step_count; /* of the axis */
} Curves;

static int64_t longest_ns(const Waits *waits)
{
    uint32_t last = waits->count;
    while (last > 0 && waits->ns[last - 1] == INT64_MAX)
        last--;
    return last > 0 ? waits->ns[last - 1] : 0;
}

static Curves curves_of(Arena *arena, const Facts *facts)
{
    const SizeClasses classes = size_classes(arena, facts);
    Curves curves = {.count = 1, .shades = {{"all jobs", RGB_ALL_JOBS}}};
    curves.waits[0] = waits_of(arena, facts, &classes, -1);
    for (int32_t i = 0; i < classes.count && classes.count > 1; i++) {
        if (classes.items[i].jobs == 0)
            continue;
        curves.shades[curves.count] =
            (Shade){classes.items[i].name, size_class_rgb(i, classes.count)};
        curves.waits[curves.count++] = waits_of(arena, facts, &classes, i);
    }
    int64_t end_ns = longest_ns(&curves.waits[0]);
    end_ns = end_ns > facts->wait_target_ns ? end_ns : facts->wait_target_ns;
    curves.step_count = STEPS_LEAST;
    while (curves.step_count < STEPS && steps[curves.step_count - 1].ns < end_ns)
        curves.step_count++;
    return curves;
}

/* The place of a wait on the axis, in millionths of a step. */
static int64_t place_ppm(int64_t ns)
{
    int32_t step = 0;
    while (step < STEPS - 2 && ns >= steps[step + 1].ns)
        step++;
    const int64_t length_ns = steps[step + 1].ns - steps[step].ns;
    return step * PPM + mul_div(ns - steps[step].ns, PPM, length_ns);
}

static void millionths_print(Text *out, int64_t ppm)
{
    text_printf(out, "%" PRId64 ".%06" PRId64, ppm / PPM, ppm % PPM);
}

static void point_print(Text *out, int64_t x_ppm, int64_t share)
{
    millionths_print(out, x_ppm);
    text_add(out, " ");
    millionths_print(out, 100 * share);
    text_add(out, "\n");
}

/* The curve as points: at most POINTS_MAX of its jobs, the last, and the end of the axis. */
static void curve_print(Text *out, const Waits *waits, int32_t step_count)
{
    const uint32_t stride = waits->count / POINTS_MAX + 1;
    int64_t share = 0;
    point_print(out, 0, 0);
    for (uint32_t i = 0; i < waits->count; i++) {
        const bool is_last = i + 1 == waits->count || waits->ns[i + 1] == INT64_MAX;
        if (waits->ns[i] == INT64_MAX)
            break;
        if (i % stride != 0 && !is_last)
            continue;
        share = share_ppm(i + 1, waits->count);
        point_print(out, place_ppm(waits->ns[i]), share);
    }
    point_print(out, (step_count - 1) * PPM, share);
    text_add(out, "\n\n");
}

static void waits_data(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout)
{
    (void)subject;
    Arena *scratch = arena_create();
    const Curves curves = curves_of(scratch, facts);
    key_print(out, curves.shades, curves.count, (1U << curves.count) - 1, layout);
    text_printf(out,
                "x_label = 'time in the queue, at most'\ntics = %" PRId32
                "\narray tic_name[tics]\ntarget = ",
                curves.step_count);
    millionths_print(out, place_ppm(facts->wait_target_ns));
    text_add(out, "\n");
    for (int32_t i = 0; i < curves.step_count; i++) {
        const bool is_named = !layout.is_narrow || i % 2 == 1 || i == 0;
        text_printf(out, "tic_name[%" PRId32 "] = ", i + 1);
        gnuplot_string_print(out, is_named ? steps[i].name : "");
        text_add(out, "\n");
    }
    text_add(out, "$waits << END\n");
    for (int32_t i = 0; i < curves.count; i++)
        curve_print(out, &curves.waits[i], curves.step_count);
    text_add(out, "END\n");
    arena_destroy(scratch);
}

/* The waits of the table: the steps of the axis, and the target. */
typedef struct {
    int32_t count;
    int64_t ns[STEPS + 1];
    const char *names[STEPS + 1];
} WaitRows;

static WaitRows wait_rows(Arena *arena, int32_t step_count, int64_t target_ns)
{
    WaitRows rows = {0};
    bool has_target = false;
    Text target = {0};
    span_print(&target, target_ns);
    for (int32_t step = 0; step < step_count; step++) {
        if (!has_target && target_ns < steps[step].ns) {
            rows.ns[rows.count] = target_ns;
            rows.names[rows.count++] = arena_strdup(arena, text_string(&target));
        }
        has_target = has_target || target_ns <= steps[step].ns;
        rows.ns[rows.count] = steps[step].ns;
        rows.names[rows.count++] = steps[step].name;
    }
    text_free(&target);
    return rows;
}

/* The part of the axis that is nearer to a row's wait than to any other row's. */
static PlotBand row_band(const WaitRows *rows, int32_t row, int32_t step_count)
{
    const int64_t at = place_ppm(rows->ns[row]);
    const int64_t from = row == 0 ? 0 : (place_ppm(rows->ns[row - 1]) + at) / 2;
    const int64_t to =
        row + 1 == rows->count ? (step_count - 1) * PPM : (at + place_ppm(rows->ns[row + 1])) / 2;
    return (PlotBand){from / (step_count - 1), to / (step_count - 1)};
}

static const FigureNumbers *waits_numbers(Arena *arena, const Facts *facts)
{
    const Curves curves = curves_of(arena, facts);
    const WaitRows rows = wait_rows(arena, curves.step_count, facts->wait_target_ns);
    const char **headings = ARENA_ARRAY(arena, const char *, curves.count + 1);
    const char **cells = ARENA_ARRAY(arena, const char *, curves.count + 1);
    headings[0] = "waited at most";
    for (int32_t i = 0; i < curves.count; i++)
        headings[i + 1] = curves.shades[i].name;
    FigureNumbers *numbers = numbers_create(arena, headings, curves.count + 1, false);
    for (int32_t row = 0; row < rows.count; row++) {
        cells[0] = rows.names[row];
        for (int32_t i = 0; i < curves.count; i++) {
            Text text = {0};
            percent_print(&text, waits_within_ppm(&curves.waits[i], rows.ns[row]), 1);
            cells[i + 1] = arena_strdup(arena, text_string(&text));
            text_free(&text);
        }
        numbers_add(numbers, row_band(&rows, row, curves.step_count), cells);
    }
    return numbers;
}

static int64_t count_waiting(const Facts *facts)
{
    int64_t waiting = 0;
    for (uint32_t i = 0; i < facts->job_count; i++)
        waiting += facts->jobs[i].is_waiting;
    return waiting;
}

static const char *waits_note(Arena *arena, const Facts *facts)
{
    const int64_t waiting = count_waiting(facts);
    Text note = {0};
    text_add(&note, "The dashed line is at the target, ");
    span_print(&note, facts->wait_target_ns);
    text_add(&note, ".");
    if (waiting > 0)
        text_printf(&note,
                    " %" PRId64 " job%s still waited when the run ended, so the curves do not "
                    "reach 100\xC2\xA0%%.",
                    waiting, plural(waiting));
    return text_move(arena, &note);
}

void figures_waits(Figures *figures, const Facts *facts)
{
    Figure figure = {.section = SECTION_WAITS,
                     .file = "waits",
                     .title = "Share of the jobs that waited at most this long",
                     .left = 52,
                     .left_narrow = 52};
    if (facts->job_count == 0) {
        figure.note = facts_no_rows(facts);
        figures_missing(figures, figure);
        return;
    }
    figure.note = waits_note(figures->arena, facts);
    figure.numbers = waits_numbers(figures->arena, facts);
    figure_draw(figures, figure, "waits.gp", waits_data, facts, 0, 200);
}

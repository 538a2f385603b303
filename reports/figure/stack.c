#include "reports/figure/stack.h"

#include <inttypes.h>
#include <stdlib.h>

#include "reports/text/wording.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"
#include "sim/json/decimal.h"

/* If there are more changes than this, the counts at so many instants are shown. */
enum { CHANGES_SHOWN = 4000, MOMENTS_SHOWN = 1500 };
enum { TABLE_ROWS = 24, LEFT = 40, HEIGHT = 150 }; /* pixels */

static int by_time(const void *left, const void *right)
{
    const StackChange *a = left, *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    if (a->band != b->band)
        return a->band - b->band;
    return a->change - b->change;
}

void stack_sort(Stack *stack)
{
    qsort(stack->changes, stack->change_count, sizeof stack->changes[0], by_time);
    stack->used = 0;
    for (uint32_t i = 0; i < stack->change_count; i++)
        stack->used |= 1U << stack->changes[i].band;
}

static void point_print(Text *out, int64_t at_ns, const Stack *stack, const int32_t *counts)
{
    int32_t sum = 0;
    seconds_print(out, at_ns);
    for (int32_t band = 0; band < stack->band_count; band++) {
        sum += counts[band];
        if ((stack->used >> band & 1) != 0)
            text_printf(out, " %" PRId32, sum);
    }
    text_add(out, "\n");
}

/* Each moment of change has two points, before and after, so that the bands have upright edges.
 * Returns the largest sum. */
static int32_t points_print(Text *out, const Stack *stack)
{
    const int64_t end_ns = stack->end_ns;
    const uint32_t count = stack->change_count;
    const StackChange *changes = stack->changes;
    const int64_t grain_ns = count > CHANGES_SHOWN ? end_ns / MOMENTS_SHOWN : 0;
    int32_t counts[STACK_BANDS_MAX] = {0};
    int32_t sum = 0, sum_max = 0;
    int64_t shown_ns = -grain_ns;
    text_add(out, "$states << END\n");
    for (uint32_t i = 0; i < count;) {
        const int64_t at_ns = changes[i].at_ns;
        const bool is_shown = at_ns - shown_ns >= grain_ns || changes[count - 1].at_ns == at_ns;
        if (is_shown)
            point_print(out, at_ns, stack, counts);
        for (; i < count && changes[i].at_ns == at_ns; i++) {
            counts[changes[i].band] += changes[i].change;
            sum += changes[i].change;
        }
        if (is_shown) {
            point_print(out, at_ns, stack, counts);
            shown_ns = at_ns;
        }
        sum_max = sum > sum_max ? sum : sum_max;
    }
    text_add(out, "END\n");
    return sum_max;
}

static void stack_print(Text *out, const Stack *stack, FigureLayout layout)
{
    key_print(out, stack->bands, stack->band_count, stack->used, layout);
    time_axis_print(out, stack->end_ns, layout);
    const int64_t most = points_print(out, stack);
    const int64_t shown = most > 0 ? most : 1, step = round_step(shown, 5);
    text_printf(out, "y_step = %" PRId64 "\ny_end = %" PRId64 "\n", step,
                (shown + step - 1) / step * step);
}

/* --- The table --- */

/* Time that the items of each band spend in a part of the run. */
typedef struct {
    Wide ns[STACK_BANDS_MAX];
    int32_t most;
} Part;

static void parts_fill(const Stack *stack, Part *parts, int32_t count)
{
    int32_t counts[STACK_BANDS_MAX] = {0}, sum = 0;
    int64_t now_ns = 0;
    uint32_t i = 0;
    for (int32_t p = 0; p < count; p++) {
        const int64_t until_ns = mul_div(stack->end_ns, p + 1, count);
        parts[p].most = now_ns < until_ns ? 0 : sum; // what ends as a part begins is not in it
        while (now_ns < until_ns) {
            for (; i < stack->change_count && stack->changes[i].at_ns <= now_ns; i++) {
                counts[stack->changes[i].band] += stack->changes[i].change;
                sum += stack->changes[i].change;
            }
            parts[p].most = sum > parts[p].most ? sum : parts[p].most;
            const bool has_next = i < stack->change_count && stack->changes[i].at_ns < until_ns;
            const int64_t next_ns = has_next ? stack->changes[i].at_ns : until_ns;
            for (int32_t band = 0; band < stack->band_count; band++)
                parts[p].ns[band] += (Wide)counts[band] * (next_ns - now_ns);
            now_ns = next_ns;
        }
    }
}

static const char *mean_cell(Arena *arena, Wide ns, int64_t length_ns)
{
    Text text = {0};
    decimal_print_rounded(&text, wide_proportion(ns, 1000, (Wide)length_ns), 3, 1);
    return text_move(arena, &text);
}

static const char *span_cell(Arena *arena, int64_t from_ns, int64_t to_ns)
{
    Text text = {0};
    span_print(&text, from_ns);
    text_add(&text, " to ");
    span_print(&text, to_ns);
    return text_move(arena, &text);
}

static const FigureNumbers *stack_numbers(Arena *arena, const Stack *stack)
{
    const int32_t rows = TABLE_ROWS;
    const char **headings = ARENA_ARRAY(arena, const char *, stack->band_count + 2);
    const char **cells = ARENA_ARRAY(arena, const char *, stack->band_count + 2);
    Part *parts = ARENA_ARRAY(arena, Part, rows);
    invariant(stack->band_count <= STACK_BANDS_MAX);
    parts_fill(stack, parts, rows);
    int32_t columns = 0;
    headings[columns++] = "time";
    for (int32_t band = 0; band < stack->band_count; band++)
        if ((stack->used >> band & 1) != 0)
            headings[columns++] = arena_printf(arena, "mean %s", stack->bands[band].name);
    headings[columns++] = "most together";
    FigureNumbers *numbers = numbers_create(arena, headings, columns, false);
    for (int32_t p = 0; p < rows; p++) {
        const int64_t from_ns = mul_div(stack->end_ns, p, rows),
                      to_ns = mul_div(stack->end_ns, p + 1, rows);
        int32_t column = 0;
        cells[column++] = span_cell(arena, from_ns, to_ns);
        for (int32_t band = 0; band < stack->band_count; band++)
            if ((stack->used >> band & 1) != 0)
                cells[column++] =
                    mean_cell(arena, parts[p].ns[band], to_ns > from_ns ? to_ns - from_ns : 1);
        cells[column] = arena_printf(arena, "%" PRId32, parts[p].most);
        numbers_add(numbers, (PlotBand){PPM * p / rows, PPM * (p + 1) / rows}, cells);
    }
    return numbers;
}

void stack_draw(Figures *figures, Figure figure, const Stack *stack)
{
    Text wide = {0}, narrow = {0};
    stack_print(&wide, stack, figure_layout(figure.is_half, false));
    stack_print(&narrow, stack, figure_layout(figure.is_half, true));
    figure.left = figure.left_narrow = LEFT;
    figure.numbers = stack_numbers(figures->arena, stack);
    figures_draw(figures, figure, "nodes.gp", text_string(&wide), text_string(&narrow), HEIGHT);
    text_free(&wide);
    text_free(&narrow);
}

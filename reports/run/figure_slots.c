/* Private to reports/run: slots of clusters over time, coloured by the size of the jobs. A slot is
 * a place that nodes take one after another: a new node takes the first free one. So there are as
 * many slots as nodes at one time, however often nodes are replaced. */
#include <inttypes.h>
#include <string.h>

#include "reports/run/figure_draw.h"
#include "reports/run/figures.h"
#include "reports/run/waits.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"

enum { SLOTS_SHOWN = 120, COLUMNS = 1200, NO_SHADE = 255 };

/* Kinds of bars: sizes of jobs first, then states of nodes without such a job. */
enum { SHADES = SIZE_CLASSES_MAX + NODE_STATE_COUNT };

typedef struct {
    uint32_t cluster;
    int64_t free_ns; /* when its last node left; INT64_MAX: it has one */
    uint32_t nodes;
    int64_t held_ns, running_ns; /* node time */
} Slot;

typedef struct {
    const Facts *facts;
    SizeClasses classes;
    uint32_t count;
    Slot *slots;       /* [count], by cluster */
    uint32_t *of_node; /* slot of each node, or ID_NONE */
} Slots;

static uint32_t slot_take(Slots *slots, uint32_t first, const ReportNode *node)
{
    uint32_t slot = first;
    while (slot < slots->count && slots->slots[slot].free_ns > node->allocated_ns)
        slot++;
    if (slot == slots->count)
        slots->slots[slots->count++] = (Slot){.cluster = node->cluster};
    slots->slots[slot].free_ns = node->released_ns;
    slots->slots[slot].nodes++;
    return slot;
}

/* Nodes have numbers in order of their allocation. */
static Slots slots_of(Arena *arena, const Facts *facts)
{
    Slots slots = {.facts = facts,
                   .classes = size_classes(arena, facts),
                   .slots = ARENA_ARRAY(arena, Slot, facts->node_count),
                   .of_node = ARENA_ARRAY(arena, uint32_t, facts->node_count)};
    for (uint32_t i = 0; i < facts->node_count; i++)
        slots.of_node[i] = ID_NONE;
    for (uint32_t cluster = 0; cluster < facts->run->cluster_count; cluster++) {
        const uint32_t first = slots.count;
        for (uint32_t i = 0; i < facts->node_count; i++)
            if (facts->nodes[i].cluster == cluster && facts->nodes[i].allocated_ns != ABSENT)
                slots.of_node[i] = slot_take(&slots, first, &facts->nodes[i]);
    }
    for (uint32_t i = 0; i < facts->span_count; i++) {
        const NodeSpan *span = &facts->spans[i];
        if (slots.of_node[span->node] == ID_NONE)
            continue;
        Slot *slot = &slots.slots[slots.of_node[span->node]];
        slot->held_ns += span->end_ns - span->begin_ns;
        slot->running_ns += span->state == NODE_RUNNING ? span->end_ns - span->begin_ns : 0;
    }
    return slots;
}

static uint32_t slots_shown(const Slots *slots)
{
    return slots->count < SLOTS_SHOWN ? slots->count : SLOTS_SHOWN;
}

static int shade_of(const Slots *slots, const NodeSpan *span)
{
    const int32_t class =
        span->worker != ID_NONE
            ? size_class_of(&slots->classes, slots->facts->jobs[span->worker].nodes)
            : -1;
    return class >= 0 ? class : SIZE_CLASSES_MAX + (int)span->state;
}

/* --- Bars: the shade of each slot in each column of the drawing --- */

/* The first column whose middle is at or after `at_ns`. */
static int64_t column_of(int64_t at_ns, int64_t end_ns)
{
    const int64_t column = mul_div(at_ns, 2 * COLUMNS, end_ns); // half columns
    return (column + 1) / 2;
}

static uint8_t *columns_of(Arena *arena, const Slots *slots)
{
    const Facts *facts = slots->facts;
    uint8_t *columns = ARENA_ARRAY(arena, uint8_t, (size_t)slots->count * COLUMNS);
    memset(columns, NO_SHADE, (size_t)slots->count * COLUMNS);
    for (uint32_t i = 0; i < facts->span_count; i++) {
        const NodeSpan *span = &facts->spans[i];
        const uint32_t slot = slots->of_node[span->node];
        if (slot == ID_NONE)
            continue;
        const int64_t from = column_of(span->begin_ns, facts->run->end_ns),
                      to = column_of(span->end_ns, facts->run->end_ns);
        for (int64_t column = from; column < to && column < COLUMNS; column++)
            columns[(size_t)slot * COLUMNS + (size_t)column] = (uint8_t)shade_of(slots, span);
    }
    return columns;
}

static void bar_print(Text *out, const Slots *slots, uint32_t slot, int64_t from, int64_t to,
                      const Shade *shade)
{
    const int64_t end_ns = slots->facts->run->end_ns;
    seconds_print(out, mul_div(end_ns, from, COLUMNS));
    text_add(out, " ");
    seconds_print(out, mul_div(end_ns, to, COLUMNS));
    text_printf(out, " %" PRIu32 " 0x%06" PRIX32 "\n", slot + 1, (uint32_t)shade->rgb);
}

static uint32_t bars_print(Text *out, const Slots *slots, const uint8_t *columns,
                           const Shade *shades)
{
    uint32_t used = 0;
    text_add(out, "$bars << END\n");
    for (uint32_t slot = 0; slot < slots_shown(slots); slot++) {
        const uint8_t *row = columns + (size_t)slot * COLUMNS;
        for (int64_t from = 0, to; from < COLUMNS; from = to) {
            for (to = from + 1; to < COLUMNS && row[to] == row[from];)
                to++;
            if (row[from] == NO_SHADE)
                continue;
            used |= 1U << row[from];
            bar_print(out, slots, slot, from, to, &shades[row[from]]);
        }
    }
    text_add(out, "0 0 1 0\nEND\n");
    return used;
}

static void slots_data(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout)
{
    (void)subject;
    Arena *scratch = arena_create();
    const Slots slots = slots_of(scratch, facts);
    const uint32_t rows = slots_shown(&slots);
    Shade shades[SHADES] = {0};
    for (int32_t i = 0; i < slots.classes.count; i++)
        shades[i] = (Shade){arena_printf(scratch, "job of %s", slots.classes.items[i].name),
                            size_class_rgb(i, slots.classes.count)};
    memcpy(shades + SIZE_CLASSES_MAX, node_shades, sizeof node_shades);
    time_axis_print(out, facts->run->end_ns, layout);
    text_printf(out, "rows = %" PRIu32 "\nrow_step = %" PRId64 "\nrow_half = %s\n", rows,
                rows > 24 ? 10 : INT64_C(1), rows > 60 ? "0.5" : "0.42");
    const uint32_t used = bars_print(out, &slots, columns_of(scratch, &slots), shades);
    key_print(out, shades, SHADES, used, layout);
    arena_destroy(scratch);
}

static const char *hours_cell(Arena *arena, int64_t ns)
{
    Text text = {0};
    span_print(&text, ns);
    const char *cell = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return cell;
}

static const FigureNumbers *slots_numbers(Arena *arena, const Slots *slots)
{
    static const char *const headings[] = {"slot", "nodes one after another", "held", "ran jobs"};
    FigureNumbers *numbers = numbers_create(arena, headings, 4, true);
    const int64_t rows = slots_shown(slots);
    for (int64_t i = 0; i < rows; i++) {
        const Slot *slot = &slots->slots[i];
        Text share = {0};
        percent_print(&share, share_ppm(slot->running_ns, slot->held_ns), 1);
        const char *const cells[] = {arena_printf(arena, "%" PRId64 " (%s)", i + 1,
                                                  slots->facts->run->clusters[slot->cluster].name),
                                     arena_printf(arena, "%" PRIu32, slot->nodes),
                                     hours_cell(arena, slot->held_ns), text_string(&share)};
        numbers_add(numbers, (PlotBand){PPM * i / rows, PPM * (i + 1) / rows}, cells);
        text_free(&share);
    }
    return numbers;
}

void figures_slots(Figures *figures, const Facts *facts)
{
    enum { HIGH_ROW = 14, LOW_ROW = 7, LEAST_ROW = 4 };
    Figure figure = {.section = SECTION_GANTT,
                     .file = "slots",
                     .title = "Slots of the clusters, by the size of the job that runs",
                     .left = 48,
                     .left_narrow = 42};
    const Slots slots = slots_of(figures->arena, facts);
    const int32_t rows = (int32_t)slots_shown(&slots);
    Text note = {0};
    text_printf(&note,
                "A slot is a place that nodes take one after another: %" PRIu32
                " node%s took %" PRIu32 " slot%s.",
                facts->node_count, plural(facts->node_count), slots.count, plural(slots.count));
    if (slots.count > SLOTS_SHOWN)
        text_printf(&note, " The first %d are drawn.", SLOTS_SHOWN);
    figure.note = arena_strdup(figures->arena, text_string(&note));
    text_free(&note);
    figure.numbers = slots_numbers(figures->arena, &slots);
    figure_draw(figures, figure, "slots.gp", slots_data, facts, 0,
                rows * (rows <= 24   ? HIGH_ROW
                        : rows <= 60 ? LOW_ROW
                                     : LEAST_ROW));
}

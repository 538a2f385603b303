/* Private to reports/run/figures: slots of clusters over time, coloured by the size of the jobs. A
 * slot is a place that nodes take one after another: a new node takes the first free one. So there
 * are as many slots as nodes at one time, however often nodes are replaced. Where jobs ask for
 * GPUs, each GPU of a slot is a row, and a job is drawn on the first free ones. */
#include <inttypes.h>
#include <string.h>

#include "reports/run/figures/draw.h"
#include "reports/run/figures/figures.h"
#include "reports/run/figures/wait_times.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"

enum { ROWS_SHOWN = 240, COLUMNS = 1200, NO_SHADE = 255 };

/* Kinds of bars: sizes of jobs first, then states of nodes without such a job. */
enum { SHADES = SIZE_CLASSES_MAX + NODE_STATE_COUNT };

typedef struct {
    uint32_t cluster;
    int64_t free_ns; /* when its last node left; INT64_MAX: it has one */
    uint32_t nodes;
    int32_t gpus; /* of its nodes */
    int32_t rows; /* 1, or the GPUs of a node */
    uint32_t first_row;
    Wide held_ns, running_ns; /* time of its rows */
} Slot;

typedef struct {
    const Facts *facts;
    SizeClasses classes;
    uint32_t count;
    Slot *slots;       /* [count], by cluster */
    uint32_t *of_node; /* slot of each node, or ID_NONE */
    uint32_t rows;
} Slots;

static uint32_t slot_take(Slots *slots, uint32_t first, uint32_t id)
{
    const ReportNode *node = &slots->facts->nodes[id];
    const int32_t gpus = facts_gpus_of_node(slots->facts, id);
    uint32_t slot = first;
    while (slot < slots->count && (slots->slots[slot].free_ns > node->allocated_ns ||
                                   slots->slots[slot].gpus != gpus))
        slot++;
    if (slot == slots->count)
        slots->slots[slots->count++] = (Slot){.cluster = node->cluster, .gpus = gpus};
    slots->slots[slot].free_ns = node->released_ns;
    slots->slots[slot].nodes++;
    return slot;
}

/* NULL: the node has none, because the trace does not say when it was allocated. */
static Slot *slot_of(const Slots *slots, uint32_t node)
{
    const bool is_known = node < slots->facts->node_count && slots->of_node[node] != ID_NONE;
    return is_known ? &slots->slots[slots->of_node[node]] : NULL;
}

static void slots_add_rows(Slots *slots)
{
    for (uint32_t i = 0; i < slots->count; i++) {
        Slot *slot = &slots->slots[i];
        slot->rows = slot->gpus > 0 ? slot->gpus : 1;
        slot->first_row = slots->rows;
        slots->rows += (uint32_t)slot->rows;
    }
}

static void slots_add_times(const Slots *slots)
{
    const Facts *facts = slots->facts;
    for (uint32_t i = 0; i < facts->span_count; i++) {
        const NodeSpan *span = &facts->spans[i];
        const Wide length_ns = span->end_ns - span->begin_ns;
        Slot *slot = slot_of(slots, span->node);
        if (slot == NULL)
            continue;
        slot->held_ns += length_ns * slot->rows;
        if (span->worker != ID_NONE)
            slot->running_ns += length_ns * slot->rows;
    }
    for (uint32_t i = 0; i < facts->gpu_span_count; i++) {
        const GpuSpan *span = &facts->gpu_spans[i];
        Slot *slot = slot_of(slots, span->node);
        if (slot != NULL)
            slot->running_ns += (Wide)(span->end_ns - span->begin_ns) * span->gpus;
    }
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
                slots.of_node[i] = slot_take(&slots, first, i);
    }
    slots_add_rows(&slots);
    slots_add_times(&slots);
    return slots;
}

static uint32_t rows_shown(const Slots *slots)
{
    return slots->rows < ROWS_SHOWN ? slots->rows : ROWS_SHOWN;
}

/* --- Bars: the shade of each row in each column of the drawing --- */

typedef struct {
    const Slots *slots;
    uint8_t *shades; /* [rows_shown][COLUMNS] */
} Canvas;

/* The first column whose middle is at or after `at_ns`. */
static int64_t column_of(int64_t at_ns, int64_t end_ns)
{
    const int64_t column = mul_div(at_ns, 2 * COLUMNS, end_ns); // half columns
    return (column + 1) / 2;
}

static void paint(const Canvas *canvas, uint32_t row, int64_t begin_ns, int64_t end_ns, int shade)
{
    const int64_t run_ns = canvas->slots->facts->run->end_ns;
    const int64_t from = column_of(begin_ns, run_ns), to = column_of(end_ns, run_ns);
    if (row >= rows_shown(canvas->slots))
        return;
    for (int64_t column = from; column < to && column < COLUMNS; column++)
        canvas->shades[(size_t)row * COLUMNS + (size_t)column] = (uint8_t)shade;
}

/* The shade of a job; that of `state` if its size is not known. */
static int shade_of(const Slots *slots, uint32_t job, NodeState state)
{
    const int32_t class =
        job != ID_NONE ? size_class_of(&slots->classes, slots->facts->jobs[job].size) : -1;
    return class >= 0 ? class : SIZE_CLASSES_MAX + (int)state;
}

/* A node whose GPUs jobs share is idle where no job is painted over it. */
static void paint_nodes(const Canvas *canvas)
{
    const Slots *slots = canvas->slots;
    for (uint32_t i = 0; i < slots->facts->span_count; i++) {
        const NodeSpan *span = &slots->facts->spans[i];
        const Slot *slot = slot_of(slots, span->node);
        const bool is_shared = span->state == NODE_RUNNING && span->worker == ID_NONE;
        for (int32_t row = 0; slot != NULL && row < slot->rows; row++)
            paint(canvas, slot->first_row + (uint32_t)row, span->begin_ns, span->end_ns,
                  shade_of(slots, span->worker,
                           is_shared && slot->rows > 1 ? NODE_IDLE : span->state));
    }
}

/* Spans come in order of their begins, so GPUs that are free at one stay free until they are
 * taken. */
static void paint_gpus(Arena *scratch, const Canvas *canvas)
{
    const Slots *slots = canvas->slots;
    int64_t *free_ns = ARENA_ARRAY(scratch, int64_t, slots->rows);
    for (uint32_t i = 0; i < slots->facts->gpu_span_count; i++) {
        const GpuSpan *span = &slots->facts->gpu_spans[i];
        const Slot *slot = slot_of(slots, span->node);
        int32_t left = span->gpus;
        for (int32_t r = 0; slot != NULL && r < slot->rows && left > 0; r++) {
            const uint32_t row = slot->first_row + (uint32_t)r;
            if (free_ns[row] > span->begin_ns)
                continue;
            free_ns[row] = span->end_ns;
            left--;
            paint(canvas, row, span->begin_ns, span->end_ns,
                  shade_of(slots, span->job, NODE_RUNNING));
        }
    }
}

static const uint8_t *columns_of(Arena *arena, const Slots *slots)
{
    const size_t bytes = (size_t)rows_shown(slots) * COLUMNS;
    const Canvas canvas = {.slots = slots, .shades = ARENA_ARRAY(arena, uint8_t, bytes)};
    memset(canvas.shades, NO_SHADE, bytes);
    paint_nodes(&canvas);
    paint_gpus(arena, &canvas);
    return canvas.shades;
}

static void bar_print(Text *out, const Slots *slots, uint32_t row, int64_t from, int64_t to,
                      const Shade *shade)
{
    const int64_t end_ns = slots->facts->run->end_ns;
    seconds_print(out, mul_div(end_ns, from, COLUMNS));
    text_add(out, " ");
    seconds_print(out, mul_div(end_ns, to, COLUMNS));
    text_printf(out, " %" PRIu32 " 0x%06" PRIX32 "\n", row + 1, (uint32_t)shade->rgb);
}

/* Returns a bit for each shade in use. */
static uint32_t bars_print(Text *out, const Slots *slots, const uint8_t *columns,
                           const Shade *shades)
{
    uint32_t used = 0;
    text_add(out, "$bars << END\n");
    for (uint32_t row = 0; row < rows_shown(slots); row++) {
        const uint8_t *shade = columns + (size_t)row * COLUMNS;
        for (int64_t from = 0, to; from < COLUMNS; from = to) {
            for (to = from + 1; to < COLUMNS && shade[to] == shade[from];)
                to++;
            if (shade[from] == NO_SHADE)
                continue;
            used |= 1U << shade[from];
            bar_print(out, slots, row, from, to, &shades[shade[from]]);
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
    const uint32_t rows = rows_shown(&slots);
    Shade shades[SHADES] = {0};
    for (int32_t i = 0; i < slots.classes.count; i++)
        shades[i] = (Shade){arena_printf(scratch, "job of %s", slots.classes.items[i].name),
                            size_class_rgb(i, slots.classes.count)};
    memcpy(shades + SIZE_CLASSES_MAX, node_shades, sizeof node_shades);
    time_axis_print(out, facts->run->end_ns, layout);
    text_printf(out, "rows = %" PRIu32 "\nrow_step = %d\nrow_half = %s\n", rows,
                rows > 120  ? 40
                : rows > 24 ? 10
                            : 1,
                rows > 60 ? "0.5" : "0.42");
    const uint32_t used = bars_print(out, &slots, columns_of(scratch, &slots), shades);
    key_print(out, shades, SHADES, used, layout);
    arena_destroy(scratch);
}

/* --- The table: a row for each slot --- */

static const char *span_cell(Arena *arena, Wide ns)
{
    Text text = {0};
    span_print(&text, wide_capped(ns));
    return text_move(arena, &text);
}

static void numbers_add_slot(FigureNumbers *numbers, const Slots *slots, uint32_t index)
{
    Arena *arena = numbers->arena;
    const Slot *slot = &slots->slots[index];
    const int64_t rows = rows_shown(slots), end = slot->first_row + (int64_t)slot->rows;
    Text share = {0};
    percent_print(&share,
                  wide_proportion(slot->running_ns, PPM, slot->held_ns > 0 ? slot->held_ns : 1), 1);
    const char *const cells[] = {arena_printf(arena, "%" PRIu32 " (%s)", index + 1,
                                              slots->facts->run->clusters[slot->cluster].name),
                                 arena_printf(arena, "%" PRIu32, slot->nodes),
                                 span_cell(arena, slot->held_ns / slot->rows), text_string(&share)};
    numbers_add(numbers,
                (PlotBand){PPM * slot->first_row / rows, PPM * (end < rows ? end : rows) / rows},
                cells);
    text_free(&share);
}

static const FigureNumbers *slots_numbers(Arena *arena, const Slots *slots)
{
    static const char *const headings[] = {"slot", "nodes one after another", "held", "ran jobs"};
    FigureNumbers *numbers = numbers_create(arena, headings, 4, true);
    for (uint32_t i = 0; i < slots->count && slots->slots[i].first_row < rows_shown(slots); i++)
        numbers_add_slot(numbers, slots, i);
    return numbers;
}

static const char *slots_note(Arena *arena, const Slots *slots)
{
    Text note = {0};
    text_printf(&note,
                "A slot is a place that nodes take one after another: %" PRIu32
                " node%s took %" PRIu32 " slot%s.",
                slots->facts->node_count, plural(slots->facts->node_count), slots->count,
                plural(slots->count));
    if (slots->rows > slots->count)
        text_add(&note, " Each GPU of a slot is a row.");
    if (slots->rows > ROWS_SHOWN)
        text_printf(&note, " The first %d of %" PRIu32 " rows are drawn.", ROWS_SHOWN, slots->rows);
    return text_move(arena, &note);
}

void figures_slots(Figures *figures, const Facts *facts)
{
    enum { HIGH_ROW = 14, LOW_ROW = 7, LEAST_ROW = 4, MOST_BODY = 480 };
    const Slots slots = slots_of(figures->arena, facts);
    const int32_t rows = (int32_t)rows_shown(&slots);
    const int32_t body = rows * (rows <= 24 ? HIGH_ROW : rows <= 60 ? LOW_ROW : LEAST_ROW);
    const Figure figure = {.section = SECTION_GANTT,
                           .file = "slots",
                           .title = "Slots of the clusters, by the size of the job that runs",
                           .note = slots_note(figures->arena, &slots),
                           .left = 48,
                           .left_narrow = 42,
                           .numbers = slots_numbers(figures->arena, &slots)};
    figure_draw(figures, figure, "slots.gp", slots_data, facts, 0,
                body < MOST_BODY ? body : MOST_BODY);
}

#include "sim/cloud/job/drawn.h"

#include "sim/base/name_table.h"
#include "sim/engine/rng.h"

enum { NOT_DRAWN = -1 };

/* A piece that is drawn for the current place, and how far it has been copied. */
typedef struct {
    uint64_t address;         /* of the draws of its rows */
    int64_t keeps_ppm;        /* of its rows, by chance */
    int64_t shift_ns;         /* from the times of its rows to those of the draw */
    int64_t begin, next, end; /* rows of the list */
    int32_t *drawn;           /* [row - begin] the row of the draw; NOT_DRAWN */
} Layer;

typedef struct {
    const JobList *list;
    Resample resample;
    uint64_t seed, address;
    int64_t pieces;
    int64_t *row_of;    /* [count] the row of the list, of each row of the draw ... */
    int64_t *submit_ns; /* ... and its own time ... */
    int64_t *after_job; /* ... and the row of the draw that must end first */
    int64_t count;
} Draw;

static bool is_kept(const Draw *draw, const Layer *layer, int64_t row)
{
    if (layer->keeps_ppm >= RESAMPLE_PPM)
        return true;
    const uint64_t uniform =
        rng_word(draw->seed, RNG_RESAMPLE, layer->address, (uint64_t)row) >> 32;
    return (int64_t)(uniform * (uint64_t)RESAMPLE_PPM >> 32) < layer->keeps_ppm;
}

static void begin_layer(const Draw *draw, int64_t place, int64_t index, Layer *layer)
{
    const int64_t length_ns = draw->resample.piece_ns;
    // Not by the number of layers: with more load the same pieces are drawn, and others added.
    const uint64_t number = (uint64_t)index << 32 | (uint64_t)place;
    const uint64_t word = rng_word(draw->seed, RNG_RESAMPLE, draw->address, number);
    const int64_t piece = (int64_t)((word >> 32) * (uint64_t)draw->pieces >> 32);
    const int64_t left_ppm = draw->resample.load_ppm - index * RESAMPLE_PPM;
    layer->address = draw->address ^ (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    layer->keeps_ppm = left_ppm < RESAMPLE_PPM ? left_ppm : RESAMPLE_PPM;
    layer->shift_ns = (place - piece) * length_ns;
    layer->begin = layer->next = resample_row_at(draw->list, piece * length_ns);
    layer->end = resample_row_at(draw->list, (piece + 1) * length_ns);
}

/* The row of the draw for which the copy of `row` waits; JOB_LIST_UNKNOWN. */
static int64_t drawn_predecessor(const JobList *list, const Layer *layer, int64_t row)
{
    const int64_t first = list->after_job != NULL ? list->after_job[row] : JOB_LIST_UNKNOWN;
    if (first == JOB_LIST_UNKNOWN || first < layer->begin ||
        layer->drawn[first - layer->begin] == NOT_DRAWN)
        return JOB_LIST_UNKNOWN;
    return layer->drawn[first - layer->begin];
}

static void copy_row(Draw *draw, Layer *layer)
{
    const int64_t row = layer->next++;
    layer->drawn[row - layer->begin] = NOT_DRAWN;
    if (!is_kept(draw, layer, row))
        return;
    layer->drawn[row - layer->begin] = (int32_t)draw->count;
    draw->row_of[draw->count] = row;
    draw->submit_ns[draw->count] = draw->list->submit_ns[row] + layer->shift_ns;
    draw->after_job[draw->count++] = drawn_predecessor(draw->list, layer, row);
}

/* The layer whose next row is submitted first, the first one among equals; NULL: all are copied. */
static Layer *earliest(const JobList *list, Layer *layers, int64_t count)
{
    Layer *first = NULL;
    for (int64_t i = 0; i < count; i++) {
        Layer *layer = &layers[i];
        if (layer->next < layer->end &&
            (first == NULL || list->submit_ns[layer->next] + layer->shift_ns <
                                  list->submit_ns[first->next] + first->shift_ns))
            first = layer;
    }
    return first;
}

static void draw_rows(Arena *arena, Draw *draw)
{
    const int64_t layer_count = resample_layers(draw->resample);
    const int64_t piece_most = resample_piece_rows_most(draw->list, draw->resample.piece_ns);
    const int64_t most = piece_most * draw->pieces * layer_count;
    Layer *layers = ARENA_ARRAY(arena, Layer, layer_count);
    draw->row_of = ARENA_ARRAY(arena, int64_t, most);
    draw->submit_ns = ARENA_ARRAY(arena, int64_t, most);
    draw->after_job = ARENA_ARRAY(arena, int64_t, most);
    for (int64_t i = 0; i < layer_count; i++)
        layers[i].drawn = ARENA_ARRAY(arena, int32_t, piece_most);
    for (int64_t place = 0; place < draw->pieces; place++) {
        for (int64_t i = 0; i < layer_count; i++)
            begin_layer(draw, place, i, &layers[i]);
        for (Layer *layer; (layer = earliest(draw->list, layers, layer_count)) != NULL;)
            copy_row(draw, layer);
    }
}

static const int32_t *drawn32(Arena *arena, const Draw *draw, const int32_t *column)
{
    if (column == NULL)
        return NULL;
    int32_t *items = ARENA_ARRAY(arena, int32_t, draw->count);
    for (int64_t i = 0; i < draw->count; i++)
        items[i] = column[draw->row_of[i]];
    return items;
}

static const int64_t *drawn64(Arena *arena, const Draw *draw, const int64_t *column)
{
    if (column == NULL)
        return NULL;
    int64_t *items = ARENA_ARRAY(arena, int64_t, draw->count);
    for (int64_t i = 0; i < draw->count; i++)
        items[i] = column[draw->row_of[i]];
    return items;
}

static const JobList *drawn_list(Arena *arena, const Draw *draw)
{
    const JobList *from = draw->list;
    JobList *list = ARENA_NEW(arena, JobList);
    *list = (JobList){.count = draw->count,
                      .submit_ns = draw->submit_ns,
                      .run_ns = drawn64(arena, draw, from->run_ns),
                      .gpus = drawn32(arena, draw, from->gpus),
                      .gpus_per_node_max = drawn32(arena, draw, from->gpus_per_node_max),
                      .nodes = drawn32(arena, draw, from->nodes),
                      .cpus = drawn32(arena, draw, from->cpus),
                      .memory_bytes = drawn64(arena, draw, from->memory_bytes),
                      .priority = drawn32(arena, draw, from->priority),
                      .requested_ns = drawn64(arena, draw, from->requested_ns),
                      .recorded_wait_ns = drawn64(arena, draw, from->recorded_wait_ns),
                      .after_job = from->after_job != NULL ? draw->after_job : NULL,
                      .think_ns = drawn64(arena, draw, from->think_ns),
                      .queue = drawn32(arena, draw, from->queue),
                      .user = drawn32(arena, draw, from->user),
                      .gpu_type = drawn32(arena, draw, from->gpu_type),
                      .speeds = drawn32(arena, draw, from->speeds),
                      .state = drawn32(arena, draw, from->state),
                      .queues = from->queues,
                      .users = from->users,
                      .gpu_types = from->gpu_types,
                      .speed_words = from->speed_words,
                      .states = from->states};
    return list;
}

static Workload drawn_workload(Arena *arena, const Workload *workload, uint64_t seed)
{
    const JobList *from = workload->list;
    Draw draw = {.list = from,
                 .resample = workload->resample,
                 .seed = seed,
                 .address = name_hash(workload->name),
                 .pieces = resample_pieces(from, workload->resample.piece_ns)};
    draw_rows(arena, &draw);
    Workload drawn = *workload;
    drawn.list = drawn_list(arena, &draw);
    if (workload->cluster_of_row != NULL)
        drawn.cluster_of_row =
            workload->cluster_of_row == from->queue ? drawn.list->queue : drawn.list->gpu_type;
    return drawn;
}

const Scenario *scenario_with_drawn_lists(Arena *arena, const Scenario *scenario)
{
    Workload *workloads = NULL;
    for (int32_t i = 0; i < scenario->workload_count; i++) {
        const Workload *workload = &scenario->workloads[i];
        if (workload->list == NULL || workload->resample.piece_ns == 0)
            continue;
        if (workloads == NULL) {
            workloads = ARENA_ARRAY(arena, Workload, scenario->workload_count);
            for (int32_t w = 0; w < scenario->workload_count; w++)
                workloads[w] = scenario->workloads[w];
        }
        workloads[i] = drawn_workload(arena, workload, scenario->seed);
    }
    if (workloads == NULL)
        return scenario;
    Scenario *drawn = ARENA_NEW(arena, Scenario);
    *drawn = *scenario;
    drawn->workloads = workloads;
    return drawn;
}

#include "sim/output/explain/gpu_rooms.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/cloud/cluster/cluster.h"

// A forged trace may name any number of GPUs.
enum { GPUS_MAX = 1 << 16 };

typedef struct {
    int32_t idle_nodes;
    int32_t gpus_per_node; /* 0: not known */
    PlaceSet *by_free;     /* [free GPUs, 0 to gpus_per_node]: only the counts */
} GpuRoom;

typedef struct {
    int32_t jobs; /* that share it */
    int32_t used; /* GPUs */
} SharedNode;

typedef struct {
    uint32_t node;
    int32_t gpus;
} Placed;

typedef struct {
    Placed *placed; /* in this attempt */
    uint32_t count, capacity;
} PlacedJob;

struct GpuRooms {
    Arena *arena;
    GpuRoom *clusters;
    SharedNode *nodes;
    PlacedJob *jobs;
    uint32_t cluster_capacity, node_capacity, job_capacity;
};

GpuRooms *gpu_rooms_create(Arena *arena)
{
    GpuRooms *rooms = ARENA_NEW(arena, GpuRooms);
    *rooms = (GpuRooms){.arena = arena};
    return rooms;
}

static GpuRoom *room_of(GpuRooms *rooms, const TraceRow *row)
{
    const uint32_t id = row->record.cluster.index;
    rooms->clusters = array_room(rooms->arena, rooms->clusters, id + 1, &rooms->cluster_capacity,
                                 sizeof *rooms->clusters);
    return &rooms->clusters[id];
}

static SharedNode *node_of(GpuRooms *rooms, uint32_t id)
{
    rooms->nodes =
        array_room(rooms->arena, rooms->nodes, id + 1, &rooms->node_capacity, sizeof *rooms->nodes);
    return &rooms->nodes[id];
}

static void idle_changes(GpuRoom *room, int32_t change)
{
    room->idle_nodes += change;
    if (room->by_free != NULL)
        room->by_free[room->gpus_per_node].count += change;
}

/* Counts a shared node among those with as many free GPUs as it has, or no longer. */
static void count_shared(GpuRoom *room, const SharedNode *node, int32_t change)
{
    const int32_t free = room->gpus_per_node - node->used;
    if (node->jobs > 0 && free >= 0 && free <= room->gpus_per_node)
        room->by_free[free].count += change;
}

static void node_changes(GpuRoom *room, SharedNode *node, int32_t jobs, int32_t gpus)
{
    count_shared(room, node, -1);
    node->jobs += jobs;
    node->used += gpus;
    count_shared(room, node, 1);
}

static void node_state(GpuRooms *rooms, const TraceRow *row)
{
    const bool is_idle = strcmp(row->record.name, node_state_name(NODE_IDLE)) == 0;
    const bool was_idle = row->record.node_state.was == NODE_IDLE;
    idle_changes(room_of(rooms, row), (int32_t)is_idle - (int32_t)was_idle);
}

static void job_placed(GpuRooms *rooms, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    GpuRoom *room = room_of(rooms, row);
    if (record->job_placed.gpus_per_node > GPUS_MAX || record->job_placed.gpus > GPUS_MAX)
        return;
    if (room->by_free == NULL) {
        room->gpus_per_node = (int32_t)record->job_placed.gpus_per_node;
        room->by_free = ARENA_ARRAY(rooms->arena, PlaceSet, room->gpus_per_node + 1);
        room->by_free[room->gpus_per_node].count = room->idle_nodes;
    }
    rooms->jobs = array_room(rooms->arena, rooms->jobs, record->job.index + 1, &rooms->job_capacity,
                             sizeof *rooms->jobs);
    PlacedJob *job = &rooms->jobs[record->job.index];
    job->placed =
        array_room(rooms->arena, job->placed, job->count + 1, &job->capacity, sizeof *job->placed);
    const Placed placed = {record->node.index, (int32_t)record->job_placed.gpus};
    job->placed[job->count++] = placed;
    node_changes(room, node_of(rooms, placed.node), 1, placed.gpus);
}

static void job_attempt(GpuRooms *rooms, const TraceRow *row)
{
    const uint32_t id = row->record.job.index;
    PlacedJob *job = id < rooms->job_capacity ? &rooms->jobs[id] : NULL;
    GpuRoom *room = room_of(rooms, row);
    for (uint32_t i = 0; job != NULL && room->by_free != NULL && i < job->count; i++)
        node_changes(room, node_of(rooms, job->placed[i].node), -1, -job->placed[i].gpus);
    if (job != NULL)
        job->count = 0;
}

void gpu_rooms_add_row(GpuRooms *rooms, const TraceRow *row)
{
    if (row->record.kind == TRACE_NODE_STATE)
        node_state(rooms, row);
    if (row->record.kind == TRACE_JOB_PLACED)
        job_placed(rooms, row);
    if (row->record.kind == TRACE_JOB_ATTEMPT)
        job_attempt(rooms, row);
}

Room gpu_rooms_of(const GpuRooms *rooms, uint32_t cluster)
{
    if (cluster >= rooms->cluster_capacity)
        return (Room){0};
    const GpuRoom *room = &rooms->clusters[cluster];
    return (Room){.gpus_per_node = room->gpus_per_node,
                  .idle_nodes = room->idle_nodes,
                  .places = room->by_free};
}

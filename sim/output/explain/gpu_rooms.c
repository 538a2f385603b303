#include "sim/output/explain/gpu_rooms.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/cloud/cluster/cluster.h"

// A forged trace may name any number of GPUs.
enum { GPUS_MAX = 1 << 16 };

/* The nodes of one kind. */
typedef struct {
    int32_t idle_nodes;
    int32_t gpus_per_node; /* 0: not known */
    PlaceSet *by_free;     /* [free GPUs, 0 to gpus_per_node]: only the counts */
} GpuRoom;

typedef struct {
    GpuRoom *kinds;
    Room *rooms; /* of the last call of gpu_rooms_of */
    uint32_t kind_count, kind_capacity, room_capacity;
} ClusterRoom;

typedef struct {
    int32_t jobs;  /* that share it */
    int32_t used;  /* GPUs */
    uint32_t kind; /* of its cluster */
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
    ClusterRoom *clusters;
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

/* The nodes of a kind of the row's cluster. */
static GpuRoom *room_of(GpuRooms *rooms, const TraceRow *row, uint32_t kind)
{
    const uint32_t id = row->record.cluster.index;
    rooms->clusters = array_room(rooms->arena, rooms->clusters, id + 1, &rooms->cluster_capacity,
                                 sizeof *rooms->clusters);
    ClusterRoom *cluster = &rooms->clusters[id];
    cluster->kinds = array_room(rooms->arena, cluster->kinds, kind + 1, &cluster->kind_capacity,
                                sizeof *cluster->kinds);
    cluster->rooms = array_room(rooms->arena, cluster->rooms, kind + 1, &cluster->room_capacity,
                                sizeof *cluster->rooms);
    if (kind >= cluster->kind_count)
        cluster->kind_count = kind + 1;
    return &cluster->kinds[kind];
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
    const uint32_t kind = node_of(rooms, row->record.node.index)->kind;
    idle_changes(room_of(rooms, row, kind), (int32_t)is_idle - (int32_t)was_idle);
}

/* The GPUs of a node of the room become known. */
static void count_gpus(const GpuRooms *rooms, GpuRoom *room, int64_t gpus_per_node)
{
    if (room->by_free != NULL)
        return;
    room->gpus_per_node = (int32_t)gpus_per_node;
    room->by_free = ARENA_ARRAY(rooms->arena, PlaceSet, room->gpus_per_node + 1);
    room->by_free[room->gpus_per_node].count = room->idle_nodes;
}

static void node_kind(GpuRooms *rooms, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    if (record->node_kind.kind >= NODE_KINDS_MAX || record->node_kind.gpus > GPUS_MAX)
        return;
    const uint32_t kind = (uint32_t)record->node_kind.kind;
    node_of(rooms, record->node.index)->kind = kind;
    count_gpus(rooms, room_of(rooms, row, kind), record->node_kind.gpus);
}

static void job_placed(GpuRooms *rooms, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    GpuRoom *room = room_of(rooms, row, node_of(rooms, record->node.index)->kind);
    if (record->job_placed.gpus_per_node > GPUS_MAX || record->job_placed.gpus > GPUS_MAX)
        return;
    count_gpus(rooms, room, record->job_placed.gpus_per_node);
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
    for (uint32_t i = 0; job != NULL && i < job->count; i++) {
        SharedNode *node = node_of(rooms, job->placed[i].node);
        GpuRoom *room = room_of(rooms, row, node->kind);
        if (room->by_free != NULL)
            node_changes(room, node, -1, -job->placed[i].gpus);
    }
    if (job != NULL)
        job->count = 0;
}

void gpu_rooms_add_row(GpuRooms *rooms, const TraceRow *row)
{
    if (row->record.kind == TRACE_NODE_KIND)
        node_kind(rooms, row);
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
    const ClusterRoom *all = &rooms->clusters[cluster];
    for (uint32_t k = 0; k < all->kind_count; k++)
        all->rooms[k] = (Room){.kind = (int32_t)k,
                               .gpus_per_node = all->kinds[k].gpus_per_node,
                               .idle_nodes = all->kinds[k].idle_nodes,
                               .places = all->kinds[k].by_free,
                               .next = k + 1 < all->kind_count ? &all->rooms[k + 1] : NULL};
    return all->kind_count > 0 ? all->rooms[0] : (Room){0};
}

/* The inside of the world, for the files of sim/core that change it. Everyone else includes world.h
 * and looks. */
#ifndef SIM_CORE_WORLD_PARTS_H
#define SIM_CORE_WORLD_PARTS_H

#include "sim/base/name_table.h"
#include "sim/core/event.h"
#include "sim/core/event_queue.h"
#include "sim/core/rng.h"
#include "sim/core/world.h"

/* A table that grows; rows keep their addresses, so that pointers to them stay good. */
typedef struct {
    void **rows;
    uint32_t count;
    uint32_t capacity;
} RowTable;

uint32_t row_table_add(Arena *arena, RowTable *table, void *row);

/* A resource group, workspace, experiment or storage account: a name that others need to exist. */
typedef struct {
    CommandKind made_by;
    ResourcePath path;
    bool is_deleted;
} Resource;

/* A job's bytes on their way to or from a share. */
typedef enum { TRANSFER_FOR_DATA, TRANSFER_FOR_CHECKPOINT, TRANSFER_FOR_MODEL } TransferPurpose;

typedef struct {
    ShareId share;
    JobId job;    /* ID_NONE: the row is free */
    int32_t node; /* index among the job's nodes */
    TransferPurpose purpose;
    TransferKind kind;
    bool has_joined; /* latency paid, sharing now */
    uint32_t generation;
    int64_t bytes;
    int64_t begin_ns;
} Transfer;

/* A command whose moment has not come. */
typedef struct {
    bool is_waiting;
    int32_t listens_after; /* index of the command that must be applied first; -1: none */
} WaitingCommand;

struct World {
    Arena *arena;
    const Scenario *scenario;
    TraceSink sink;
    EventQueue *events;
    int64_t now_ns;
    int64_t events_run;
    bool checks_always;

    NameTable *names; /* "c:group/workspace/cluster" in small letters -> row; see resource_key */
    NameTable *name_reuses;     /* the same key -> how often it was created */
    RowTable resources;         /* Resource */
    RowTable clusters;          /* Cluster */
    RowTable nodes;             /* Node */
    RowTable jobs;              /* Job */
    RowTable shares;            /* Share */
    uint32_t *share_generation; /* [share]: grows when the share's next end moves */
    RowTable transfers;         /* Transfer */
    uint32_t *free_transfers;
    uint32_t free_transfer_count;
    uint32_t free_transfer_capacity;

    WaitingCommand *waiting; /* [command] */
    bool *is_applied;        /* [command] */
};

/* --- Access --- */

Cluster *world_cluster_row(World *world, ClusterId id);
Node *world_node_row(World *world, NodeId id);
Job *world_job_row(World *world, JobId id);
Share *world_share_row(World *world, ShareId id);

/* The key of a thing in World.names, by the kind of command that creates it. Lives until the next
 * call. */
const char *resource_key(World *world, CommandKind made_by, ResourcePath path);
Resource *world_find_resource(World *world, CommandKind made_by, ResourcePath path);
Cluster *world_find_cluster(World *world, ResourcePath path);
Job *world_find_job(World *world, ResourcePath path);

/* A stable address for the random draws of a new thing: a hash of its key, and of how often that
 * name was used before. */
uint64_t world_new_address(World *world, const char *key);
/* A GUID in lower case from an address, e.g. for the job's output path. */
const char *world_guid(World *world, uint64_t address);

/* --- Time --- */

void world_push(World *world, int64_t delay_ns, EventKind kind, uint32_t subject,
                uint32_t generation, uint32_t detail);
/* A draw from `quantiles` by address. */
int64_t world_draw(const World *world, Quantiles quantiles, RngStream stream, uint64_t entity,
                   uint64_t draw);

/* --- Telling --- */

bool world_tells(const World *world, TraceKind kind);
/* A record of `kind` at this instant, concerning nothing. */
TraceRecord world_record(const World *world, TraceKind kind);
void world_tell(World *world, const TraceRecord *record);
TraceRecord cluster_record(const World *world, TraceKind kind, const Cluster *cluster);
TraceRecord node_record(const World *world, TraceKind kind, const Node *node);
TraceRecord job_record(const World *world, TraceKind kind, const Job *job);
/* Something happened that commands may wait for; `subject` is the cluster's or job's name. */
void world_moment(World *world, Moment moment, const char *subject);

/* --- Transfers (transfer.c) --- */

void transfer_start(World *world, Job *job, int32_t node, TransferPurpose purpose, ShareId share,
                    int64_t bytes);
void transfer_joins(World *world, uint32_t transfer);
void share_end_came(World *world, ShareId share);
/* Takes back everything under way for a job. */
void transfers_cancel(World *world, const Job *job);

/* --- Training (train_job.c): the events of a job that trains --- */

void train_job_begin(World *world, Job *job);
void train_job_step(World *world, Job *job);
void train_job_epoch(World *world, Job *job);
void train_job_whole(World *world, Job *job);
void train_job_evaluated(World *world, Job *job);
void train_job_checkpointed(World *world, Job *job);
void train_job_saved(World *world, Job *job);
void train_job_scored(World *world, Job *job);

/* --- Scheduling (scheduler.c) --- */

void job_queue_init(JobQueue *queue);
void job_queue_add(World *world, Cluster *cluster, Job *job);
void job_queue_remove(World *world, Cluster *cluster, Job *job);
/* Asks for one scheduling pass at this instant, after everything else that happens now. */
void scheduler_wake(World *world, Cluster *cluster);
void scheduler_pass(World *world, Cluster *cluster);

#endif

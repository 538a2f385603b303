/* Bytes between jobs and shares: latency first, then a part of the share (sim/core/share.h), then
 * the job goes on. */
#include "sim/base/invariant.h"
#include "sim/core/world_parts.h"

static Transfer *transfer_row(World *world, uint32_t index)
{
    return row_table_at(&world->transfers, index);
}

static uint32_t new_transfer(World *world)
{
    uint32_t index = world->first_free_transfer;
    if (index == ID_NONE)
        return row_table_add(world->arena, &world->transfers, ARENA_NEW(world->arena, Transfer));
    world->first_free_transfer = transfer_row(world, index)->next_free;
    return index;
}

static void free_transfer(World *world, uint32_t index)
{
    Transfer *transfer = transfer_row(world, index);
    world_job_row(world, transfer->job)->transfers--;
    transfer->job = (JobId){ID_NONE};
    transfer->generation++;
    transfer->next_free = world->first_free_transfer;
    world->first_free_transfer = index;
}

static Share *share_of(World *world, const Transfer *transfer)
{
    return world_share_row(world, transfer->share)->share;
}

/* Whoever joins or leaves moves the share's next end: the event under way for it becomes stale. */
static void expect_next_end(World *world, ShareId id)
{
    ShareRow *row = world_share_row(world, id);
    row->generation++;
    int64_t end_ns = share_next_end_ns(row->share);
    if (end_ns != INT64_MAX)
        world_push(world, end_ns - world->now_ns, EVENT_SHARE_NEXT_END, id.index, row->generation,
                   0);
}

void transfer_start(World *world, Job *job, int32_t node, TransferPurpose purpose, ShareId share,
                    int64_t bytes)
{
    invariant(share.index != ID_NONE);
    uint32_t index = new_transfer(world);
    Transfer *transfer = transfer_row(world, index);
    bool is_read = purpose == TRANSFER_FOR_DATA || purpose == TRANSFER_FOR_RESUME;
    *transfer = (Transfer){.share = share,
                           .job = job->id,
                           .node = node,
                           .purpose = purpose,
                           .kind = is_read ? TRANSFER_READ : TRANSFER_WRITE,
                           .generation = transfer->generation,
                           .bytes = bytes,
                           .begin_ns = world->now_ns};
    job->transfers++;
    const ShareTier *tier = share_tier(share_of(world, transfer));
    world_push(world, share_latency_ns(tier, transfer->kind, bytes), EVENT_TRANSFER_JOINS, index,
               transfer->generation, 0);
}

void transfer_joins(World *world, uint32_t index)
{
    Transfer *transfer = transfer_row(world, index);
    transfer->has_joined = true;
    share_join(share_of(world, transfer), index, transfer->bytes, world->now_ns);
    expect_next_end(world, transfer->share);
}

static void tell_transfer(World *world, const Job *job, const Transfer *transfer)
{
    TraceRecord record = job_record(world, TRACE_TRANSFER, job);
    record.node = job->nodes[transfer->node];
    record.share = transfer->share;
    record.since_ns = transfer->begin_ns;
    record.bytes = transfer->bytes;
    record.name = transfer->kind == TRANSFER_READ ? "read" : "write";
    record.value[0] = share_work_ns(share_tier(share_of(world, transfer)), transfer->bytes);
    world_tell(world, &record);
}

void share_end_came(World *world, ShareId id)
{
    uint32_t index = share_end_next(world_share_row(world, id)->share, world->now_ns);
    Transfer done = *transfer_row(world, index);
    Job *job = world_job_row(world, done.job);
    tell_transfer(world, job, &done);
    free_transfer(world, index);
    expect_next_end(world, id);
    switch (done.purpose) {
    case TRANSFER_FOR_DATA:
        job_stage_done(world, job, done.node);
        return;
    case TRANSFER_FOR_CHECKPOINT:
        train_job_checkpointed(world, job);
        return;
    case TRANSFER_FOR_MODEL:
        train_job_saved(world, job);
        return;
    case TRANSFER_FOR_RESUME:
        train_job_resumed(world, job);
        return;
    }
}

void transfers_cancel(World *world, Job *job)
{
    // A job that ends by itself has none: the search is for those that are stopped in the middle.
    for (uint32_t i = 0; job->transfers > 0; i++) {
        Transfer *transfer = transfer_row(world, i);
        if (transfer->job.index != job->id.index)
            continue;
        if (transfer->has_joined) {
            bool was_there = share_leave(share_of(world, transfer), i, world->now_ns);
            invariant(was_there);
            expect_next_end(world, transfer->share);
        }
        free_transfer(world, i);
    }
}

void share_slows(World *world, ShareId share, int64_t speed_ppm, int64_t duration_ns)
{
    (void)world;
    (void)share;
    (void)speed_ppm;
    (void)duration_ns;
}

void share_restored(World *world, ShareId share, uint32_t fault)
{
    (void)world;
    (void)share;
    (void)fault;
}

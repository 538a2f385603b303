/* Bytes between jobs and shares: latency first, then a part of the share
 * (sim/cloud/storage/share.h), then the job goes on. */
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/world_parts.h"

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

/* The list of a job's transfers: those of one job are found without a look at all others. */
static void link_transfer(World *world, Job *job, uint32_t index)
{
    Transfer *transfer = transfer_row(world, index);
    transfer->previous_of_job = ID_NONE;
    transfer->next_of_job = job->transfer_row == 0 ? ID_NONE : job->transfer_row - 1;
    if (transfer->next_of_job != ID_NONE)
        transfer_row(world, transfer->next_of_job)->previous_of_job = index;
    job->transfer_row = index + 1;
    job->transfers++;
}

static void unlink_transfer(World *world, const Transfer *transfer)
{
    Job *job = world_job_row(world, transfer->job);
    if (transfer->previous_of_job != ID_NONE)
        transfer_row(world, transfer->previous_of_job)->next_of_job = transfer->next_of_job;
    else
        job->transfer_row = transfer->next_of_job == ID_NONE ? 0 : transfer->next_of_job + 1;
    if (transfer->next_of_job != ID_NONE)
        transfer_row(world, transfer->next_of_job)->previous_of_job = transfer->previous_of_job;
    job->transfers--;
}

static void free_transfer(World *world, uint32_t index)
{
    Transfer *transfer = transfer_row(world, index);
    unlink_transfer(world, transfer);
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
    link_transfer(world, job, index);
    const ShareTier *tier = share_tier(share_of(world, transfer));
    world_push(world, share_latency_ns(tier, transfer->kind, bytes), EVENT_TRANSFER_JOINS, index,
               transfer->generation, 0);
}

void transfer_joins(World *world, uint32_t index)
{
    Transfer *transfer = transfer_row(world, index);
    transfer->has_joined = true;
    transfer->ticket = share_join(share_of(world, transfer), index, transfer->kind, transfer->bytes,
                                  world->now_ns);
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
    record.transfer.work_ns =
        share_work_ns(share_tier(share_of(world, transfer)), transfer->kind, transfer->bytes);
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
    while (job->transfer_row != 0) {
        uint32_t index = job->transfer_row - 1;
        const Transfer *transfer = transfer_row(world, index);
        if (transfer->has_joined) {
            share_leave(share_of(world, transfer), transfer->ticket, world->now_ns);
            expect_next_end(world, transfer->share);
        }
        free_transfer(world, index);
    }
}

/* --- Files --- */

void world_write_file(World *world, TraceRecord record, ShareId share, const Command *upload)
{
    StoredFile file = {.volume = share.index,
                       .path = record.name,
                       .bytes = record.bytes,
                       .at_ns = world->now_ns,
                       .job = record.job,
                       .local_path = upload ? upload->as.file_upload.local_path : NULL};
    if (upload && upload->as.file_upload.text) {
        FilePart *part = ARENA_NEW(world->arena, FilePart);
        *part = (FilePart){.text = upload->as.file_upload.text, .length = record.bytes};
        file.has_parts = true;
        file.part_count = 1;
        file.parts = part;
    }
    record.share = share;
    record.file = file_set_put(world->files, &file);
    world_tell(world, &record);
}

/* --- Faults --- */

enum { FAULT_FREE = -1 };

static uint32_t new_fault(World *world, ShareRow *row)
{
    for (uint32_t i = 0; i < row->fault_count; i++)
        if (row->fault_ppm[i] == FAULT_FREE)
            return i;
    if (row->fault_count == row->fault_capacity) {
        uint32_t capacity = row->fault_capacity == 0 ? 4 : 2 * row->fault_capacity;
        int64_t *larger = ARENA_ARRAY(world->arena, int64_t, capacity);
        if (row->fault_count > 0)
            memcpy(larger, row->fault_ppm, row->fault_count * sizeof *larger);
        row->fault_ppm = larger;
        row->fault_capacity = capacity;
    }
    return row->fault_count++;
}

static int64_t slowest_ppm(const ShareRow *row)
{
    int64_t slowest = PPM;
    for (uint32_t i = 0; i < row->fault_count; i++)
        if (row->fault_ppm[i] != FAULT_FREE && row->fault_ppm[i] < slowest)
            slowest = row->fault_ppm[i];
    return slowest;
}

/* The faults of a share have changed: it goes on at the speed of the slowest. */
static void follow_faults(World *world, ShareRow *row)
{
    int64_t speed_ppm = slowest_ppm(row);
    if (speed_ppm == share_speed_ppm(row->share))
        return;
    share_set_speed(row->share, speed_ppm, world->now_ns);
    expect_next_end(world, share_id(row->share));
    TraceRecord record = world_record(world, TRACE_SHARE_STATE);
    record.share = share_id(row->share);
    record.share_state.speed_ppm = speed_ppm;
    record.name = speed_ppm == 0 ? "out" : speed_ppm < PPM ? "slow" : "up";
    world_tell(world, &record);
}

void share_slows(World *world, ShareId share, int64_t speed_ppm, int64_t duration_ns)
{
    invariant(speed_ppm >= 0);
    ShareRow *row = world_share_row(world, share);
    uint32_t fault = new_fault(world, row);
    row->fault_ppm[fault] = speed_ppm;
    world_push(world, duration_ns, EVENT_SHARE_RESTORED, share.index, 0, fault);
    follow_faults(world, row);
}

void share_restored(World *world, ShareId share, uint32_t fault)
{
    ShareRow *row = world_share_row(world, share);
    invariant(fault < row->fault_count);
    invariant(row->fault_ppm[fault] != FAULT_FREE);
    row->fault_ppm[fault] = FAULT_FREE;
    follow_faults(world, row);
}

#include "sim/cloud/storage/transfer.h"

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/storage/tables.h"
#include "sim/model/bounded.h"

TransferRow *storage_transfer_row(const Storage *storage, uint32_t index)
{
    return row_table_at(&storage->transfers, index);
}

static TransferRow *row_at(const Storage *storage, uint32_t index)
{
    return storage_transfer_row(storage, index);
}

static uint32_t new_row(Storage *storage)
{
    uint32_t index = storage->first_free_transfer;
    if (index == ID_NONE)
        return row_table_add(storage->arena, &storage->transfers,
                             ARENA_NEW(storage->arena, TransferRow));
    storage->first_free_transfer = row_at(storage, index)->next_free;
    return index;
}

static void link_row(Storage *storage, TransferList *list, uint32_t index)
{
    TransferRow *row = row_at(storage, index);
    row->list = list;
    row->previous_of_list = ID_NONE;
    row->next_of_list = list->first == 0 ? ID_NONE : list->first - 1;
    if (row->next_of_list != ID_NONE)
        row_at(storage, row->next_of_list)->previous_of_list = index;
    list->first = index + 1;
    list->count++;
}

static void unlink_row(Storage *storage, const TransferRow *row)
{
    TransferList *list = row->list;
    if (row->previous_of_list != ID_NONE)
        row_at(storage, row->previous_of_list)->next_of_list = row->next_of_list;
    else
        list->first = row->next_of_list == ID_NONE ? 0 : row->next_of_list + 1;
    if (row->next_of_list != ID_NONE)
        row_at(storage, row->next_of_list)->previous_of_list = row->previous_of_list;
    list->count--;
}

static void free_row(Storage *storage, uint32_t index)
{
    TransferRow *row = row_at(storage, index);
    unlink_row(storage, row);
    row->is_used = false;
    row->generation++;
    row->next_free = storage->first_free_transfer;
    storage->first_free_transfer = index;
}

static Share *share_of(const Storage *storage, const TransferRow *row)
{
    return storage_share_row(storage, row->transfer.share)->share;
}

static void take_ways(Storage *storage, TransferRow *row, int32_t count, const TransferWay *ways)
{
    row->way_count = count;
    row->ways = array_room(storage->arena, row->ways, (uint32_t)count, &row->way_capacity,
                           sizeof *row->ways);
    for (int32_t i = 0; i < count; i++)
        row->ways[i] = (RowWay){.link = ways[i].link, .files = ways[i].files};
}

void transfer_start(Storage *storage, TransferList *list, Transfer transfer, int32_t way_count,
                    const TransferWay *ways)
{
    invariant(transfer.share.index != ID_NONE && transfer.files >= 1);
    uint32_t index = new_row(storage);
    TransferRow *row = row_at(storage, index);
    *row = (TransferRow){.transfer = transfer,
                         .is_used = true,
                         .generation = row->generation,
                         .begin_ns = storage->engine->now_ns,
                         .changed_ns = -1,
                         .ways = row->ways,
                         .way_capacity = row->way_capacity};
    take_ways(storage, row, way_count, ways);
    link_row(storage, list, index);
    int64_t latency_ns = share_latency_ns(share_tier(share_of(storage, row)), transfer.kind,
                                          divide_up(transfer.bytes, transfer.files));
    engine_push(storage->engine, latency_ns, EVENT_TRANSFER_JOINS, index, row->generation, 0);
}

void transfer_joins(Storage *storage, uint32_t index)
{
    TransferRow *row = row_at(storage, index);
    row->has_joined = true;
    row->ticket = share_join(share_of(storage, row), index, row->transfer.kind, row->transfer.bytes,
                             row->transfer.files, storage->engine->now_ns);
    links_join(storage, index);
    share_expect_next_end(storage, row->transfer.share);
}

uint32_t transfer_generation(const Storage *storage, uint32_t index)
{
    return row_at(storage, index)->generation;
}

static TraceRecord *transfer_trace(Storage *storage, const TransferRow *row, TraceKind kind)
{
    const Transfer *transfer = &row->transfer;
    TraceRecord *record = recorder_begin(storage->recorder, kind);
    record->cluster = transfer->cluster;
    record->job = transfer->job;
    record->node = transfer->node;
    record->share = transfer->share;
    record->since_ns = row->begin_ns;
    record->bytes = transfer->bytes;
    record->name = transfer->kind == TRANSFER_READ ? "read" : "write";
    return record;
}

static void emit_transfer(Storage *storage, const TransferRow *row)
{
    const Transfer *transfer = &row->transfer;
    TraceRecord *record = transfer_trace(storage, row, TRACE_TRANSFER);
    const int64_t each_ns = share_work_ns(share_tier(share_of(storage, row)), transfer->kind,
                                          divide_up(transfer->bytes, transfer->files));
    record->transfer.work_ns = bounded_times(each_ns, transfer->files);
    recorder_emit(storage->recorder);
    if (row->limited_ns == 0)
        return;
    transfer_trace(storage, row, TRACE_LINK_FULL)->link_full.limited_ns = row->limited_ns;
    recorder_emit(storage->recorder);
}

void share_next_end(Storage *storage, ShareId share)
{
    uint32_t index =
        share_end_next(storage_share_row(storage, share)->share, storage->engine->now_ns);
    const Transfer done = row_at(storage, index)->transfer;
    emit_transfer(storage, row_at(storage, index));
    links_leave(storage, index);
    free_row(storage, index);
    share_expect_next_end(storage, share);
    storage->client.transfer_done(storage->client.client, &done);
}

void transfers_next_limited_end(Storage *storage)
{
    uint32_t index = links_end_next(storage);
    share_next_end(storage, row_at(storage, index)->transfer.share);
}

uint32_t transfers_limited_generation(const Storage *storage)
{
    return storage->wires_generation;
}

void transfers_cancel(Storage *storage, TransferList *list)
{
    while (list->first != 0) {
        uint32_t index = list->first - 1;
        const TransferRow *row = row_at(storage, index);
        if (row->has_joined) {
            links_pause(storage, index);
            share_leave(share_of(storage, row), row->ticket, storage->engine->now_ns);
            links_leave(storage, index);
            share_expect_next_end(storage, row->transfer.share);
        }
        free_row(storage, index);
    }
}

void transfers_each_share(const Storage *storage, void *context,
                          void (*found)(void *context, ShareId share))
{
    for (uint32_t t = 0; t < storage->transfers.count; t++)
        if (row_at(storage, t)->is_used)
            found(context, row_at(storage, t)->transfer.share);
}

/* --- Checks --- */

int32_t transfer_list_check(const Storage *storage, const TransferList *list, JobId job)
{
    int32_t count = 0;
    uint32_t before = ID_NONE;
    uint32_t index = list->first == 0 ? ID_NONE : list->first - 1;
    while (index != ID_NONE) {
        const TransferRow *row = row_at(storage, index);
        invariant(row->is_used && row->list == list);
        invariant(row->transfer.job.index == job.index);
        invariant(row->previous_of_list == before);
        before = index;
        index = row->next_of_list;
        count++;
    }
    invariant(count == list->count);
    return count;
}

/* The active transfers of shares are those that have joined. */
void transfers_check(const Storage *storage, int32_t listed)
{
    int32_t active = 0, joined = 0, used = 0;
    uint32_t free_rows = 0;
    for (uint32_t s = 0; (s = storage_share_next(storage, s)) < storage->shares.count; s++)
        active += share_active(storage_share(storage, (ShareId){s}));
    for (uint32_t t = 0; t < storage->transfers.count; t++) {
        const TransferRow *row = row_at(storage, t);
        used += row->is_used;
        joined += row->is_used && row->has_joined;
    }
    for (uint32_t t = storage->first_free_transfer; t != ID_NONE; free_rows++)
        t = row_at(storage, t)->next_free;
    invariant(active == joined);
    invariant(listed == used);
    invariant(free_rows + (uint32_t)used == storage->transfers.count);
    links_check(storage);
}

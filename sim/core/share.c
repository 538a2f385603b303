#include "sim/core/share.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/storage.h"

__extension__ typedef unsigned __int128 Work; /* in units of 2^-32 ns, as virtual work is */
enum { WORK_BITS = 32 };

typedef struct {
    Work end; /* of virtual work, when this transfer ends */
    uint64_t order;
    int64_t work_ns;
    int64_t bytes;
    uint32_t owner;
} Transfer;

/* `active` is a binary heap, the next to end on top; ties by order of joining. */
struct Share {
    ShareId id;
    const char *name;
    const ShareTier *tier;
    Work virtual_work;
    int64_t updated_ns; /* when virtual_work was brought up to date */
    int64_t bytes_moved;
    uint64_t joined;
    int32_t active_count;
    int32_t capacity;
    Transfer *active;
    Arena *run;
};

Share *share_create(Arena *run, ShareId id, const char *name, const ShareTier *tier, int64_t now_ns)
{
    Share *share = ARENA_NEW(run, Share);
    share->id = id;
    share->name = name;
    share->tier = tier;
    share->updated_ns = now_ns;
    share->run = run;
    return share;
}

ShareId share_id(const Share *share)
{
    return share->id;
}

const char *share_name(const Share *share)
{
    return share->name;
}

const ShareTier *share_tier(const Share *share)
{
    return share->tier;
}

int32_t share_active(const Share *share)
{
    return share->active_count;
}

int64_t share_bytes_moved(const Share *share)
{
    return share->bytes_moved;
}

static StorageLimits limits_of(const ShareTier *tier)
{
    return (StorageLimits){.bytes_per_s = tier->bytes_per_s,
                           .requests_per_s = tier->requests_per_s,
                           .request_bytes = tier->request_bytes,
                           .requests_in_flight = tier->requests_in_flight};
}

int64_t share_latency_ns(const ShareTier *tier, TransferKind kind, int64_t bytes)
{
    int64_t request_ns = kind == TRANSFER_READ ? tier->read_latency_ns : tier->write_latency_ns;
    return storage_latency_ns(limits_of(tier), request_ns, bytes);
}

int64_t share_work_ns(const ShareTier *tier, int64_t bytes)
{
    return storage_work_ns(limits_of(tier), bytes);
}

static bool ends_before(const Transfer *a, const Transfer *b)
{
    return a->end != b->end ? a->end < b->end : a->order < b->order;
}

/* Puts `transfer` at `hole` or above, moving later ends down. */
static void heap_rise(Share *share, int32_t hole, Transfer transfer)
{
    while (hole > 0 && ends_before(&transfer, &share->active[(hole - 1) / 2])) {
        share->active[hole] = share->active[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    share->active[hole] = transfer;
}

/* Takes out the transfer at `hole`: earlier ends below move up, the last one fills the gap. */
static void heap_remove(Share *share, int32_t hole)
{
    Transfer last = share->active[--share->active_count];
    if (hole == share->active_count)
        return;
    for (int32_t child = 2 * hole + 1; child < share->active_count; child = 2 * hole + 1) {
        if (child + 1 < share->active_count &&
            ends_before(&share->active[child + 1], &share->active[child]))
            child++;
        share->active[hole] = share->active[child];
        hole = child;
    }
    heap_rise(share, hole, last);
}

static void heap_reserve(Share *share)
{
    if (share->active_count < share->capacity)
        return;
    int32_t capacity = share->capacity == 0 ? 8 : 2 * share->capacity;
    Transfer *larger = ARENA_ARRAY(share->run, Transfer, capacity);
    if (share->active_count > 0)
        memcpy(larger, share->active, (size_t)share->active_count * sizeof(Transfer));
    share->active = larger;
    share->capacity = capacity;
}

/* Everyone present has done the same since the last change: the time divided by their number. */
static void bring_up_to_date(Share *share, int64_t now_ns)
{
    invariant(now_ns >= share->updated_ns);
    if (share->active_count > 0) {
        Work elapsed = (Work)(now_ns - share->updated_ns) << WORK_BITS;
        share->virtual_work += elapsed / (uint32_t)share->active_count;
    }
    share->updated_ns = now_ns;
}

void share_join(Share *share, uint32_t owner, int64_t bytes, int64_t now_ns)
{
    invariant(now_ns <= share_next_end_ns(share)); // ends come before joins at the same time
    bring_up_to_date(share, now_ns);
    heap_reserve(share);
    int64_t work_ns = share_work_ns(share->tier, bytes);
    heap_rise(share, share->active_count++,
              (Transfer){.end = share->virtual_work + ((Work)work_ns << WORK_BITS),
                         .order = share->joined++,
                         .work_ns = work_ns,
                         .bytes = bytes,
                         .owner = owner});
}

int64_t share_next_end_ns(const Share *share)
{
    if (share->active_count == 0)
        return INT64_MAX;
    Work end = share->active[0].end;
    if (end <= share->virtual_work)
        return share->updated_ns;
    const Work unit = (Work)1 << WORK_BITS;
    Work left = (end - share->virtual_work) * (uint32_t)share->active_count;
    Work left_ns = (left + unit - 1) >> WORK_BITS;
    if (left_ns >= (Work)(INT64_MAX - share->updated_ns))
        return INT64_MAX;
    return share->updated_ns + (int64_t)left_ns;
}

uint32_t share_end_next(Share *share, int64_t now_ns)
{
    invariant(now_ns == share_next_end_ns(share));
    bring_up_to_date(share, now_ns);
    Transfer ended = share->active[0];
    heap_remove(share, 0);
    share->bytes_moved += ended.bytes;
    return ended.owner;
}

/* The bytes of `transfer` that are across, rounded down. */
static int64_t bytes_done(const Share *share, const Transfer *transfer)
{
    if (transfer->end <= share->virtual_work)
        return transfer->bytes;
    int64_t left_ns = (int64_t)((transfer->end - share->virtual_work) >> WORK_BITS);
    return mul_div(transfer->bytes, transfer->work_ns - left_ns, transfer->work_ns);
}

bool share_leave(Share *share, uint32_t owner, int64_t now_ns)
{
    int32_t i = 0;
    while (i < share->active_count && share->active[i].owner != owner)
        i++;
    if (i == share->active_count)
        return false;
    invariant(now_ns <= share_next_end_ns(share));
    bring_up_to_date(share, now_ns);
    share->bytes_moved += bytes_done(share, &share->active[i]);
    heap_remove(share, i);
    return true;
}

bool share_is_out(const Share *share)
{
    (void)share;
    return false;
}

#include "sim/cloud/storage/share.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/engine/end_heap.h"
#include "sim/model/bounded.h"
#include "sim/model/storage.h"

typedef ShareWork Work;
enum { WORK_BITS = SHARE_WORK_BITS };

/* An active transfer; its end, in virtual work, is its key in the heap. */
typedef struct {
    int64_t work_ns; /* of one file */
    int64_t bytes;   /* of all files */
    int32_t files;
    uint32_t owner;
    uint32_t next_free; /* of a free row; ID_NONE: the last */
} Transfer;

struct Share {
    ShareId id;
    const char *name;
    const ShareTier *tier;
    int64_t speed_ppm;
    int64_t least_parts_ppm; /* least number of parts into which the share is divided */
    Work virtual_work;
    Work remainder; /* of virtual work, in units divided by the number of parts */
    int64_t created_ns;
    int64_t updated_ns; /* when virtual_work was brought up to date */
    int64_t bytes_moved;
    uint64_t joined;
    int64_t active_files; /* paused ones excluded, as in `active` */
    int32_t paused;       /* transfers */
    int64_t paused_files;
    EndHeap active; /* by end, then by order of joining; ids are rows of `transfers` */
    Transfer *transfers;
    uint32_t transfer_count, transfer_capacity, first_free;
    Arena *run;
};

/* --- Tiers --- */

static StorageLimits limits_of(const ShareTier *tier, TransferKind kind)
{
    return (StorageLimits){.bytes_per_s = kind == TRANSFER_READ ? tier->read_bytes_per_s
                                                                : tier->write_bytes_per_s,
                           .requests_per_s = tier->requests_per_s,
                           .request_bytes = tier->request_bytes,
                           .requests_in_flight = tier->requests_in_flight,
                           .requests_overlap = tier->requests_overlap};
}

static int64_t request_latency_ns(const ShareTier *tier, TransferKind kind)
{
    return kind == TRANSFER_READ ? tier->read_latency_ns : tier->write_latency_ns;
}

bool share_tier_grows(const ShareTier *tier)
{
    return tier->read_bytes_per_s_per_tib > 0 || tier->write_bytes_per_s_per_tib > 0 ||
           tier->requests_per_s_per_tib > 0;
}

ShareTier share_tier_of_size(const ShareTier *tier, int64_t provisioned_bytes)
{
    ShareTier of_size = *tier;
    int64_t size = provisioned_bytes > 0 ? provisioned_bytes : tier->provisioned_bytes;
    of_size.read_bytes_per_s =
        storage_grown(tier->read_bytes_per_s, tier->read_bytes_per_s_per_tib, size);
    of_size.write_bytes_per_s =
        storage_grown(tier->write_bytes_per_s, tier->write_bytes_per_s_per_tib, size);
    of_size.requests_per_s =
        storage_grown(tier->requests_per_s, tier->requests_per_s_per_tib, size);
    if (tier->requests_per_s_most > 0 && of_size.requests_per_s > tier->requests_per_s_most)
        of_size.requests_per_s = tier->requests_per_s_most;
    of_size.read_bytes_per_s_per_tib = of_size.write_bytes_per_s_per_tib = 0;
    of_size.requests_per_s_per_tib = 0;
    of_size.provisioned_bytes = size;
    of_size.is_paid_by_size = share_tier_grows(tier);
    return of_size;
}

int64_t share_latency_ns(const ShareTier *tier, TransferKind kind, int64_t bytes)
{
    return storage_latency_ns(limits_of(tier, kind), request_latency_ns(tier, kind), bytes);
}

int64_t share_work_ns(const ShareTier *tier, TransferKind kind, int64_t bytes)
{
    return storage_work_ns(limits_of(tier, kind), bytes);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* How many files reach the limit of the share. */
static int64_t files_at_once_ppm(const ShareTier *tier, TransferKind kind)
{
    const StorageLimits limits = limits_of(tier, kind);
    const int64_t file_bytes_per_s =
        kind == TRANSFER_READ ? tier->file_read_bytes_per_s : tier->file_write_bytes_per_s;
    const int64_t window_ppm = storage_window_ppm(limits, request_latency_ns(tier, kind));
    return file_bytes_per_s > 0
               ? larger(window_ppm, storage_files_at_once_ppm(limits.bytes_per_s, file_bytes_per_s))
               : window_ppm;
}

/* The larger number of reads and writes applies to both: in all published tiers the two have the
 * same ratio of limits. */
static int64_t least_parts_ppm(const ShareTier *tier)
{
    return larger(files_at_once_ppm(tier, TRANSFER_READ), files_at_once_ppm(tier, TRANSFER_WRITE));
}

int64_t share_alone_ns(const ShareTier *tier, TransferKind kind, int64_t bytes, int32_t files,
                       int32_t files_of_node, int64_t link_bytes_per_s)
{
    const int64_t each = divide_up(bytes, files);
    const int64_t least_ppm = least_parts_ppm(tier), files_ppm = files * PPM;
    const int64_t by_share_ns = bounded_part(share_work_ns(tier, kind, each),
                                             files_ppm > least_ppm ? files_ppm : least_ppm, PPM);
    const int64_t by_link_ns =
        bounded_at_rate_ns(bounded_times(each, files_of_node), link_bytes_per_s);
    return bounded_add(share_latency_ns(tier, kind, each),
                       by_share_ns > by_link_ns ? by_share_ns : by_link_ns);
}

/* --- Queries --- */

bool share_tier_is_blob(const ShareTier *tier)
{
    return begins_with(tier->name, "blob");
}

#define BLOB_PREFIX "blob:"

const char *share_name_of_blob(Arena *arena, const char *account, const char *container)
{
    return arena_printf(arena, "%s/" BLOB_PREFIX "%s", account, container);
}

const char *share_container(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash != NULL && begins_with(slash + 1, BLOB_PREFIX) ? slash + sizeof BLOB_PREFIX : NULL;
}

Share *share_create(Arena *run, ShareId id, const char *name, const ShareTier *tier, int64_t now_ns)
{
    Share *share = ARENA_NEW(run, Share);
    share->id = id;
    share->name = name;
    share->tier = tier;
    share->speed_ppm = PPM;
    share->least_parts_ppm = least_parts_ppm(tier);
    share->created_ns = share->updated_ns = now_ns;
    share->active = end_heap_create(run);
    share->first_free = ID_NONE;
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

int64_t share_created_ns(const Share *share)
{
    return share->created_ns;
}

const ShareTier *share_tier(const Share *share)
{
    return share->tier;
}

int32_t share_active(const Share *share)
{
    return share->active.count + share->paused;
}

int64_t share_files(const Share *share)
{
    return share->active_files + share->paused_files;
}

int64_t share_bytes_moved(const Share *share)
{
    return share->bytes_moved;
}

int64_t share_speed_ppm(const Share *share)
{
    return share->speed_ppm;
}

bool share_is_out(const Share *share)
{
    return share->speed_ppm == 0;
}

/* --- Virtual work --- */

/* The number of parts into which the share is divided; each transfer gets one. */
static Work parts_ppm(const Share *share)
{
    int64_t active_ppm = share->active_files * PPM;
    return (Work)(active_ppm > share->least_parts_ppm ? active_ppm : share->least_parts_ppm);
}

/* Advances virtual work to `now_ns`. */
static void bring_up_to_date(Share *share, int64_t now_ns)
{
    invariant(now_ns >= share->updated_ns);
    if (share->active.count > 0) {
        Work done = (Work)(now_ns - share->updated_ns) << WORK_BITS;
        Work parts = parts_ppm(share);
        done *= (uint64_t)share->speed_ppm;
        done += share->remainder;
        Work units = done / parts; // one division of 128 bits: the remainder follows
        share->virtual_work += units;
        share->remainder = done - units * parts;
    }
    share->updated_ns = now_ns;
}

int64_t share_next_end_ns(const Share *share)
{
    const EndEntry *next = end_heap_first(&share->active);
    if (!next || share->speed_ppm == 0)
        return INT64_MAX;
    if (next->key <= share->virtual_work)
        return share->updated_ns;
    const Work unit = (Work)1 << WORK_BITS;
    Work speed = (Work)share->speed_ppm;
    Work left_parts;
    // A value that does not fit 128 bits is still far beyond int64 ns when divided by a speed below
    // 2^20.
    if (__builtin_mul_overflow(next->key - share->virtual_work, parts_ppm(share), &left_parts) ||
        left_parts > ~(Work)0 - speed)
        return INT64_MAX;
    left_parts -= share->remainder;
    Work left_units = (left_parts + speed - 1) / speed;
    Work left_ns = (left_units >> WORK_BITS) + (left_units % unit != 0);
    if (left_ns >= (Work)(INT64_MAX - share->updated_ns))
        return INT64_MAX;
    return share->updated_ns + (int64_t)left_ns;
}

/* --- Limits from elsewhere --- */

int64_t share_rate_bytes_per_s(const Share *share)
{
    return mul_div(share->tier->read_bytes_per_s, share->speed_ppm, PPM);
}

int64_t share_file_rate_bytes_per_s(const Share *share)
{
    return mul_div(share->tier->read_bytes_per_s, share->speed_ppm, share->least_parts_ppm);
}

int64_t share_file_rate_most_bytes_per_s(const Share *share)
{
    return mul_div(share->tier->read_bytes_per_s, PPM, share->least_parts_ppm);
}

int64_t share_level_bytes_per_s(const Share *share)
{
    const int64_t files_ppm = share_files(share) * PPM, least_ppm = share->least_parts_ppm;
    return mul_div(share->tier->read_bytes_per_s, share->speed_ppm,
                   files_ppm > least_ppm ? files_ppm : least_ppm);
}

int64_t share_weight_ppm(const Share *share, TransferKind kind, int64_t bytes, int32_t files)
{
    const int64_t each = divide_up(bytes, files);
    const Work work = (Work)share_work_ns(share->tier, kind, each) *
                      (Work)share->tier->read_bytes_per_s; // in bytes times ns per second
    const Work ppm = (Work)each * (Work)NS_PER_S * (Work)PPM;
    return work == 0 ? PPM : (int64_t)((ppm + work - 1) / work);
}

static void put(Share *share, uint32_t ticket, Work left)
{
    share->active_files += share->transfers[ticket].files;
    share->remainder = 0;
    end_heap_put(&share->active, ticket, share->virtual_work + left, share->joined++);
}

/* The work before `end`. */
static Work left_before(const Share *share, Work end)
{
    return end > share->virtual_work ? end - share->virtual_work : 0;
}

/* The number of parts changes, so the remainder in old parts is dropped. */
static void take(Share *share, uint32_t ticket)
{
    end_heap_remove(&share->active, ticket);
    share->active_files -= share->transfers[ticket].files;
    share->remainder = 0;
}

Work share_pause(Share *share, uint32_t ticket, int64_t now_ns)
{
    bring_up_to_date(share, now_ns);
    const Work left = left_before(share, end_heap_find(&share->active, ticket)->key);
    take(share, ticket);
    share->paused++;
    share->paused_files += share->transfers[ticket].files;
    return left;
}

void share_resume(Share *share, uint32_t ticket, Work left, int64_t now_ns)
{
    invariant(end_heap_find(&share->active, ticket) == NULL);
    bring_up_to_date(share, now_ns);
    share->paused--;
    share->paused_files -= share->transfers[ticket].files;
    put(share, ticket, left);
}

void share_set_speed(Share *share, int64_t speed_ppm, int64_t now_ns)
{
    invariant(speed_ppm >= 0);
    invariant(speed_ppm <= PPM);
    bring_up_to_date(share, now_ns);
    share->speed_ppm = speed_ppm;
}

/* --- Transfers --- */

static uint32_t new_ticket(Share *share)
{
    uint32_t ticket = share->first_free;
    if (ticket != ID_NONE) {
        share->first_free = share->transfers[ticket].next_free;
        return ticket;
    }
    if (share->transfer_count == share->transfer_capacity) {
        uint32_t capacity = share->transfer_capacity == 0 ? 8 : 2 * share->transfer_capacity;
        Transfer *larger = ARENA_ARRAY(share->run, Transfer, capacity);
        for (uint32_t i = 0; i < share->transfer_count; i++)
            larger[i] = share->transfers[i];
        share->transfers = larger;
        share->transfer_capacity = capacity;
    }
    return share->transfer_count++;
}

static void free_ticket(Share *share, uint32_t ticket)
{
    take(share, ticket);
    share->transfers[ticket].next_free = share->first_free;
    share->first_free = ticket;
}

uint32_t share_join(Share *share, uint32_t owner, TransferKind kind, int64_t bytes, int32_t files,
                    int64_t now_ns)
{
    invariant(files >= 1);
    invariant(now_ns <= share_next_end_ns(share)); // ends come before joins at the same time
    bring_up_to_date(share, now_ns);
    uint32_t ticket = new_ticket(share);
    int64_t work_ns = share_work_ns(share->tier, kind, divide_up(bytes, files));
    share->transfers[ticket] =
        (Transfer){.work_ns = work_ns, .bytes = bytes, .files = files, .owner = owner};
    put(share, ticket, (Work)work_ns << WORK_BITS);
    return ticket;
}

uint32_t share_end_next(Share *share, int64_t now_ns)
{
    invariant(now_ns == share_next_end_ns(share));
    bring_up_to_date(share, now_ns);
    uint32_t ticket = end_heap_first(&share->active)->id;
    share->bytes_moved += share->transfers[ticket].bytes;
    free_ticket(share, ticket);
    return share->transfers[ticket].owner;
}

/* The bytes of `transfer`, which ends at `end`, transferred so far; rounded down. */
static int64_t bytes_done(const Share *share, const Transfer *transfer, Work end)
{
    const Work unit = (Work)1 << WORK_BITS;
    const int64_t left = (int64_t)((left_before(share, end) + unit - 1) >> WORK_BITS);
    return left == 0 ? transfer->bytes
                     : mul_div(transfer->bytes, transfer->work_ns - left, transfer->work_ns);
}

void share_leave(Share *share, uint32_t ticket, int64_t now_ns)
{
    const EndEntry *entry = end_heap_find(&share->active, ticket);
    invariant(entry != NULL);
    invariant(now_ns <= share_next_end_ns(share));
    bring_up_to_date(share, now_ns);
    share->bytes_moved += bytes_done(share, &share->transfers[ticket], entry->key);
    free_ticket(share, ticket);
}

#include "sim/cloud/storage/links.h"

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"
#include "sim/cloud/storage/tables.h"

typedef WideUnsigned Load; /* bytes per second times ppm */

static ShareRow *share_of(const Storage *storage, uint32_t transfer)
{
    return storage_share_row(storage, storage_transfer_row(storage, transfer)->transfer.share);
}

/* --- Lists --- */

static void append_to_share(const Storage *storage, ShareRow *share, uint32_t transfer)
{
    storage_transfer_row(storage, transfer)->previous_joined = share->last_joined;
    storage_transfer_row(storage, transfer)->next_joined = 0;
    if (share->last_joined != 0)
        storage_transfer_row(storage, share->last_joined - 1)->next_joined = transfer + 1;
    else
        share->first_joined = transfer + 1;
    share->last_joined = transfer + 1;
}

static void remove_from_share(const Storage *storage, ShareRow *share, const TransferRow *row)
{
    if (row->previous_joined != 0)
        storage_transfer_row(storage, row->previous_joined - 1)->next_joined = row->next_joined;
    else
        share->first_joined = row->next_joined;
    if (row->next_joined != 0)
        storage_transfer_row(storage, row->next_joined - 1)->previous_joined = row->previous_joined;
    else
        share->last_joined = row->previous_joined;
}

static void use_link(Storage *storage, uint32_t transfer, int32_t way, int64_t weight_ppm)
{
    RowWay *crossing = &storage_transfer_row(storage, transfer)->ways[way];
    NodeLink *link = crossing->link;
    crossing->parts_ppm = crossing->files * weight_ppm;
    crossing->place = link->use_count;
    link->uses = array_room(storage->arena, link->uses, link->use_count + 1, &link->use_capacity,
                            sizeof *link->uses);
    link->uses[link->use_count++] = (LinkUse){transfer, way};
    link->parts_ppm += crossing->parts_ppm;
}

/* The last entry of the link's list takes the place of this one. */
static void leave_link(const Storage *storage, const RowWay *crossing)
{
    NodeLink *link = crossing->link;
    const LinkUse last = link->uses[--link->use_count];
    link->uses[crossing->place] = last;
    storage_transfer_row(storage, last.transfer)->ways[last.way].place = crossing->place;
    link->parts_ppm -= crossing->parts_ppm;
}

/* --- Max-min fair rates --- */

static void expect_next_end(Storage *storage)
{
    storage->wires_generation++;
    const int64_t end_ns = wires_next_end_ns(storage->wires);
    if (end_ns != INT64_MAX)
        engine_push(storage->engine, end_ns - storage->engine->now_ns, EVENT_LIMITED_NEXT_END, 0,
                    storage->wires_generation, 0);
}

/* The rate that turns a share's work into the amount of a flow. */
static WireAmount unit_of(const ShareRow *share)
{
    return (WireAmount)share_tier(share->share)->read_bytes_per_s;
}

static WireAmount amount_of(const ShareRow *share, ShareWork left)
{
    const ShareWork ns = (left >> SHARE_WORK_BITS) + (left << (128 - SHARE_WORK_BITS) != 0);
    return ns * unit_of(share);
}

static ShareWork work_of(const ShareRow *share, WireAmount left)
{
    const WireAmount unit = unit_of(share);
    return (left / unit + (left % unit != 0)) << SHARE_WORK_BITS;
}

static void make_room_for_links(Storage *storage, int32_t count)
{
    uint32_t capacity = storage->crossed_capacity;
    storage->crossed = array_room(storage->arena, storage->crossed, (uint32_t)count, &capacity,
                                  sizeof *storage->crossed);
    storage->crossed_ppm = array_room(storage->arena, storage->crossed_ppm, (uint32_t)count,
                                      &storage->crossed_capacity, sizeof *storage->crossed_ppm);
}

/* Moves a transfer from the equal division of its share, which is limited, to the wires. */
static void become_flow(Storage *storage, uint32_t transfer)
{
    TransferRow *row = storage_transfer_row(storage, transfer);
    ShareRow *share = share_of(storage, transfer);
    const int64_t now_ns = storage->engine->now_ns;
    const ShareWork left = share_pause(share->share, row->ticket, now_ns);
    if (row->changed_ns != now_ns) {
        row->changed_ns = now_ns;
        row->left_work = left;
        row->left_amount = amount_of(share, left);
    }
    make_room_for_links(storage, row->way_count + 1);
    for (int32_t i = 0; i < row->way_count; i++) {
        NodeLink *link = row->ways[i].link;
        if (link->flow_count++ == 0)
            link->wire = wires_add_link(storage->wires, link->bytes_per_s);
        storage->crossed[i] = link->wire;
        storage->crossed_ppm[i] = row->ways[i].parts_ppm;
    }
    storage->crossed[row->way_count] = share->wire;
    storage->crossed_ppm[row->way_count] = row->transfer.files * PPM;
    row->is_flow = true;
    row->noted_ns = now_ns;
    row->flow = wires_begin_parts(storage->wires, transfer, row->left_amount,
                                  share_file_rate_bytes_per_s(share->share), row->way_count + 1,
                                  storage->crossed, storage->crossed_ppm, now_ns);
}

static void note(TransferRow *row, int64_t now_ns)
{
    row->limited_ns += row->is_limited ? now_ns - row->noted_ns : 0;
    row->noted_ns = now_ns;
    row->is_limited = false;
}

/* Puts a transfer that is no longer in the wires back into the equal division. */
static void end_flow(Storage *storage, TransferRow *row, ShareWork left)
{
    const int64_t now_ns = storage->engine->now_ns;
    for (int32_t i = 0; i < row->way_count; i++)
        if (--row->ways[i].link->flow_count == 0)
            wires_remove_link(storage->wires, row->ways[i].link->wire);
    row->is_flow = false;
    note(row, now_ns);
    share_resume(storage_share_row(storage, row->transfer.share)->share, row->ticket, left, now_ns);
}

static void leave_wires(Storage *storage, uint32_t transfer)
{
    TransferRow *row = storage_transfer_row(storage, transfer);
    const int64_t now_ns = storage->engine->now_ns;
    if (row->changed_ns != now_ns) {
        row->changed_ns = now_ns;
        row->left_amount = wires_left(storage->wires, row->flow, now_ns);
        row->left_work = work_of(share_of(storage, transfer), row->left_amount);
    }
    wires_cancel(storage->wires, row->flow, now_ns);
    end_flow(storage, row, row->left_work);
}

static void limit(Storage *storage, ShareRow *share)
{
    share->is_limited = true;
    share->wire = wires_add_link(storage->wires, share_rate_bytes_per_s(share->share));
    for (uint32_t t = share->first_joined; t != 0;
         t = storage_transfer_row(storage, t - 1)->next_joined)
        become_flow(storage, t - 1);
}

static void divide_equally(Storage *storage, ShareRow *share)
{
    for (uint32_t t = share->first_joined; t != 0;
         t = storage_transfer_row(storage, t - 1)->next_joined)
        leave_wires(storage, t - 1);
    wires_remove_link(storage->wires, share->wire);
    share->is_limited = false;
}

/* --- Which shares are limited --- */

/* The load of the link if each file on it had the rate `rate_of` its share. */
static Load load_at(const Storage *storage, const NodeLink *link,
                    int64_t (*rate_of)(const Share *share))
{
    Load load = 0;
    for (uint32_t u = 0; u < link->use_count; u++) {
        const LinkUse use = link->uses[u];
        const int64_t parts_ppm =
            storage_transfer_row(storage, use.transfer)->ways[use.way].parts_ppm;
        load += (Load)parts_ppm * (Load)rate_of(share_of(storage, use.transfer)->share);
    }
    return load;
}

/* Whether the link could carry all its transfers even if they had their shares for themselves. */
static bool is_loose(const Storage *storage, const NodeLink *link)
{
    return load_at(storage, link, share_file_rate_most_bytes_per_s) <=
           (Load)link->bytes_per_s * (Load)PPM;
}

/* Whether the link can carry all its transfers if their shares are divided equally. */
static bool is_wide_enough(const Storage *storage, const NodeLink *link)
{
    return load_at(storage, link, share_level_bytes_per_s) <= (Load)link->bytes_per_s * (Load)PPM;
}

/* If no file on the link has more, the link is not full. */
static void keep_safe(const Storage *storage, const NodeLink *link)
{
    const int64_t safe = mul_div(link->bytes_per_s, PPM, link->parts_ppm);
    for (uint32_t u = 0; u < link->use_count; u++) {
        ShareRow *share = share_of(storage, link->uses[u].transfer);
        if (safe < share->safe_bytes_per_s)
            share->safe_bytes_per_s = safe;
    }
}

static void find_share(Storage *storage, ShareId id)
{
    ShareRow *share = storage_share_row(storage, id);
    if (share->visit == storage->visits)
        return;
    share->visit = storage->visits;
    share->safe_bytes_per_s = INT64_MAX;
    storage->found = array_room(storage->arena, storage->found, storage->found_count + 1,
                                &storage->found_capacity, sizeof *storage->found);
    storage->found[storage->found_count++] = id.index;
}

/* Visits a link and finds the shares of its transfers; returns whether it can carry equal parts. */
static bool visit_link(Storage *storage, NodeLink *link)
{
    if (link->visit == storage->visits)
        return true;
    link->visit = storage->visits;
    if (is_loose(storage, link))
        return true;
    for (uint32_t u = 0; u < link->use_count; u++)
        find_share(storage, storage_transfer_row(storage, link->uses[u].transfer)->transfer.share);
    keep_safe(storage, link);
    return is_wide_enough(storage, link);
}

/* Finds the shares that links connect to `share`; returns whether all links between them can carry
 * equal parts. */
static bool visit_connected(Storage *storage, ShareId share)
{
    bool suffices = true;
    storage->visits++;
    storage->found_count = 0;
    find_share(storage, share);
    for (uint32_t f = 0; f < storage->found_count; f++) {
        uint32_t t = storage_share_row(storage, (ShareId){storage->found[f]})->first_joined;
        while (t != 0) {
            const TransferRow *row = storage_transfer_row(storage, t - 1);
            for (int32_t w = 0; w < row->way_count; w++)
                suffices &= visit_link(storage, row->ways[w].link);
            t = row->next_joined;
        }
    }
    return suffices;
}

/* Notes which transfers of a limited share have less than the share would give them. */
static void note_limits(const Storage *storage, const ShareRow *share)
{
    const int64_t most = share_file_rate_bytes_per_s(share->share);
    int64_t highest = 0;
    for (uint32_t t = share->first_joined; t != 0;) {
        TransferRow *row = storage_transfer_row(storage, t - 1);
        const int64_t rate = wires_rate(storage->wires, row->flow);
        note(row, storage->engine->now_ns);
        highest = rate > highest ? rate : highest;
        t = row->next_joined;
    }
    const int64_t left =
        share_rate_bytes_per_s(share->share) - wires_link_load(storage->wires, share->wire);
    const bool is_full = left < share_files(share->share);
    for (uint32_t t = share->first_joined; t != 0;) {
        TransferRow *row = storage_transfer_row(storage, t - 1);
        const int64_t rate = wires_rate(storage->wires, row->flow);
        row->is_limited = rate < most && (rate < highest || !is_full);
        t = row->next_joined;
    }
}

/* Divides the shares that are connected to `share` equally if links allow, else at max-min fair
 * rates. */
static void divide(Storage *storage, ShareId share)
{
    const bool is_limited = !visit_connected(storage, share);
    bool changes = false, any = is_limited;
    for (uint32_t f = 0; f < storage->found_count; f++) {
        const ShareRow *row = storage_share_row(storage, (ShareId){storage->found[f]});
        changes |= row->is_limited != is_limited;
        any |= row->is_limited;
    }
    if (!any)
        return;
    if (storage->wires == NULL)
        storage->wires = wires_create(storage->arena);
    if (changes)
        wires_hold(storage->wires);
    for (uint32_t f = 0; f < storage->found_count; f++) {
        const ShareId id = {storage->found[f]};
        ShareRow *row = storage_share_row(storage, id);
        if (row->is_limited == is_limited)
            continue;
        if (is_limited)
            limit(storage, row);
        else
            divide_equally(storage, row);
        share_expect_next_end(storage, id);
    }
    if (changes)
        wires_release(storage->wires, storage->engine->now_ns);
    for (uint32_t f = 0; f < storage->found_count && is_limited; f++)
        note_limits(storage, storage_share_row(storage, (ShareId){storage->found[f]}));
    expect_next_end(storage);
}

/* Divides the share anew unless it certainly remains divided equally, or was visited already since
 * `visits`. */
static void reconsider(Storage *storage, ShareId id, uint64_t visits)
{
    const ShareRow *share = storage_share_row(storage, id);
    if (share->visit > visits || share->first_joined == 0)
        return;
    if (share->is_limited || share_level_bytes_per_s(share->share) > share->safe_bytes_per_s)
        divide(storage, id);
}

/* The same for the other shares of the transfers on its links. */
static void reconsider_around(Storage *storage, const TransferRow *row, uint64_t visits)
{
    const uint32_t own = row->transfer.share.index;
    for (int32_t w = 0; w < row->way_count; w++) {
        const NodeLink *link = row->ways[w].link;
        for (uint32_t u = 0; u < link->use_count; u++) {
            const ShareId id =
                storage_transfer_row(storage, link->uses[u].transfer)->transfer.share;
            if (id.index != own)
                reconsider(storage, id, visits);
        }
    }
}

/* --- Transfers --- */

void links_join(Storage *storage, uint32_t transfer)
{
    TransferRow *row = storage_transfer_row(storage, transfer);
    ShareRow *share = share_of(storage, transfer);
    const Transfer *of = &row->transfer;
    const int64_t weight_ppm = share_weight_ppm(share->share, of->kind, of->bytes, of->files);
    if (share->first_joined == 0)
        share->safe_bytes_per_s = INT64_MAX;
    append_to_share(storage, share, transfer);
    for (int32_t w = 0; w < row->way_count; w++) {
        use_link(storage, transfer, w, weight_ppm);
        keep_safe(storage, row->ways[w].link);
    }
    const uint64_t visits = storage->visits;
    if (share->is_limited)
        become_flow(storage, transfer);
    reconsider(storage, of->share, visits);
    reconsider_around(storage, row, visits);
}

void links_pause(Storage *storage, uint32_t transfer)
{
    if (storage_transfer_row(storage, transfer)->is_flow)
        leave_wires(storage, transfer);
}

void links_leave(Storage *storage, uint32_t transfer)
{
    const TransferRow *row = storage_transfer_row(storage, transfer);
    ShareRow *share = share_of(storage, transfer);
    remove_from_share(storage, share, row);
    for (int32_t w = 0; w < row->way_count; w++)
        leave_link(storage, &row->ways[w]);
    const uint64_t visits = storage->visits;
    if (share->is_limited && share->first_joined == 0)
        divide(storage, row->transfer.share);
    reconsider(storage, row->transfer.share, visits);
    reconsider_around(storage, row, visits);
}

uint32_t links_end_next(Storage *storage)
{
    const uint32_t transfer = wires_end_next(storage->wires, storage->engine->now_ns);
    end_flow(storage, storage_transfer_row(storage, transfer), 0);
    return transfer;
}

/* --- Speeds --- */

static void reconsider_neighbours(Storage *storage, const ShareRow *share, uint64_t visits)
{
    for (uint32_t t = share->first_joined; t != 0;) {
        const TransferRow *row = storage_transfer_row(storage, t - 1);
        reconsider_around(storage, row, visits);
        t = row->next_joined;
    }
}

void links_before_speed(Storage *storage, ShareId id)
{
    ShareRow *share = storage_share_row(storage, id);
    if (!share->is_limited)
        return;
    wires_hold(storage->wires);
    divide_equally(storage, share);
    wires_release(storage->wires, storage->engine->now_ns);
    expect_next_end(storage);
}

void links_after_speed(Storage *storage, ShareId id)
{
    const ShareRow *share = storage_share_row(storage, id);
    const uint64_t visits = storage->visits;
    reconsider(storage, id, visits);
    reconsider_neighbours(storage, share, visits);
}

/* --- Checks --- */

static void check_link(const Storage *storage, const NodeLink *link)
{
    int64_t parts_ppm = 0;
    uint32_t flows = 0;
    for (uint32_t u = 0; u < link->use_count; u++) {
        const TransferRow *row = storage_transfer_row(storage, link->uses[u].transfer);
        const RowWay *way = &row->ways[link->uses[u].way];
        invariant(way->link == link && way->place == u);
        invariant(row->is_flow == share_of(storage, link->uses[u].transfer)->is_limited);
        parts_ppm += way->parts_ppm;
        flows += row->is_flow;
    }
    invariant(parts_ppm == link->parts_ppm && flows == link->flow_count);
    if (flows == 0)
        invariant(is_wide_enough(storage, link));
    else // the load of each flow is rounded up
        invariant(wires_link_load(storage->wires, link->wire) <= link->bytes_per_s + flows);
}

void links_check(const Storage *storage)
{
    for (uint32_t s = 0; (s = storage_share_next(storage, s)) < storage->shares.count; s++) {
        const ShareRow *share = storage_share_row(storage, (ShareId){s});
        int32_t joined = 0;
        for (uint32_t t = share->first_joined; t != 0; joined++) {
            const TransferRow *row = storage_transfer_row(storage, t - 1);
            invariant(row->is_used && row->has_joined && row->transfer.share.index == s);
            for (int32_t w = 0; w < row->way_count; w++)
                check_link(storage, row->ways[w].link);
            t = row->next_joined;
        }
        invariant(joined == share_active(share->share));
        if (share->is_limited)
            invariant(wires_link_load(storage->wires, share->wire) <=
                      share_rate_bytes_per_s(share->share));
    }
}

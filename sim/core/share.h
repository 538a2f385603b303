/* The bytes in flight on one file share or blob container, and the files left there.
 *
 * Active transfers split the share's service evenly (processor sharing). The work of a transfer is
 * the time it would take alone at the tier's limits: the larger of bytes / bandwidth and requests /
 * IOPS, rounded up to ns. With n active each advances at 1/n, so every start and end moves all
 * other ends. Latency is paid before the work: it occupies the client, not the share.
 *
 * Progress is counted once for all in virtual work (the work that a transfer present from the
 * beginning would have done), in units of 2^-32 ns; a transfer ends when virtual work reaches its
 * start value plus its own work. Both a start and an end therefore cost O(log n), and the
 * arithmetic is integer (Parekh and Gallager, "A generalized processor sharing approach to flow
 * control", IEEE/ACM ToN 1(3), 1993, section III). */
#ifndef SIM_CORE_SHARE_H
#define SIM_CORE_SHARE_H

#include "sim/base/arena.h"
#include "sim/core/catalog.h"
#include "sim/core/ids.h"

typedef struct Share Share;

typedef enum { TRANSFER_READ, TRANSFER_WRITE } TransferKind;

/* Lives as long as `run`. `name` is "account/share", borrowed. */
Share *share_create(Arena *run, ShareId id, const char *name, const ShareTier *tier,
                    int64_t now_ns);

ShareId share_id(const Share *share);
const char *share_name(const Share *share);
const ShareTier *share_tier(const Share *share);
int32_t share_active(const Share *share); /* transfers that are sharing now */
bool share_is_out(const Share *share);
int64_t share_bytes_moved(const Share *share);

/* How long a client waits for latency alone. */
int64_t share_latency_ns(const ShareTier *tier, TransferKind kind, int64_t bytes);
/* The time `bytes` take alone, latency excluded. */
int64_t share_work_ns(const ShareTier *tier, int64_t bytes);

/* `bytes` join at `now_ns` (after their latency) for `owner`, a number that comes back when they
 * are done. */
void share_join(Share *share, uint32_t owner, int64_t bytes, int64_t now_ns);
/* When the next transfer ends if nobody joins; INT64_MAX when idle, or when that is never. */
int64_t share_next_end_ns(const Share *share);
/* Ends the transfer that share_next_end_ns spoke of, at exactly that time; returns its owner. Of
 * several that end together, the first to have joined. */
uint32_t share_end_next(Share *share, int64_t now_ns);
/* Takes back a transfer under way; what is across by then counts as moved. False when `owner` has
 * none here. Looks through all active transfers. */
bool share_leave(Share *share, uint32_t owner, int64_t now_ns);

#endif

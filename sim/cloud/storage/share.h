/* The bytes in flight on one file share or blob container.
 *
 * Active transfers split the share's time evenly (processor sharing). The work of a transfer is the
 * time that the whole share would take for it at the tier's limits: the larger of bytes / bandwidth
 * and requests / IOPS, rounded up to ns. Reads and writes have separate limits, but share the same
 * time. Each of n active transfers advances at rate 1/n, so every start and end moves all other
 * ends. If the limit of one file is 1/k of the share's, each advances at 1 / max(n, k). The latency
 * precedes the work: it occupies the client, not the share.
 *
 * All transfers share one counter of virtual work: the work that a transfer present from the
 * beginning would have done, in units of 2^-32 ns. A transfer ends when virtual work reaches its
 * start value plus its own work. Each start, end and cancellation therefore costs O(log n), and the
 * arithmetic is integer (Parekh and Gallager, "A generalized processor sharing approach to flow
 * control", IEEE/ACM ToN 1(3), 1993, section III).
 *
 * While a node's own link limits a transfer, equal parts do not hold: all transfers of the share
 * are then paused here and move as flows over links (sim/cloud/storage/links.h).
 *
 * A share can be slower than its tier for some time: virtual work then advances at that fraction of
 * its speed. At speed 0 the share is out: transfers hang, and continue afterwards. The remainder
 * below one unit is kept, so a pause of d moves every end by exactly d. */
#ifndef SIM_CLOUD_STORAGE_SHARE_H
#define SIM_CLOUD_STORAGE_SHARE_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/base/wide.h"
#include "sim/cloud/record/ids.h"
#include "sim/cloud/spec/catalog.h"

typedef struct Share Share;

typedef WideUnsigned ShareWork; /* in units of 2^-32 ns */
enum { SHARE_WORK_BITS = 32 };

/* Whether shares of this tier are blob containers: the catalogue calls it "blob" or "blob-…". */
bool share_tier_is_blob(const ShareTier *tier);

/* A file share is called "account/share", a blob container "account/blob:container": an account may
 * have both under one name. File shares' own names have no colon. Returns a container's name, in
 * `arena`. */
const char *share_name_of_blob(Arena *arena, const char *account, const char *container);
/* The container's own name if `name` is that of a blob container; NULL: it is not. */
const char *share_container(const char *name);

typedef enum { TRANSFER_READ, TRANSFER_WRITE } TransferKind;

/* Lives as long as `run`. `name` is "account/share"; it and `tier` are borrowed. */
Share *share_create(Arena *run, ShareId id, const char *name, const ShareTier *tier,
                    int64_t now_ns);

ShareId share_id(const Share *share);
const char *share_name(const Share *share);
int64_t share_created_ns(const Share *share);
const ShareTier *share_tier(const Share *share);
int32_t
share_active(const Share *share); /* transfers that have joined and not ended, paused or not */
int64_t share_files(const Share *share); /* of these */
int64_t share_bytes_moved(const Share *share);
int64_t share_speed_ppm(const Share *share); /* 1,000,000 = the speed of its tier */
bool share_is_out(const Share *share);       /* speed 0 */

/* --- Tiers --- */

/* Whether larger shares of this tier are faster. They are billed by their size, others by their
 * stored bytes. */
bool share_tier_grows(const ShareTier *tier);
/* `tier` for a share of `provisioned_bytes`; 0: of ShareTier.provisioned_bytes. */
ShareTier share_tier_of_size(const ShareTier *tier, int64_t provisioned_bytes);
/* The time that a client waits for latency. */
int64_t share_latency_ns(const ShareTier *tier, TransferKind kind, int64_t bytes);
/* The time that `bytes` occupy the whole share, latency excluded. */
int64_t share_work_ns(const ShareTier *tier, TransferKind kind, int64_t bytes);
/* The duration of a transfer without other users of the share: latency, and the work at the limit
 * of a file. `bytes` are `files` >= 1 files of equal size, which are transferred at the same time.
 * Each node has `files_of_node` of them at most, for which its link has `link_bytes_per_s`. */
int64_t share_alone_ns(const ShareTier *tier, TransferKind kind, int64_t bytes, int32_t files,
                       int32_t files_of_node, int64_t link_bytes_per_s);

/* --- Transfers --- */

/* A transfer of `bytes` joins at `now_ns`, after its latency. It is `files` >= 1 files of equal
 * size, each of which counts as an active transfer. share_end_next returns its `owner`. Returns a
 * ticket for share_leave, valid until the transfer ends or leaves. */
uint32_t share_join(Share *share, uint32_t owner, TransferKind kind, int64_t bytes, int32_t files,
                    int64_t now_ns);
/* When the next transfer ends if no other joins; INT64_MAX: never, or the share is idle or out. */
int64_t share_next_end_ns(const Share *share);
/* Ends the transfer of share_next_end_ns, at exactly that time; returns its owner. Transfers that
 * end at the same time end in the order in which they joined. */
uint32_t share_end_next(Share *share, int64_t now_ns);
/* Cancels a transfer under way; the bytes transferred so far count as moved. */
void share_leave(Share *share, uint32_t ticket, int64_t now_ns);
/* --- Limits from elsewhere --- */

/* The rates below count bytes as if all were read in large requests: a transfer with other limits
 * (writes, small files) takes the share's time for more bytes than it has. */

/* The rate of the whole share at its present speed. */
int64_t share_rate_bytes_per_s(const Share *share);
/* The rate of one file that is alone: at the present speed, and at that of the tier. */
int64_t share_file_rate_bytes_per_s(const Share *share);
int64_t share_file_rate_most_bytes_per_s(const Share *share);
/* The rate of each file if the share is divided equally; rounded down. */
int64_t share_level_bytes_per_s(const Share *share);
/* The bytes that one file of a transfer moves in the time in which it takes the share for a million
 * bytes of such reading; rounded up. */
int64_t share_weight_ppm(const Share *share, TransferKind kind, int64_t bytes, int32_t files);
/* Takes a transfer out of the equal division. Returns the work that each of its files has left.
 * The ticket stays valid. */
ShareWork share_pause(Share *share, uint32_t ticket, int64_t now_ns);
/* Puts a paused transfer back with the work that each of its files has left. */
void share_resume(Share *share, uint32_t ticket, ShareWork left, int64_t now_ns);

/* Sets the share's speed from now on; 0: out. */
void share_set_speed(Share *share, int64_t speed_ppm, int64_t now_ns);

#endif

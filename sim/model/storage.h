/* The cost of a transfer to or from a file share: time that occupies the client (latency) and time
 * that occupies the share (work).
 *
 * A transfer is cut into requests of one size. Azure Files limits a share by bytes and by requests
 * per second (scenarios/catalog, "share tiers"); whichever limit is reached first sets the pace. */
#ifndef SIM_MODEL_STORAGE_H
#define SIM_MODEL_STORAGE_H

#include <stdint.h>

typedef struct {
    int64_t bytes_per_s;
    int64_t requests_per_s;
    int64_t request_bytes;
    int64_t requests_in_flight; /* so many wait at the same time */
} StorageLimits;

/* How many requests `bytes` >= 0 take; an empty file still takes one. */
int64_t storage_requests(StorageLimits limits, int64_t bytes);

/* How long the client waits in addition to the work: requests go out in rounds of
 * `requests_in_flight`, a round waits for one request's latency. */
int64_t storage_latency_ns(StorageLimits limits, int64_t request_latency_ns, int64_t bytes);

/* The time `bytes` take when nothing else uses the share: the larger of bytes / bytes_per_s and
 * requests / requests_per_s, rounded up. Nothing takes no work. */
int64_t storage_work_ns(StorageLimits limits, int64_t bytes);

/* `base` and, for each TiB of `provisioned_bytes`, `per_tib` more; rounded down, INT64_MAX at most.
 * Premium file shares are sold so: 400 requests per second and 1 more per GiB (Azure Files
 * scalability targets, 2021-10). All >= 0. */
int64_t storage_grown(int64_t base, int64_t per_tib, int64_t provisioned_bytes);

/* How many files at their own limit together reach that of the share, in ppm; at least 1,000,000: a
 * file is never faster than its share. Both rates > 0; rounds up. */
int64_t storage_files_at_once_ppm(int64_t share_bytes_per_s, int64_t file_bytes_per_s);

#endif

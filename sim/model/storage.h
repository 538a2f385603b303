/* The cost of a transfer to or from a file share: time that occupies the client (latency) and time
 * that occupies the share (work).
 *
 * A transfer is divided into requests of one size. Azure Files limits the bytes and the requests
 * per second of a share (scenarios/catalog, "share tiers"); the stricter limit sets the pace. */
#ifndef SIM_MODEL_STORAGE_H
#define SIM_MODEL_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t bytes_per_s;
    int64_t requests_per_s;
    int64_t request_bytes;
    int64_t requests_in_flight; /* at the same time */
    bool requests_overlap;      /* a request follows each that is answered; false: in rounds */
} StorageLimits;

/* How many requests `bytes` >= 0 take; an empty file still takes one. */
int64_t storage_requests(StorageLimits limits, int64_t bytes);

/* How long the client waits in addition to the work. In rounds of `requests_in_flight`, each round
 * waits for the latency of one request. If requests overlap, only the first one waits: the latency
 * of the others passes while the bytes of those before them move (storage_window_ppm). */
int64_t storage_latency_ns(StorageLimits limits, int64_t request_latency_ns, int64_t bytes);

/* How many files with overlapping requests reach the limit of the share, in ppm, rounded up, and at
 * least 1,000,000. A file has at most requests_in_flight / latency requests per second (J. D. C.
 * Little, "A proof for the queuing formula L = λW", Operations Research 9(3), 1961); the share has
 * one in the time of the work of a whole request. Files of fewer requests than that are not limited
 * so in reality; here they take longer by less than the latency / requests_in_flight. */
int64_t storage_window_ppm(StorageLimits limits, int64_t request_latency_ns);

/* The work of `bytes`: the larger of bytes / bytes_per_s and requests / requests_per_s, rounded up;
 * 0 for 0 bytes. */
int64_t storage_work_ns(StorageLimits limits, int64_t bytes);

/* `base` plus `per_tib` for each TiB of `provisioned_bytes`; rounded down, INT64_MAX at most. For
 * example, a premium file share has 400 requests per second and 1 more per GiB (Azure Files
 * scalability targets, 2021-10). All arguments are >= 0. */
int64_t storage_grown(int64_t base, int64_t per_tib, int64_t provisioned_bytes);

/* How many files at the limit of one file reach the limit of the share, in ppm, rounded up. At
 * least 1,000,000: a file is never faster than its share. Both rates are > 0. */
int64_t storage_files_at_once_ppm(int64_t share_bytes_per_s, int64_t file_bytes_per_s);

#endif

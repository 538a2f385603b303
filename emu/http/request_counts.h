/* How many requests were answered, by operation and status, and how long each took: from its head
 * to the head of its answer, including the wait for the commit. The server counts, and
 * emu/control/metrics.h prints. They outlive an emulator that is opened again after a failed
 * commit. */
#ifndef EMU_REQUEST_COUNTS_H
#define EMU_REQUEST_COUNTS_H

#include <stdint.h>

#include "sim/base/arena.h"

/* Upper limits of the histogram, in nanoseconds; the last class has no limit. */
enum { REQUEST_LIMITS = 14 };
extern const int64_t request_limits_ns[REQUEST_LIMITS];

typedef struct {
    int32_t status; /* 0: the connection was cut without an answer */
    int64_t count;
} StatusCount;

typedef struct {
    const char *operation; /* as in the routes, static; "none": no operation was found */
    StatusCount *statuses; /* in the order in which they first occurred */
    uint32_t status_count, status_capacity;
    int64_t within[REQUEST_LIMITS + 1]; /* requests in each class, not those of lower classes */
    int64_t count, took_ns;             /* of all */
} OperationCount;

typedef struct {
    Arena *arena;
    OperationCount *operations; /* in the order in which they first occurred */
    uint32_t count, capacity;
} RequestCounts;

/* Operations and statuses are finite, so the memory in `arena` is too. */
RequestCounts *request_counts_create(Arena *arena);
/* `operation` is static; NULL: none was found. */
void request_counts_add(RequestCounts *counts, const char *operation, int32_t status,
                        int64_t took_ns);

#endif

/* How long the jobs of a run waited, by the size of the jobs. */
#ifndef REPORTS_RUN_WAITS_H
#define REPORTS_RUN_WAITS_H

#include "reports/figure/figure.h"
#include "reports/run/facts/facts.h"
#include "reports/run/figures/palette.h"

/* Jobs of `least` to `most` nodes or GPUs (ReportJob.size). */
typedef struct {
    int32_t least, most;
    const char *name; /* "1 node", "3 to 4 GPUs", "2 nodes or GPUs" (of several clusters) */
    uint32_t jobs;
} SizeClass;

/* The classes that jobs of the run have, by size: one for each size, if these are few. */
typedef struct {
    int32_t count;
    SizeClass items[SIZE_CLASSES_MAX];
} SizeClasses;

SizeClasses size_classes(Arena *arena, const Facts *facts);
/* The class of a job of `size`; -1: it never had nodes. */
int32_t size_class_of(const SizeClasses *classes, int32_t size);

/* The waits of jobs of one class (-1: of all jobs), in ascending order, without rejected ones. Jobs
 * that still waited when the run ended come last, as INT64_MAX. */
typedef struct {
    uint32_t count;
    int64_t *ns;
} Waits;

Waits waits_of(Arena *arena, const Facts *facts, const SizeClasses *classes, int32_t class);
/* The share of `waits` that are at most `limit_ns`. */
int64_t waits_within_ppm(const Waits *waits, int64_t limit_ns);

#endif

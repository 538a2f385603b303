/* Units of work: some replications of one point. A source hands them out; threads, shards and ranks
 * are ways to divide the same runs, and no result depends on the division. */
#ifndef SIM_STUDY_UNITS_H
#define SIM_STUDY_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/text.h"

/* Replications first, first + 1, ..., first + count - 1 of the point. */
typedef struct {
    int32_t point;
    int32_t first;
    int32_t count;
} Unit;

typedef enum {
    UNIT_READY, /* `unit` is filled in */
    UNIT_LATER, /* none now, but the results of other units may lead to more */
    UNIT_NONE,  /* the study is finished */
} UnitAnswer;

/* Called by one thread at a time. */
typedef struct {
    void *source;
    UnitAnswer (*next)(void *source, Unit *unit);
    /* All runs of `unit` have been recorded. */
    void (*done)(void *source, const Unit *unit);
} UnitSource;

/* The runs of a study, one after another: its waves (waves.h), or the rounds of a plan. */
typedef struct {
    void *work;
    UnitSource units;
    /* Runs that are known to be needed and are not done. */
    int64_t (*runs_left)(const void *work);
    /* The progress so far: "412/3,200 runs · 14 of 96 points decided"; and what is worst, or NULL.
     */
    void (*print_progress)(const void *work, Text *out);
    void (*print_worst)(const void *work, Text *out);
} StudyWork;

#endif

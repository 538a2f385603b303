/* What a rank did when: phases of steps with begin and end, as real/ compares them with
 * predictions.
 *
 *     # trainyard timeline 1<TAB>rank<TAB>2<TAB>ranks<TAB>4
 *     phase<TAB>step<TAB>begin_ns<TAB>end_ns<TAB>bytes
 *     load<TAB>0<TAB>1200345<TAB>1260311<TAB>98304
 *
 * Times are nanoseconds since all ranks passed the same barrier; steps count from 0 over the whole
 * training, and an evaluation or a checkpoint has the number of the step after which it came. Bytes
 * are those of the phase: of the images loaded, of the gradients summed, of the file written. */
#ifndef TRAINER_TIMELINE_H
#define TRAINER_TIMELINE_H

#include <stdio.h>

#include "sim/base/status.h"

typedef enum {
    PHASE_LOAD,
    PHASE_AUGMENT,
    PHASE_FORWARD,
    PHASE_BACKWARD,
    PHASE_NEGOTIATE, /* until the slowest rank is ready; known to rank 0 alone */
    PHASE_ALLREDUCE,
    PHASE_UPDATE,
    PHASE_EVALUATE,
    PHASE_CHECKPOINT,
    PHASE_COUNT,
} Phase;
extern const char *const phase_names[]; /* "load", ..., ended by NULL */

typedef struct {
    Phase phase;
    int64_t step;
    int64_t begin_ns, end_ns;
    int64_t bytes;
} TimelineSpan;

typedef struct Timeline Timeline;

/* Keeps spans in memory, 40 bytes each. `zero_ns` of CLOCK_MONOTONIC is time 0. */
Timeline *timeline_create(int32_t rank, int32_t ranks, int64_t zero_ns);
void timeline_destroy(Timeline *timeline); /* NULL is fine */
int64_t timeline_clock_ns(void);           /* CLOCK_MONOTONIC */
/* NULL is fine: nobody wants to know. Times are of timeline_clock_ns. */
void timeline_add(Timeline *timeline, Phase phase, int64_t step, int64_t begin_ns, int64_t end_ns,
                  int64_t bytes);
/* Rank 0: when each of `ranks` ranks was ready to exchange at `step`. */
void timeline_add_ready(Timeline *timeline, int64_t step, const int64_t *ready_ns);

int64_t timeline_count(const Timeline *timeline);
const TimelineSpan *timeline_spans(const Timeline *timeline); /* in the order added */

MUST_CHECK bool timeline_write(const Timeline *timeline, const char *path, Status *status);

typedef struct {
    int32_t rank, ranks;
    int64_t count;
    const TimelineSpan *spans;
} TimelineFile;

/* Reads what timeline_write wrote. STATUS_BAD_INPUT with line and column for anything else. */
MUST_CHECK bool timeline_parse(const char *source, const char *text, size_t length, Arena *arena,
                               TimelineFile *file, Status *status);
MUST_CHECK bool timeline_read(const char *path, Arena *arena, TimelineFile *file, Status *status);

/* Chrome's trace-event format, one track for each rank, with Horovod's names for the phases that it
 * knows (NEGOTIATE_ALLREDUCE with a tick for each rank that is ready, MPI_ALLREDUCE). `ready` is
 * rank 0's timeline, whose ticks are drawn, or NULL. */
void timeline_chrome(const TimelineFile *const *ranks, int32_t rank_count, const Timeline *ready,
                     FILE *stream);

#endif

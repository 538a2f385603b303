/* What a rank did when: phases of steps with begin and end, as real/ compares them with
 * predictions.
 *
 *     # trainyard timeline 1<TAB>rank<TAB>2<TAB>ranks<TAB>4
 *     phase<TAB>step<TAB>begin_ns<TAB>end_ns<TAB>bytes<TAB>rank
 *     load<TAB>0<TAB>1200345<TAB>1260311<TAB>98304<TAB>2
 *
 * Times are nanoseconds since all ranks passed the same barrier; steps count from 0 over the whole
 * training, and an evaluation or a checkpoint has the number of the step after which it came. Bytes
 * are those of the phase: of the images loaded, of the gradients summed, of the file written. The
 * rank is the file's own, but in a row "ready" the one of whose readiness rank 0 has heard at that
 * moment. So rows tell for themselves whose they are, and the files of all ranks, one after the
 * other, are one table. */
#ifndef TRAINER_TIMELINE_H
#define TRAINER_TIMELINE_H

#include <stdio.h>

#include "sim/base/status.h"
#include "sim/formats/chrome_trace.h"

typedef enum {
    PHASE_LOAD,
    PHASE_AUGMENT,
    PHASE_FORWARD,
    PHASE_BACKWARD,
    PHASE_NEGOTIATE, /* until the slowest rank is ready; known to rank 0 alone */
    PHASE_READY,     /* a moment within it: one rank is ready; begins and ends at once */
    PHASE_ALLREDUCE,
    PHASE_UPDATE,
    PHASE_EVALUATE,
    PHASE_CHECKPOINT,
    PHASE_WHOLE, /* a step that a backend made at once: the processor sees no phases in it */
    PHASE_COUNT,
} Phase;
extern const char *const phase_names[]; /* "load", ..., ended by NULL */

enum { TIMELINE_RANKS_MAX = 1 << 16 };

typedef struct {
    Phase phase;
    int32_t rank;
    int64_t step;
    int64_t begin_ns, end_ns;
    int64_t bytes;
    int64_t
        stage; /* 0: a phase; else a stage of a step (trainer/compute/profile.h), and no phase */
} TimelineSpan;

/* --- Recording --- */

typedef struct Timeline Timeline;

/* Keeps spans in memory, 48 bytes each; nothing is written before it is asked for. `zero_ns` of
 * machine_clock_ns is time 0, best read right after a barrier of all ranks. */
Timeline *timeline_create(int32_t rank, int32_t ranks, int64_t zero_ns);
void timeline_destroy(Timeline *timeline); /* NULL is fine */
/* NULL is fine: nobody wants to know. Times are of machine_clock_ns, not before time 0. */
void timeline_add(Timeline *timeline, Phase phase, int64_t step, int64_t begin_ns, int64_t end_ns,
                  int64_t bytes);
/* Rank 0: when each of `ranks` ranks was ready to exchange at `step`; a row for each. NULL is fine.
 */
void timeline_add_ready(Timeline *timeline, int64_t step, const int64_t *ready_ns);
/* A stage of a step, from 1. Such rows are drawn, but not written to tables. NULL is fine. */
void timeline_add_stage(Timeline *timeline, int64_t stage, int64_t step, int64_t begin_ns,
                        int64_t end_ns);

/* --- One rank's rows --- */

typedef struct {
    int32_t rank, ranks;
    int64_t count;
    const TimelineSpan *spans; /* in the order added; times since time 0 */
} TimelineFile;

/* What was recorded so far; good until the next addition. */
TimelineFile timeline_view(const Timeline *timeline);

/* STATUS_MACHINE when the disk refuses; `path` is then as before. */
MUST_CHECK bool timeline_write(const TimelineFile *file, const char *path, Status *status);

/* Reads what timeline_write wrote, files up to 4 GiB. STATUS_BAD_INPUT with line and column for
 * anything else: also for a span that ends before it begins, or of another rank. Spans may come in
 * any order and overlap: a backend may exchange while it computes. Takes 48 bytes a row. */
MUST_CHECK bool timeline_parse(const char *source, const char *text, size_t length, Arena *arena,
                               TimelineFile *file, Status *status);
MUST_CHECK bool timeline_read(const char *path, Arena *arena, TimelineFile *file, Status *status);

/* --- All ranks --- */

/* How rows of stages are drawn: `names` by stage, and whose clock they are by ("GPU"). Borrowed. */
typedef struct {
    const char *const *names;
    const char *clock;
} TimelineStages;

/* Chrome's trace-event format: one track for each rank, steps as slices with their phases inside.
 * Horovod's names for what it has, too: NEGOTIATE_ALLREDUCE with a tick for each rank that is ready
 * ("0", "1", ... on rank 0's track), MPI_ALLREDUCE; the other phases under their own. What overlaps
 * without nesting goes to further tracks of its rank, since viewers draw nothing else. Stages are
 * steps on a track of their own beside their rank's ("rank 0, GPU"). `files` is one of each rank
 * that is to be drawn, of one training; `stages` may be all zero where no file has such rows. */
void timeline_chrome(const TimelineFile *files, int32_t count, TimelineStages stages, FILE *stream);
/* The tracks of one rank, in a process of a trace that others draw in, too. */
void timeline_chrome_rank(ChromeTrace *trace, int32_t process, const TimelineFile *file,
                          TimelineStages stages);

/* The same as a file. STATUS_MACHINE when the disk refuses; `path` is then as before. */
MUST_CHECK bool timeline_write_chrome(const TimelineFile *files, int32_t count,
                                      TimelineStages stages, const char *path, Status *status);

/* `folder`/timeline.rank<N>.tsv of each. The folder exists. */
MUST_CHECK bool timeline_write_folder(const TimelineFile *files, int32_t count, const char *folder,
                                      Status *status);
/* What that wrote: rank 0's file says how many ranks there are. STATUS_BAD_INPUT also for files
 * that are not of one training, STATUS_NOT_FOUND for one that is missing. `*files` gets `*count` in
 * order of ranks. */
MUST_CHECK bool timeline_read_folder(const char *folder, Arena *arena, TimelineFile **files,
                                     int32_t *count, Status *status);

#endif

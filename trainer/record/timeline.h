/* The timeline of a rank: phases of steps with begin and end. real/ compares timelines with
 * predictions.
 *
 *     # trainyard timeline 1<TAB>rank<TAB>2<TAB>ranks<TAB>4
 *     phase<TAB>step<TAB>begin_ns<TAB>end_ns<TAB>bytes<TAB>rank
 *     load<TAB>0<TAB>1200345<TAB>1260311<TAB>98304<TAB>2
 *
 * Times are nanoseconds since all ranks passed the same barrier. Steps count from 0 over the whole
 * training; an evaluation or a checkpoint has the number of the step before it. Bytes are those of
 * the phase: of the images loaded, of the gradients summed, of the file written. The rank is that
 * of the file, except in a row "ready": rank 0 received the readiness of that rank at that time.
 * Because every row contains its rank, the files of all ranks can be concatenated into one
 * table. */
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
    PHASE_NEGOTIATE, /* until the slowest rank is ready; recorded by rank 0 only */
    PHASE_READY,     /* within PHASE_NEGOTIATE: one rank is ready; begin and end are equal */
    PHASE_ALLREDUCE,
    PHASE_UPDATE,
    PHASE_EVALUATE,
    PHASE_CHECKPOINT,
    PHASE_WHOLE, /* a step that a backend made as a whole: the processor sees no phases in it */
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

/* Keeps spans in memory, 48 bytes each; writes no file. `zero_ns` of machine_clock_ns is time 0;
 * read it right after a barrier of all ranks. */
Timeline *timeline_create(int32_t rank, int32_t ranks, int64_t zero_ns);
void timeline_destroy(Timeline *timeline); /* NULL is allowed */
/* Does nothing if `timeline` is NULL. Times are those of machine_clock_ns, not before time 0. */
void timeline_add(Timeline *timeline, Phase phase, int64_t step, int64_t begin_ns, int64_t end_ns,
                  int64_t bytes);
/* Rank 0: adds a row for each of the `ranks` ranks with the time at which it was ready to exchange
 * at `step`. `timeline` may be NULL.
 */
void timeline_add_ready(Timeline *timeline, int64_t step, const int64_t *ready_ns);
/* Adds a stage of a step; stages count from 1. Such rows are drawn, but not written to tables.
 * `timeline` may be NULL. */
void timeline_add_stage(Timeline *timeline, int64_t stage, int64_t step, int64_t begin_ns,
                        int64_t end_ns);

/* --- One rank's rows --- */

typedef struct {
    int32_t rank, ranks;
    int64_t count;
    const TimelineSpan *spans; /* in the order added; times since time 0 */
} TimelineFile;

/* The spans recorded so far; valid until the next addition. */
TimelineFile timeline_view(const Timeline *timeline);

/* Fails with STATUS_MACHINE on disk errors; `path` is then unchanged. */
MUST_CHECK bool timeline_write(const TimelineFile *file, const char *path, Status *status);

/* Read files written by timeline_write, up to 4 GiB. STATUS_BAD_INPUT with line and column for
 * anything else, also for a span that ends before it begins or belongs to another rank. Spans may
 * have any order and overlap: a backend may exchange while it computes. Takes 48 bytes per row. */
MUST_CHECK bool timeline_parse(const char *source, const char *text, size_t length, Arena *arena,
                               TimelineFile *file, Status *status);
MUST_CHECK bool timeline_read(const char *path, Arena *arena, TimelineFile *file, Status *status);

/* --- All ranks --- */

/* How rows of stages are drawn: `names` by stage, and the device whose clock measured them ("GPU").
 * Borrowed. */
typedef struct {
    const char *const *names;
    const char *clock;
} TimelineStages;

/* Chrome's trace-event format: one track for each rank, steps as slices with their phases inside.
 * Phases that Horovod has, too, get its names: MPI_ALLREDUCE, and NEGOTIATE_ALLREDUCE with a tick
 * for each rank that is ready ("0", "1", ... on rank 0's track). Slices that overlap without
 * nesting are drawn on further tracks of their rank, because viewers require nesting. Stages have
 * separate tracks ("rank 0, GPU"). `files` has one file for each rank to draw, all of one
 * training. `stages` may be all zero if no file has such rows. */
void timeline_chrome(const TimelineFile *files, int32_t count, TimelineStages stages, FILE *stream);
/* Adds the tracks of one rank to a process of a trace, which may have other tracks. */
void timeline_chrome_rank(ChromeTrace *trace, int32_t process, const TimelineFile *file,
                          TimelineStages stages);

/* The same as a file. Fails with STATUS_MACHINE on disk errors; `path` is then unchanged. */
MUST_CHECK bool timeline_write_chrome(const TimelineFile *files, int32_t count,
                                      TimelineStages stages, const char *path, Status *status);

/* Writes `folder`/timeline.rank<N>.tsv for each file. The folder exists. */
MUST_CHECK bool timeline_write_folder(const TimelineFile *files, int32_t count, const char *folder,
                                      Status *status);
/* Reads the files written by timeline_write_folder; rank 0's file contains the number of ranks.
 * Fails with STATUS_BAD_INPUT also for files of different trainings, and with STATUS_NOT_FOUND for
 * a missing file. `*files` gets `*count` entries in order of ranks. */
MUST_CHECK bool timeline_read_folder(const char *folder, Arena *arena, TimelineFile **files,
                                     int32_t *count, Status *status);

#endif

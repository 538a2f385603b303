/* The work of a program that writes checkpoints at regular intervals, as time passes.
 *
 *     work every | write takes | work every | write takes | ... | rest of the work
 *
 * No checkpoint follows the last work. A checkpoint keeps all work before it once it is written; at
 * the instant at which its writing ends it does not count yet. Pure. */
#ifndef SIM_MODEL_WORK_H
#define SIM_MODEL_WORK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t every_ns; /* work between two checkpoints; 0: none is written */
    int64_t takes_ns; /* the program stops for so long while one is written */
} WorkRhythm;

/* Since the begin of a stretch of work. */
typedef struct {
    int64_t work_ns;
    int64_t writing_ns;      /* spent on checkpoints */
    int64_t kept_ns;         /* the work in the last checkpoint that is written ... */
    int64_t kept_writing_ns; /* ... and the time spent on checkpoints up to it */
} WorkDone;

/* The duration of `work_ns` with its checkpoints; at most INT64_MAX. */
int64_t work_duration_ns(WorkRhythm rhythm, int64_t work_ns);
/* The work that is done when `passed_ns` of that duration have passed. */
WorkDone work_done_after(WorkRhythm rhythm, int64_t passed_ns);
/* Whether a checkpoint after `passed_ns` would keep more than those that the rhythm has: the
 * program works, and has worked since the last one. */
bool work_is_unsaved(WorkRhythm rhythm, int64_t passed_ns);

#endif

/* The progress of a sweep in one line on stderr:
 *
 *     412/3,200 runs · 14 of 96 points decided · 3,310 runs/s · 0.8 s left · worst half-width 7.1 %
 *     of cost_usd.total (nodes=3)
 *
 * sim/cli/progress.h says when it is shown. SIGUSR1 prints it at any time. */
#ifndef SIM_STUDY_SWEEP_PROGRESS_H
#define SIM_STUDY_SWEEP_PROGRESS_H

#include "sim/cli/progress.h"
#include "sim/study/results.h"
#include "sim/study/units.h"

typedef struct {
    const Results *results;
    StudyWork work;
    Progress progress;
    int64_t known_before; /* runs known when it began */
} SweepProgress;

SweepProgress sweep_progress_start(const Results *results, StudyWork work, bool is_quiet);
/* Draws or prints the line if it is due or asked for; a RunnerPlan's `watch`. */
void sweep_progress_watch(void *progress, bool is_asked);
void sweep_progress_end(SweepProgress *progress); /* erases the line */

#endif

/* The progress of a sweep in one line on stderr:
 *
 *     412/3,200 runs · 14 of 96 points decided · 3,310 runs/s · 0.8 s left · worst half-width 7.1 %
 *     of cost_usd.total (nodes=3)
 *
 * On a terminal the line is redrawn; otherwise it is printed once a minute. SIGUSR1 prints it at
 * any time. */
#ifndef SIM_STUDY_SWEEP_PROGRESS_H
#define SIM_STUDY_SWEEP_PROGRESS_H

#include "sim/study/results.h"
#include "sim/study/units.h"

typedef struct {
    const Results *results;
    StudyWork work;
    bool is_quiet;
    bool is_terminal;
    bool is_drawn;
    int64_t began_ns;
    int64_t next_ns;      /* the line is not drawn earlier */
    int64_t known_before; /* runs known when it began */
} SweepProgress;

SweepProgress sweep_progress_start(const Results *results, StudyWork work, bool is_quiet);
/* Draws or prints the line if it is due or asked for; a RunnerPlan's `watch`. */
void sweep_progress_watch(void *progress, bool is_asked);
void sweep_progress_end(SweepProgress *progress); /* wipes the line */

/* The line, after `elapsed_ns`. */
void sweep_progress_line(const SweepProgress *progress, int64_t elapsed_ns, Text *out);

#endif

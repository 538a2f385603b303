/* DIR/worst: the worst run of a plan's recommendation, with its report. */
#ifndef TOOLS_TRAINYARD_STUDY_WORST_FOLDER_H
#define TOOLS_TRAINYARD_STUDY_WORST_FOLDER_H

#include "sim/study/answer/worst_run.h"
#include "sim/study/sweep.h"

/* Repeats the worst run of the winner with the program `trainyard` in the folder of this program,
 * and writes `folder`/worst: the same files after every kill. Nothing without a winner. `*end` and
 * `*signal` change when a signal ends it. STATUS_NOT_FOUND if the program cannot be started,
 * STATUS_MACHINE if its files cannot be written, STATUS_BAD_INPUT for any other end; its own
 * messages are on stderr then. */
MUST_CHECK bool worst_folder_write(Arena *arena, const PlanOutcome *outcome, const char *folder,
                                   RunnerEnd *end, int *signal, Status *status);

#endif

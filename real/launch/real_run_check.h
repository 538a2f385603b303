/* The jobs of real execution in a scenario, before anything runs: whether they can run, and whether
 * a session of --ran fits them. */
#ifndef REAL_REAL_RUN_CHECK_H
#define REAL_REAL_RUN_CHECK_H

#include "sim/scenario/read.h"

/* Returns whether a job of the scenario must be handed off, because no job.ran command reports its
 * end. */
bool real_run_is_needed(const Scenario *scenario);
/* Reports problems of real jobs before anything runs (STATUS_BAD_INPUT): a job that would never
 * end, because it cannot be handed off here or at all, or a command with an epoch that the job does
 * not have. */
void real_run_check(const Scenario *scenario, bool hands_off, Problems *problems);

/* Warns about each job whose training in the session of --ran differs from that in the scenario,
 * and about a session without jobs. */
void real_run_compare(Arena *arena, const ScenarioFile *file, Problems *warnings);

/* Returns whether a job.ran command of the scenario reports the end of the job. */
bool real_run_is_reported(const Scenario *scenario, const char *job);
/* Returns whether the command ends the job, or reports its end. */
bool real_run_is_end(const Command *command, const char *job);

#endif

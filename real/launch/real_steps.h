/* Commands of the scenario that wait for a step of a job: the ranks run on past such a step, or are
 * killed there. */
#ifndef REAL_REAL_STEPS_H
#define REAL_REAL_STEPS_H

#include "real/launch/real_state.h"

/* Returns the command at `index` if it still waits for a step of the job, otherwise NULL. */
const Command *real_step_awaited(const RealRun *run, const Job *job, int32_t index);

/* Whether the command ends the job's attempt at once. */
bool real_step_kills(const Command *command, const Job *job);

/* Whether the command gives the job notice that it will lose a node, and the job saves then. */
bool real_step_gives_notice(const Command *command, const Job *job);

/* Sets the first step at which a command kills a rank, at once or after its notice, and the rank.
 */
void real_step_find_kill(const RealRun *run, const Job *job, HandOffSettings *settings);

#endif

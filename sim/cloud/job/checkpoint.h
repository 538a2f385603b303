/* Checkpoints of a training: after epochs, after so many steps, and on notice (notice.h). All ranks
 * wait for one within an epoch.
 *
 * At notice all ranks finish the step or evaluation under way and write a checkpoint, for which
 * they wait. If it is written before the job has to stop, the next attempt continues from that
 * step. If not, the older checkpoint counts. A checkpoint that is due or being written at this time
 * serves as well; one that is written during steps is finished first. Afterwards the training
 * continues until the node is gone.
 *
 * At job fidelity a checkpoint on notice takes the time that it takes alone, and the steps continue
 * while it is written. */
#ifndef SIM_CLOUD_JOB_CHECKPOINT_H
#define SIM_CLOUD_JOB_CHECKPOINT_H

#include "sim/cloud/job/job.h"

/* Whether the program writes a checkpoint after that point of the training. */
bool checkpoint_follows(const Program *program, TrainingPoint point);
/* Where a new attempt of a training would continue. */
TrainingPoint checkpoint_kept(const Job *job);
/* A checkpoint of that point is on a share, if the program resumes and the point is later than that
 * of the last one. Returns whether it counts. */
bool checkpoint_keep(Job *job, TrainingPoint point);

/* Begins the checkpoint after the present epoch, or awaits the end of the one before. */
void checkpoint_begin(Jobs *jobs, Job *job);
/* Begins a checkpoint within an epoch or on notice, of the present point. */
void checkpoint_save(Jobs *jobs, Job *job, TrainingPoint point);
/* The job has got notice. */
void checkpoint_on_notice(Jobs *jobs, Job *job);
/* The time of a checkpoint at job fidelity, without other users of the share. */
int64_t checkpoint_alone_ns(Jobs *jobs, const Job *job);
/* The transfer of a checkpoint has ended. */
void checkpoint_written(Jobs *jobs, Job *job);

/* Reports the moments of a checkpoint of so many steps, counted over all epochs. */
void checkpoint_moments(Jobs *jobs, const Job *job, int64_t steps);

/* --- Events --- */

/* All ranks have waited for a checkpoint: until it is written, or for the time that it blocks. */
void checkpoint_done(Jobs *jobs, Job *job);

#endif

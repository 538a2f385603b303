/* The present pace of a job's steps, epochs and evaluations: it depends on the speed of its nodes
 * and on its rate on shared wires. */
#ifndef SIM_CLOUD_JOB_PACE_H
#define SIM_CLOUD_JOB_PACE_H

#include "sim/cloud/job/job.h"

/* The speed at which the job runs a stated time on nodes of its kind. */
int64_t pace_speed_ppm(const Jobs *jobs, const Job *job);
/* The duration, on nodes of the job's kind at its speed there, of work that takes `stated_ns` as
 * its owner or a trace states; and the stated duration of work that takes `on_kind_ns` there,
 * rounded down. */
int64_t pace_of_kind_ns(const Jobs *jobs, const Job *job, int64_t stated_ns);
int64_t pace_stated_ns(const Jobs *jobs, const Job *job, int64_t on_kind_ns);
/* The speeds of the job's ranks [rank], in `*room`, which is allocated in `arena` if it is NULL.
 * Returns NULL if all speeds are as modelled. */
const int64_t *pace_of_ranks(const Jobs *jobs, const Job *job, int64_t **room, Arena *arena);
/* The duration, on the job's slowest node, of work that takes `modelled_ns` at modelled speed. */
int64_t pace_of_slowest_ns(const Jobs *jobs, const Job *job, int64_t modelled_ns);
/* Whether the job's exchange competes with others for a wire. */
bool pace_shares_wires(const Jobs *jobs, const Job *job);
/* Computes the mean step at the present pace: step_parts, step_nodes and evaluate_ns of the job's
 * Training. */
void pace_estimate(const Jobs *jobs, Job *job);
/* Job fidelity: the time from the beginning of training to the end of `epochs_done` epochs (counted
 * as Training.epoch), checkpoints included. */
int64_t pace_until_ns(const Job *job, int64_t epochs_done);
/* Job fidelity: the same to the time when the checkpoint after these epochs is written. */
int64_t pace_until_written_ns(const Job *job, int64_t epochs_done);
/* Job fidelity: the same to the end of the last step of `point`, without a checkpoint after it. */
int64_t pace_until_step_ns(const Job *job, TrainingPoint point);
/* Job fidelity: the first step of the epoch (from 1) that has not ended so long after the begin of
 * training; the last one if all have. */
int64_t pace_step_under_way(const Job *job, int64_t epoch, int64_t after_ns);
/* Job fidelity: the point of the first checkpoint of so many steps or more, counted over all
 * epochs; it may be later than the end of the training. */
TrainingPoint pace_checkpoint_from(const Job *job, int64_t steps);
/* Job fidelity: the time from the beginning of training until the checkpoint of that point is
 * written. */
int64_t pace_until_saved_ns(const Job *job, TrainingPoint point);
/* Job fidelity: the point of the last checkpoint that is written at `at_ns`; if the attempt has
 * none, one that is not later than the point from which it began. */
TrainingPoint pace_kept(const Job *job, int64_t at_ns);
/* Job fidelity: how many epochs have ended at `at_ns`; 0 before training. */
int64_t pace_epochs_done(const Job *job, int64_t at_ns);

#endif

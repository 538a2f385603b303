/* A training job's way through its epochs: steps, evaluation, checkpoint, and at the end the model
 * and the last evaluation.
 *
 * Step fidelity has one event per step of all ranks, and two where the exchange is on a wire that
 * others share; epoch fidelity has one per epoch and job fidelity one for all epochs, both by the
 * mean of the draws at step fidelity. A slow node or a crowded wire counts when a step, an epoch or
 * the training begins, as the fidelity is. */
#ifndef SIM_CLOUD_JOB_EPOCHS_H
#define SIM_CLOUD_JOB_EPOCHS_H

#include "sim/cloud/job/job.h"

/* Every node has its data: training begins, from the last checkpoint if there is one. */
void epochs_data_ready(Jobs *jobs, Job *job);
/* Records that an attempt resumes from the checkpoint of `program`, which has Job.epochs_kept. */
void epochs_emit_resumed(Jobs *jobs, const Job *job, const Program *program);
/* An awaited step has ended: the next awaited one is foreseen. */
void epochs_step_reached(Jobs *jobs, Job *job, int64_t step);

/* --- Events --- */

void epochs_resumed(Jobs *jobs, Job *job);
void epochs_step_done(Jobs *jobs, Job *job);
void epochs_epoch_done(Jobs *jobs, Job *job);
void epochs_all_done(Jobs *jobs, Job *job);
void epochs_evaluated(Jobs *jobs, Job *job);
void epochs_checkpointed(Jobs *jobs, Job *job);
void epochs_model_saved(Jobs *jobs, Job *job);
void epochs_scored(Jobs *jobs, Job *job);
/* The slowest rank has finished its part of the step: its bytes enter a shared wire. */
void epochs_exchange_begins(Jobs *jobs, Job *job);
/* Job fidelity: an awaited epoch (from 1) begins, or its checkpoint is written. The epoch times 2,
 * + 1 for the checkpoint. */
void epochs_moment(Jobs *jobs, Job *job, uint32_t epoch_and_kind);
/* A step's exchange, shared with others on a wire, is over (network.c). */
void epochs_exchange_done(Jobs *jobs, Job *job);

#endif

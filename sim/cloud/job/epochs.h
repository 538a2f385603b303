/* The epochs of a training job: steps, evaluation and checkpoint (checkpoint.h), then the model and
 * the final evaluation.
 *
 * Step fidelity has one event per step of all ranks, or two if the exchange uses shared wires.
 * Epoch fidelity has one event for the steps of an epoch, job fidelity one for all epochs; both use
 * the mean of the draws at step fidelity. The speeds of nodes and wires are taken when a step, an
 * epoch or the training begins, depending on the fidelity. */
#ifndef SIM_CLOUD_JOB_EPOCHS_H
#define SIM_CLOUD_JOB_EPOCHS_H

#include "sim/cloud/job/job.h"

/* To be called when every node has its data: begins training, or reads the last checkpoint first.
 */
void epochs_data_ready(Jobs *jobs, Job *job);
/* Emits TRACE_JOB_RESUMED or TRACE_JOB_RESUMED_WITHIN: the attempt resumes from the checkpoint of
 * `program` after Job.epochs_kept epochs. */
void epochs_emit_resumed(Jobs *jobs, const Job *job, const Program *program);
/* At the end of an awaited step: reports its moment and pushes the end of the next awaited step. */
void epochs_step_reached(Jobs *jobs, Job *job, int64_t step);

/* Continues the present epoch from its present step, and with the next epoch. */
void epochs_continue(Jobs *jobs, Job *job);
void epochs_next(Jobs *jobs, Job *job);
/* Epoch fidelity: the steps that are under way end with the present one. */
void epochs_end_after_step(Jobs *jobs, Job *job);

/* --- Events --- */

void epochs_resumed(Jobs *jobs, Job *job);
void epochs_step_done(Jobs *jobs, Job *job);
void epochs_epoch_done(Jobs *jobs, Job *job);
void epochs_all_done(Jobs *jobs, Job *job);
void epochs_evaluated(Jobs *jobs, Job *job);
void epochs_model_saved(Jobs *jobs, Job *job);
void epochs_scored(Jobs *jobs, Job *job);
/* All ranks have computed a step: its bytes enter shared wires. */
void epochs_exchange_begins(Jobs *jobs, Job *job);
/* Job fidelity: an awaited epoch (from 1) begins, or its checkpoint is written. The epoch times 2,
 * + 1 for the checkpoint. */
void epochs_moment(Jobs *jobs, Job *job, uint32_t epoch_and_kind);
/* Job fidelity: an awaited checkpoint of so many steps is written. */
void epochs_saved(Jobs *jobs, Job *job, int64_t steps);
/* The exchange of a step over shared wires has ended (exchange.c). */
void epochs_exchange_done(Jobs *jobs, Job *job);

#endif

/* The schedule of a pipeline, executed: 1F1B and its interleaved form.
 *
 * A pipeline rank performs its forward and backward passes in a fixed order: passes that fill the
 * pipeline, then one forward and one backward in turn, then the remaining backwards. A pass begins
 * when the pass before it on its rank has ended and its input has arrived. So unequal stages, a
 * slow last stage and the time of sending have the effect that they have in the real schedule.
 *
 * Source: Narayanan et al., Efficient large-scale language model training on GPU clusters using
 * Megatron-LM, SC'21; the order is that of Megatron-LM's schedules.py. */
#ifndef SIM_MODEL_TRANSFORMER_SCHEDULE_H
#define SIM_MODEL_TRANSFORMER_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

enum { SCHEDULE_STAGES_MOST = 512 };

typedef struct {
    int32_t ranks;  /* >= 1 */
    int32_t chunks; /* >= 1; more than 1: `micro_batches` is a multiple of `ranks` */
    int64_t micro_batches;
    /* Seconds of a pass by stage: ranks * chunks of them in the order of the forward pass. Rank r
     * has the stages r, r + ranks, r + 2 ranks, ... */
    const double *forward_s;
    const double *backward_s;
    double send_s; /* from one stage to the next, while the sender computes on */
} PipelineSchedule;

/* Seconds from the first forward to the end of the last backward pass. A long schedule repeats one
 * period after it has been filled: the periods beyond the 6th are added, not executed. */
double schedule_time_s(const PipelineSchedule *schedule);
/* No schedule of these passes is shorter, and one with equal stages and without sending is not
 * longer: filling, the busiest rank's passes, emptying. */
double schedule_least_s(const PipelineSchedule *schedule);
/* The passes of the busiest rank. */
double schedule_busiest_s(const PipelineSchedule *schedule);
/* The micro batches whose activations a rank holds at the same time, as a multiple of its layers:
 * passes in flight divided by `chunks`. */
double schedule_in_flight(int32_t ranks, int32_t chunks, int64_t micro_batches, int32_t rank);

#endif

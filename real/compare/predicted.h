/* Writes the simulator's prediction of a training as timelines of its ranks, the form in which real
 * trainings are measured. So the same code folds (real/compare/measured.h) and draws both. */
#ifndef REAL_PREDICTED_H
#define REAL_PREDICTED_H

#include "real/compare/measured.h"
#include "sim/cloud/world.h"
#include "sim/output/metrics/metrics.h"
#include "sim/output/trace/row.h"

typedef struct {
    const char *job;  /* its name */
    const char *path; /* "workspace/experiment/job" */
    const Program *program;
    const VmSize *vm_size;
    StepPlan plan;
    int64_t input_ns, backward_ns; /* of plan.compute_ns: input that is prepared before the forward
                                      pass, and the backward pass; the rest is the forward pass */
    uint64_t seed, step_address;   /* of the random scatter of its steps */
    int64_t checkpoint_ns; /* of one checkpoint, written every `checkpoint_every` epochs; 0: no
                              checkpoints */
    bool guesses_samples;  /* the number of images of the real training is unknown: the catalogue's
                              number is used, and the whole training is not judged */
    bool succeeds;         /* the job, in the world */
    int32_t restarts;
    int64_t steps_lost; /* repeated by a later attempt */
} PredictedJob;

/* Counts the steps of each job in a run at step fidelity. The run's metrics do not contain them. */
typedef struct PredictedSteps PredictedSteps;
PredictedSteps *predicted_steps_create(Arena *arena);
TraceListener predicted_steps_listener(PredictedSteps *steps);

/* Returns the `*count` trainings of a world that has run, each in its last attempt. */
PredictedJob *predicted_jobs(Arena *arena, const World *world, const RunMetrics *metrics,
                             const PredictedSteps *steps, int32_t *count);
/* Predicts the steps of a program without a run. Only steps are predicted. */
PredictedJob predicted_program(const Program *program, const VmSize *vm_size, int32_t nodes,
                               int32_t ranks);

/* Returns one timeline for each of plan.ranks ranks: the first `steps` steps, and the evaluations
 * and checkpoints between epochs. Time 0 is the beginning of the first step. */
const TimelineFile *predicted_timeline(Arena *arena, const PredictedJob *prediction, int64_t steps);

#endif

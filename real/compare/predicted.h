/* What the simulator says a training is going to be like, in the form in which a real one is
 * measured: as timelines of its ranks. So both are folded by the same code
 * (real/compare/measured.h), and drawn by the same. */
#ifndef REAL_PREDICTED_H
#define REAL_PREDICTED_H

#include "real/compare/measured.h"
#include "sim/cloud/world.h"
#include "sim/output/summary/metrics.h"
#include "sim/output/trace/row.h"

typedef struct {
    const char *job;  /* its name */
    const char *path; /* "workspace/experiment/job" */
    const Program *program;
    const VmSize *vm_size;
    StepPlan plan;
    int64_t input_ns, backward_ns; /* of plan.compute_ns: input that is prepared before the forward
                                      pass, and the backward pass; the rest is the forward pass */
    uint64_t seed, step_address;   /* of the luck of its steps */
    int64_t checkpoint_ns;         /* one, after every `checkpoint_every` epochs; 0: none */
    bool guesses_samples;          /* nobody knows how many images the real one finds: those of the
                                      catalogue are taken, and the training as a whole is not judged */
    bool succeeds;                 /* the job, in the world */
    int32_t restarts;
    int64_t steps_lost; /* done once more by a later attempt */
} PredictedJob;

/* What is heard of a run at step fidelity beside its metrics: how many steps its jobs have done. */
typedef struct PredictedSteps PredictedSteps;
PredictedSteps *predicted_steps_create(Arena *arena);
TraceListener predicted_steps_listener(PredictedSteps *steps);

/* The trainings of a world that has run, each in its last attempt; `*count` of them. */
PredictedJob *predicted_jobs(Arena *arena, const World *world, const RunMetrics *metrics,
                             const PredictedSteps *steps, int32_t *count);
/* Of a program that nobody runs: steps alone are known. */
PredictedJob predicted_program(const Program *program, const VmSize *vm_size, int32_t nodes,
                               int32_t ranks);

/* Its first `steps` steps, with the evaluations and checkpoints between epochs, one file for each
 * of plan.ranks ranks. Time 0 is the beginning of the first step. */
const TimelineFile *predicted_timeline(Arena *arena, const PredictedJob *prediction, int64_t steps);

#endif

/* The plan of a training step, and whether a training is within the limits. Pure. */
#ifndef SIM_CLOUD_TRAINING_STEP_PLAN_H
#define SIM_CLOUD_TRAINING_STEP_PLAN_H

#include "sim/base/status.h"
#include "sim/cloud/spec/spec.h"

/* Mean durations, before jitter. */
typedef struct {
    int32_t ranks;
    int64_t epochs;
    int64_t steps_per_epoch;
    int64_t missing_steps;    /* that the last epoch lacks */
    int64_t input_ns;         /* to prepare one batch */
    int64_t compute_ns;       /* forward, backward, framework overhead */
    int64_t bubble_ns;        /* ranks of a pipeline wait for one another */
    int64_t exchange_ns;      /* left to do after the backward pass; 0 with one rank */
    int64_t wire_ns;          /* the part of exchange_ns in which bytes cross wires between nodes */
    int64_t wire_bytes;       /* bytes on each wire in wire_ns; 0: no shared wire is used */
    int64_t wire_bytes_per_s; /* the rate without other jobs */
    int64_t update_ns;
    int64_t evaluate_ns; /* after an epoch; 0: none */
    int64_t final_evaluate_ns;
    Quantiles jitter_ppm;
} StepPlan;

/* The steps of an epoch, from 0. */
int64_t plan_epoch_steps(const StepPlan *plan, int64_t epoch);
/* The steps of the epochs from `first` up to `end`, exclusive. */
int64_t plan_steps(const StepPlan *plan, int64_t first, int64_t end);

/* How ranks are distributed. The fullest node sets the pace: its ranks share its GPUs and
 * processors. */
typedef struct {
    int32_t nodes;
    int32_t ranks;
    int32_t ranks_on_fullest;
} RankPlaces;

/* Ranks spread evenly over `nodes` >= 1 nodes, as the service does it. */
RankPlaces rank_places_spread(int32_t nodes, int32_t ranks);
/* One rank for each of `gpus` >= 1 GPUs, which fill one node of `vm_size` after the other. */
RankPlaces rank_places_filled(const VmSize *vm_size, int32_t gpus);

/* The plan of a step of `program` on nodes of `vm_size`, which has a GPU. A part that is too long
 * for int64 is INT64_MAX, which training_check refuses. */
StepPlan step_plan(const Program *program, const VmSize *vm_size, RankPlaces places);

/* Checks that the training of a job on nodes of `vm_size` is within the limits: on GPUs, at most
 * 2^16 ranks, 2^24 epochs, 2^32 steps, 2^42 samples per epoch and rank, and 2^62 ns (146 years) in
 * all. If not, STATUS_BAD_INPUT at `at` names the number that is too large. A job that does not
 * train is always within the limits. */
MUST_CHECK bool training_check(const JobSpec *spec, const VmSize *vm_size, Place at,
                               Status *status);
/* The same for a training and a given distribution of ranks. */
MUST_CHECK bool training_check_places(const Program *program, const VmSize *vm_size,
                                      RankPlaces places, Place at, Status *status);

/* Whether the program resumes from its checkpoints, and these are on a share. */
bool program_can_resume(const Program *program);
/* The shortest possible time of the job's program in one attempt from the start, on nodes of
 * `vm_size`; 0: unknown. A training must have passed training_check. */
int64_t program_least_ns(const JobSpec *spec, const VmSize *vm_size);

#endif

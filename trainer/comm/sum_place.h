/* A place (memory or GPU) whose values `trainyard bench-allreduce` sums over ranks, as a table of
 * functions. Each place has an input, which does not change, and an output, which is summed in
 * place. */
#ifndef TRAINER_SUM_PLACE_H
#define TRAINER_SUM_PLACE_H

#include "trainer/comm/comm.h"

typedef struct {
    /* `input` is borrowed. Collective. */
    bool (*open)(Comm *comm, const float *input, int64_t count, void **state, Status *status);
    void (*close)(void *state);
    /* `copy` copies the first `count` inputs to the outputs; `sum` sums those outputs over all
     * ranks. On a GPU both are queued in this order, and `wait` waits for them. */
    bool (*copy)(void *state, int64_t count, Status *status);
    bool (*sum)(void *state, int64_t count, Status *status);
    bool (*wait)(void *state, Status *status); /* for all queued copies and sums */
    /* Returns the first `count` outputs in memory; call it after `wait`. NULL on failure. */
    const float *(*fetch)(void *state, int64_t count, Status *status);
} SumPlace;

extern const SumPlace sum_place_memory;
extern const SumPlace sum_place_gpu; /* where this build has NCCL */

#endif

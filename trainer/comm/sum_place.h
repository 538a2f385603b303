/* Where the values lie that `trainyard bench-allreduce` has summed over ranks: one small table of
 * functions for each such place. Each has an input, which stays, and an output, which is summed in
 * place. */
#ifndef TRAINER_SUM_PLACE_H
#define TRAINER_SUM_PLACE_H

#include "trainer/comm/comm.h"

typedef struct {
    /* `input` is borrowed. Collective, as far as ranks have to agree on anything. */
    bool (*open)(Comm *comm, const float *input, int64_t count, void **state, Status *status);
    void (*close)(void *state);
    /* The first `count` inputs to the outputs, and the sum of those outputs over all ranks: begun,
     * in this order, but not waited for where a GPU does it. */
    bool (*copy)(void *state, int64_t count, Status *status);
    bool (*sum)(void *state, int64_t count, Status *status);
    bool (*wait)(void *state, Status *status); /* until all that was begun is done */
    /* The first `count` outputs, after a wait, in memory; NULL on failure. */
    const float *(*fetch)(void *state, int64_t count, Status *status);
} SumPlace;

extern const SumPlace sum_place_memory;
extern const SumPlace sum_place_gpu; /* where this build has NCCL */

#endif

/* An emulation of NCCL: ranks on emulated GPUs (tests/trainer/cuda/emulation) sum through a file
 * that all of them map, so that the trainer's use of NCCL can be tested without a GPU. Like NCCL,
 * it queues sums on the stream, allows capturing them in graphs, refuses ranks that share a device,
 * and reports asynchronous errors only when they are queried.
 *
 * It does not reproduce NCCL's order of a sum (here: the order of ranks) or its speed. */
#ifndef TESTS_TRAINER_COMM_NCCL_EMULATION_NCCL_EMULATION_H
#define TESTS_TRAINER_COMM_NCCL_EMULATION_NCCL_EMULATION_H

#include <nccl.h>

/* Sets the result of ncclGetVersion in this process. */
void nccl_emulation_set_version(int version);
/* Makes ncclCommInitRank return `result` in this process without doing anything; other ranks
 * continue without it. */
void nccl_emulation_fail_init(ncclResult_t result);
/* Sets the error that ncclCommGetAsyncError reports in this process. */
void nccl_emulation_set_async_error(ncclResult_t result);

#endif

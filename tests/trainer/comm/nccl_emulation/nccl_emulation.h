/* An NCCL that is none: ranks on emulated GPUs (tests/trainer/cuda/emulation) add up through a file
 * that all of them map, so that what the trainer makes of NCCL can be tested without a GPU. As NCCL
 * does, it queues its sums on the stream, lets them be captured into graphs, refuses ranks that
 * share a device, and is told of errors from outside only when it is asked.
 *
 * Nothing is said about the order of a sum (here: of ranks), and nothing about speed. */
#ifndef TESTS_TRAINER_COMM_NCCL_EMULATION_NCCL_EMULATION_H
#define TESTS_TRAINER_COMM_NCCL_EMULATION_NCCL_EMULATION_H

#include <nccl.h>

/* What ncclGetVersion says in this process. */
void nccl_emulation_set_version(int version);
/* What ncclCommInitRank says in this process, without doing it; the others go on alone. */
void nccl_emulation_fail_init(ncclResult_t result);
/* What ncclCommGetAsyncError finds in this process. */
void nccl_emulation_set_async_error(ncclResult_t result);

#endif

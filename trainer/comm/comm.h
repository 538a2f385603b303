/* What the ranks of a job say to each other, behind one interface.
 *
 *     local   one process: nothing to say
 *     mpi     Open MPI: fused in-place sums over one contiguous arena
 *     nccl    NCCL: sums on GPUs, one a rank; everything else by mpi
 *
 * "auto" is mpi where a launcher has started several ranks (trainer/comm/launcher.h), else local;
 * so a program that is started alone never calls MPI. It becomes nccl in comm_use_gpus. All
 * functions but those that say otherwise are collective: every rank calls them, in the same order.
 *
 * A failure is known to the rank that met it, and the others may wait for it forever: who gets a
 * false here reports it and calls comm_abort. */
#ifndef TRAINER_COMM_H
#define TRAINER_COMM_H

#include "sim/base/status.h"

typedef struct Comm Comm;

/* `word` is one of comm_words (trainer/comm/comm_words.h).
 *
 * STATUS_MACHINE with one line when this build or this machine has no such communication; also for
 * "auto" where a launcher started several ranks that this build cannot make talk. MPI opens at most
 * once in a process. */
MUST_CHECK bool comm_open(const char *word, Arena *arena, Comm **comm, Status *status);
void comm_close(Comm *comm); /* NULL is fine */

/* Once it is known who computes: whether on GPUs, the same on all ranks. If so, each has made its
 * own the current one (cudaSetDevice). With "nccl" they sum by NCCL from here on, or it fails on
 * all ranks: STATUS_MACHINE, naming ranks that share a GPU, which NCCL refuses. With "auto" they do
 * so where they can. Other words stay what they are. */
MUST_CHECK bool comm_use_gpus(Comm *comm, bool is_on_gpu, Status *status);

/* Not collective. */
const char *comm_name(const Comm *comm); /* as it is now, never "auto" */
int32_t comm_rank(const Comm *comm);
int32_t comm_size(const Comm *comm);
/* Ranks on this machine, this one included. */
int32_t comm_local_size(const Comm *comm);
/* This rank's place among the ranks on this machine. It picks the rank's GPU. */
int32_t comm_local_rank(const Comm *comm);
/* Cores that these ranks may use together (trainer/comm/cores.h). */
int32_t comm_local_cores(const Comm *comm);

/* Sums `values` over all ranks, in place, as one message. The same ranks in the same places give
 * the same bits again. */
MUST_CHECK bool comm_sum(Comm *comm, float *values, int64_t count, Status *status);
/* Whether ranks can sum what lies on their GPUs without the processor, and that sum: queued on
 * `stream` (a cudaStream_t) behind what is there, not waited for. Legal while a CUDA graph is
 * captured where comm_sums_in_graph; every launch of the graph is then collective. */
bool comm_sums_on_gpu(const Comm *comm);
bool comm_sums_in_graph(const Comm *comm);
MUST_CHECK bool comm_sum_on_gpu(Comm *comm, float *values, int64_t count, void *stream,
                                Status *status);
MUST_CHECK bool comm_sum_doubles(Comm *comm, double *values, int32_t count, Status *status);
/* The smallest of all ranks' values: for agreeing. */
MUST_CHECK bool comm_min(Comm *comm, int64_t *value, Status *status);
/* `bytes` of rank 0 to all. */
MUST_CHECK bool comm_broadcast(Comm *comm, void *data, int64_t bytes, Status *status);
/* Rank 0 gets `each` bytes of every rank, in order of ranks, into `all`; NULL elsewhere. */
MUST_CHECK bool comm_gather(Comm *comm, const void *mine, int64_t each, void *all, Status *status);
MUST_CHECK bool comm_barrier(Comm *comm, Status *status);

/* --- Who is late ---
 *
 * As Horovod's coordinator, rank 0 is told when each rank is ready to exchange, so that it can name
 * those that are not. A message of 8 bytes a step and rank; the others do not wait for it. Horovod
 * says nothing when rank 0 itself is late: here rank 1 watches rank 0 in the same way. */

/* Called on rank 0, and on rank 1, while it waits, again after every further `stall_ns`: `late` are
 * the ranks, of those that it watches, that have not come. */
typedef void CommStall(void *listener, int64_t waited_ns, const int32_t *late, int32_t late_count);

/* Not collective. */
void comm_watch_stalls(Comm *comm, int64_t stall_ns, CommStall *stall, void *listener);
/* This rank is ready to exchange the gradients of `step`; on rank 0 returns when all are, on rank 1
 * when rank 0 is. With `ready_ns` not NULL, rank 0 fills ready_ns[size] with CLOCK_MONOTONIC when
 * it heard of each. STATUS_MACHINE when a rank is at another step. */
MUST_CHECK bool comm_ready(Comm *comm, int64_t step, int64_t *ready_ns, Status *status);

/* Not collective, and does not wait: false when a sum on GPUs has failed. A rank that waits for its
 * GPU calls it in turns, because that GPU may wait for ever for the GPU of another rank. */
MUST_CHECK bool comm_check(Comm *comm, int64_t step, Status *status);

/* Not collective: writes out stdout and ends all ranks at once with this exit code, after a failure
 * that the others do not know of. Does not return. */
_Noreturn void comm_abort(Comm *comm, int exit_code);

#endif

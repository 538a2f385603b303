/* Communication between the ranks of a job: one interface for several libraries.
 *
 *     local   one process: no communication
 *     mpi     Open MPI: fused in-place sums over one contiguous arena
 *     nccl    NCCL: sums on GPUs, one GPU per rank; mpi for everything else
 *
 * "auto" is mpi if a launcher has started several ranks (sim/cli/launcher.h), else local: a
 * program that is started without a launcher never calls MPI. It may become nccl in comm_use_gpus.
 * All functions are collective unless their comment says otherwise: every rank calls them, in the
 * same order.
 *
 * Only the failing rank knows of a failure, and the others may wait for it forever. A caller that
 * gets false therefore reports it and calls comm_abort. */
#ifndef TRAINER_COMM_H
#define TRAINER_COMM_H

#include "sim/base/status.h"

typedef struct Comm Comm;

/* `word` is one of comm_words (trainer/comm/comm_words.h).
 *
 * Fails with STATUS_MACHINE if this build or this machine lacks this communication, also for "auto"
 * if a launcher started several ranks and this build has no MPI. MPI can be opened at most once in
 * a process. */
MUST_CHECK bool comm_open(const char *word, Arena *arena, Comm **comm, Status *status);
void comm_close(Comm *comm); /* NULL is fine */

/* Called once the backend is known. `is_on_gpu` says whether the ranks compute on GPUs, and is
 * equal on all ranks. If true, each rank has selected its GPU (cudaSetDevice). With "nccl" ranks
 * sum by NCCL from then on, or the call fails on all ranks: STATUS_MACHINE, naming ranks that share
 * a GPU, which NCCL refuses. With "auto" they use NCCL where possible. Other words are not
 * affected. */
MUST_CHECK bool comm_use_gpus(Comm *comm, bool is_on_gpu, Status *status);

/* Not collective. */
const char *comm_name(const Comm *comm); /* of the kind in use, never "auto" */
int32_t comm_rank(const Comm *comm);
int32_t comm_size(const Comm *comm);
/* Ranks on this machine, this one included. */
int32_t comm_local_size(const Comm *comm);
/* This rank's place among the ranks on this machine. It picks the rank's GPU. */
int32_t comm_local_rank(const Comm *comm);
/* Cores that these ranks may use together (trainer/comm/cores.h). */
int32_t comm_local_cores(const Comm *comm);

/* Sums `values` over all ranks, in place, as one message. The same ranks on the same machines give
 * the same bits again. */
MUST_CHECK bool comm_sum(Comm *comm, float *values, int64_t count, Status *status);
/* comm_sums_on_gpu: true if ranks can sum values in GPU memory without the processor.
 * comm_sum_on_gpu queues that sum on `stream` (a cudaStream_t) and does not wait for it. If
 * comm_sums_in_graph, it may be called while a CUDA graph is captured; every launch of the graph is
 * then collective. */
bool comm_sums_on_gpu(const Comm *comm);
bool comm_sums_in_graph(const Comm *comm);
MUST_CHECK bool comm_sum_on_gpu(Comm *comm, float *values, int64_t count, void *stream,
                                Status *status);
MUST_CHECK bool comm_sum_doubles(Comm *comm, double *values, int32_t count, Status *status);
/* Replaces `value` by the smallest of all ranks' values, so that ranks can agree. */
MUST_CHECK bool comm_min(Comm *comm, int64_t *value, Status *status);
/* Sends `bytes` of `data` from rank 0 to all ranks. */
MUST_CHECK bool comm_broadcast(Comm *comm, void *data, int64_t bytes, Status *status);
/* Collects `each` bytes of every rank, in order of ranks, in `all` of rank 0. `all` is NULL on
 * other ranks. */
MUST_CHECK bool comm_gather(Comm *comm, const void *mine, int64_t each, void *all, Status *status);
MUST_CHECK bool comm_barrier(Comm *comm, Status *status);

/* Not collective: how long this rank waits for the others in comm_use_gpus (5 minutes). NCCL waits
 * for a lost rank for ever; after this time the rank says so on stderr, and ends all ranks with
 * exit code 3. */
void comm_limit_start(Comm *comm, int64_t limit_ns);

/* --- Late ranks ---
 *
 * As in Horovod's coordinator, each rank notifies rank 0 when it is ready to exchange gradients, so
 * that rank 0 can name late ranks. This costs a message of 8 bytes per step and rank; the sender
 * does not wait. Horovod reports nothing if rank 0 itself is late: here rank 1 watches rank 0. */

/* Called on ranks 0 and 1 after every `stall_ns` of waiting. `late` are the watched ranks that are
 * not ready. */
typedef void CommStall(void *listener, int64_t waited_ns, const int32_t *late, int32_t late_count);

/* Not collective. */
void comm_watch_stalls(Comm *comm, int64_t stall_ns, CommStall *stall, void *listener);
/* Announces that this rank is ready to exchange the gradients of `step`. Returns on rank 0 when all
 * ranks are ready, on rank 1 when rank 0 is ready, elsewhere at once. If `ready_ns` is not NULL,
 * rank 0 fills ready_ns[size] with the times (CLOCK_MONOTONIC) at which it received the messages.
 * Fails with STATUS_MACHINE if a rank is at another step. */
MUST_CHECK bool comm_ready(Comm *comm, int64_t step, int64_t *ready_ns, Status *status);

/* Not collective, and does not wait: false if a sum on GPUs has failed. A rank that waits for its
 * GPU calls it repeatedly, because that GPU may wait forever for the GPU of another rank. */
MUST_CHECK bool comm_check(Comm *comm, int64_t step, Status *status);

/* Not collective: flushes stdout and ends all ranks immediately with this exit code, after a
 * failure that the other ranks do not know of. Does not return. */
_Noreturn void comm_abort(Comm *comm, int exit_code);

#endif

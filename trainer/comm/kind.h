/* A kind of communication between ranks: the table of functions that trainer/comm/comm.c calls.
 * Private to trainer/comm. */
#ifndef TRAINER_COMM_KIND_H
#define TRAINER_COMM_KIND_H

#include "trainer/comm/comm.h"

typedef struct {
    const char *name;
    /* True if this process was launched for this kind. "auto" takes the first such kind. */
    bool (*is_launched)(void);
    bool (*open)(Comm *comm, Arena *arena, Status *status); /* fills rank, sizes and `state` */
    void (*close)(Comm *comm);
    bool (*sum)(Comm *comm, float *values, int64_t count, Status *status);
    /* NULL: values in GPU memory are summed by the processor. */
    bool (*sum_on_gpu)(Comm *comm, float *values, int64_t count, void *stream, Status *status);
    bool (*sum_doubles)(Comm *comm, double *values, int32_t count, Status *status);
    bool (*min)(Comm *comm, int64_t *value, Status *status);
    bool (*broadcast)(Comm *comm, void *data, int64_t bytes, Status *status);
    bool (*gather)(Comm *comm, const void *mine, int64_t each, void *all, Status *status);
    bool (*barrier)(Comm *comm, Status *status);
    bool (*ready)(Comm *comm, int64_t step, int64_t *ready_ns, Status *status);
    /* NULL: there is nothing to check. */
    bool (*check)(Comm *comm, int64_t step, Status *status);
    void (*abort)(Comm *comm, int exit_code);
} CommKind;

/* The use of NCCL according to the word given to comm_open. */
typedef enum { NCCL_NEVER, NCCL_WHERE_POSSIBLE, NCCL_REQUIRED } NcclChoice;

struct Comm {
    const CommKind *kind;
    NcclChoice nccl;
    bool sums_in_graph;
    Arena *arena;
    int32_t rank, size, local_rank, local_size;
    int32_t local_cores;
    void *state; /* belongs to the kind */
    int64_t start_limit_ns;
    int64_t stall_ns;
    CommStall *stall; /* NULL: stalls are not reported */
    void *stall_listener;
};

extern const CommKind comm_local;
extern const CommKind comm_mpi; /* where this build has MPI */

extern const CommKind comm_nccl; /* where this build has NCCL; comm_nccl_begin sets it */

/* Only in builds with NCCL: `comm` sums by NCCL from then on, and calls a copy of its former self
 * for everything else. Collective. On failure it returns false on all ranks, and `comm` is
 * unchanged. */
MUST_CHECK bool comm_nccl_begin(Comm *comm, Status *status);

#endif

/* One way for ranks to talk, as trainer/comm/comm.c sees it: a table of functions. Only comm.c and
 * the comm_*.c files include this. */
#ifndef TRAINER_COMM_KIND_H
#define TRAINER_COMM_KIND_H

#include "trainer/comm/comm.h"

typedef struct {
    const char *name;
    /* True where a launcher has started this process for this kind; "auto" takes the first. */
    bool (*is_launched)(void);
    bool (*open)(Comm *comm, Arena *arena, Status *status); /* fills rank, sizes and `state` */
    void (*close)(Comm *comm);
    bool (*sum)(Comm *comm, float *values, int64_t count, Status *status);
    /* NULL: what lies on GPUs is summed by way of the processor. */
    bool (*sum_on_gpu)(Comm *comm, float *values, int64_t count, void *stream, Status *status);
    bool (*sum_doubles)(Comm *comm, double *values, int32_t count, Status *status);
    bool (*min)(Comm *comm, int64_t *value, Status *status);
    bool (*broadcast)(Comm *comm, void *data, int64_t bytes, Status *status);
    bool (*gather)(Comm *comm, const void *mine, int64_t each, void *all, Status *status);
    bool (*barrier)(Comm *comm, Status *status);
    bool (*ready)(Comm *comm, int64_t step, int64_t *ready_ns, Status *status);
    /* NULL: there is nothing to find out. */
    bool (*check)(Comm *comm, int64_t step, Status *status);
    void (*abort)(Comm *comm, int exit_code);
} CommKind;

/* What the word given to comm_open says about NCCL. */
typedef enum { NCCL_NEVER, NCCL_WHERE_POSSIBLE, NCCL_ASKED_FOR } NcclWish;

struct Comm {
    const CommKind *kind;
    NcclWish nccl;
    bool sums_in_graph;
    Arena *arena;
    int32_t rank, size, local_rank, local_size;
    int32_t local_cores;
    void *state; /* of the kind */
    int64_t stall_ns;
    CommStall *stall; /* NULL: nobody listens */
    void *stall_listener;
};

extern const CommKind comm_local;
extern const CommKind comm_mpi; /* where this build has MPI */

extern const CommKind comm_nccl; /* where this build has NCCL; never opened, but: */

/* Where this build has NCCL: `comm` sums by it from now on and leaves everything else to a copy of
 * what it was. Collective; false on all ranks, with `comm` as it was. */
MUST_CHECK bool comm_nccl_begin(Comm *comm, Status *status);

#endif

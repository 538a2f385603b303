/* One way for ranks to talk, as trainer/comm.c sees it: a table of functions. Only comm.c and the
 * comm_*.c files include this. */
#ifndef TRAINER_COMM_KIND_H
#define TRAINER_COMM_KIND_H

#include "trainer/comm.h"

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
    void (*abort)(Comm *comm, int exit_code);
} CommKind;

struct Comm {
    const CommKind *kind;
    int32_t rank, size, local_rank, local_size;
    int32_t local_cores;
    void *state; /* of the kind */
    int64_t stall_ns;
    CommStall *stall; /* NULL: nobody listens */
    void *stall_listener;
};

extern const CommKind comm_local;
extern const CommKind comm_mpi; /* where this build has MPI */

#endif

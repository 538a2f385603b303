#include "trainer/comm/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "trainer/comm/cores.h"
#include "trainer/comm/kind.h"

static const CommKind *const kinds[] = {
#ifdef TRAINYARD_HAVE_MPI
    &comm_mpi,
#endif
    &comm_local,
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

#ifdef TRAINYARD_HAVE_NCCL
enum { HAS_NCCL = true };
#else
enum { HAS_NCCL = false };
#endif

static const CommKind *kind_find(const char *word)
{
    for (int32_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(word, "auto") == 0 ? kinds[i]->is_launched() : strcmp(word, kinds[i]->name) == 0)
            return kinds[i];
    return NULL;
}

static bool fail_missing(const char *word, Status *status)
{
    const Place here = place_in("trainyard", 0, 0);
    if (strcmp(word, "auto") == 0)
        status_fail(
            status, STATUS_MACHINE, here,
            "several ranks were started, but this build has no communication between ranks");
    else
        status_fail(status, STATUS_MACHINE, here, "this build has no communication \"%s\"", word);
    if (strcmp(word, "nccl") == 0)
        return status_hint(status, "install CUDA and NCCL (libnccl-dev) and build again, as in the "
                                   "preset gpu");
    return status_hint(status, "install libopenmpi-dev (Debian's name) and build again");
}

static NcclChoice nccl_choice_of(const char *word)
{
    return strcmp(word, "nccl") == 0               ? NCCL_REQUIRED
           : HAS_NCCL && strcmp(word, "auto") == 0 ? NCCL_WHERE_POSSIBLE
                                                   : NCCL_NEVER;
}

bool comm_open(const char *word, Arena *arena, Comm **comm, Status *status)
{
    const NcclChoice nccl = nccl_choice_of(word);
    if (nccl == NCCL_REQUIRED && !HAS_NCCL)
        return fail_missing(word, status);
    const char *base = nccl == NCCL_REQUIRED ? "auto" : word;
    const CommKind *kind = kind_find(base);
    if (!kind)
        return fail_missing(base, status);
    const CoreSet cores = cores_allowed();
    Comm *opened = ARENA_NEW(arena, Comm);
    *opened = (Comm){.kind = kind,
                     .nccl = nccl,
                     .arena = arena,
                     .size = 1,
                     .local_size = 1,
                     .local_cores = cores_count(&cores),
                     .start_limit_ns = 5 * NS_PER_MIN,
                     .stall_ns = INT64_MAX};
    if (!kind->open(opened, arena, status))
        return false;
    *comm = opened;
    return true;
}

bool comm_use_gpus(Comm *comm, bool is_on_gpu, Status *status)
{
    if (comm->nccl == NCCL_NEVER || (comm->nccl == NCCL_WHERE_POSSIBLE && comm->size == 1))
        return true;
#ifdef TRAINYARD_HAVE_NCCL
    if (is_on_gpu)
        return comm_nccl_begin(comm, status);
#endif
    if (is_on_gpu || comm->nccl == NCCL_WHERE_POSSIBLE)
        return true;
    status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                "--comm nccl sums on GPUs, but the ranks compute on processors");
    return status_hint(status, "--backend cuda computes on GPUs; --comm %s sums on processors",
                       comm->kind->name);
}

void comm_close(Comm *comm)
{
    if (comm)
        comm->kind->close(comm);
}

const char *comm_name(const Comm *comm)
{
    return comm->kind->name;
}

int32_t comm_rank(const Comm *comm)
{
    return comm->rank;
}

int32_t comm_size(const Comm *comm)
{
    return comm->size;
}

int32_t comm_local_size(const Comm *comm)
{
    return comm->local_size;
}

int32_t comm_local_rank(const Comm *comm)
{
    return comm->local_rank;
}

int32_t comm_local_cores(const Comm *comm)
{
    return comm->local_cores;
}

bool comm_sum(Comm *comm, float *values, int64_t count, Status *status)
{
    return comm->kind->sum(comm, values, count, status);
}

bool comm_sums_on_gpu(const Comm *comm)
{
    return comm->kind->sum_on_gpu != NULL;
}

bool comm_sums_in_graph(const Comm *comm)
{
    return comm_sums_on_gpu(comm) && comm->sums_in_graph;
}

bool comm_sum_on_gpu(Comm *comm, float *values, int64_t count, void *stream, Status *status)
{
    return comm->kind->sum_on_gpu(comm, values, count, stream, status);
}

bool comm_sum_doubles(Comm *comm, double *values, int32_t count, Status *status)
{
    return comm->kind->sum_doubles(comm, values, count, status);
}

bool comm_min(Comm *comm, int64_t *value, Status *status)
{
    return comm->kind->min(comm, value, status);
}

bool comm_broadcast(Comm *comm, void *data, int64_t bytes, Status *status)
{
    return comm->kind->broadcast(comm, data, bytes, status);
}

bool comm_gather(Comm *comm, const void *mine, int64_t each, void *all, Status *status)
{
    return comm->kind->gather(comm, mine, each, all, status);
}

bool comm_barrier(Comm *comm, Status *status)
{
    return comm->kind->barrier(comm, status);
}

void comm_limit_start(Comm *comm, int64_t limit_ns)
{
    comm->start_limit_ns = limit_ns;
}

void comm_watch_stalls(Comm *comm, int64_t stall_ns, CommStall *stall, void *listener)
{
    comm->stall_ns = stall_ns;
    comm->stall = stall;
    comm->stall_listener = listener;
}

bool comm_ready(Comm *comm, int64_t step, int64_t *ready_ns, Status *status)
{
    return comm->kind->ready(comm, step, ready_ns, status);
}

bool comm_check(Comm *comm, int64_t step, Status *status)
{
    return !comm->kind->check || comm->kind->check(comm, step, status);
}

void comm_abort(Comm *comm, int exit_code)
{
    fflush(stdout); // neither MPI_Abort nor _Exit does
    comm->kind->abort(comm, exit_code);
    _Exit(exit_code);
}

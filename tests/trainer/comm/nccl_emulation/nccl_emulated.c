#include "tests/trainer/comm/nccl_emulation/nccl_emulation.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS_MAX = 8, PIECE = 4096 };

/* Memory that ranks share. */
typedef struct {
    atomic_int arrived, round; /* of the current barrier */
    atomic_bool is_aborted;
    int devices[RANKS_MAX];
    float pieces[RANKS_MAX][PIECE];
} Shared;

/* A sum that was queued. It may be part of a graph, so it lives as long as its comm. */
typedef struct Sum {
    struct Sum *next;
    ncclComm_t comm;
    size_t count;
    float values[]; /* of this rank, then of all ranks; the processor cannot access GPU memory */
} Sum;

struct ncclComm {
    Shared *shared;
    int rank, ranks;
    Sum *sums;
};

static struct {
    int version;
    ncclResult_t init, async;
} settings = {.version = NCCL_VERSION_CODE};

void nccl_emulation_set_version(int version)
{
    settings.version = version;
}

void nccl_emulation_fail_init(ncclResult_t result)
{
    settings.init = result;
}

void nccl_emulation_set_async_error(ncclResult_t result)
{
    settings.async = result;
}

/* --- Barrier and sum --- */

/* Waits until all ranks call it; false if one of them has aborted. */
static bool meet(ncclComm_t comm)
{
    Shared *shared = comm->shared;
    const int round = atomic_load(&shared->round);
    if (atomic_fetch_add(&shared->arrived, 1) == comm->ranks - 1) {
        atomic_store(&shared->arrived, 0);
        atomic_fetch_add(&shared->round, 1);
    }
    while (atomic_load(&shared->round) == round && !atomic_load(&shared->is_aborted))
        sched_yield();
    return !atomic_load(&shared->is_aborted);
}

static bool sum_piece(ncclComm_t comm, float *values, size_t count)
{
    Shared *shared = comm->shared;
    memcpy(shared->pieces[comm->rank], values, count * sizeof *values);
    if (!meet(comm))
        return false;
    for (size_t i = 0; i < count; i++) {
        // The last rank comes first, as in Open MPI's linear algorithm (ompi/mca/coll/base).
        float sum = shared->pieces[comm->ranks - 1][i];
        for (int rank = comm->ranks - 2; rank >= 0; rank--)
            sum += shared->pieces[rank][i];
        values[i] = sum;
    }
    return meet(comm);
}

static void run_sum(void *data)
{
    Sum *sum = data;
    for (size_t at = 0; at < sum->count; at += PIECE) {
        const size_t left = sum->count - at;
        if (!sum_piece(sum->comm, sum->values + at, left < PIECE ? left : PIECE))
            return;
    }
}

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream)
{
    if (!comm || datatype != ncclFloat || op != ncclSum)
        return ncclInvalidArgument;
    const size_t bytes = count * sizeof(float);
    Sum *sum = malloc(sizeof *sum + bytes);
    if (!sum)
        return ncclSystemError;
    *sum = (Sum){.next = comm->sums, .comm = comm, .count = count};
    comm->sums = sum;
    const bool is_queued = cudaMemcpyAsync(sum->values, sendbuff, bytes, cudaMemcpyDeviceToHost,
                                           stream) == cudaSuccess &&
                           cudaLaunchHostFunc(stream, run_sum, sum) == cudaSuccess &&
                           cudaMemcpyAsync(recvbuff, sum->values, bytes, cudaMemcpyHostToDevice,
                                           stream) == cudaSuccess;
    return is_queued ? ncclSuccess : ncclUnhandledCudaError;
}

/* --- Begin and end --- */

ncclResult_t ncclGetVersion(int *version)
{
    *version = settings.version;
    return ncclSuccess;
}

/* The id is the path of the file. */
ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    const char *folder = getenv("TMPDIR");
    memset(id, 0, sizeof *id);
    snprintf(id->internal, sizeof id->internal, "%s/nccl-XXXXXX", folder ? folder : "/tmp");
    const int file = mkstemp(id->internal);
    if (file < 0)
        return ncclSystemError;
    const bool is_made = ftruncate(file, sizeof(Shared)) == 0;
    close(file);
    return is_made ? ncclSuccess : ncclSystemError;
}

static Shared *shared_map(const char *path)
{
    const int file = open(path, O_RDWR);
    if (file < 0)
        return NULL;
    void *shared = mmap(NULL, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return shared == MAP_FAILED ? NULL : shared;
}

static bool shares_device(ncclComm_t comm)
{
    const int *devices = comm->shared->devices;
    for (int rank = 0; rank < comm->ranks; rank++)
        if (rank != comm->rank && devices[rank] == devices[comm->rank])
            return true;
    return false;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
    int device;
    if (settings.init != ncclSuccess)
        return settings.init;
    if (nranks > RANKS_MAX || cudaGetDevice(&device) != cudaSuccess)
        return ncclInvalidUsage;
    ncclComm_t made = malloc(sizeof *made);
    if (!made)
        return ncclSystemError;
    *made = (struct ncclComm){.shared = shared_map(id.internal), .rank = rank, .ranks = nranks};
    *comm = made;
    if (!made->shared)
        return ncclSystemError;
    made->shared->devices[rank] = device;
    const bool is_there = meet(made);
    if (rank == 0)
        unlink(id.internal);
    return is_there && !shares_device(made) ? ncclSuccess : ncclInvalidUsage;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    for (Sum *next; comm->sums; comm->sums = next) {
        next = comm->sums->next;
        free(comm->sums);
    }
    munmap(comm->shared, sizeof *comm->shared);
    free(comm);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    atomic_store(&comm->shared->is_aborted, true);
    return ncclCommDestroy(comm);
}

/* --- Errors --- */

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    (void)comm;
    *error = settings.async;
    return ncclSuccess;
}

/* The texts are NCCL's (src/init.cc of 2.28). */
const char *ncclGetErrorString(ncclResult_t result)
{
    switch (result) {
    case ncclSuccess:
        return "no error";
    case ncclUnhandledCudaError:
        return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
        return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
        return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
        return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
        return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
        return "remote process exited or there was a network error";
    case ncclInProgress:
        return "NCCL operation in progress";
    }
    return "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return settings.async == ncclSuccess ? "" : "what NCCL said last";
}

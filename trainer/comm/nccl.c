/* Private to trainer/comm: ranks that sum on their GPUs by NCCL, one GPU per rank. MPI does
 * everything else, and sends NCCL's id from rank 0 to all ranks. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "trainer/comm/kind.h"
#include "trainer/cuda/toolkit/nccl_version.h"

typedef struct {
    Comm *base; /* the communication before comm_nccl_begin; in the arena */
    ncclComm_t nccl;
} Nccl;

/* --- Errors --- */

/* Reports a failure of this rank at `step`; -1: not in a step. */
static bool fail_at(const Comm *comm, int64_t step, const char *doing, const char *why,
                    Status *status)
{
    char at_step[40] = "";
    if (step >= 0)
        snprintf(at_step, sizeof at_step, ", step %" PRId64, step);
    return status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                       "rank %" PRId32 " of %" PRId32 "%s: %s: %s", comm->rank, comm->size, at_step,
                       doing, why);
}

static bool nccl_is_fine(ncclResult_t result, const Comm *comm, ncclComm_t nccl, int64_t step,
                         const char *doing, Status *status)
{
    if (result == ncclSuccess || nccl_is_in_progress(result))
        return true;
    fail_at(comm, step, doing, ncclGetErrorString(result), status);
    const char *words = nccl_last_words(nccl);
    return words[0] ? status_hint(status, "%s; set NCCL_DEBUG=INFO for details", words)
                    : status_hint(status, "set NCCL_DEBUG=INFO for details");
}

static bool cuda_is_fine(cudaError_t result, const Comm *comm, const char *doing, Status *status)
{
    return result == cudaSuccess || fail_at(comm, -1, doing, cudaGetErrorString(result), status);
}

/* --- All or none --- */

/* Makes a failure of one rank a failure of all ranks: true if `is_fine` on all of them. On ranks
 * that did not fail, the message names the lowest rank that did. */
static bool all_are_fine(Comm *comm, bool is_fine, const char *doing, Status *status)
{
    int64_t failed = is_fine ? INT64_MAX : comm->rank;
    Status comm_status;
    char why[60];
    if (!comm_min(comm, &failed, &comm_status)) {
        *status = is_fine ? comm_status : *status;
        return false;
    }
    if (failed == INT64_MAX || !is_fine)
        return is_fine;
    snprintf(why, sizeof why, "rank %" PRId64 " could not", failed);
    return fail_at(comm, -1, doing, why, status);
}

/* --- A GPU for each rank --- */

enum { HOST_ROOM = 64, BUS_ROOM = 32 };

/* The GPU of a rank. */
typedef struct {
    char host[HOST_ROOM], bus[BUS_ROOM]; /* ended by NULs, so that equal ones are equal bytes */
} GpuPlace;

/* Two ranks that share a GPU; `first` is -1 if there are no such ranks. */
typedef struct {
    int32_t first, second;
    GpuPlace place;
} Sharing;

static bool find_own_gpu(const Comm *comm, GpuPlace *place, Status *status)
{
    int device;
    *place = (GpuPlace){.host = ""};
    if (gethostname(place->host, HOST_ROOM - 1) != 0)
        place->host[0] = '\0';
    return cuda_is_fine(cudaGetDevice(&device), comm, "cudaGetDevice", status) &&
           cuda_is_fine(cudaDeviceGetPCIBusId(place->bus, BUS_ROOM, device), comm,
                        "cudaDeviceGetPCIBusId", status);
}

static Sharing find_sharing(const GpuPlace *places, int32_t count)
{
    for (int32_t second = 1; second < count; second++)
        for (int32_t first = 0; first < second; first++)
            if (memcmp(&places[first], &places[second], sizeof *places) == 0)
                return (Sharing){.first = first, .second = second, .place = places[first]};
    return (Sharing){.first = -1};
}

/* Finds on rank 0 whether two ranks share a GPU, and sends the result to all ranks. */
static bool find_shared_gpus(Comm *comm, Sharing *sharing, Status *status)
{
    GpuPlace own;
    GpuPlace *all = ARENA_ARRAY(comm->arena, GpuPlace, comm->rank == 0 ? comm->size : 1);
    *sharing = (Sharing){.first = -1};
    if (!all_are_fine(comm, find_own_gpu(comm, &own, status), "finding its GPU", status) ||
        !comm_gather(comm, &own, sizeof own, comm->rank == 0 ? all : NULL, status))
        return false;
    if (comm->rank == 0)
        *sharing = find_sharing(all, comm->size);
    return comm_broadcast(comm, sharing, sizeof *sharing, status);
}

static bool fail_sharing(const Comm *comm, const Sharing *sharing, Status *status)
{
    status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                "ranks %" PRId32 " and %" PRId32 " share the GPU %s of %s, which NCCL refuses",
                sharing->first, sharing->second, sharing->place.bus, sharing->place.host);
    return status_hint(status,
                       "--comm %s works there and sums on the processor; or start as many "
                       "ranks as there are GPUs",
                       comm->kind->name);
}

/* --- Begin --- */

/* Creates the id by which ranks find each other, and sends it from rank 0 to all. */
static bool share_id(Comm *comm, ncclUniqueId *id, Status *status)
{
    memset(id, 0, sizeof *id);
    const bool is_made = comm->rank > 0 || nccl_is_fine(ncclGetUniqueId(id), comm, NULL, -1,
                                                        "ncclGetUniqueId", status);
    return all_are_fine(comm, is_made, "ncclGetUniqueId", status) &&
           comm_broadcast(comm, id, sizeof *id, status);
}

/* Ends all ranks if a call waits for a lost rank. */
typedef struct {
    Comm *comm;
    const char *call;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t returned;
    bool has_returned;
    struct timespec until; /* by machine_clock_ns */
} CallWatch;

static void *watch_call(void *context)
{
    CallWatch *watch = context;
    Comm *comm = watch->comm;
    int code = 0;
    pthread_mutex_lock(&watch->lock);
    while (!watch->has_returned && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&watch->returned, &watch->lock, &watch->until);
    const bool is_late = !watch->has_returned;
    pthread_mutex_unlock(&watch->lock);
    if (!is_late)
        return NULL;
    fprintf(stderr,
            "trainyard: rank %" PRId32 " of %" PRId32 ": %s has waited %" PRId64
            " s for the other ranks: one of them is lost, or cannot be reached\n"
            "  hint: set NCCL_DEBUG=INFO for details; --comm %s sums on the processor\n",
            comm->rank, comm->size, watch->call, comm->start_limit_ns / NS_PER_S, comm->kind->name);
    comm_abort(comm, 3);
}

/* `watch` stays where it is until watch_end. */
static bool watch_begin(CallWatch *watch, Comm *comm, const char *call, Status *status)
{
    const int64_t until_ns = machine_clock_ns() + comm->start_limit_ns;
    pthread_condattr_t attributes;
    *watch = (CallWatch){.comm = comm,
                         .call = call,
                         .until = {.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S}};
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->returned, &attributes);
    pthread_condattr_destroy(&attributes);
    const int error = pthread_create(&watch->thread, NULL, watch_call, watch);
    return error == 0 || fail_at(comm, -1, "pthread_create", strerror(error), status);
}

static void watch_end(CallWatch *watch)
{
    pthread_mutex_lock(&watch->lock);
    watch->has_returned = true;
    pthread_cond_signal(&watch->returned);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->returned);
    pthread_mutex_destroy(&watch->lock);
}

/* Returns when all ranks have called it. */
static bool meet_ranks(Comm *comm, ncclComm_t *nccl, ncclUniqueId id, Status *status)
{
    static const char call[] = "ncclCommInitRank";
    CallWatch watch;
    if (!watch_begin(&watch, comm, call, status))
        return false;
    const ncclResult_t result = ncclCommInitRank(nccl, comm->size, id, comm->rank);
    watch_end(&watch);
    return nccl_is_fine(result, comm, NULL, -1, call, status);
}

static bool start_nccl(Comm *comm, ncclComm_t *nccl, int *version, Status *status)
{
    ncclUniqueId id;
    if (!share_id(comm, &id, status))
        return false;
    *nccl = NULL;
    const bool is_started =
        nccl_is_fine(ncclGetVersion(version), comm, NULL, -1, "ncclGetVersion", status) &&
        meet_ranks(comm, nccl, id, status);
    if (all_are_fine(comm, is_started, "ncclCommInitRank", status))
        return true;
    if (is_started)
        nccl_abort(*nccl);
    return false;
}

bool comm_nccl_begin(Comm *comm, Status *status)
{
    Sharing sharing;
    ncclComm_t started;
    int version = 0;
    if (!find_shared_gpus(comm, &sharing, status))
        return false;
    if (sharing.first >= 0)
        return comm->nccl == NCCL_WHERE_POSSIBLE || fail_sharing(comm, &sharing, status);
    if (!start_nccl(comm, &started, &version, status))
        return false;
    // Either all ranks capture graphs or none does.
    int64_t can_be_captured = nccl_can_be_captured(version);
    if (!comm_min(comm, &can_be_captured, status)) {
        nccl_abort(started);
        return false;
    }
    Nccl *nccl = ARENA_NEW(comm->arena, Nccl);
    *nccl = (Nccl){.base = ARENA_NEW(comm->arena, Comm), .nccl = started};
    *nccl->base = *comm;
    comm->kind = &comm_nccl;
    comm->sums_in_graph = can_be_captured != 0;
    comm->state = nccl;
    return true;
}

/* --- Sums on GPUs --- */

static bool nccl_sum_on_gpu(Comm *comm, float *values, int64_t count, void *stream, Status *status)
{
    const Nccl *nccl = comm->state;
    return nccl_is_fine(
        ncclAllReduce(values, values, (size_t)count, ncclFloat, ncclSum, nccl->nccl, stream), comm,
        nccl->nccl, -1, "ncclAllReduce", status);
}

static bool check_gpus(const Comm *comm, int64_t step, Status *status)
{
    const Nccl *nccl = comm->state;
    return nccl_is_fine(nccl_async_error(nccl->nccl), comm, nccl->nccl, step, "NCCL", status);
}

/* --- Everything else --- */

static Comm *base_of(const Comm *comm)
{
    const Nccl *nccl = comm->state;
    return nccl->base;
}

static bool nccl_open(Comm *comm, Arena *arena, Status *status)
{
    (void)arena;
    return fail_at(comm, -1, "NCCL", "begins in comm_use_gpus", status);
}

static bool is_never_launched(void)
{
    return false;
}

static void nccl_close(Comm *comm)
{
    const Nccl *nccl = comm->state;
    (void)ncclCommDestroy(nccl->nccl);
    comm_close(nccl->base);
}

static bool nccl_sum(Comm *comm, float *values, int64_t count, Status *status)
{
    return comm_sum(base_of(comm), values, count, status);
}

static bool nccl_sum_doubles(Comm *comm, double *values, int32_t count, Status *status)
{
    return comm_sum_doubles(base_of(comm), values, count, status);
}

static bool nccl_min(Comm *comm, int64_t *value, Status *status)
{
    return comm_min(base_of(comm), value, status);
}

static bool nccl_broadcast(Comm *comm, void *data, int64_t bytes, Status *status)
{
    return comm_broadcast(base_of(comm), data, bytes, status);
}

static bool nccl_gather(Comm *comm, const void *mine, int64_t each, void *all, Status *status)
{
    return comm_gather(base_of(comm), mine, each, all, status);
}

static bool nccl_barrier(Comm *comm, Status *status)
{
    return comm_barrier(base_of(comm), status);
}

static bool nccl_ready(Comm *comm, int64_t step, int64_t *ready_ns, Status *status)
{
    Comm *base = base_of(comm);
    comm_watch_stalls(base, comm->stall_ns, comm->stall, comm->stall_listener);
    return check_gpus(comm, step, status) && comm_ready(base, step, ready_ns, status);
}

static bool nccl_check(Comm *comm, int64_t step, Status *status)
{
    return check_gpus(comm, step, status) && comm_check(base_of(comm), step, status);
}

/* Ends pending sums, so that the GPU does not wait for ranks that have ended. */
static void nccl_end(Comm *comm, int exit_code)
{
    const Nccl *nccl = comm->state;
    nccl_abort(nccl->nccl);
    comm_abort(nccl->base, exit_code);
}

const CommKind comm_nccl = {
    .name = "nccl",
    .is_launched = is_never_launched,
    .open = nccl_open,
    .close = nccl_close,
    .sum = nccl_sum,
    .sum_on_gpu = nccl_sum_on_gpu,
    .sum_doubles = nccl_sum_doubles,
    .min = nccl_min,
    .broadcast = nccl_broadcast,
    .gather = nccl_gather,
    .barrier = nccl_barrier,
    .ready = nccl_ready,
    .check = nccl_check,
    .abort = nccl_end,
};

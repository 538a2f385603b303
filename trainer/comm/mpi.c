/* Private to trainer/comm: ranks that communicate by Open MPI (4.1), through MPI_COMM_WORLD. */
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>

#include "sim/base/invariant.h"
#include "sim/cli/launcher.h"
#include "sim/cli/machine_clock.h"
#include "trainer/comm/cores.h"
#include "trainer/comm/kind.h"

enum { READY_TAG = 1 };

/* The ranks [first, first + count) send their step to this rank. Arrays have `count` entries. */
typedef struct {
    int32_t first, count; /* 0 on ranks above 1 */
    int64_t *steps;
    MPI_Request *requests; /* one receive per rank; MPI_REQUEST_NULL after its arrival */
    int *arrived;          /* for MPI_Testsome */
    int32_t *late;
} Watch;

/* --- Errors --- */

static bool fail_here(Comm *comm, const char *call, const char *why, Status *status)
{
    status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                "rank %" PRId32 " of %" PRId32 ": %s: %s", comm->rank, comm->size, call, why);
    return false;
}

static bool is_fine(int code, Comm *comm, const char *call, Status *status)
{
    char why[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, why, &length);
    fail_here(comm, call, why, status);
    return status_hint(status,
                       "another rank or its machine may have failed; see the output of that rank");
}

/* MPI's counts have type int. */
static bool fits(int64_t count, Comm *comm, const char *call, Status *status)
{
    if (count <= INT_MAX)
        return true;
    return fail_here(comm, call, "more than 2147483647 values or bytes in one message", status);
}

/* --- Begin and end --- */

/* Fixes the order of sums. Open MPI chooses among algorithms by size and ranks; other versions
 * choose differently, and so do components for some networks (hcoll, han, adapt). The order of a
 * sum, and with it the last bits of every weight, could then differ between a run and its
 * resumption. This function therefore requests one algorithm: Rabenseifner's. It halves the values
 * that each rank adds up until every rank has the sum of one part, and then copies the parts to all
 * ranks. With fewer elements than ranks it uses a linear sum, whose order is fixed as well. Between
 * two ranks of one machine it takes 0.7 ms for 5 MB, and the ring algorithm 0.8 ms in some runs and
 * 1.7 ms in others (bench-training on two cores of a Zen 4). Settings in the environment or with
 * mpirun --mca take precedence. */
static void pin_sum_algorithm(void)
{
    enum { KEEP = 0 };
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", KEEP);
    setenv("OMPI_MCA_coll_tuned_allreduce_algorithm", "6", KEEP);
    setenv("OMPI_MCA_coll", "^hcoll,han,adapt", KEEP);
}

/* Without mpirun, Open MPI would start a daemon that lets processes join later. The trainer does
 * not need it. */
static void disable_daemon(void)
{
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
}

static bool start_mpi(Comm *comm, Status *status)
{
    int is_started, provided;
    MPI_Initialized(&is_started);
    invariant(!is_started); // MPI starts at most once in a process
    pin_sum_algorithm();
    disable_daemon();
    if (!is_fine(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided), comm, "MPI_Init",
                 status))
        return false;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &comm->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &comm->size);
    return true;
}

/* The mpiexec of another MPI starts several processes, each of which is a single rank to Open MPI.
 * Each would do all the work and write the same files. */
static bool check_launcher(Comm *comm, Status *status)
{
    if (comm->size > 1 || launcher_ranks() == 1)
        return true;
    MPI_Finalize();
    status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                "%" PRId32 " ranks or more were started, but Open MPI finds only this one",
                launcher_ranks());
    return status_hint(status, "start them with mpirun of Open MPI (package openmpi-bin)");
}

/* Finds the ranks of this machine, and the cores that they share. */
static bool find_local_ranks(Comm *comm, Status *status)
{
    MPI_Comm machine;
    CoreSet cores = cores_allowed();
    if (!is_fine(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, comm->rank,
                                     MPI_INFO_NULL, &machine),
                 comm, "MPI_Comm_split_type", status))
        return false;
    MPI_Comm_rank(machine, &comm->local_rank);
    MPI_Comm_size(machine, &comm->local_size);
    bool done = is_fine(
        MPI_Allreduce(MPI_IN_PLACE, cores.bits, CORES_MAX / 64, MPI_UINT64_T, MPI_BOR, machine),
        comm, "MPI_Allreduce", status);
    comm->local_cores = cores_count(&cores);
    MPI_Comm_free(&machine);
    return done;
}

/* Rank 0 watches all others, rank 1 watches rank 0. */
static Watch *watch_create(const Comm *comm, Arena *arena)
{
    Watch *watch = ARENA_NEW(arena, Watch);
    int32_t count = comm->rank == 0 ? comm->size - 1 : comm->rank == 1 ? 1 : 0;
    *watch = (Watch){
        .first = comm->rank == 0 ? 1 : 0,
        .count = count,
        .steps = ARENA_ARRAY(arena, int64_t, count),
        .requests = ARENA_ARRAY(arena, MPI_Request, count),
        .arrived = ARENA_ARRAY(arena, int, count),
        .late = ARENA_ARRAY(arena, int32_t, count),
    };
    return watch;
}

static bool mpi_open(Comm *comm, Arena *arena, Status *status)
{
    if (!start_mpi(comm, status) || !check_launcher(comm, status) ||
        !find_local_ranks(comm, status))
        return false;
    comm->state = watch_create(comm, arena);
    return true;
}

static void mpi_close(Comm *comm)
{
    (void)comm;
    MPI_Finalize();
}

static void mpi_abort(Comm *comm, int exit_code)
{
    (void)comm;
    MPI_Abort(MPI_COMM_WORLD, exit_code);
}

/* --- Collectives --- */

static bool mpi_sum(Comm *comm, float *values, int64_t count, Status *status)
{
    const char *const call = "MPI_Allreduce";
    return fits(count, comm, call, status) &&
           is_fine(
               MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
               comm, call, status);
}

static bool mpi_sum_doubles(Comm *comm, double *values, int32_t count, Status *status)
{
    return is_fine(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
                   comm, "MPI_Allreduce", status);
}

static bool mpi_min(Comm *comm, int64_t *value, Status *status)
{
    return is_fine(MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD),
                   comm, "MPI_Allreduce", status);
}

static bool mpi_broadcast(Comm *comm, void *data, int64_t bytes, Status *status)
{
    const char *const call = "MPI_Bcast";
    return fits(bytes, comm, call, status) &&
           is_fine(MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD), comm, call, status);
}

static bool mpi_gather(Comm *comm, const void *mine, int64_t each, void *all, Status *status)
{
    const char *const call = "MPI_Gather";
    return fits(each, comm, call, status) &&
           is_fine(
               MPI_Gather(mine, (int)each, MPI_BYTE, all, (int)each, MPI_BYTE, 0, MPI_COMM_WORLD),
               comm, call, status);
}

static bool mpi_barrier(Comm *comm, Status *status)
{
    return is_fine(MPI_Barrier(MPI_COMM_WORLD), comm, "MPI_Barrier", status);
}

/* --- Late ranks --- */

/* Notifies the rank that watches this one. MPI sends such a short message at once, without waiting
 * for the receiver. There is no deadlock even with other settings of MPI, because ranks post their
 * receives before they send. */
static bool send_ready(Comm *comm, int64_t step, Status *status)
{
    const int32_t watcher = comm->rank == 0 ? 1 : 0;
    return is_fine(MPI_Send(&step, 1, MPI_INT64_T, watcher, READY_TAG, MPI_COMM_WORLD), comm,
                   "MPI_Send", status);
}

static bool post_receives(Comm *comm, Watch *watch, Status *status)
{
    for (int32_t i = 0; i < watch->count; i++)
        if (!is_fine(MPI_Irecv(&watch->steps[i], 1, MPI_INT64_T, watch->first + i, READY_TAG,
                               MPI_COMM_WORLD, &watch->requests[i]),
                     comm, "MPI_Irecv", status))
            return false;
    return true;
}

static void report_late(Comm *comm, Watch *watch, int64_t waited_ns)
{
    int32_t late_count = 0;
    for (int32_t i = 0; i < watch->count; i++)
        if (watch->requests[i] != MPI_REQUEST_NULL)
            watch->late[late_count++] = watch->first + i;
    if (comm->stall)
        comm->stall(comm->stall_listener, waited_ns, watch->late, late_count);
}

/* Receives the messages that have arrived since the last call; `*count` ranks are in
 * watch->arrived. */
static bool receive_ready(Comm *comm, Watch *watch, int64_t step, int *count, Status *status)
{
    if (!is_fine(
            MPI_Testsome(watch->count, watch->requests, count, watch->arrived, MPI_STATUSES_IGNORE),
            comm, "MPI_Testsome", status))
        return false;
    for (int32_t i = 0; i < *count; i++) {
        int32_t place = watch->arrived[i];
        if (watch->steps[place] == step)
            continue;
        status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                    "rank %" PRId32 " is at step %" PRId64 ", rank %" PRId32 " at step %" PRId64,
                    watch->first + place, watch->steps[place], comm->rank, step);
        return status_hint(status, "all ranks must be given the same options and the same data");
    }
    return true;
}

/* Waits until all watched ranks are ready. */
static bool await_ready(Comm *comm, int64_t step, int64_t *ready_ns, Status *status)
{
    Watch *watch = comm->state;
    const int64_t begin_ns = machine_clock_ns();
    int64_t waited_ns = 0, reported_ns = 0;
    int32_t missing = watch->count;
    while (missing > 0) {
        int count;
        if (!receive_ready(comm, watch, step, &count, status))
            return false;
        const int64_t now_ns = machine_clock_ns();
        for (int32_t i = 0; ready_ns && i < count; i++)
            ready_ns[watch->first + watch->arrived[i]] = now_ns;
        missing -= count;
        waited_ns = now_ns - begin_ns;
        if (missing > 0 && waited_ns - reported_ns >= comm->stall_ns) {
            reported_ns += comm->stall_ns;
            report_late(comm, watch, waited_ns);
        }
        if (count == 0 && comm->local_size > comm->local_cores)
            sched_yield(); // a late rank may need this core
    }
    return true;
}

static bool mpi_ready(Comm *comm, int64_t step, int64_t *ready_ns, Status *status)
{
    int64_t *received_ns = comm->rank == 0 ? ready_ns : NULL;
    if (received_ns)
        received_ns[0] = machine_clock_ns();
    if (comm->size == 1)
        return true;
    return post_receives(comm, comm->state, status) && send_ready(comm, step, status) &&
           await_ready(comm, step, received_ns, status);
}

const CommKind comm_mpi = {
    .name = "mpi",
    .is_launched = launcher_is_there,
    .open = mpi_open,
    .close = mpi_close,
    .sum = mpi_sum,
    .sum_doubles = mpi_sum_doubles,
    .min = mpi_min,
    .broadcast = mpi_broadcast,
    .gather = mpi_gather,
    .barrier = mpi_barrier,
    .ready = mpi_ready,
    .abort = mpi_abort,
};

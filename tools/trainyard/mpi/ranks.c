#include "tools/trainyard/mpi/ranks.h"

#include <mpi.h>
#include <stdlib.h>

#include "sim/cli/launcher.h"
#include "tools/trainyard/mpi/ranks_state.h"

static bool fail_start(Status *status, const char *why)
{
    status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0), "Open MPI %s", why);
    return status_hint(status, "start the ranks with mpirun of the Open MPI that this program was "
                               "built with (package openmpi-bin), or use --shard I/N");
}

/* The threads of a rank call MPI one at a time. */
static bool start(Ranks *ranks, Status *status)
{
    int provided;
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0); // without mpirun: no daemon
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        return fail_start(status, "cannot be started");
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->own);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
    if (provided < MPI_THREAD_SERIALIZED)
        return fail_start(status, "was built without support of threads");
    if (ranks->count == 1 && launcher_ranks() > 1)
        return fail_start(status, "finds only this rank, although several were started");
    return true;
}

Ranks *ranks_start(Arena *arena, Status *status)
{
    Ranks *ranks = ARENA_NEW(arena, Ranks);
    if (!start(ranks, status))
        return NULL;
    ranks->present = ranks->count - 1;
    return ranks;
}

int32_t ranks_own(const Ranks *ranks)
{
    return ranks->own;
}

int32_t ranks_count(const Ranks *ranks)
{
    return ranks->count;
}

int32_t ranks_first_wrong(const Ranks *ranks, bool is_right)
{
    const int32_t own = is_right ? ranks->count : ranks->own;
    int32_t first;
    MPI_Allreduce(&own, &first, 1, MPI_INT32_T, MPI_MIN, MPI_COMM_WORLD);
    return first;
}

void ranks_finish(Ranks *ranks)
{
    (void)ranks;
    MPI_Finalize();
}

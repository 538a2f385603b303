/* Private to trainer/comm: a single process, whose sums and broadcasts are the values
 * themselves. */
#include <string.h>

#include "sim/cli/launcher.h"
#include "sim/cli/machine_clock.h"
#include "trainer/comm/kind.h"

static bool is_launched(void)
{
    return !launcher_is_there(); // with a launcher, each rank would do all the work
}

static bool local_open(Comm *comm, Arena *arena, Status *status)
{
    (void)comm, (void)arena, (void)status;
    return true;
}

static void local_close(Comm *comm)
{
    (void)comm;
}

static bool local_sum(Comm *comm, float *values, int64_t count, Status *status)
{
    (void)comm, (void)values, (void)count, (void)status;
    return true;
}

static bool local_sum_doubles(Comm *comm, double *values, int32_t count, Status *status)
{
    (void)comm, (void)values, (void)count, (void)status;
    return true;
}

static bool local_min(Comm *comm, int64_t *value, Status *status)
{
    (void)comm, (void)value, (void)status;
    return true;
}

static bool local_broadcast(Comm *comm, void *data, int64_t bytes, Status *status)
{
    (void)comm, (void)data, (void)bytes, (void)status;
    return true;
}

static bool local_gather(Comm *comm, const void *mine, int64_t each, void *all, Status *status)
{
    (void)comm, (void)status;
    memcpy(all, mine, (size_t)each);
    return true;
}

static bool local_barrier(Comm *comm, Status *status)
{
    (void)comm, (void)status;
    return true;
}

static bool local_ready(Comm *comm, int64_t step, int64_t *ready_ns, Status *status)
{
    (void)comm, (void)step, (void)status;
    if (ready_ns)
        ready_ns[0] = machine_clock_ns();
    return true;
}

static void local_abort(Comm *comm, int exit_code)
{
    (void)comm, (void)exit_code; // comm_abort ends this process
}

const CommKind comm_local = {
    .name = "local",
    .is_launched = is_launched,
    .open = local_open,
    .close = local_close,
    .sum = local_sum,
    .sum_doubles = local_sum_doubles,
    .min = local_min,
    .broadcast = local_broadcast,
    .gather = local_gather,
    .barrier = local_barrier,
    .ready = local_ready,
    .abort = local_abort,
};

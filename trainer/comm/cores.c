#define _GNU_SOURCE // sched_getaffinity is Linux's
#include "trainer/comm/cores.h"
#include "sim/base/text.h"

#include <inttypes.h>
#include <sched.h>
#include <unistd.h>

_Static_assert(sizeof(cpu_set_t) * 8 == CORES_MAX, "as many as the C library counts");

static void add_core(CoreSet *set, int32_t core)
{
    set->bits[core / 64] |= UINT64_C(1) << (core % 64);
}

CoreSet cores_allowed(void)
{
    CoreSet set = {{0}};
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        for (int32_t i = 0; i < CORES_MAX; i++)
            if (CPU_ISSET((size_t)i, &allowed))
                add_core(&set, i);
        return set;
    }
    // sched_getaffinity fails in some sandboxes and on machines with more than CORES_MAX cores.
    // Assume all cores that are online.
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (int32_t i = 0; i < CORES_MAX && i < (online < 1 ? 1 : online); i++)
        add_core(&set, i);
    return set;
}

int32_t cores_count(const CoreSet *set)
{
    int32_t count = 0;
    for (int32_t i = 0; i < CORES_MAX; i++)
        count += (int32_t)(set->bits[i / 64] >> (i % 64) & 1);
    return count;
}

void cores_warn(Problems *warnings, int32_t ranks, int32_t threads, int32_t cores)
{
    const Place here = place_in("trainyard", 0, 0);
    Status *warning;
    if ((int64_t)ranks * threads <= cores)
        return;
    if (threads == 1)
        warning = problems_add(warnings, STATUS_MACHINE, here,
                               "%" PRId32 " ranks on %" PRId32
                               " core%s: they take turns, and each step waits for the last",
                               ranks, cores, plural(cores));
    else
        warning = problems_add(warnings, STATUS_MACHINE, here,
                               "%" PRId32 " rank%s of %" PRId32 " threads on %" PRId32
                               " core%s: they take turns, and each step waits for the last",
                               ranks, plural(ranks), threads, cores, plural(cores));
    if (ranks <= cores)
        status_hint(warning, "--threads %" PRId32 " gives every thread a separate core",
                    cores / ranks);
    else
        status_hint(warning,
                    "mpirun -n %" PRId32 " with one thread each gives every rank a separate core",
                    cores);
}

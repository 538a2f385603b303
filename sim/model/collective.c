#include "sim/model/collective.h"

#include "sim/base/invariant.h"
#include "sim/model/bounded.h"

int64_t ring_bytes_per_s(Ring ring, Gang gang)
{
    invariant(gang.nodes >= 1);
    invariant(gang.ranks >= gang.nodes);
    invariant(gang.ranks > 1);
    if (gang.nodes == 1)
        return ring.within.bytes_per_s;
    if (gang.ranks == gang.nodes || ring.between.bytes_per_s < ring.within.bytes_per_s)
        return ring.between.bytes_per_s;
    return ring.within.bytes_per_s;
}

static int64_t steps_of(Gang gang)
{
    return 2 * ((int64_t)gang.ranks - 1);
}

int64_t allreduce_sent_bytes(int64_t bytes, Gang gang)
{
    return bounded_part(bytes, steps_of(gang), gang.ranks);
}

int64_t allreduce_ns(int64_t bytes, Gang gang, Ring ring)
{
    invariant(bytes >= 0);
    if (gang.ranks == 1)
        return 0;
    int64_t crossings = 2 * ((int64_t)gang.nodes - 1);
    int64_t latency_ns =
        bounded_add(bounded_times(steps_of(gang) - crossings, ring.within.latency_ns),
                    bounded_times(crossings, ring.between.latency_ns));
    // The time of all steps together: the error of rounding each would grow with the ranks.
    int64_t moving_ns =
        bounded_at_rate_ns(allreduce_sent_bytes(bytes, gang), ring_bytes_per_s(ring, gang));
    if (ring.add_bytes_per_s > 0) {
        int64_t added_bytes = bounded_part(bytes, gang.ranks - 1, gang.ranks);
        moving_ns = bounded_add(moving_ns, bounded_at_rate_ns(added_bytes, ring.add_bytes_per_s));
    }
    return bounded_add(bounded_add(ring.start_ns, latency_ns), moving_ns);
}

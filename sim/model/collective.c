#include "sim/model/collective.h"

#include "sim/base/invariant.h"
#include "sim/model/bounded.h"

int64_t allreduce_ring_ns(int64_t bytes, int32_t ranks, Link link)
{
    invariant(bytes >= 0);
    invariant(ranks >= 1);
    if (ranks == 1)
        return 0;
    int64_t hops = 2 * ((int64_t)ranks - 1);
    // The chunks of all hops are timed at once: rounding each would grow with the number of ranks.
    int64_t hop_bytes = bounded_part(bytes, hops, ranks);
    return bounded_add(bounded_times(hops, link.latency_ns),
                       bounded_at_rate_ns(hop_bytes, link.bytes_per_s));
}

int64_t allreduce_add_ns(int64_t bytes, int32_t ranks, int64_t add_bytes_per_s)
{
    invariant(ranks >= 1);
    int64_t added_bytes = bounded_part(bytes, ranks - 1, ranks);
    return bounded_at_rate_ns(added_bytes, add_bytes_per_s);
}

int64_t exchange_buffers(const Exchange *exchange, int64_t bytes, int32_t tensors)
{
    return exchange->fusion_bytes == 0 ? tensors : divide_up(bytes, exchange->fusion_bytes);
}

int64_t exchange_wire_bytes(const Exchange *exchange, int64_t bytes, int32_t tensors, int32_t ranks)
{
    if (ranks == 1 || bytes == 0)
        return 0;
    int64_t buffers = exchange_buffers(exchange, bytes, tensors);
    int64_t hops = 2 * ((int64_t)ranks - 1);
    return bounded_times(buffers, bounded_part(divide_up(bytes, buffers), hops, ranks));
}

static int64_t mean_wait_ns(const Exchange *exchange, int64_t negotiation_ns)
{
    if (exchange->sleeps_whole_cycle)
        return bounded_add(exchange->cycle_ns, negotiation_ns) / 2;
    return (exchange->cycle_ns > negotiation_ns ? exchange->cycle_ns : negotiation_ns) / 2;
}

int64_t exchange_ns(const Exchange *exchange, int64_t bytes, int32_t tensors, int32_t ranks)
{
    if (ranks == 1 || bytes == 0)
        return 0;
    int64_t buffers = exchange_buffers(exchange, bytes, tensors);
    int64_t buffer_bytes = divide_up(bytes, buffers);
    int64_t negotiation_ns = bounded_times(ranks, exchange->negotiation_ns);
    int64_t buffer_ns =
        bounded_add(negotiation_ns, allreduce_ring_ns(buffer_bytes, ranks, exchange->link));
    if (exchange->via_host) {
        int64_t copy_ns = bounded_at_rate_ns(buffer_bytes, exchange->host_link_bytes_per_s);
        buffer_ns = bounded_add(buffer_ns, bounded_times(2, copy_ns));
        buffer_ns = bounded_add(buffer_ns,
                                allreduce_add_ns(buffer_bytes, ranks, exchange->add_bytes_per_s));
    }
    return bounded_add(mean_wait_ns(exchange, negotiation_ns), bounded_times(buffers, buffer_ns));
}

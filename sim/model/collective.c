#include "sim/model/collective.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

int64_t allreduce_ring_ns(int64_t bytes, int32_t ranks, Link link)
{
    invariant(bytes >= 0);
    invariant(ranks >= 1);
    if (ranks == 1)
        return 0;
    int64_t hops = 2 * ((int64_t)ranks - 1);
    // The chunks of all hops are timed at once: rounding each would grow with the number of ranks.
    int64_t hop_bytes = mul_div_up(bytes, hops, ranks);
    return hops * link.latency_ns + mul_div_up(hop_bytes, NS_PER_S, link.bytes_per_s);
}

int64_t allreduce_add_ns(int64_t bytes, int32_t ranks, int64_t add_bytes_per_s)
{
    invariant(ranks >= 1);
    int64_t added_bytes = mul_div_up(bytes, ranks - 1, ranks);
    return mul_div_up(added_bytes, NS_PER_S, add_bytes_per_s);
}

int64_t exchange_buffers(const Exchange *exchange, int64_t bytes, int32_t tensors)
{
    return exchange->fusion_bytes == 0 ? tensors : divide_up(bytes, exchange->fusion_bytes);
}

static int64_t mean_wait_ns(const Exchange *exchange, int64_t negotiation_ns)
{
    if (exchange->sleeps_whole_cycle)
        return (exchange->cycle_ns + negotiation_ns) / 2;
    return (exchange->cycle_ns > negotiation_ns ? exchange->cycle_ns : negotiation_ns) / 2;
}

int64_t exchange_ns(const Exchange *exchange, int64_t bytes, int32_t tensors, int32_t ranks)
{
    if (ranks == 1 || bytes == 0)
        return 0;
    int64_t buffers = exchange_buffers(exchange, bytes, tensors);
    int64_t buffer_bytes = divide_up(bytes, buffers);
    int64_t negotiation_ns = ranks * exchange->negotiation_ns;
    int64_t buffer_ns = negotiation_ns + allreduce_ring_ns(buffer_bytes, ranks, exchange->link);
    if (exchange->via_host) {
        buffer_ns += 2 * mul_div_up(buffer_bytes, NS_PER_S, exchange->host_link_bytes_per_s);
        buffer_ns += allreduce_add_ns(buffer_bytes, ranks, exchange->add_bytes_per_s);
    }
    return mean_wait_ns(exchange, negotiation_ns) + buffers * buffer_ns;
}

#include "sim/core/step_exchange.h"

#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/model/collective.h"

/* Between nodes the wire is the slowest hop; inside one node buffers go through memory, at the rate
 * at which they are added and without latency worth counting. */
static Link slowest_hop(const ExchangeMethod *method, const VmSize *vm_size, int32_t nodes)
{
    if (nodes == 1)
        return (Link){.bytes_per_s = method->reduce_bytes_per_s, .latency_ns = 0};
    return (Link){.bytes_per_s =
                      mul_div(vm_size->network_bytes_per_s, method->network_efficiency_ppm, PPM),
                  .latency_ns = vm_size->network_latency_ns};
}

static Exchange exchange_of(const Program *program, const VmSize *vm_size, int32_t nodes)
{
    const ExchangeMethod *method = program->exchange;
    return (Exchange){.link = slowest_hop(method, vm_size, nodes),
                      .cycle_ns = method->cycle_ns,
                      .sleeps_whole_cycle = method->sleeps_whole_cycle,
                      .negotiation_ns = method->negotiation_ns,
                      .fusion_bytes = method->fusion_bytes,
                      .via_host = method->via_host,
                      .host_link_bytes_per_s = vm_size->gpu->host_link_bytes_per_s,
                      .add_bytes_per_s = method->reduce_bytes_per_s};
}

/* One message after the backward pass, as it was measured; of a number of ranks that was not, on
 * the line through its neighbours. */
static int64_t measured_ns(const ExchangeMethod *method, int64_t bytes, int32_t ranks)
{
    CurvePoint points[2];
    int32_t high = 0;
    while (high < method->measured_count - 1 && method->measured[high].ranks < ranks)
        high++;
    const int32_t low = high > 0 ? high - 1 : 0;
    for (int32_t i = low; i <= high; i++)
        points[i - low] = (CurvePoint){.at = method->measured[i].ranks,
                                       .value = curve_at(method->measured[i].ns, bytes)};
    return curve_at((MeasuredCurve){.count = high - low + 1, .points = points}, ranks);
}

void step_exchange(const StepCompute *compute, const VmSize *vm_size, int32_t nodes, StepPlan *plan)
{
    const Program *program = compute->program;
    const ExchangeMethod *method = program->exchange;
    if (method->measured_count > 0) {
        plan->exchange_ns = plan->ranks > 1
                                ? measured_ns(method, program->network->gradient_bytes, plan->ranks)
                                : 0;
        return;
    }
    Exchange exchange = exchange_of(program, vm_size, nodes);
    int64_t bytes = program->network->gradient_bytes;
    int32_t tensors = program->network->tensors;
    plan->exchange_ns = exchange_ns(&exchange, bytes, tensors, plan->ranks);
    if (nodes == 1 || plan->ranks == 1)
        return;
    plan->wire_bytes = exchange_wire_bytes(&exchange, bytes, tensors, plan->ranks);
    plan->wire_bytes_per_s = exchange.link.bytes_per_s;
    int64_t wire_ns = bounded_at_rate_ns(plan->wire_bytes, exchange.link.bytes_per_s);
    plan->wire_ns = wire_ns < plan->exchange_ns ? wire_ns : plan->exchange_ns;
}

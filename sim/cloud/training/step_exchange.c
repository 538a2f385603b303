#include "sim/cloud/training/step_exchange.h"

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/training/step_layers.h"
#include "sim/model/bounded.h"

static bool goes_over_rdma(const ExchangeMethod *method, const VmSize *vm_size)
{
    return method->uses_rdma && vm_size->rdma_bytes_per_s > 0;
}

/* The rate of payload over one node's Ethernet. Rings share it; each has one connection. */
static int64_t ethernet_bytes_per_s(const ExchangeMethod *method, const VmSize *vm_size)
{
    int64_t rate = mul_div(vm_size->network_bytes_per_s, method->network_efficiency_ppm, PPM);
    const bool has_rings = !method->via_host && vm_size->gpu->rings > 1;
    const int64_t further_rings = has_rings ? vm_size->gpu->rings - 1 : 0;
    int64_t connections_ppm =
        bounded_add(PPM, bounded_times(further_rings, method->further_ring_ppm));
    int64_t most = bounded_part(method->connection_bytes_per_s, connections_ppm, PPM);
    rate = most > 0 && most < rate ? most : rate;
    return rate > 0 ? rate : 1;
}

/* The ring leaves each node once. If it also uses the adapter between ranks of a node (loops_back),
 * all ranks of the node send and receive by the adapter at the same time. */
static Link infiniband(const ExchangeMethod *method, const VmSize *vm_size, int32_t ranks_on_node)
{
    int32_t senders = method->loops_back ? ranks_on_node : 1;
    int64_t rate = mul_div(vm_size->rdma_bytes_per_s, method->rdma_efficiency_ppm, PPM) / senders;
    int64_t latency_ns = vm_size->rdma_latency_ns;
    return (Link){.bytes_per_s = rate > 0 ? rate : 1,
                  .latency_ns =
                      method->rdma_latency_ns > latency_ns ? method->rdma_latency_ns : latency_ns};
}

static Link between_nodes(const ExchangeMethod *method, const VmSize *vm_size,
                          int32_t ranks_on_node)
{
    if (goes_over_rdma(method, vm_size))
        return infiniband(method, vm_size, ranks_on_node);
    return (Link){.bytes_per_s = ethernet_bytes_per_s(method, vm_size),
                  .latency_ns = vm_size->network_latency_ns};
}

/* MPI passes chunks on through shared memory: one core of each rank copies each chunk in and out.
 */
static Link within_node(const ExchangeMethod *method, const VmSize *vm_size, int32_t ranks_on_node)
{
    if (method->loops_back && goes_over_rdma(method, vm_size))
        return infiniband(method, vm_size, ranks_on_node);
    return (Link){.bytes_per_s = method->via_host ? method->copy_bytes_per_s / 2
                                                  : vm_size->gpu->peer_bytes_per_s,
                  .latency_ns = method->node_latency_ns};
}

Exchange step_exchange_model(const ExchangeMethod *method, const VmSize *vm_size, Gang gang,
                             int32_t ranks_on_node)
{
    Ring ring = {.within = within_node(method, vm_size, ranks_on_node),
                 .between = between_nodes(method, vm_size, ranks_on_node),
                 .start_ns = method->start_ns,
                 .add_bytes_per_s = method->reduce_bytes_per_s};
    return (Exchange){.ring = ring,
                      .cycle_ns = method->cycle_ns,
                      .sleeps_whole_cycle = method->sleeps_whole_cycle,
                      .fusion_bytes = method->fusion_bytes,
                      .message_ns =
                          gang.nodes > 1 ? ring.between.latency_ns : ring.within.latency_ns,
                      .request_ns = method->request_ns,
                      .hand_over_ns = method->hand_over_ns,
                      .tensor_ns = method->tensor_ns,
                      .via_host = method->via_host,
                      .host_link_bytes_per_s = vm_size->gpu->host_link_bytes_per_s,
                      .copy_bytes_per_s = method->copy_bytes_per_s,
                      .launch_ns = method->launch_ns};
}

/* The measured time of adding up all gradients in one message; linear between two measured numbers
 * of ranks. */
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

static int64_t left_after_backward_ns(const StepCompute *compute, const Exchange *exchange,
                                      Gang gang)
{
    Arena *scratch = arena_create();
    int32_t count = compute->program->network->tensors;
    Gradient *gradients = ARENA_ARRAY(scratch, Gradient, count);
    step_gradients(compute, gradients);
    const int64_t end_ns = step_compute_ns(compute);
    for (int32_t i = 0; compute->program->exchange->after_backward && i < count; i++)
        gradients[i].ready_ns = end_ns;
    int64_t left_ns = exchange_ns(exchange, gang, gradients, count, end_ns);
    arena_destroy(scratch);
    return left_ns;
}

bool step_exchange_check(const Program *program, int32_t nodes, int32_t ranks, Place at,
                         Status *status)
{
    const ExchangeMethod *method = program->exchange;
    if (method->measured_count == 0 || ranks == 1)
        return true;
    if (nodes > 1)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "program \"%s\": \"%s\" was measured on one machine, but the job has "
                           "%d nodes",
                           program->name, method->name, (int)nodes);
    const int32_t most = method->measured[method->measured_count - 1].ranks;
    if (ranks <= most)
        return true;
    status_fail(status, STATUS_BAD_INPUT, at,
                "program \"%s\": \"%s\" was measured over at most %d rank%s, but the job has %d",
                program->name, method->name, (int)most, plural(most), (int)ranks);
    return status_hint(status, "trainyard calibrate --ranks %d", (int)ranks);
}

void step_exchange(const StepCompute *compute, const VmSize *vm_size, int32_t nodes, StepPlan *plan)
{
    if (plan->ranks == 1)
        return;
    const ExchangeMethod *method = compute->program->exchange;
    if (method->measured_count > 0) {
        plan->exchange_ns =
            measured_ns(method, compute->program->network->gradient_bytes, plan->ranks);
        return;
    }
    Gang gang = {.ranks = plan->ranks, .nodes = nodes < plan->ranks ? nodes : plan->ranks};
    Exchange exchange = step_exchange_model(method, vm_size, gang, compute->ranks_on_node);
    plan->exchange_ns = left_after_backward_ns(compute, &exchange, gang);
    if (gang.nodes == 1 || goes_over_rdma(method, vm_size))
        return;
    int64_t bytes = allreduce_sent_bytes(compute->program->network->gradient_bytes, gang);
    plan->wire_bytes_per_s = exchange.ring.between.bytes_per_s;
    int64_t wire_ns = bounded_at_rate_ns(bytes, plan->wire_bytes_per_s);
    plan->wire_ns = wire_ns < plan->exchange_ns ? wire_ns : plan->exchange_ns;
    plan->wire_bytes = wire_ns > 0 ? bounded_part(bytes, plan->wire_ns, wire_ns) : 0;
}

#include "sim/model/transformer/machine.h"

#include "sim/base/units.h"

/* Bytes that a rank sends in a second during the largest measured all-reduce. */
static double link_rate(const TransformerGpu *gpu)
{
    const CurvePoint last = gpu->all_reduce.points[gpu->all_reduce.count - 1];
    const double ranks = (double)gpu->link_ranks;
    return 2 * (ranks - 1) / ranks * (double)last.at / ((double)last.value / NS_PER_S);
}

static double curve_s(MeasuredCurve curve, double at)
{
    return (double)curve_at(curve, (int64_t)at) / NS_PER_S;
}

/* Bytes that one of `ranks` ranks sends, relative to one of `measured` ranks. */
static double sent(double ranks, double measured)
{
    return ((ranks - 1) / ranks) / ((measured - 1) / measured);
}

double group_all_reduce_s(const TransformerMachine *machine, RankGroup group, double bytes)
{
    if (group.ranks == 1)
        return 0;
    const TransformerGpu *gpu = machine->gpu;
    if (group.on_node >= group.ranks)
        return curve_s(gpu->all_reduce, bytes * sent(group.ranks, (double)gpu->link_ranks));
    const TransformerFabric *fabric = machine->fabric;
    const double ports = (double)fabric->ports;
    const double speed = (double)machine->port_bytes_per_s / (double)fabric->port_bytes_per_s;
    const double share = group.on_node < ports ? group.on_node / ports : 1;
    const int32_t nodes = (group.ranks + group.on_node - 1) / group.on_node;
    return curve_s(fabric->two_nodes, bytes * sent(group.ranks, 2 * ports) / share / speed) +
           curve_s(fabric->added, nodes);
}

double group_gather_s(const TransformerMachine *machine, RankGroup group, double bytes)
{
    return group_all_reduce_s(machine, group, bytes) / 2 * (double)machine->gpu->gather_ppm / PPM;
}

AllToAllBytes group_all_to_all_bytes(RankGroup group, double bytes)
{
    const double n = group.ranks, j = group.on_node;
    return (AllToAllBytes){.within = bytes * (j - 1) / n, .between = bytes * (n - j) / n};
}

/* The bytes whose gather over the group moves `sent` bytes through each port. */
static double gathered(RankGroup group, double sent)
{
    return sent * group.on_node * group.ranks / (group.ranks - 1);
}

double group_all_to_all_s(const TransformerMachine *machine, RankGroup group, double bytes)
{
    if (group.ranks == 1)
        return 0;
    const AllToAllBytes sent = group_all_to_all_bytes(group, bytes);
    const RankGroup node = {group.on_node, group.on_node};
    // On one node the links of a rank carry all that it gathers.
    const double within_s =
        group.on_node > 1
            ? group_gather_s(machine, node, gathered(node, sent.within) / group.on_node)
            : 0;
    const double between_s = group.on_node < group.ranks
                                 ? group_gather_s(machine, group, gathered(group, sent.between))
                                 : 0;
    return (within_s > between_s ? within_s : between_s) *
           (double)machine->routing->all_to_all_ppm / PPM;
}

double machine_send_s(const TransformerMachine *machine, bool crosses, double bytes)
{
    // An all-reduce is at least two messages, one after the other.
    const double rate = crosses ? (double)machine->port_bytes_per_s : link_rate(machine->gpu);
    const MeasuredCurve first = crosses ? machine->fabric->two_nodes : machine->gpu->all_reduce;
    return (double)first.points[0].value / NS_PER_S / 2 + bytes / rate;
}

#include "sim/model/compute.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/bounded.h"

int64_t compute_ns(ComputeRate rate, int64_t flops)
{
    invariant(flops >= 0);
    int64_t reached_flops = mul_div(rate.peak_flops, rate.efficiency_ppm, PPM);
    invariant(reached_flops > 0);
    return bounded_at_rate_ns(flops, reached_flops);
}

int64_t roofline_ns(ComputeRate rate, int64_t flops, int64_t bytes_per_s, int64_t bytes)
{
    int64_t arithmetic_ns = compute_ns(rate, flops);
    int64_t memory_ns = bytes_per_s > 0 ? bounded_at_rate_ns(bytes, bytes_per_s) : 0;
    return arithmetic_ns > memory_ns ? arithmetic_ns : memory_ns;
}

int32_t busiest_share(int32_t workers, int32_t places)
{
    invariant(places > 0);
    return workers / places + (workers % places != 0);
}

int64_t input_batch_ns(InputPipeline pipeline, int64_t samples)
{
    int64_t cpu_ns = bounded_times(samples, pipeline.cpu_ns_per_sample);
    int64_t own_ns = bounded_part(cpu_ns, PPM, pipeline.parallelism_ppm);
    int64_t node_ns = bounded_part(cpu_ns, pipeline.ranks_on_node, pipeline.vcpus);
    return own_ns > node_ns ? own_ns : node_ns;
}

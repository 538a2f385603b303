/* Jobs that come by themselves. */
#include "sim/core/world_parts.h"

void workloads_prepare(World *world)
{
    (void)world;
}

void workload_arrives(World *world, uint32_t workload)
{
    (void)world;
    (void)workload;
}

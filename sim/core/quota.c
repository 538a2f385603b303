/* Cores that a subscription may hold, by family and priority. */
#include "sim/core/world_parts.h"

int32_t quota_room(const World *world, const Cluster *cluster, int32_t nodes)
{
    (void)world;
    (void)cluster;
    return nodes;
}

int64_t world_vcpus_used(const World *world, const char *family, bool is_low_priority)
{
    (void)world;
    (void)family;
    (void)is_low_priority;
    return 0;
}

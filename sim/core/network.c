/* Exchanges of jobs that share a wire. */
#include "sim/core/world_parts.h"

bool network_is_shared(const World *world, const Job *job)
{
    (void)world;
    (void)job;
    return false;
}

void network_begin(World *world, Job *job, int64_t bytes, int64_t most_bytes_per_s)
{
    (void)world;
    (void)job;
    (void)bytes;
    (void)most_bytes_per_s;
}

void network_end_came(World *world, uint32_t network)
{
    (void)world;
    (void)network;
}

void network_cancel(World *world, Job *job)
{
    (void)world;
    (void)job;
}

int64_t network_rate_bytes_per_s(const World *world, const Job *job)
{
    (void)world;
    (void)job;
    return INT64_MAX;
}

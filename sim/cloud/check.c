#include "sim/cloud/check.h"

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/check.h"
#include "sim/cloud/condition.h"
#include "sim/cloud/job/check.h"
#include "sim/cloud/tables.h"

void world_check(const World *world)
{
    // Containers count their contents correctly.
    const int64_t contained = clusters_check(world->clusters) + jobs_check(world->jobs) +
                              file_servers_check(world->storage);
    invariant(resources_check(world->resources) == contained);
    conditions_check(world);
    // No pending event is in the past.
    invariant(world_next_event_ns(world) >= world_now_ns(world));
}

/* Cores that a subscription may hold, by family and priority: counted over all clusters for what
 * they hold or ask for, so whoever asks first has them. */
#include "sim/cloud/cluster/cluster_parts.h"

static bool counts(const char *family, const VmSize *size)
{
    return same_name(family, FAMILY_OF_ALL) || same_name(family, size->family);
}

static int64_t vcpus_of(const Cluster *cluster)
{
    return ((int64_t)cluster->current_nodes + cluster->asked_nodes) * cluster->spec->vm_size->vcpus;
}

int64_t world_vcpus_used(const World *world, const char *family, bool is_low_priority)
{
    int64_t vcpus = 0;
    for (uint32_t c = 0; c < world->clusters.count; c++) {
        const Cluster *cluster = world_cluster(world, (ClusterId){c});
        if (cluster->spec->is_low_priority == is_low_priority &&
            counts(family, cluster->spec->vm_size))
            vcpus += vcpus_of(cluster);
    }
    return vcpus;
}

void quotas_prepare(World *world)
{
    const Scenario *scenario = world->scenario;
    world->quotas = ARENA_ARRAY(world->arena, CoreQuota, scenario->quota_count);
    world->quota_tops = ARENA_ARRAY(world->arena, CoreQuota, scenario->quota_count);
    for (int32_t q = 0; q < scenario->quota_count; q++)
        world->quotas[q] = world->quota_tops[q] = scenario->quotas[q];
}

const CoreQuota *world_quota(const World *world, int32_t index)
{
    return &world->quotas[index];
}

static void set_vcpus(CoreQuota *quota, bool is_low_priority, int32_t vcpus)
{
    if (is_low_priority)
        quota->low_priority_vcpus = vcpus;
    else
        quota->dedicated_vcpus = vcpus;
}

/* How many more nodes of the cluster's size one quota has room for. */
static int64_t room_in(const World *world, const Cluster *cluster, const CoreQuota *quota)
{
    const ClusterSpec *spec = cluster->spec;
    if (!counts(quota->family, spec->vm_size) || spec->vm_size->vcpus == 0)
        return INT64_MAX;
    int64_t free_vcpus = quota_vcpus(quota, spec->is_low_priority) -
                         world_vcpus_used(world, quota->family, spec->is_low_priority);
    return free_vcpus > 0 ? free_vcpus / spec->vm_size->vcpus : 0;
}

int32_t quota_room(const World *world, const Cluster *cluster, int32_t nodes)
{
    int64_t room = nodes;
    for (int32_t q = 0; q < world->scenario->quota_count && room > 0; q++) {
        int64_t most = room_in(world, cluster, world_quota(world, q));
        room = most < room ? most : room;
    }
    return (int32_t)room;
}

const char *quota_words(World *world, const Cluster *cluster)
{
    const ClusterSpec *spec = cluster->spec;
    for (int32_t q = 0; q < world->scenario->quota_count; q++) {
        const CoreQuota *quota = world_quota(world, q);
        if (room_in(world, cluster, quota) > 0)
            continue;
        return arena_printf(
            world->arena, "one more %s needs %d cores, but %lld of %lld %s cores (%s) are taken",
            spec->vm_size->name, (int)spec->vm_size->vcpus,
            (long long)world_vcpus_used(world, quota->family, spec->is_low_priority),
            (long long)quota_vcpus(quota, spec->is_low_priority),
            spec->is_low_priority ? "low-priority" : "dedicated", quota->family);
    }
    return NULL;
}

/* There may be room for those that got less than they wanted. */
static void look_again(World *world, bool is_low_priority)
{
    for (uint32_t c = 0; c < world->clusters.count; c++) {
        Cluster *cluster = world_cluster_row(world, (ClusterId){c});
        if (cluster->is_short_of_cores && cluster->spec->is_low_priority == is_low_priority)
            autoscale_look(world, cluster);
    }
}

void quota_freed(World *world, const Cluster *cluster)
{
    if (world->scenario->quota_count > 0)
        look_again(world, cluster->spec->is_low_priority);
}

bool quota_change(World *world, const char *family, bool is_low_priority, int32_t vcpus)
{
    int32_t q = 0;
    while (q < world->scenario->quota_count && !same_name(world->quotas[q].family, family))
        q++;
    if (q == world->scenario->quota_count)
        return false;
    // What is held already may be more than there is now.
    int64_t used = world_vcpus_used(world, family, is_low_priority);
    set_vcpus(&world->quotas[q], is_low_priority, vcpus);
    set_vcpus(&world->quota_tops[q], is_low_priority, used > vcpus ? (int32_t)used : vcpus);
    look_again(world, is_low_priority);
    return true;
}

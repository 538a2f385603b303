#include "sim/cloud/cluster/quota.h"

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/tables.h"

static int64_t vcpus_of(const ClusterKind *kind)
{
    return ((int64_t)kind->current_nodes + kind->asked_nodes) * kind->spec.vm_size->vcpus;
}

int64_t quota_vcpus_used(const Clusters *clusters, const char *family, bool is_low_priority)
{
    int64_t vcpus = 0;
    for (uint32_t c = 0; (c = cluster_next(clusters, c)) < clusters->rows.count; c++) {
        const Cluster *cluster = cluster_by_id(clusters, (ClusterId){c});
        for (int32_t k = 0; k < cluster->kind_count; k++) {
            const ClusterKind *kind = &cluster->kinds[k];
            if (kind->spec.is_low_priority == is_low_priority &&
                quota_counts(family, kind->spec.vm_size))
                vcpus += vcpus_of(kind);
        }
    }
    return vcpus;
}

void quotas_prepare(Clusters *clusters)
{
    const Scenario *scenario = clusters->scenario;
    clusters->quotas = ARENA_ARRAY(clusters->arena, CoreQuota, scenario->quota_count);
    clusters->quota_tops = ARENA_ARRAY(clusters->arena, CoreQuota, scenario->quota_count);
    for (int32_t q = 0; q < scenario->quota_count; q++)
        clusters->quotas[q] = clusters->quota_tops[q] = scenario->quotas[q];
}

const CoreQuota *quota_at(const Clusters *clusters, int32_t index)
{
    return &clusters->quotas[index];
}

static void set_vcpus(CoreQuota *quota, bool is_low_priority, int32_t vcpus)
{
    if (is_low_priority)
        quota->low_priority_vcpus = vcpus;
    else
        quota->dedicated_vcpus = vcpus;
}

void quota_note_kind(const Clusters *clusters, ClusterKind *kind)
{
    const int32_t count = clusters->scenario->quota_count;
    const VmSize *size = kind->spec.vm_size;
    kind->quotas = ARENA_ARRAY(clusters->arena, int32_t, count);
    for (int32_t q = 0; q < count; q++)
        if (size->vcpus > 0 && quota_counts(quota_at(clusters, q)->family, size))
            kind->quotas[kind->quota_count++] = q;
}

/* How many more nodes of the kind one of its quotas has room for. */
static int64_t room_in(const Clusters *clusters, const NodeKind *kind, const CoreQuota *quota)
{
    int64_t free_vcpus = quota_vcpus(quota, kind->is_low_priority) -
                         quota_vcpus_used(clusters, quota->family, kind->is_low_priority);
    return free_vcpus > 0 ? free_vcpus / kind->vm_size->vcpus : 0;
}

int32_t quota_room(const Clusters *clusters, const ClusterKind *kind, int32_t nodes)
{
    int64_t room = nodes;
    for (int32_t i = 0; i < kind->quota_count && room > 0; i++) {
        int64_t most = room_in(clusters, &kind->spec, quota_at(clusters, kind->quotas[i]));
        room = most < room ? most : room;
    }
    return (int32_t)room;
}

const char *quota_words(Clusters *clusters, const ClusterKind *of)
{
    const NodeKind *kind = &of->spec;
    for (int32_t i = 0; i < of->quota_count; i++) {
        const CoreQuota *quota = quota_at(clusters, of->quotas[i]);
        if (room_in(clusters, kind, quota) > 0)
            continue;
        return arena_printf(
            clusters->arena, "one more %s needs %d cores, but %lld of %lld %s cores (%s) are taken",
            kind->vm_size->name, (int)kind->vm_size->vcpus,
            (long long)quota_vcpus_used(clusters, quota->family, kind->is_low_priority),
            (long long)quota_vcpus(quota, kind->is_low_priority),
            kind->is_low_priority ? "low-priority" : "dedicated", quota->family);
    }
    return NULL;
}

/* Whether nodes of any kind of the cluster have this priority. */
static bool has_priority(const Cluster *cluster, bool is_low_priority)
{
    int32_t k = 0;
    while (k < cluster->kind_count && cluster->kinds[k].spec.is_low_priority != is_low_priority)
        k++;
    return k < cluster->kind_count;
}

/* Lets clusters with nodes of this priority that lack cores scale up again. */
static void update_short_clusters(Clusters *clusters, bool is_low_priority)
{
    for (uint32_t c = 0; (c = cluster_next(clusters, c)) < clusters->rows.count; c++) {
        Cluster *cluster = cluster_row(clusters, (ClusterId){c});
        if (cluster->is_short_of_cores && has_priority(cluster, is_low_priority))
            autoscale_update(clusters, cluster);
    }
}

void quota_freed(Clusters *clusters, const Cluster *cluster)
{
    if (clusters->scenario->quota_count == 0)
        return;
    for (int is_low_priority = 0; is_low_priority < 2; is_low_priority++)
        if (has_priority(cluster, is_low_priority != 0))
            update_short_clusters(clusters, is_low_priority != 0);
}

bool quota_change(Clusters *clusters, const char *family, bool is_low_priority, int32_t vcpus)
{
    int32_t q = 0;
    while (q < clusters->scenario->quota_count && !same_name(clusters->quotas[q].family, family))
        q++;
    if (q == clusters->scenario->quota_count)
        return false;
    // Clusters may already hold more cores than the new quota has.
    int64_t used = quota_vcpus_used(clusters, family, is_low_priority);
    set_vcpus(&clusters->quotas[q], is_low_priority, vcpus);
    set_vcpus(&clusters->quota_tops[q], is_low_priority, used > vcpus ? (int32_t)used : vcpus);
    update_short_clusters(clusters, is_low_priority);
    return true;
}

void quotas_check(const Clusters *clusters)
{
    for (int32_t q = 0; q < clusters->scenario->quota_count; q++) {
        const CoreQuota *quota = &clusters->quota_tops[q];
        invariant(quota_vcpus_used(clusters, quota->family, false) <= quota->dedicated_vcpus);
        invariant(quota_vcpus_used(clusters, quota->family, true) <= quota->low_priority_vcpus);
    }
}

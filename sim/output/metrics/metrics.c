#include "sim/output/metrics/metrics.h"

#include "sim/base/capped.h"

static const JobDetails no_details = {.prepared_ns = METRIC_NEVER};

const JobDetails *job_details(const JobMetrics *job)
{
    return job->details != NULL ? job->details : &no_details;
}

int64_t job_use_ns(const JobMetrics *job, NodeUse use)
{
    return use == USE_USEFUL ? job->useful_ns : job_details(job)->use_ns[use];
}

int64_t job_node_time_ns(const JobMetrics *job, int64_t time_ns)
{
    return job->gpus_per_node > 0 ? time_ns / job->gpus_per_node : time_ns;
}

ClusterMetrics cluster_total(const ClusterMetrics *cluster)
{
    ClusterMetrics total = *cluster;
    for (uint32_t k = 0; k < cluster->kind_count; k++) {
        const ClusterMetrics *kind = &cluster->kinds[k];
        for (int state = 0; state < NODE_STATE_COUNT; state++)
            total.state_ns[state] += kind->state_ns[state];
        total.drained_ns += kind->drained_ns;
        total.held_ns += kind->held_ns;
        total.billed_ns += kind->billed_ns;
        total.cost_micro_usd = capped_sum(total.cost_micro_usd, kind->cost_micro_usd);
        total.is_unpriced |= kind->is_unpriced;
        if (kind->gpus_per_node > total.gpus_per_node)
            total.gpus_per_node = kind->gpus_per_node;
    }
    return total;
}

/* Converts times of GPUs to times of nodes with `slots` GPUs each. The parts are rounded down, and
 * what is missing of the sum goes to the largest remainders, the first among equals. */
static void to_node_time(Wide *use_ns, int32_t slots)
{
    Wide sum_ns = 0, rest_ns = 0;
    Wide left[USE_COUNT];
    for (int use = 0; use < USE_COUNT; use++) {
        sum_ns += use_ns[use];
        left[use] = use_ns[use] % slots;
        use_ns[use] /= slots;
        rest_ns += use_ns[use];
    }
    for (rest_ns = sum_ns / slots - rest_ns; rest_ns > 0; rest_ns--) {
        int largest = 0;
        for (int use = 1; use < USE_COUNT; use++)
            if (left[use] > left[largest])
                largest = use;
        use_ns[largest]++;
        left[largest] = -1;
    }
}

static bool uses_of_one_kind(const ClusterMetrics *cluster, Wide *use_ns)
{
    Wide attempts_ns = 0, sum_ns = 0;
    for (int use = 0; use < USE_COUNT; use++)
        use_ns[use] = cluster->use_ns[use];
    for (int use = 0; use < USE_OF_ATTEMPTS; use++) {
        attempts_ns += cluster->attempt_ns[use];
        use_ns[use] += cluster->attempt_ns[use];
    }
    const int32_t slots = cluster->gpus_per_node > 0 ? cluster->gpus_per_node : 1;
    const Wide running_ns = cluster->state_ns[NODE_RUNNING] * slots - cluster->shared_free_ns;
    use_ns[USE_UNATTRIBUTED] = running_ns > attempts_ns ? running_ns - attempts_ns : 0;
    if (slots > 1)
        to_node_time(use_ns, slots);
    for (int use = 0; use < USE_COUNT; use++)
        sum_ns += use_ns[use];
    return sum_ns == cluster->held_ns;
}

bool cluster_uses(const ClusterMetrics *cluster, Wide *use_ns)
{
    bool adds_up = uses_of_one_kind(cluster, use_ns);
    for (uint32_t k = 0; k < cluster->kind_count; k++) {
        Wide of_kind_ns[USE_COUNT];
        adds_up &= uses_of_one_kind(&cluster->kinds[k], of_kind_ns);
        for (int use = 0; use < USE_COUNT; use++)
            use_ns[use] += of_kind_ns[use];
    }
    return adds_up;
}

static Wide busy_ns_of_one_kind(const ClusterMetrics *cluster)
{
    const Wide running_ns = cluster->state_ns[NODE_RUNNING];
    const int32_t slots = cluster->gpus_per_node;
    return slots > 0 ? (running_ns * slots - cluster->shared_free_ns) / slots : running_ns;
}

Wide cluster_busy_ns(const ClusterMetrics *cluster)
{
    Wide busy_ns = busy_ns_of_one_kind(cluster);
    for (uint32_t k = 0; k < cluster->kind_count; k++)
        busy_ns += busy_ns_of_one_kind(&cluster->kinds[k]);
    return busy_ns;
}

/* The node time of free GPUs, rounded up. */
static Wide measured_free_ns(const ClusterMetrics *cluster)
{
    const int32_t slots = cluster->gpus_per_node;
    return slots > 0 ? (cluster->measured_free_ns + slots - 1) / slots : 0;
}

Wide run_measured_busy_ns(const RunMetrics *run)
{
    Wide busy_ns = run->measured_running_ns;
    for (uint32_t i = 0; i < run->cluster_count; i++) {
        const ClusterMetrics *cluster = &run->clusters[i];
        busy_ns -= measured_free_ns(cluster);
        for (uint32_t k = 0; k < cluster->kind_count; k++)
            busy_ns -= measured_free_ns(&cluster->kinds[k]);
    }
    return busy_ns;
}

#include "sim/scenario/config/job_request.h"

#include <inttypes.h>

#include "sim/cloud/job/job.h"
#include "sim/scenario/config/kind_config.h"
#include "sim/scenario/config/queue_config.h"

BoundInteger job_request_read(const ConfigContext *context, const JobText *text,
                              const ClusterConfig *cluster, JobSpec *spec)
{
    BoundInteger nodes = text->nodes;
    const VmSize *vm = kinds_first_size(cluster, spec->kinds);
    if (text->gpus.node != NULL && text->gpus_per_node.node != NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->gpus_per_node.node),
                     "a job asks for \"gpus\" in total or \"gpus_per_node\", not both");
    if (text->gpus_per_node.node != NULL) {
        spec->asks_for = REQUEST_GPUS_PER_NODE;
        spec->gpus = (int32_t)text->gpus_per_node.value;
    } else if (text->gpus.node != NULL) {
        spec->asks_for = REQUEST_GPUS;
        spec->gpus = (int32_t)text->gpus.value;
        nodes = text->gpus;
        nodes.value = vm != NULL ? request_of_gpus(spec->gpus, vm->gpus).nodes : 1;
    }
    return nodes;
}

/* Puts the cores and the memory that the job asks for into the spec. Warns if a node never has
 * them. */
static void read_cores(const ConfigContext *context, const JobText *text,
                       const ClusterConfig *cluster, JobSpec *spec)
{
    const VmSize *vm = kinds_first_size(cluster, spec->kinds);
    const Json *node = text->cpus.node != NULL ? text->cpus.node : text->memory.node;
    const int64_t mib = text->memory.value / (1 << 20) + (text->memory.value % (1 << 20) > 0);
    if (node == NULL || text->cpus.is_refused || text->memory.is_refused)
        return;
    if (spec->asks_for == REQUEST_NODES) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(node),
                                 "a job of whole nodes has all of their cores and memory"),
                    "a job with \"gpus\" or \"gpus_per_node\" may ask for a part of them");
        return;
    }
    spec->cpus = (int32_t)text->cpus.value;
    spec->memory_mib = mib < INT32_MAX ? (int32_t)mib : INT32_MAX;
    if (vm == NULL || cluster->spec.kind_count > 0)
        return;
    const NodeShare need = request_share(job_spec_request(spec, vm->gpus), 0, vm->gpus);
    const NodeShare whole = vm_size_share(vm);
    if (need.cpus > whole.cpus || need.memory_mib > whole.memory_mib)
        problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(node),
                     "the job needs %" PRId32 " cores and %" PRId32
                     " MiB on a node, which %s does not have: the job waits for ever",
                     need.cpus, need.memory_mib, vm->name);
}

/* Puts the job's queue into the spec. Warns of a job that is larger than the limit of its queue. */
static void read_queue(const ConfigContext *context, const JobText *text,
                       const ClusterConfig *cluster, JobSpec *spec)
{
    const VmSize *vm = kinds_first_size(cluster, spec->kinds);
    const Place at = json_at(text->queue.node != NULL ? text->queue.node : text->node);
    if (text->queue.is_refused || cluster->text == NULL)
        return;
    const int64_t most = queue_most(cluster, queue_check(context, cluster, text->queue.value, at));
    spec->queue = text->queue.value;
    if (vm == NULL || cluster->spec.kind_count > 0 ||
        request_slots(job_spec_request(spec, vm->gpus), vm->gpus) <= most)
        return;
    status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, at,
                             "the job is larger than the gpus_max of its queue, %" PRId64
                             ": it waits for ever",
                             most),
                "raise gpus_max of the cluster's queue \"%s\"", spec->queue);
}

/* Warns of GPUs that no node of the cluster has. */
static void check_gpus(const ConfigContext *context, const JobText *text,
                       const ClusterConfig *cluster)
{
    const VmSize *vm = cluster->spec.vm_size;
    const BoundInteger gpus = text->gpus.node != NULL ? text->gpus : text->gpus_per_node;
    if (vm == NULL || cluster->spec.kind_count > 0 || gpus.node == NULL || gpus.is_refused ||
        gpus.value <= vm->gpus || (text->gpus.node != NULL && vm->gpus > 0))
        return;
    status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(gpus.node),
                             "the job needs %" PRId64 " GPUs on a node, but %s has %" PRId32
                             ": the job waits for ever",
                             gpus.value, vm->name, vm->gpus),
                "lower it or use a larger vmSize");
}

/* Warns of more nodes than the cluster ever has, for a job that asks for GPUs. */
static void warn_of_too_many_gpus(const ConfigContext *context, const JobText *text, int64_t nodes,
                                  const ClusterConfig *cluster)
{
    const int32_t each = cluster->spec.vm_size != NULL ? cluster->spec.vm_size->gpus : 0;
    status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(text->gpus.node),
                             "the job needs %" PRId64 " GPUs on %" PRId64
                             " nodes, but cluster \"%s\" never has more than %" PRId32
                             " nodes of %" PRId32 " GPUs: the job waits for ever",
                             text->gpus.value, nodes, cluster->name, cluster->nodes_max, each),
                "raise the cluster's targetNodeCount or lower \"gpus\"");
}

/* Warns of a job that no kind of nodes of its cluster can run. */
static void check_kinds(const ConfigContext *context, const JobText *text,
                        const ClusterConfig *cluster, const JobSpec *spec)
{
    const ClusterSpec *of_cluster = &cluster->spec;
    if (of_cluster->kind_count == 0 || cluster->nodes_max == NODES_UNKNOWN)
        return;
    JobRequest request = job_spec_request(spec, of_cluster->vm_size->gpus);
    request.kinds =
        (spec->kinds != 0 ? spec->kinds : cluster_spec_all_kinds(of_cluster)) & KIND_SET_ALL;
    const int64_t most = queue_most(cluster, cluster_spec_queue(of_cluster, spec->queue));
    if (!kinds_may_run(cluster, request, most))
        status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(text->node),
                                 "the job fits on no kind of nodes of cluster \"%s\" that it "
                                 "allows: it waits for ever",
                                 cluster->name),
                    "a job runs on nodes of one kind; raise the nodes of one, or allow others with "
                    "\"node_kind\"");
}

static void check_nodes(const ConfigContext *context, const JobText *text, BoundInteger bound,
                        const ClusterConfig *cluster)
{
    int64_t nodes = bound.value;
    if (bound.is_refused || nodes <= cluster->nodes_max || cluster->spec.kind_count > 0)
        return;
    if (text->gpus.node != NULL)
        warn_of_too_many_gpus(context, text, nodes, cluster);
    else if (nodes > cluster_nodes_limit(context))
        cluster_nodes_limit_hint(
            problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->nodes.node),
                         "nodeCount is %" PRId64 ", but a cluster has at most %" PRId32, nodes,
                         cluster_nodes_limit(context)),
            nodes);
    else // only a warning: the service accepts such a job
        status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT,
                                 json_at(text->nodes.node),
                                 "nodeCount is %" PRId64 ", but cluster \"%s\" never has more than "
                                 "%" PRId32 ": the job waits for ever",
                                 nodes, cluster->name, cluster->nodes_max),
                    "raise the cluster's targetNodeCount or lower nodeCount");
}

void job_request_check(const ConfigContext *context, const JobText *text,
                       const ClusterConfig *cluster, BoundInteger nodes)
{
    check_nodes(context, text, nodes, cluster);
    check_gpus(context, text, cluster);
}

void job_request_read_rest(const ConfigContext *context, const JobText *text,
                           const ClusterConfig *cluster, bool has_shape, JobSpec *spec)
{
    read_cores(context, text, cluster, spec);
    read_queue(context, text, cluster, spec);
    if (has_shape)
        check_kinds(context, text, cluster, spec);
}

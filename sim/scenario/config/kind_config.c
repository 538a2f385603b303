#include "sim/scenario/config/kind_config.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/scenario/format/kind_types.h"

/* --- One kind --- */

int64_t kind_speed_read(const ConfigContext *context, const Json *speed, const char *what)
{
    int64_t ppm = PPM;
    if (speed == NULL)
        return PPM;
    if (json_scaled(speed, KIND_SPEED_DECIMALS, &ppm) && kind_speed_is_allowed(ppm))
        return ppm;
    problems_add(context->problems, STATUS_BAD_INPUT, json_at(speed), "%s is not " KIND_SPEED_WORDS,
                 what);
    return PPM;
}

static NodeKind read_kind(const ConfigContext *context, const KindText *text,
                          const ClusterConfig *cluster)
{
    const bool is_low = text->priority.node != NULL ? text->priority.value == VM_LOW_PRIORITY
                                                    : cluster->spec.is_low_priority;
    const VmSize *vm_size = config_vm_size(context, text->vm_size);
    const char *model = vm_size != NULL && vm_size->gpu != NULL ? vm_size->gpu->name : NULL;
    return (NodeKind){.name = text->name.value != NULL ? text->name.value : text->vm_size.value,
                      .gpu = text->gpu.value != NULL ? text->gpu.value : model,
                      .vm_size = vm_size,
                      .is_low_priority = is_low,
                      .has_price = text->price.node != NULL && !text->price.is_refused,
                      .micro_usd_per_hour = text->price.value,
                      .speed_ppm = kind_speed_read(context, text->speed, "speed")};
}

/* --- Kinds that scale automatically --- */

static BoundInteger refuse_kind(const ConfigContext *context, const Json *at, const char *message,
                                const char *hint)
{
    status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(at), "%s", message), "%s",
                hint);
    return (BoundInteger){.is_refused = true};
}

static bool states_limits(const KindText *text)
{
    return text->minimum.node != NULL || text->maximum.node != NULL;
}

/* Checks the limits of the kind at `index`. Returns the most nodes that it may have. */
static BoundInteger check_limits(const ConfigContext *context, BoundList kinds, int32_t index)
{
    const KindText *text = kinds.items[index];
    const BoundInteger minimum = text->minimum, maximum = text->maximum;
    if (minimum.node == NULL)
        return refuse_kind(context, maximum.node, "\"maximum\" of a node kind needs \"minimum\"",
                           "a kind with both scales automatically between them");
    if (maximum.node == NULL)
        return refuse_kind(context, minimum.node, "\"minimum\" of a node kind needs \"maximum\"",
                           "a kind with both scales automatically between them");
    for (int32_t k = 0; k < index; k++)
        if (states_limits(kinds.items[k]))
            return refuse_kind(context, minimum.node,
                               "another kind of nodes of the cluster scales automatically already",
                               "one kind may; give the others \"nodes\" alone");
    const bool is_above = minimum.value > maximum.value;
    const BoundInteger low = is_above ? minimum : text->nodes;
    if (low.node == NULL || low.value <= maximum.value)
        return maximum;
    problems_add(context->problems, STATUS_BAD_INPUT, json_at(low.node),
                 "%s is %" PRId64 ", above maximum %" PRId64, is_above ? "minimum" : "nodes",
                 low.value, maximum.value);
    return (BoundInteger){.is_refused = true};
}

/* Reads how many nodes of the kind at `index` there are at first, and between which limits they
 * scale. Returns the most nodes that it may have. Equal limits mean that it does not scale, as for
 * clusters of one kind. */
static BoundInteger read_nodes(const ConfigContext *context, BoundList kinds, int32_t index,
                               NodeKind *kind, ClusterSpec *spec)
{
    const KindText *text = kinds.items[index];
    if (text->minimum.is_refused || text->maximum.is_refused || text->nodes.is_refused)
        return (BoundInteger){.is_refused = true};
    kind->target_nodes = (int32_t)text->nodes.value;
    if (!states_limits(text))
        return text->nodes.node != NULL
                   ? text->nodes
                   : refuse_kind(context, text->node,
                                 "this node kind needs \"nodes\", which is missing",
                                 "or \"minimum\" and \"maximum\", if it scales automatically");
    const BoundInteger most = check_limits(context, kinds, index);
    if (most.is_refused)
        return most;
    const bool scales = text->minimum.value < most.value;
    kind->target_nodes = (int32_t)(!scales                    ? most
                                   : text->nodes.node != NULL ? text->nodes
                                                              : text->minimum)
                             .value;
    if (scales) {
        spec->is_automatic = true;
        spec->scaling_kind = index;
        spec->minimum_nodes = (int32_t)text->minimum.value;
        spec->maximum_nodes = (int32_t)most.value;
    }
    return most;
}

/* --- Kinds --- */

static void check_names(const ConfigContext *context, BoundList kinds, const NodeKind *specs)
{
    for (int32_t i = 0; i < kinds.count; i++)
        for (int32_t j = 0; j < i; j++) {
            const KindText *kind = kinds.items[i];
            if (specs[i].name == NULL || specs[j].name == NULL ||
                !ascii_same(specs[i].name, specs[j].name))
                continue;
            const Json *at = kind->name.node != NULL ? kind->name.node : kind->node;
            status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(at),
                                     "the cluster has a kind of nodes \"%s\" already",
                                     specs[j].name),
                        "give one of them another \"name\"");
        }
}

/* Refuses members of the config that say the same for nodes of one kind. */
static void check_config(const ConfigContext *context, const ClusterText *text)
{
    const struct {
        const char *key;
        const Json *node;
    } others[] = {{"vmSize", text->vm_size.node},
                  {"scaleSettings", text->scale != NULL ? text->scale->node : NULL}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].node != NULL)
            status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(others[i].node),
                                     "a cluster has \"node_kinds\" or %s, not both", others[i].key),
                        "each of the node_kinds states its vm_size and its nodes, and one of them "
                        "may scale automatically with \"minimum\" and \"maximum\"");
}

void kinds_read(const ConfigContext *context, BoundList kinds, ClusterConfig *cluster)
{
    Arena *arena = context->arena;
    ClusterSpec *spec = &cluster->spec;
    NodeKind *specs = ARENA_ARRAY(arena, NodeKind, kinds.count);
    check_config(context, cluster->text);
    if (kinds.count > NODE_KINDS_MAX) {
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(kinds.node),
                     "%" PRId32 " kinds of nodes, but a cluster has at most %d", kinds.count,
                     (int)NODE_KINDS_MAX);
        return;
    }
    bool is_known = true;
    for (int32_t k = 0; k < kinds.count; k++) {
        specs[k] = read_kind(context, kinds.items[k], cluster);
        is_known &= specs[k].vm_size != NULL && specs[k].name != NULL;
    }
    check_names(context, kinds, specs);
    if (!is_known)
        return;
    spec->kind_count = kinds.count;
    spec->kinds = specs;
    spec->vm_size = specs[0].vm_size;
    spec->is_low_priority = specs[0].is_low_priority;
    spec->deallocation = DEALLOCATE_REQUEUE;
    cluster->nodes_max = 0;
    cluster->kinds_max = ARENA_ARRAY(arena, int32_t, kinds.count);
    for (int32_t k = 0; k < kinds.count; k++) {
        const BoundInteger most = read_nodes(context, kinds, k, &specs[k], spec);
        spec->target_nodes += specs[k].target_nodes;
        kind_config_target(context, cluster, k, most);
    }
}

/* --- Targets --- */

void kind_config_target(const ConfigContext *context, ClusterConfig *cluster, int32_t kind,
                        BoundInteger target)
{
    int64_t others = 0;
    if (target.is_refused || cluster->nodes_max == NODES_UNKNOWN) {
        cluster->nodes_max = NODES_UNKNOWN;
        return;
    }
    for (int32_t k = 0; k < cluster->spec.kind_count; k++)
        others += k != kind ? cluster->kinds_max[k] : 0;
    const int32_t limit = cluster_nodes_limit(context);
    if (others + target.value > limit) {
        cluster_nodes_limit_hint(
            problems_add(context->problems, STATUS_BAD_INPUT, json_at(target.node),
                         "cluster \"%s\": %" PRId64 " nodes of all kinds, but a cluster has at "
                         "most %" PRId32,
                         cluster->name, others + target.value, limit),
            others + target.value);
        return;
    }
    if (target.value > cluster->kinds_max[kind])
        cluster->kinds_max[kind] = (int32_t)target.value;
    cluster->nodes_max = (int32_t)(others + cluster->kinds_max[kind]);
    cluster_check_quotas(context, cluster, cluster_spec_kind(&cluster->spec, kind), target);
}

int32_t kind_of_resize(const ConfigContext *context, const ClusterConfig *cluster, BoundText name,
                       const Json *command)
{
    const ClusterSpec *spec = &cluster->spec;
    const char *names[NODE_KINDS_MAX];
    for (int32_t k = 0; k < spec->kind_count; k++) {
        names[k] = spec->kinds[k].name;
        if (name.value != NULL && ascii_same(names[k], name.value))
            return k;
    }
    if (name.is_refused)
        return KIND_UNKNOWN;
    if (name.node != NULL)
        bind_unknown_name(context->problems, json_at(name.node), "kind of nodes", name.value, names,
                          spec->kind_count);
    else
        status_hint_names(problems_add(context->problems, STATUS_BAD_INPUT, json_at(command),
                                       "cluster \"%s\" has nodes of several kinds, and no "
                                       "\"node_kind\" is stated",
                                       cluster->name),
                          "", names, spec->kind_count);
    return KIND_UNKNOWN;
}

/* --- Jobs --- */

static bool is_called(const NodeKind *kind, const char *name)
{
    return ascii_same(kind->name, name) || ascii_same(kind->vm_size->name, name) ||
           (kind->gpu != NULL && ascii_same(kind->gpu, name));
}

KindSet kinds_called(const ClusterSpec *spec, const char *name)
{
    KindSet kinds = 0;
    for (int32_t k = 0; k < spec->kind_count; k++)
        if (is_called(&spec->kinds[k], name))
            kinds |= kind_set_of(k);
    return kinds;
}

KindSet kinds_find(const ConfigContext *context, const ClusterSpec *spec, Place at,
                   const char *name)
{
    const char *names[NODE_KINDS_MAX];
    const KindSet called = kinds_called(spec, name);
    if (called != 0)
        return called;
    for (int32_t k = 0; k < spec->kind_count; k++)
        names[k] = spec->kinds[k].name;
    bind_unknown_name(context->problems, at, "kind of nodes", name, names, spec->kind_count);
    return 0;
}

/* Adds the kinds that one text names. */
static bool add_named(const ConfigContext *context, const ClusterSpec *spec, const Json *name,
                      KindSet *kinds)
{
    if (name->kind != JSON_STRING) {
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(name),
                     "node_kind is not a name or a list of names");
        return false;
    }
    const KindSet called = kinds_find(context, spec, json_at(name), name->text);
    *kinds |= called;
    return called != 0;
}

bool kinds_are_stated(const ConfigContext *context, const ClusterConfig *cluster, const Json *at)
{
    if (cluster->spec.kind_count > 0)
        return true;
    status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(at),
                             "the nodes of cluster \"%s\" are all of one kind", cluster->name),
                "\"node_kinds\" of cluster.create states several");
    return false;
}

KindSet kinds_of_job(const ConfigContext *context, const ClusterConfig *cluster, const Json *names)
{
    const ClusterSpec *spec = &cluster->spec;
    KindSet kinds = 0;
    if (names == NULL || cluster->text == NULL || spec->vm_size == NULL ||
        !kinds_are_stated(context, cluster, names))
        return 0;
    bool is_known = true;
    if (names->kind != JSON_ARRAY)
        is_known = add_named(context, spec, names, &kinds);
    for (int32_t i = 0; names->kind == JSON_ARRAY && i < names->count; i++)
        is_known &= add_named(context, spec, json_item(names, i), &kinds);
    return is_known ? kinds : 0;
}

const VmSize *kinds_first_size(const ClusterConfig *cluster, KindSet kinds)
{
    const ClusterSpec *spec = &cluster->spec;
    const VmSize *first = NULL;
    for (int32_t k = 0; k < spec->kind_count; k++) {
        const VmSize *size = spec->kinds[k].vm_size;
        const bool is_better = first == NULL || (first->gpus == 0 && size->gpus > 0);
        if ((kinds == 0 || (kinds >> k & 1) != 0) && is_better)
            first = size;
    }
    return first != NULL ? first : spec->vm_size;
}

bool kinds_may_run(const ClusterConfig *cluster, JobRequest request, int64_t slots_max)
{
    const ClusterSpec *spec = &cluster->spec;
    for (int32_t k = 0; k < spec->kind_count; k++) {
        const NodeShare whole = vm_size_share(spec->kinds[k].vm_size);
        const JobRequest on = request_on(request, whole.gpus);
        const int32_t most =
            cluster->nodes_max != NODES_UNKNOWN ? cluster->kinds_max[k] : NODES_UNKNOWN;
        if (request_allows(request, k) && request_is_possible(on, most, whole) &&
            request_slots(on, whole.gpus) <= slots_max)
            return true;
    }
    return false;
}

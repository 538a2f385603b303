#include "sim/scenario/config/maintenance_config.h"

#include "sim/base/text.h"
#include "sim/scenario/config/kind_config.h"
#include "sim/scenario/format/maintenance_types.h"

static void check_times(const ConfigContext *context, const MaintenanceText *text)
{
    Problems *problems = context->problems;
    if (text->duration.node != NULL && !text->duration.is_refused && text->duration.value == 0)
        problems_add(problems, STATUS_BAD_INPUT, json_at(text->duration.node),
                     "duration is 0; maintenance takes some time");
    if (text->every.node == NULL || text->every.is_refused || text->duration.is_refused)
        return;
    if (text->every.value <= text->duration.value)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(text->every.node),
                                 "the maintenance begins again before it ends"),
                    "every is the time from one begin to the next, more than the duration");
    else if (context->has_no_end)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(text->every.node),
                                 "what repeats needs a scenario that ends"),
                    "\"until\" of the scenario says when, such as \"90d\"");
}

void maintenance_read(const ConfigContext *context, BoundList maintenance, ClusterConfig *cluster)
{
    ClusterSpec *spec = &cluster->spec;
    MaintenanceSpec *items = ARENA_ARRAY(context->arena, MaintenanceSpec, maintenance.count);
    for (int32_t i = 0; i < maintenance.count; i++) {
        const MaintenanceText *text = maintenance.items[i];
        if (text->node == NULL)
            continue;
        check_times(context, text);
        items[i] = (MaintenanceSpec){.begin_ns = text->at.value,
                                     .takes_ns = text->duration.value,
                                     .every_ns = text->every.node != NULL ? text->every.value : 0,
                                     .nodes_at_once = text->nodes_at_once.node != NULL
                                                          ? (int32_t)text->nodes_at_once.value
                                                          : 0,
                                     .kinds = kinds_of_job(context, cluster, text->node_kind)};
    }
    if (maintenance.count > 0 && spec->is_automatic)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(maintenance.node),
                                 "cluster \"%s\" scales automatically and has no planned "
                                 "maintenance",
                                 cluster->name),
                    spec->kind_count > 0 ? "node_kinds with \"nodes\" alone keep their nodes"
                                         : "scaleSettings with \"manual\" keep its nodes");
    spec->maintenance_count = maintenance.count;
    spec->maintenance = items;
}

/* The longest time without maintenance of all nodes of a kind, once the first has begun; INT64_MAX:
 * it does not repeat. */
static int64_t longest_gap_ns(const ClusterSpec *spec, int32_t kind)
{
    int64_t gap_ns = INT64_MAX;
    for (int32_t i = 0; i < spec->maintenance_count; i++) {
        const MaintenanceSpec *maintenance = &spec->maintenance[i];
        const int64_t ns = maintenance->every_ns - maintenance->takes_ns;
        const bool is_of_kind =
            maintenance->kinds == 0 || (maintenance->kinds & kind_set_of(kind)) != 0;
        if (maintenance->every_ns > 0 && maintenance->nodes_at_once == 0 && is_of_kind &&
            ns < gap_ns)
            gap_ns = ns;
    }
    return gap_ns;
}

void maintenance_warn_of_job(const ConfigContext *context, const ClusterConfig *cluster,
                             const JobSpec *job, const Json *at)
{
    int64_t gap_ns = 0;
    for (int32_t k = 0; k < cluster_spec_kind_count(&cluster->spec); k++) {
        const bool is_allowed = job->kinds == 0 || (job->kinds & kind_set_of(k)) != 0;
        const int64_t ns = longest_gap_ns(&cluster->spec, k);
        if (is_allowed && ns > gap_ns)
            gap_ns = ns;
    }
    if (gap_ns == INT64_MAX || job->expected_ns <= gap_ns)
        return;
    Text gap = {0}, expected = {0};
    duration_print(&gap, gap_ns);
    duration_print(&expected, job->expected_ns);
    status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(at),
                             "the job is expected to take %s, and maintenance of cluster \"%s\" "
                             "leaves %s at a time: after the first one it never starts",
                             text_string(&expected), cluster->name, text_string(&gap)),
                "state how long it takes (\"expected\"), or its time limit (maxWallClockTime of "
                "its constraints)");
    text_free(&gap);
    text_free(&expected);
}

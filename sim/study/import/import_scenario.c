/* Private to sim/study/import: the scenario and the catalogue of clusters.h. */
#include <inttypes.h>

#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/spec/resample.h"
#include "sim/json/decimal.h"
#include "sim/study/import/cluster_jobs.h"

enum { NODES_MOST = 1000000 };
#define IMPORT_GPU "Trace"

/* --- The catalogue --- */

static Json *put_value(Arena *arena, Json *object, const char *key, Json *value, const char *note)
{
    Json *entry = json_put_object(arena, object, key);
    json_set(arena, entry, "value", value);
    json_put_text(arena, entry, "source", "import");
    if (note != NULL)
        json_put_text(arena, entry, "note", note);
    return entry;
}

/* A value that may be another one, so that plans vary it. */
static void put_assumed(Arena *arena, Json *object, const char *key, Json *value, const char *note)
{
    json_put_boolean(arena, put_value(arena, object, key, value, note), "assumption", true);
}

static void put_text(Arena *arena, Json *object, const char *key, const char *value,
                     const char *note)
{
    put_value(arena, object, key, json_string(arena, value), note);
}

static void put_number(Arena *arena, Json *object, const char *key, int64_t value, const char *note)
{
    put_value(arena, object, key, json_integer(arena, value), note);
}

const char *import_size_name(Arena *arena, const ImportCluster *cluster)
{
    if (cluster->cpus == 0 && cluster->memory_mib == 0)
        return arena_printf(arena, "Trace_%dGPU", cluster->gpus_per_node);
    return arena_printf(arena, "Trace_%dGPU_%dcores_%dMiB", cluster->gpus_per_node, cluster->cpus,
                        cluster->memory_mib);
}

static void put_price(Arena *arena, Json *size, const char *key, const ImportCluster *cluster,
                      const ImportPrice *price)
{
    Text text = {0};
    if (!price->is_known)
        return;
    decimal_print(&text,
                  (Wide)price->gpu_micro_usd_per_hour * cluster->gpus_per_node +
                      price->node_micro_usd_per_hour,
                  DECIMALS_USD);
    text_add(&text, "USD");
    put_text(arena, size, key, arena_strdup(arena, text_string(&text)), NULL);
    if (price->words != NULL)
        json_put_text(arena, json_member(size, key), "note",
                      arena_printf(arena, "an hour of a node: %s", price->words));
    text_free(&text);
}

static const char not_used[] = "jobs of a trace state their run times, so this value is not used";

/* A GPU of no model: those of real ones have assumptions, which change nothing here. */
static void put_gpu(Arena *arena, Json *root)
{
    static const struct {
        const char *key, *value;
    } members[] = {{"peak", "100Tflop/s"},   {"efficiency", "100%"},      {"memory", "1TiB"},
                   {"memory_rate", "1TB/s"}, {"host_link_rate", "1TB/s"}, {"peer_rate", "1TB/s"}};
    Json *gpu = json_put_object(arena, json_put_object(arena, root, "gpus"), IMPORT_GPU);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        put_text(arena, gpu, members[i].key, members[i].value, not_used);
    put_number(arena, gpu, "rings", 1, not_used);
}

static void put_size(Arena *arena, Json *sizes, const char *name, const ImportCluster *cluster,
                     const ImportPrice *dedicated, const ImportPrice *low_priority)
{
    Json *size = json_put_object(arena, sizes, name);
    put_text(arena, size, "family", "Trace", NULL);
    put_value(arena, size, "has_no_quota", json_boolean(arena, true), "the cluster exists");
    if (cluster->cpus > 0)
        put_number(arena, size, "vcpus", cluster->cpus, NULL);
    else
        put_number(arena, size, "vcpus", 1, "the log does not say, and nothing asks");
    if (cluster->memory_mib > 0)
        put_text(arena, size, "memory", arena_printf(arena, "%" PRId32 "MiB", cluster->memory_mib),
                 NULL);
    put_number(arena, size, "gpus", cluster->gpus_per_node, NULL);
    put_text(arena, size, "gpu", IMPORT_GPU, not_used);
    put_text(arena, size, "network_rate", "10Gbit/s", not_used);
    put_text(arena, size, "network_latency", "50us", not_used);
    put_text(arena, size, "rdma_rate", "0B/s", not_used);
    put_text(arena, size, "rdma_latency", "0s", not_used);
    put_price(arena, size, "dedicated_price_per_hour", cluster, dedicated);
    put_price(arena, size, "low_priority_price_per_hour", cluster, low_priority);
}

static const char *offer_size(Arena *arena, const ImportCluster *cluster, const ImportOffer *offer)
{
    return arena_printf(arena, "%s_%s", import_size_name(arena, cluster), offer->name);
}

static void put_sizes(Arena *arena, Json *root, const ImportClusters *clusters,
                      const ImportPrices *prices)
{
    Json *sizes = json_put_object(arena, root, "vm_sizes");
    for (int32_t i = 0; i < clusters->count; i++) {
        const ImportCluster *cluster = &clusters->clusters[i];
        const char *name = import_size_name(arena, cluster);
        if (json_member(sizes, name) != NULL)
            continue;
        put_size(arena, sizes, name, cluster, &prices->dedicated, &prices->low_priority);
        for (int32_t o = 0; o < prices->offer_count; o++)
            put_size(arena, sizes, offer_size(arena, cluster, &prices->offers[o]), cluster,
                     &prices->offers[o].price, &prices->low_priority);
    }
}

static void put_service(Arena *arena, Json *root)
{
    static const char *const delays[] = {
        "cluster_record",   "allocation_create", "allocation_empty",     "allocation_resize",
        "node_preparation", "release",           "leaving_delay",        "job_record",
        "job_start",        "host_overhead",     "allocation_autoscale", "host_overhead_prepared"};
    const char *note = "the log's waits have no delays of Batch AI";
    Json *service = json_put_object(arena, root, "service");
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++)
        put_text(arena, service, delays[i], "0s", note);
    put_number(arena, service, "nodes_per_cluster", NODES_MOST, "the cluster exists");
    put_number(arena, service, "clusters", 1000000, "the cluster exists");
    static const char *const rates[] = {"registry_rate", "image_unpack_rate", "internet_rate"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        put_text(arena, service, rates[i], "1TB/s", not_used);
    put_number(arena, service, "attempts", 1000000, "a job of the log is never given up");
    put_text(arena, service, "max_wall_clock", "365d", "the log has its longest jobs");
}

/* How low-priority nodes are taken away. */
#define LOW_PRIORITY_MODEL "low-priority"

static void put_lifetime(Arena *arena, Json *root, const ImportPrices *prices)
{
    const char *note = "the mean of an exponential distribution, which --lifetime states";
    const char *at_once = "other low-priority nodes are there at once";
    Json *models = json_put_object(arena, root, "failure_models");
    Json *model = json_put_object(arena, models, LOW_PRIORITY_MODEL);
    Json *between = json_object(arena);
    json_put_text(arena, between, "exponential",
                  arena_printf(arena, "%" PRId64 "s", prices->lifetime_ns / NS_PER_S));
    put_assumed(arena, model, "between", between, note);
    put_assumed(arena, model, "repair", json_string(arena, "0s"), at_once);
    put_assumed(arena, model, "recovery", json_string(arena, "replace"), at_once);
    put_text(arena, model, "reason", "taken away", NULL);
}

Json *import_scenario_catalog(Arena *arena, const ImportClusters *clusters,
                              const ImportPrices *prices)
{
    Json *root = json_object(arena);
    json_put_integer(arena, root, "catalog", 1);
    json_put_text(arena, root, "description",
                  "Nodes of an imported log, and a service that answers at once.");
    Json *source = json_put_object(arena, json_put_object(arena, root, "sources"), "import");
    json_put_text(arena, source, "title", "trainyard import");
    json_put_text(arena, source, "date", "of the import");
    put_gpu(arena, root);
    put_sizes(arena, root, clusters, prices);
    put_service(arena, root);
    if (prices->low_priority.is_known)
        put_lifetime(arena, root, prices);
    return root;
}

/* --- The scenario --- */

static void put_duration(Arena *arena, Json *object, const char *key, int64_t ns)
{
    json_put_text(arena, object, key, arena_printf(arena, "%" PRId64 "s", ns / NS_PER_S));
}

static void put_parameter(Arena *arena, Json *parameters, const char *name, int32_t value,
                          const char *description)
{
    Json *nodes = json_put_object(arena, parameters, name);
    json_put_integer(arena, nodes, "value", value);
    Json *range = json_put_array(arena, nodes, "range");
    json_add(range, json_integer(arena, 0));
    json_add(range, json_integer(arena, NODES_MOST));
    json_put_text(arena, nodes, "description", description);
}

/* "nodes_V100_8": the parameter with the number of nodes of a kind or queue, which has only
 * characters that names of parameters may have. The only cluster has "nodes". */
static const char *nodes_parameter(Arena *arena, const ImportClusters *clusters, int32_t index)
{
    const bool has_one = !clusters->are_kinds && (!clusters->is_per_queue || clusters->count == 1);
    if (has_one)
        return "nodes";
    char *name = arena_printf(arena, "nodes_%s", clusters->clusters[index].name);
    for (char *c = name; *c != '\0'; c++)
        if (!ascii_is_alphanumeric(*c))
            *c = '_';
    for (int32_t i = 0; i < index; i++)
        if (ascii_same(nodes_parameter(arena, clusters, i), name))
            return arena_printf(arena, "%s_%" PRId32, name, index + 1);
    return name;
}

static Json *put_choice(Arena *arena, Json *parameters, const char *name, const char *first,
                        const char *description)
{
    Json *choice = json_put_object(arena, parameters, name);
    json_put_text(arena, choice, "value", first);
    Json *choices = json_put_array(arena, choice, "choices");
    json_add(choices, json_string(arena, first));
    json_put_text(arena, choice, "description", description);
    return choices;
}

static void put_time(Arena *arena, Json *parameters, const char *name, const char *value,
                     const char *description)
{
    Json *time = json_put_object(arena, parameters, name);
    json_put_text(arena, time, "value", value);
    json_put_text(arena, time, "type", "duration");
    json_put_text(arena, time, "description", description);
}

/* No log says which jobs write checkpoints: none does, unless the parameter says so. */
static void put_checkpoint_parameters(Arena *arena, Json *parameters)
{
    Json *share = json_put_object(arena, parameters, "checkpointing");
    json_put_integer(arena, share, "value", 0);
    Json *range = json_put_array(arena, share, "range");
    json_add(range, json_integer(arena, 0));
    json_add(range, json_integer(arena, 100));
    json_put_text(arena, share, "description",
                  "percent of the jobs that write checkpoints: the log does not say which do. The "
                  "others begin again when they lose a node");
    put_time(arena, parameters, "checkpoint_every", "1h", "work from one checkpoint to the next");
    put_time(arena, parameters, "checkpoint_takes", "1m",
             "how long a job stops for a checkpoint (an assumption)");
    put_time(arena, parameters, "checkpoint_restart", "5m",
             "from the start of an attempt that continues from a checkpoint until it works (an "
             "assumption)");
    Json *notice = json_put_object(arena, parameters, "checkpoint_on_notice");
    json_put_boolean(arena, notice, "value", false);
    json_put_text(arena, notice, "description",
                  "whether these jobs write one more when they get notice that a node is taken "
                  "away");
}

void import_put_checkpoint(Arena *arena, Json *object, const ImportPrices *prices)
{
    if (!prices->low_priority.is_known)
        return; // no job loses a node
    Json *checkpoint = json_put_object(arena, object, "checkpoint");
    json_put_text(arena, checkpoint, "every", "${checkpoint_every}");
    json_put_text(arena, checkpoint, "takes", "${checkpoint_takes}");
    json_put_text(arena, checkpoint, "restart", "${checkpoint_restart}");
    json_put_text(arena, checkpoint, "on_notice", "${checkpoint_on_notice}");
    json_put_text(arena, checkpoint, "jobs", "${checkpointing}%");
}

void import_put_nodes(Arena *arena, Json *parameters, const char *name,
                      const ImportCluster *cluster)
{
    put_parameter(arena, parameters, name, cluster->nodes,
                  arena_printf(arena, "nodes of the cluster %s", cluster->name));
}

void import_put_policy(Arena *arena, Json *root, Json *parameters, const ImportFormat *format)
{
    static const char *const names[] = {
#define X(name, function, text, scope, first, victim, words) text,
        POLICIES(X)
#undef X
    };
    Json *policy = json_put_object(arena, parameters, "policy");
    json_put_text(arena, policy, "value", names[format->policy]);
    Json *choices = json_put_array(arena, policy, "choices");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_add(choices, json_string(arena, names[i]));
    json_put_text(arena, policy, "description",
                  arena_printf(arena, "which waiting job starts next: %s",
                               format->policy_source != NULL
                                   ? format->policy_source
                                   : "the log's scheduler may have had other rules"));
    json_put_text(arena, root, "policy", "${policy}");
}

void import_put_price_parameters(Arena *arena, Json *parameters, const ImportCluster *cluster,
                                 const ImportPrices *prices)
{
    if (prices->offer_count > 0) {
        Json *sizes = put_choice(arena, parameters, "size", import_size_name(arena, cluster),
                                 "VM size: the nodes are the same, and their prices differ");
        for (int32_t o = 0; o < prices->offer_count; o++)
            json_add(sizes, json_string(arena, offer_size(arena, cluster, &prices->offers[o])));
    }
    if (prices->has_burst)
        put_parameter(
            arena, parameters, "burst", 0,
            "the most nodes on demand, which come for jobs that do not fit on the others, "
            "and leave when they are idle");
    if (!prices->low_priority.is_known)
        return;
    json_add(put_choice(arena, parameters, "priority", "dedicated",
                        "low-priority nodes cost less and are taken away by chance"),
             json_string(arena, "lowpriority"));
    if (prices->has_burst)
        json_add(put_choice(arena, parameters, "burst_priority", "dedicated",
                            "the priority of the nodes on demand"),
                 json_string(arena, "lowpriority"));
    put_checkpoint_parameters(arena, parameters);
}

void import_put_catalogs(Arena *arena, Json *root, const ImportScenarioNames *names,
                         const ImportPrices *prices)
{
    Json *catalogs = json_put_array(arena, root, "catalog");
    json_add(catalogs, json_string(arena, "catalog/azure-2018.json"));
    json_add(catalogs, json_string(arena, names->catalog));
    if (prices->low_priority.is_known)
        json_put_text(arena, json_put_object(arena, root, "failures"), "preemption",
                      LOW_PRIORITY_MODEL);
}

bool import_has_one_size(const ImportClusters *clusters)
{
    const ImportCluster *all = clusters->clusters;
    bool is_same = !clusters->are_kinds;
    for (int32_t i = 1; i < clusters->count; i++)
        is_same &= all[i].gpus_per_node == all[0].gpus_per_node && all[i].cpus == all[0].cpus &&
                   all[i].memory_mib == all[0].memory_mib;
    return is_same;
}

/* Whether the scenario has that cluster; the machines of other queues have no jobs then. */
static bool is_made(const ImportClusters *clusters, int32_t index)
{
    return clusters->are_kinds || clusters->is_per_queue || index == clusters->main;
}

/* Without changes over time a parameter has the number of nodes of each cluster or kind. */
static void put_parameters(Arena *arena, Json *root, const ImportClusters *clusters,
                           const ImportPrices *prices, const ImportFormat *format, bool has_load)
{
    Json *parameters = json_put_object(arena, root, "parameters");
    for (int32_t i = 0; clusters->resize_count == 0 && i < clusters->count; i++)
        if (is_made(clusters, i))
            import_put_nodes(arena, parameters, nodes_parameter(arena, clusters, i),
                             &clusters->clusters[i]);
    import_put_price_parameters(arena, parameters, &clusters->clusters[clusters->main], prices);
    if (has_load) {
        Json *load = json_put_object(arena, parameters, "load");
        json_put_integer(arena, load, "value", 1);
        json_put_text(arena, load, "type", "number");
        json_put_text(arena, load, "description", "jobs that come, as a multiple of the log's");
    }
    import_put_policy(arena, root, parameters, format);
}

/* One cluster with nodes of several kinds. */
static void put_kinds(Arena *arena, Json *commands, const ImportClusters *clusters)
{
    Json *command = json_add(commands, json_object(arena));
    json_put_text(arena, command, "at", "0s");
    json_put_text(arena, command, "do", "cluster.create");
    json_put_text(arena, command, "name", import_cluster_name(clusters, clusters->main));
    Json *kinds = json_put_array(arena, command, "node_kinds");
    for (int32_t i = 0; i < clusters->count; i++) {
        const ImportCluster *cluster = &clusters->clusters[i];
        Json *kind = json_add(kinds, json_object(arena));
        json_put_text(arena, kind, "vm_size", import_size_name(arena, cluster));
        json_put_text(arena, kind, "name", cluster->name);
        if (cluster->gpu != NULL)
            json_put_text(arena, kind, "gpu", cluster->gpu);
        json_put_text(arena, kind, "nodes",
                      arena_printf(arena, "${%s}", nodes_parameter(arena, clusters, i)));
    }
    json_put_object(arena, json_put_object(arena, command, "config"), "properties");
}

static const char *bought_size(Arena *arena, const ImportCluster *cluster,
                               const ImportPrices *prices)
{
    return prices->offer_count > 0 ? "${size}" : import_size_name(arena, cluster);
}

/* Two kinds of nodes under one queue: those that are always there, and those on demand. */
static void put_base_and_burst(Arena *arena, Json *command, const ImportCluster *cluster,
                               const ImportPrices *prices, const char *nodes)
{
    Json *kinds = json_put_array(arena, command, "node_kinds");
    Json *base = json_add(kinds, json_object(arena)), *burst = json_add(kinds, json_object(arena));
    json_put_text(arena, base, "name", "base");
    json_put_text(arena, base, "vm_size", bought_size(arena, cluster, prices));
    json_put_text(arena, base, "nodes", arena_printf(arena, "${%s}", nodes));
    json_put_text(arena, burst, "name", "burst");
    json_put_text(arena, burst, "vm_size", import_size_name(arena, cluster));
    json_put_integer(arena, burst, "minimum", 0);
    json_put_text(arena, burst, "maximum", "${burst}");
    if (!prices->low_priority.is_known)
        return;
    json_put_text(arena, base, "priority", "${priority}");
    json_put_text(arena, burst, "priority", "${burst_priority}");
}

Json *import_put_create(Arena *arena, Json *commands, const ImportCluster *cluster,
                        const ImportPrices *prices, const char *nodes)
{
    Json *command = json_add(commands, json_object(arena));
    json_put_text(arena, command, "at", "0s");
    json_put_text(arena, command, "do", "cluster.create");
    json_put_text(arena, command, "name", cluster->name);
    if (prices->has_burst)
        put_base_and_burst(arena, command, cluster, prices, nodes);
    Json *properties =
        json_put_object(arena, json_put_object(arena, command, "config"), "properties");
    if (prices->has_burst)
        return properties;
    json_put_text(arena, properties, "vmSize", bought_size(arena, cluster, prices));
    if (prices->low_priority.is_known)
        json_put_text(arena, properties, "vmPriority", "${priority}");
    Json *scale = json_put_object(arena, properties, "scaleSettings");
    Json *manual = json_put_object(arena, scale, "manual");
    if (nodes != NULL)
        json_put_text(arena, manual, "targetNodeCount", arena_printf(arena, "${%s}", nodes));
    else
        json_put_integer(arena, manual, "targetNodeCount", cluster->nodes);
    return properties;
}

static void put_commands(Arena *arena, Json *root, const ImportClusters *clusters,
                         const ImportPrices *prices)
{
    Json *commands = json_put_array(arena, root, "commands");
    if (clusters->are_kinds) {
        put_kinds(arena, commands, clusters);
        return;
    }
    for (int32_t i = 0; i < clusters->count; i++)
        if (is_made(clusters, i))
            import_put_create(arena, commands, &clusters->clusters[i], prices,
                              clusters->resize_count == 0 ? nodes_parameter(arena, clusters, i)
                                                          : NULL);
    for (uint32_t i = 0; i < clusters->resize_count; i++) {
        const ImportResize *change = &clusters->resizes[i];
        Json *command = json_add(commands, json_object(arena));
        put_duration(arena, command, "at", change->at_ns);
        json_put_text(arena, command, "do", "cluster.resize");
        json_put_text(arena, command, "name", clusters->clusters[change->cluster].name);
        json_put_integer(arena, command, "target", change->nodes);
        // A queue that shrinks lets its jobs end: the log has them whole.
        json_put_text(arena, command, "deallocation", "waitforjobcompletion");
    }
}

/* A command at the end of the period, so that no run ends before it: idle nodes cost money, too. */
static void put_end(Arena *arena, Json *root, const ImportClusters *clusters, int64_t end_ns)
{
    Json *command = json_add(json_member(root, "commands"), json_object(arena));
    put_duration(arena, command, "at", end_ns);
    json_put_text(arena, command, "do", "cluster.show");
    json_put_text(arena, command, "name", import_cluster_name(clusters, clusters->main));
}

static void put_workload(Arena *arena, Json *root, const ImportClusters *clusters,
                         const ImportPrices *prices, const ImportScenarioNames *names,
                         int64_t piece_ns)
{
    Json *workload = json_add(json_put_array(arena, root, "workloads"), json_object(arena));
    json_put_text(arena, workload, "name", names->name);
    json_put_text(arena, workload, "trace", names->list);
    if (clusters->is_per_queue)
        json_put_text(arena, json_put_object(arena, workload, "cluster"), "queue", "*");
    else
        json_put_text(arena, workload, "cluster", import_cluster_name(clusters, clusters->main));
    if (piece_ns > 0) {
        put_duration(arena, workload, "resample", piece_ns);
        json_put_text(arena, workload, "load", "${load}");
    }
    if (clusters->types_bind)
        json_put_text(arena, workload, "gpu_type", "bind");
    if (clusters->cores_bind)
        json_put_text(arena, workload, "cores_and_memory", "bind");
    import_put_checkpoint(arena, workload, prices);
}

void import_put_until(Arena *arena, Json *root, const JobList *list, int64_t piece_ns,
                      const ImportPrices *prices)
{
    const int64_t last_ns = list->count > 0 ? list->submit_ns[list->count - 1] : 0;
    if (piece_ns > 0)
        put_duration(arena, root, "until", resample_pieces(list, piece_ns) * piece_ns);
    else if (prices->low_priority.is_known) // they are taken away again and again
        put_duration(arena, root, "until", last_ns + NS_PER_S);
}

Json *import_scenario(Arena *arena, const Import *import, const ImportClusters *clusters,
                      const ImportPrices *prices, const ImportScenarioNames *names,
                      int64_t piece_ns)
{
    char start[CIVIL_TEXT];
    Json *root = json_object(arena);
    json_put_integer(arena, root, "trainyard", 1);
    json_put_text(arena, root, "description",
                  arena_printf(arena, "How long do the jobs of %s wait? (%" PRId64 " jobs)",
                               names->list, import->selection.list.count));
    if (import->log.has_calendar) {
        iso_time_print(import->selection.origin_ns / NS_PER_S * 1000, start);
        json_put_text(arena, root, "start", start);
    }
    put_parameters(arena, root, clusters, prices, import->request->format, piece_ns > 0);
    import_put_until(arena, root, &import->selection.list, piece_ns, prices);
    json_put_text(arena, root, "fidelity", "job");
    import_put_catalogs(arena, root, names, prices);
    json_put_text(arena, root, "wide_jobs", "refuse");
    put_workload(arena, root, clusters, prices, names, piece_ns);
    put_commands(arena, root, clusters, prices);
    if (piece_ns > 0)
        put_end(arena, root, clusters,
                resample_pieces(&import->selection.list, piece_ns) * piece_ns);
    return root;
}

#include "emu/control/state_json.h"

#include <string.h>

#include "emu/control/clock_api.h"
#include "sim/base/capped.h"
#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/json/decimal.h"
#include "sim/model/price.h"
#include "sim/output/share/az_tables.h"
#include "sim/output/share/job_files.h"

static const World *world_of(const Control *control)
{
    return session_world(control->session);
}

static void set_ratio(Arena *arena, Json *object, const char *key, int64_t ppm)
{
    json_set(arena, object, key, decimal_json(arena, ppm, DECIMALS_RATIO));
}

/* {"code", "message"}; no member without a code. */
static void set_error(Arena *arena, Json *object, const char *code, const char *message)
{
    if (!code)
        return;
    Json *error = json_put_object(arena, object, "error");
    json_put_text(arena, error, "code", code);
    json_put_text(arena, error, "message", message);
}

static void set_path(Arena *arena, Json *object, ResourcePath path)
{
    json_put_text(arena, object, "name", path.name);
    json_put_text(arena, object, "workspace", path.workspace);
    json_put_text(arena, object, "group", path.group);
}

static void set_next(Arena *arena, Json *next, const char *key, uint32_t id)
{
    if (id == ID_NONE)
        json_put_null(arena, next, key);
    else
        json_put_integer(arena, next, key, id);
}

/* --- Money --- */

static StateCost sum(StateCost a, StateCost b)
{
    return (StateCost){.micro_usd = capped_sum(a.micro_usd, b.micro_usd),
                       .micro_usd_per_hour =
                           capped_sum(a.micro_usd_per_hour, b.micro_usd_per_hour)};
}

/* The cost of `count` machines that are held. */
static StateCost cost_of(Bill bill, int64_t count)
{
    const int64_t each = cost_micro_usd(bill.billed_ns, bill.micro_usd_per_hour);
    const bool is_priced = price_is_known(bill.micro_usd_per_hour);
    return (StateCost){.micro_usd = capped_product(count, each),
                       .micro_usd_per_hour =
                           is_priced ? capped_product(count, bill.micro_usd_per_hour) : 0};
}

static StateCost cluster_cost(const Control *control, const Cluster *cluster)
{
    const World *world = world_of(control);
    const ClusterTally tally = tally_cluster(control->tally, cluster->id);
    StateCost cost = {.micro_usd = tally.released_micro_usd};
    for (uint32_t i = 0; i < tally.held_count; i++)
        cost = sum(cost, cost_of(world_node_bill(world, cluster->id, tally.held[i].kind,
                                                 tally.held[i].allocated_ns),
                                 tally.held[i].count));
    return cost;
}

static StateCost file_server_cost(const Control *control)
{
    const World *world = world_of(control);
    StateCost cost = {.micro_usd = tally_file_servers(control->tally)};
    for (uint32_t i = 0; (i = world_next_file_server(world, i)) < world_file_server_count(world);
         i++) {
        const FileServer *server = world_file_server(world, i);
        if (server->gone_ns == INT64_MAX)
            cost = sum(cost, cost_of(world_file_server_bill(world, server), 1));
    }
    return cost;
}

StateCost state_cost(const Control *control)
{
    const World *world = world_of(control);
    StateCost all = sum(file_server_cost(control),
                        (StateCost){.micro_usd = tally_deleted_clusters(control->tally)});
    for (uint32_t i = 0; (i = world_next_cluster(world, i)) < world_cluster_count(world); i++)
        all = sum(all, cluster_cost(control, world_cluster(world, (ClusterId){i})));
    return all;
}

/* --- Nodes --- */

static bool has_trouble(const Node *node)
{
    return node->is_silent || node->speed_ppm != PPM || node->notice != CAUSE_NONE;
}

static char node_letter(const Node *node)
{
    static const char letters[NODE_STATE_COUNT + 1] = "pirlu";
    static const char capitals[NODE_STATE_COUNT + 1] = "PIRLU";
    return has_trouble(node) ? capitals[node->state] : letters[node->state];
}

static const char *places_text(const World *world, Arena *arena, const Cluster *cluster)
{
    const int32_t count = cluster->place_count < STATE_PLACES ? cluster->place_count : STATE_PLACES;
    char *text = arena_alloc(arena, (size_t)count + 1);
    for (int32_t place = 0; place < count; place++) {
        const NodeId node = cluster->nodes[place];
        text[place] = node.index == ID_NONE ? '.' : node_letter(world_node(world, node));
    }
    text[count] = '\0';
    return text;
}

static void set_node_counts(Arena *arena, Json *object, const int64_t *counts)
{
    Json *nodes = json_put_object(arena, object, "nodes");
    for (int state = 0; state < NODE_STATE_COUNT; state++)
        json_put_integer(arena, nodes, node_state_name((NodeState)state), counts[state]);
}

static Json *node_json(const World *world, Arena *arena, const Node *node)
{
    Json *body = json_object(arena);
    json_put_integer(arena, body, "place", node->place + 1);
    json_put_text(arena, body, "name", node->name);
    json_put_text(arena, body, "state", node_state_name(node->state));
    json_put_seconds(arena, body, "since_s", node->state_since_ns);
    json_put_seconds(arena, body, "allocated_s", node->allocated_ns);
    json_put_boolean(arena, body, "silent", node->is_silent);
    set_ratio(arena, body, "speed", node->speed_ppm);
    if (node->notice != CAUSE_NONE)
        json_put_text(arena, body, "notice", trace_cause_name(node->notice));
    const JobId job = node->shared_count > 0 ? node->shared[0].job : node->job;
    if (job.index != ID_NONE) {
        json_put_text(arena, body, "job", world_job(world, job)->path.name);
        json_put_integer(arena, body, "job_id", job.index);
    }
    if (node->shared_count > 0) {
        json_put_integer(arena, body, "jobs", node->shared_count);
        json_put_integer(arena, body, "free_gpus", node->free_gpus);
    }
    if (node->failure) {
        set_error(arena, body, node->failure->code ? node->failure->code : "InternalError",
                  node->failure->reason);
        json_put_text(arena, json_member(body, "error"), "cause",
                      trace_cause_name(node->failure->cause));
    }
    return body;
}

/* --- Clusters --- */

static const char *cluster_state(const Cluster *cluster)
{
    return cluster->provisioning == PROVISIONING_SUCCEEDED
               ? allocation_state_name(cluster->allocation)
               : provisioning_state_name(cluster->provisioning);
}

static void set_scaling(Arena *arena, Json *body, const Cluster *cluster)
{
    json_put_integer(arena, body, "target", cluster->target_nodes);
    if (!cluster->is_automatic)
        return;
    Json *automatic = json_put_object(arena, body, "automatic");
    json_put_integer(arena, automatic, "minimum", cluster_limit(cluster, cluster->minimum_nodes));
    json_put_integer(arena, automatic, "maximum", cluster_limit(cluster, cluster->maximum_nodes));
}

static Json *cluster_json(const Control *control, Arena *arena, const Cluster *cluster,
                          StateCost cost)
{
    Json *body = json_object(arena);
    int64_t counts[NODE_STATE_COUNT];
    for (int state = 0; state < NODE_STATE_COUNT; state++)
        counts[state] = cluster->node_count[state];
    json_put_integer(arena, body, "id", cluster->id.index);
    set_path(arena, body, cluster->path);
    json_put_text(arena, body, "state", cluster_state(cluster));
    json_put_seconds(arena, body, "created_s", cluster->created_ns);
    json_put_text(arena, body, "vm_size", vm_size_in_capitals(arena, cluster->spec->vm_size->name));
    json_put_integer(arena, body, "gpus_per_node", cluster->spec->vm_size->gpus);
    json_put_text(arena, body, "priority",
                  cluster->spec->is_low_priority ? "lowpriority" : "dedicated");
    set_scaling(arena, body, cluster);
    set_node_counts(arena, body, counts);
    json_put_integer(arena, body, "place_count", cluster->place_count);
    json_put_text(arena, body, "places", places_text(world_of(control), arena, cluster));
    json_put_integer(arena, body, "queued_jobs",
                     world_queue_length(world_of(control), cluster->id));
    json_put_usd(arena, body, "cost_usd", cost.micro_usd);
    json_put_usd(arena, body, "usd_per_hour", cost.micro_usd_per_hour);
    set_error(arena, body, cluster->error_code, cluster->error_message);
    return body;
}

Json *state_cluster(const Control *control, Arena *arena, const Cluster *cluster, int32_t place)
{
    const World *world = world_of(control);
    Json *body = json_object(arena);
    json_set(arena, body, "cluster",
             cluster_json(control, arena, cluster, cluster_cost(control, cluster)));
    Json *nodes = json_put_array(arena, body, "nodes");
    for (; place < cluster->place_count && nodes->count < STATE_PAGE_NODES; place++)
        if (cluster->nodes[place].index != ID_NONE)
            json_add(nodes, node_json(world, arena, world_node(world, cluster->nodes[place])));
    set_next(arena, body, "next", place < cluster->place_count ? (uint32_t)place : ID_NONE);
    return body;
}

/* --- Jobs --- */

/* The stage of the slowest node before the program runs; NULL afterwards. */
static const char *stage_name(const Job *job)
{
    JobStage first = STAGE_COUNT;
    if (!job_is_active(job))
        return NULL;
    for (int32_t i = 0; i < job->request.nodes; i++)
        if (job->attempt->stage[i] < first)
            first = job->attempt->stage[i];
    return first < STAGE_COUNT ? job_stage_name(first) : NULL;
}

static void set_training(Arena *arena, Json *body, const Job *job, int64_t now_ns)
{
    if (job->spec->program->kind != PROGRAM_TRAIN)
        return;
    const Training *training = job->attempt ? job->attempt->training : NULL;
    const bool is_planned = training && training->plan.ranks > 0;
    const int64_t done = job_epochs_done(job, now_ns);
    Json *progress = json_put_object(arena, body, "training");
    json_put_integer(arena, progress, "epochs", job->spec->program->epochs);
    json_put_integer(arena, progress, "done", done);
    json_put_integer(arena, progress, "kept", job->epochs_kept);
    json_put_integer(arena, progress, "steps", job->spec->program->steps_per_epoch);
    json_put_integer(arena, progress, "step",
                     training && job_is_training(job) ? training->step : 0);
    if (!is_planned || done == 0 || job->spec->program->learning == NULL)
        return;
    const EpochResult result = job_epoch_result(job, done - 1);
    set_ratio(arena, progress, "accuracy", result.accuracy_ppm);
    set_ratio(arena, progress, "loss", result.loss_micro);
}

static void set_place(Arena *arena, Json *object, const char *share, const char *path)
{
    json_put_text(arena, object, "share", share);
    json_put_text(arena, object, "path", path);
}

static Json *job_json(const World *world, Arena *arena, const Job *job)
{
    Json *body = json_object(arena);
    json_put_integer(arena, body, "id", job->id.index);
    set_path(arena, body, job->path);
    json_put_text(arena, body, "experiment", job->path.experiment);
    json_put_text(arena, body, "cluster", world_cluster(world, job->cluster)->path.name);
    json_put_integer(arena, body, "cluster_id", job->cluster.index);
    json_put_text(arena, body, "tool", job->spec->tool);
    json_put_integer(arena, body, "nodes", job->request.nodes);
    json_put_integer(arena, body, "processes", job->spec->processes);
    json_put_text(arena, body, "state",
                  job->provisioning == PROVISIONING_DELETING
                      ? provisioning_state_name(job->provisioning)
                      : job_state_name(job->state));
    json_put_seconds(arena, body, "since_s", job->state_since_ns);
    json_put_seconds(arena, body, "created_s", job->created_ns);
    json_put_moment(arena, body, "started_s", job->started_ns);
    json_put_moment(arena, body, "ended_s", job->ended_ns);
    json_put_integer(arena, body, "attempts", job->starts);
    if (job->exit_code >= 0)
        json_put_integer(arena, body, "exit_code", job->exit_code);
    set_error(arena, body, job->error_code, job->error_message);
    json_put_boolean(arena, body, "stalled", job_is_stalled(job));
    if (stage_name(job))
        json_put_text(arena, body, "stage", stage_name(job));
    set_training(arena, body, job, world_now_ns(world));
    if (job->starts > 0 && job->spec->std_out_err.share)
        set_place(arena, json_put_object(arena, body, "logs"), job->spec->std_out_err.share,
                  job_files_directory(world, job, arena));
    return body;
}

static void add_epoch(Arena *arena, Json *list, const Job *job, int64_t epoch)
{
    const EpochResult result = job_epoch_result(job, epoch);
    Json *row = json_add(list, json_array(arena));
    json_add(row, json_integer(arena, epoch + 1));
    json_add(row, decimal_json(arena, result.accuracy_ppm, DECIMALS_RATIO));
    json_add(row, decimal_json(arena, result.train_accuracy_ppm, DECIMALS_RATIO));
    json_add(row, decimal_json(arena, result.loss_micro, DECIMALS_RATIO));
}

static void set_epochs(Arena *arena, Json *body, const Job *job, int64_t now_ns)
{
    Json *list = json_put_array(arena, body, "epochs");
    if (!job->attempt || !job->attempt->training || job->attempt->training->plan.ranks == 0)
        return;
    const int64_t done = job_epochs_done(job, now_ns), every = done / STATE_EPOCHS + 1;
    for (int64_t epoch = (done - 1) % every; epoch < done; epoch += every)
        add_epoch(arena, list, job, epoch);
}

static void set_outputs(const World *world, Arena *arena, Json *body, const Job *job)
{
    Json *list = json_put_array(arena, body, "outputs");
    for (int32_t i = 0; i < job->spec->output_count; i++) {
        const OutputDirectory *output = &job->spec->outputs[i];
        if (!output->place.share)
            continue;
        Json *object = json_add(list, json_object(arena));
        json_put_text(arena, object, "id", output->id);
        set_place(arena, object, output->place.share,
                  job_output_directory(world, job, output, arena));
    }
}

Json *state_job(const Control *control, Arena *arena, const Job *job)
{
    const World *world = world_of(control);
    Json *body = json_object(arena);
    json_set(arena, body, "job", job_json(world, arena, job));
    json_put_text(arena, body, "command", job->spec->command);
    json_put_boolean(arena, body, "is_unknown", job->spec->program->is_other);
    Json *names = json_put_array(arena, body, "node_names");
    for (int32_t i = 0; job->nodes && i < job->request.nodes && i < STATE_PAGE_NODES; i++)
        if (job->nodes[i].index != ID_NONE)
            json_add(names, json_string(arena, world_node(world, job->nodes[i])->name));
    set_outputs(world, arena, body, job);
    set_epochs(arena, body, job, world_now_ns(world));
    return body;
}

/* --- Everything --- */

static void set_scenario(const Control *control, Arena *arena, Json *body)
{
    const Scenario *scenario = session_scenario(control->session);
    Json *object = json_put_object(arena, body, "scenario");
    char start[CIVIL_TEXT];
    iso_time_print(scenario->start_unix_ms, start);
    json_put_text(arena, object, "name", scenario->name);
    json_put_integer(arena, object, "seed", (int64_t)scenario->seed);
    json_put_text(arena, object, "region", scenario->region);
    json_put_text(arena, object, "start", start);
}

/* The existing clusters, and the cost of all that ever existed. */
typedef struct {
    int64_t count, nodes[NODE_STATE_COUNT];
    StateCost cost;
    uint32_t next;
} ClusterRows;

static ClusterRows add_clusters(const Control *control, Arena *arena, Json *list,
                                const StatePage *page)
{
    const World *world = world_of(control);
    ClusterRows all = {.next = ID_NONE, .cost.micro_usd = tally_deleted_clusters(control->tally)};
    uint32_t last = ID_NONE;
    for (uint32_t i = 0; (i = world_next_cluster(world, i)) < world_cluster_count(world); i++) {
        const Cluster *cluster = world_cluster(world, (ClusterId){i});
        const StateCost cost = cluster_cost(control, cluster);
        all.cost = sum(all.cost, cost);
        if (cluster->provisioning == PROVISIONING_DELETED)
            continue;
        all.count++;
        for (int state = 0; state < NODE_STATE_COUNT; state++)
            all.nodes[state] += cluster->node_count[state];
        if (page->after_cluster.index != ID_NONE && i <= page->after_cluster.index)
            continue;
        if (list->count < page->limit) {
            json_add(list, cluster_json(control, arena, cluster, cost));
            last = i;
        } else {
            all.next = last;
        }
    }
    return all;
}

/* Returns the id after which the next page begins. */
static uint32_t add_jobs(const Control *control, Arena *arena, Json *list, const StatePage *page)
{
    JobId job = page->before_job;
    for (;;) {
        const JobId next = tally_older_job(control->tally, job, page->jobs);
        if (next.index == ID_NONE)
            return ID_NONE;
        if (list->count == page->limit)
            return job.index;
        job = next;
        json_add(list, job_json(world_of(control), arena, world_job(world_of(control), job)));
    }
}

static Json *share_json(Arena *arena, const Share *share)
{
    Json *body = json_object(arena);
    json_put_integer(arena, body, "id", share_id(share).index);
    json_put_text(arena, body, "name", share_name(share));
    set_ratio(arena, body, "speed", share_speed_ppm(share));
    json_put_integer(arena, body, "transfers", share_active(share));
    json_put_integer(arena, body, "bytes_moved", share_bytes_moved(share));
    return body;
}

static uint32_t add_shares(const World *world, Arena *arena, Json *list, const StatePage *page,
                           int64_t *count)
{
    uint32_t last = ID_NONE, next = ID_NONE;
    for (uint32_t i = 0; (i = world_next_share(world, i)) < world_share_count(world); i++) {
        if (world_share_is_gone(world, (ShareId){i}))
            continue;
        ++*count;
        if (page->after_share.index != ID_NONE && i <= page->after_share.index)
            continue;
        if (list->count < page->limit) {
            json_add(list, share_json(arena, world_share(world, (ShareId){i})));
            last = i;
        } else {
            next = last;
        }
    }
    return next;
}

static void set_cost(const Control *control, Arena *arena, Json *body, StateCost clusters)
{
    const StateCost servers = file_server_cost(control), all = sum(clusters, servers);
    Json *cost = json_put_object(arena, body, "cost");
    json_put_usd(arena, cost, "total_usd", all.micro_usd);
    json_put_usd(arena, cost, "clusters_usd", clusters.micro_usd);
    json_put_usd(arena, cost, "file_servers_usd", servers.micro_usd);
    json_put_usd(arena, cost, "usd_per_hour", all.micro_usd_per_hour);
}

Json *state_overview(const Control *control, Arena *arena, const StatePage *page)
{
    const World *world = world_of(control);
    Json *body = json_object(arena), *totals = json_object(arena), *next = json_object(arena);
    json_put_integer(arena, body, "event", (int64_t)events_last(control->events));
    json_put_boolean(arena, body, "files_only", control->is_files_only);
    set_scenario(control, arena, body);
    json_set(arena, body, "clock", clock_api_show(control, arena));
    json_set(arena, body, "totals", totals);
    Json *clusters = json_array(arena);
    const ClusterRows all = add_clusters(control, arena, clusters, page);
    set_cost(control, arena, body, all.cost);
    json_set(arena, body, "clusters", clusters);
    const uint32_t next_job = add_jobs(control, arena, json_put_array(arena, body, "jobs"), page);
    int64_t shares = 0;
    const uint32_t next_share =
        add_shares(world, arena, json_put_array(arena, body, "shares"), page, &shares);
    json_put_integer(arena, totals, "clusters", all.count);
    json_put_integer(arena, totals, "shares", shares);
    set_node_counts(arena, totals, all.nodes);
    Json *jobs = json_put_object(arena, totals, "jobs");
    for (JobState state = JOB_QUEUED; state < JOB_STATE_COUNT; state++)
        json_put_integer(arena, jobs, job_state_name(state), tally_jobs(control->tally, state));
    json_set(arena, body, "next", next);
    set_next(arena, next, "clusters", all.next);
    set_next(arena, next, "jobs", next_job);
    set_next(arena, next, "shares", next_share);
    return body;
}

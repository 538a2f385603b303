#include "sim/cloud/world_check.h"

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/cluster_parts.h"
#include "sim/cloud/job/parts.h"

/* --- Nodes and clusters --- */

/* A node runs a job exactly when that job says so. */
static void check_node_job(const World *world, const Node *node)
{
    const Job *job = world_job(world, node->job);
    invariant(job->cluster.index == node->cluster.index);
    invariant(job_is_active(job));
    int32_t mentions = 0;
    for (int32_t n = 0; n < job->spec->nodes; n++)
        mentions += job->nodes[n].index == node->id.index;
    invariant(mentions == 1);
}

/* A node is held by one cluster until it is released, and broken where it says why. */
static void check_node(const World *world, const Node *node)
{
    invariant(node->allocated_ns <= world->now_ns);
    invariant(node->state_since_ns >= node->allocated_ns && node->state_since_ns <= world->now_ns);
    invariant((node->state == NODE_STATE_COUNT) == (node->released_ns != INT64_MAX));
    invariant((node->state == NODE_RUNNING) == (node->job.index != ID_NONE));
    invariant(!node->is_retiring || node->state == NODE_RUNNING);
    invariant(!node->is_withdrawn);
    invariant(!node->is_in_setup || node->state == NODE_PREPARING);
    invariant(!node->is_silent || (node->state != NODE_LEAVING && node->state != NODE_UNUSABLE &&
                                   node->state != NODE_STATE_COUNT));
    if (node->is_silent || node->state == NODE_UNUSABLE)
        invariant(node->failure != NULL && node->failed_ns <= world->now_ns);
    if (node->state == NODE_STATE_COUNT)
        return;
    const Cluster *cluster = world_cluster(world, node->cluster);
    invariant(node->place >= 0 && node->place < cluster->place_count);
    invariant(cluster->nodes[node->place].index == node->id.index);
    if (node->state == NODE_RUNNING)
        check_node_job(world, node);
}

/* Every place is in exactly one set: that of its node's state, or of the free places. */
static void check_places(const World *world, const Cluster *cluster)
{
    int32_t capacity = cluster->node_capacity;
    invariant(cluster->place_count >= 0 && cluster->place_count <= capacity);
    invariant(cluster->place_count == 0 ||
              cluster->nodes[cluster->place_count - 1].index != ID_NONE);
    for (int32_t place = 0; place < capacity; place++) {
        NodeId id = cluster->nodes[place];
        NodeState state = NODE_STATE_COUNT;
        invariant(id.index == ID_NONE || place < cluster->place_count);
        if (id.index != ID_NONE) {
            state = world_node(world, id)->state;
            invariant(state != NODE_STATE_COUNT && world_node(world, id)->place == place);
        }
        for (int32_t s = 0; s <= NODE_STATE_COUNT; s++)
            invariant(place_set_has(&cluster->places[s], place) == (s == (int32_t)state));
    }
}

/* The five counts are those of the nodes held, and add up to the current number of nodes. */
static void check_counts(const World *world, const Cluster *cluster)
{
    int32_t count[NODE_STATE_COUNT] = {0};
    int32_t retiring = 0, sum = 0;
    for (int32_t place = 0; place < cluster->place_count; place++) {
        if (cluster->nodes[place].index == ID_NONE)
            continue;
        const Node *node = world_node(world, cluster->nodes[place]);
        invariant(node->cluster.index == cluster->id.index);
        invariant(node->number > 0 && node->number < cluster->next_node_number);
        retiring += node->is_retiring;
        count[node->state]++;
    }
    for (int32_t s = 0; s < NODE_STATE_COUNT; s++) {
        invariant(count[s] == cluster->node_count[s]);
        invariant(count[s] == cluster->places[s].count);
        sum += count[s];
    }
    invariant(sum == cluster->current_nodes);
    invariant(retiring == cluster->retiring_nodes);
}

/* Steady is a cluster that has its target, or has said why not; all else is under way. */
static void check_allocation(const Cluster *cluster)
{
    bool is_steady = cluster->allocation == ALLOCATION_STEADY;
    invariant(cluster->asked_nodes >= 0 && cluster->asked_nodes <= cluster->missing_nodes);
    invariant(cluster->asked_nodes == 0 || cluster->is_growing);
    invariant(!cluster->is_growing || !is_steady);
    invariant(!cluster->is_growing || cluster->node_count[NODE_LEAVING] == 0);
    invariant(!cluster->is_short_of_cores || cluster->error_code != NULL);
    invariant((cluster->error_code != NULL) == (cluster->error_message != NULL));
    invariant(!is_steady || cluster->first_steady_ns != INT64_MAX);
    if (!is_steady)
        return;
    invariant(cluster->node_count[NODE_LEAVING] == 0);
    invariant(cluster->retiring_nodes == 0);
    invariant(cluster->current_nodes <= cluster->target_nodes);
    invariant(cluster->current_nodes == cluster->target_nodes || cluster->error_code != NULL);
}

static void check_cluster(const World *world, const Cluster *cluster)
{
    invariant(cluster->created_ns <= world->now_ns);
    invariant(cluster->target_nodes >= 0 &&
              cluster->target_nodes <= world_service(world)->nodes_per_cluster_max);
    invariant(cluster->current_nodes <= world_service(world)->nodes_per_cluster_max);
    // An evaluation that could change something is due.
    invariant(cluster->is_tick_due || !autoscale_could_act(world, cluster));
    switch (cluster->provisioning) {
    case PROVISIONING_CREATING:
    case PROVISIONING_SUCCEEDED:
    case PROVISIONING_FAILED:
        check_allocation(cluster);
        return;
    case PROVISIONING_DELETING:
        invariant(cluster->node_count[NODE_LEAVING] == cluster->current_nodes);
        invariant(cluster->asked_nodes == 0);
        return;
    case PROVISIONING_DELETED:
        invariant(cluster->current_nodes == 0);
        return;
    }
}

/* What jobs that are not over ask for is known to their cluster. */
static void check_demand(const World *world, const Cluster *cluster)
{
    int64_t demand = 0;
    for (uint32_t j = 0; j < world->jobs.count; j++) {
        const Job *job = world_job(world, (JobId){j});
        if (job->cluster.index == cluster->id.index && !job_is_completed(job))
            demand += job->spec->nodes;
    }
    invariant(cluster->demand_nodes == demand);
}

/* Nobody ever holds or asks for more cores than a quota has, or than were held when it became less.
 */
static void check_quotas(const World *world)
{
    for (int32_t q = 0; q < world->scenario->quota_count; q++) {
        const CoreQuota *quota = &world->quota_tops[q];
        invariant(world_vcpus_used(world, quota->family, false) <= quota->dedicated_vcpus);
        invariant(world_vcpus_used(world, quota->family, true) <= quota->low_priority_vcpus);
    }
}

/* --- Jobs --- */

/* What has a time has happened, in this order. */
static void check_times(const World *world, const Job *job)
{
    const JobAttempt *attempt = job->attempt;
    // A job that is terminated in the queue shows a start that is none.
    bool has_attempt = job->nodes != NULL;
    const int64_t times_ns[] = {job->created_ns,
                                job->started_ns,
                                has_attempt ? attempt->program_ns : INT64_MAX,
                                has_attempt ? attempt->training_ns : INT64_MAX,
                                has_attempt ? attempt->trained_ns : INT64_MAX,
                                has_attempt ? attempt->saved_ns : INT64_MAX};
    int64_t latest_ns = 0;
    for (size_t i = 0; i < sizeof times_ns / sizeof times_ns[0]; i++) {
        if (times_ns[i] == INT64_MAX)
            continue;
        invariant(times_ns[i] >= latest_ns);
        latest_ns = times_ns[i];
    }
    invariant(latest_ns <= world->now_ns);
    invariant(job_is_completed(job) == (job->ended_ns != INT64_MAX));
    if (job_is_completed(job))
        invariant(latest_ns <= job->ended_ns && job->ended_ns <= world->now_ns);
}

/* Stages of a node follow each other, and so many nodes are at work as have not come to the next
 * barrier: the program's start, or its training. */
static void check_stages(const World *world, const Job *job)
{
    const JobStage *stage = job->attempt->stage;
    JobStage barrier = job->attempt->program_ns == INT64_MAX ? STAGE_START : STAGE_COUNT;
    int32_t at_work = 0;
    for (int32_t n = 0; n < job->spec->nodes; n++) {
        int64_t before_ns = job->started_ns;
        invariant(stage[n] <= barrier);
        invariant(world_node(world, job->nodes[n])->job.index == job->id.index);
        at_work += stage[n] < barrier;
        for (int32_t s = 0; s < (int32_t)stage[n]; s++) {
            int64_t end_ns = job_stage_end_ns(job, n, (JobStage)s);
            invariant(end_ns >= before_ns && end_ns <= world->now_ns);
            before_ns = end_ns;
        }
    }
    // Past the last barrier nobody is at work on a stage any more.
    invariant(at_work == 0 || at_work == job->attempt->nodes_at_work);
}

/* Epochs follow each other from where the attempt began; what is kept was done, and outlives the
 * nodes. */
static void check_training(const Job *job)
{
    const Training *t = job->attempt->training;
    invariant((t != NULL) == job_trains(job));
    if (!t)
        return;
    invariant((t->plan.ranks > 0) == (job->attempt->training_ns != INT64_MAX));
    invariant(t->first_epoch >= 0 && t->first_epoch <= t->epoch && t->epoch <= t->plan.epochs);
    invariant(t->first_epoch == 0 || program_can_resume(job->spec->program));
    invariant(t->step >= 0 && t->step <= t->plan.steps_per_epoch);
    if (t->plan.ranks == 0)
        return;
    for (int64_t e = t->first_epoch + 1; e < t->epoch; e++)
        invariant(job_epoch_times(job, e).begin_ns == job_epoch_times(job, e - 1).checkpointed_ns);
    if (t->progress) {
        invariant(job->epochs_kept <= t->epoch);
        invariant(node_time_sum(t->progress->kept) <= node_time_sum(t->progress->done));
    }
}

/* A job has nodes from its start until it waits again, and keeps the list when it is over. */
static void check_attempt(const World *world, const Job *job)
{
    bool is_active = job_is_active(job);
    invariant((job->attempt != NULL) == (job->starts > 0));
    invariant(!job->nodes || job->starts > 0);
    invariant(!is_active || job->nodes);
    invariant(job->state != JOB_QUEUED || !job->nodes);
    const Program *program = job->spec->program;
    invariant(job->epochs_kept == 0 ||
              program_can_resume(program->training ? program->training : program));
    if (!job->attempt)
        return;
    check_training(job);
    if (is_active)
        check_stages(world, job);
    if (job_is_stalled(job))
        invariant(job->transfers == 0 && job->attempt->stalled_ns >= job->started_ns);
}

static void check_job(const World *world, const Job *job)
{
    check_times(world, job);
    check_attempt(world, job);
    invariant(job->state != JOB_SUCCEEDED || job->exit_code == 0);
    invariant((job->state == JOB_FAILED) == (job->error_code != NULL));
    invariant((job->state == JOB_TERMINATING) <= (job->stop_cause != CAUSE_NONE));
    invariant(job->provisioning < PROVISIONING_DELETING || job_is_completed(job) ||
              job->state == JOB_TERMINATING);
    invariant(job->provisioning != PROVISIONING_DELETED || job_is_completed(job));
    invariant(!job->is_waiting || job->state == JOB_QUEUED);
    invariant(job->transfers == 0 || job_is_active(job));
}

/* --- Transfers --- */

/* The list of a job's transfers has those of that job, each once. */
static void check_list(const World *world, const Job *job)
{
    int32_t count = 0;
    uint32_t before = ID_NONE;
    uint32_t row = job->transfer_row == 0 ? ID_NONE : job->transfer_row - 1;
    while (row != ID_NONE) {
        const Transfer *transfer = row_table_at(&world->transfers, row);
        invariant(transfer->job.index == job->id.index);
        invariant(transfer->previous_of_job == before);
        before = row;
        row = transfer->next_of_job;
        count++;
    }
    invariant(count == job->transfers);
}

/* Every transfer that has joined is active on its share, and nothing else is; each job knows its
 * own. */
static void check_transfers(const World *world)
{
    int32_t active = 0, of_jobs = 0, joined = 0, used = 0;
    uint32_t free_rows = 0;
    for (uint32_t s = 0; s < world->shares.count; s++)
        active += share_active(world_share(world, (ShareId){s}));
    for (uint32_t j = 0; j < world->jobs.count; j++) {
        check_list(world, world_job(world, (JobId){j}));
        of_jobs += world_job(world, (JobId){j})->transfers;
    }
    for (uint32_t t = 0; t < world->transfers.count; t++) {
        const Transfer *transfer = row_table_at(&world->transfers, t);
        bool is_used = transfer->job.index != ID_NONE;
        used += is_used;
        joined += is_used && transfer->has_joined;
        invariant(!is_used || world_job(world, transfer->job)->transfers > 0);
    }
    for (uint32_t t = world->first_free_transfer; t != ID_NONE; free_rows++) {
        const Transfer *transfer = row_table_at(&world->transfers, t);
        t = transfer->next_free;
    }
    invariant(active == joined);
    invariant(of_jobs == used);
    invariant(free_rows + (uint32_t)used == world->transfers.count);
}

/* --- Conditions --- */

/* Those that are looked at wait, each once, in the order of the list. */
static void check_conditions(const World *world)
{
    for (int32_t i = 0; i < world->awaited_condition_count; i++) {
        int32_t command = world->awaited_conditions[i];
        invariant(i == 0 || command > world->awaited_conditions[i - 1]);
        invariant(world->scenario->commands[command].trigger.moment == MOMENT_CONDITION);
        invariant(world->progress[command].is_waiting && !world->progress[command].is_applied);
    }
}

void world_check(const World *world)
{
    int32_t living = 0, queued = 0, waiting = 0;
    for (uint32_t n = 0; n < world->nodes.count; n++)
        check_node(world, world_node(world, (NodeId){n}));
    for (uint32_t c = 0; c < world->clusters.count; c++) {
        const Cluster *cluster = world_cluster(world, (ClusterId){c});
        check_counts(world, cluster);
        check_places(world, cluster);
        check_cluster(world, cluster);
        check_demand(world, cluster);
        scheduler_check(world, cluster);
        living += cluster->provisioning != PROVISIONING_DELETED;
        queued += cluster->queue.length;
    }
    for (uint32_t j = 0; j < world->jobs.count; j++) {
        const Job *job = world_job(world, (JobId){j});
        check_job(world, job);
        waiting += job->is_waiting;
    }
    invariant(living == world->living_clusters);
    invariant(waiting == queued);
    check_transfers(world);
    check_conditions(world);
    check_quotas(world);
    file_servers_check(world);
    resources_check(world);
    network_check(world);
    // Nothing that is still to happen lies in the past.
    invariant(world_next_event_ns(world) >= world->now_ns);
}

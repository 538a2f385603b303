#include "sim/core/world_check.h"

#include "sim/base/invariant.h"
#include "sim/core/job_parts.h"

/* --- Nodes and clusters --- */

/* A node is held by one cluster until it is released, and runs a job exactly when that job says so.
 */
static void check_node(const World *world, const Node *node)
{
    invariant(node->allocated_ns <= world->now_ns);
    invariant(node->state_since_ns >= node->allocated_ns && node->state_since_ns <= world->now_ns);
    invariant((node->state == NODE_STATE_COUNT) == (node->released_ns != INT64_MAX));
    invariant((node->state == NODE_RUNNING) == (node->job.index != ID_NONE));
    invariant(!node->is_retiring || node->state == NODE_RUNNING);
    if (node->state == NODE_STATE_COUNT)
        return;
    const Cluster *cluster = world_cluster(world, node->cluster);
    invariant(node->place >= 0 && node->place < cluster->current_nodes);
    invariant(cluster->nodes[node->place].index == node->id.index);
    if (node->state != NODE_RUNNING)
        return;
    const Job *job = world_job(world, node->job);
    invariant(job->cluster.index == node->cluster.index);
    invariant(job_is_active(job));
    int32_t mentions = 0;
    for (int32_t n = 0; n < job->spec->nodes; n++)
        mentions += job->nodes[n].index == node->id.index;
    invariant(mentions == 1);
}

static bool has_idle_bit(const Cluster *cluster, int32_t place)
{
    return cluster->idle_places[place / PLACES_PER_WORD] >> place % PLACES_PER_WORD & 1;
}

/* The five counts are those of the nodes held, and add up to the current number of nodes. */
static void check_counts(const World *world, const Cluster *cluster)
{
    int32_t count[NODE_STATE_COUNT] = {0};
    int32_t previous_number = 0, retiring = 0, sum = 0;
    for (int32_t i = 0; i < cluster->current_nodes; i++) {
        const Node *node = world_node(world, cluster->nodes[i]);
        invariant(node->cluster.index == cluster->id.index);
        invariant(node->state != NODE_STATE_COUNT);
        invariant(node->number > previous_number && node->number < cluster->next_node_number);
        invariant(has_idle_bit(cluster, i) == (node->state == NODE_IDLE));
        previous_number = node->number;
        retiring += node->is_retiring;
        count[node->state]++;
    }
    for (int32_t i = cluster->current_nodes; i < cluster->node_capacity; i++)
        invariant(!has_idle_bit(cluster, i));
    for (int32_t s = 0; s < NODE_STATE_COUNT; s++) {
        invariant(count[s] == cluster->node_count[s]);
        sum += count[s];
    }
    invariant(sum == cluster->current_nodes);
    invariant(retiring == cluster->retiring_nodes);
}

static void check_cluster(const World *world, const Cluster *cluster)
{
    invariant(cluster->created_ns <= world->now_ns);
    invariant(cluster->target_nodes >= 0 &&
              cluster->target_nodes <= world_service(world)->nodes_per_cluster_max);
    invariant(cluster->current_nodes <= world_service(world)->nodes_per_cluster_max);
    switch (cluster->provisioning) {
    case PROVISIONING_CREATING:
    case PROVISIONING_SUCCEEDED:
    case PROVISIONING_FAILED:
        if (cluster->allocation == ALLOCATION_STEADY) {
            invariant(cluster->node_count[NODE_LEAVING] == 0);
            invariant(cluster->retiring_nodes == 0);
            invariant(cluster->current_nodes == cluster->target_nodes);
        }
        return;
    case PROVISIONING_DELETING:
        invariant(cluster->node_count[NODE_LEAVING] == cluster->current_nodes);
        return;
    case PROVISIONING_DELETED:
        invariant(cluster->current_nodes == 0);
        return;
    }
}

/* --- Jobs --- */

/* The queue holds the jobs that wait, each once, in order of submission within a priority; when its
 * head could start, a pass is under way that starts it. */
static void check_queue(const World *world, const Cluster *cluster)
{
    int32_t length = 0;
    for (int32_t p = 0; p < PRIORITY_COUNT; p++) {
        JobId before = {ID_NONE};
        for (JobId id = cluster->queue.first[p]; id.index != ID_NONE;) {
            const Job *job = world_job(world, id);
            invariant(job->is_waiting);
            invariant(job->cluster.index == cluster->id.index && (int32_t)job->spec->priority == p);
            invariant(job->queue_previous.index == before.index);
            invariant(before.index == ID_NONE || before.index < id.index);
            before = id;
            id = job->queue_next;
            length++;
        }
        invariant(cluster->queue.last[p].index == before.index);
    }
    invariant(length == cluster->queue.length);
    const Job *head = job_queue_head(world, cluster);
    if (head != NULL && cluster->provisioning < PROVISIONING_DELETING)
        invariant(head->spec->nodes > cluster->node_count[NODE_IDLE] || cluster->is_pass_due);
}

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
    invariant((job->attempt != NULL) == (job->starts > 0));
    invariant(!job->nodes || job->starts > 0);
    invariant(!job_is_active(job) || job->nodes);
    invariant(job->state != JOB_QUEUED || !job->nodes);
    invariant(job->epochs_kept == 0 || program_can_resume(job->spec->program));
    if (!job->attempt)
        return;
    check_training(job);
    if (job_is_active(job))
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

/* Every transfer that has joined is active on its share, and nothing else is; each job knows how
 * many are its own. */
static void check_transfers(const World *world)
{
    int32_t active = 0, of_jobs = 0, joined = 0, used = 0;
    uint32_t free_rows = 0;
    for (uint32_t s = 0; s < world->shares.count; s++)
        active += share_active(world_share(world, (ShareId){s}));
    for (uint32_t j = 0; j < world->jobs.count; j++)
        of_jobs += world_job(world, (JobId){j})->transfers;
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

void world_check(const World *world)
{
    int32_t living = 0, queued = 0, waiting = 0;
    for (uint32_t n = 0; n < world->nodes.count; n++)
        check_node(world, world_node(world, (NodeId){n}));
    for (uint32_t c = 0; c < world->clusters.count; c++) {
        const Cluster *cluster = world_cluster(world, (ClusterId){c});
        check_counts(world, cluster);
        check_cluster(world, cluster);
        check_queue(world, cluster);
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
    file_servers_check(world);
    // Nothing that is still to happen lies in the past.
    invariant(world_next_event_ns(world) >= world->now_ns);
}

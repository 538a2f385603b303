#include "sim/core/world_check.h"

#include "sim/base/invariant.h"
#include "sim/core/world_parts.h"

/* A node belongs to one cluster, and runs a job exactly when that job says so. */
static void check_node(const World *world, const Node *node)
{
    invariant(node->allocated_ns <= world->now_ns);
    invariant(node->state_since_ns >= node->allocated_ns && node->state_since_ns <= world->now_ns);
    invariant((node->state == NODE_STATE_COUNT) == (node->released_ns != INT64_MAX));
    invariant((node->state == NODE_RUNNING) == (node->job.index != ID_NONE));
    invariant(!node->is_retiring || node->state == NODE_RUNNING);
    if (node->state != NODE_RUNNING)
        return;
    const Job *job = world_job(world, node->job);
    invariant(job->cluster.index == node->cluster.index);
    invariant(job->state == JOB_RUNNING || job->state == JOB_TERMINATING);
    int32_t mentions = 0;
    for (int32_t n = 0; n < job->spec->nodes; n++)
        mentions += job->nodes[n].index == node->id.index;
    invariant(mentions == 1);
}

/* The five counts are those of the nodes held, and add up to the current number of nodes. */
static void check_cluster(const World *world, const Cluster *cluster)
{
    int32_t count[NODE_STATE_COUNT] = {0};
    int32_t previous_number = 0;
    for (int32_t i = 0; i < cluster->current_nodes; i++) {
        const Node *node = world_node(world, cluster->nodes[i]);
        invariant(node->cluster.index == cluster->id.index);
        invariant(node->state != NODE_STATE_COUNT);
        invariant(node->number > previous_number && node->number < cluster->next_node_number);
        previous_number = node->number;
        count[node->state]++;
    }
    int32_t sum = 0;
    for (int32_t s = 0; s < NODE_STATE_COUNT; s++) {
        invariant(count[s] == cluster->node_count[s]);
        sum += count[s];
    }
    invariant(sum == cluster->current_nodes);
    invariant(cluster->current_nodes <= world->scenario->service.nodes_per_cluster_max ||
              cluster->node_count[NODE_LEAVING] > 0);
    if (cluster->allocation == ALLOCATION_STEADY && cluster->provisioning < PROVISIONING_DELETING)
        invariant(cluster->node_count[NODE_LEAVING] == 0);
    invariant(cluster->provisioning != PROVISIONING_DELETED || cluster->current_nodes == 0);
}

/* The queue holds the jobs that wait, each once, in order of submission within a priority. */
static void check_queue(const World *world, const Cluster *cluster)
{
    int32_t length = 0;
    for (int32_t p = 0; p < PRIORITY_COUNT; p++) {
        JobId before = {ID_NONE};
        for (JobId id = cluster->queue.first[p]; id.index != ID_NONE;) {
            const Job *job = world_job(world, id);
            invariant(job->state == JOB_QUEUED && job->is_waiting);
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
}

static void check_job(const World *world, const Job *job)
{
    bool is_completed = job->state == JOB_SUCCEEDED || job->state == JOB_FAILED;
    invariant(is_completed == (job->ended_ns != INT64_MAX));
    invariant(job->created_ns <= world->now_ns);
    if (job->started_ns != INT64_MAX)
        invariant(job->created_ns <= job->started_ns && job->started_ns <= world->now_ns);
    if (is_completed)
        invariant(job->started_ns <= job->ended_ns && job->ended_ns <= world->now_ns);
    invariant(job->state != JOB_SUCCEEDED || job->exit_code == 0);
    invariant(job->state != JOB_FAILED || job->error_code != NULL);
    invariant(!job->is_waiting || job->state == JOB_QUEUED);
    if (job->state == JOB_RUNNING || job->state == JOB_TERMINATING)
        for (int32_t n = 0; n < job->spec->nodes; n++)
            invariant(world_node(world, job->nodes[n])->job.index == job->id.index);
    if (job->training.plan.ranks == 0)
        return;
    const Training *t = &job->training;
    invariant(t->epoch >= 0 && t->epoch <= t->plan.epochs);
    invariant(t->step >= 0 && t->step <= t->plan.steps_per_epoch);
}

/* Every transfer that has joined is active on its share, and nothing else is. */
static void check_shares(const World *world)
{
    int32_t active = 0, joined = 0;
    for (uint32_t s = 0; s < world->shares.count; s++)
        active += share_active(world_share(world, (ShareId){s}));
    for (uint32_t t = 0; t < world->transfers.count; t++) {
        const Transfer *transfer = world->transfers.rows[t];
        if (transfer->job.index == ID_NONE)
            continue;
        joined += transfer->has_joined;
        invariant(world_job(world, transfer->job)->state == JOB_RUNNING ||
                  world_job(world, transfer->job)->state == JOB_TERMINATING);
    }
    invariant(active == joined);
}

void world_check(const World *world)
{
    for (uint32_t n = 0; n < world->nodes.count; n++)
        check_node(world, world_node(world, (NodeId){n}));
    for (uint32_t c = 0; c < world->clusters.count; c++) {
        check_cluster(world, world_cluster(world, (ClusterId){c}));
        check_queue(world, world_cluster(world, (ClusterId){c}));
    }
    for (uint32_t j = 0; j < world->jobs.count; j++)
        check_job(world, world_job(world, (JobId){j}));
    check_shares(world);
}

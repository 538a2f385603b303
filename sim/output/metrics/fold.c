#include "sim/output/metrics/fold.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/cloud/job/attempt.h"

/* The records of a world have the names in the table themselves, so a comparison of texts is rare.
 */
int fold_name_index(const char *const *names, int count, const char *name)
{
    int i = 0;
    while (i < count && names[i] != name)
        i++;
    if (i < count || name == NULL)
        return i;
    for (i = 0; i < count && strcmp(names[i], name) != 0;)
        i++;
    return i;
}

void fold_make_clusters(MetricsFold *fold, uint32_t id)
{
    RunMetrics *run = &fold->run;
    for (; run->cluster_count <= id; run->cluster_count++) {
        run->clusters = array_room(fold->arena, run->clusters, run->cluster_count + 1,
                                   &fold->cluster_capacity, sizeof *run->clusters);
        run->clusters[run->cluster_count] = (ClusterMetrics){.created_ns = METRIC_NEVER,
                                                             .steady_ns = METRIC_NEVER,
                                                             .ready_ns = METRIC_NEVER,
                                                             .deleted_ns = METRIC_NEVER};
    }
}

void fold_make_job(MetricsFold *fold)
{
    RunMetrics *run = &fold->run;
    const uint32_t id = run->job_count++;
    if (id % JOBS_A_PIECE == 0) {
        run->job_pieces = array_room(fold->arena, run->job_pieces, id / JOBS_A_PIECE + 1,
                                     &fold->piece_capacity, sizeof *run->job_pieces);
        run->job_pieces[id / JOBS_A_PIECE] = ARENA_ARRAY(fold->arena, JobMetrics, JOBS_A_PIECE);
    }
    JobMetrics *job = job_at(fold, id);
    *job = (JobMetrics){.submitted_ns = METRIC_NEVER,
                        .queued_since_ns = METRIC_NEVER,
                        .exit_code = -1,
                        .state = JOB_STATE_COUNT,
                        .cluster = {ID_NONE}};
    fold_job_forget_attempt(job);
}

void fold_job_is_on(MetricsFold *fold, JobMetrics *job, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const uint32_t cluster = row->record.cluster.index;
    job->cluster = row->record.cluster;
    if (cluster == ID_NONE)
        return;
    run->job_clusters = array_room(fold->arena, run->job_clusters, cluster + 1,
                                   &fold->job_cluster_capacity, sizeof *run->job_clusters);
    run->job_clusters[cluster] = row->cluster;
}

void fold_make_nodes(MetricsFold *fold, uint32_t id)
{
    for (; fold->node_count <= id; fold->node_count++) {
        fold->nodes = array_room(fold->arena, fold->nodes, fold->node_count + 1,
                                 &fold->node_capacity, sizeof *fold->nodes);
        fold->nodes[fold->node_count] = (NodeTrack){.state = NODE_STATE_COUNT, .job = ID_NONE};
    }
}

static void command_refused(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const uint32_t index = run->refused_count++;
    run->refused = array_room(fold->arena, run->refused, run->refused_count,
                              &fold->refused_capacity, sizeof *run->refused);
    run->refused[index] = (RefusedCommand){.at_ns = row->record.at_ns,
                                           .is_refusal = row->record.kind == TRACE_COMMAND_REFUSED,
                                           .what = row->record.name};
}

static void run_ended(MetricsFold *fold, const TraceRow *row)
{
    fold_nodes_end(fold, row->record.at_ns);
    fold_jobs_end(fold, row->record.at_ns);
    fold_files_end(fold, row->record.at_ns);
    fold->run.is_ended = true;
    fold->run.given_up = row->record.name;
    fold->run.events = row->record.run_ended.events;
    fold->run.draws = row->record.run_ended.draws;
}

/* The function for records of each kind; NULL: they change nothing. */
static void (*const folds[])(MetricsFold *fold, const TraceRow *row) = {
    [TRACE_COMMAND_APPLIED] = NULL,
    [TRACE_COMMAND_SKIPPED] = command_refused,
    [TRACE_COMMAND_REFUSED] = command_refused,
    [TRACE_RESOURCE_CREATED] = NULL,
    [TRACE_RESOURCE_DELETED] = fold_resource_deleted,
    [TRACE_CLUSTER_PROVISIONING] = fold_cluster_provisioning,
    [TRACE_CLUSTER_SCALING] = NULL,
    [TRACE_CLUSTER_ERROR] = fold_error,
    [TRACE_CLUSTER_ALLOCATION] = fold_cluster_allocation,
    [TRACE_CLUSTER_READY] = fold_cluster_ready,
    [TRACE_CLUSTER_SHOWN] = NULL,
    [TRACE_NODE_STATE] = fold_node_state,
    [TRACE_NODE_ERROR] = fold_error,
    [TRACE_NODE_NOTICE] = NULL,
    [TRACE_NODE_SPEED] = NULL,
    [TRACE_GROUP_STRUCK] = NULL,
    [TRACE_NODE_BILLED] = fold_node_billed,
    [TRACE_JOB_PROVISIONING] = fold_job_provisioning,
    [TRACE_JOB_STATE] = fold_job_state,
    [TRACE_JOB_ATTEMPT] = fold_job_attempt,
    [TRACE_JOB_STALLED] = NULL,
    [TRACE_JOB_RESUMED] = NULL,
    [TRACE_JOB_ERROR] = fold_job_error,
    [TRACE_JOB_STAGE] = fold_job_stage,
    [TRACE_JOB_TRAINING] = fold_job_training,
    [TRACE_JOB_TRAINED] = fold_job_trained,
    [TRACE_EPOCH] = fold_epoch,
    [TRACE_EVALUATION] = NULL,
    [TRACE_CHECKPOINT] = NULL,
    [TRACE_CHECKPOINT_WITHIN] = NULL,
    [TRACE_STEP] = fold_step,
    [TRACE_TRANSFER] = NULL,
    [TRACE_LINK_FULL] = NULL,
    [TRACE_FILE_WRITTEN] = fold_file_written,
    [TRACE_FILE_DELETED] = fold_file_deleted,
    [TRACE_SHARE_STATE] = NULL,
    [TRACE_FILE_SERVER_PROVISIONING] = NULL,
    [TRACE_FILE_SERVER_BILLED] = fold_file_server_billed,
    [TRACE_USAGES_SHOWN] = NULL,
    [TRACE_JOB_SHOWN] = NULL,
    [TRACE_JOB_FILES_SHOWN] = NULL,
    [TRACE_RUN_ENDED] = run_ended,
    [TRACE_JOB_PLACED] = fold_job_placed,
    [TRACE_NODE_REPAIR] = NULL,
    [TRACE_NODE_DRAINED] = NULL,
    [TRACE_NODE_RESUMED] = NULL,
    [TRACE_JOB_WAITS] = fold_job_waits,
    [TRACE_QUEUE_RECLAIMS] = fold_queue_reclaims,
    [TRACE_JOB_RECLAIMED] = fold_job_reclaimed,
    [TRACE_JOB_NOTICE] = fold_job_notice,
    [TRACE_QUEUE_CHANGED] = NULL,
    [TRACE_CLUSTER_MAINTENANCE] = NULL,
    [TRACE_JOB_DEFERRED] = fold_job_deferred,
    [TRACE_NODE_KIND] = fold_node_kind,
    [TRACE_JOB_SAVED] = fold_job_saved,
    [TRACE_JOB_RESUMED_WITHIN] = NULL,
    [TRACE_JOB_WORK_SAVED] = fold_job_saved,
    [TRACE_JOB_WORK_RESUMED] = NULL,
};
_Static_assert(sizeof folds / sizeof folds[0] == TRACE_KIND_COUNT, "every kind");

static void fold_row(void *listener, const TraceRow *row)
{
    MetricsFold *fold = listener;
    fold->run.ended_ns = row->record.at_ns;
    if (folds[row->record.kind] != NULL)
        folds[row->record.kind](fold, row);
}

MetricsFold *metrics_fold_create(Arena *arena)
{
    MetricsFold *fold = ARENA_NEW(arena, MetricsFold);
    fold->arena = arena;
    for (int state = 0; state <= NODE_STATE_COUNT; state++)
        fold->node_states[state] = node_state_name((NodeState)state);
    for (int state = 0; state < JOB_STATE_COUNT; state++)
        fold->job_states[state] = job_state_name((JobState)state);
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        fold->job_stages[stage] = job_stage_name((JobStage)stage);
    for (int shortage = 0; shortage < SHORTAGE_COUNT; shortage++)
        fold->shortages[shortage] = shortage_name((Shortage)shortage);
    fold->file_index = name_table_create(arena);
    fold->error_index = name_table_create(arena);
    return fold;
}

void metrics_fold_measure(MetricsFold *fold, const Scenario *scenario)
{
    const MeasureWindow window = scenario->measure;
    fold->run.is_measured = window.from_ns > 0 || window.until_ns > 0;
    fold->run.measure = window;
    fold->cycle_hours = scenario->energy.cycle_hours;
    fold->start_unix_ms = scenario->start_unix_ms;
}

TraceListener metrics_fold_listener(MetricsFold *fold, TraceLevel level)
{
    return (TraceListener){
        .listener = fold, .level = level, .row = fold_row, .ignores_workload_names = true};
}

const RunMetrics *metrics_fold_result(const MetricsFold *fold)
{
    return &fold->run;
}

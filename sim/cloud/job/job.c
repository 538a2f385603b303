#include "sim/cloud/job/job.h"

#include "sim/base/invariant.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/job/demand.h"
#include "sim/cloud/job/job_name.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/job/notice.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/job/work.h"
#include "sim/engine/rng.h"
#include "sim/model/bounded.h"

Jobs *job_tables_create(Arena *run, Engine *engine, TraceRecorder *recorder,
                        const Scenario *scenario, Names *names, Resources *resources,
                        Subjects *subjects, Storage *storage, Clusters *clusters)
{
    Jobs *jobs = ARENA_NEW(run, Jobs);
    *jobs = (Jobs){.arena = run,
                   .engine = engine,
                   .recorder = recorder,
                   .scenario = scenario,
                   .policy = scenario->policy,
                   .names = names,
                   .resources = resources,
                   .subjects = subjects,
                   .storage = storage,
                   .clusters = clusters};
    return jobs;
}

uint32_t job_count(const Jobs *jobs)
{
    return jobs->rows.count;
}

uint32_t job_next(const Jobs *jobs, uint32_t job)
{
    return row_table_next(&jobs->rows, job);
}

void job_forget(Jobs *jobs, JobId job)
{
    invariant(job_by_id(jobs, job)->provisioning == PROVISIONING_DELETED);
    row_table_clear(&jobs->rows, job.index);
}

const Job *job_by_id(const Jobs *jobs, JobId job)
{
    return row_table_at(&jobs->rows, job.index);
}

Job *job_row(Jobs *jobs, JobId job)
{
    return row_table_at(&jobs->rows, job.index);
}

Job *job_find(Jobs *jobs, ResourcePath path)
{
    uint32_t row;
    return names_row(jobs->names, COMMAND_JOB_CREATE, path, &row) ? job_row(jobs, (JobId){row})
                                                                  : workload_find_job(jobs, path);
}

void jobs_forget_ended(Jobs *jobs)
{
    jobs->forgets_ended = true;
}

ListedRow job_forgotten(const Jobs *jobs, JobId job)
{
    invariant(job_by_id(jobs, job) == NULL);
    return jobs->forgotten[job.index];
}

TraceRecord *job_trace(const Jobs *jobs, TraceKind kind, const Job *job)
{
    TraceRecord *record = recorder_begin(jobs->recorder, kind);
    record->cluster = job->cluster;
    record->job = job->id;
    return record;
}

void job_push(Jobs *jobs, const Job *job, int64_t delay_ns, EventKind kind, uint32_t detail)
{
    engine_push(jobs->engine, delay_ns, kind, job->id.index, job->generation, detail);
}

void job_moment(const Jobs *jobs, const Job *job, Moment moment, int64_t ordinal)
{
    if (!recorder_awaits(jobs->recorder, moment))
        return; // the usual case
    recorder_moment(jobs->recorder, moment, job_path(jobs->scenario, job, jobs->arena).name,
                    job->id.index, ordinal);
}

int64_t job_next_awaited(const Jobs *jobs, const Job *job, Moment moment, int64_t from)
{
    return recorder_awaits(jobs->recorder, moment)
               ? recorder_next_awaited(jobs->recorder, moment,
                                       job_path(jobs->scenario, job, jobs->arena).name, from)
               : INT64_MAX;
}

const char *job_state_name(JobState state)
{
    static const char *const names[] = {"queued", "running", "terminating", "succeeded", "failed"};
    _Static_assert(sizeof names / sizeof names[0] == JOB_STATE_COUNT, "one name per state");
    return names[state];
}

Cluster *job_cluster(Jobs *jobs, const Job *job)
{
    return cluster_row(jobs->clusters, job->cluster);
}

bool job_is_active(const Job *job)
{
    return job->state == JOB_RUNNING || job->state == JOB_TERMINATING;
}

bool job_is_completed(const Job *job)
{
    return job->state == JOB_SUCCEEDED || job->state == JOB_FAILED;
}

bool job_is_stalled(const Job *job)
{
    return job_is_active(job) && job->attempt->stalled_ns != INT64_MAX;
}

/* --- States --- */

static void set_provisioning(Jobs *jobs, Job *job, ProvisioningState state)
{
    job->provisioning = state;
    job_trace(jobs, TRACE_JOB_PROVISIONING, job);
    recorder_emit_change(jobs->recorder, provisioning_state_name(state),
                         &job->provisioning_since_ns);
}

static TraceRecord *record_with_reason(const Jobs *jobs, TraceKind kind, const Job *job,
                                       JobReason reason)
{
    TraceRecord *record = job_trace(jobs, kind, job);
    record->cause = reason.cause;
    if (reason.node)
        record->node = reason.node->id;
    return record;
}

void job_set_state(Jobs *jobs, Job *job, JobState state, JobReason reason)
{
    TraceRecord *record = record_with_reason(jobs, TRACE_JOB_STATE, job, reason);
    record->job_state.exit_code = job->exit_code;
    job->state = state;
    recorder_emit_change(jobs->recorder, job_state_name(state), &job->state_since_ns);
}

/* --- Ends --- */

static void complete(Jobs *jobs, Job *job, JobState state, JobReason reason)
{
    const bool is_listed = job_list_of(jobs->scenario, job) != NULL;
    const bool is_demanded = demand_lasts(jobs, job) || job->state == JOB_QUEUED;
    job->ended_ns = jobs->engine->now_ns;
    job_set_state(jobs, job, state, reason);
    if (is_demanded)
        demand_ends(jobs, job);
    job_moment(jobs, job, MOMENT_JOB_COMPLETED, 0);
    if (is_listed)
        listed_ended(jobs, job);
}

static void fail(Jobs *jobs, Job *job, JobError error, int32_t exit_code, JobReason reason)
{
    job->exit_code = exit_code;
    job->error_code = error.code;
    job->error_message = error.message;
    if (recorder_takes(jobs->recorder, TRACE_JOB_ERROR)) {
        TraceRecord *record = record_with_reason(jobs, TRACE_JOB_ERROR, job, reason);
        record->name = arena_printf(jobs->arena, "%s: %s", error.code, error.message);
        recorder_emit(jobs->recorder);
    }
    complete(jobs, job, JOB_FAILED, reason);
}

// The message is the service's (batchai-service notes, "Error catalogue").
const JobError job_error_terminated = {"JobTerminated",
                                       "The specified job has been terminated by the user"};

void job_fail_attempt(Jobs *jobs, Job *job, AttemptEnd end, JobError error, int32_t exit_code,
                      JobReason reason)
{
    if (job->state == JOB_TERMINATING) {
        end = ATTEMPT_STOPPED;
        error = job_error_terminated;
        exit_code = -1;
        reason.cause = job->stop_cause;
    }
    attempt_end(jobs, job, end, reason);
    fail(jobs, job, error, exit_code, reason);
}

void job_succeed(Jobs *jobs, Job *job)
{
    JobReason reason = {.cause = CAUSE_EXIT};
    attempt_end(jobs, job, ATTEMPT_COMPLETED, reason);
    job->exit_code = 0;
    complete(jobs, job, JOB_SUCCEEDED, reason);
}

/* --- Creation --- */

static JobRequest request_of(const JobSpec *spec, const Cluster *cluster)
{
    JobRequest request = job_spec_request(spec, cluster_gpus_per_node(cluster));
    const KindSet all = cluster_spec_all_kinds(cluster->spec);
    request.kinds = (spec->kinds != 0 ? spec->kinds & all : all) & KIND_SET_ALL;
    return request;
}

/* Keeps the kinds of nodes on which the job can train. Returns false if it can train on no kind. */
static bool keep_kinds_to_train(const JobSpec *spec, const Cluster *cluster, JobRequest *request,
                                Place at, Status *status)
{
    KindSet kinds = 0;
    if (cluster->kind_count == 1)
        return training_check(spec, cluster->kinds[0].spec.vm_size, at, status);
    Status problem = {0}; // in the end that of the first kind
    for (int32_t k = cluster->kind_count - 1; k >= 0; k--)
        if (request_allows(*request, k) &&
            training_check(spec, cluster->kinds[k].spec.vm_size, at, &problem))
            kinds |= kind_set_of(k);
    if (kinds == 0) {
        *status = problem;
        return false;
    }
    request->kinds = kinds & KIND_SET_ALL;
    return true;
}

JobRequest job_asked(const Jobs *jobs, const Job *job)
{
    const Cluster *cluster = cluster_by_id(jobs->clusters, job->cluster);
    if (cluster->kind_count == 1)
        return job->request;
    if (job_list_of(jobs->scenario, job) != NULL)
        return listed_request(jobs, (uint32_t)job->workload, job->row, cluster);
    Status ignored = {0};
    JobRequest request = request_of(job->spec, cluster);
    (void)keep_kinds_to_train(job->spec, cluster, &request, (Place){0}, &ignored);
    return request;
}

/* The command's name of a job of a workload is valid during the command only. */
static void set_name(Jobs *jobs, Job *job, const char *key)
{
    if (job->workload < 0) {
        names_set(jobs->names, key, job->id.index);
        return;
    }
    job->path.name = NULL;
    if (!jobs->forgets_ended)
        job_make_name(jobs, job);
}

static Job *new_job(Jobs *jobs, const Command *command, JobPlace place, JobRequest request)
{
    const Cluster *cluster = place.cluster;
    const char *key = place.key;
    Job *job = ARENA_NEW(jobs->arena, Job);
    *job = (Job){.id = {row_table_add(jobs->arena, &jobs->rows, job)},
                 .cluster = cluster->id,
                 .path = command->path,
                 .spec = command->as.job_create.spec,
                 .request = request,
                 .address = names_new_address(jobs->names, key),
                 .provisioning_since_ns = jobs->engine->now_ns,
                 .state_since_ns = jobs->engine->now_ns,
                 .created_ns = jobs->engine->now_ns,
                 .recorded_ns = INT64_MAX,
                 .started_ns = INT64_MAX,
                 .ended_ns = INT64_MAX,
                 .exit_code = -1,
                 .experiment = ID_NONE,
                 .queue = cluster_spec_queue(cluster->spec, command->as.job_create.spec->queue),
                 .workload = command->as.job_create.workload_number - 1,
                 .row = (int32_t)place.row};
    set_name(jobs, job, key);
    if (place.experiment != ID_NONE)
        container_counts_jobs(jobs->resources, place.experiment, 1);
    else
        container_gains(jobs->resources, COMMAND_JOB_CREATE, job->path);
    return job;
}

/* A new job becomes eligible after a drawn time, not before it is recorded, and not before earlier
 * jobs of the cluster. */
static int64_t eligible_at_ns(Jobs *jobs, const Job *job, int64_t record_ns)
{
    ClusterQueues *queues = scheduler_queues(jobs, job->cluster);
    int64_t latency_ns = engine_draw(jobs->engine, jobs->scenario->service.job_start_ns,
                                     RNG_JOB_START, job->address, 0);
    int64_t seen_ns =
        bounded_add(jobs->engine->now_ns, latency_ns > record_ns ? latency_ns : record_ns);
    if (queues->eligible_ns < seen_ns)
        queues->eligible_ns = seen_ns;
    return queues->eligible_ns;
}

static void push_eligible(Jobs *jobs, const Job *job, int64_t at_ns)
{
    engine_push(jobs->engine, at_ns - jobs->engine->now_ns, EVENT_JOB_ELIGIBLE, job->id.index, 0,
                0);
}

void job_joins_queue(Jobs *jobs, Job *job)
{
    const ServiceModel *service = &jobs->scenario->service;
    const int64_t record_ns =
        engine_draw(jobs->engine, service->job_record_ns, RNG_JOB_START, job->address, 0);
    const int64_t eligible_ns = eligible_at_ns(jobs, job, record_ns);
    if (eligible_ns > jobs->engine->now_ns)
        push_eligible(jobs, job, eligible_ns);
    else
        job_eligible(jobs, job);
}

static bool request_is_whole(const JobSpec *spec, const char *name, Place at, Status *status)
{
    if (spec->nodes < 1)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "job \"%s\": nodeCount is %d, expected at least 1", name,
                           (int)spec->nodes);
    if (spec->gpus < 0)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "job \"%s\": it asks for %d GPUs, expected at least 0", name,
                           (int)spec->gpus);
    return true;
}

static bool is_within_limit(const Jobs *jobs, const Cluster *cluster, int32_t queue,
                            JobRequest request, Place at, Status *status)
{
    if (cluster->spec->queue_count == 0)
        return true;
    const QueueSpec *spec = scheduler_queue_spec(jobs, cluster->id, queue);
    const int64_t slots = request_least_slots(request, cluster_room(cluster));
    return slots <= spec->most ||
           status_fail(status, STATUS_BAD_INPUT, at,
                       "the job needs %lld GPUs, and queue \"%s\" of cluster \"%s\" has at most "
                       "%lld",
                       (long long)slots, spec->name, cluster->path.name, (long long)spec->most);
}

/* Whether the job could run on all nodes of a kind that it allows. */
static bool is_possible(const Cluster *cluster, JobRequest request)
{
    for (int32_t k = 0; k < cluster->kind_count; k++) {
        const ClusterKind *kind = &cluster->kinds[k];
        const JobRequest on = request.kinds != 0 ? request_on(request, kind->whole.gpus) : request;
        if (request_allows(request, k) &&
            request_is_possible(on, kind->room.most_nodes, kind->whole))
            return true;
    }
    return false;
}

bool job_can_be_submitted(const Jobs *jobs, const Cluster *cluster, int32_t queue,
                          JobRequest request, Place at, Status *status)
{
    const int32_t most = cluster_room(cluster)->most_nodes;
    const int32_t gpus_per_node = cluster_gpus_per_node(cluster);
    if (!jobs->scenario->refuses_wide_jobs)
        return true;
    if (is_possible(cluster, request))
        return is_within_limit(jobs, cluster, queue, request, at, status);
    if (cluster->kind_count > 1)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "the job fits on no kind of nodes of cluster \"%s\" that it allows",
                           cluster->path.name);
    if (request.kind == REQUEST_NODES)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "the job needs %d nodes, and cluster \"%s\" has at most %d",
                           (int)request.nodes, cluster->path.name, (int)most);
    return status_fail(
        status, STATUS_BAD_INPUT, at,
        "the job needs %lld GPUs%s on %d nodes, and cluster \"%s\" has at most %d nodes "
        "of %d GPUs",
        (long long)request_gpus(request, gpus_per_node),
        request.cpus > 0 || request.memory_mib > 0 ? ", with its cores and memory," : "",
        (int)request.nodes, cluster->path.name, (int)most, (int)gpus_per_node);
}

const ClusterKind *job_kind(const Jobs *jobs, const Job *job)
{
    return cluster_kind_of(cluster_by_id(jobs->clusters, job->cluster), job->request);
}

bool job_has_queue(const Cluster *cluster, const char *queue, Place at, Status *status)
{
    if (cluster_spec_queue(cluster->spec, queue) != QUEUE_UNKNOWN)
        return true;
    return queue == NULL
               ? status_fail(status, STATUS_BAD_INPUT, at,
                             "cluster \"%s\" has queues, and the job states none",
                             cluster->path.name)
               : status_fail(status, STATUS_BAD_INPUT, at, "cluster \"%s\" has no queue \"%s\"",
                             cluster->path.name, queue);
}

bool job_create(Jobs *jobs, const Command *command, Status *status)
{
    Cluster *cluster = cluster_find(jobs->clusters, command->as.job_create.cluster);
    if (!cluster)
        return command_not_found(command, "cluster", command->as.job_create.cluster.name, status);
    const JobPlace place = {.cluster = cluster,
                            .key = names_key(jobs->names, COMMAND_JOB_CREATE, command->path),
                            .experiment = ID_NONE};
    return job_create_at(jobs, command, place, status);
}

/* Whether a job has the name of the new one. Jobs of workloads all have different names. */
static bool is_taken(Jobs *jobs, const Command *command, const char *key)
{
    uint32_t row;
    return names_row_of_key(jobs->names, key, &row) ||
           (command->as.job_create.workload_number == 0 &&
            workload_find_job(jobs, command->path) != NULL);
}

bool job_create_at(Jobs *jobs, const Command *command, JobPlace place, Status *status)
{
    const JobSpec *spec = command->as.job_create.spec;
    const char *name = command->path.name;
    Cluster *cluster = place.cluster;
    if (is_taken(jobs, command, place.key))
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "job \"%s\" exists already", name);
    if (!request_is_whole(spec, name, command_place(command), status))
        return false;
    JobRequest request = request_of(spec, cluster);
    if (!cluster_check_not_deleting(cluster, command_place(command), status) ||
        !job_has_queue(cluster, spec->queue, command_place(command), status) ||
        !job_can_be_submitted(jobs, cluster, cluster_spec_queue(cluster->spec, spec->queue),
                              request, command_place(command), status) ||
        !keep_kinds_to_train(spec, cluster, &request, command_place(command), status))
        return false;
    Job *job = new_job(jobs, command, place, request);
    set_provisioning(jobs, job, PROVISIONING_CREATING);
    job_set_state(jobs, job, JOB_QUEUED, (JobReason){0});
    // Record and start use the same word: in the recordings the slow record (19 s) belongs to the
    // slow start (20 s).
    int64_t delay_ns = engine_draw(jobs->engine, jobs->scenario->service.job_record_ns,
                                   RNG_JOB_START, job->address, 0);
    engine_push(jobs->engine, delay_ns, EVENT_JOB_RECORDED, job->id.index, 0, 0);
    push_eligible(jobs, job, eligible_at_ns(jobs, job, delay_ns));
    demand_begins(jobs, job);
    job_moment(jobs, job, MOMENT_JOB_SUBMITTED, 0);
    return true;
}

void job_recorded(Jobs *jobs, Job *job)
{
    if (job->provisioning != PROVISIONING_CREATING)
        return;
    job->recorded_ns = jobs->engine->now_ns;
    set_provisioning(jobs, job, PROVISIONING_SUCCEEDED);
}

void job_eligible(Jobs *jobs, Job *job)
{
    if (job->state != JOB_QUEUED || job->stop_cause != CAUSE_NONE)
        return; // terminated or deleted before it became eligible
    job->is_joining = true;
    scheduler_add(jobs, job);
    scheduler_wake(jobs, job->cluster);
}

/* --- Terminate and delete --- */

/* The scheduler no longer starts the job, which keeps its place in the queue until it has failed.
 */
static void stop_waiting(Jobs *jobs, Job *job, TraceCause cause)
{
    job->stop_cause = cause;
    // As recorded: a job that was terminated in the queue shows a start time.
    job->started_ns = jobs->engine->now_ns;
}

static void fail_in_queue(Jobs *jobs, Job *job)
{
    job->generation++; // it may be deleted before the end of its termination
    if (job->is_waiting)
        scheduler_remove(jobs, job);
    scheduler_wake(jobs, job->cluster); // it may have blocked a job that fits
    fail(jobs, job, job_error_terminated, -1, (JobReason){.cause = job->stop_cause});
}

// The service has no such limit, so the words are ours.
static const JobError job_error_rejected = {"JobRejected", "The queue of the cluster is full"};

void job_reject(Jobs *jobs, Job *job)
{
    scheduler_remove(jobs, job);
    fail(jobs, job, job_error_rejected, -1, (JobReason){.cause = CAUSE_FULL_QUEUE});
}

static void push_terminated(Jobs *jobs, const Job *job, Quantiles duration_ns)
{
    job_push(jobs, job, engine_draw(jobs->engine, duration_ns, RNG_DELETE, job->address, 0),
             EVENT_JOB_TERMINATED, 0);
}

static void stop(Jobs *jobs, Job *job, TraceCause cause)
{
    job->stop_cause = cause;
    job_set_state(jobs, job, JOB_TERMINATING, (JobReason){.cause = cause});
    push_terminated(jobs, job, jobs->scenario->service.job_terminate_ns);
}

static bool job_check_not_deleting(const Job *job, Status *status)
{
    if (job->provisioning < PROVISIONING_DELETING)
        return true;
    return status_fail(status, STATUS_CONFLICT, place_in(job->path.name, 0, 0),
                       "job \"%s\" is being deleted", job->path.name);
}

bool job_terminate(Jobs *jobs, Job *job, Status *status)
{
    if (!job_check_not_deleting(job, status))
        return false;
    if (job_is_completed(job) || job->stop_cause != CAUSE_NONE)
        return true; // the service answers 200 and does nothing
    if (job->state == JOB_QUEUED) {
        stop_waiting(jobs, job, CAUSE_TERMINATION);
        push_terminated(jobs, job, jobs->scenario->service.job_terminate_queued_ns);
    } else {
        stop(jobs, job, CAUSE_TERMINATION);
    }
    return true;
}

void job_terminated(Jobs *jobs, Job *job)
{
    invariant(job->state == JOB_TERMINATING || job->state == JOB_QUEUED);
    if (job->state == JOB_QUEUED)
        fail_in_queue(jobs, job);
    else
        job_fail_attempt(jobs, job, ATTEMPT_STOPPED, job_error_terminated, -1,
                         (JobReason){.cause = job->stop_cause});
}

/* The deletion time depends on whether the job runs, and whether its data are still on nodes. */
static Quantiles delete_ns(Jobs *jobs, const Job *job)
{
    const ServiceModel *service = &jobs->scenario->service;
    if (job_is_active(job))
        return service->job_delete_running_ns;
    return job->starts == 0 || job_cluster(jobs, job)->provisioning == PROVISIONING_DELETED
               ? service->job_delete_gone_ns
               : service->job_delete_ns;
}

bool job_delete(Jobs *jobs, Job *job, Status *status)
{
    job_make_name(jobs, job);
    if (!job_check_not_deleting(job, status))
        return false;
    int64_t delay_ns = engine_draw(jobs->engine, delete_ns(jobs, job), RNG_DELETE, job->address, 1);
    if (job->state == JOB_QUEUED) {
        if (job->stop_cause == CAUSE_NONE)
            stop_waiting(jobs, job, CAUSE_DELETION);
        fail_in_queue(jobs, job);
    } else if (job->state == JOB_RUNNING) {
        stop(jobs, job, CAUSE_DELETION);
    }
    set_provisioning(jobs, job, PROVISIONING_DELETING);
    subject_leaves(jobs->subjects, COMMAND_JOB_CREATE, job->path, job->id.index);
    engine_push(jobs->engine, delay_ns, EVENT_JOB_DELETED, job->id.index, 0, 0);
    return true;
}

void job_deleted(Jobs *jobs, Job *job)
{
    if (job->state == JOB_TERMINATING)
        job_terminated(jobs, job);
    set_provisioning(jobs, job, PROVISIONING_DELETED);
    if (job_list_of(jobs->scenario, job) != NULL) {
        container_counts_jobs(jobs->resources, job->experiment, -1);
        return;
    }
    names_forget(jobs->names, COMMAND_JOB_CREATE,
                 names_key(jobs->names, COMMAND_JOB_CREATE, job->path));
    container_loses(jobs->resources, COMMAND_JOB_CREATE, job->path);
}

bool jobs_delete_inside(Jobs *jobs, ResourcePath scope, Status *status)
{
    for (uint32_t j = 0; (j = row_table_next(&jobs->rows, j)) < jobs->rows.count; j++) {
        Job *job = job_row(jobs, (JobId){j});
        if (path_is_inside(job->path, scope) && job->provisioning < PROVISIONING_DELETING &&
            !job_delete(jobs, job, status))
            return false;
    }
    return true;
}

/* --- Reports from clusters --- */

static void node_taken(void *jobs, JobId job, const Node *node, DeallocationOption deallocation,
                       TraceCause cause)
{
    job_loses_nodes(jobs, job_row(jobs, job), node, deallocation, cause);
}

static void node_warned(void *jobs, JobId job, TraceCause cause)
{
    job_is_warned(jobs, job_row(jobs, job), cause);
}

static void node_fell_silent(void *jobs, JobId job, const Node *node)
{
    job_stalls(jobs, job_row(jobs, job), node);
}

static void node_drains(void *jobs, JobId job)
{
    scheduler_node_drains(jobs, job_row(jobs, job));
}

static void nodes_changed(void *jobs, ClusterId cluster)
{
    scheduler_wake(jobs, cluster);
}

static void node_failed(void *jobs, ClusterId cluster)
{
    if (scheduler_sees_queue(jobs))
        scheduler_wake(jobs, cluster);
}

ClusterJobs jobs_of_clusters(Jobs *jobs)
{
    return (ClusterJobs){.jobs = jobs,
                         .node_taken = node_taken,
                         .node_warned = node_warned,
                         .node_fell_silent = node_fell_silent,
                         .node_drains = node_drains,
                         .nodes_changed = nodes_changed,
                         .node_failed = node_failed};
}

/* The life of a job: created, queued, completed, terminated, deleted, and what becomes of it when
 * it loses its nodes. */
#include "sim/cloud/job/job.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/job/parts.h"
#include "sim/engine/rng.h"
#include "sim/model/bounded.h"

const char *job_state_name(JobState state)
{
    static const char *const names[] = {"queued", "running", "terminating", "succeeded", "failed"};
    _Static_assert(sizeof names / sizeof names[0] == JOB_STATE_COUNT, "one name per state");
    return names[state];
}

Cluster *job_cluster(World *world, const Job *job)
{
    return world_cluster_row(world, job->cluster);
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

static void set_provisioning(World *world, Job *job, ProvisioningState state)
{
    job->provisioning = state;
    world_tell_change(world, job_record(world, TRACE_JOB_PROVISIONING, job),
                      provisioning_state_name(state), &job->provisioning_since_ns);
}

static TraceRecord record_with_reason(const World *world, TraceKind kind, const Job *job,
                                      JobReason reason)
{
    TraceRecord record = job_record(world, kind, job);
    record.cause = reason.cause;
    if (reason.node)
        record.node = reason.node->id;
    return record;
}

void job_set_state(World *world, Job *job, JobState state, JobReason reason)
{
    TraceRecord record = record_with_reason(world, TRACE_JOB_STATE, job, reason);
    record.job_state.exit_code = job->exit_code;
    job->state = state;
    world_tell_change(world, record, job_state_name(state), &job->state_since_ns);
}

/* --- Ends --- */

static void complete(World *world, Job *job, JobState state, JobReason reason)
{
    job->ended_ns = world->now_ns;
    job_set_state(world, job, state, reason);
    cluster_demand_changes(world, job_cluster(world, job), -job->spec->nodes);
    world_moment(world, MOMENT_JOB_COMPLETED, job->path.name);
}

static void fail(World *world, Job *job, JobError error, int32_t exit_code, JobReason reason)
{
    job->exit_code = exit_code;
    job->error_code = error.code;
    job->error_message = error.message;
    if (world_tells(world, TRACE_JOB_ERROR)) {
        TraceRecord record = record_with_reason(world, TRACE_JOB_ERROR, job, reason);
        record.name = arena_printf(world->arena, "%s: %s", error.code, error.message);
        world_tell(world, &record);
    }
    complete(world, job, JOB_FAILED, reason);
}

// The words are the service's (batchai-service notes, "Error catalogue") unless said otherwise.
static const JobError terminated = {"JobTerminated",
                                    "The specified job has been terminated by the user"};
// How the service reported this was never recorded; we use its code for a job that was stopped from
// outside (assumption).
static const JobError timed_out = {"JobTerminated",
                                   "The specified job ran longer than its maxWallClockTime"};
static const JobError preempted = {"PreemptionError", "Nodes of this job got pre-empted"};

void job_fail_attempt(World *world, Job *job, AttemptEnd end, JobError error, int32_t exit_code,
                      JobReason reason)
{
    if (job->state == JOB_TERMINATING) {
        end = ATTEMPT_STOPPED;
        error = terminated;
        exit_code = -1;
        reason.cause = job->stop_cause;
    }
    attempt_end(world, job, end, reason);
    fail(world, job, error, exit_code, reason);
}

void job_succeed(World *world, Job *job)
{
    JobReason reason = {.cause = CAUSE_EXIT};
    attempt_end(world, job, ATTEMPT_COMPLETED, reason);
    job->exit_code = 0;
    complete(world, job, JOB_SUCCEEDED, reason);
}

/* --- Names --- */

/* The form is that of 2018-05-01 (batchai-service notes, "Output paths"). */
const char *job_output_segment(const Scenario *scenario, const Job *job, Arena *arena)
{
    return arena_printf(arena, "%s/%s/workspaces/%s/experiments/%s/jobs/%s/%s",
                        scenario->subscription, job->path.group, job->path.workspace,
                        job->path.experiment, job->path.name,
                        world_guid(scenario, job->address, 0, arena));
}

static const char epoch_mark[] = "{epoch}";

static bool has_mark(const char *pattern, const char *mark)
{
    while (*pattern && !begins_with(pattern, mark))
        pattern++;
    return *pattern != '\0';
}

/* Writes `pattern` with its marks filled in to `out`, NUL included, where that is not NULL; returns
 * how many bytes that are. */
static size_t fill(char *out, const char *pattern, const char *segment, const char *epoch)
{
    size_t length = 0;
    while (*pattern) {
        bool is_segment = begins_with(pattern, JOB_SEGMENT_MARK);
        bool is_epoch = begins_with(pattern, epoch_mark);
        const char *value = is_segment ? segment : is_epoch ? epoch : pattern;
        size_t value_length = is_segment || is_epoch ? strlen(value) : 1;
        if (out)
            memcpy(out + length, value, value_length);
        length += value_length;
        pattern += is_segment ? strlen(JOB_SEGMENT_MARK) : is_epoch ? strlen(epoch_mark) : 1;
    }
    if (out)
        out[length] = '\0';
    return length + 1;
}

const char *job_fill_in(const Scenario *scenario, const Job *job, const char *pattern,
                        int64_t epoch, Arena *arena)
{
    bool has_segment = has_mark(pattern, JOB_SEGMENT_MARK);
    if (!has_segment && !has_mark(pattern, epoch_mark))
        return pattern;
    Arena *scratch = arena_create();
    const char *segment = has_segment ? job_output_segment(scenario, job, scratch) : "";
    const char *number = arena_printf(scratch, "%lld", (long long)epoch);
    char *filled = arena_alloc(arena, fill(NULL, pattern, segment, number));
    fill(filled, pattern, segment, number);
    arena_destroy(scratch);
    return filled;
}

/* --- Creation --- */

static Job *new_job(World *world, const Command *command, ClusterId cluster)
{
    const char *key = resource_key(world, COMMAND_JOB_CREATE, command->path);
    Job *job = ARENA_NEW(world->arena, Job);
    *job = (Job){.id = {row_table_add(world->arena, &world->jobs, job)},
                 .cluster = cluster,
                 .path = command->path,
                 .spec = command->as.job_create.spec,
                 .address = world_new_address(world, key),
                 .provisioning_since_ns = world->now_ns,
                 .state_since_ns = world->now_ns,
                 .created_ns = world->now_ns,
                 .recorded_ns = INT64_MAX,
                 .started_ns = INT64_MAX,
                 .ended_ns = INT64_MAX,
                 .exit_code = -1,
                 .experiment = ID_NONE,
                 .workload = command->as.job_create.workload_number - 1};
    name_table_set(world->names, key, job->id.index);
    container_gains(world, job->path);
    return job;
}

/* The service gets to a new job after a while, when it has its record, and to the jobs of a cluster
 * in their order. */
static void push_eligible(World *world, Cluster *cluster, const Job *job, int64_t record_ns)
{
    int64_t latency_ns =
        world_draw(world, world_service(world)->job_start_ns, RNG_JOB_START, job->address, 0);
    int64_t seen_ns = bounded_add(world->now_ns, latency_ns > record_ns ? latency_ns : record_ns);
    if (cluster->eligible_ns < seen_ns)
        cluster->eligible_ns = seen_ns;
    world_push(world, cluster->eligible_ns - world->now_ns, EVENT_JOB_ELIGIBLE, job->id.index, 0,
               0);
}

bool job_create(World *world, const Command *command, Status *status)
{
    const JobSpec *spec = command->as.job_create.spec;
    const char *name = command->path.name;
    Cluster *cluster = world_find_cluster(world, command->as.job_create.cluster);
    if (!cluster)
        return command_not_found(command, "cluster", command->as.job_create.cluster.name, status);
    if (world_find_job(world, command->path))
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "job \"%s\" exists already", name);
    if (spec->nodes < 1)
        return status_fail(status, STATUS_BAD_INPUT, command_place(command),
                           "job \"%s\": nodeCount is %d, expected at least 1", name,
                           (int)spec->nodes);
    if (!cluster_is_kept(cluster, command_place(command), status) ||
        !training_check(spec, cluster->spec->vm_size, command_place(command), status))
        return false;
    Job *job = new_job(world, command, cluster->id);
    set_provisioning(world, job, PROVISIONING_CREATING);
    job_set_state(world, job, JOB_QUEUED, (JobReason){0});
    // One word for record and start: the start that took 20 s was that of the record that took 19
    // s.
    int64_t delay_ns =
        world_draw(world, world_service(world)->job_record_ns, RNG_JOB_START, job->address, 0);
    world_push(world, delay_ns, EVENT_JOB_RECORDED, job->id.index, 0, 0);
    push_eligible(world, cluster, job, delay_ns);
    cluster_demand_changes(world, cluster, spec->nodes);
    world_moment(world, MOMENT_JOB_SUBMITTED, name);
    return true;
}

void job_recorded(World *world, Job *job)
{
    if (job->provisioning != PROVISIONING_CREATING)
        return;
    job->recorded_ns = world->now_ns;
    set_provisioning(world, job, PROVISIONING_SUCCEEDED);
}

void job_eligible(World *world, Job *job)
{
    if (job->state != JOB_QUEUED || job->stop_cause != CAUSE_NONE)
        return; // terminated or deleted before the service got to it
    Cluster *cluster = job_cluster(world, job);
    job_queue_add(world, cluster, job);
    scheduler_wake(world, cluster);
}

/* --- Limits and losses --- */

void job_timed_out(World *world, Job *job)
{
    job_fail_attempt(world, job, ATTEMPT_STOPPED, timed_out, -1,
                     (JobReason){.cause = CAUSE_TIME_LIMIT});
}

static void count_fruitless(World *world, Job *job)
{
    job->fruitless = job->epochs_kept > job->kept_before ? 0 : job->fruitless + 1;
    job->kept_before = job->epochs_kept;
    if (job->fruitless == FRUITLESS_ATTEMPTS_MAX)
        world->given_up = arena_printf(
            world->arena,
            "job %s lost its nodes %d times in a row without having kept anything: it never ends",
            job->path.name, FRUITLESS_ATTEMPTS_MAX);
}

static void requeue(World *world, Job *job, JobReason reason)
{
    attempt_end(world, job, ATTEMPT_LOST, reason);
    count_fruitless(world, job);
    job->nodes = NULL; // others hold them from here on
    job_set_state(world, job, JOB_QUEUED, reason);
    attempt_forget(job);
    job_queue_add(world, job_cluster(world, job), job);
    scheduler_wake(world, job_cluster(world, job));
    world_moment_nth(world, MOMENT_JOB_REQUEUED, job->path.name, job->starts);
}

void job_loses_nodes(World *world, Job *job, const Node *node, DeallocationOption deallocation,
                     TraceCause cause)
{
    invariant(job_is_active(job));
    const ServiceModel *service = world_service(world);
    JobReason reason = {.cause = cause, .node = node};
    bool is_preemption = cause == CAUSE_PREEMPTION || cause == CAUSE_RUN_LENGTH;
    // Whoever takes nodes away with the option to requeue wants another attempt, however many.
    bool was_last = cause != CAUSE_SCALE_DOWN && job->starts >= service->attempts_max;
    if (deallocation == DEALLOCATE_TERMINATE || job->state == JOB_TERMINATING) {
        job_fail_attempt(world, job, ATTEMPT_STOPPED, terminated, -1, reason);
    } else if (is_preemption && service->preemption_fails_jobs) {
        job_fail_attempt(world, job, ATTEMPT_LOST, preempted, -1, reason);
    } else if (was_last) {
        const char *message =
            arena_printf(world->arena, "Job lost its nodes in attempt %d and is not tried again",
                         (int)job->starts);
        job_fail_attempt(world, job, ATTEMPT_LOST, (JobError){"InternalError", message}, -1,
                         reason);
    } else {
        requeue(world, job, reason);
    }
}

void job_ran_too_long(World *world, Job *job)
{
    const NodeId *nodes = job->nodes; // the list outlives the loss
    job_loses_nodes(world, job, NULL, DEALLOCATE_REQUEUE, CAUSE_RUN_LENGTH);
    for (int32_t n = 0; n < job->spec->nodes; n++)
        cluster_node_warned(world, world_node_row(world, nodes[n]), 0, CAUSE_RUN_LENGTH);
}

/* --- Terminate and delete --- */

/* Nothing starts it any more, though it keeps its place until it has failed. */
static void stop_waiting(World *world, Job *job, TraceCause cause)
{
    job->stop_cause = cause;
    job->started_ns = world->now_ns; // as recorded: a job terminated in the queue shows a start
}

static void fail_in_queue(World *world, Job *job)
{
    job->generation++; // it may be deleted before the end of its termination
    if (job->is_waiting)
        job_queue_remove(job_cluster(world, job), job);
    scheduler_wake(world, job_cluster(world, job)); // it may have stood before one that fits
    fail(world, job, terminated, -1, (JobReason){.cause = job->stop_cause});
}

static void push_terminated(World *world, const Job *job, Quantiles duration_ns)
{
    world_push(world, world_draw(world, duration_ns, RNG_DELETE, job->address, 0),
               EVENT_JOB_TERMINATED, job->id.index, job->generation, 0);
}

static void stop(World *world, Job *job, TraceCause cause)
{
    job->stop_cause = cause;
    job_set_state(world, job, JOB_TERMINATING, (JobReason){.cause = cause});
    push_terminated(world, job, world_service(world)->job_terminate_ns);
}

static bool job_is_kept(const Job *job, Status *status)
{
    if (job->provisioning < PROVISIONING_DELETING)
        return true;
    return status_fail(status, STATUS_CONFLICT, place_in(job->path.name, 0, 0),
                       "job \"%s\" is being deleted", job->path.name);
}

bool job_terminate(World *world, Job *job, Status *status)
{
    if (!job_is_kept(job, status))
        return false;
    if (job_is_completed(job) || job->stop_cause != CAUSE_NONE)
        return true; // the service answers 200 and does nothing
    if (job->state == JOB_QUEUED) {
        stop_waiting(world, job, CAUSE_TERMINATION);
        push_terminated(world, job, world_service(world)->job_terminate_queued_ns);
    } else {
        stop(world, job, CAUSE_TERMINATION);
    }
    return true;
}

void job_terminated(World *world, Job *job)
{
    invariant(job->state == JOB_TERMINATING || job->state == JOB_QUEUED);
    if (job->state == JOB_QUEUED)
        fail_in_queue(world, job);
    else
        job_fail_attempt(world, job, ATTEMPT_STOPPED, terminated, -1,
                         (JobReason){.cause = job->stop_cause});
}

/* Of a job that has nothing left on any node only the record goes. */
static Quantiles delete_ns(World *world, const Job *job)
{
    const ServiceModel *service = world_service(world);
    if (job_is_active(job))
        return service->job_delete_running_ns;
    return job->starts == 0 || job_cluster(world, job)->provisioning == PROVISIONING_DELETED
               ? service->job_delete_gone_ns
               : service->job_delete_ns;
}

bool job_delete(World *world, Job *job, Status *status)
{
    if (!job_is_kept(job, status))
        return false;
    int64_t delay_ns = world_draw(world, delete_ns(world, job), RNG_DELETE, job->address, 1);
    if (job->state == JOB_QUEUED) {
        if (job->stop_cause == CAUSE_NONE)
            stop_waiting(world, job, CAUSE_DELETION);
        fail_in_queue(world, job);
    } else if (job->state == JOB_RUNNING) {
        stop(world, job, CAUSE_DELETION);
    }
    set_provisioning(world, job, PROVISIONING_DELETING);
    conditions_lose(world, COMMAND_JOB_CREATE, job->path, job->id.index);
    world_push(world, delay_ns, EVENT_JOB_DELETED, job->id.index, 0, 0);
    return true;
}

void job_deleted(World *world, Job *job)
{
    if (job->state == JOB_TERMINATING)
        job_terminated(world, job);
    set_provisioning(world, job, PROVISIONING_DELETED);
    world_forget(world, resource_key(world, COMMAND_JOB_CREATE, job->path));
    container_loses(world, job->path);
}

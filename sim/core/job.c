#include "sim/core/job.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/core/rng.h"
#include "sim/core/world_parts.h"
#include "sim/model/bounded.h"

const char *job_state_name(JobState state)
{
    static const char *const names[] = {"queued", "running", "terminating", "succeeded", "failed"};
    _Static_assert(sizeof names / sizeof names[0] == JOB_STATE_COUNT, "one name per state");
    return names[state];
}

const char *job_stage_name(JobStage stage)
{
    static const char *const names[] = {"mount", "pull",     "container", "preparation",
                                        "start", "download", "data"};
    _Static_assert(sizeof names / sizeof names[0] == STAGE_COUNT, "one name per stage");
    return names[stage];
}

static Cluster *cluster_of(World *world, const Job *job)
{
    return world_cluster_row(world, job->cluster);
}

static bool is_completed(const Job *job)
{
    return job->state == JOB_SUCCEEDED || job->state == JOB_FAILED;
}

/* --- States --- */

static void set_provisioning(World *world, Job *job, ProvisioningState state)
{
    job->provisioning = state;
    world_tell_change(world, job_record(world, TRACE_JOB_PROVISIONING, job),
                      provisioning_state_name(state), &job->provisioning_since_ns);
}

static void set_state(World *world, Job *job, JobState state)
{
    TraceRecord record = job_record(world, TRACE_JOB_STATE, job);
    record.value[0] = job->exit_code;
    job->state = state;
    world_tell_change(world, record, job_state_name(state), &job->state_since_ns);
}

static void forget_attempt(Job *job)
{
    job->program_ns = job->training_ns = job->trained_ns = job->saved_ns = INT64_MAX;
    for (int64_t n = 0; n < (int64_t)job->spec->nodes * STAGE_COUNT; n++)
        job->stage_end_ns[n] = INT64_MAX;
    for (int32_t n = 0; n < job->spec->nodes; n++)
        job->stage[n] = STAGE_MOUNT;
    job->training = (Training){.epochs = job->training.epochs};
}

/* Whatever runs for the job stops here: events become stale, transfers are taken back, nodes come
 * free. */
static void stop_attempt(World *world, Job *job)
{
    job->generation++;
    transfers_cancel(world, job);
    Cluster *cluster = cluster_of(world, job);
    scheduler_attempt_ends(world, cluster, job);
    for (int32_t n = 0; n < job->spec->nodes; n++)
        cluster_node_freed(world, world_node_row(world, job->nodes[n]));
    scheduler_wake(world, cluster);
}

static void complete(World *world, Job *job, JobState state)
{
    job->ended_ns = world->now_ns;
    set_state(world, job, state);
    cluster_demand_changes(world, cluster_of(world, job), -job->spec->nodes);
    world_moment(world, MOMENT_JOB_COMPLETED, job->path.name);
}

/* What executionInfo.errors shows; the words are the service's (batchai-service notes, "Error
 * catalogue") unless said otherwise. */
typedef struct {
    const char *code;
    const char *message;
} JobError;

static const JobError command_failed = {"JobFailed", "Job failed with non-zero exit code"};
static const JobError preparation_failed = {"JobPreparationFailed",
                                            "Job preparation task failed with non-zero exit code"};
static const JobError mount_failed = {"AZFMountError", "Unable to mount Azure File"};
static const JobError terminated = {"JobTerminated",
                                    "The specified job has been terminated by the user"};
// How the service reported this was never recorded; we use its code for a job that was stopped from
// outside (assumption).
static const JobError timed_out = {"JobTerminated",
                                   "The specified job ran longer than its maxWallClockTime"};

/* `exit_code` is -1 where there is none. */
static void fail(World *world, Job *job, JobError error, int32_t exit_code)
{
    job->exit_code = exit_code;
    job->error_code = error.code;
    job->error_message = error.message;
    TraceRecord record = job_record(world, TRACE_JOB_ERROR, job);
    record.name = arena_printf(world->arena, "%s: %s", error.code, error.message);
    world_tell(world, &record);
    complete(world, job, JOB_FAILED);
}

/* A job that is being terminated ends as terminated, whatever happens to it meanwhile. */
static void fail_attempt(World *world, Job *job, JobError error, int32_t exit_code)
{
    bool was_terminating = job->state == JOB_TERMINATING;
    stop_attempt(world, job);
    if (was_terminating)
        fail(world, job, terminated, -1);
    else
        fail(world, job, error, exit_code);
}

/* --- Creation --- */

/* "{sub}/{rg}/workspaces/{w}/experiments/{e}/jobs/{j}/{guid}" (2018-05-01; batchai-service notes,
 * "Output paths"). */
static const char *output_segment(World *world, const Job *job)
{
    return arena_printf(world->arena, "%s/%s/workspaces/%s/experiments/%s/jobs/%s/%s",
                        world->scenario->subscription, job->path.group, job->path.workspace,
                        job->path.experiment, job->path.name, job->guid);
}

const char *job_fill_in(const Job *job, const char *pattern, int64_t epoch, Arena *arena)
{
    static const char segment[] = JOB_SEGMENT_MARK, number[] = "{epoch}";
    for (const char *at = pattern; *at; at++) {
        bool is_segment = strncmp(at, segment, sizeof segment - 1) == 0;
        if (!is_segment && strncmp(at, number, sizeof number - 1) != 0)
            continue;
        const char *value =
            is_segment ? job->output_segment : arena_printf(arena, "%lld", (long long)epoch);
        const char *rest = at + (is_segment ? sizeof segment : sizeof number) - 1;
        return arena_printf(arena, "%.*s%s%s", (int)(at - pattern), pattern, value,
                            job_fill_in(job, rest, epoch, arena));
    }
    return pattern;
}

int64_t job_stage_end_ns(const Job *job, int32_t node, JobStage stage)
{
    return job->stage_end_ns[(int64_t)node * STAGE_COUNT + (int32_t)stage];
}

int64_t job_stage_begin_ns(const Job *job, int32_t node, JobStage stage)
{
    if (stage == STAGE_MOUNT)
        return job->started_ns;
    if (stage == STAGE_START)
        return job->program_ns; // all nodes together, once the last is prepared
    return job_stage_end_ns(job, node, (JobStage)(stage - 1));
}

int32_t job_node_of_rank(const Job *job, int32_t rank)
{
    return (int32_t)((int64_t)rank * job->spec->nodes / job->spec->processes);
}

static Job *new_job(World *world, const Command *command, ClusterId cluster)
{
    const JobSpec *spec = command->as.job_create.spec;
    const char *key = resource_key(world, COMMAND_JOB_CREATE, command->path);
    Job *job = ARENA_NEW(world->arena, Job);
    *job = (Job){.id = {row_table_add(world->arena, &world->jobs, job)},
                 .path = command->path,
                 .cluster = cluster,
                 .spec = spec,
                 .address = world_new_address(world, key),
                 .created_ns = world->now_ns,
                 .provisioning_since_ns = world->now_ns,
                 .state_since_ns = world->now_ns,
                 .started_ns = INT64_MAX,
                 .ended_ns = INT64_MAX,
                 .exit_code = -1,
                 .experiment = ID_NONE,
                 .workload = command->as.job_create.workload_number - 1,
                 .stage = ARENA_ARRAY(world->arena, JobStage, spec->nodes),
                 .stage_end_ns =
                     ARENA_ARRAY(world->arena, int64_t, (int64_t)spec->nodes * STAGE_COUNT)};
    job->guid = world_guid(world, job->address);
    job->output_segment = output_segment(world, job);
    forget_attempt(job);
    name_table_set(world->names, key, job->id.index);
    return job;
}

/* The service gets to a new job after a while, and to the jobs of a cluster in their order. */
static void push_eligible(World *world, Cluster *cluster, const Job *job)
{
    int64_t latency_ns =
        world_draw(world, world_service(world)->job_start_ns, RNG_JOB_START, job->address, 0);
    int64_t seen_ns = bounded_add(world->now_ns, latency_ns);
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
    if (!training_check(spec, cluster->spec->vm_size, command_place(command), status))
        return false;
    Job *job = new_job(world, command, cluster->id);
    set_provisioning(world, job, PROVISIONING_CREATING);
    set_state(world, job, JOB_QUEUED);
    int64_t delay_ns =
        world_draw(world, world_service(world)->job_record_ns, RNG_JOB_RECORD, job->address, 0);
    world_push(world, delay_ns, EVENT_JOB_RECORDED, job->id.index, 0, 0);
    push_eligible(world, cluster, job);
    cluster_demand_changes(world, cluster, spec->nodes);
    return true;
}

void job_recorded(World *world, Job *job)
{
    if (job->provisioning == PROVISIONING_CREATING)
        set_provisioning(world, job, PROVISIONING_SUCCEEDED);
}

void job_eligible(World *world, Job *job)
{
    if (job->state != JOB_QUEUED || job->provisioning >= PROVISIONING_DELETING)
        return; // terminated or deleted before the service got to it
    Cluster *cluster = cluster_of(world, job);
    job_queue_add(world, cluster, job);
    scheduler_wake(world, cluster);
}

/* --- Stages --- */

static bool trains(const Job *job)
{
    return job->spec->program->kind == PROGRAM_TRAIN;
}

static bool reads_data(const Job *job)
{
    const Program *program = job->spec->program;
    return trains(job) && program->data_share && program->data_bytes > 0;
}

static int64_t stage_draw(const World *world, const Job *job, const Node *node, JobStage stage,
                          Quantiles quantiles)
{
    uint64_t draw = (uint64_t)stage << 16 | (uint64_t)(job->starts & 0xffff);
    return world_draw(world, quantiles, RNG_NODE_STAGE, job->address ^ node->address, draw);
}

/* How long a stage takes on a node; 0: the job does not have it there. Reading data from a share is
 * a transfer and not here. */
static int64_t stage_ns(const World *world, const Job *job, const Node *node, JobStage stage)
{
    const JobSpec *spec = job->spec;
    const ServiceModel *s = world_service(world);
    switch (stage) {
    case STAGE_MOUNT:
        return spec->mount_count > 0 ? stage_draw(world, job, node, stage, s->job_mount_ns) : 0;
    case STAGE_PULL:
        if (!spec->image || node_has_image(node, spec->image))
            return 0;
        return bounded_add(
            bounded_at_rate_ns(spec->image->compressed_bytes, s->registry_bytes_per_s),
            bounded_at_rate_ns(spec->image->compressed_bytes, s->image_unpack_bytes_per_s));
    case STAGE_CONTAINER:
        return stage_draw(world, job, node, stage,
                          spec->image ? s->container_start_ns : s->host_overhead_ns);
    case STAGE_PREPARATION:
        return spec->has_preparation ? stage_draw(world, job, node, stage, spec->preparation_ns)
                                     : 0;
    case STAGE_START:
        return trains(job) ? spec->program->framework->start_ns : 0;
    case STAGE_DOWNLOAD:
        if (!trains(job) || !spec->program->downloads_data)
            return 0;
        return bounded_at_rate_ns(spec->program->data_set->download_bytes, s->internet_bytes_per_s);
    case STAGE_DATA:
    case STAGE_COUNT:
        break;
    }
    return 0;
}

static void begin_stage(World *world, Job *job, int32_t node);

/* The program starts on all nodes together once the last is prepared; training once the last has
 * its data. */
static bool is_barrier(JobStage stage)
{
    return stage == STAGE_START || stage == STAGE_COUNT;
}

/* True when every share that the job mounts or its program uses exists. */
static bool shares_exist(const World *world, const Job *job)
{
    for (int32_t i = 0; i < job->spec->mount_count; i++)
        if (!world_share_exists(world, job->spec->mounts[i]))
            return false;
    const Program *program = job->spec->program;
    const char *used[] = {program->data_share, program->checkpoint_share, program->model_share};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++)
        if (used[i] && !world_share_exists(world, used[i]))
            return false;
    return true;
}

static void pass_barrier(World *world, Job *job, JobStage stage)
{
    job->nodes_at_work = job->spec->nodes;
    if (!shares_exist(world, job)) {
        fail_attempt(world, job, mount_failed, -1);
    } else if (stage == STAGE_START) {
        job->program_ns = world->now_ns;
        for (int32_t n = 0; n < job->spec->nodes; n++)
            begin_stage(world, job, n);
    } else if (trains(job)) {
        train_job_begin(world, job);
    } else {
        int64_t delay_ns = distribution_at(
            job->spec->program->duration, rng_word(world->scenario->seed, RNG_NODE_STAGE,
                                                   job->address, (uint64_t)(job->starts & 0xffff)));
        world_push(world, delay_ns, EVENT_JOB_PROGRAM_DONE, job->id.index, job->generation, 0);
    }
}

static void note_stage_end(const World *world, Job *job, int32_t node)
{
    job->stage_end_ns[node * STAGE_COUNT + (int32_t)job->stage[node]] = world->now_ns;
}

/* On to the node's next stage, or to wait for the others at a barrier. */
static void next_stage(World *world, Job *job, int32_t node)
{
    JobStage next = ++job->stage[node];
    if (!is_barrier(next))
        begin_stage(world, job, node);
    else if (--job->nodes_at_work == 0)
        pass_barrier(world, job, next);
}

/* Begins the node's present stage; one that is not part of this job ends when it begins. */
static void begin_stage(World *world, Job *job, int32_t node)
{
    JobStage stage = job->stage[node];
    if (stage == STAGE_DATA && reads_data(job)) {
        const Program *program = job->spec->program;
        transfer_start(world, job, node, TRANSFER_FOR_DATA,
                       world_find_share(world, program->data_share), program->data_bytes);
        return;
    }
    int64_t delay_ns = stage_ns(world, job, world_node_row(world, job->nodes[node]), stage);
    if (delay_ns > 0) {
        world_push(world, delay_ns, EVENT_JOB_STAGE_DONE, job->id.index, job->generation,
                   (uint32_t)node);
        return;
    }
    note_stage_end(world, job, node);
    next_stage(world, job, node);
}

static void tell_stage(World *world, const Job *job, int32_t node, JobStage stage)
{
    TraceRecord record = job_record(world, TRACE_JOB_STAGE, job);
    record.node = job->nodes[node];
    record.since_ns = job_stage_begin_ns(job, node, stage);
    record.name = job_stage_name(stage);
    if (stage == STAGE_PULL)
        record.bytes = job->spec->image->compressed_bytes;
    if (stage == STAGE_DOWNLOAD)
        record.bytes = job->spec->program->data_set->download_bytes;
    if (stage == STAGE_DATA)
        record.bytes = job->spec->program->data_bytes;
    world_tell(world, &record);
}

void job_stage_done(World *world, Job *job, int32_t node)
{
    JobStage stage = job->stage[node];
    tell_stage(world, job, node, stage);
    note_stage_end(world, job, node);
    if (stage == STAGE_PULL)
        node_keep_image(world, world_node_row(world, job->nodes[node]), job->spec->image);
    if (stage == STAGE_MOUNT && !shares_exist(world, job))
        fail_attempt(world, job, mount_failed, -1);
    else if (stage == STAGE_PREPARATION && job->spec->preparation_exit_code != 0)
        fail_attempt(world, job, preparation_failed, job->spec->preparation_exit_code);
    else
        next_stage(world, job, node);
}

/* --- Running --- */

void job_start(World *world, Job *job)
{
    job->nodes = ARENA_ARRAY(world->arena, NodeId, job->spec->nodes);
    job->starts++;
    job->started_ns = world->now_ns;
    job->nodes_at_work = job->spec->nodes;
    set_state(world, job, JOB_RUNNING);
    cluster_take_nodes(world, cluster_of(world, job), job->id, job->spec->nodes, job->nodes);
    world_push(world, job->spec->max_wall_clock_ns, EVENT_JOB_TIMED_OUT, job->id.index,
               job->generation, 0);
    world_moment(world, MOMENT_JOB_STARTED, job->path.name);
    for (int32_t n = 0; n < job->spec->nodes; n++)
        begin_stage(world, job, n);
}

void job_program_done(World *world, Job *job)
{
    job_exit(world, job, job->spec->program->exit_code);
}

void job_exit(World *world, Job *job, int32_t exit_code)
{
    if (exit_code != 0 || job->state == JOB_TERMINATING) {
        fail_attempt(world, job, command_failed, exit_code);
        return;
    }
    stop_attempt(world, job);
    job->exit_code = 0;
    complete(world, job, JOB_SUCCEEDED);
}

void job_timed_out(World *world, Job *job)
{
    fail_attempt(world, job, timed_out, -1);
}

void job_loses_nodes(World *world, Job *job, const Node *node, DeallocationOption deallocation,
                     TraceCause cause)
{
    (void)node;
    (void)cause;
    if (deallocation == DEALLOCATE_TERMINATE || job->state == JOB_TERMINATING) {
        fail_attempt(world, job, terminated, -1);
        return;
    }
    stop_attempt(world, job);
    job->nodes = NULL; // others hold them from here on
    set_state(world, job, JOB_QUEUED);
    forget_attempt(job);
    job_queue_add(world, cluster_of(world, job), job);
}

/* --- Terminate and delete --- */

bool job_terminate(World *world, Job *job, Status *status)
{
    if (job->provisioning >= PROVISIONING_DELETING)
        return status_fail(status, STATUS_CONFLICT, place_in(job->path.name, 0, 0),
                           "job \"%s\" is being deleted", job->path.name);
    if (is_completed(job) || job->state == JOB_TERMINATING)
        return true; // the service answers 200 and does nothing
    if (job->state == JOB_QUEUED) {
        if (job->is_waiting)
            job_queue_remove(world, cluster_of(world, job), job);
        scheduler_wake(world, cluster_of(world, job)); // it may have stood before one that fits
        job->started_ns = world->now_ns; // as recorded: a job terminated in the queue shows a start
        fail(world, job, terminated, -1);
        return true;
    }
    set_state(world, job, JOB_TERMINATING);
    int64_t delay_ns =
        world_draw(world, world_service(world)->job_terminate_ns, RNG_DELETE, job->address, 0);
    world_push(world, delay_ns, EVENT_JOB_TERMINATED, job->id.index, job->generation, 0);
    return true;
}

void job_terminated(World *world, Job *job)
{
    fail_attempt(world, job, terminated, -1);
}

bool job_delete(World *world, Job *job, Status *status)
{
    if (!job_terminate(world, job, status))
        return false;
    set_provisioning(world, job, PROVISIONING_DELETING);
    int64_t delay_ns =
        world_draw(world, world_service(world)->job_delete_ns, RNG_DELETE, job->address, 1);
    world_push(world, delay_ns, EVENT_JOB_DELETED, job->id.index, 0, 0);
    return true;
}

void job_deleted(World *world, Job *job)
{
    if (job->state == JOB_TERMINATING)
        job_terminated(world, job);
    set_provisioning(world, job, PROVISIONING_DELETED);
    world_forget(world, resource_key(world, COMMAND_JOB_CREATE, job->path));
}

void job_stalls(World *world, Job *job, const Node *node)
{
    (void)world;
    (void)job;
    (void)node;
}

void job_ran_too_long(World *world, Job *job)
{
    (void)world;
    (void)job;
}

void job_spoil_container(Job *job)
{
    (void)job;
}

bool job_exits_now(World *world, Job *job, int32_t exit_code)
{
    if (job->state != JOB_RUNNING || job->program_ns == INT64_MAX)
        return false;
    job_exit(world, job, exit_code);
    return true;
}

int64_t job_epochs_done(const Job *job, int64_t now_ns)
{
    (void)now_ns;
    return job->training.epoch;
}

#include "sim/cloud/job/attempt.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/job/account.h"
#include "sim/cloud/job/demand.h"
#include "sim/cloud/job/epochs.h"
#include "sim/cloud/job/exchange.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/notice.h"
#include "sim/cloud/job/pace.h"
#include "sim/cloud/job/progress.h"
#include "sim/cloud/job/real.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/job/script.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/job/transfers.h"
#include "sim/cloud/job/work.h"
#include "sim/model/bounded.h"

const char *job_stage_name(JobStage stage)
{
    static const char *const names[] = {"mount", "pull",     "container", "preparation",
                                        "start", "download", "data"};
    _Static_assert(sizeof names / sizeof names[0] == STAGE_COUNT, "one name per stage");
    return names[stage];
}

int64_t job_stage_end_ns(const Job *job, int32_t node, JobStage stage)
{
    return job->attempt->stage_end_ns[(int64_t)node * STAGE_COUNT + (int32_t)stage];
}

int64_t job_stage_begin_ns(const Job *job, int32_t node, JobStage stage)
{
    if (stage == STAGE_MOUNT)
        return job->started_ns;
    if (stage == STAGE_START)
        return job->attempt->program_ns; // on all nodes together, after the last is prepared
    return job_stage_end_ns(job, node, (JobStage)(stage - 1));
}

int32_t job_node_of_rank(const Job *job, int32_t rank)
{
    return training_node_of_rank(rank, job->spec->processes, job->request.nodes);
}

bool job_trains(const Job *job)
{
    return job->spec->program->kind == PROGRAM_TRAIN;
}

/* --- The stages of a job --- */

static uint8_t stages_of(const Job *job)
{
    const JobSpec *spec = job->spec;
    const Program *program = spec->program;
    const bool has[STAGE_COUNT] = {
        [STAGE_MOUNT] = spec->mount_count > 0,
        [STAGE_PULL] = spec->image != NULL,
        [STAGE_CONTAINER] = true, // without an image the service's own overhead
        [STAGE_PREPARATION] = spec->has_preparation || spec->preparation_script != NULL,
        [STAGE_START] = job_trains(job),
        [STAGE_DOWNLOAD] = job_trains(job) && program->downloads_data,
        [STAGE_DATA] = job_trains(job) && program->data_share && program->data_bytes > 0};
    uint8_t stages = 0;
    for (int32_t stage = 0; stage < STAGE_COUNT; stage++)
        stages |= (uint8_t)(has[stage] << stage);
    return stages;
}

/* A stage that the job does not have takes no time and cannot fail. */
static bool has_stage(const Job *job, JobStage stage)
{
    return job->attempt->stages >> stage & 1;
}

/* --- Begin and end --- */

/* Allocates the JobAttempt, which all attempts of a job share, at the first start; a larger one if
 * the job now starts on more nodes, which are of another kind. */
static void make_room(Jobs *jobs, Job *job)
{
    enum { BYTES_A_NODE = STAGE_COUNT * sizeof(int64_t) + sizeof(NodeId) + sizeof(JobStage) };
    int32_t nodes = job->request.nodes;
    if (job->attempt != NULL && nodes <= job->attempt->nodes_max)
        return;
    if (job_list_of(jobs->scenario, job) != NULL && nodes <= SPARE_NODES_MAX &&
        job->attempt == NULL && jobs->spare_attempts[nodes] != NULL) {
        job->attempt = jobs->spare_attempts[nodes];
        jobs->spare_attempts[nodes] = job->attempt->next_spare;
        return;
    }
    Training *training = job->attempt != NULL ? job->attempt->training : NULL;
    const int64_t kept_steps = job->attempt != NULL ? job->attempt->kept_steps : 0;
    if (training == NULL && job_trains(job))
        training = ARENA_NEW(jobs->arena, Training);
    bool has_script = job->spec->preparation_script != NULL;
    // The arrays that each attempt has are in one piece of memory, the longest type first.
    int64_t *ends = arena_alloc(jobs->arena, (size_t)nodes * BYTES_A_NODE);
    NodeId *taken = (NodeId *)(ends + (int64_t)nodes * STAGE_COUNT);
    job->attempt = ARENA_NEW(jobs->arena, JobAttempt);
    *job->attempt = (JobAttempt){
        .nodes_max = nodes,
        .preparations = has_script ? ARENA_ARRAY(jobs->arena, ShellRun *, nodes) : NULL,
        .nodes = taken,
        .stage = (JobStage *)(taken + nodes),
        .stage_end_ns = ends,
        .ran = job_is_real(job) ? ARENA_ARRAY(jobs->arena, JobRan, 1 + (int64_t)nodes) : NULL,
        .kept_steps = kept_steps,
        .training = training};
}

void attempt_reset(Job *job)
{
    JobAttempt *attempt = job->attempt;
    attempt->stalled_ns = attempt->program_ns = INT64_MAX;
    attempt->training_ns = attempt->trained_ns = attempt->saved_ns = INT64_MAX;
    for (int64_t n = 0; n < (int64_t)job->request.nodes * STAGE_COUNT; n++)
        attempt->stage_end_ns[n] = INT64_MAX;
    attempt->kept_ns = INT64_MAX;
    attempt->kept_epochs = 0;
    attempt->shell = NULL;
    attempt->notice = (JobNotice){0};
    attempt->lacks_script = false;
    attempt->stages = stages_of(job);
    attempt->checkpoints = NULL;
    for (int32_t task = 0; attempt->ran && task <= job->request.nodes; task++)
        attempt->ran[task] = (JobRan){0};
    for (int32_t n = 0; n < job->request.nodes; n++) {
        attempt->stage[n] = STAGE_MOUNT;
        if (attempt->preparations)
            attempt->preparations[n] = NULL;
    }
    if (attempt->training)
        *attempt->training = (Training){.progress = attempt->training->progress,
                                        .kept_steps = attempt->training->kept_steps};
}

void attempt_end(Jobs *jobs, Job *job, AttemptEnd end, JobReason reason)
{
    epochs_settle(jobs, job);
    attempt_account(jobs, job, end, reason);
    job->generation++;
    transfers_cancel(jobs->storage, &job->transfers);
    exchange_cancel(jobs, job);
    notice_ends_with_attempt(jobs, job);
    scheduler_attempt_ends(jobs, job);
    for (int32_t n = 0; n < job->request.nodes; n++)
        cluster_node_freed(jobs->clusters, node_row(jobs->clusters, job->nodes[n]), job->id);
    scheduler_wake(jobs, job->cluster);
}

void jobs_account_unfinished(Jobs *jobs)
{
    for (uint32_t j = 0; (j = row_table_next(&jobs->rows, j)) < jobs->rows.count; j++) {
        Job *job = job_row(jobs, (JobId){j});
        if (!job_is_active(job))
            continue;
        epochs_settle(jobs, job);
        attempt_account(jobs, job, ATTEMPT_UNFINISHED, (JobReason){0});
    }
}

void job_stalls(Jobs *jobs, Job *job, const Node *node)
{
    if (!job_is_active(job) || job_is_stalled(job))
        return;
    job->attempt->stalled_ns = jobs->engine->now_ns;
    transfers_cancel(jobs->storage, &job->transfers);
    exchange_cancel(jobs, job);
    TraceRecord *record = job_trace(jobs, TRACE_JOB_STALLED, job);
    record->node = node->id;
    recorder_emit(jobs->recorder);
}

/* --- Failures --- */

// The messages are the service's (batchai-service notes, "Error catalogue"); the texts in brackets
// are our own.
static const JobError command_failed = {"JobFailed", "Job failed with non-zero exit code"};
static const JobError preparation_failed = {"JobPreparationFailed",
                                            "Job preparation task failed with non-zero exit code"};

/* Kinds of mishaps in the addresses of RNG_CHANCE: part of the format, append only. */
enum { CHANCE_JOB_MOUNT = 1, CHANCE_CONTAINER };

static bool strikes(const Jobs *jobs, const Job *job, const Node *node, int64_t chance_ppm,
                    uint64_t kind)
{
    return chance_ppm > 0 &&
           engine_strikes(jobs->engine, chance_ppm, jobs->scenario->failures.rate_ppm, RNG_CHANCE,
                          job->address ^ node->address, kind << 32 | (uint32_t)job->starts);
}

/* The problem with a share, in plain words; NULL: there is none. */
static const char *share_trouble(const Jobs *jobs, const char *name, bool is_mounted_now)
{
    const ShareId share = storage_find_existing(jobs->storage, name);
    if (share.index == ID_NONE)
        return "doesn't exist";
    if (is_mounted_now && share_is_out(storage_share(jobs->storage, share)))
        return "does not answer";
    return NULL;
}

/* Checks the shares that the job mounts or its program uses. Returns the first problem, and the
 * share in `*share`; NULL: there is none. A share that was mounted before may be out: its transfers
 * hang. */
static const char *find_trouble(const Jobs *jobs, const Job *job, bool mounts_now,
                                const char **share)
{
    const char *trouble = NULL;
    for (int32_t i = 0; i < job->spec->mount_count && !trouble; i++) {
        *share = job->spec->mounts[i];
        trouble = share_trouble(jobs, *share, mounts_now);
    }
    const Program *program = job->spec->program;
    const char *used[] = {program->data_share, program->checkpoint_share, program->model_share};
    for (size_t i = 0; i < sizeof used / sizeof used[0] && !trouble; i++)
        if (used[i]) {
            *share = used[i];
            trouble = share_trouble(jobs, *share, false);
        }
    return trouble;
}

static bool is_blob_of(const char *const *mounts, const bool *is_blob_mount, int32_t count,
                       const char *share)
{
    for (int32_t i = 0; is_blob_mount != NULL && i < count; i++)
        if (is_blob_mount[i] && same_name(mounts[i], share))
            return true;
    return false;
}

/* Whether the job, or its cluster for it, mounts the share as a blob container. */
static bool is_blob(Jobs *jobs, const Job *job, const char *share)
{
    const JobSpec *own = job->spec;
    const ClusterSpec *shared = job_cluster(jobs, job)->spec;
    return is_blob_of(own->mounts, own->is_blob_mount, own->mount_count, share) ||
           is_blob_of(shared->mounts, shared->is_blob_mount, shared->mount_count, share);
}

static void fail_for_share(Jobs *jobs, Job *job, const Node *node, const char *share,
                           const char *trouble)
{
    JobError error = {"BFSMountError", NULL};
    if (is_blob(jobs, job, share))
        error.message = storage_blob_message(jobs->arena, share, trouble);
    else
        error = (JobError){
            "AZFMountError",
            arena_printf(jobs->arena, "Unable to mount Azure File (%s %s)", share, trouble)};
    job_fail_attempt(jobs, job, ATTEMPT_FAILED, error, -1,
                     (JobReason){.cause = CAUSE_MOUNT_FAILURE, .node = node});
}

static bool fail_mount(Jobs *jobs, Job *job, const Node *node)
{
    const char *share = NULL;
    const char *trouble = find_trouble(jobs, job, true, &share);
    if (!trouble &&
        strikes(jobs, job, node, jobs->scenario->failures.mount_ppm, CHANCE_JOB_MOUNT)) {
        share = job->spec->mounts[0];
        trouble = "refused the connection";
    }
    if (trouble)
        fail_for_share(jobs, job, node, share, trouble);
    return trouble != NULL;
}

static bool fail_container(Jobs *jobs, Job *job, const Node *node)
{
    const Failures *failures = &jobs->scenario->failures;
    if (!job->fails_next_container &&
        !strikes(jobs, job, node, failures->container_ppm, CHANCE_CONTAINER))
        return false;
    job->fails_next_container = false;
    const char *message = arena_printf(jobs->arena, "unable to start docker container (image %s)",
                                       job->spec->image->name);
    job_fail_attempt(jobs, job, ATTEMPT_FAILED, (JobError){"FailedStartingContainer", message}, -1,
                     (JobReason){.cause = CAUSE_CONTAINER_FAILURE, .node = node});
    return true;
}

void job_fail_next_container(Job *job)
{
    job->fails_next_container = true;
}

/* Whether a stage that the job has can fail. Its end is then an event, even if it takes no time. */
static bool can_fail(const Job *job, JobStage stage)
{
    return stage == STAGE_MOUNT || (stage == STAGE_CONTAINER && job->spec->image) ||
           (stage == STAGE_PREPARATION && job->spec->has_preparation);
}

/* Whether the stage that the node has just finished failed; if so, ends the job. */
static bool stage_fails(Jobs *jobs, Job *job, int32_t index, const Node *node, JobStage stage)
{
    if (!can_fail(job, stage))
        return false;
    if (stage == STAGE_MOUNT)
        return fail_mount(jobs, job, node);
    if (stage == STAGE_CONTAINER)
        return fail_container(jobs, job, node);
    int32_t exit_code = job_preparation_exit_code(job, index);
    const JobRan *ran = job_command_report(job, 1 + (uint32_t)index);
    JobError error = preparation_failed;
    if (exit_code == 0)
        return false;
    if (ran && ran->reason)
        error.message = ran->reason;
    job_fail_attempt(jobs, job, ATTEMPT_FAILED, error, exit_code,
                     (JobReason){.cause = CAUSE_EXIT, .node = node});
    return true;
}

/* --- Stages --- */

static int64_t stage_draw(const Jobs *jobs, const Job *job, const Node *node, JobStage stage,
                          Quantiles quantiles)
{
    uint64_t draw = (uint64_t)stage << 16 | (uint64_t)(job->starts & 0xffff);
    return engine_draw(jobs->engine, quantiles, RNG_NODE_STAGE, job->address ^ node->address, draw);
}

/* How long a stage that the job has takes on a node. Reading data from a share is a transfer, which
 * is not included. */
static int64_t stage_ns(const Jobs *jobs, const Job *job, const Node *node, JobStage stage)
{
    const JobSpec *spec = job->spec;
    const ServiceModel *s = &jobs->scenario->service;
    switch (stage) {
    case STAGE_MOUNT:
        return stage_draw(jobs, job, node, stage, s->job_mount_ns);
    case STAGE_PULL:
        if (node_has_image(node, spec->image))
            return 0;
        return bounded_add(
            bounded_at_rate_ns(spec->image->compressed_bytes, s->registry_bytes_per_s),
            bounded_at_rate_ns(spec->image->compressed_bytes, s->image_unpack_bytes_per_s));
    case STAGE_CONTAINER:
        return stage_draw(jobs, job, node, stage,
                          spec->image             ? s->container_start_ns
                          : spec->has_preparation ? s->host_overhead_prepared_ns
                                                  : s->host_overhead_ns);
    case STAGE_PREPARATION:
        return spec->preparation_ns.count > 0
                   ? stage_draw(jobs, job, node, stage, spec->preparation_ns)
                   : 0;
    case STAGE_START:
        return program_start_ns(spec->program);
    case STAGE_DOWNLOAD:
        return bounded_at_rate_ns(spec->program->data_set->download_bytes, s->internet_bytes_per_s);
    case STAGE_DATA:
    case STAGE_COUNT:
        break;
    }
    return 0;
}

static void begin_stage(Jobs *jobs, Job *job, int32_t node);

/* The program starts on all nodes together after the last is prepared; training after the last has
 * its data. */
static bool is_barrier(JobStage stage)
{
    return stage == STAGE_START || stage == STAGE_COUNT;
}

static bool lacks_script(const Jobs *jobs, const Job *job)
{
    const OutputPlace *script = &job->spec->script;
    if (!script->share)
        return false;
    const ShareId share = storage_find_share(jobs->storage, script->share);
    return share.index == ID_NONE ||
           file_set_find(storage_files(jobs->storage), share.index, script->directory) == FILE_NONE;
}

static void begin_program(Jobs *jobs, Job *job)
{
    enum { CANNOT_OPEN_SCRIPT = 2 }; // Python's exit code in this case
    job->attempt->program_ns = jobs->engine->now_ns;
    job->attempt->lacks_script = lacks_script(jobs, job);
    if (job->attempt->lacks_script) {
        job_exit(jobs, job, CANNOT_OPEN_SCRIPT);
        return;
    }
    for (int32_t n = 0; n < job->request.nodes; n++)
        begin_stage(jobs, job, n);
    if (job_is_real(job) && (job->epochs_kept > 0 || job->attempt->kept_steps > 0))
        epochs_emit_resumed(jobs, job, job->spec->program->training);
}

/* Pushes the event of a limit, counted from the start of the job, unless the job's program, which
 * takes `left_ns` more, ends before. */
static void push_limit(Jobs *jobs, const Job *job, EventKind kind, int64_t limit_ns,
                       int64_t left_ns)
{
    const int64_t passed_ns = jobs->engine->now_ns - job->started_ns;
    if (bounded_add(passed_ns, left_ns) < limit_ns)
        return;
    job_push(jobs, job,
             limit_ns == INT64_MAX  ? INT64_MAX
             : limit_ns > passed_ns ? limit_ns - passed_ns
                                    : 0,
             kind, 0);
}

/* `left_ns` INT64_MAX: it is not known how long the job takes. */
static void push_limits(Jobs *jobs, const Job *job, int64_t left_ns)
{
    push_limit(jobs, job, EVENT_JOB_TIMED_OUT, job_wall_clock_max_ns(jobs->scenario, job), left_ns);
    if (job_kind(jobs, job)->spec.is_low_priority)
        push_limit(jobs, job, EVENT_JOB_RUN_LENGTH, jobs->scenario->service.low_priority_run_max_ns,
                   left_ns);
}

static void begin_command(Jobs *jobs, Job *job)
{
    work_begin(jobs, job);
    if (job_list_of(jobs->scenario, job) != NULL)
        push_limits(jobs, job, work_may_be_delayed(job) ? INT64_MAX : job->attempt->command_ns);
    job_push(jobs, job, job->attempt->command_ns, EVENT_JOB_PROGRAM_DONE, 0);
}

static void pass_barrier(Jobs *jobs, Job *job, JobStage stage)
{
    const char *share = NULL;
    const char *trouble = find_trouble(jobs, job, false, &share);
    job->attempt->nodes_at_work = job->request.nodes;
    if (trouble)
        fail_for_share(jobs, job, NULL, share, trouble);
    else if (stage == STAGE_START)
        begin_program(jobs, job);
    else if (job_trains(job))
        epochs_data_ready(jobs, job);
    else if (job->spec->program->kind == PROGRAM_SHELL)
        job_script_begins(jobs, job, 0, 0);
    else if (!job_is_real(job)) // COMMAND_JOB_RAN reports the end of a real program
        begin_command(jobs, job);
}

static void note_stage_end(const Jobs *jobs, Job *job, int32_t node)
{
    JobAttempt *attempt = job->attempt;
    attempt->stage_end_ns[node * STAGE_COUNT + (int32_t)attempt->stage[node]] =
        jobs->engine->now_ns;
}

/* Begins the node's present stage, which the job has; returns whether it takes time. */
static bool stage_takes_time(Jobs *jobs, Job *job, int32_t node, JobStage stage)
{
    if (stage == STAGE_DATA) {
        const Program *program = job->spec->program;
        job_transfer(jobs, job, node, TRANSFER_FOR_DATA, program->data_share, program->data_bytes);
        return true;
    }
    if (stage == STAGE_PREPARATION && job_prepares_outside(job) && job->spec->has_preparation)
        return true; // COMMAND_JOB_RAN reports its end
    int64_t delay_ns = stage_ns(jobs, job, node_row(jobs->clusters, job->nodes[node]), stage);
    if (stage == STAGE_PREPARATION && job->spec->preparation_script) {
        job_script_begins(jobs, job, 1 + (uint32_t)node, delay_ns);
        return true;
    }
    if (delay_ns == 0 && !can_fail(job, stage))
        return false;
    job_push(jobs, job, delay_ns, EVENT_JOB_STAGE_DONE, (uint32_t)node);
    return true;
}

/* The node has reached a barrier, which the job passes after all nodes have. */
static void reach_barrier(Jobs *jobs, Job *job, JobStage stage)
{
    if (--job->attempt->nodes_at_work == 0)
        pass_barrier(jobs, job, stage);
}

/* Begins the node's present stage, and the following ones while they take no time. */
static void begin_stage(Jobs *jobs, Job *job, int32_t node)
{
    JobStage *stage = &job->attempt->stage[node];
    while (!has_stage(job, *stage) || !stage_takes_time(jobs, job, node, *stage)) {
        note_stage_end(jobs, job, node);
        if (is_barrier(++*stage)) {
            reach_barrier(jobs, job, *stage);
            return;
        }
    }
}

/* Begins the node's next stage; at a barrier only after all nodes have reached it. */
static void next_stage(Jobs *jobs, Job *job, int32_t node)
{
    JobStage next = ++job->attempt->stage[node];
    if (is_barrier(next))
        reach_barrier(jobs, job, next);
    else
        begin_stage(jobs, job, node);
}

static void emit_stage(Jobs *jobs, const Job *job, int32_t node, JobStage stage)
{
    TraceRecord *record = job_trace(jobs, TRACE_JOB_STAGE, job);
    record->node = job->nodes[node];
    record->since_ns = job_stage_begin_ns(job, node, stage);
    record->name = job_stage_name(stage);
    if (stage == STAGE_PULL)
        record->bytes = job->spec->image->compressed_bytes;
    if (stage == STAGE_DOWNLOAD)
        record->bytes = job->spec->program->data_set->download_bytes;
    if (stage == STAGE_DATA)
        record->bytes = job->spec->program->data_bytes;
    recorder_emit(jobs->recorder);
}

void job_stage_done(Jobs *jobs, Job *job, uint32_t index)
{
    const int32_t node = (int32_t)index;
    JobStage stage = job->attempt->stage[node];
    Node *row = node_row(jobs->clusters, job->nodes[node]);
    emit_stage(jobs, job, node, stage);
    note_stage_end(jobs, job, node);
    if (stage == STAGE_PULL)
        node_keep_image(jobs->clusters, row, job->spec->image);
    if (!stage_fails(jobs, job, node, row, stage))
        next_stage(jobs, job, node);
}

/* --- Running --- */

void job_start(Jobs *jobs, Job *job)
{
    make_room(jobs, job);
    attempt_reset(job);
    job->nodes = job->attempt->nodes;
    job->attempt->nodes_at_work = job->request.nodes;
    job->starts++;
    job->started_ns = jobs->engine->now_ns;
    job_set_state(jobs, job, JOB_RUNNING, (JobReason){0});
    cluster_take(jobs->clusters, job_cluster(jobs, job), job->id, job->request, job->nodes);
    demand_is_met(jobs, job);
    // The limits of a job of a list are set when its program begins, if the program reaches them.
    if (job_list_of(jobs->scenario, job) == NULL)
        push_limits(jobs, job, INT64_MAX);
    job_moment(jobs, job, MOMENT_JOB_STARTED, 0);
    for (int32_t n = 0; n < job->request.nodes; n++)
        begin_stage(jobs, job, n);
    // A node may have fallen silent without the service having noticed.
    for (int32_t n = 0; n < job->request.nodes; n++)
        if (node_row(jobs->clusters, job->nodes[n])->is_silent)
            job_stalls(jobs, job, node_row(jobs->clusters, job->nodes[n]));
}

/* The exit code of the program if no fault interrupts it. */
static int32_t program_exit_code(const Job *job)
{
    const JobRan *ran = job_command_report(job, 0);
    if (ran)
        return ran->exit_code;
    return job->attempt->shell ? job->attempt->shell->exit_code : job->spec->program->exit_code;
}

void job_program_done(Jobs *jobs, Job *job)
{
    if (work_is_delayed(jobs, job))
        return;
    job_exit(jobs, job, program_exit_code(job));
}

void job_exit(Jobs *jobs, Job *job, int32_t exit_code)
{
    const JobRan *ran = job_command_report(job, 0);
    JobError error = command_failed;
    if (ran && ran->reason)
        error.message = ran->reason;
    if (exit_code != 0 || job->state == JOB_TERMINATING)
        job_fail_attempt(jobs, job, ATTEMPT_FAILED, error, exit_code,
                         (JobReason){.cause = CAUSE_EXIT});
    else
        job_succeed(jobs, job);
}

bool job_exits_now(Jobs *jobs, Job *job, int32_t exit_code)
{
    bool runs = job_is_active(job) && !job_is_stalled(job) && job->attempt->program_ns != INT64_MAX;
    if (runs)
        job_exit(jobs, job, exit_code);
    return runs;
}

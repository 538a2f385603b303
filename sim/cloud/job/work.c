#include "sim/cloud/job/work.h"

#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/pace.h"
#include "sim/cloud/job/tables.h"
#include "sim/model/bounded.h"
#include "sim/model/work.h"

/* The last checkpoint on notice of an attempt. */
typedef struct WorkSave {
    int64_t begin_ns; /* INT64_MAX: none yet */
    WorkDone before;  /* in this attempt, at `begin_ns` */
} WorkSave;

bool job_keeps_work(const Job *job)
{
    return job->spec->program->kind == PROGRAM_FIXED;
}

/* --- The duration --- */

/* Kinds of draws at a job's own address in RNG_CHANCE: part of the format, append only. */
enum { CHANCE_CHECKPOINTS = 1 };

/* The checkpoints of the job; NULL: it writes none. */
static const WorkCheckpoints *checkpoints_of(const Jobs *jobs, const Job *job)
{
    const Program *program = job->spec->program;
    const WorkCheckpoints *all = &program->work;
    if (!program_saves_work(program))
        return NULL; // the usual case
    const bool writes =
        all->jobs_ppm == PPM || engine_strikes(jobs->engine, all->jobs_ppm, PPM, RNG_CHANCE,
                                               job->address, (uint64_t)CHANCE_CHECKPOINTS << 32);
    return writes ? all : NULL;
}

static WorkRhythm rhythm_of(const Job *job)
{
    const WorkCheckpoints *checkpoints = job->attempt->checkpoints;
    return checkpoints != NULL ? (WorkRhythm){checkpoints->every_ns, checkpoints->takes_ns}
                               : (WorkRhythm){0};
}

/* How long the program works in all attempts together. An attempt that may continue an earlier one
 * has the same draw. */
static int64_t whole_ns(const Jobs *jobs, const Job *job)
{
    const JobList *list = job_list_of(jobs->scenario, job);
    const int32_t draw = job->attempt->checkpoints != NULL ? 1 : job->starts - job->preemptions;
    return list != NULL ? list->run_ns[job->row]
                        : engine_sample(jobs->engine, job->spec->program->duration, RNG_NODE_STAGE,
                                        job->address, (uint64_t)(draw & 0xffff));
}

/* How long the program works in this attempt, on nodes of its kind. */
static int64_t left_ns(const Jobs *jobs, const Job *job)
{
    const int64_t stated_ns = whole_ns(jobs, job);
    return pace_of_kind_ns(jobs, job,
                           stated_ns > job->carried_ns ? stated_ns - job->carried_ns : 0);
}

void work_begin(Jobs *jobs, Job *job)
{
    JobAttempt *attempt = job->attempt;
    attempt->checkpoints = checkpoints_of(jobs, job);
    attempt->command_ns =
        bounded_add(work_duration_ns(rhythm_of(job), left_ns(jobs, job)), job->owed_ns);
    if (attempt->checkpoints == NULL)
        return; // the usual case
    if (attempt->save != NULL)
        attempt->save->begin_ns = INT64_MAX; // that of an earlier attempt
    if (job->carried_ns == 0)
        return;
    job_trace(jobs, TRACE_JOB_WORK_RESUMED, job)->job_work_resumed.work_ns = job->carried_ns;
    recorder_emit(jobs->recorder);
}

bool work_may_be_delayed(const Job *job)
{
    return job->attempt->checkpoints != NULL && job->spec->program->saves_on_notice;
}

bool work_is_delayed(const Jobs *jobs, const Job *job)
{
    const int64_t passed_ns = jobs->engine->now_ns - job->attempt->program_ns;
    return job_keeps_work(job) && passed_ns < job->attempt->command_ns;
}

/* --- Progress --- */

/* Whether a checkpoint on notice has been begun in this attempt. */
static bool has_saved(const Job *job)
{
    return job->attempt->checkpoints != NULL && job->attempt->save != NULL &&
           job->attempt->save->begin_ns != INT64_MAX;
}

static int64_t paid_until_ns(const Job *job, int64_t at_ns)
{
    const int64_t program_ns = job->attempt->program_ns;
    const int64_t passed_ns = program_ns != INT64_MAX ? at_ns - program_ns : 0;
    return passed_ns < job->owed_ns ? passed_ns : job->owed_ns;
}

/* When the rhythm of work and checkpoints began for the last time in this attempt, whose program
 * has begun. */
static int64_t rhythm_begin_ns(const Job *job)
{
    return has_saved(job)
               ? bounded_add(job->attempt->save->begin_ns, job->attempt->checkpoints->takes_ns)
               : bounded_add(job->attempt->program_ns, job->owed_ns);
}

/* The work of this attempt up to `at_ns`, in time on its nodes. */
static WorkDone done_until(const Job *job, int64_t at_ns)
{
    if (job->attempt->program_ns == INT64_MAX)
        return (WorkDone){0};
    const int64_t begin_ns = rhythm_begin_ns(job);
    const WorkDone since = work_done_after(rhythm_of(job), at_ns > begin_ns ? at_ns - begin_ns : 0);
    if (!has_saved(job))
        return since;
    const WorkSave *save = job->attempt->save;
    WorkDone done = save->before;
    if (at_ns <= begin_ns) { // the checkpoint on notice does not count yet
        done.writing_ns += at_ns - save->begin_ns;
        return done;
    }
    const int64_t writing_ns = done.writing_ns + job->attempt->checkpoints->takes_ns;
    return (WorkDone){.work_ns = done.work_ns + since.work_ns,
                      .writing_ns = writing_ns + since.writing_ns,
                      .kept_ns = done.work_ns + since.kept_ns,
                      .kept_writing_ns = writing_ns + since.kept_writing_ns};
}

/* Now, or when the job began to stall. */
static int64_t progress_end_ns(const Jobs *jobs, const Job *job)
{
    const int64_t now_ns = jobs->engine->now_ns;
    return job->attempt->stalled_ns < now_ns ? job->attempt->stalled_ns : now_ns;
}

int64_t work_paid_ns(const Jobs *jobs, const Job *job)
{
    return job_keeps_work(job) && !job_is_stalled(job) ? paid_until_ns(job, jobs->engine->now_ns)
                                                       : 0;
}

WorkCarried work_carried(const Jobs *jobs, const Job *job, bool is_lost)
{
    WorkCarried carried = {job->carried_ns, job->owed_ns};
    if (!job_keeps_work(job))
        return carried;
    const WorkDone done = done_until(job, progress_end_ns(jobs, job));
    if (!is_lost && !job_is_stalled(job)) {
        carried.carried_ns =
            bounded_add(carried.carried_ns, pace_stated_ns(jobs, job, done.work_ns));
        carried.owed_ns -= work_paid_ns(jobs, job);
    } else if (done.kept_ns > 0) {
        carried.carried_ns =
            bounded_add(carried.carried_ns, pace_stated_ns(jobs, job, done.kept_ns));
        carried.owed_ns = job->attempt->checkpoints->restart_ns;
    }
    return carried;
}

void work_node_time(const Jobs *jobs, const Job *job, NodeTime *done, NodeTime *kept)
{
    *done = *kept = (NodeTime){0};
    if (job->attempt->checkpoints == NULL)
        return;
    const int64_t nodes = job->request.nodes;
    const WorkDone work = done_until(job, progress_end_ns(jobs, job));
    *done = (NodeTime){.kept_ns = bounded_times(nodes, work.work_ns),
                       .checkpoint_ns = bounded_times(nodes, work.writing_ns)};
    *kept = (NodeTime){.kept_ns = bounded_times(nodes, work.kept_ns),
                       .checkpoint_ns = bounded_times(nodes, work.kept_writing_ns)};
}

/* --- Notice --- */

void work_on_notice(Jobs *jobs, Job *job)
{
    JobAttempt *attempt = job->attempt;
    if (job->state != JOB_RUNNING || job_is_stalled(job) || attempt->program_ns == INT64_MAX ||
        !work_may_be_delayed(job))
        return;
    const int64_t now_ns = jobs->engine->now_ns, begin_ns = rhythm_begin_ns(job);
    if (now_ns <= begin_ns || !work_is_unsaved(rhythm_of(job), now_ns - begin_ns))
        return;
    const WorkDone before = done_until(job, now_ns);
    const int64_t rest_ns = work_duration_ns(rhythm_of(job), left_ns(jobs, job) - before.work_ns);
    if (attempt->save == NULL)
        attempt->save = ARENA_NEW(jobs->arena, WorkSave);
    *attempt->save = (WorkSave){.begin_ns = now_ns, .before = before};
    const int64_t takes_ns = attempt->checkpoints->takes_ns;
    const int64_t delay_ns = bounded_add(takes_ns, rest_ns);
    attempt->command_ns = bounded_add(now_ns - attempt->program_ns, delay_ns);
    job_push(jobs, job, takes_ns, EVENT_TRAINING_CHECKPOINTED, 0);
    job_push(jobs, job, delay_ns, EVENT_JOB_PROGRAM_DONE, 0);
}

void work_saved(Jobs *jobs, Job *job)
{
    const WorkSave *save = job->attempt->save;
    TraceRecord *record = job_trace(jobs, TRACE_JOB_WORK_SAVED, job);
    record->node = job->nodes[0];
    record->since_ns = save->begin_ns;
    record->cause = job->attempt->warned_by;
    record->job_work_saved.work_ns =
        bounded_add(job->carried_ns, pace_stated_ns(jobs, job, save->before.work_ns));
    recorder_emit(jobs->recorder);
}

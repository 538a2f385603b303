#include "emu/control/goal.h"

#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/scenario/command/trigger_read.h"

/* Whether the moment has already happened. */
static bool is_cluster_so(const Cluster *cluster, Moment moment)
{
    bool is_living = cluster->provisioning == PROVISIONING_SUCCEEDED;
    bool is_steady = is_living && cluster->allocation == ALLOCATION_STEADY;
    if (moment == MOMENT_CLUSTER_DELETED)
        return cluster->provisioning == PROVISIONING_DELETED;
    if (moment == MOMENT_CLUSTER_STEADY)
        return is_steady;
    if (moment == MOMENT_CLUSTER_EMPTY)
        return is_steady && cluster->current_nodes == 0;
    return is_steady && cluster->node_count[NODE_PREPARING] == 0 &&
           cluster->node_count[NODE_IDLE] + cluster->node_count[NODE_RUNNING] > 0;
}

/* When the moment happened; INT64_MAX: the time is not known. */
static int64_t cluster_moment_ns(const Cluster *cluster, Moment moment)
{
    if (moment == MOMENT_CLUSTER_DELETED)
        return cluster->provisioning_since_ns;
    // Nodes that run jobs no longer say when they were prepared.
    return moment == MOMENT_CLUSTER_READY ? INT64_MAX : cluster->allocation_since_ns;
}

/* INT64_MAX for an epoch of an attempt before the last one. */
static int64_t epoch_begin_ns(const Job *job, int64_t ordinal)
{
    const Training *training = job->attempt != NULL ? job->attempt->training : NULL;
    const bool is_known = training != NULL && job->attempt->training_ns != INT64_MAX &&
                          ordinal > training->first_epoch && ordinal <= training->plan.epochs;
    return is_known ? job_epoch_times(job, ordinal - 1).begin_ns : INT64_MAX;
}

/* Whether the moment has happened. If so, `*came_ns` is its time; INT64_MAX: it is not known. */
static bool is_job_so(const Job *job, const Trigger *trigger, int64_t now_ns, int64_t *came_ns)
{
    switch (trigger->moment) {
    case MOMENT_JOB_SUBMITTED:
        *came_ns = job->created_ns;
        return true;
    case MOMENT_JOB_STARTED:
        *came_ns = job->started_ns;
        return *came_ns != INT64_MAX;
    case MOMENT_JOB_TRAINING:
        *came_ns = job->attempt != NULL ? job->attempt->training_ns : INT64_MAX;
        return *came_ns != INT64_MAX;
    case MOMENT_JOB_COMPLETED:
        *came_ns = job->ended_ns;
        return job->state == JOB_SUCCEEDED || job->state == JOB_FAILED;
    case MOMENT_JOB_EPOCH: // it begins when the one before it is done
        *came_ns = epoch_begin_ns(job, trigger->ordinal);
        return job_epochs_done(job, now_ns) >= trigger->ordinal ||
               (job_epochs_done(job, now_ns) == trigger->ordinal - 1 && job_is_training(job));
    case MOMENT_JOB_REQUEUED:
        *came_ns = job->starts == trigger->ordinal ? job->state_since_ns : INT64_MAX;
        return job->starts > trigger->ordinal ||
               (job->starts == trigger->ordinal && job->state == JOB_QUEUED);
    case MOMENT_JOB_CHECKPOINT:
    case MOMENT_JOB_STEP:
    case MOMENT_JOB_SAVED:
    case MOMENT_AT:
    case MOMENT_CLUSTER_STEADY:
    case MOMENT_CLUSTER_READY:
    case MOMENT_CLUSTER_EMPTY:
    case MOMENT_CLUSTER_DELETED:
    case MOMENT_CONDITION:
    case MOMENT_COUNT:
        break;
    }
    return false;
}

bool goal_find_subject(const World *world, Goal *goal, Status *status)
{
    const Trigger *trigger = &goal->moment.trigger;
    const CommandKind made_by = goal->has_moment ? moment_made_by(trigger->moment)
                                                 : quantity_made_by(goal->condition.quantity);
    const char *name = goal->has_moment ? trigger->subject : goal->condition.subject;
    goal->subject = world_subject(world, made_by, name);
    goal->moment.subject = goal->subject;
    return goal->subject != ID_NONE ||
           status_fail(status, STATUS_NOT_FOUND, place_in("until", 0, 0), "there is no %s \"%s\"",
                       resource_noun(made_by), name);
}

bool goal_has_come(const World *world, const Goal *goal, int64_t *came_ns)
{
    const Trigger *trigger = &goal->moment.trigger;
    if (moment_is_of_job(trigger->moment)) {
        const Job *job = world_job(world, (JobId){goal->subject}); // NULL: it is forgotten
        if (job != NULL && is_job_so(job, trigger, world_now_ns(world), came_ns))
            return true;
    } else {
        const Cluster *cluster = world_cluster(world, (ClusterId){goal->subject});
        *came_ns = cluster != NULL ? cluster_moment_ns(cluster, trigger->moment) : INT64_MAX;
        if (cluster != NULL && is_cluster_so(cluster, trigger->moment))
            return true;
    }
    *came_ns = INT64_MAX;
    return false;
}

bool goal_read(const Control *control, Arena *arena, const char *text, Goal *goal, Status *status)
{
    const Place at = place_in("until", 0, 0);
    Status unheard = {0};
    Trigger trigger;
    int64_t unix_ms;
    *goal = (Goal){.held_since_ns = INT64_MAX, .at_ns = INT64_MAX};
    if (iso_time_parse(text, at, &unix_ms, &unheard)) {
        int64_t start_ms = session_scenario(control->session)->start_unix_ms;
        if (unix_ms < start_ms || unix_ms - start_ms > INT64_MAX / NS_PER_MS)
            return status_fail(status, STATUS_BAD_INPUT, at, "%s is not in this world's time",
                               text);
        goal->at_ns = (unix_ms - start_ms) * NS_PER_MS;
        return true;
    }
    if (condition_read(arena, text, at, &goal->condition, &unheard)) {
        goal->has_condition = true;
        return true;
    }
    if (!trigger_read(arena, text, at, &trigger, &unheard) || moment_counts_steps(trigger.moment)) {
        status_fail(status, STATUS_BAD_INPUT, at,
                    "\"%s\" is not an instant, a moment or a condition", text);
        return status_hint(status, "as in \"2018-07-18T18:00:00Z\", \"job train completed\", "
                                   "\"cluster gpu ready + 5m\" or \"cluster gpu idle >= 2\"");
    }
    goal->has_moment = true;
    goal->moment = moment_watch(&trigger);
    return true;
}

static bool condition_is_met(const World *world, Goal *goal)
{
    int64_t now_ns = world_now_ns(world);
    if (!world_condition_holds_of(world, &goal->condition, goal->subject)) {
        goal->held_since_ns = INT64_MAX;
        return false;
    }
    if (goal->held_since_ns == INT64_MAX)
        goal->held_since_ns = now_ns;
    return now_ns - goal->held_since_ns >= goal->condition.for_ns;
}

int64_t goal_next_look_ns(const World *world, const Goal *goal)
{
    int64_t next_ns = world_next_event_ns(world);
    if (goal->has_condition && goal->held_since_ns != INT64_MAX &&
        goal->held_since_ns <= INT64_MAX - goal->condition.for_ns &&
        goal->held_since_ns + goal->condition.for_ns < next_ns)
        next_ns = goal->held_since_ns + goal->condition.for_ns;
    return next_ns;
}

bool goal_is_met(const Control *control, Goal *goal)
{
    const World *world = session_world(control->session);
    int64_t came_ns;
    if (goal->has_condition)
        return condition_is_met(world, goal);
    // At job fidelity the beginning of an epoch is not an event: the job is asked.
    if (goal->has_moment && goal->moment.trigger.moment == MOMENT_JOB_EPOCH)
        return goal_has_come(world, goal, &came_ns);
    return goal->has_moment && events_heard(control->events);
}

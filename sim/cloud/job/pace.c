#include "sim/cloud/job/pace.h"

#include "sim/base/invariant.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/exchange.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/tables.h"
#include "sim/model/bounded.h"

int64_t pace_speed_ppm(const Jobs *jobs, const Job *job)
{
    return kind_speed_ppm(job_speeds(jobs->scenario, job), request_kind(job->request),
                          job_kind(jobs, job)->spec.speed_ppm);
}

int64_t pace_of_kind_ns(const Jobs *jobs, const Job *job, int64_t stated_ns)
{
    const int64_t speed_ppm = pace_speed_ppm(jobs, job);
    return speed_ppm == PPM ? stated_ns : bounded_part(stated_ns, PPM, speed_ppm);
}

int64_t pace_stated_ns(const Jobs *jobs, const Job *job, int64_t on_kind_ns)
{
    const int64_t speed_ppm = pace_speed_ppm(jobs, job);
    return speed_ppm == PPM ? on_kind_ns : mul_div(on_kind_ns, speed_ppm, PPM);
}

static int64_t node_speed_ppm(const Jobs *jobs, const Job *job, int32_t node)
{
    int64_t speed_ppm = node_by_id(jobs->clusters, job->nodes[node])->speed_ppm;
    invariant(speed_ppm > 0);
    return speed_ppm;
}

static bool is_as_modelled(const Jobs *jobs, const Job *job)
{
    for (int32_t n = 0; n < job->request.nodes; n++)
        if (node_speed_ppm(jobs, job, n) != PPM)
            return false;
    return true;
}

const int64_t *pace_of_ranks(const Jobs *jobs, const Job *job, int64_t **room, Arena *arena)
{
    if (is_as_modelled(jobs, job))
        return NULL;
    if (!*room)
        *room = ARENA_ARRAY(arena, int64_t, job->spec->processes);
    for (int32_t rank = 0; rank < job->spec->processes; rank++)
        (*room)[rank] = node_speed_ppm(jobs, job, job_node_of_rank(job, rank));
    return *room;
}

int64_t pace_of_slowest_ns(const Jobs *jobs, const Job *job, int64_t modelled_ns)
{
    int64_t slowest_ppm = node_speed_ppm(jobs, job, 0);
    for (int32_t n = 1; n < job->request.nodes; n++) {
        int64_t speed_ppm = node_speed_ppm(jobs, job, n);
        slowest_ppm = speed_ppm < slowest_ppm ? speed_ppm : slowest_ppm;
    }
    return slowest_ppm == PPM ? modelled_ns : bounded_part(modelled_ns, PPM, slowest_ppm);
}

bool pace_shares_wires(const Jobs *jobs, const Job *job)
{
    return job->attempt->training->plan.wire_bytes > 0 && exchange_is_shared(jobs, job);
}

/* --- Many steps at once --- */

/* The plan with the exchange at the job's present rate on shared wires. */
static StepPlan plan_on_wires(const Jobs *jobs, const Job *job)
{
    StepPlan plan = job->attempt->training->plan;
    if (!pace_shares_wires(jobs, job))
        return plan;
    int64_t rate = exchange_rate_bytes_per_s(jobs, job);
    if (rate >= plan.wire_bytes_per_s)
        return plan;
    int64_t wire_ns = rate > 0 ? bounded_at_rate_ns(plan.wire_bytes, rate) : INT64_MAX;
    plan.exchange_ns = bounded_add(plan.exchange_ns - plan.wire_ns, wire_ns);
    plan.wire_ns = wire_ns;
    return plan;
}

/* The mean step if nodes differ in speed. Returns rank 0's parts; `*nodes` is the node time. */
static StepParts mean_of_slow_nodes(const Jobs *jobs, const Job *job, const StepPlan *plan,
                                    NodeTime *nodes)
{
    Arena *scratch = arena_create();
    int64_t *room = NULL;
    const int64_t *speed_ppm = pace_of_ranks(jobs, job, &room, scratch);
    StepParts *parts = ARENA_ARRAY(scratch, StepParts, plan->ranks);
    step_parts_mean_of_ranks(plan, speed_ppm, parts);
    StepParts first = parts[0];
    *nodes = training_node_time(parts, first, plan->ranks, job->request.nodes);
    arena_destroy(scratch);
    return first;
}

void pace_estimate(const Jobs *jobs, Job *job)
{
    Training *t = job->attempt->training;
    StepPlan plan = plan_on_wires(jobs, job);
    StepParts mean;
    NodeTime nodes;
    if (is_as_modelled(jobs, job)) {
        mean = step_parts_mean(&plan);
        nodes = training_node_time(NULL, mean, plan.ranks, job->request.nodes);
    } else {
        mean = mean_of_slow_nodes(jobs, job, &plan, &nodes);
    }
    t->step_parts = mean;
    t->step_nodes = nodes;
    t->evaluate_ns = pace_of_slowest_ns(jobs, job, plan.evaluate_ns);
}

/* The checkpoints of the training up to the begin of the attempt. */
static int64_t checkpoints_before(const Job *job)
{
    const Training *t = job->attempt->training;
    const TrainingPoint first = {t->first_epoch, t->first_step};
    return program_steps_at(job->spec->program, first) /
           program_checkpoint_steps(job->spec->program);
}

/* The checkpoints of the attempt until so many steps of the training, the one after them included;
 * 0 before the begin of the attempt. */
static int64_t checkpoints_until(const Job *job, int64_t steps)
{
    const Program *program = job->spec->program;
    if (program->checkpoint_bytes == 0)
        return 0;
    const int64_t checkpoints = steps / program_checkpoint_steps(program) - checkpoints_before(job);
    return checkpoints > 0 ? checkpoints : 0;
}

/* A checkpoint that is written during steps blocks the ranks for a time, after the last one is
 * written. The one after the last step is awaited. */
static int64_t until_behind_ns(const Job *job, int64_t epochs_done)
{
    const Training *t = job->attempt->training;
    const int64_t step_ns = step_parts_sum(t->step_parts), write_ns = t->checkpoint_ns;
    const int64_t blocks_ns = job->spec->program->checkpoint_blocks_ns;
    const int64_t epochs = epochs_done - t->first_epoch;
    const bool is_end = epochs_done == t->plan.epochs;
    const int64_t behind = epochs - is_end;
    int64_t sum_ns = 0;
    if (behind > 0) {
        const int64_t own_ns =
            bounded_add(bounded_times(step_ns, t->plan.steps_per_epoch), t->evaluate_ns);
        const int64_t first_ns = own_ns - bounded_times(step_ns, t->first_step);
        const int64_t paced_ns = own_ns > write_ns ? own_ns : write_ns;
        sum_ns = bounded_add(bounded_add(first_ns, blocks_ns),
                             bounded_times(bounded_add(paced_ns, blocks_ns), behind - 1));
    }
    if (epochs > 0 && is_end) {
        const int64_t steps =
            plan_epoch_steps(&t->plan, epochs_done - 1) - training_steps_before(t, epochs_done - 1);
        const int64_t own_ns = bounded_add(bounded_times(step_ns, steps), t->evaluate_ns);
        const bool waits = behind > 0 && own_ns < write_ns;
        sum_ns = bounded_add(bounded_add(sum_ns, waits ? write_ns : own_ns), write_ns);
    }
    return sum_ns;
}

int64_t pace_until_ns(const Job *job, int64_t epochs_done)
{
    const Training *t = job->attempt->training;
    if (job->spec->program->writes_behind)
        return until_behind_ns(job, epochs_done);
    const int64_t steps = training_steps_until(t, epochs_done);
    const int64_t checkpoints = checkpoints_until(
        job, program_steps_at(job->spec->program, (TrainingPoint){.epochs = epochs_done}));
    const int64_t steps_ns = bounded_times(step_parts_sum(t->step_parts), steps);
    return bounded_add(
        bounded_add(steps_ns, bounded_times(t->evaluate_ns, epochs_done - t->first_epoch)),
        bounded_times(t->checkpoint_ns, checkpoints));
}

int64_t pace_until_step_ns(const Job *job, TrainingPoint point)
{
    const Training *t = job->attempt->training;
    const int64_t steps = point.steps - training_steps_before(t, point.epochs);
    const int64_t begin_ns = pace_until_ns(job, point.epochs);
    if (steps <= 0)
        return begin_ns;
    const int64_t end = program_steps_at(job->spec->program, point);
    const int64_t within = checkpoints_until(job, end - 1) - checkpoints_until(job, end - steps);
    return bounded_add(begin_ns, bounded_add(bounded_times(step_parts_sum(t->step_parts), steps),
                                             bounded_times(t->checkpoint_ns, within)));
}

int64_t pace_step_under_way(const Job *job, int64_t epoch, int64_t after_ns)
{
    const Training *t = job->attempt->training;
    int64_t low = training_steps_before(t, epoch) + 1, high = plan_epoch_steps(&t->plan, epoch);
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (pace_until_step_ns(job, (TrainingPoint){epoch, middle}) >= after_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int64_t pace_until_written_ns(const Job *job, int64_t epochs_done)
{
    const Training *t = job->attempt->training;
    const bool is_behind = job->spec->program->writes_behind && epochs_done < t->plan.epochs;
    return bounded_add(pace_until_ns(job, epochs_done), is_behind ? t->checkpoint_ns : 0);
}

int64_t pace_epochs_done(const Job *job, int64_t at_ns)
{
    const Training *t = job->attempt->training;
    const int64_t elapsed_ns = at_ns - job->attempt->training_ns;
    if (job->attempt->training_ns == INT64_MAX)
        return 0;
    int64_t low = t->first_epoch, high = t->plan.epochs; // bounds of the result, both included
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;
        if (pace_until_ns(job, middle) <= elapsed_ns)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The point after so many checkpoints of the training. */
static TrainingPoint point_of(const Program *program, int64_t checkpoints)
{
    const int64_t steps = bounded_times(checkpoints, program_checkpoint_steps(program));
    return (TrainingPoint){steps / program->steps_per_epoch, steps % program->steps_per_epoch};
}

TrainingPoint pace_checkpoint_from(const Job *job, int64_t steps)
{
    const Program *program = job->spec->program;
    return point_of(program, divide_up(steps, program_checkpoint_steps(program)));
}

int64_t pace_until_saved_ns(const Job *job, TrainingPoint point)
{
    return point.steps == 0
               ? pace_until_written_ns(job, point.epochs)
               : bounded_add(pace_until_step_ns(job, point), job->attempt->training->checkpoint_ns);
}

TrainingPoint pace_kept(const Job *job, int64_t at_ns)
{
    const Program *program = job->spec->program;
    const int64_t elapsed_ns = at_ns - job->attempt->training_ns;
    const int64_t before = checkpoints_before(job);
    const TrainingPoint end = {.epochs = job->attempt->training->plan.epochs};
    int64_t low = before, high = before + checkpoints_until(job, program_steps_at(program, end));
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;
        if (pace_until_saved_ns(job, point_of(program, middle)) <= elapsed_ns)
            low = middle;
        else
            high = middle - 1;
    }
    return point_of(program, low);
}

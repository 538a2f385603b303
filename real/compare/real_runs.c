#include "real/compare/real_runs.h"

#include <inttypes.h>
#include <string.h>

#include "real/compare/device.h"
#include "real/compare/ran.h"
#include "sim/cloud/training/layer_rates.h"

/* Whether `attempt` has the predicted device, ranks, batch, precision and network. */
static bool fits_prediction(Arena *arena, const PredictedJob *prediction, const RanAttempt *attempt,
                            Status *status)
{
    const char *whose = arena_printf(arena, "job \"%s\"", prediction->job);
    const Place at = place_in(attempt->source, 0, 0);
    const char *precision = step_precision_word(prediction->program->precision);
    const int64_t batch = prediction->program->batch_per_rank;
    if (!device_check(whose, prediction->vm_size, device_of_backend(attempt->backend), at, status))
        return false;
    if (attempt->ranks != prediction->plan.ranks)
        return status_fail(status, STATUS_BAD_INPUT, at, "has %d rank%s, but job \"%s\" has %d",
                           (int)attempt->ranks, plural(attempt->ranks), prediction->job,
                           (int)prediction->plan.ranks);
    if (attempt->batch != batch)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "has a batch of %lld, but job \"%s\" has a batch of %lld",
                           (long long)attempt->batch, prediction->job, (long long)batch);
    if (attempt->precision != NULL && strcmp(attempt->precision, precision) != 0)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "has the precision \"%s\", but job \"%s\" has the precision \"%s\"",
                           attempt->precision, prediction->job, precision);
    return strcmp(attempt->network, prediction->program->network->name) == 0 ||
           status_fail(status, STATUS_BAD_INPUT, at,
                       "trains the network \"%s\", but job \"%s\" trains \"%s\"", attempt->network,
                       prediction->job, prediction->program->network->name);
}

static int64_t last_step(const TimelineFile *files)
{
    int64_t last = -1;
    for (int64_t i = 0; i < files->count; i++)
        last = files->spans[i].step > last ? files->spans[i].step : last;
    return last;
}

static int64_t first_step(const TimelineFile *files)
{
    int64_t first = INT64_MAX;
    for (int64_t i = 0; i < files->count; i++)
        first = files->spans[i].step < first ? files->spans[i].step : first;
    return first;
}

/* Steps that two attempts have both done; -1 if the progress of one of them is unknown. */
static int64_t steps_lost(const RanJob *ran)
{
    int64_t lost = 0;
    for (int32_t i = 1; i < ran->attempt_count; i++) {
        const RanAttempt *before = &ran->attempts[i - 1], *after = &ran->attempts[i];
        const int64_t done = before->files ? last_step(before->files) + 1 : ran->reached_step;
        if (done < 0 || after->files == NULL || (before->files == NULL && ran->attempt_count > 2))
            return -1;
        const int64_t again = done - first_step(after->files);
        lost += again > 0 ? again : 0;
    }
    return lost;
}

/* The number of steps that all ranks have completed. */
static int64_t steps_done(const RanAttempt *attempt)
{
    int64_t least = attempt->files ? INT64_MAX : 0;
    for (int32_t rank = 0; attempt->files && rank < attempt->ranks; rank++) {
        const int64_t done = last_step(&attempt->files[rank]) + 1;
        least = done < least ? done : least;
    }
    return least;
}

/* Whether a training that is predicted to succeed has succeeded, with all its steps. */
static bool is_complete(const PredictedJob *prediction, const RanAttempt *last, Status *status)
{
    const int64_t steps = prediction->plan.epochs * prediction->plan.steps_per_epoch;
    const int64_t done = steps_done(last);
    const bool has_all = prediction->guesses_samples || done >= steps;
    if (!prediction->succeeds || (last->exit_code == 0 && has_all))
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(last->source, 0, 0),
                "job \"%s\" ended with exit code %" PRId32 " after %" PRId64 " of %" PRId64
                " steps, but is predicted to succeed",
                prediction->job, last->exit_code, done, steps);
    return status_hint(status, last->exit_code != 0
                                   ? "the output of the ranks is in the job's stdouterr, on the "
                                     "share"
                                   : "set fewer \"epochs\" in its program, so that it is predicted "
                                     "to end there");
}

/* Reads the attempts of a job in `folder`, and checks that they can be compared. */
static bool attempts_read(Arena *arena, const PredictedJob *prediction, const char *folder,
                          RanJob *ran, Status *status)
{
    if (!ran_job_read(arena, folder, prediction->job, ran, status))
        return false;
    for (int32_t i = 0; i < ran->attempt_count; i++)
        if (!fits_prediction(arena, prediction, &ran->attempts[i], status))
            return false;
    return is_complete(prediction, &ran->attempts[ran->attempt_count - 1], status);
}

/* Attempts and lost steps of all runs. */
static Recovery recovery_of(const RanJob *ran, int32_t count)
{
    Recovery recovery = {0};
    for (int32_t i = 0; i < count; i++) {
        const int64_t again = steps_lost(&ran[i]);
        const bool is_known = again >= 0 && recovery.steps_lost >= 0;
        recovery.steps_lost = is_known ? recovery.steps_lost + again : -1;
        if (ran[i].attempt_count > recovery.attempts)
            recovery.attempts = ran[i].attempt_count;
    }
    return recovery;
}

bool real_runs_compare(Arena *arena, const PredictedJob *prediction, const char *const *folders,
                       int32_t folder_count, CompareJob *job, Status *status)
{
    RanJob *ran = ARENA_ARRAY(arena, RanJob, folder_count);
    int32_t attempts = 0, count = 0;
    for (int32_t i = 0; i < folder_count; i++) {
        if (!attempts_read(arena, prediction, folders[i], &ran[i], status))
            return false;
        attempts += ran[i].attempt_count;
    }
    MeasuredFiles *runs = ARENA_ARRAY(arena, MeasuredFiles, attempts);
    for (int32_t i = 0; i < folder_count; i++)
        for (int32_t a = 0; a < ran[i].attempt_count; a++)
            if (ran[i].attempts[a].files != NULL)
                runs[count++] = (MeasuredFiles){ran[i].attempts[a].files, ran[i].attempts[a].ranks};
    if (!compare_job(arena, prediction, runs, count, job))
        return status_fail(status, STATUS_BAD_INPUT, place_in(folders[0], 0, 0),
                           "the timelines of job \"%s\" contain no complete step", prediction->job);
    job->recovery = recovery_of(ran, folder_count);
    return true;
}

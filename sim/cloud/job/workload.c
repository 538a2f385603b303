#include "sim/cloud/job/workload.h"

#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/tables.h"
#include "sim/model/arrival_count.h"
#include "sim/model/bounded.h"
#include "sim/model/week_hours.h"

/* How far a workload of the scenario has progressed. */
typedef struct WorkloadProgress {
    uint64_t address; /* of its random draws */
    int64_t peak;     /* factor on its rate in its busiest hour */
    int64_t mean_gap_ns;
    int64_t candidates;   /* drawn so far, whether kept or not */
    int64_t candidate_ns; /* the time of the last candidate */
    int64_t periods;      /* exact counts: periods whose times have been drawn */
    int64_t next;         /* index in `times_ns`; Workload.count: all of the period have arrived */
    uint32_t *words;      /* [Workload.count] */
    int64_t *times_ns;    /* [Workload.count] of this period, ascending */
    int64_t jobs;         /* submitted so far */
    NamePrefix keys;      /* of its jobs' keys, up to their numbers */
    char *name;           /* of the present job; rewritten for the next ... */
    char *digits;         /* ... and the number in it */
    Cluster *cluster;     /* of its jobs ... */
    uint32_t experiment;  /* ... and the row of their container ... */
    uint64_t known_above; /* ... 1 + names_losses when both were last looked up */
} WorkloadProgress;

/* The low bits of a draw's address: its purpose. */
enum { DRAW_GAP, DRAW_SHAPE, DRAW_KEPT, DRAW_TIME, DRAW_BITS = 8 };

static uint64_t draw_word(const Jobs *jobs, uint32_t workload, int64_t number, int what)
{
    return engine_word(jobs->engine, RNG_WORKLOAD, jobs->workloads[workload].address,
                       (uint64_t)number << DRAW_BITS | (uint64_t)what);
}

/* Whether a candidate at `at_ns` is an arrival. */
static bool is_kept(const Jobs *jobs, uint32_t index, int64_t at_ns)
{
    const Workload *workload = &jobs->scenario->workloads[index];
    const WorkloadProgress *progress = &jobs->workloads[index];
    if (workload->factors == NULL)
        return true;
    const int32_t hour = week_hour_at(scenario_unix_ms(jobs->scenario, at_ns));
    const Wide uniform = draw_word(jobs, index, progress->candidates, DRAW_KEPT) >> 32;
    return uniform * progress->peak < (Wide)workload->factors[hour] << 32;
}

/* Draws the times of the next period; false when the workload ends before it. */
static bool draw_period(Jobs *jobs, uint32_t index)
{
    const Workload *workload = &jobs->scenario->workloads[index];
    WorkloadProgress *progress = &jobs->workloads[index];
    const ArrivalPeriod period = {
        .begin_ns =
            bounded_add(workload->begin_ns, bounded_times(progress->periods, workload->within_ns)),
        .length_ns = workload->within_ns,
        .start_unix_ms = jobs->scenario->start_unix_ms,
        .factors = workload->factors,
    };
    if (period.begin_ns >= workload->end_ns ||
        period.begin_ns > LAST_INSTANT_NS - workload->within_ns)
        return false;
    for (int64_t i = 0; i < workload->count; i++)
        progress->words[i] =
            (uint32_t)(draw_word(jobs, index, ++progress->candidates, DRAW_TIME) >> 32);
    arrival_count_times(&period, progress->words, workload->count, progress->times_ns);
    progress->periods++;
    progress->next = 0;
    return true;
}

static void push_next_counted(Jobs *jobs, uint32_t index)
{
    const Workload *workload = &jobs->scenario->workloads[index];
    WorkloadProgress *progress = &jobs->workloads[index];
    if (progress->jobs >= workload->jobs_max ||
        (progress->next == workload->count && !draw_period(jobs, index)))
        return;
    const int64_t at_ns = progress->times_ns[progress->next++];
    if (at_ns < workload->end_ns)
        engine_push(jobs->engine, at_ns - jobs->engine->now_ns, EVENT_WORKLOAD, index, 0, 0);
}

static void push_next_arrival(Jobs *jobs, uint32_t index)
{
    const Workload *workload = &jobs->scenario->workloads[index];
    WorkloadProgress *progress = &jobs->workloads[index];
    if (workload->count > 0) {
        push_next_counted(jobs, index);
        return;
    }
    Distribution gap = {.kind = DISTRIBUTION_EXPONENTIAL, .scale = progress->mean_gap_ns};
    if (progress->jobs >= workload->jobs_max || progress->mean_gap_ns == INT64_MAX)
        return;
    do {
        uint64_t word = draw_word(jobs, index, ++progress->candidates, DRAW_GAP);
        progress->candidate_ns = bounded_add(progress->candidate_ns, distribution_at(gap, word));
        if (progress->candidate_ns >= workload->end_ns)
            return;
    } while (!is_kept(jobs, index, progress->candidate_ns));
    engine_push(jobs->engine, progress->candidate_ns - jobs->engine->now_ns, EVENT_WORKLOAD, index,
                0, 0);
}

/* --- Another seed --- */

/* Whether arrivals are drawn one after the other. */
static bool is_drawn_singly(const Workload *workload)
{
    return workload->list == NULL && workload->count == 0;
}

static bool is_drawn_arrival(void *jobs, const Event *event)
{
    return event->kind == EVENT_WORKLOAD &&
           is_drawn_singly(&((const Jobs *)jobs)->scenario->workloads[event->subject]);
}

void workloads_draw_again(Jobs *jobs)
{
    const int64_t now_ns = jobs->engine->now_ns;
    engine_remove_pending(jobs->engine, jobs, is_drawn_arrival);
    for (int32_t i = 0; i < jobs->scenario->workload_count; i++) {
        const Workload *workload = &jobs->scenario->workloads[i];
        WorkloadProgress *progress = &jobs->workloads[i];
        // An arrival at this instant draws the next one itself.
        if (!is_drawn_singly(workload) || progress->candidate_ns <= now_ns)
            continue;
        progress->candidate_ns = now_ns > workload->begin_ns ? now_ns : workload->begin_ns;
        push_next_arrival(jobs, (uint32_t)i);
    }
}

/* --- Jobs --- */

enum { DIGITS_MAX = 20 };

static void prepare_names(const Jobs *jobs, const Workload *workload, WorkloadProgress *progress)
{
    const size_t length = strlen(workload->name) + 1;
    ResourcePath path = workload->path;
    path.name = arena_join(jobs->arena, (const char *const[]){workload->name, ""}, 2, '-');
    progress->keys = names_prefix(jobs->names, COMMAND_JOB_CREATE, path);
    progress->name = ARENA_ARRAY(jobs->arena, char, length + DIGITS_MAX + 1);
    memcpy(progress->name, path.name, length);
    progress->digits = progress->name + length;
}

static void write_number(WorkloadProgress *progress, int64_t number)
{
    int32_t count = 1;
    for (int64_t left = number; left >= 10; left /= 10)
        count++;
    *digits_print(progress->digits, number, count) = '\0';
}

void workloads_prepare(Jobs *jobs)
{
    int32_t count = jobs->scenario->workload_count;
    jobs->workloads = ARENA_ARRAY(jobs->arena, WorkloadProgress, count);
    for (int32_t i = 0; i < count; i++) {
        const Workload *workload = &jobs->scenario->workloads[i];
        if (workload->list != NULL) {
            listed_prepare(jobs, (uint32_t)i);
            continue;
        }
        const int64_t peak =
            workload->factors != NULL ? week_factors_most(workload->factors) : FACTOR_ONE;
        invariant(peak > 0 && (workload->rate.micro > 0 || workload->count > 0));
        jobs->workloads[i] = (WorkloadProgress){
            .address = name_hash(workload->name),
            .peak = peak,
            .candidate_ns = workload->begin_ns,
            .next = workload->count,
            .words = ARENA_ARRAY(jobs->arena, uint32_t, workload->count),
            .times_ns = ARENA_ARRAY(jobs->arena, int64_t, workload->count),
        };
        prepare_names(jobs, workload, &jobs->workloads[i]);
        if (workload->count == 0)
            jobs->workloads[i].mean_gap_ns = arrival_gap_ns(workload->rate, peak);
        push_next_arrival(jobs, (uint32_t)i);
    }
}

static const JobSpec *draw_shape(const Jobs *jobs, uint32_t index, int64_t number)
{
    const Workload *workload = &jobs->scenario->workloads[index];
    uint64_t uniform = draw_word(jobs, index, number, DRAW_SHAPE) >> 32;
    int64_t at_ppm = (int64_t)(uniform * (uint64_t)PPM >> 32);
    int32_t shape = 0;
    while (shape + 1 < workload->spec_count && at_ppm >= workload->probability_ppm[shape])
        at_ppm -= workload->probability_ppm[shape++];
    return workload->specs[shape];
}

static bool find_places(Jobs *jobs, WorkloadProgress *progress, const Command *command,
                        Status *status)
{
    const ResourcePath experiment = {.group = command->path.group,
                                     .workspace = command->path.workspace,
                                     .name = command->path.experiment};
    if (!container_check_open(jobs->resources, command, status))
        return false;
    progress->cluster = cluster_find(jobs->clusters, command->as.job_create.cluster);
    if (!progress->cluster)
        return command_not_found(command, "cluster", command->as.job_create.cluster.name, status);
    progress->experiment = resource_index(jobs->resources, COMMAND_EXPERIMENT_CREATE, experiment);
    progress->known_above = names_losses(jobs->names) + 1;
    return true;
}

/* Creates a job as a command would. Its containers and its cluster are looked up again only if
 * names_losses changed. */
static bool create(Jobs *jobs, WorkloadProgress *progress, const Command *command, Status *status)
{
    if (progress->known_above != names_losses(jobs->names) + 1 &&
        !find_places(jobs, progress, command, status))
        return false;
    const JobPlace place = {.cluster = progress->cluster,
                            .key = names_key_after(jobs->names, &progress->keys, progress->digits),
                            .experiment = progress->experiment,
                            .row = progress->jobs - 1};
    return job_create_at(jobs, command, place, status);
}

static void submit(Jobs *jobs, uint32_t index)
{
    WorkloadProgress *progress = &jobs->workloads[index];
    const Workload *workload = &jobs->scenario->workloads[index];
    int64_t number = ++progress->jobs;
    Command command = {.kind = COMMAND_JOB_CREATE, .path = workload->path};
    write_number(progress, number);
    command.path.name = progress->name;
    command.as.job_create.cluster = workload->cluster;
    command.as.job_create.spec = draw_shape(jobs, index, number);
    command.as.job_create.workload_number = (int32_t)index + 1;
    Status status;
    if (create(jobs, progress, &command, &status))
        return;
    TraceRecord *record = recorder_begin(jobs->recorder, TRACE_COMMAND_REFUSED);
    record->command_refused.ordinal = -1; // not a command of the list
    record->name = arena_printf(jobs->arena, "%s %s: %s", command_name(command.kind),
                                command.path.name, status.message);
    recorder_emit(jobs->recorder);
}

void workload_arrives(Jobs *jobs, uint32_t index)
{
    const Workload *workload = &jobs->scenario->workloads[index];
    const WorkloadProgress *progress = &jobs->workloads[index];
    if (workload->list != NULL) {
        listed_arrive(jobs, index);
        return;
    }
    int32_t burst = workload->arrivals == ARRIVALS_BURSTS ? workload->burst_jobs : 1;
    for (int32_t j = 0; j < burst && progress->jobs < workload->jobs_max; j++)
        submit(jobs, index);
    push_next_arrival(jobs, index);
}

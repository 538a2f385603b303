#include "sim/cloud/job/workload.h"

#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/tables.h"
#include "sim/model/bounded.h"

/* How far a workload of the scenario has progressed. */
typedef struct WorkloadProgress {
    uint64_t address; /* of its random draws */
    int64_t peak_ppm; /* factor on its rate in its busiest hour */
    int64_t mean_gap_ns;
    int64_t candidates;   /* drawn so far, whether kept or not */
    int64_t candidate_ns; /* the time of the last candidate */
    int64_t jobs;         /* submitted so far */
    uint64_t known_above; /* 1 + names_losses when its jobs' containers were last checked */
} WorkloadProgress;

/* The low bits of a draw's address: its purpose. */
enum { DRAW_GAP, DRAW_SHAPE, DRAW_KEPT, DRAW_BITS = 8 };

static uint64_t draw_word(const Jobs *jobs, uint32_t workload, int64_t number, int what)
{
    return engine_word(jobs->engine, RNG_WORKLOAD, jobs->workloads[workload].address,
                       (uint64_t)number << DRAW_BITS | (uint64_t)what);
}

static int64_t busiest_hour_ppm(const Workload *workload)
{
    int64_t most_ppm = 0;
    for (int32_t hour = 0; hour < 24; hour++)
        if (workload->hour_ppm[hour] > most_ppm)
            most_ppm = workload->hour_ppm[hour];
    return most_ppm;
}

/* Whether a candidate at `at_ns` is an arrival. */
static bool is_kept(const Jobs *jobs, uint32_t index, int64_t at_ns)
{
    const Workload *workload = &jobs->scenario->workloads[index];
    const WorkloadProgress *progress = &jobs->workloads[index];
    if (workload->arrivals != ARRIVALS_DIURNAL)
        return true;
    int32_t hour = civil_from_unix_ms(scenario_unix_ms(jobs->scenario, at_ns)).hour;
    uint64_t uniform = draw_word(jobs, index, progress->candidates, DRAW_KEPT) >> 32;
    return uniform * (uint64_t)progress->peak_ppm < (uint64_t)workload->hour_ppm[hour] << 32;
}

static void push_next_arrival(Jobs *jobs, uint32_t index)
{
    const Workload *workload = &jobs->scenario->workloads[index];
    WorkloadProgress *progress = &jobs->workloads[index];
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
        int64_t peak_ppm =
            workload->arrivals == ARRIVALS_DIURNAL ? busiest_hour_ppm(workload) : PPM;
        invariant(peak_ppm > 0 && workload->rate.milli > 0);
        jobs->workloads[i] = (WorkloadProgress){
            .address = name_hash(workload->name),
            .peak_ppm = peak_ppm,
            .mean_gap_ns = arrival_gap_ns(workload->rate, peak_ppm),
            .candidate_ns = workload->begin_ns,
        };
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

/* Creates a job as a command would. Its containers are checked again only if names_losses changed.
 */
static bool create(Jobs *jobs, WorkloadProgress *progress, const Command *command, Status *status)
{
    const uint64_t known = names_losses(jobs->names) + 1;
    if (progress->known_above == known)
        return job_create(jobs, command, status);
    if (!container_check_open(jobs->resources, command, status) ||
        !job_create(jobs, command, status))
        return false;
    progress->known_above = known;
    return true;
}

static void submit(Jobs *jobs, uint32_t index)
{
    WorkloadProgress *progress = &jobs->workloads[index];
    const Workload *workload = &jobs->scenario->workloads[index];
    int64_t number = ++progress->jobs;
    Command command = {.kind = COMMAND_JOB_CREATE, .path = workload->path};
    command.path.name = arena_printf(jobs->arena, "%s-%lld", workload->name, (long long)number);
    command.as.job_create.cluster = workload->cluster;
    command.as.job_create.spec = draw_shape(jobs, index, number);
    command.as.job_create.workload_number = (int32_t)index + 1;
    Status status = {0};
    if (create(jobs, progress, &command, &status))
        return;
    TraceRecord record = recorder_begin(jobs->recorder, TRACE_COMMAND_REFUSED);
    record.command_refused.ordinal = -1; // not a command of the list
    record.name = arena_printf(jobs->arena, "%s %s: %s", command_name(command.kind),
                               command.path.name, status.message);
    recorder_emit(jobs->recorder, &record);
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

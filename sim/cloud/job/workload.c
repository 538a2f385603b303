/* Jobs that come by themselves.
 *
 * Arrivals are a Poisson process, candidate after candidate, each gap drawn at the candidate's own
 * address; where the rate changes with the hour they come at that of the busiest hour and each is
 * kept with the chance that its own hour has (thinning: Lewis and Shedler, "Simulation of
 * nonhomogeneous Poisson processes by thinning", Naval Research Logistics Quarterly 26(3), 1979).
 * A job's shape is drawn at its number. So another workload, or another mix of shapes, changes
 * nothing about when these jobs come. */
#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/world_parts.h"
#include "sim/model/bounded.h"

/* The low bits of a draw's address: what it is for. */
enum { DRAW_GAP, DRAW_SHAPE, DRAW_KEPT, DRAW_BITS = 8 };

static uint64_t draw_word(const World *world, uint32_t workload, int64_t number, int what)
{
    return world_word(world, RNG_WORKLOAD, world->workloads[workload].address,
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
static bool is_kept(const World *world, uint32_t index, int64_t at_ns)
{
    const Workload *workload = &world->scenario->workloads[index];
    const WorkloadProgress *progress = &world->workloads[index];
    if (workload->arrivals != ARRIVALS_DIURNAL)
        return true;
    int32_t hour = civil_from_unix_ms(world_unix_ms(world, at_ns)).hour;
    uint64_t uniform = draw_word(world, index, progress->candidates, DRAW_KEPT) >> 32;
    return uniform * (uint64_t)progress->peak_ppm < (uint64_t)workload->hour_ppm[hour] << 32;
}

static void push_next_arrival(World *world, uint32_t index)
{
    const Workload *workload = &world->scenario->workloads[index];
    WorkloadProgress *progress = &world->workloads[index];
    Distribution gap = {.kind = DISTRIBUTION_EXPONENTIAL, .scale = progress->mean_gap_ns};
    if (progress->jobs >= workload->jobs_max || progress->mean_gap_ns == INT64_MAX)
        return;
    do {
        uint64_t word = draw_word(world, index, ++progress->candidates, DRAW_GAP);
        progress->candidate_ns = bounded_add(progress->candidate_ns, distribution_at(gap, word));
        if (progress->candidate_ns >= workload->end_ns)
            return;
    } while (!is_kept(world, index, progress->candidate_ns));
    world_push(world, progress->candidate_ns - world->now_ns, EVENT_WORKLOAD, index, 0, 0);
}

void workloads_prepare(World *world)
{
    int32_t count = world->scenario->workload_count;
    world->workloads = ARENA_ARRAY(world->arena, WorkloadProgress, count);
    for (int32_t i = 0; i < count; i++) {
        const Workload *workload = &world->scenario->workloads[i];
        int64_t peak_ppm =
            workload->arrivals == ARRIVALS_DIURNAL ? busiest_hour_ppm(workload) : PPM;
        invariant(peak_ppm > 0 && workload->per_day_milli > 0);
        world->workloads[i] = (WorkloadProgress){
            .address = name_hash(workload->name),
            .peak_ppm = peak_ppm,
            .mean_gap_ns = bounded_part(NS_PER_DAY * 1000, PPM,
                                        bounded_times(workload->per_day_milli, peak_ppm)),
            .candidate_ns = workload->begin_ns,
        };
        push_next_arrival(world, (uint32_t)i);
    }
}

static const JobSpec *draw_shape(const World *world, uint32_t index, int64_t number)
{
    const Workload *workload = &world->scenario->workloads[index];
    uint64_t uniform = draw_word(world, index, number, DRAW_SHAPE) >> 32;
    int64_t at_ppm = (int64_t)(uniform * (uint64_t)PPM >> 32);
    int32_t shape = 0;
    while (shape + 1 < workload->spec_count && at_ppm >= workload->probability_ppm[shape])
        at_ppm -= workload->probability_ppm[shape++];
    return workload->specs[shape];
}

/* Asks for a job as a user would; what is above it is looked up again only after something went. */
static bool create(World *world, WorkloadProgress *progress, const Command *command, Status *status)
{
    if (progress->known_above == world->names_lost + 1)
        return job_create(world, command, status);
    if (!world_apply(world, command, status))
        return false;
    progress->known_above = world->names_lost + 1;
    return true;
}

static void submit(World *world, uint32_t index)
{
    WorkloadProgress *progress = &world->workloads[index];
    const Workload *workload = &world->scenario->workloads[index];
    int64_t number = ++progress->jobs;
    Command command = {.kind = COMMAND_JOB_CREATE, .path = workload->path};
    command.path.name = arena_printf(world->arena, "%s-%lld", workload->name, (long long)number);
    command.as.job_create.cluster = workload->cluster;
    command.as.job_create.spec = draw_shape(world, index, number);
    command.as.job_create.workload_number = (int32_t)index + 1;
    Status status = {0};
    if (create(world, progress, &command, &status))
        return;
    TraceRecord record = world_record(world, TRACE_COMMAND_REFUSED);
    record.command_refused.ordinal = -1; // of no command in the list
    record.name = arena_printf(world->arena, "%s %s: %s", command_name(command.kind),
                               command.path.name, status.message);
    world_tell(world, &record);
}

void workload_arrives(World *world, uint32_t index)
{
    const Workload *workload = &world->scenario->workloads[index];
    const WorkloadProgress *progress = &world->workloads[index];
    int32_t jobs = workload->arrivals == ARRIVALS_BURSTS ? workload->burst_jobs : 1;
    for (int32_t j = 0; j < jobs && progress->jobs < workload->jobs_max; j++)
        submit(world, index);
    push_next_arrival(world, index);
}

/* Any bytes as a scenario file, with the small scenario's other files at hand: a scenario that the
 * reader accepts also runs, with every invariant checked after every event, and ends with all its
 * records. */
#include <stdint.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/world.h"
#include "tests/support/memory_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A run costs about events x (nodes + jobs), as all of them are checked each time. */
enum {
    COMMANDS_MAX = 60,
    NODES_MAX = 300,
    EPOCHS_MAX = 300,
    WORKLOADS_MAX = 3,
    JOBS_MAX = 20,
    DAYS_MAX = 5,
};

static int64_t nodes_asked(const Command *command)
{
    if (command->kind == COMMAND_CLUSTER_CREATE)
        return command->as.cluster_create->target_nodes + command->as.cluster_create->maximum_nodes;
    if (command->kind == COMMAND_CLUSTER_AUTOSCALE)
        return command->as.cluster_autoscale.maximum_nodes;
    return command->kind == COMMAND_CLUSTER_RESIZE ? command->as.cluster_resize.target_nodes : 0;
}

static int64_t epochs_of(const JobSpec *job)
{
    return job->program->kind == PROGRAM_TRAIN ? job->program->epochs : 0;
}

static int64_t epochs_asked(const Command *command)
{
    return command->kind == COMMAND_JOB_CREATE ? epochs_of(command->as.job_create.spec) : 0;
}

/* One without a number of jobs is small in no time at all. */
static bool is_small_workload(const Workload *workload)
{
    for (int32_t i = 0; i < workload->spec_count; i++)
        if (epochs_of(workload->specs[i]) > EPOCHS_MAX / JOBS_MAX)
            return false;
    return workload->jobs_max <= JOBS_MAX;
}

static bool is_calm(const Scenario *scenario, const FailureModel *model)
{
    return model == NULL || scenario->failures.rate_ppm == 0 ||
           distribution_mean(model->between) / scenario->failures.rate_ppm * PPM >= NS_PER_HOUR;
}

/* With failures, a cluster that is never deleted has events for ever. */
static bool has_calm_weather(const Scenario *scenario)
{
    const Failures *failures = &scenario->failures;
    bool is_fair =
        failures->nodes == NULL && failures->preemption == NULL && failures->group_count == 0;
    bool is_short = scenario->until_ns <= DAYS_MAX * NS_PER_DAY;
    bool is_rare = is_calm(scenario, failures->nodes) && is_calm(scenario, failures->preemption);
    for (int32_t i = 0; i < failures->group_count; i++)
        is_rare = is_rare && is_calm(scenario, failures->group_models[i]);
    return is_fair || (is_short && is_rare);
}

static bool is_small(const Scenario *scenario)
{
    int64_t nodes = 0, epochs = 0;
    for (int32_t i = 0; i < scenario->command_count; i++) {
        nodes += nodes_asked(&scenario->commands[i]);
        epochs += epochs_asked(&scenario->commands[i]);
    }
    for (int32_t i = 0; i < scenario->workload_count; i++)
        if (!is_small_workload(&scenario->workloads[i]))
            return false;
    return has_calm_weather(scenario) && scenario->command_count <= COMMANDS_MAX &&
           scenario->workload_count <= WORKLOADS_MAX && nodes <= NODES_MAX && epochs <= EPOCHS_MAX;
}

/* Checks that records are in order and within the time of the run. */
typedef struct {
    int64_t at_ns;
    bool has_ended;
} Told;

static void hear(void *listener, const TraceRecord *record)
{
    Told *told = listener;
    invariant(!told->has_ended);
    invariant(record->at_ns >= told->at_ns);
    invariant(record->since_ns >= 0 && record->since_ns <= record->at_ns);
    told->at_ns = record->at_ns;
    told->has_ended = record->kind == TRACE_RUN_ENDED;
}

static void run(Arena *arena, Scenario scenario)
{
    if (!is_small(&scenario))
        return;
    if (scenario.fidelity == FIDELITY_STEP)
        scenario.fidelity = FIDELITY_EPOCH;
    Told told = {0};
    World *world =
        world_create(arena, &scenario,
                     (TraceSink){.listener = &told, .level = TRACE_LEVEL_STEPS, .record = hear});
    world_check_always(world);
    world_run(world);
    invariant(told.has_ended);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    MemoryFiles files = small_scenario(arena);
    memory_files_set(&files, "scenario.json", (const char *)data, size);
    Problems problems = problems_create(arena);
    const ScenarioFile *file = scenario_read(arena, memory_files_source(&files), "scenario.json",
                                             (ScenarioOverrides){0}, &problems);
    if (file != NULL)
        run(arena, file->scenario);
    arena_destroy(arena);
    return 0;
}

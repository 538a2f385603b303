#include "sim/scenario/steady.h"

void scenario_set_arrivals(Arena *arena, Scenario *scenario, int64_t end_ns, int64_t jobs)
{
    Workload *workloads = ARENA_ARRAY(arena, Workload, scenario->workload_count);
    for (int32_t i = 0; i < scenario->workload_count; i++) {
        workloads[i] = scenario->workloads[i];
        workloads[i].end_ns = end_ns;
        workloads[i].jobs_max = jobs;
    }
    scenario->workloads = workloads;
    scenario->until_ns = INT64_MAX;
}

void scenario_make_steady(Arena *arena, Scenario *scenario, MeasureWindow window)
{
    scenario_set_arrivals(arena, scenario, window.until_ns, INT64_MAX);
    scenario->measure = window;
}

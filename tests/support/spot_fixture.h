/* The fixture of tests about one job, on two low-priority nodes. */
#ifndef TESTS_SUPPORT_SPOT_FIXTURE_H
#define TESTS_SUPPORT_SPOT_FIXTURE_H

#include "sim/cloud/tables.h"
#include "tests/support/world_fixture.h"

enum { NODES = 2 };

/* The nodes and a job of the program on them. Further commands are in `list` already. */
static World *world_of(const Program *program, Fidelity fidelity)
{
    ClusterSpec *cluster = ARENA_NEW(arena, ClusterSpec);
    *cluster = *plain_cluster(arena, NODES);
    cluster->is_low_priority = true;
    commands_create_cluster(&list, "c", 0, cluster);
    commands_create_job(&list, "j", 0, "c", plain_job(arena, NODES, program));
    Scenario *scenario = scenario_of(&list, 1);
    scenario->fidelity = fidelity;
    recording = recording_create(arena);
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_EPOCHS));
    world_check_always(world);
    list = commands_begin(arena);
    return world;
}

static Job *job_of(World *world)
{
    return job_row(world->jobs, (JobId){0});
}

#endif

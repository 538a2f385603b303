/* The fixture of tests about one simulated world: an arena, the commands of its scenario, and the
 * records of its run. Each test file that includes this header has its own variables. */
#ifndef TESTS_SUPPORT_WORLD_FIXTURE_H
#define TESTS_SUPPORT_WORLD_FIXTURE_H

#include "tests/support/worlds.h"

static Arena *arena;
static CommandList list;
static Recording recording;

static void begin(void)
{
    arena = arena_create();
    list = commands_begin(arena);
    recording = recording_create(arena);
}

static void end(void)
{
    arena_destroy(arena);
}

#endif

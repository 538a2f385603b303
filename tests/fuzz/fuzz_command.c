/* Any bytes as a command or fault of a session: either there are problems, or the world takes or
 * refuses the command and continues. */
#include <stdint.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/world.h"
#include "sim/scenario/config/secrets.h"
#include "tests/support/memory_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A small scenario, read once for all. */
static const ScenarioFile *base(void)
{
    static const ScenarioFile *file;
    static MemoryFiles files;
    if (file == NULL) {
        Arena *arena = arena_create(); // as long as the program
        Problems problems = problems_create(arena);
        files = small_scenario(arena);
        file = scenario_read(arena, memory_files_source(&files), "scenario.json",
                             (ScenarioOverrides){0}, &problems);
        invariant(file != NULL);
    }
    return file;
}

static void ask(Arena *arena, const Json *entry)
{
    Problems problems = problems_create(arena);
    const Command *command =
        command_read(base()->reader, arena, without_secrets(arena, entry), &problems, NULL);
    invariant((command == NULL) == (problems.count > 0));
    if (command == NULL)
        return;
    World *world = world_create(arena, &base()->scenario, (TraceSink){0});
    Status status = {0};
    world_check_always(world);
    world_advance(world, 10 * NS_PER_MIN);
    bool is_taken = world_apply_at(world, command, world_now_ns(world) + 1, &status);
    invariant(is_taken == (status.code == STATUS_OK));
    world_advance(world, NS_PER_HOUR);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    const Json *tree = json_parse(arena, "input", (const char *)data, size, JSON_STRICT, &problems);
    if (tree != NULL)
        ask(arena, tree);
    arena_destroy(arena);
    return 0;
}

#include "tests/support/fuzz_scenario.h"

#include "sim/base/invariant.h"
#include "sim/scenario/validate.h"
#include "tests/support/memory_files.h"

void fuzz_scenario(const char *path, const char *bytes, size_t length)
{
    Arena *arena = arena_create();
    MemoryFiles files = small_scenario(arena);
    memory_files_set(&files, path, bytes, length);
    Problems problems = problems_create(arena);
    ScenarioFile *file = scenario_read(arena, memory_files_source(&files), "scenario.json",
                                       (ScenarioOverrides){0}, &problems);
    invariant((file == NULL) == (problems.count > 0));
    if (file != NULL) {
        Text text = {0};
        explanation_print(&text, &file->explanation);
        text_free(&text);
    }
    Problems of_file = problems_create(arena);
    const char *kind = validate_file(arena, memory_files_source(&files), path, &of_file);
    invariant(kind != NULL || of_file.count > 0);
    arena_destroy(arena);
}

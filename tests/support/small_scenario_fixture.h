/* The fixture of tests that read variants of the small scenario (memory_files.h). Each test file
 * that includes this header has its own variables. */
#ifndef TESTS_SUPPORT_SMALL_SCENARIO_FIXTURE_H
#define TESTS_SUPPORT_SMALL_SCENARIO_FIXTURE_H

#include <string.h>

#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static MemoryFiles files;

static void set_up(void)
{
    arena = arena_create();
    files = small_scenario(arena);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* Replaces the first `old` in the file `path` by `new`; fails the test if there is no such file or
 * no `old`. */
static inline void change_file(const char *path, const char *old, const char *new)
{
    for (int32_t i = 0; i < files.count; i++)
        if (strcmp(files.items[i].path, path) == 0) {
            const char *text = with_change(arena, files.items[i].text, old, new);
            memory_files_set(&files, path, text, strlen(text));
            return;
        }
    ck_abort_msg("no file %s", path);
}

#endif

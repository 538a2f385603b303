#include "tools/trainyard/determinism.h"

#include <string.h>

/* An arena in which pieces of odd sizes are allocated already. Later allocations therefore get
 * other addresses than in the first run, both within a page and relative to one another. */
static Arena *displaced_arena(void)
{
    enum { PIECES = 97 };
    Arena *arena = arena_create();
    for (size_t i = 1; i <= PIECES; i++)
        arena_alloc(arena, i * i * 31 % 4099);
    return arena;
}

/* Runs the scenario again with `watch` as listener, without files and without output. */
static bool run_for(Arena *arena, const char *path, const RunOptions *options, RowWatch *watch,
                    RunResult *result, Problems *problems)
{
    RunOptions again = *options;
    again.row_watch = watch;
    again.output_folder = NULL;
    again.narration = NULL;
    return run_scenario(arena, path, &again, result, problems);
}

static bool explain_difference(const char *path, const RunOptions *options, const RowWatch *second,
                               Text *explanation, Problems *problems)
{
    Arena *arena = arena_create();
    RowWatch again = row_watch_for(arena, second);
    RunResult result;
    bool has_run = run_for(arena, path, options, &again, &result, problems);
    if (has_run)
        row_watch_explain(explanation, second, &again);
    arena_destroy(arena);
    return has_run;
}

bool determinism_holds(const char *path, const RunOptions *options, const RunResult *first,
                       Text *explanation, Problems *problems)
{
    Arena *arena = displaced_arena();
    RowWatch second = row_watch_against(arena, options->row_watch);
    RunResult result;
    bool has_run = run_for(arena, path, options, &second, &result, problems);
    bool differs = has_run && row_watch_differs(&second);
    if (differs)
        has_run = explain_difference(path, options, &second, explanation, problems);
    bool is_same =
        has_run && !differs && json_is_same(run_summary_json(first), run_summary_json(&result));
    if (has_run && !differs && !is_same)
        text_add(explanation,
                 "the second run has the same records as the first, but another summary\n");
    arena_destroy(arena);
    return is_same;
}

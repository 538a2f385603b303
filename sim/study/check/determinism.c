#include "sim/study/check/determinism.h"

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

static bool explain_difference(RunAgain again, const RowWatch *second, Text *explanation,
                               Problems *problems)
{
    Arena *arena = arena_create();
    RowWatch third = row_watch_for(arena, second);
    const bool has_run = again.run(again.owner, arena, &third, problems) != NULL;
    if (has_run)
        row_watch_explain(explanation, second, &third);
    arena_destroy(arena);
    return has_run;
}

bool determinism_holds(RunAgain again, const RowWatch *first, const Json *summary,
                       Text *explanation, Problems *problems)
{
    Arena *arena = displaced_arena();
    RowWatch second = row_watch_against(arena, first);
    const Json *other = again.run(again.owner, arena, &second, problems);
    const bool differs = other != NULL && row_watch_differs(&second);
    if (differs)
        (void)!explain_difference(again, &second, explanation, problems);
    const bool is_same = other != NULL && !differs && json_is_same(summary, other);
    if (other != NULL && !differs && !is_same)
        text_add(explanation,
                 "the second run has the same records as the first, but another summary\n");
    arena_destroy(arena);
    return is_same;
}

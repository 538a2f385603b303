#include "sim/study/plan/rounds.h"

#include <inttypes.h>

#include "sim/base/units.h"
#include "sim/study/plan/log_reach.h"

#define UNIT_LEAST_NS (50 * NS_PER_MS)
enum { UNITS_A_ROUND = 64 }; /* so that many threads share a round of few, long runs */

/* The runs of a round at one point. */
typedef struct {
    int32_t point;
    int32_t given, end; /* replications before `given` are known or handed out */
} Span;

struct Rounds {
    const PlanGrid *grid;
    const Results *results;
    PlanNumbers numbers;
    SelectionData data;
    const SelectionProblem *problem;
    Selection *selection;
    int32_t span_count, next_span;
    Span *spans; /* [requests times weathers] */
    int64_t round_runs, round_missing;
};

/* --- Rounds --- */

static void begin_round(Rounds *rounds)
{
    const SelectionRequest *requests;
    const int32_t count = selection_requests(rounds->selection, &requests);
    rounds->span_count = rounds->next_span = 0;
    rounds->round_runs = rounds->round_missing = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t w = 0; w < rounds->grid->weather_count; w++) {
            const int32_t point = plan_point(rounds->grid, requests[i].candidate, w);
            rounds->spans[rounds->span_count++] = (Span){point, requests[i].first, requests[i].end};
            rounds->round_runs += requests[i].end - requests[i].first;
            for (int32_t r = requests[i].first; r < requests[i].end; r++)
                rounds->round_missing += !results_have(rounds->results, point, r);
        }
}

static void decide_known(Rounds *rounds)
{
    while (rounds->round_missing == 0 && !selection_is_finished(rounds->selection)) {
        selection_decide(rounds->selection);
        begin_round(rounds);
    }
}

/* --- Units --- */

static bool hand_out(Rounds *rounds, Span *span, Unit *unit)
{
    while (span->given < span->end && results_have(rounds->results, span->point, span->given))
        span->given++;
    const int64_t run_ns = results_mean_ns(rounds->results, span->point);
    const int64_t most = run_ns > 0 ? UNIT_LEAST_NS / run_ns + 1 : 1;
    const int64_t fair = rounds->round_runs / UNITS_A_ROUND + 1;
    *unit = (Unit){.point = span->point, .first = span->given};
    while (span->given < span->end && unit->count < most && unit->count < fair &&
           !results_have(rounds->results, span->point, span->given)) {
        span->given++;
        unit->count++;
    }
    return unit->count > 0;
}

static UnitAnswer next_unit(void *source, Unit *unit)
{
    Rounds *rounds = source;
    for (; rounds->next_span < rounds->span_count; rounds->next_span++)
        if (hand_out(rounds, &rounds->spans[rounds->next_span], unit))
            return UNIT_READY;
    return selection_is_finished(rounds->selection) ? UNIT_NONE : UNIT_LATER;
}

static void unit_done(void *source, const Unit *unit)
{
    Rounds *rounds = source;
    rounds->round_missing -= unit->count;
    decide_known(rounds);
}

/* --- Progress --- */

static int64_t runs_left(const void *work)
{
    return ((const Rounds *)work)->round_missing;
}

static void print_progress(const void *work, Text *out)
{
    const Rounds *rounds = work;
    thousands_print(out, rounds->results->run_count);
    text_printf(out, " runs · round %" PRId32 ": ", selection_round(rounds->selection));
    thousands_print(out, rounds->round_runs - rounds->round_missing);
    text_add(out, "/");
    thousands_print(out, rounds->round_runs);
    text_printf(out, " · %" PRId32 " of %" PRId32 " candidates in play",
                selection_in_play_count(rounds->selection), rounds->grid->candidate_count);
}

static void print_worst(const void *work, Text *out)
{
    const Rounds *rounds = work;
    const int32_t best = selection_winner(rounds->selection);
    if (best == SELECTION_NONE)
        return;
    Arena *scratch = arena_create();
    text_printf(out, " · best so far: %s", plan_candidate_name(scratch, rounds->grid, best));
    arena_destroy(scratch);
}

/* --- The whole --- */

Rounds *rounds_create(Arena *arena, const PlanGrid *grid, const Results *results)
{
    Rounds *rounds = ARENA_NEW(arena, Rounds);
    const int64_t spans = ((int64_t)grid->candidate_count + 3) * grid->weather_count;
    *rounds = (Rounds){.grid = grid,
                       .results = results,
                       .numbers = {grid, results},
                       .problem = plan_problem(arena, grid),
                       .spans = ARENA_ARRAY(arena, Span, spans)};
    rounds->data = plan_data(&rounds->numbers);
    if (grid->study->piece_count > 1)
        rounds->data.sure_margin = log_margin;
    rounds->selection = selection_create(arena, rounds->problem, &rounds->data);
    begin_round(rounds);
    decide_known(rounds);
    return rounds;
}

StudyWork rounds_work(Rounds *rounds)
{
    return (StudyWork){.work = rounds,
                       .units = {.source = rounds, .next = next_unit, .done = unit_done},
                       .runs_left = runs_left,
                       .print_progress = print_progress,
                       .print_worst = print_worst};
}

const Selection *rounds_selection(const Rounds *rounds)
{
    return rounds->selection;
}

const SelectionProblem *rounds_problem(const Rounds *rounds)
{
    return rounds->problem;
}

const PlanNumbers *rounds_numbers(const Rounds *rounds)
{
    return &rounds->numbers;
}

const int32_t *rounds_used(Arena *arena, const Rounds *rounds)
{
    const PlanGrid *grid = rounds->grid;
    int32_t *used = ARENA_ARRAY(arena, int32_t, grid->study->point_count);
    for (int32_t point = 0; point < grid->study->point_count; point++)
        used[point] = selection_candidate(rounds->selection, grid->candidate_of[point])->count;
    return used;
}

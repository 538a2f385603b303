#include "real/compare/measured.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"

const char *const spent_names[] = {"load",     "augment", "forward", "backward", "wait",
                                   "exchange", "update",  "whole",   "rest",     NULL};
_Static_assert(sizeof spent_names / sizeof spent_names[0] == SPENT_COUNT + 1, "a name each");

/* The phases of a step and the parts to which they belong. Earlier phases hide later ones. */
static const struct {
    Phase phase;
    Spent spent;
} precedence[] = {
    {PHASE_BACKWARD, SPENT_BACKWARD},  {PHASE_FORWARD, SPENT_FORWARD},
    {PHASE_UPDATE, SPENT_UPDATE},      {PHASE_WHOLE, SPENT_WHOLE},
    {PHASE_AUGMENT, SPENT_AUGMENT},    {PHASE_LOAD, SPENT_LOAD},
    {PHASE_ALLREDUCE, SPENT_EXCHANGE}, {PHASE_NEGOTIATE, SPENT_EXCHANGE},
};
enum { PRECEDENCE_COUNT = sizeof precedence / sizeof precedence[0] };

/* The index of the phase in that order; PRECEDENCE_COUNT if it does not belong to a step. */
static int32_t place_of(const TimelineSpan *span)
{
    int32_t place = 0;
    while (place < PRECEDENCE_COUNT && (span->stage != 0 || precedence[place].phase != span->phase))
        place++;
    return place;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* --- The steps of one rank --- */

/* A phase begins (change 1) or ends (-1). */
typedef struct {
    int64_t step, at_ns;
    int32_t place, change;
} Edge;

/* One step: the edges [first, end). */
typedef struct {
    int64_t step;
    int64_t first, end;
    int64_t ready_ns; /* the end of its last phase before the exchange */
} StepEdges;

typedef struct {
    Edge *edges;
    StepEdges *steps;
    int64_t step_count;
} RankEdges;

/* The order of edges at the same instant does not matter, but it must be total. */
static int by_step_and_time(const void *left, const void *right)
{
    const Edge *a = left, *b = right;
    int order = compare(a->step, b->step);
    order = order != 0 ? order : compare(a->at_ns, b->at_ns);
    order = order != 0 ? order : compare(a->place, b->place);
    return order != 0 ? order : compare(b->change, a->change);
}

static int64_t edges_add(const TimelineFile *file, Edge *edges)
{
    int64_t count = 0;
    for (int64_t i = 0; i < file->count; i++) {
        const TimelineSpan *span = &file->spans[i];
        const int32_t place = place_of(span);
        if (place == PRECEDENCE_COUNT)
            continue;
        edges[count++] = (Edge){span->step, span->begin_ns, place, 1};
        edges[count++] = (Edge){span->step, span->end_ns, place, -1};
    }
    return count;
}

static bool is_before_exchange(const Edge *edge)
{
    return precedence[edge->place].spent < SPENT_WAIT;
}

static RankEdges rank_edges(Arena *arena, const TimelineFile *file)
{
    RankEdges rank = {.edges = ARENA_ARRAY(arena, Edge, 2 * (size_t)file->count)};
    const int64_t count = edges_add(file, rank.edges);
    qsort(rank.edges, (size_t)count, sizeof *rank.edges, by_step_and_time);
    rank.steps = ARENA_ARRAY(arena, StepEdges, count / 2);
    for (int64_t i = 0; i < count; i++) {
        const Edge *edge = &rank.edges[i];
        if (i == 0 || edge->step != edge[-1].step)
            rank.steps[rank.step_count++] =
                (StepEdges){.step = edge->step, .first = i, .ready_ns = edge->at_ns};
        StepEdges *step = &rank.steps[rank.step_count - 1];
        step->end = i + 1;
        if (is_before_exchange(edge))
            step->ready_ns = edge->at_ns;
    }
    return rank;
}

/* --- The parts of a step --- */

static Spent spent_on(const int32_t *running)
{
    for (int32_t place = 0; place < PRECEDENCE_COUNT; place++)
        if (running[place] > 0)
            return precedence[place].spent;
    return SPENT_REST;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* No rank can exchange before `all_ready_ns`. */
static void spend(MeasuredStep *step, Spent spent, int64_t begin_ns, int64_t end_ns,
                  int64_t all_ready_ns)
{
    if (spent == SPENT_EXCHANGE && begin_ns < all_ready_ns) {
        const int64_t until_ns = earlier(end_ns, all_ready_ns);
        step->spent_ns[SPENT_WAIT] += until_ns - begin_ns;
        begin_ns = until_ns;
    }
    step->spent_ns[spent] += end_ns - begin_ns;
}

static MeasuredStep step_of(const RankEdges *rank, const StepEdges *edges, int64_t all_ready_ns)
{
    const Edge *first = &rank->edges[edges->first], *last = &rank->edges[edges->end - 1];
    MeasuredStep step = {.step = edges->step, .begin_ns = first->at_ns, .end_ns = last->at_ns};
    int32_t running[PRECEDENCE_COUNT] = {0};
    for (const Edge *edge = first; edge < last; edge++) {
        running[edge->place] += edge->change;
        spend(&step, spent_on(running), edge->at_ns, edge[1].at_ns, all_ready_ns);
    }
    return step;
}

/* --- All ranks --- */

/* Moves each rank to the next step that all ranks have. False if there is no such step. */
static bool next_common(const RankEdges *ranks, int32_t count, int64_t *at)
{
    for (int32_t rank = 0, agreeing = 0; agreeing < count; rank = (rank + 1) % count) {
        const int64_t wanted = ranks[0].steps[at[0]].step;
        while (at[rank] < ranks[rank].step_count && ranks[rank].steps[at[rank]].step < wanted)
            at[rank]++;
        if (at[rank] == ranks[rank].step_count)
            return false;
        if (ranks[rank].steps[at[rank]].step == wanted) {
            agreeing++;
            continue;
        }
        // This rank lacks the step: rank 0 continues with its next step, and all ranks are checked
        // again.
        agreeing = 0;
        if (++at[0] == ranks[0].step_count)
            return false;
    }
    return true;
}

static void add_common(const RankEdges *ranks, MeasuredRun *run, const int64_t *at)
{
    int64_t all_ready_ns = 0;
    for (int32_t rank = 0; rank < run->ranks; rank++) {
        const int64_t ready_ns = ranks[rank].steps[at[rank]].ready_ns;
        all_ready_ns = ready_ns > all_ready_ns ? ready_ns : all_ready_ns;
    }
    for (int32_t rank = 0; rank < run->ranks; rank++)
        run->steps[rank][run->step_count] =
            step_of(&ranks[rank], &ranks[rank].steps[at[rank]], all_ready_ns);
    run->step_count++;
}

static void add_steps(Arena *arena, const RankEdges *ranks, MeasuredRun *run)
{
    int64_t *at = ARENA_ARRAY(arena, int64_t, run->ranks);
    run->steps = ARENA_ARRAY(arena, MeasuredStep *, run->ranks);
    for (int32_t rank = 0; rank < run->ranks; rank++)
        run->steps[rank] = ARENA_ARRAY(arena, MeasuredStep, ranks[0].step_count);
    while (at[0] < ranks[0].step_count && next_common(ranks, run->ranks, at)) {
        add_common(ranks, run, at);
        at[0]++;
    }
}

static int64_t *durations_of(Arena *arena, const TimelineFile *file, Phase phase, int64_t *count)
{
    int64_t *durations_ns = ARENA_ARRAY(arena, int64_t, file->count);
    *count = 0;
    for (int64_t i = 0; i < file->count; i++)
        if (file->spans[i].stage == 0 && file->spans[i].phase == phase)
            durations_ns[(*count)++] = file->spans[i].end_ns - file->spans[i].begin_ns;
    return durations_ns;
}

/* The last evaluation if it tests the saved model, because its epoch has an earlier one. Else NULL.
 */
static const TimelineSpan *final_test(const TimelineFile *file)
{
    const TimelineSpan *last = NULL;
    int64_t of_its_epoch = 0;
    for (int64_t i = 0; i < file->count; i++) {
        const TimelineSpan *span = &file->spans[i];
        if (span->phase != PHASE_EVALUATE || span->stage != 0)
            continue;
        const bool is_newer = !last || span->step > last->step;
        if (is_newer || span->step == last->step)
            of_its_epoch = is_newer ? 1 : of_its_epoch + 1;
        if (is_newer || (span->step == last->step && span->begin_ns > last->begin_ns))
            last = span;
    }
    return of_its_epoch > 1 ? last : NULL;
}

static void bounds_add(const TimelineFile *file, MeasuredRun *run)
{
    const TimelineSpan *test = final_test(file);
    for (int64_t i = 0; i < file->count; i++) {
        const TimelineSpan *span = &file->spans[i];
        if (span == test)
            continue;
        run->began_ns = earlier(run->began_ns, span->begin_ns);
        run->ended_ns = span->end_ns > run->ended_ns ? span->end_ns : run->ended_ns;
    }
}

MeasuredRun measured_run(Arena *arena, const TimelineFile *files, int32_t ranks)
{
    invariant(ranks >= 1);
    MeasuredRun run = {.ranks = ranks, .began_ns = INT64_MAX};
    RankEdges *edges = ARENA_ARRAY(arena, RankEdges, ranks);
    for (int32_t rank = 0; rank < ranks; rank++) {
        edges[rank] = rank_edges(arena, &files[rank]);
        bounds_add(&files[rank], &run);
    }
    run.began_ns = earlier(run.began_ns, run.ended_ns); // both are 0 if there are no spans
    add_steps(arena, edges, &run);
    run.evaluate_ns = durations_of(arena, &files[0], PHASE_EVALUATE, &run.evaluate_count);
    run.checkpoint_ns = durations_of(arena, &files[0], PHASE_CHECKPOINT, &run.checkpoint_count);
    return run;
}

/* Steps are sorted by number, and each number occurs once. */
static const MeasuredStep *step_find(const MeasuredRun *run, int64_t number)
{
    int64_t low = 0, high = run->step_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (run->steps[0][middle].step < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < run->step_count && run->steps[0][low].step == number ? &run->steps[0][low] : NULL;
}

bool measured_epoch_ns(const MeasuredRun *run, int64_t steps_per_epoch, int64_t epoch,
                       int64_t *took_ns)
{
    const int64_t number = epoch * steps_per_epoch;
    const MeasuredStep *first = step_find(run, number);
    const MeasuredStep *last = step_find(run, number + steps_per_epoch - 1);
    if (!first || !last || last - first != steps_per_epoch - 1)
        return false;
    *took_ns = last->end_ns - first->begin_ns;
    return true;
}

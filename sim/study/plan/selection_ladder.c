/* Private to sim/study/plan: ladders, whose rungs need not all be run. */
#include "sim/study/plan/selection_state.h"
#include "sim/study/statistics/screening.h"

/* The findings of the runs so far about a ladder. */
typedef struct {
    int32_t low; /* the highest rung that misses a check; -1: none does */
    int32_t
        high; /* the lowest rung above `low` that seems to meet all; the number of rungs: none */
    bool is_contradicted; /* a rung below `low` seems to meet all */
} Rungs;

static SelectionState state_of(const Selection *selection, const SelectionLadder *ladder,
                               int32_t rung)
{
    return selection->candidates[ladder->candidates[rung]].state;
}

static bool misses(SelectionState state)
{
    return state == SELECTION_MISSES || state == SELECTION_REFUTED || state == SELECTION_EXCLUDED;
}

static Rungs rungs_of(const Selection *selection, const SelectionLadder *ladder)
{
    Rungs found = {.low = -1, .high = ladder->count};
    for (int32_t i = 0; i < ladder->count; i++)
        if (misses(state_of(selection, ladder, i)))
            found.low = i;
    for (int32_t i = ladder->count - 1; i >= 0; i--) {
        if (!selection_seems_sure(selection, ladder->candidates[i]))
            continue;
        if (i > found.low)
            found.high = i;
        else
            found.is_contradicted = true;
    }
    return found;
}

static void wake(Selection *selection, const SelectionLadder *ladder, int32_t rung)
{
    const int32_t candidate = ladder->candidates[rung];
    selection->candidates[candidate].state = SELECTION_IN_PLAY;
    selection->requests[selection->request_count++] =
        (SelectionRequest){candidate, 0, selection->first_look};
}

/* Wakes the rung that sleeps nearest to the middle of first ... end - 1. */
static bool wake_middle(Selection *selection, const SelectionLadder *ladder, int32_t first,
                        int32_t end)
{
    const int32_t middle = first + (end - first) / 2;
    int32_t nearest = -1, least = ladder->count;
    for (int32_t i = first; i < end; i++) {
        const int32_t distance = i < middle ? middle - i : i - middle;
        if (state_of(selection, ladder, i) == SELECTION_ASLEEP && distance < least) {
            nearest = i;
            least = distance;
        }
    }
    if (nearest >= 0)
        wake(selection, ladder, nearest);
    return nearest >= 0;
}

static bool wake_all(Selection *selection, const SelectionLadder *ladder)
{
    bool is_any = false;
    for (int32_t i = 0; i < ladder->count; i++)
        if (state_of(selection, ladder, i) == SELECTION_ASLEEP) {
            wake(selection, ladder, i);
            is_any = true;
        }
    return is_any;
}

void selection_lay_ladders(Selection *selection)
{
    for (int32_t l = 0; l < selection->problem->ladder_count; l++) {
        const SelectionLadder *ladder = &selection->problem->ladders[l];
        for (int32_t i = 0; i < ladder->count; i++)
            if (state_of(selection, ladder, i) != SELECTION_EXCLUDED)
                selection->candidates[ladder->candidates[i]].state = SELECTION_ASLEEP;
    }
}

void selection_begin_ladders(Selection *selection)
{
    for (int32_t l = 0; l < selection->problem->ladder_count; l++) {
        const SelectionLadder *ladder = &selection->problem->ladders[l];
        const int32_t last = ladder->count - 1;
        const int32_t low = rungs_of(selection, ladder).low;
        if (low == last)
            continue;
        wake(selection, ladder, last);
        wake_middle(selection, ladder, low + 1, last);
    }
}

int32_t selection_ladder_tests(const SelectionLadder *ladder)
{
    int32_t tests = 4; // the highest rung, the one above the winner, and two by rounding
    for (int32_t left = ladder->count; left > 1; left /= 2)
        tests++;
    return tests;
}

static bool climb(Selection *selection, const SelectionLadder *ladder)
{
    const Rungs rungs = rungs_of(selection, ladder);
    if (rungs.is_contradicted)
        return wake_all(selection, ladder);
    for (int32_t i = rungs.low + 1; i < rungs.high && i < ladder->count; i++)
        if (state_of(selection, ladder, i) != SELECTION_ASLEEP)
            return false; // it is being tested
    return wake_middle(selection, ladder, rungs.low + 1, rungs.high);
}

bool selection_climb(Selection *selection)
{
    bool is_any = false;
    for (int32_t l = 0; l < selection->problem->ladder_count; l++)
        is_any |= climb(selection, &selection->problem->ladders[l]);
    return is_any;
}

int32_t selection_rung_known_above(const Selection *selection, const SelectionLadder *ladder,
                                   int32_t rung)
{
    for (int32_t i = rung + 1; i < ladder->count; i++)
        if (selection->candidates[ladder->candidates[i]].count >= 2)
            return i;
    return -1;
}

/* Whether the rung, which sleeps, cannot be better than `winner`: its objective is at least its
 * part of that of a higher one. */
static bool is_surely_worse(const Selection *selection, const SelectionLadder *ladder, int32_t rung,
                            int32_t above, int32_t winner)
{
    return above >= 0 &&
           selection_part_is_worse(selection, ladder->candidates[above],
                                   ladder->sizes[rung] / ladder->sizes[above], winner);
}

/* Gives a rung twice the runs, up to `at_least`; false: it has them. */
static bool give_more(Selection *selection, const SelectionLadder *ladder, int32_t rung)
{
    const int32_t candidate = ladder->candidates[rung];
    const int32_t count = selection->candidates[candidate].count;
    const int32_t most = selection->problem->at_least;
    const int32_t wanted = 2 * count < most ? 2 * count : most;
    if (count >= wanted)
        return false;
    for (int32_t i = 0; i < selection->request_count; i++)
        if (selection->requests[i].candidate == candidate)
            return true;
    selection->requests[selection->request_count++] = (SelectionRequest){candidate, count, wanted};
    return true;
}

/* Wakes the rung above the winner, and a rung that may be better than the winner, if more runs of
 * the rung by which it is judged do not help. */
static bool confirm(Selection *selection, const SelectionLadder *ladder, int32_t winner)
{
    const Rungs rungs = rungs_of(selection, ladder);
    int32_t first = ladder->count, end = 0;
    bool is_any = false;
    for (int32_t i = rungs.low + 1; i < ladder->count; i++) {
        if (state_of(selection, ladder, i) != SELECTION_ASLEEP)
            continue;
        const int32_t above = selection_rung_known_above(selection, ladder, i);
        if (i > 0 && ladder->candidates[i - 1] == winner) {
            wake(selection, ladder, i);
            is_any = true;
        } else if (!is_surely_worse(selection, ladder, i, above, winner)) {
            if (above >= 0 && give_more(selection, ladder, above)) {
                is_any = true;
                continue;
            }
            first = i < first ? i : first;
            end = i + 1;
        }
    }
    return is_any || (first < end && wake_middle(selection, ladder, first, end));
}

bool selection_confirm(Selection *selection, int32_t winner)
{
    bool is_any = false;
    for (int32_t l = 0; l < selection->problem->ladder_count; l++)
        is_any |= confirm(selection, &selection->problem->ladders[l], winner);
    return is_any;
}

const SelectionLadder *selection_ladder_of(const Selection *selection, int32_t candidate,
                                           int32_t *rung)
{
    for (int32_t l = 0; l < selection->problem->ladder_count; l++) {
        const SelectionLadder *ladder = &selection->problem->ladders[l];
        for (*rung = 0; *rung < ladder->count; (*rung)++)
            if (ladder->candidates[*rung] == candidate)
                return ladder;
    }
    return NULL;
}

bool selection_is_needed(const Selection *selection, int32_t candidate)
{
    int32_t rung;
    const SelectionLadder *ladder = selection_ladder_of(selection, candidate, &rung);
    if (ladder == NULL)
        return true;
    const Rungs rungs = rungs_of(selection, ladder);
    if (rungs.is_contradicted || rung < rungs.high)
        return true;
    if (rung > rungs.high)
        return selection_meets_all(selection, ladder->candidates[rungs.high]);
    for (int32_t i = rungs.low + 1; i < rungs.high; i++)
        if (state_of(selection, ladder, i) == SELECTION_IN_PLAY)
            return false; // a lower rung may be enough
    return true;
}

int32_t selection_rung_that_misses(const Selection *selection, int32_t candidate)
{
    int32_t rung;
    const SelectionLadder *ladder = selection_ladder_of(selection, candidate, &rung);
    for (int32_t i = rung + 1; ladder != NULL && i < ladder->count; i++)
        if (misses(state_of(selection, ladder, i)))
            return ladder->candidates[i];
    return SELECTION_NONE;
}

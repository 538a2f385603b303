#include "sim/study/plan/selection.h"

#include <math.h>

#include "sim/base/invariant.h"
#include "sim/study/plan/selection_state.h"

/* --- The beginning --- */

/* With a small budget a candidate begins with fewer replications. */
static int32_t first_look_of(const SelectionProblem *problem, int32_t candidates)
{
    int64_t first =
        SELECTION_FIRST_LOOK < problem->at_least ? SELECTION_FIRST_LOOK : problem->at_least;
    if (problem->budget > 0 && candidates > 0) {
        const int64_t half = problem->budget / problem->runs_each / candidates / 2;
        first = half < first ? half : first;
    }
    return first > 2 ? (int32_t)first : 2;
}

static void ask(Selection *selection, int32_t candidate, int32_t first, int32_t end)
{
    selection->requests[selection->request_count++] = (SelectionRequest){candidate, first, end};
}

static void begin(Selection *selection)
{
    const SelectionProblem *problem = selection->problem;
    int32_t simulated = 0;
    for (int32_t i = 0; i < problem->candidate_count; i++) {
        const bool is_excluded = problem->is_excluded != NULL && problem->is_excluded[i];
        selection->candidates[i].state = is_excluded ? SELECTION_EXCLUDED : SELECTION_IN_PLAY;
        simulated += !is_excluded;
    }
    selection->first_look = first_look_of(problem, simulated);
    // Accepting any candidate that misses a check is wrong; of all rejections only the best one's.
    const double half = (1 - problem->confidence) / 2;
    const int32_t checks = problem->check_count > 0 ? problem->check_count : 1;
    int32_t tests = simulated - 1 + checks;
    if (problem->budget == 0) {
        selection_lay_ladders(selection);
        int32_t of_ladders = 0;
        for (int32_t l = 0; l < problem->ladder_count; l++)
            of_ladders += checks * selection_ladder_tests(&problem->ladders[l]);
        tests = of_ladders > tests ? of_ladders : tests;
    }
    selection->check_error = half / tests;
    selection->pair_error = half / (simulated > 1 ? simulated - 1 : 1);
    for (int32_t i = 0; i < problem->candidate_count; i++)
        if (selection->candidates[i].state == SELECTION_IN_PLAY)
            ask(selection, i, 0, selection->first_look);
    if (problem->budget == 0)
        selection_begin_ladders(selection);
    selection->round = 1;
    if (simulated == 0)
        selection->phase = PHASE_FINISHED;
}

Selection *selection_create(Arena *arena, const SelectionProblem *problem,
                            const SelectionData *data)
{
    Selection *selection = ARENA_NEW(arena, Selection);
    const int32_t count = problem->candidate_count, checks = problem->check_count;
    CheckState *states = ARENA_ARRAY(arena, CheckState, (int64_t)count * checks + 1);
    *selection =
        (Selection){.problem = problem,
                    .data = data,
                    .candidates = ARENA_ARRAY(arena, SelectionCandidate, count),
                    .spread = ARENA_ARRAY(arena, double, checks + 1),
                    .winner = SELECTION_NONE,
                    .sure = SELECTION_NONE,
                    .prices = ARENA_ARRAY(arena, double, count),
                    .requests = ARENA_ARRAY(arena, SelectionRequest, count + SUBJECTS_MAX)};
    for (int32_t i = 0; i < count; i++)
        selection->candidates[i] =
            (SelectionCandidate){.other = SELECTION_NONE, .checks = states + (int64_t)i * checks};
    begin(selection);
    return selection;
}

/* --- Who is best --- */

enum { STATES_LEFT = 1U << SELECTION_IN_PLAY | 1U << SELECTION_DORMANT | 1U << SELECTION_BEATEN };

/* The candidate with the smallest objective among those left that seem to meet all checks; not
 * `but`, with whose runs of the same seeds it is then compared. SELECTION_NONE as `but`: none. */
static int32_t best_but(const Selection *selection, int32_t but)
{
    int32_t best = SELECTION_NONE;
    double least = (double)INFINITY;
    for (int32_t i = 0; i < selection->problem->candidate_count; i++) {
        const SelectionCandidate *own = &selection->candidates[i];
        if (i == but || own->count == 0 || (STATES_LEFT & 1U << own->state) == 0)
            continue;
        const double worse = but == SELECTION_NONE
                                 ? selection_mean(selection, i, SERIES_OBJECTIVE)
                                 : selection_difference(selection, SERIES_OBJECTIVE, i, 1, but);
        if (worse < least && selection_seems_to_meet(selection, i)) {
            least = worse;
            best = i;
        }
    }
    return best;
}

int32_t selection_winner(const Selection *selection)
{
    return selection->winner != SELECTION_NONE || selection->phase == PHASE_FINISHED
               ? selection->winner
               : best_but(selection, SELECTION_NONE);
}

int32_t selection_next_best(const Selection *selection)
{
    const int32_t winner = selection_winner(selection);
    return winner != SELECTION_NONE ? best_but(selection, winner) : SELECTION_NONE;
}

int32_t selection_nearest_miss(const Selection *selection)
{
    int32_t nearest = SELECTION_NONE;
    double most = -(double)INFINITY, least = (double)INFINITY;
    for (int32_t i = 0; i < selection->problem->candidate_count; i++) {
        const SelectionState state = selection->candidates[i].state;
        if (state != SELECTION_MISSES && state != SELECTION_REFUTED)
            continue;
        const double distance = selection_distance(selection, i);
        const double objective = selection_mean(selection, i, SERIES_OBJECTIVE);
        if (nearest == SELECTION_NONE || distance > most ||
            (distance == most && objective < least)) { // an unknown objective is never less
            most = distance;
            least = objective;
            nearest = i;
        }
    }
    return nearest;
}

/* --- Fresh seeds --- */

/* The others are compared with the first one, for which few pairs of common seeds are enough. */
static void ask_fresh(Selection *selection, int32_t end)
{
    const int32_t first = selection->problem->at_most;
    for (int32_t s = 0; s < selection->subject_count; s++) {
        const int32_t candidate = selection->subjects[s];
        if (s > 0 && end > selection->problem->at_least)
            break;
        if (selection->candidates[candidate].fresh_count < end)
            ask(selection, candidate, first + selection->candidates[candidate].fresh_count,
                first + end);
    }
}

static void add_subject(Selection *selection, int32_t candidate)
{
    for (int32_t s = 0; s < selection->subject_count; s++)
        if (selection->subjects[s] == candidate)
            return;
    if (candidate != SELECTION_NONE && selection->candidates[candidate].state != SELECTION_EXCLUDED)
        selection->subjects[selection->subject_count++] = candidate;
}

static void judge_fresh(Selection *selection);

/* The fresh replications of each subject that a budget has left; at least 2, or none. */
static int32_t fresh_at_first(const Selection *selection)
{
    const SelectionProblem *problem = selection->problem;
    if (problem->budget == 0)
        return problem->at_least;
    const int64_t left = (problem->budget - selection->run_count) / problem->runs_each /
                         (selection->subject_count > 0 ? selection->subject_count : 1);
    return left < 2 ? 0 : left < problem->at_least ? (int32_t)left : problem->at_least;
}

/* As many as the search took, so that a plan takes at most about twice its runs. */
static int32_t fresh_at_most(const Selection *selection)
{
    const SelectionProblem *problem = selection->problem;
    const int64_t search = selection->run_count / problem->runs_each;
    const int64_t most = search < problem->at_most ? search : problem->at_most;
    return most > problem->at_least ? (int32_t)most : problem->at_least;
}

/* The chosen candidate, or without one the nearest miss, and those that it is compared with. */
static void begin_fresh(Selection *selection, int32_t winner)
{
    selection->winner = winner;
    selection->fresh_most = fresh_at_most(selection);
    selection->phase = PHASE_FRESH;
    selection->subject_count = 0;
    if (winner != SELECTION_NONE) {
        add_subject(selection, winner);
        add_subject(selection, selection_next_best(selection));
    } else {
        add_subject(selection, selection_nearest_miss(selection));
    }
    add_subject(selection, selection->problem->baseline);
    ask_fresh(selection, fresh_at_first(selection));
    if (selection->request_count == 0) // they have fresh runs already, or the budget has none left
        judge_fresh(selection);
}

/* --- Rounds --- */

static void end_screening(Selection *selection);

static void judge_fresh(Selection *selection)
{
    const int32_t first = selection->subjects[0];
    if (!selection_fresh_is_enough(selection)) {
        ask_fresh(selection, selection_longer(selection->candidates[first].fresh_count,
                                              selection->fresh_most));
        return;
    }
    if (selection->winner == SELECTION_NONE || !selection_fresh_refutes(selection)) {
        selection_begin_sure(selection);
        return;
    }
    selection->candidates[first].state = SELECTION_REFUTED;
    selection->winner = SELECTION_NONE;
    selection->phase = PHASE_SCREENING;
    end_screening(selection);
}

/* The only candidate in play if it meets all checks. */
static int32_t chosen(const Selection *selection)
{
    int32_t in_play = SELECTION_NONE, count = 0;
    for (int32_t i = 0; i < selection->problem->candidate_count; i++)
        if (selection->candidates[i].state == SELECTION_IN_PLAY) {
            in_play = i;
            count++;
        }
    return count == 1 && selection_meets_all(selection, in_play) ? in_play : SELECTION_NONE;
}

/* Those that were worse than one that is worse than the winner. */
static void beat_dormant(Selection *selection, int32_t winner)
{
    for (int32_t i = 0; i < selection->problem->candidate_count; i++)
        if (selection->candidates[i].state == SELECTION_DORMANT) {
            selection->candidates[i].state = SELECTION_BEATEN;
            selection->candidates[i].other = winner;
        }
}

static void test_all(Selection *selection)
{
    selection_measure_spread(selection);
    for (int32_t i = 0; i < selection->problem->candidate_count; i++)
        if (selection->candidates[i].state == SELECTION_IN_PLAY)
            selection_test_checks(selection, i);
}

/* Decides until more runs are needed, or a candidate is chosen, or none is left. Each turn sets
 * candidates aside or is the last one. */
static void end_screening(Selection *selection)
{
    for (;;) {
        test_all(selection);
        selection_compare(selection);
        const int32_t winner = chosen(selection);
        const bool has_ladders = selection->problem->budget == 0;
        if (has_ladders && winner != SELECTION_NONE && selection_confirm(selection, winner)) {
            selection->is_forced = false;
            return;
        }
        if (winner != SELECTION_NONE) {
            beat_dormant(selection, winner);
            begin_fresh(selection, winner);
            return;
        }
        const bool climbs = has_ladders && selection_climb(selection);
        if (selection_in_play_count(selection) == 0) {
            begin_fresh(selection, SELECTION_NONE);
            return;
        }
        if ((!selection->is_forced && selection_extend(selection)) || climbs) {
            selection->is_forced = false;
            return;
        }
        selection->is_forced = true;
    }
}

void selection_decide(Selection *selection)
{
    const int32_t count = selection->request_count, first_fresh = selection->problem->at_most;
    invariant(count > 0);
    for (int32_t i = 0; i < count; i++) {
        const SelectionRequest *request = &selection->requests[i];
        SelectionCandidate *own = &selection->candidates[request->candidate];
        if (request->first >= first_fresh)
            own->fresh_count = request->end - first_fresh;
        else
            own->count = request->end;
        selection->run_count +=
            (int64_t)(request->end - request->first) * selection->problem->runs_each;
    }
    selection->request_count = 0;
    selection->round++;
    if (selection->phase == PHASE_FRESH)
        judge_fresh(selection);
    else if (selection->phase == PHASE_SURE)
        selection_judge_sure(selection);
    else
        end_screening(selection);
}

/* --- What others see --- */

int32_t selection_requests(const Selection *selection, const SelectionRequest **requests)
{
    *requests = selection->requests;
    return selection->request_count;
}

bool selection_is_finished(const Selection *selection)
{
    return selection->phase == PHASE_FINISHED;
}

const SelectionCandidate *selection_candidate(const Selection *selection, int32_t candidate)
{
    return &selection->candidates[candidate];
}

int32_t selection_in_play_count(const Selection *selection)
{
    int32_t count = 0;
    for (int32_t i = 0; i < selection->problem->candidate_count; i++)
        count += selection->candidates[i].state == SELECTION_IN_PLAY;
    return count;
}

int32_t selection_sure(const Selection *selection)
{
    return selection->sure;
}

bool selection_seeks_sure(const Selection *selection)
{
    return selection->phase == PHASE_SURE;
}

bool selection_sure_is_cut(const Selection *selection)
{
    return selection->sure_is_cut;
}

int32_t selection_round(const Selection *selection)
{
    return selection->round;
}

double selection_confidence(const Selection *selection)
{
    double confidence = selection->problem->confidence;
    for (int32_t i = 0; i < selection->problem->candidate_count; i++)
        confidence -= selection->candidates[i].check_doubt + selection->candidates[i].pair_doubt;
    return fmax(confidence, 0);
}

double selection_spread(const Selection *selection, int32_t check)
{
    return selection->spread[check];
}

int64_t selection_run_count(const Selection *selection)
{
    return selection->run_count;
}

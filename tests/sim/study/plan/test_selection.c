/* How often the decision of a plan is right, on problems with known answers: the fewest servers
 * with which a share of jobs waits at most a time (Erlang), and normal numbers. The waiting times
 * are computed by a recursion, which is much cheaper than a world. */
#include "sim/study/plan/selection.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/study/statistics/distribution.h"
#include "tests/support/studies.h"
#include "tests/support/suite.h"

enum { FIRST_LEAST = 20, MOST = 2000 };

/* --- Numbers of replications, made when they are asked for and kept for a study --- */

typedef struct Problem {
    const char *name;
    SelectionProblem selection;
    /* Fills in the objective and the margins of a replication. */
    void (*make)(const struct Problem *problem, int32_t candidate, uint64_t study,
                 int32_t replication, double *series);
    double variance_least;
    const double *truth; /* [candidate] the mean margin of its worst check */
    const double *cost;  /* [candidate] the mean objective */
    const void *of;
} Problem;

typedef struct {
    const Problem *problem;
    uint64_t study;
    Arena *arena;
    double **series; /* [candidate] [replication * series_count]; NAN: not made */
} Numbers;

static int32_t series_count(const Problem *problem)
{
    return 1 + problem->selection.check_count;
}

/* Replications from MOST on are fresh ones; at most MOST of them. */
static Numbers numbers_of(Arena *arena, const Problem *problem, uint64_t study)
{
    const int32_t candidates = problem->selection.candidate_count;
    Numbers numbers = {problem, study, arena, ARENA_ARRAY(arena, double *, candidates)};
    for (int32_t i = 0; i < candidates; i++) {
        const int64_t count = (int64_t)2 * MOST * series_count(problem);
        numbers.series[i] = ARENA_ARRAY(arena, double, count);
        for (int64_t v = 0; v < count; v++)
            numbers.series[i][v] = (double)NAN;
    }
    return numbers;
}

static void values(void *source, int32_t candidate, int32_t series, int32_t first, int32_t count,
                   double *out)
{
    const Numbers *numbers = source;
    const int32_t width = series_count(numbers->problem);
    for (int32_t r = 0; r < count; r++) {
        double *row = numbers->series[candidate] + (ptrdiff_t)(first + r) * width;
        if (isnan(row[0]))
            numbers->problem->make(numbers->problem, candidate, numbers->study, first + r, row);
        out[r] = row[series];
    }
}

static double variance_least(void *source, int32_t candidate, int32_t check, int32_t first,
                             int32_t count)
{
    (void)candidate, (void)check, (void)first, (void)count;
    return ((const Numbers *)source)->problem->variance_least;
}

static SelectionData data_of(Numbers *numbers)
{
    return (SelectionData){numbers, values, variance_least};
}

/* --- Many studies of a problem --- */

typedef struct {
    int32_t studies, wrong, not_best, none;
    double excess; /* in the order of costs: candidates that are better than the chosen one */
    double runs;   /* of a study */
    double rounds;
} Score;

static int32_t best_of(const Problem *problem)
{
    int32_t best = SELECTION_NONE;
    for (int32_t i = 0; i < problem->selection.candidate_count; i++)
        if (problem->truth[i] >= 0 &&
            (best == SELECTION_NONE || problem->cost[i] < problem->cost[best]))
            best = i;
    return best;
}

static void score_study(const Problem *problem, uint64_t study, Score *score)
{
    Arena *arena = arena_create();
    Numbers numbers = numbers_of(arena, problem, study);
    const SelectionData data = data_of(&numbers);
    Selection *selection = selection_create(arena, &problem->selection, &data);
    const SelectionRequest *requests;
    int32_t rounds = 0;
    while (selection_requests(selection, &requests) > 0) {
        selection_decide(selection);
        ck_assert_int_lt(++rounds, 10000);
    }
    ck_assert(selection_is_finished(selection));
    const int32_t winner = selection_winner(selection), best = best_of(problem);
    score->studies++;
    score->runs += (double)selection_run_count(selection);
    score->rounds += rounds;
    score->not_best += winner != best;
    if (winner == SELECTION_NONE) {
        score->none++;
    } else {
        score->wrong += problem->truth[winner] < -problem->selection.check_indifference[0];
        for (int32_t i = 0; i < problem->selection.candidate_count; i++)
            score->excess += best != SELECTION_NONE && problem->truth[i] >= 0 &&
                             problem->cost[i] < problem->cost[winner];
    }
    arena_destroy(arena);
}

/* Runs with which every candidate has intervals as narrow as the indifference, together at the
 * confidence. */
static double grid_runs(const Problem *problem)
{
    enum { SAMPLE = 200 };
    double sum = 0;
    Arena *arena = arena_create();
    Numbers numbers = numbers_of(arena, problem, 999999);
    const SelectionProblem *selection = &problem->selection;
    const double z = normal_quantile(1 - (1 - selection->confidence) / 2 /
                                             (selection->candidate_count * selection->check_count));
    for (int32_t i = 0; i < selection->candidate_count; i++) {
        double runs = selection->at_least;
        for (int32_t c = 0; c < selection->check_count; c++) {
            double margins[SAMPLE], mean = 0, square = 0;
            values(&numbers, i, SERIES_CHECK + c, 0, SAMPLE, margins);
            for (int32_t r = 0; r < SAMPLE; r++) {
                mean += margins[r] / SAMPLE;
                square += margins[r] * margins[r] / SAMPLE;
            }
            const double wide = z / selection->check_indifference[c];
            runs = fmax(runs, wide * wide * (square - mean * mean));
        }
        sum += runs;
    }
    arena_destroy(arena);
    return sum;
}

static Score score_of(const Problem *problem, int32_t studies)
{
    Score score = {0};
    for (int32_t s = 0; s < studies; s++)
        score_study(problem, (uint64_t)s, &score);
    const double grid = problem->selection.check_count > 0 ? grid_runs(problem) : (double)NAN;
    printf(
        "  %-34s %5d studies: wrong %5.2f %%, none %5.2f %%, not the best %5.2f %%, excess %5.3f, "
        "%6.1f runs in %4.1f rounds, %3.0f %% of a grid\n",
        problem->name, score.studies, 100.0 * score.wrong / score.studies,
        100.0 * score.none / score.studies, 100.0 * score.not_best / score.studies,
        score.excess / score.studies, score.runs / score.studies, score.rounds / score.studies,
        100 * score.runs / score.studies / grid);
    return score;
}

/* --- The fewest servers --- */

enum { SERVERS_MOST = 256 };

typedef struct {
    double offered, limit;
    int32_t first_servers, jobs;
} ServerProblem;

/* A. K. Erlang, 1917: the probability that all servers are busy, times in mean service times. */
static double erlang_c(int32_t servers, double offered)
{
    double blocking = 1;
    for (int32_t i = 1; i <= servers; i++)
        blocking = offered * blocking / (i + offered * blocking);
    const double load = offered / servers;
    return blocking / (1 - load * (1 - blocking));
}

/* P(a job waits at most `limit`). */
static double erlang_share(int32_t servers, double offered, double limit)
{
    return servers <= offered ? 0
                              : 1 - erlang_c(servers, offered) * exp(-(servers - offered) * limit);
}

/* The number of jobs in a queue in the long run: the quantile at `p`. */
static int32_t jobs_present(int32_t servers, double offered, double p)
{
    double sum = 0, term = 1;
    for (int32_t n = 1; n <= servers; n++)
        sum += term *= offered / n;
    const double load = offered / servers;
    const double empty = 1 / (1 + sum + term * load / (1 - load));
    double below = 0, probability = empty;
    for (int32_t n = 0; n < 100000; n++) {
        below += probability;
        if (below >= p)
            return n;
        probability *= offered / (n + 1 < servers ? n + 1 : servers);
    }
    return 100000;
}

/* Replaces the earliest end, the root of a heap. */
static void replace_earliest(double *ends, int32_t count, double end)
{
    int32_t at = 0;
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child + 1 < count && ends[child + 1] < ends[child])
            child++;
        if (child >= count || ends[child] >= end)
            break;
        ends[at] = ends[child];
        at = child;
    }
    ends[at] = end;
}

/* A run that begins in the long run: services end at random, whenever they began. All candidates of
 * a study meet the same arrivals and service times. */
static void make_servers(const Problem *problem, int32_t candidate, uint64_t study,
                         int32_t replication, double *series)
{
    const ServerProblem *own = problem->of;
    const int32_t servers = own->first_servers + candidate;
    Random random = random_of(study, (uint64_t)replication);
    Random earlier = random_of(study, (uint64_t)replication + 500000);
    double ends[SERVERS_MOST] = {0}, now = 0;
    int32_t within = 0;
    series[1] = -.95; // a queue that grows for ever
    if (servers > own->offered) {
        for (int32_t n = jobs_present(servers, own->offered, random_uniform(&earlier)); n > 0; n--)
            replace_earliest(ends, servers, ends[0] + random_exponential(&earlier));
        for (int32_t i = 0; i < own->jobs; i++) {
            now += random_exponential(&random) / own->offered;
            const double start = fmax(now, ends[0]);
            replace_earliest(ends, servers, start + random_exponential(&random));
            within += start - now <= own->limit;
        }
        series[1] = (double)within / own->jobs - .95;
    }
    series[0] = servers * (1 + .05 * random_standard_normal(&earlier));
}

static Problem server_problem(Arena *arena, const char *name, const ServerProblem *own,
                              int32_t candidates, double indifference)
{
    double *truth = ARENA_ARRAY(arena, double, candidates);
    double *cost = ARENA_ARRAY(arena, double, candidates);
    double *check = ARENA_ARRAY(arena, double, 1);
    check[0] = indifference;
    for (int32_t i = 0; i < candidates; i++) {
        truth[i] = erlang_share(own->first_servers + i, own->offered, own->limit) - .95;
        cost[i] = own->first_servers + i;
    }
    return (Problem){.name = name,
                     .selection = {.candidate_count = candidates,
                                   .check_count = 1,
                                   .check_indifference = check,
                                   .objective_part = .01,
                                   .confidence = .95,
                                   .at_least = FIRST_LEAST,
                                   .at_most = MOST,
                                   .runs_each = 1,
                                   .baseline = SELECTION_NONE},
                     .make = make_servers,
                     .variance_least = .95 * .05 / own->jobs,
                     .truth = truth,
                     .cost = cost,
                     .of = own};
}

static const struct {
    const char *name;
    ServerProblem problem;
    int32_t candidates;
} server_rows[] = {
    {"offered 3.2, x 0.1", {3.2, .1, 1, 500}, 16},
    {"offered 3.2, x 1", {3.2, 1, 1, 500}, 16},
    {"offered 12, x 0.1", {12, .1, 8, 500}, 16},
    {"offered 12, x 1", {12, 1, 8, 500}, 16},
    {"offered 200, x 0.1", {200, .1, 208, 1000}, 16},
    {"offered 200, x 1", {200, 1, 198, 1000}, 16},
    {"offered 3.2, x 1, short runs", {3.2, 1, 1, 60}, 16},
    {"offered 0.8, x 0.5", {.8, .5, 1, 300}, 10},
    {"offered 40, x 0.2", {40, .2, 36, 1000}, 20},
};

START_TEST(fewest_servers)
{
    for (size_t i = 0; i < sizeof server_rows / sizeof server_rows[0]; i++)
        for (int32_t tight = 0; tight < 2; tight++) {
            Arena *arena = arena_create();
            const Problem problem =
                server_problem(arena, server_rows[i].name, &server_rows[i].problem,
                               server_rows[i].candidates, tight ? .0095 : .019);
            const Score score = score_of(&problem, long_studies_of(60));
            ck_assert_double_le(score.wrong, .05 * score.studies);
            ck_assert_double_le(score.excess, score.studies);
            arena_destroy(arena);
        }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("selection");
    TCase *cases = tcase_create("known answers");
    tcase_add_test(cases, fewest_servers);
    suite_add_tcase(suite, cases);
    return suite;
}

/* How often plans of worlds are right: queues and machines whose best candidate is known from a
 * closed form. tests/sim/study/plan/test_selection.c has more problems, by a recursion. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/cli/disk_files.h"
#include "sim/study/answer/plan_run.h"
#include "tests/support/closed_forms.h"
#include "tests/support/erlang.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"
#include "tests/support/whole_studies.h"

/* --- Problems --- */

typedef struct {
    double margin; /* of the tightest constraint, in its metric's unit; below 0: it is missed */
    double cost;   /* in the order of the objective */
} Truth;

typedef struct Answer {
    const char *name, *scenario;
    const char *factors, *goal; /* members of the study */
    const char *indifference;
    int32_t candidates;
    Truth (*truth)(const struct Answer *of, int32_t candidate);
    double offered, limit; /* for `truth` */
    int32_t first;         /* for `truth`: the nodes of the first candidate */
    double grid_part;      /* of a full grid's runs, at most; 0: not judged */
    int32_t fresh, fixed;  /* studies with fresh seeds, and with those of the short run */
} Answer;

/* A mean service time is 10 h, so an offered load of 3.2 comes at 0.32/h. */
#define HOUR 3600.0
#define SERVERS(values) "\"servers\": {\"values\": \"" values "\"}"
#define RATE(rate) ", \"rate\": {\"values\": [\"" rate "\"]}"
#define SET(pointer, value) ", \"fixed\": {\"choices\": {\"it\": {\"" pointer "\": " value "}}}"
#define FEWEST_NODES "\"minimise\": \"clusters.gpu.nodes_max\", \"subject_to\": "
#define SHARE(share) FEWEST_NODES "[{\"share\": \"" share "\", \"at_least\": \"95%\"}]"
#define METRIC(metric, limit) "{\"metric\": \"" metric "\", \"at_most\": " limit "}"
#define LOST "workloads.all.rejected / workloads.all.jobs"

static int32_t nodes_of(const Answer *of, int32_t candidate)
{
    return of->first + candidate;
}

static Truth of_waits(const Answer *of, int32_t candidate)
{
    const int32_t nodes = nodes_of(of, candidate);
    return (Truth){erlang_share(nodes, of->offered, of->limit) - .95, nodes};
}

/* Each job has two nodes, so an odd node is of no use. */
static Truth of_pairs(const Answer *of, int32_t candidate)
{
    const int32_t nodes = nodes_of(of, candidate);
    return (Truth){erlang_share(nodes / 2, of->offered, of->limit) - .95, nodes};
}

static Truth of_losses(const Answer *of, int32_t candidate)
{
    const int32_t nodes = nodes_of(of, candidate);
    return (Truth){of->limit - erlang_lost(nodes, 0, of->offered), nodes};
}

static Truth of_two_places(const Answer *of, int32_t candidate)
{
    const int32_t nodes = nodes_of(of, candidate);
    return (Truth){of->limit - erlang_lost(nodes, 2, of->offered), nodes};
}

static Truth of_lost_gangs(const Answer *of, int32_t candidate)
{
    static const int32_t sizes[] = {1, 2, 4};
    const double offered[] = {.6 * of->offered, .3 * of->offered, .1 * of->offered};
    const int32_t nodes = nodes_of(of, candidate);
    return (Truth){of->limit - kaufman_lost(nodes, 3, sizes, offered), nodes};
}

static Truth of_equal_times(const Answer *of, int32_t candidate)
{
    const int32_t nodes = nodes_of(of, candidate);
    return (Truth){(of->limit - crommelin_mean_wait(nodes, of->offered)) * 10 * HOUR, nodes};
}

/* Urgent jobs wait an hour, others three. */
static Truth of_priorities(const Answer *of, int32_t candidate)
{
    const int32_t nodes = nodes_of(of, candidate);
    const double urgent = 1 * HOUR - cobham_mean_wait(nodes, of->offered, .8, 0) * 10 * HOUR;
    const double other = 3 * HOUR - cobham_mean_wait(nodes, of->offered, .8, 1) * 10 * HOUR;
    return (Truth){fmin(urgent, other), nodes};
}

/* All numbers of crews have the same objective, so the fewest that do are the answer. */
static Truth of_crews(const Answer *of, int32_t candidate)
{
    return (Truth){of->limit - palm_mean_down(64, 1 + candidate, 200, 4), candidate};
}

/* One to twelve slow nodes, then as many that are twice as fast, and cost twice as much. */
static Truth of_sizes(const Answer *of, int32_t candidate)
{
    const bool is_fast = candidate >= 12;
    const int32_t nodes = 1 + candidate % 12, speed = is_fast ? 2 : 1;
    return (Truth){erlang_share(nodes, of->offered / speed, of->limit * speed) - .95,
                   nodes * speed};
}

static const Answer answers[] = {
    {"M/M/c, 3.2, waits of 1 h", "queue", SERVERS("1..16") RATE("0.32/h"),
     SHARE("waited_within(1h)"), "2%", 16, of_waits, 3.2, .1, 1, .4, 250, 4},
    {"M/M/c, 3.2, waits of 10 h", "queue", SERVERS("1..16") RATE("0.32/h"),
     SHARE("waited_within(10h)"), "2%", 16, of_waits, 3.2, 1, 1, .4, 250, 4},
    {"M/M/c, 12, waits of 1 h", "queue", SERVERS("8..23") RATE("1.2/h"), SHARE("waited_within(1h)"),
     "2%", 16, of_waits, 12, .1, 8, .4, 250, 4},
    {"M/M/c, 12, waits of 10 h", "queue", SERVERS("8..23") RATE("1.2/h"),
     SHARE("waited_within(10h)"), "2%", 16, of_waits, 12, 1, 8, .4, 250, 4},
    {"M/M/c, a budget of 400 runs", "queue", SERVERS("1..16") RATE("0.32/h"),
     SHARE("waited_within(1h)") ", \"budget\": {\"runs\": 400}", "2%", 16, of_waits, 3.2, .1, 1, 0,
     250, 4},
    {"M/M/c/c (Erlang B)", "queue", SERVERS("1..16") RATE("0.32/h") SET("/queue_limit", "0"),
     FEWEST_NODES "[" METRIC(LOST, "0.05") "]", "10%", 16, of_losses, 3.2, .05, 1, .4, 100, 2},
    {"M/M/c/c, 45 % may be lost", "queue", SERVERS("1..8") RATE("0.32/h") SET("/queue_limit", "0"),
     FEWEST_NODES "[" METRIC(LOST, "0.45") "]", "10%", 8, of_losses, 3.2, .45, 1, 0, 100, 2},
    {"M/M/c/c+2", "queue", SERVERS("1..16") RATE("0.32/h") SET("/queue_limit", "2"),
     FEWEST_NODES "[" METRIC(LOST, "0.025") "]", "10%", 16, of_two_places, 3.2, .025, 1, .4, 100,
     2},
    {"M/G/c/c, lognormal", "queue",
     SERVERS("1..16") RATE("0.32/h") ", \"fixed\": {\"choices\": {\"it\": {\"/queue_limit\": 0, "
                                     "\"/programs/0/duration\": {\"lognormal\": {\"median\": "
                                     "\"21835s\", \"sigma\": 1}}}}}",
     FEWEST_NODES "[" METRIC(LOST, "0.05") "]", "10%", 16, of_losses, 3.2, .05, 1, .4, 100, 2},
    {"gangs without a queue (Kaufman)", "queue",
     SERVERS("4..19") RATE(
         "0.3/h") ", \"fixed\": {\"choices\": {\"it\": {\"/queue_limit\": 0, "
                  "\"/workloads/0/nodes\": {\"1\": \"60%\", \"2\": \"30%\", \"4\": \"10%\"}}}}",
     FEWEST_NODES "[" METRIC(LOST, "0.05") "]", "10%", 16, of_lost_gangs, 3, .05, 4, .4, 100, 2},
    {"gangs of two", "queue",
     SERVERS("1..16") RATE("0.12/h") SET("/workloads/0/nodes", "{\"2\": \"100%\"}"),
     SHARE("waited_within(2h)"), "2%", 16, of_pairs, 1.2, .2, 1, .4, 100, 2},
    {"M/D/c (Crommelin)", "queue",
     SERVERS("1..16") RATE("0.32/h") SET("/programs/0/duration", "\"10h\""),
     FEWEST_NODES "[" METRIC("queue_s.mean", "\"90m\"") "]", "10%", 16, of_equal_times, 3.2, .15, 1,
     .4, 100, 2},
    {"priorities (Cobham)", "classes", SERVERS("1..16"),
     FEWEST_NODES "[" METRIC("workloads.urgent.queue_s.mean",
                             "\"1h\"") ", " METRIC("workloads.other.queue_s.mean", "\"3h\"") "]",
     "10%", 16, of_priorities, 3.2, 0, 1, .4, 100, 2},
    {"machine repair (Palm)", "repair",
     "\"crews\": {\"set\": \"/failures/crews\", \"values\": \"1..8\"}",
     "\"minimise\": \"clusters.machines.nodes_max\", \"subject_to\": [" METRIC(
         "clusters.machines.unusable_s / simulated_s", "1.6") "]",
     "10%", 8, of_crews, 0, 1.6, 0, .4, 50, 1},
    {"nodes and their size", "queue",
     "\"size\": {\"choices\": {\"slow\": {\"/programs/0/duration\": {\"exponential\": \"10h\"}, "
     "\"/commands/0/config/properties/vmSize\": \"STANDARD_NC6\"}, "
     "\"fast\": {\"/programs/0/duration\": {\"exponential\": \"5h\"}, "
     "\"/commands/0/config/properties/vmSize\": \"STANDARD_NC12\"}}}, " SERVERS("1..12")
         RATE("0.32/h"),
     "\"minimise\": \"cost_usd.total\", \"subject_to\": [{\"share\": \"waited_within(1h)\", "
     "\"at_least\": \"95%\"}]",
     "2%", 24, of_sizes, 3.2, .1, 1, .4, 100, 2},
};

static const Study *study_of(Arena *arena, const Answer *of)
{
    return whole_study_read(
        arena,
        arena_printf(
            arena,
            "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/coverage/%s.json\",\n"
            " \"horizon\": {\"kind\": \"steady\", \"warm_up\": \"10d\", \"length\": \"50d\"},\n"
            " \"factors\": {%s},\n %s, \"indifference\": \"%s\"}",
            of->scenario, of->factors, of->goal, of->indifference));
}

/* --- The score --- */

typedef struct {
    int32_t wrong, excess, none;
    double runs, grid_runs;
} Score;

/* A choice is wrong if it misses a constraint by more than the indifference; the excess are the
 * candidates that meet all and cost less. */
static void score_choice(const Answer *of, int32_t winner, double indifference, Score *score)
{
    const Truth chosen = of->truth(of, winner);
    score->wrong += chosen.margin < -indifference;
    for (int32_t i = 0; i < of->candidates; i++) {
        const Truth other = of->truth(of, i);
        score->excess += other.margin >= 0 && other.cost < chosen.cost;
    }
}

/* The study with seeds that study number `number` alone has. */
static void score_study(const Study *like, const Answer *of, int32_t number, Score *score)
{
    Arena *arena = arena_create();
    Study *study = ARENA_NEW(arena, Study);
    Problems found = problems_create(arena);
    *study = *like;
    study->seeds.first = theory_seed(1) % (UINT64_C(1) << 40) + (uint64_t)number * 100000;
    const SweepOptions options = whole_sweep_options();
    PlanRun run;
    const bool has_run = plan_run(arena, study, disk_files, &options, &run, &found);
    ck_assert_msg(has_run, "%s", found.count > 0 ? found.items[0].message : "");
    const PlanOutcome *outcome = &run.outcome;
    ck_assert_int_eq(outcome->grid->candidate_count, of->candidates);
    score->runs += (double)outcome->run_count;
    score->grid_runs += outcome->grid_run_count;
    score->none += outcome->winner == NO_CANDIDATE;
    if (outcome->winner != NO_CANDIDATE)
        score_choice(of, outcome->winner, outcome->goal->constraints[0].indifference, score);
    arena_destroy(arena);
}

START_TEST(plans_are_right)
{
    const Answer *of = &answers[_i];
    const bool is_fresh = getenv("TRAINYARD_SEED") != NULL;
    const int32_t part = theory_size(is_fresh ? of->fresh : of->fixed);
    const int32_t studies = part > 1 ? part : 1;
    Arena *arena = arena_create();
    Score score = {0};
    const Study *study = study_of(arena, of);
    for (int32_t i = 0; i < studies; i++)
        score_study(study, of, i, &score);
    const double grid = score.runs / score.grid_runs;
    printf("  %-32s %4" PRId32 " plans: wrong %.2f %%, none %.2f %%, excess %.3f, %.0f runs, %.0f "
           "%% of a grid\n",
           of->name, studies, 100.0 * score.wrong / studies, 100.0 * score.none / studies,
           (double)score.excess / studies, score.runs / studies, 100 * grid);
    ck_assert_int_le(score.wrong, studies / 20);
    ck_assert_int_eq(score.none, 0);
    ck_assert_int_le(score.excess, studies);
    ck_assert(of->grid_part == 0 || grid <= of->grid_part);
    arena_destroy(arena);
}
END_TEST

/* The closed forms of these problems against the table of known results. */
START_TEST(closed_forms_are_those_of_the_table)
{
    static const int32_t sizes[] = {1, 2, 4};
    static const double offered[] = {2, 1, .5};
    ck_assert_double_eq_tol(erlang_lost(2, 0, 1), .2, 1e-12);
    ck_assert_double_eq_tol(crommelin_mean_wait(2, 1.6),
                            closed_form("M/D/c", "c=2 rho=0.8", "E[Wq]"), 1e-6);
    ck_assert_double_eq_tol(
        palm_mean_down(64, 4, 200, 4),
        closed_form("machine repair", "N=64 crews=4 MTBF=200h MTTR=4h", "E[down]"), 1e-6);
    double lost = 0;
    const char *point = "c=8 1:2.0 2:1.0 4:0.5";
    for (int32_t k = 0; k < 3; k++) {
        char metric[32];
        (void)snprintf(metric, sizeof metric, "P(blocked) size %" PRId32, sizes[k]);
        lost += offered[k] / 3.5 * closed_form("gang loss (Kaufman-Roberts)", point, metric);
    }
    ck_assert_double_eq_tol(kaufman_lost(8, 3, sizes, offered), lost, 1e-9);
    // Without a class before it a job of M/M/1 at .5 waits 1; both classes together wait as long.
    ck_assert_double_eq_tol(cobham_mean_wait(1, .5, 0, 1), 1, 1e-12);
    ck_assert_double_eq_tol(
        .2 * cobham_mean_wait(1, .5, .1, 0) + .8 * cobham_mean_wait(1, .5, .1, 1), 1, 1e-12);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_rates");
    TCase *cases = tcase_create("known answers");
    tcase_add_test(cases, closed_forms_are_those_of_the_table);
    tcase_add_loop_test(cases, plans_are_right, 0, (int)(sizeof answers / sizeof answers[0]));
    suite_add_tcase(suite, cases);
    return suite;
}

/* Candidates that a theorem orders by their numbers of nodes: where it is granted, that runs follow
 * it, and that a plan needs fewer of them. */
#include "sim/study/plan/monotone.h"

#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/study/answer/plan_run.h"
#include "tests/support/suite.h"
#include "tests/support/whole_studies.h"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

#define STUDY(members)                                                                             \
    "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/coverage/queue.json\", " members "}"
#define SERVERS                                                                                    \
    "\"servers\": {\"values\": \"4..19\"}, \"rate\": {\"values\": [\"0.32/h\"]}, \"jobs\": "       \
    "{\"set\": \"/workloads/0/jobs\", \"values\": [100]}"
#define COST "\"minimise\": \"cost_usd.total\", "
#define SHARE                                                                                      \
    "\"subject_to\": [{\"share\": \"workloads.all.waited_within(10h)\", \"at_least\": \"90%\"}], " \
    "\"indifference\": \"3%\""

START_TEST(the_theorem_is_granted_where_it_holds)
{
    static const struct {
        const char *study;
        int32_t ladders;
    } rows[] = {
        {STUDY("\"factors\": {" SERVERS "}, " COST SHARE), 1},
        {STUDY("\"factors\": {" SERVERS "}, \"minimise\": \"clusters.gpu.nodes_max\", " SHARE), 1},
        {STUDY("\"factors\": {" SERVERS "}, " COST
               "\"subject_to\": [{\"metric\": \"workloads.all.queue_s.mean\", \"at_most\": "
               "\"5h\"}]"),
         1},
        // Each size of VM has a ladder.
        {STUDY("\"factors\": {" SERVERS
               ", \"size\": {\"set\": \"/commands/0/config/properties/vmSize\", \"values\": "
               "[\"STANDARD_NC6\", \"STANDARD_NC12\"]}}, " COST SHARE),
         2},
        {STUDY("\"factors\": {" SERVERS
               ", \"load\": {\"set\": \"/workloads/0/nodes\", \"values\": [{\"1\": \"100%\"}, "
               "{\"1\": \"50%\", \"2\": \"50%\"}]}}, " COST SHARE),
         1}, // gangs have none
        {STUDY("\"factors\": {\"servers\": {\"values\": \"4..8\"}, \"rate\": {\"values\": "
               "[\"0.32/h\"]}}, " COST SHARE),
         0}, // too few
        {STUDY("\"factors\": {" SERVERS "}, \"maximise\": \"utilisation\", " SHARE), 0},
        {STUDY("\"factors\": {" SERVERS "}, \"minimise\": \"workloads.all.queue_s.mean\", " SHARE),
         0},
        {STUDY("\"factors\": {" SERVERS "}, " COST
               "\"subject_to\": [{\"metric\": \"utilisation\", \"at_least\": \"50%\"}]"),
         0},
        {STUDY("\"factors\": {" SERVERS ", \"policy\": {\"set\": \"/policy\", \"values\": "
               "[\"backfill\"]}}, " COST SHARE),
         0},
        {STUDY(
             "\"factors\": {" SERVERS ", \"priority\": {\"set\": "
             "\"/commands/0/config/properties/vmPriority\", \"values\": [\"lowpriority\"]}}, " COST
                 SHARE),
         0},
        {STUDY("\"factors\": {" SERVERS ", \"maintenance\": {\"set\": "
               "\"/commands/0/maintenance\", \"values\": [[{\"at\": \"1d\", \"duration\": "
               "\"8h\"}]]}}, " COST SHARE),
         0},
        {STUDY("\"factors\": {" SERVERS "}, \"budget\": {\"runs\": 1000}, " COST SHARE), 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems = problems_create(arena);
        const PlanGrid *grid =
            plan_grid_create(arena, whole_study_read(arena, rows[i].study), &problems);
        const int32_t *ladder, *nodes;
        ck_assert_ptr_nonnull(grid);
        ck_assert_msg(monotone_ladders_find(arena, grid, disk_files, &ladder, &nodes) ==
                          rows[i].ladders,
                      "row %zu", i);
    }
}
END_TEST

static PlanOutcome outcome_of(const Study *study)
{
    const SweepOptions options = whole_sweep_options();
    Problems problems = problems_create(arena);
    PlanRun run;
    const bool has_run = plan_run(arena, study, disk_files, &options, &run, &problems);
    ck_assert_msg(has_run, "%s", problems.count > 0 ? problems.items[0].message : "");
    return run.outcome;
}

/* With the same seed, more nodes let no smaller share of jobs wait at most 10 h. */
START_TEST(runs_follow_the_theorem)
{
    const Study *study =
        whole_study_read(arena, STUDY("\"factors\": {" SERVERS
                                      "}, \"metrics\": [\"workloads.all.waited_within(10h)\", "
                                      "\"cost_usd.total\"], \"seeds\": {\"at_least\": 20}"));
    const SweepOptions options = whole_sweep_options();
    Problems problems = problems_create(arena);
    Sweep sweep;
    ck_assert(sweep_run(arena, study, disk_files, &options, &sweep, &problems));
    const Results *results = sweep.findings.results;
    for (int32_t point = 1; point < study->point_count; point++)
        for (int32_t r = 0; r < 20; r++) {
            // A job may be late by the seconds in which another node starts it: one job in 100.
            ck_assert_double_ge(results_value(results, point, 0, r),
                                results_value(results, point - 1, 0, r) - .01);
            ck_assert_double_le(results_value(results, point, 1, r) / (point + 4),
                                results_value(results, point - 1, 1, r) / (point + 3) * 1.001);
        }
}
END_TEST

START_TEST(both_neighbours_of_the_answer_are_known)
{
    const PlanOutcome outcome = outcome_of(whole_study_read(
        arena,
        STUDY("\"factors\": {\"servers\": {\"values\": \"4..64\"}, \"rate\": {\"values\": "
              "[\"0.32/h\"]}, \"jobs\": {\"set\": \"/workloads/0/jobs\", \"values\": [100]}}, " COST
                  SHARE)));
    ck_assert_int_eq(outcome.verdict, PLAN_FOUND);
    ck_assert_int_eq(outcome.winner, 1); // 5 servers
    ck_assert_int_eq(outcome.candidates[0].state, CANDIDATE_MISSES);
    ck_assert_int_gt(outcome.candidates[2].screening.run_count, 0);
    ck_assert_int_gt(outcome.ordered_count, 45);
    ck_assert_int_eq(outcome.candidates[50].state, CANDIDATE_WORSE_BY_ORDER);
    ck_assert_int_lt(outcome.run_count - outcome.fresh_count, 61 * SELECTION_FIRST_LOOK);
}
END_TEST

START_TEST(the_highest_that_misses_ends_the_search)
{
    const PlanOutcome outcome = outcome_of(whole_study_read(
        arena, STUDY("\"factors\": {\"servers\": {\"values\": \"4..19\"}, \"rate\": "
                     "{\"values\": [\"1.2/h\"]}, \"jobs\": {\"set\": "
                     "\"/workloads/0/jobs\", \"values\": [200]}}, " COST
                     "\"subject_to\": [{\"share\": \"workloads.all.waited_within(1m)\", "
                     "\"at_least\": \"99.9%\"}]")));
    ck_assert_int_eq(outcome.verdict, PLAN_INFEASIBLE);
    ck_assert_int_eq(outcome.nearest_miss, 15);
    ck_assert_int_eq(outcome.candidates[11].state, CANDIDATE_MISSES_BY_ORDER);
    ck_assert_int_eq(outcome.candidates[11].worse_than, 15);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("monotone");
    TCase *cases = tcase_create("ladders");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, the_theorem_is_granted_where_it_holds);
    tcase_add_test(cases, runs_follow_the_theorem);
    tcase_add_test(cases, both_neighbours_of_the_answer_are_known);
    tcase_add_test(cases, the_highest_that_misses_ends_the_search);
    suite_add_tcase(suite, cases);
    return suite;
}

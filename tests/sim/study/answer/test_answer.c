#include "sim/study/answer/answer.h"

#include "sim/study/answer/answer_words.h"
#include "tests/support/plan_fixture.h"

static void says(const PlanOutcome *plan, const char *decision, const char *alternative)
{
    const Answer answer = answer_of(arena, plan);
    ck_assert_str_eq(answer.decision, decision);
    ck_assert_str_eq(answer.alternative, alternative);
}

static void decides(const PlanOutcome *plan, const char *part)
{
    const char *decision = answer_of(arena, plan).decision;
    ck_assert_msg(strstr(decision, part) != NULL, "\"%s\" lacks \"%s\"", decision, part);
}

/* 20 runs with costs 99 to 101 in steps of 0.5: s = 0.725, t = 2.093, half-width 0.34. The shares
 * are 0.96, 0.97 (7 times each) and 0.98 (6 times): s = 0.00826, half-width 0.0039. */
START_TEST(the_decision_has_intervals_and_the_next_best_its_price)
{
    const MadeStudy made = three_nodes();
    says(plan_of(&made),
         "Choose 3 nodes: it costs 100.00 ± 0.34 USD a week, and 97.0 ± 0.4 % of the jobs of team "
         "wait at most 30 min, where 95 % is asked (95 % confidence).",
         "The next best, 4 nodes, costs 10 USD more a week (10 %) and gains nothing that the "
         "constraints measure.");
}
END_TEST

START_TEST(a_gain_of_the_next_best_is_said)
{
    MadeStudy made = three_nodes();
    made.share[2] = 0.98;
    const char *alternative = answer_of(arena, plan_of(&made)).alternative;
    ck_assert_msg(strstr(alternative, "costs 10 USD more a week (10 %), and a further 1 % of the "
                                      "jobs of team wait at most 30 min.") != NULL,
                  "%s", alternative);
}
END_TEST

/* A year has 52.142857 weeks: 100 USD a week with a half-width of 0.3396 are 5,214 ± 18 USD. */
START_TEST(weeks_that_follow_one_another_have_the_price_of_years)
{
    MadeStudy made = three_nodes();
    ck_assert_str_eq(answer_of(arena, plan_of(&made)).remark, "");
    made.recurs = true;
    ck_assert_str_eq(answer_of(arena, plan_of(&made)).remark,
                     "At the same demand and prices, a year costs about 5,214 ± 18 USD and 3 years "
                     "about 15,643 ± 53 USD.");
}
END_TEST

/* Twelve times 28 days are not a year. */
START_TEST(only_a_month_of_the_calendar_is_called_a_month)
{
    static const struct {
        int64_t days;
        const char *words;
    } rows[] = {{7, "a week"}, {28, "in 28 d"}, {30, "a month"}, {31, "a month"}, {365, "a year"}};
    const MadeStudy made = three_nodes();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        PlanOutcome plan = *plan_of(&made);
        PlanGrid grid = *plan.grid;
        Study study = *grid.study;
        plan.grid = &grid;
        grid.study = &study;
        study.period_ns = rows[i].days * NS_PER_DAY;
        ck_assert_str_eq(answer_period(arena, &plan), rows[i].words);
    }
}
END_TEST

/* Beyond the end of its levels an answer may be better, unless a limit keeps the only choice there:
 * then fewer nodes are cheaper, and miss it. */
START_TEST(an_answer_at_the_end_of_its_levels_says_so)
{
    MadeStudy made = three_nodes();
    ck_assert_str_eq(answer_of(arena, plan_of(&made)).reach, "");
    made.cost[2] = 90;
    made.share[1] = 0.90;
    ck_assert_str_eq(answer_of(arena, plan_of(&made)).reach, "");
    made.cost[2] = 70;
    ck_assert_str_eq(answer_of(arena, plan_of(&made)).reach,
                     "The answer is at the end of the range that was tried: 4 nodes. Values "
                     "beyond it may be better.");
}
END_TEST

/* Two choices: of two numbers of nodes none is an end, and times are compared as such. */
START_TEST(each_choice_at_its_end_is_named)
{
    const MadeStudy made = {.factors = NODES "\"values\": [3, 4]}, \"every\": {\"set\": "
                                             "\"/until\", \"values\": [\"30m\", \"2h\", \"1h\"]}",
                            .cost = {90, 70, 80, 120, 100, 110},
                            .share = {0.90, 0.90, 0.90, 0.97, 0.97, 0.97},
                            .share_noise = 0.01,
                            .goal = goal_of_waits()};
    ck_assert_str_eq(answer_of(arena, plan_of(&made)).reach,
                     "The answer is at the end of the range that was tried: every 2h. Values "
                     "beyond it may be better.");
}
END_TEST

START_TEST(an_answer_about_one_list_says_so)
{
    MadeStudy made = three_nodes();
    made.replays = true;
    const char *reach = answer_of(arena, plan_of(&made)).reach;
    ck_assert_ptr_eq(strstr(reach, "Every run replays the same list of jobs"), reach);
}
END_TEST

/* 7 of 20 runs have a share of 0.94, 7 of 0.955 and 6 of 0.97. */
START_TEST(runs_that_miss_the_limit_are_counted)
{
    MadeStudy made = three_nodes();
    made.share[1] = made.share[2] = 0.955;
    made.share_noise = 0.015;
    ck_assert_str_eq(answer_of(arena, plan_of(&made)).reach,
                     "The limit is about the mean of all runs: in 7 of 20 runs it is missed.");
}
END_TEST

/* The shares of the runs have s = 0.00826, so that a log of 12 weeks knows their mean, 0.9695, with
 * an error of 0.00826 sqrt(12 / 11) = 0.00862, and t = 2.201 of 11 degrees of freedom. So do
 * 0.9695 x 0.0305 x (1.96 / 2.201 / 0.00862)^2 = 315 jobs, more than the 200 of a run. Wilson's
 * interval of 200 jobs: (0.9695 + z^2 / 400 +- z sqrt(0.0296 / 200 + z^2 / 160000)) /
 * (1 + z^2 / 200) = 0.9355 to 0.9859. */
START_TEST(a_short_log_limits_what_is_known_however_many_runs_there_are)
{
    MadeStudy made = three_nodes();
    made.piece_count = 12;
    ck_assert_str_eq(answer_of(arena, plan_of(&made)).reach,
                     "The log has 12 pieces of 7 d. As they differ, in the long run 93.5 to 98.6 % "
                     "of the jobs of team wait at most 30 min, so a longer log might show that the "
                     "limit is missed.");
    made.share[1] = made.share[2] = 0.99;
    made.share_noise = 0.005;
    made.piece_count = 52;
    const char *reach = answer_of(arena, plan_of(&made)).reach;
    ck_assert_msg(strstr(reach, "so the limit holds in other times like these, too.") != NULL, "%s",
                  reach);
    made.piece_count = 0;
    ck_assert_str_eq(answer_of(arena, plan_of(&made)).reach, "");
}
END_TEST

/* 26 weeks of 2 % growth a week: (0.02 x 26) / (1 - e^(-0.02 x 26)) = 1.28 times their mean. */
START_TEST(the_growth_of_a_log_is_not_in_its_plan_and_is_named)
{
    MadeStudy made = three_nodes();
    made.piece_count = 26;
    PlanOutcome plan = *plan_of(&made);
    PlanGrid grid = *plan.grid;
    Study study = *grid.study;
    plan.grid = &grid;
    grid.study = &study;
    study.piece_trend = (Interval){0.02, 0.01, 0.03, 26, 0.95};
    ck_assert_ptr_ne(strstr(answer_of(arena, &plan).reach,
                            "The log's demand changes by 9.1 % a month (95 %: 4.4 to 13.9 %), and "
                            "runs mix its pieces: at its end it is 1.28 times its mean, as with "
                            "load 1.28."),
                     NULL);
    study.piece_trend.low = -0.01;
    ck_assert_ptr_ne(strstr(answer_of(arena, &plan).reach,
                            "The log's demand changes by 9.1 % a month (95 %: -4.3 to 13.9 %): "
                            "whether it grows the log does not show."),
                     NULL);
    study.piece_trend.count = 0;
    ck_assert_ptr_eq(strstr(answer_of(arena, &plan).reach, "demand"), NULL);
}
END_TEST

/* The costs of 3 and 4 nodes differ by 10 USD in all runs. */
START_TEST(certainty_has_a_price_or_a_reason)
{
    static const struct {
        int32_t sure, tested;
        bool is_cut;
        int64_t budget;
        const char *end;
    } rows[] = {
        {2, 2, false, 0,
         "is missed. With 4 nodes the limit holds in other times like these, too: it costs 110.00 "
         "± 0.34 USD a week, 10 USD more (10 %)."},
        {2, 2, true, 0,
         "10 USD more (10 %). Some better ones were not tested for it, because that would take too "
         "many runs."},
        {NO_CANDIDATE, 2, false, 0,
         "is missed. None of the 2 candidates that were tested for it is sure to meet the limit in "
         "other times."},
        {NO_CANDIDATE, 2, true, 100,
         "in other times. Others were not tested for it, because the budget of runs is spent."},
        {NO_CANDIDATE, 1, false, 0, "is missed. No other candidate is surer to meet it."},
        {NO_CANDIDATE, 1, true, 100,
         "is missed. Other candidates were not tested for it, because the budget of runs is "
         "spent."},
        {1, 1, false, 0, "so a longer log might show that the limit is missed."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        MadeStudy made = three_nodes();
        made.piece_count = 12;
        made.goal.budget_runs = rows[i].budget;
        PlanOutcome *plan = plan_of(&made);
        plan->sure = rows[i].sure;
        plan->sure_tested_count = rows[i].tested;
        plan->sure_is_cut = rows[i].is_cut;
        if (rows[i].sure == 2)
            plan->against_sure = plan->against_next_best;
        const char *reach = answer_of(arena, plan).reach;
        const char *end = strstr(reach, rows[i].end);
        ck_assert_msg(end != NULL && strcmp(end, rows[i].end) == 0, "\"%s\" ends not with \"%s\"",
                      reach, rows[i].end);
    }
}
END_TEST

START_TEST(a_difference_within_the_indifference_counts_as_equal)
{
    MadeStudy made = three_nodes();
    made.cost[2] = 101; // 2 USD do not count
    says(plan_of(&made),
         "Choose 3 nodes: it costs 100.00 ± 0.34 USD a week, and 97.0 ± 0.4 % of the jobs of team "
         "wait at most 30 min, where 95 % is asked (95 % confidence).",
         "The next best, 4 nodes, costs 1 USD more a week (1.0 %), which counts as equal and "
         "gains nothing that the constraints measure.");
}
END_TEST

START_TEST(without_another_candidate_that_meets_the_closest_miss_is_named)
{
    MadeStudy made = three_nodes();
    made.share[2] = 0.5;
    const char *alternative = answer_of(arena, plan_of(&made)).alternative;
    ck_assert_str_eq(alternative,
                     "No other candidate is known to meet the constraints; the closest, 2 nodes, "
                     "misses them: 90.0 ± 0.4 % of the jobs of team wait at most 30 min, where 95 "
                     "% is asked, and it costs 80.00 ± 0.34 USD a week.");
}
END_TEST

START_TEST(an_infeasible_plan_names_the_nearest_miss)
{
    MadeStudy made = three_nodes();
    made.share[1] = made.share[2] = 0.93;
    PlanOutcome *plan = plan_of(&made);
    plan->nearest_miss = 1;
    says(plan, "None of the 3 candidates meets the constraints (95 % confidence).",
         "The nearest, 3 nodes, misses them: 93.0 ± 0.4 % of the jobs of team wait at most 30 "
         "min, where 95 % is asked, and it costs 100.00 ± 0.34 USD a week.");
    ck_assert_str_eq(answer_of(arena, plan).remark, ""); // 4 nodes are no better
    made.share[2] = 0.94;
    plan = plan_of(&made);
    plan->nearest_miss = 2;
    ck_assert_str_eq(
        answer_of(arena, plan).remark,
        "No candidate has more nodes than it, and fewer miss the limit by more: a plan "
        "with more may find one that meets it.");
}
END_TEST

START_TEST(more_nodes_are_no_way_out_of_a_limit_of_the_costs)
{
    MadeStudy made = three_nodes();
    made.share[1] = 0.93;
    made.share[2] = 0.94;
    // 4 nodes cost 110 USD: fewer miss the waits by more, but more can only cost more.
    const GoalConstraint constraints[] = {
        waits_95,
        {.metric = 0, .side = LIMIT_AT_MOST, .limit = 50, .words = "cost_usd.total <= 50"}};
    made.goal.constraints = constraints;
    made.goal.constraint_count = 2;
    PlanOutcome *plan = plan_of(&made);
    plan->nearest_miss = 2;
    ck_assert_str_eq(answer_of(arena, plan).remark, "");
}
END_TEST

START_TEST(candidates_that_were_not_simulated_are_counted)
{
    const MadeStudy made = {
        .factors = NODES "\"values\": [2, 3, 4]}", .run_count = -1, .goal = goal_of_waits()};
    PlanOutcome *plan = plan_of(&made);
    plan->verdict = PLAN_INFEASIBLE;
    for (int32_t i = 0; i < 3; i++)
        plan->candidates[i].state = i < 2 ? CANDIDATE_UNSTABLE : CANDIDATE_REFUSED;
    says(plan, "None of the 3 candidates meets the constraints.",
         "None was simulated: more work arrives than the nodes can do (2), or the scenario is not "
         "valid there (1).");
}
END_TEST

START_TEST(an_unfinished_plan_has_the_best_so_far)
{
    MadeStudy made = three_nodes();
    PlanOutcome *plan = plan_of(&made);
    plan->verdict = PLAN_UNFINISHED;
    plan->candidates[2].state = CANDIDATE_UNDECIDED;
    plan->round_count = 2;
    says(plan,
         "There is no decision yet: 1 of 3 candidates need more runs after 60 runs in 2 complete "
         "rounds.",
         "So far the best is 3 nodes: it costs 100.00 ± 0.34 USD a week, and 97.0 ± 0.4 % of the "
         "jobs of team wait at most 30 min, where 95 % is asked. The same command continues the "
         "plan.");
    plan->seeks_sure = true;
    decides(plan, "There is no decision yet: the search for a candidate that is sure in other "
                  "times has not ended after 60 runs in 2 complete rounds.");
}
END_TEST

START_TEST(a_plan_without_runs_promises_nothing)
{
    const MadeStudy made = {
        .factors = NODES "\"values\": [2, 3, 4]}", .run_count = -1, .goal = goal_of_waits()};
    PlanOutcome *plan = plan_of(&made);
    plan->round_count = 0;
    says(
        plan,
        "There is no decision yet: 3 of 3 candidates need more runs; no round of runs is complete.",
        "The same command continues the plan.");
}
END_TEST

START_TEST(one_candidate_is_kept)
{
    MadeStudy made = three_nodes();
    made.factors = NODES "\"values\": [3]}";
    made.share[0] = 0.97;
    const PlanOutcome *plan = plan_of(&made);
    decides(plan, "Keep the scenario unchanged: it costs 80.00 ± 0.34 USD a week");
    ck_assert_str_eq(answer_of(arena, plan).alternative,
                     "There is no other candidate to compare it with.");
}
END_TEST

START_TEST(a_share_of_1_in_all_runs_has_no_false_precision)
{
    MadeStudy made = three_nodes();
    made.share[1] = 1;
    made.share_noise = 0;
    PlanOutcome *plan = plan_of(&made);
    PlanCheck *check = (PlanCheck *)plan->candidates[1].fresh.checks;
    check->estimate.low = check->estimate.high = 1;
    decides(plan,
            "and all of the jobs of team in 20 runs wait at most 30 min, where 95 % is asked");
    check->estimate.low = 0.999081;
    decides(plan, "and all of the jobs of team in 20 runs (at least 99.91 %) wait at most 30 min");
    check->estimate.low = 0.9999812; // is not 100 %
    decides(plan, "in 20 runs (at least 99.9981 %) wait");
}
END_TEST

/* Jobs that still wait at the end may have waited for longer than 30 min, or not. */
START_TEST(a_lower_bound_is_said_in_words)
{
    const MadeStudy made = three_nodes();
    PlanOutcome *plan = plan_of(&made);
    PlanCheck *check = (PlanCheck *)plan->candidates[1].fresh.checks;
    check->is_lower_bound = true;
    decides(plan, "and at least 97.0 ± 0.4 % of the jobs of team wait at most 30 min");
}
END_TEST

START_TEST(the_worst_weather_is_named)
{
    MadeStudy made = three_nodes();
    const int32_t weather[] = {1};
    made.factors = NODES "\"values\": [2, 3]}, " LOAD "\"values\": [1, 2]}";
    made.goal.weather = weather;
    made.goal.weather_count = 1;
    const double cost[] = {80, 80, 100, 100}, share[] = {0.99, 0.90, 0.99, 0.97};
    memcpy(made.cost, cost, sizeof cost);
    memcpy(made.share, share, sizeof share);
    const PlanOutcome *plan = plan_of(&made);
    decides(plan, "Choose 3 nodes: it costs 100.00 ± 0.34 USD a week on average over load, ");
    decides(plan, "and at load 2, 97.0 ± 0.4 % of the jobs of team wait at most 30 min");
}
END_TEST

/* The limit of the cost follows the cost: the sentence has it once, and so has the next best. */
START_TEST(a_limit_of_the_objective_is_said_where_its_value_is)
{
    MadeStudy made = three_nodes();
    GoalConstraint *constraints = ARENA_ARRAY(arena, GoalConstraint, 2);
    constraints[0] = made.goal.constraints[0];
    constraints[1] = (GoalConstraint){
        .metric = made.goal.metric, .side = LIMIT_AT_MOST, .limit = 120, .words = "cost <= 120"};
    made.goal.constraints = constraints;
    made.goal.constraint_count = 2;
    const PlanOutcome *plan = plan_of(&made);
    decides(plan, "USD a week, where at most 120 USD is asked, ");
    ck_assert_ptr_null(strstr(answer_of(arena, plan).decision, "the cost is"));
    ck_assert_ptr_null(strstr(answer_of(arena, plan).alternative, "the cost is"));
}
END_TEST

START_TEST(fresh_runs_that_disagree_are_a_reservation)
{
    const MadeStudy made = three_nodes();
    PlanOutcome *plan = plan_of(&made);
    PlanCheck *check = (PlanCheck *)plan->candidates[1].fresh.checks;
    check->estimate = (PlanEstimate){0.94, 0.935, 0.945, 20};
    check->margin = -0.01;
    decides(plan, "In the fresh runs it does not hold: 94.0 ± 0.5 % of the jobs of team");
}
END_TEST

START_TEST(less_confidence_than_asked_says_why)
{
    MadeStudy made = three_nodes();
    made.goal.budget_runs = 50;
    PlanOutcome *plan = plan_of(&made);
    plan->is_confident = false;
    plan->confidence = 0.83;
    decides(plan, "(only 83 % confidence instead of 95 %: the budget of runs is spent)");
}
END_TEST

START_TEST(runs_of_a_full_grid_have_two_digits_up_to_a_million)
{
    static const struct {
        double runs;
        const char *words;
    } rows[] = {
        {99, "a full grid needs about 99"},
        {2010, "a full grid needs about 2,000"},
        {997000, "a full grid needs about 1,000,000"},
        {1.4e11, "a full grid needs more than a million"},
        {(double)INFINITY, "a full grid needs more than a million"},
        {0, ""},
        {(double)NAN, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_str_eq(answer_grid_runs(arena, &(PlanOutcome){.grid_run_count = rows[i].runs}),
                         rows[i].words);
}
END_TEST

START_TEST(metrics_have_plain_words)
{
    static const struct {
        const char *name, *noun;
    } rows[] = {
        {"cost_usd.total", "cost"},
        {"waited_within(90s)", "jobs that wait at most 1 min 30 s"},
        {"workloads.day.sizes.8.waited_within(2h)", "jobs of day of size 8 that wait at most 2 h"},
        {"workloads.day.turnaround_within(1d)", "jobs of day that end within 1 d"},
        {"workloads.jobs.waited_within(1h)", "jobs that wait at most 1 h"},
        {"workloads.jobs.queue_s.mean", "mean wait of jobs"},
        {"workloads.jobs.failed", "number of failed jobs"},
        {"queue_s.mean", "mean wait"},
        {"workloads.day.queue_s.p95", "p95 of the wait of jobs of day"},
        {"workloads.day.turnaround_s.mean / workloads.day.run_s.mean", "slowdown of jobs of day"},
        {"workloads.day.failed", "number of failed jobs of day"},
        {"cost_usd.total / workloads.day.succeeded", "cost / number of succeeded jobs of day"},
        {"clusters.gpu.nodes_max", "largest number of nodes of cluster gpu"},
        {"clusters.gpu.cost_usd", "cost of nodes of cluster gpu"},
        {"cost_usd.clusters.gpu", "cost of nodes of cluster gpu"},
        {"cost_usd.storage", "cost of storage"},
        {"clusters.gpu.ready_s", "time of the first ready node of cluster gpu"},
        {"jobs.train.ended_s", "time of the end of job train"},
        {"workloads.day.queue_s.waiting", "number of jobs that still wait of day"},
        {"clusters.gpu.attribution.useful_s", "clusters.gpu.attribution.useful_s"},
        {"waited_within(", "jobs that wait at most 0 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_str_eq(metric_words(arena, rows[i].name).noun, rows[i].noun);
}
END_TEST

Suite *test_suite(void)
{
    TCase *tests = tcase_create("answer");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_lower_bound_is_said_in_words);
    tcase_add_test(tests, the_decision_has_intervals_and_the_next_best_its_price);
    tcase_add_test(tests, a_gain_of_the_next_best_is_said);
    tcase_add_test(tests, weeks_that_follow_one_another_have_the_price_of_years);
    tcase_add_test(tests, only_a_month_of_the_calendar_is_called_a_month);
    tcase_add_test(tests, an_answer_at_the_end_of_its_levels_says_so);
    tcase_add_test(tests, each_choice_at_its_end_is_named);
    tcase_add_test(tests, an_answer_about_one_list_says_so);
    tcase_add_test(tests, a_limit_of_the_objective_is_said_where_its_value_is);
    tcase_add_test(tests, runs_that_miss_the_limit_are_counted);
    tcase_add_test(tests, a_short_log_limits_what_is_known_however_many_runs_there_are);
    tcase_add_test(tests, the_growth_of_a_log_is_not_in_its_plan_and_is_named);
    tcase_add_test(tests, certainty_has_a_price_or_a_reason);
    tcase_add_test(tests, a_difference_within_the_indifference_counts_as_equal);
    tcase_add_test(tests, without_another_candidate_that_meets_the_closest_miss_is_named);
    tcase_add_test(tests, an_infeasible_plan_names_the_nearest_miss);
    tcase_add_test(tests, more_nodes_are_no_way_out_of_a_limit_of_the_costs);
    tcase_add_test(tests, candidates_that_were_not_simulated_are_counted);
    tcase_add_test(tests, an_unfinished_plan_has_the_best_so_far);
    tcase_add_test(tests, a_plan_without_runs_promises_nothing);
    tcase_add_test(tests, one_candidate_is_kept);
    tcase_add_test(tests, a_share_of_1_in_all_runs_has_no_false_precision);
    tcase_add_test(tests, the_worst_weather_is_named);
    tcase_add_test(tests, fresh_runs_that_disagree_are_a_reservation);
    tcase_add_test(tests, less_confidence_than_asked_says_why);
    tcase_add_test(tests, runs_of_a_full_grid_have_two_digits_up_to_a_million);
    tcase_add_test(tests, metrics_have_plain_words);
    Suite *suite = suite_create("answer");
    suite_add_tcase(suite, tests);
    return suite;
}

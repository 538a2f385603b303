#include "sim/study/expect/study_expect.h"

#include "sim/study/answer/plan_run.h"
#include "sim/study/point_estimate.h"
#include "sim/study/sweep.h"
#include "tests/support/small_scenario_fixture.h"

/* The wait of the job is random; a node of the second size costs twice as much. */
static const char study_format[] =
    "{\"trainyard_study\": 1, \"scenario\": \"scenario.json\",\n"
    " \"factors\": {\n"
    "  \"size\": {\"set\": \"/commands/0/config/properties/vmSize\", \"values\": "
    "[\"STANDARD_NC6\", \"STANDARD_NC12\"]},\n"
    "  \"fidelity\": {\"set\": \"/fidelity\", \"values\": [\"job\", \"epoch\"]}},\n"
    " \"metrics\": [\"jobs.train.queue_s\", \"cost_usd.total\"],\n"
    " \"baseline\": {\"size\": \"STANDARD_NC6\"}, \"seeds\": {\"at_least\": 10},\n"
    "%s \"expect\": [%s]}";

/* `goal`: members of the study, or "". */
static StudyExpectations read_with_goal(const char *goal, const char *list, const Study **study,
                                        Problems *problems)
{
    const char *text = arena_printf(arena, study_format, goal, list);
    *problems = problems_create(arena);
    memory_files_set(&files, "study.json", text, strlen(text));
    *study = study_read(arena, memory_files_source(&files), "study.json", problems);
    StudyExpectations expectations = {0};
    if (*study != NULL)
        ck_assert_int_eq(study_expect_read(arena, *study, &expectations, problems),
                         problems->count == 0);
    return expectations;
}

static StudyExpectations read_expectations(const char *list, const Study **study,
                                           Problems *problems)
{
    return read_with_goal("", list, study, problems);
}

static const SweepOptions options = {.version = "test",
                                     .thread_count = 1,
                                     .time_limit_ns = INT64_MAX,
                                     .shard = {0, 1},
                                     .is_quiet = true,
                                     .run = sweep_on_threads};

static Sweep sweep_of(const Study *study)
{
    Problems problems = problems_create(arena);
    Sweep sweep;
    ck_assert(sweep_run(arena, study, memory_files_source(&files), &options, &sweep, &problems));
    return sweep;
}

/* The answers to the expectations of a list. */
static const StudyAnswer *answers_to(const char *list)
{
    const Study *study;
    Problems problems;
    const StudyExpectations expectations = read_expectations(list, &study, &problems);
    ck_assert_msg(problems.count == 0, "%s", problems.count > 0 ? problems.items[0].message : "");
    const Sweep sweep = sweep_of(study);
    const StudyOutcome outcome = sweep_outcome(&sweep);
    StudyAnswer *answers = ARENA_ARRAY(arena, StudyAnswer, expectations.count);
    for (int32_t i = 0; i < expectations.count; i++)
        answers[i] = study_expect_answer(arena, &outcome, NULL, &expectations.items[i]);
    return answers;
}

/* The answers of the plan with a goal. */
static const StudyAnswer *plan_answers_to(const char *goal, const char *list)
{
    const Study *study;
    Problems problems;
    const StudyExpectations expectations = read_with_goal(goal, list, &study, &problems);
    ck_assert_msg(problems.count == 0, "%s", problems.count > 0 ? problems.items[0].message : "");
    PlanRun *run = ARENA_NEW(arena, PlanRun);
    ck_assert(plan_run(arena, study, memory_files_source(&files), &options, run, &problems));
    StudyAnswer *answers = ARENA_ARRAY(arena, StudyAnswer, expectations.count);
    for (int32_t i = 0; i < expectations.count; i++) {
        ck_assert(study_expect_is_of_plan(&expectations.items[i]));
        answers[i] = study_expect_answer(arena, NULL, &run->outcome, &expectations.items[i]);
    }
    return answers;
}

static void refused_with_goal(const char *goal, const char *list, const char *message)
{
    const Study *study;
    Problems problems;
    read_with_goal(goal, list, &study, &problems);
    ck_assert_msg(problems.count == 1, "%d problems", (int)problems.count);
    ck_assert_str_eq(problems.items[0].message, message);
    ck_assert_int_eq(problems.items[0].at.line, 7);
}

static void refused(const char *list, const char *message)
{
    refused_with_goal("", list, message);
}

START_TEST(values_hold_when_their_whole_interval_is_within_the_limits)
{
    const StudyAnswer *answers =
        answers_to("{\"metric\": \"cost_usd.total\", \"at_least\": 0.001},"
                   "{\"metric\": \"cost_usd.total\", \"at_most\": 0.001},"
                   "{\"at\": {\"size\": \"STANDARD_NC6\"}, \"metric\": \"jobs.train.queue_s\", "
                   "\"between\": [\"0s\", \"1h\"]},"
                   "{\"at\": {\"size\": \"STANDARD_NC6\"}, \"metric\": \"jobs.train.queue_s\", "
                   "\"equals\": \"1h\"}");
    ck_assert(answers[0].holds);
    ck_assert(!answers[1].holds);
    ck_assert_int_eq(answers[1].point, 0);
    ck_assert_str_eq(answers[1].expected, "at most 0.001");
    ck_assert_ptr_nonnull(strstr(answers[1].got, " at size=STANDARD_NC6 fidelity=job"));
    ck_assert(answers[2].holds);
    ck_assert(!answers[3].holds);
}
END_TEST

/* An interval around the limit is neither above nor below it. */
START_TEST(an_interval_across_the_limit_does_not_hold)
{
    const Study *study;
    Problems problems;
    read_expectations("", &study, &problems);
    const Sweep sweep = sweep_of(study);
    const MetricEstimate estimate =
        metric_estimate(sweep.findings.results, 0, 0, sweep.findings.used[0], NO_POINT, 0);
    ck_assert_double_lt(estimate.low, estimate.high);
    const StudyAnswer *answers = answers_to(arena_printf(
        arena,
        "{\"at\": {\"size\": \"STANDARD_NC6\", \"fidelity\": \"job\"}, \"metric\": "
        "\"jobs.train.queue_s\", \"at_least\": %.9f}, {\"at\": {\"size\": \"STANDARD_NC6\", "
        "\"fidelity\": \"job\"}, \"metric\": \"jobs.train.queue_s\", \"at_most\": %.9f}",
        estimate.value, estimate.value));
    ck_assert(!answers[0].holds);
    ck_assert(!answers[1].holds);
}
END_TEST

START_TEST(differences_are_those_to_the_baseline)
{
    const StudyAnswer *answers =
        answers_to("{\"at\": {\"size\": \"STANDARD_NC12\"}, \"metric\": \"cost_usd.total\", "
                   "\"of\": \"difference\", \"at_least\": 0},"
                   "{\"metric\": \"cost_usd.total\", \"of\": \"difference\", \"at_most\": 0},"
                   "{\"at\": {\"size\": \"STANDARD_NC6\"}, \"metric\": \"cost_usd.total\", "
                   "\"of\": \"difference\", \"at_most\": 0}");
    ck_assert(answers[0].holds);
    ck_assert(!answers[1].holds);
    ck_assert(!answers[2].holds); // points of the baseline have no difference
    ck_assert_str_eq(answers[2].got, "no difference is known");
}
END_TEST

START_TEST(an_idle_factor_has_levels_that_change_nothing)
{
    const StudyAnswer *answers = answers_to("{\"idle\": \"fidelity\"}, {\"idle\": \"size\"}");
    ck_assert(!answers[1].holds);
    ck_assert_str_eq(answers[1].got, "each level of size changes something");
    ck_assert(answers[0].holds);
}
END_TEST

#define CHEAPEST "\"minimise\": \"cost_usd.total\", \"weather\": \"fidelity\", "

START_TEST(the_answer_of_a_plan_has_levels)
{
    const StudyAnswer *answers = plan_answers_to(
        CHEAPEST, "{\"answer\": {\"size\": \"STANDARD_NC6\"}}, {\"answer\": {\"size\": "
                  "\"STANDARD_NC12\"}}, {\"answer\": \"none\"}, {\"next_best\": {\"size\": "
                  "\"STANDARD_NC12\"}}, {\"nearest_miss\": \"none\"}, {\"sure\": \"none\"}");
    ck_assert(answers[0].holds);
    ck_assert(!answers[1].holds);
    ck_assert_str_eq(answers[1].expected, "size=STANDARD_NC12");
    ck_assert_str_eq(answers[1].got, "size=STANDARD_NC6");
    ck_assert(!answers[2].holds);
    ck_assert_str_eq(answers[2].expected, "no candidate");
    ck_assert(answers[3].holds);
    ck_assert(answers[4].holds);
    ck_assert(answers[5].holds); // the runs draw from no log
}
END_TEST

START_TEST(a_plan_without_an_answer_has_a_nearest_miss)
{
    const StudyAnswer *answers = plan_answers_to(
        CHEAPEST "\"subject_to\": [{\"metric\": \"cost_usd.total\", \"at_most\": 0.001}], ",
        "{\"answer\": \"none\"}, {\"nearest_miss\": {\"size\": \"STANDARD_NC6\"}}, {\"answer\": "
        "{\"size\": \"STANDARD_NC6\"}}, "
        "{\"next_best\": \"none\"}");
    ck_assert(answers[0].holds);
    ck_assert(answers[1].holds);
    ck_assert(!answers[2].holds);
    ck_assert_str_eq(answers[2].got, "no candidate");
    ck_assert(answers[3].holds);
}
END_TEST

START_TEST(mistakes_are_reported_at_their_place)
{
    refused("{\"metric\": \"cost_usd.tota\", \"at_most\": 1}",
            "unknown metric of this study \"cost_usd.tota\"");
    refused("{\"metric\": \"cost_usd.total\"}", "an expected metric needs one way to compare");
    refused("{\"at\": {\"size\": \"NC7\"}, \"metric\": \"cost_usd.total\", \"at_most\": 1}",
            "factor \"size\" has no level NC7");
    refused("{\"at\": {\"sise\": \"NC7\"}, \"metric\": \"cost_usd.total\", \"at_most\": 1}",
            "unknown factor \"sise\"");
    refused("{\"at\": 3, \"metric\": \"cost_usd.total\", \"at_most\": 1}",
            "\"at\" is not an object of levels by factor");
    refused("{\"idle\": \"nodes\"}", "unknown factor \"nodes\"");
    refused("{\"idle\": \"size\", \"at_most\": 1}", "\"idle\" does not go with \"at_most\"");
    refused("{\"at_most\": 1}",
            "an expectation of a study needs \"metric\", \"idle\" or \"answer\"");
    refused("{\"metric\": \"cost_usd.total\", \"at_mots\": 1, \"at_most\": 2}",
            "unknown key \"at_mots\" in this study_expectation");
    refused("{\"idle\": \"size\", \"metric\": \"cost_usd.total\", \"at_most\": 1}",
            "\"idle\" does not go with \"metric\"");
    refused("{\"answer\": {\"size\": \"STANDARD_NC6\"}}",
            "the study has no objective, so there is no \"answer\"");
    refused_with_goal(CHEAPEST, "{\"answer\": {\"fidelity\": \"job\"}}",
                      "\"fidelity\" is weather: no candidate has a level of it");
    refused_with_goal(CHEAPEST, "{\"answer\": {\"sise\": 3}}", "unknown factor \"sise\"");
    refused_with_goal(CHEAPEST, "{\"answer\": 3}",
                      "\"answer\" is neither an object of levels nor \"none\"");
    refused_with_goal(CHEAPEST, "{\"answer\": {\"size\": \"STANDARD_NC6\"}, \"at_most\": 3}",
                      "\"answer\" does not go with \"at_most\"");
    refused_with_goal(CHEAPEST,
                      "{\"answer\": {\"size\": \"STANDARD_NC6\"}, \"of\": \"difference\"}",
                      "\"answer\" does not go with \"of\"");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("study expect");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, values_hold_when_their_whole_interval_is_within_the_limits);
    tcase_add_test(tests, an_interval_across_the_limit_does_not_hold);
    tcase_add_test(tests, differences_are_those_to_the_baseline);
    tcase_add_test(tests, an_idle_factor_has_levels_that_change_nothing);
    tcase_add_test(tests, the_answer_of_a_plan_has_levels);
    tcase_add_test(tests, a_plan_without_an_answer_has_a_nearest_miss);
    tcase_add_test(tests, mistakes_are_reported_at_their_place);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "sim/study/goal.h"

#include "tests/support/small_scenario_fixture.h"

static const char whole_study[] =
    "{\"trainyard_study\": 1, \"scenario\": \"scenario.json\",\n"
    " \"factors\": {\n"
    "  \"nodes\": {\"set\": "
    "[\"/commands/0/config/properties/scaleSettings/manual/targetNodeCount\",\n"
    "             \"/commands/1/config/properties/nodeCount\"], \"values\": \"1..3\"},\n"
    "  \"batch\": {\"set\": \"/programs/0/batch_per_rank\", \"scale\": [1, 2]}},\n"
    " \"metrics\": [\"jobs.train.run_s\", \"cost_usd.total\"],\n"
    " \"seeds\": {\"first\": 5, \"at_least\": 4}\n"
    "}";

static Study *read_text(const char *text, Problems *problems)
{
    *problems = problems_create(arena);
    memory_files_set(&files, "study.json", text, strlen(text));
    Study *study = study_read(arena, memory_files_source(&files), "study.json", problems);
    ck_assert_int_eq(study == NULL, problems->count > 0);
    return study;
}

static Study *sound(const char *text)
{
    Problems problems;
    Study *study = read_text(text, &problems);
    ck_assert_msg(study != NULL, "%s: %s", problems.count > 0 ? problems.items[0].message : "",
                  problems.count > 0 ? problems.items[0].hint : "");
    return study;
}

/* The whole study with the first `old` replaced by `new`. */
static const char *changed(const char *old, const char *new)
{
    return with_change(arena, whole_study, old, new);
}

START_TEST(a_grid_has_every_combination_and_its_last_factor_varies_fastest)
{
    const Study *study = sound(whole_study);
    static const char *const names[] = {"nodes=1 batch=1", "nodes=1 batch=2", "nodes=2 batch=1",
                                        "nodes=2 batch=2", "nodes=3 batch=1", "nodes=3 batch=2"};
    ck_assert_int_eq(study->point_count, 6);
    for (int32_t point = 0; point < 6; point++)
        ck_assert_str_eq(point_name(arena, study, point), names[point]);
    ck_assert_uint_eq(study->seeds.first, 5);
    ck_assert_int_eq(study->seeds.at_most, 4);
}
END_TEST

START_TEST(a_factor_sets_all_of_its_pointers)
{
    const Study *study = sound(whole_study);
    int32_t count;
    const Setting *settings = point_settings(arena, study, 5, &count);
    ck_assert_int_eq(count, 3);
    ck_assert_str_eq(settings[0].value, "3");
    ck_assert_str_eq(settings[1].target, "/commands/1/config/properties/nodeCount");
    ck_assert_str_eq(settings[2].value, "64"); // 2 x the scenario's 32
}
END_TEST

START_TEST(zipped_factors_change_together)
{
    const Study *study = sound(
        with_change(arena, changed("\"seeds\"", "\"zip\": [[\"batch\", \"epochs\"]], \"seeds\""),
                    "\"scale\": [1, 2]}",
                    "\"scale\": [1, 2]}, \"epochs\": {\"set\": \"/programs/0/epochs\", "
                    "\"values\": [\"4\", \"2\"]}"));
    ck_assert_int_eq(study->point_count, 6);
    ck_assert_str_eq(point_name(arena, study, 0), "nodes=1 batch=1 epochs=4");
    ck_assert_str_eq(point_name(arena, study, 1), "nodes=1 batch=2 epochs=2");
}
END_TEST

START_TEST(where_leaves_points_out)
{
    const Study *study = sound(
        changed("\"seeds\"", "\"where\": [\"nodes * batch <= 4\", \"nodes != 2\"], \"seeds\""));
    ck_assert_int_eq(study->point_count, 3); // 1 1, 1 2, 3 1
    ck_assert_str_eq(point_name(arena, study, 2), "nodes=3 batch=1");
}
END_TEST

START_TEST(each_point_is_compared_with_the_baseline_of_its_other_factors)
{
    const Study *study = sound(changed("\"seeds\"", "\"baseline\": {\"nodes\": 2}, \"seeds\""));
    static const int32_t compared[] = {2, 3, NO_POINT, NO_POINT, 2, 3};
    for (int32_t point = 0; point < 6; point++)
        ck_assert_int_eq(study->compared_with[point], compared[point]);
}
END_TEST

START_TEST(one_at_a_time_changes_each_factor_alone)
{
    const Study *study = sound(changed(
        "\"seeds\"", "\"design\": \"one-at-a-time\", \"baseline\": {\"nodes\": 2, \"batch\": 1}, "
                     "\"seeds\""));
    ck_assert_int_eq(study->point_count, 4); // the baseline, two other nodes, one other batch
    ck_assert_str_eq(point_name(arena, study, 0), "nodes=2 batch=1");
}
END_TEST

START_TEST(a_sized_design_takes_values_within_ranges)
{
    const Study *study = sound(
        with_change(arena, changed("\"seeds\"", "\"design\": {\"latin_hypercube\": 6}, \"seeds\""),
                    "\"scale\": [1, 2]}", "\"between\": [8, 128], \"on\": \"log\"}"));
    ck_assert_int_eq(study->point_count, 6);
    for (int32_t point = 0; point < 6; point++) {
        const Level *batch = point_level(study, point, 1);
        ck_assert(batch->divisor > 0);
        ck_assert_int_ge(batch->number / batch->divisor, 8);
        ck_assert_int_le(batch->number / batch->divisor, 128);
    }
}
END_TEST

/* A change of the study, the message that it leads to, and its hint. */
typedef struct {
    const char *old, *new, *message, *hint;
    int32_t line;
} Mistake;

static const Mistake mistakes[] = {
    {"\"metrics\"", "\"metric\"", "unknown key \"metric\" in this study", "\"metrics\"", 6},
    {"cost_usd.total", "cost_usd.totl", "cost_usd.totl", "total", 6},
    {"/programs/0/batch_per_rank\", \"scale\": [1, 2]",
     "/programs/0/batch_per_rnk\", \"values\": [1]",
     "unknown key \"batch_per_rnk\" in this program", "batch_per_rank", 5},
    {"/programs/0/batch_per_rank\", \"scale\": [1, 2]", "/programs/0/epoch\", \"scale\": [1, 2]",
     "the scenario has no value to multiply", "/programs/0/epoch", 5},
    {"/programs/0/batch_per_rank\", \"scale\": [1, 2]",
     "/commands/1/execution\", \"values\": [\"training\"]", "job \"train\" has real execution", "",
     0},
    {"\"scale\"", "\"scales\"", "unknown key \"scales\" in this factor", "\"scale\"", 5},
    {"\"first\"", "\"frist\"", "unknown key \"frist\" in this seeds", "\"first\"", 7},
    {"\"1..3\"", "\"1...3\"", "neither a list nor a range", "1..16", 4},
    {"\"1..3\"", "\"3..1\"", "begins above its end", "a list may fall", 4},
    {"\"1..3\"", "[1, 2, 1]", "has the level 1 twice", "", 4},
    {"\"1..3\"", "[1, \"many\"]", "\"many\"", "", 4},
    {", \"values\": \"1..3\"", "", "has no levels", "\"values\"", 3},
    {"\"values\": \"1..3\"", "\"values\": [1], \"scale\": [1]", "more than one way", "", 4},
    {"\"set\": \"/programs/0/batch_per_rank\", ", "", "no parameter \"batch\"", "parameters", 5},
    {"\"batch\":", "\"seed\":", "cannot be called \"seed\"", "", 5},
    {"\"at_least\": 4", "\"at_least\": 4, \"at_most\": 9", "at_most needs \"until\"", "5%", 7},
    {"\"at_least\": 4", "\"until\": {\"cost\": \"5%\"}", "unknown metric of this study \"cost\"",
     "cost_usd.total", 7},
    {"\"seeds\"", "\"where\": \"nodes * gpus <= 4\", \"seeds\"", "unknown name \"gpus\"", "", 7},
    {"\"seeds\"", "\"where\": \"nodes\", \"seeds\"", "not a comparison", "nodes * gpus", 7},
    {"\"seeds\"", "\"baseline\": {\"nodes\": 7}, \"seeds\"", "has no level 7", "1, 2, 3", 7},
    {"\"seeds\"", "\"zip\": [[\"nodes\", \"batch\"]], \"seeds\"", "3 and 2", "", 2},
    {"\"seeds\"", "\"design\": {\"sobl\": 4}, \"seeds\"", "unknown design", "latin_hypercube", 7},
    {"\"seeds\"", "\"minimize\": \"cost_usd.total\", \"seeds\"", "unknown key \"minimize\"",
     "minimise", 7},
    {"\"at_least\": 4", "\"until\": {\"cost_usd.total\": \"2 EUR\"}", "neither a part of its value",
     "2 USD", 7},
    {"\"seeds\"", "\"horizon\": {\"warm_up\": \"3d\"}, \"seeds\"", "belongs to a steady study",
     "steady", 7},
    {"\"seeds\"", "\"horizon\": {\"kind\": \"steady\"}, \"seeds\"",
     "needs a scenario with \"workloads\"", "", 7},
    {"cost_usd.total", "cost_usd.total / utilisation", "not a ratio of two sums", "succeeded", 6},
    {"scenario.json", "scenarios.json", "scenario \"scenarios.json\": there is no such file", "",
     1},
    {"trainyard_study", "trainyard", "this is a scenario, not a study", "--vary", 1},
};

START_TEST(all_values_are_the_words_that_a_value_may_have)
{
    const Study *study = sound(changed("\"batch\": {\"set\": \"/programs/0/batch_per_rank\", "
                                       "\"scale\": [1, 2]}",
                                       "\"policy\": {\"set\": \"/policy\", \"values\": \"all\"}"));
    const Factor *policy = study->factors[1];
    ck_assert_int_eq(policy->level_count, POLICY_COUNT);
    ck_assert_str_eq(policy->levels[0].label, "service");
    ck_assert_str_eq(policy->levels[POLICY_COUNT - 1].label, "priority-preemptive");
    ck_assert_str_eq(policy->levels[1].settings[0].value, "\"backfill\"");
    Problems problems;
    read_text(changed("\"1..3\"", "\"all\""), &problems);
    ck_assert_str_eq(problems.items[0].message,
                     "factor \"nodes\": it may have any value, so \"all\" has no meaning");
}
END_TEST

START_TEST(a_pattern_is_all_metrics_like_it)
{
    const Study *study = sound(changed("\"jobs.train.run_s\", \"cost_usd.total\"",
                                       "\"cost_usd.total\", \"cost_usd.*\", \"jobs.*.run_s\", "
                                       "\"clusters.*.*_s\""));
    ck_assert_str_eq(study->metrics[0].name, "cost_usd.total");
    ck_assert_int_eq(study_find_metric(study, "cost_usd.storage"), 1);
    ck_assert_int_ge(study_find_metric(study, "jobs.train.run_s"), 2);
    ck_assert_int_ge(study_find_metric(study, "clusters.gpu.idle_s"), 2);
    ck_assert_int_eq(study_find_metric(study, "clusters.gpu.attribution.idle_s"), -1);
    Problems problems;
    read_text(changed("\"jobs.train.run_s\"", "\"jobs.*.runs\""), &problems);
    ck_assert_str_eq(problems.items[0].message,
                     "no metric of the scenario is like \"jobs.*.runs\"");
}
END_TEST

static void check_mistakes(const Mistake *mistakes_of, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Mistake *mistake = &mistakes_of[i];
        Problems problems;
        const Study *study = read_text(changed(mistake->old, mistake->new), &problems);
        ck_assert_msg(study == NULL, "%s is accepted", mistake->new);
        const Status *first = &problems.items[0];
        ck_assert_msg(first->message[0] != '\0' && strstr(first->message, mistake->message),
                      "%s: \"%s\", not \"%s\"", mistake->new, first->message, mistake->message);
        ck_assert_msg(strstr(first->hint, mistake->hint) != NULL, "%s: hint \"%s\"", mistake->new,
                      first->hint);
        if (mistake->line > 0)
            ck_assert_msg(first->at.line == mistake->line, "%s is at line %d", mistake->new,
                          (int)first->at.line);
    }
}

START_TEST(each_mistake_is_reported_at_its_place)
{
    check_mistakes(mistakes, sizeof mistakes / sizeof mistakes[0]);
}
END_TEST

/* --- Goals --- */

static const char goal_members[] =
    "\"minimise\": \"cost_usd.total\", \"subject_to\": [\n"
    "  {\"share\": \"waited_within(20m)\", \"at_least\": \"95%\"},\n"
    "  {\"metric\": \"queue_s.p99.9\", \"at_most\": \"2h\"},\n"
    "  {\"metric\": \"jobs.train.run_s\", \"at_most\": \"3h\"}],\n"
    " \"weather\": \"batch\", \"indifference\": {\"cost_usd.total\": \"5 USD\", "
    "\"jobs.train.run_s\": \"60s\"}, \"seeds\"";

START_TEST(a_goal_has_limits_with_units_and_its_metrics_are_recorded)
{
    const Study *study = sound(changed("\"seeds\"", goal_members));
    const Goal *goal = study->goal;
    ck_assert_ptr_nonnull(goal);
    ck_assert_int_eq(study->metric_count, 4); // two of the goal alone
    ck_assert_str_eq(study->metrics[goal->metric].name, "cost_usd.total");
    ck_assert_int_eq(goal->constraint_count, 3);
    ck_assert_double_eq_tol(goal->constraints[0].limit, .95, 1e-12);
    ck_assert_double_eq_tol(goal->constraints[0].indifference, .0095, 1e-12); // 1 % of the limit
    ck_assert_double_eq_tol(goal->constraints[2].limit, 3 * 3600, 1e-9);
    ck_assert_double_eq_tol(goal->constraints[2].indifference, 60, 1e-9);
    ck_assert_double_eq_tol(goal->indifference_amount, 5, 1e-12);
    ck_assert_double_eq(goal->indifference_part, 0);
    ck_assert_int_eq(goal->weather_count, 1);
    ck_assert_int_eq(goal->weather[0], 1);
    ck_assert_int_eq(goal->at_most, 4 * GOAL_EXTENSION);
}
END_TEST

START_TEST(a_constraint_may_be_a_text_as_of_the_option_slo)
{
    const Study *study = sound(changed(
        "\"seeds\"", "\"minimise\": \"cost_usd.total\", \"subject_to\": [\"waited_within(20m) >= "
                     "95%\", {\"metric\": \"jobs.train.run_s\", \"at_most\": \"3h\"}, "
                     "\"cost_usd.total<=5 USD\"], \"seeds\""));
    const GoalConstraint *constraints = study->goal->constraints;
    ck_assert_int_eq(study->goal->constraint_count, 3);
    ck_assert_str_eq(constraints[0].words, "waited_within(20m) >= 95%");
    ck_assert_int_eq(constraints[0].side, LIMIT_AT_LEAST);
    ck_assert_double_eq_tol(constraints[0].limit, .95, 1e-12);
    ck_assert_int_eq(constraints[2].side, LIMIT_AT_MOST);
    ck_assert_double_eq_tol(constraints[2].limit, 5, 1e-12);
}
END_TEST

START_TEST(a_blank_before_the_unit_of_a_limit_is_optional)
{
    static const char *const limits[] = {"5 USD", "5USD", "5.0USD"};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const Study *study = sound(
            changed("\"seeds\"", arena_printf(arena,
                                              "\"minimise\": \"queue_s.mean\", \"subject_to\": "
                                              "[{\"metric\": \"cost_usd.total\", \"at_most\": "
                                              "\"%s\"}], \"seeds\"",
                                              limits[i])));
        ck_assert_double_eq_tol(study->goal->constraints[0].limit, 5, 1e-12);
    }
}
END_TEST

START_TEST(a_percentile_of_waits_is_tested_as_a_share)
{
    const Study *study = sound(changed("\"seeds\"", goal_members));
    const GoalConstraint *constraint = &study->goal->constraints[1];
    ck_assert_str_eq(study->metrics[constraint->metric].name, "waited_within(2h)");
    ck_assert_int_eq(constraint->side, LIMIT_AT_LEAST);
    ck_assert_double_eq_tol(constraint->limit, .999, 1e-12);
    ck_assert_str_eq(constraint->words, "queue_s.p99.9 <= 2h");
}
END_TEST

START_TEST(a_mean_of_waits_is_tested_with_the_waits_that_have_not_ended_completed)
{
    static const struct {
        const char *goal, *metric;
    } cases[] = {
        {"{\"metric\": \"queue_s.mean\", \"at_most\": \"5m\"}", "queue_s.mean_completed"},
        {"{\"metric\": \"queue_s.mean\", \"at_least\": \"5m\"}", "queue_s.mean"},
        {"{\"metric\": \"queue_s.max\", \"at_most\": \"5m\"}", "queue_s.max"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Study *study = sound(changed(
            "\"seeds\"", arena_printf(arena,
                                      "\"minimise\": \"cost_usd.total\", \"subject_to\": [%s], "
                                      "\"seeds\"",
                                      cases[i].goal)));
        ck_assert_str_eq(study->metrics[study->goal->constraints[0].metric].name, cases[i].metric);
    }
    // An indifference names it as the constraint does.
    const Study *study = sound(
        changed("\"seeds\"", "\"minimise\": \"cost_usd.total\", \"subject_to\": [{\"metric\": "
                             "\"queue_s.mean\", \"at_most\": \"5m\"}], \"indifference\": "
                             "{\"queue_s.mean\": \"30s\"}, \"seeds\""));
    ck_assert_double_eq_tol(study->goal->constraints[0].indifference, 30, 1e-9);
}
END_TEST

START_TEST(a_goal_needs_no_list_of_metrics)
{
    const Study *study =
        sound(changed(" \"metrics\": [\"jobs.train.run_s\", \"cost_usd.total\"],\n",
                      " \"maximise\": \"utilisation\",\n"));
    ck_assert_int_eq(study->metric_count, 1);
    ck_assert(study->goal->is_maximised);
}
END_TEST

#define GOAL(members) "\"minimise\": \"cost_usd.total\", " members ", \"seeds\""
static const Mistake goal_mistakes[] = {
    {"\"seeds\"", "\"minimise\": \"cost_usd.totl\", \"seeds\"", "cost_usd.totl", "total", 7},
    {"\"seeds\"", "\"weather\": \"batch\", \"seeds\"", "\"weather\" needs an objective", "minimise",
     7},
    {"\"seeds\"", GOAL("\"maximise\": \"utilisation\""), "one of \"minimise\" and \"maximise\"",
     "subject_to", 7},
    {"\"seeds\"", GOAL("\"weather\": \"bach\""), "unknown factor \"bach\"", "batch", 7},
    {"\"seeds\"", GOAL("\"weather\": [\"batch\", \"nodes\"]"), "nothing is left to choose", "load",
     7},
    {"\"seeds\"", GOAL("\"confidence\": \"40%\""), "not above 50 % and below 100 %", "95%", 7},
    {"\"seeds\"", GOAL("\"indifference\": \"2 USD\""), "neither a part above 0", "2%", 7},
    {"\"seeds\"", GOAL("\"indifference\": {\"utilisation\": \"1%\"}"),
     "unknown metric of the goal \"utilisation\"", "cost_usd.total", 7},
    {"\"seeds\"", GOAL("\"indifference\": {\"cost_usd.total\": \"2 EUR\"}"),
     "neither a part above 0", "5 USD", 7},
    {"\"seeds\"", GOAL("\"subject_to\": [\"waited_within(20m) = 95%\"]"),
     "a constraint is a metric, '>=' or '<=', and a limit", "95%", 7},
    {"\"seeds\"", GOAL("\"subject_to\": [\"<= 3\"]"),
     "a constraint is a metric, '>=' or '<=', and a limit", "95%", 7},
    {"\"seeds\"", GOAL("\"subject_to\": [{\"share\": \"waited_within(20m)\"}]"),
     "one of \"at_least\" and \"at_most\"", "95%", 7},
    {"\"seeds\"", GOAL("\"subject_to\": [{\"share\": \"utilisation\", \"at_least\": 0.5}]"),
     "\"utilisation\" is not a share of jobs", "metric", 7},
    {"\"seeds\"", GOAL("\"subject_to\": [{\"share\": \"waited_within(20m)\", \"at_least\": 95}]"),
     "not between 0 and 1", "95%", 7},
    {"\"seeds\"", GOAL("\"subject_to\": [{\"metric\": \"queue_s.mean\", \"at_most\": \"2 USD\"}]"),
     "the limit of \"queue_s.mean\"", "20m", 7},
    {"\"seeds\"", GOAL("\"subject_to\": [{\"metric\": \"queue_s.man\", \"at_most\": \"2m\"}]"),
     "queue_s.man", "mean", 7},
    {"\"seeds\"",
     GOAL("\"subject_to\": [{\"share\": \"waited_within(20m)\", \"at_least\": \"95%\"}, "
          "{\"share\": \"waited_within(20m)\", \"at_most\": 0.5}]"),
     "no value meets both \"waited_within(20m) >= 95%\" and \"waited_within(20m) <= 0.5\"", "", 7},
    {"\"seeds\"", GOAL("\"budget\": {\"runs\": 0}"), "runs", "", 7},
    {"\"at_least\": 4",
     "\"at_least\": 1}, \"minimise\": \"cost_usd.total\", \"budget\": {\"runs\": 9",
     "a plan needs from 2", "20", 7},
    {" \"metrics\": [\"jobs.train.run_s\", \"cost_usd.total\"],\n", "", "missing \"metrics\"",
     "cost_usd.total", 1},
};

START_TEST(each_mistake_of_a_goal_is_reported_at_its_place)
{
    check_mistakes(goal_mistakes, sizeof goal_mistakes / sizeof goal_mistakes[0]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("study");
    TCase *tests = tcase_create("study");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_grid_has_every_combination_and_its_last_factor_varies_fastest);
    tcase_add_test(tests, a_factor_sets_all_of_its_pointers);
    tcase_add_test(tests, zipped_factors_change_together);
    tcase_add_test(tests, where_leaves_points_out);
    tcase_add_test(tests, each_point_is_compared_with_the_baseline_of_its_other_factors);
    tcase_add_test(tests, one_at_a_time_changes_each_factor_alone);
    tcase_add_test(tests, a_sized_design_takes_values_within_ranges);
    tcase_add_test(tests, all_values_are_the_words_that_a_value_may_have);
    tcase_add_test(tests, a_pattern_is_all_metrics_like_it);
    tcase_add_test(tests, each_mistake_is_reported_at_its_place);
    tcase_add_test(tests, a_goal_has_limits_with_units_and_its_metrics_are_recorded);
    tcase_add_test(tests, a_constraint_may_be_a_text_as_of_the_option_slo);
    tcase_add_test(tests, a_blank_before_the_unit_of_a_limit_is_optional);
    tcase_add_test(tests, a_percentile_of_waits_is_tested_as_a_share);
    tcase_add_test(tests, a_mean_of_waits_is_tested_with_the_waits_that_have_not_ended_completed);
    tcase_add_test(tests, a_goal_needs_no_list_of_metrics);
    tcase_add_test(tests, each_mistake_of_a_goal_is_reported_at_its_place);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "sim/study/study.h"

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
static const struct {
    const char *old, *new, *message, *hint;
    int32_t line;
} mistakes[] = {
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
    {"\"1..3\"", "\"3..1\"", "neither a list nor a range", "1..16", 4},
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
    {"\"seeds\"", "\"minimise\": \"cost_usd.total\", \"seeds\"", "unknown key \"minimise\"", "", 7},
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

START_TEST(each_mistake_is_reported_at_its_place)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        Problems problems;
        const Study *study = read_text(changed(mistakes[i].old, mistakes[i].new), &problems);
        ck_assert_msg(study == NULL, "%s is accepted", mistakes[i].new);
        const Status *first = &problems.items[0];
        ck_assert_msg(first->message[0] != '\0' && strstr(first->message, mistakes[i].message),
                      "%s: \"%s\", not \"%s\"", mistakes[i].new, first->message,
                      mistakes[i].message);
        ck_assert_msg(strstr(first->hint, mistakes[i].hint) != NULL, "%s: hint \"%s\"",
                      mistakes[i].new, first->hint);
        if (mistakes[i].line > 0)
            ck_assert_msg(first->at.line == mistakes[i].line, "%s is at line %d", mistakes[i].new,
                          (int)first->at.line);
    }
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
    suite_add_tcase(suite, tests);
    return suite;
}

/* Parameters of scenarios: their values, the texts that use them, and mistakes. */
#include "sim/scenario/parameters.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/whole.h"
#include "tests/support/small_scenario_fixture.h"
#include "tests/support/suite.h"

/* Puts `members` at the start of the scenario. */
static void add_to_scenario(const char *members)
{
    const char *text = with_change(arena, small_scenario_text, "\"trainyard\": 1,",
                                   arena_printf(arena, "\"trainyard\": 1, %s,", members));
    memory_files_set(&files, "scenario.json", text, strlen(text));
}

static ScenarioFile *read_changed(ScenarioOverrides overrides, Problems *problems)
{
    *problems = problems_create(arena);
    return scenario_read(arena, memory_files_source(&files), "scenario.json", overrides, problems);
}

static ScenarioFile *read_with(const char *param, Problems *problems)
{
    const ScenarioOverrides overrides = {
        .param_count = param != NULL, .params = &param, .explains = true};
    return read_changed(overrides, problems);
}

static ScenarioFile *sound_with(const char *param)
{
    Problems problems;
    ScenarioFile *file = read_with(param, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return file;
}

/* The message of the only problem of the scenario with `param` (NULL: none). */
static const char *complaint(const char *param)
{
    Problems problems;
    ck_assert_ptr_null(read_with(param, &problems));
    ck_assert_msg(problems.count == 1, "%d problems: %s", (int)problems.count,
                  problems.items[0].message);
    return arena_printf(arena, "%s: %s; %s", place_text(arena, problems.items[0].at),
                        problems.items[0].message, problems.items[0].hint);
}

static void complains(const char *param, const char *expected)
{
    const char *got = complaint(param);
    ck_assert_msg(strstr(got, expected) != NULL, "%s\nexpected: %s", got, expected);
}

static const JobSpec *job_of(const ScenarioFile *file)
{
    for (int32_t i = 0; i < file->scenario.command_count; i++)
        if (file->scenario.commands[i].kind == COMMAND_JOB_CREATE)
            return file->scenario.commands[i].as.job_create.spec;
    return NULL;
}

START_TEST(a_value_keeps_its_type_also_in_a_file_that_the_scenario_names)
{
    add_to_scenario("\"parameters\": {\"nodes\": {\"value\": 2}}");
    change_file("job.json", "\"nodeCount\": 2", "\"nodeCount\": \"${nodes}\"");
    ck_assert_int_eq(job_of(sound_with(NULL))->nodes, 2);
    ck_assert_int_eq(job_of(sound_with("nodes=1"))->nodes, 1);
}
END_TEST

START_TEST(a_value_in_a_longer_text_or_a_formula_is_text)
{
    add_to_scenario("\"parameters\": {\"epochs\": {\"value\": 6}, \"hours\": {\"value\": 3}}, "
                    "\"until\": \"${hours}h30m\"");
    change_file("scenario.json", "ceil(4/ranks)", "ceil(${epochs}/ranks)");
    const ScenarioFile *file = sound_with(NULL);
    ck_assert_int_eq(file->scenario.until_ns, 3 * NS_PER_HOUR + 30 * NS_PER_MIN);
    ck_assert_int_eq(job_of(file)->program->epochs, 3); // 6 over 2 ranks
    ck_assert_int_eq(job_of(sound_with("epochs=9"))->program->epochs, 5);
}
END_TEST

START_TEST(a_formula_of_parameters_is_a_number)
{
    static const struct {
        const char *formula, *text;
    } rows[] = {{"${nodes}", "4"},
                {"${2*nodes + 1}", "9"},
                {"${ceil(nodes/3)}", "2"},
                {"${half*nodes}", "2"},
                {"${half/nodes}", "0.125"},
                {"${-half}", "-0.5"},
                {"${min(nodes, 3) - half}", "2.5"},
                {"${nodes}${nodes}", "44"},
                {"a ${half} b", "a 0.5 b"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        add_to_scenario(arena_printf(
            arena,
            "\"parameters\": {\"nodes\": {\"value\": 4}, \"half\": {\"value\": 0.5}, \"got\": "
            "{\"value\": \"%s\"}}, \"description\": \"${got} ${nodes} ${half}\"",
            rows[i].formula));
        const ScenarioFile *file = sound_with(NULL);
        ck_assert_int_eq(file->parameter_count, 3);
        ck_assert_str_eq(file->parameters[2].text, rows[i].text);
        ck_assert_str_eq(file->scenario.description, arena_printf(arena, "%s 4 0.5", rows[i].text));
    }
}
END_TEST

START_TEST(each_type_is_read_and_compared_by_its_size)
{
    static const struct {
        const char *declared, *inside, *outside;
    } rows[] = {
        {"\"value\": 4, \"range\": [1, 64]", "64", "65"},
        {"\"value\": 4, \"type\": \"number\", \"range\": [0.5, 64]", "0.5", "0.49"},
        {"\"value\": \"90m\", \"type\": \"duration\", \"range\": [\"1h\", \"7d\"]", "60m", "59m"},
        {"\"value\": \"1GB\", \"type\": \"size\", \"range\": [\"1kB\", \"1GiB\"]", "1024MiB",
         "1025MiB"},
        {"\"value\": \"12/h\", \"type\": \"rate\", \"range\": [\"1/d\", \"5000/week\"]", "7/week",
         "6/week"},
        {"\"value\": \"1Gbit/s\", \"type\": \"bandwidth\", \"range\": [\"1MB/s\", \"1GB/s\"]",
         "8Gbit/s", "8.1Gbit/s"},
        {"\"value\": \"5%\", \"type\": \"ratio\", \"range\": [\"1%\", \"0.5\"]", "50%", "51%"},
        {"\"value\": \"1USD\", \"type\": \"money\", \"range\": [\"0.5USD\", \"2USD\"]", "2USD",
         "2.01USD"},
        {"\"value\": \"a\", \"choices\": [\"a\", \"b\"]", "b", "c"},
        {"\"value\": true", "false", "no"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        add_to_scenario(arena_printf(arena,
                                     "\"parameters\": {\"it\": {%s}}, \"description\": \"${it}!\"",
                                     rows[i].declared));
        const ScenarioFile *file = sound_with(arena_printf(arena, "it=%s", rows[i].inside));
        ck_assert_str_eq(file->scenario.description, arena_printf(arena, "%s!", rows[i].inside));
        const char *outside = arena_printf(arena, "it=%s", rows[i].outside);
        ck_assert_msg(read_with(outside, &problems) == NULL, "%s %s", rows[i].declared, outside);
        ck_assert_int_eq(problems.count, 1);
    }
}
END_TEST

START_TEST(shell_texts_stay_as_they_are)
{
    static const char text[] = "$HOME ${HOME} ${x:-1} ${#x} $((1 + 2)) $x $$ ${} ${";
    add_to_scenario(arena_printf(arena,
                                 "\"parameters\": {\"x\": {\"value\": 1}}, \"region\": \"r${x}\", "
                                 "\"description\": \"%s\"",
                                 text));
    ck_assert_str_eq(sound_with(NULL)->scenario.description, text);
    add_to_scenario("\"parameters\": {\"x\": {\"value\": 1}}, \"region\": \"r${x}\", "
                    "\"description\": \"$${x} $$${x} $${HOME}\"");
    ck_assert_str_eq(sound_with(NULL)->scenario.description, "${x} $${x} ${HOME}");
}
END_TEST

START_TEST(without_parameters_the_sign_has_no_meaning)
{
    add_to_scenario("\"description\": \"${x} $${y}\"");
    ck_assert_str_eq(sound_with(NULL)->scenario.description, "${x} $${y}");
    complains("x=1", "--param x=1: the scenario has no parameters");
}
END_TEST

START_TEST(a_change_of_the_declaration_is_overridden_by_a_param)
{
    add_to_scenario("\"parameters\": {\"x\": {\"value\": 1}}, \"description\": \"x${x}\"");
    static const char *const sets[] = {"/parameters/x/value=2", "/region=r${x}"};
    static const char *const params[] = {"x=3", "x=4"};
    Problems problems;
    ScenarioOverrides overrides = {.count = 2, .items = sets};
    const ScenarioFile *file = read_changed(overrides, &problems);
    ck_assert_str_eq(file->scenario.description, "x2");
    ck_assert_str_eq(file->scenario.region, "r2");
    ck_assert_str_eq(file->parameters[0].origin.source, "--set /parameters/x/value=2");
    overrides.param_count = 2;
    overrides.params = params;
    file = read_changed(overrides, &problems);
    ck_assert_str_eq(file->scenario.description, "x4");
    ck_assert_str_eq(file->parameters[0].origin.source, "--param x=4");
}
END_TEST

START_TEST(mistakes_have_a_place_and_a_hint)
{
    static const struct {
        const char *declared, *used, *expected;
    } rows[] = {
        {"\"x\": {\"value\": 1}", "${y}", "scenario.json:3:52: unknown parameter \"y\"; declare"},
        {"\"nodes\": {\"value\": 1}", "${noddes} ${nodes}", "did you mean \"nodes\""},
        {"\"nodes\": {\"value\": 1}", "${2*noddes} ${nodes}", "did you mean \"nodes\""},
        {"\"x\": {\"value\": 1}", "none", "parameter \"x\" is not used; write ${x}"},
        {"\"x\": {\"value\": \"${x}\"}", "${x}", "the value of parameter \"x\" depends on itself"},
        {"\"x\": {\"value\": 3, \"range\": [4, 5]}", "${x}", "is 3, expected 4 to 5"},
        {"\"x\": {\"value\": 3, \"range\": [5, 4]}", "${x}", "begins above its end"},
        {"\"x\": {\"value\": 3, \"range\": [5]}", "${x}", "not two values"},
        {"\"x\": {\"value\": \"3\", \"range\": [1, 5]}", "${x}", "a text has no range"},
        {"\"x\": {\"value\": \"3\", \"type\": \"integer\"}", "${x}", "is \"3\", expected an integ"},
        {"\"x\": {\"value\": 3.5, \"type\": \"integer\"}", "${x}", "\"type\": \"number\" allows"},
        {"\"x\": {\"value\": \"3x\", \"type\": \"duration\"}", "${x}", "parameter \"x\": "},
        {"\"x\": {\"value\": [3]}", "${x}", "is an array, expected a string"},
        {"\"x\": {\"value\": \"a\", \"type\": \"choice\"}", "${x}", "needs \"choices\""},
        {"\"x\": {\"value\": \"c\", \"choices\": [\"a\"]}", "${x}", "unknown x \"c\""},
        {"\"x\": {\"value\": \"c\", \"unit\": \"m\"}", "${x}", "a text has no \"unit\""},
        {"\"x\": {\"vlaue\": 1}", "${x}", "unknown key \"vlaue\""},
        {"\"x\": 1", "${x}", "this parameter is 1, expected an object"},
        {"\"X\": {\"value\": 1}", "${X}", "\"X\" is not a name of a parameter"},
        {"\"min\": {\"value\": 1}", "${min}", "\"min\" is not a name of a parameter"},
        {"\"x\": {\"value\": 1}", "${x/3}", "which is not a number with at most 9 decimals"},
        {"\"x\": {\"value\": 1}", "${x/0}", "division by zero"},
        {"\"x\": {\"value\": 1}", "${x+}", "a number or a name is missing"},
        {"\"x\": {\"value\": \"1h\", \"type\": \"duration\"}", "${2*x}", "cannot be in a formula"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        add_to_scenario(arena_printf(arena, "\n\"parameters\": {%s}, \"description\": \"%s\"",
                                     rows[i].declared, rows[i].used));
        Problems problems;
        ck_assert_ptr_null(read_with(NULL, &problems));
        const char *got = "";
        for (int32_t j = 0; j < problems.count; j++)
            got =
                arena_printf(arena, "%s%s: %s; %s\n", got, place_text(arena, problems.items[j].at),
                             problems.items[j].message, problems.items[j].hint);
        ck_assert_msg(strstr(got, rows[i].expected) != NULL, "row %zu: %s", i, got);
    }
}
END_TEST

START_TEST(a_cycle_over_several_parameters_is_found)
{
    add_to_scenario("\"parameters\": {\"a\": {\"value\": \"${b}\"}, \"b\": {\"value\": "
                    "\"${c}\"}, \"c\": {\"value\": \"${a+1}\"}}, \"description\": \"${a}\"");
    complains(NULL, "the value of parameter \"a\" depends on itself");
}
END_TEST

START_TEST(keys_cannot_contain_parameters)
{
    add_to_scenario("\"parameters\": {\"x\": {\"value\": 1}}, \"description\": \"${x}\"");
    change_file("job.json", "\"nodeCount\"", "\"${x}nodeCount\"");
    complains(NULL, "a key cannot contain a parameter");
}
END_TEST

START_TEST(explanations_list_the_places_that_use_a_parameter)
{
    add_to_scenario("\"parameters\": {\"nodes\": {\"value\": 2, \"unit\": \"nodes\", \"range\": "
                    "[1, 2], \"description\": \"of the job\"}}");
    change_file("job.json", "\"nodeCount\": 2", "\"nodeCount\": \"${nodes}\"");
    const Explanation *all = &sound_with("nodes=1")->explanation;
    ck_assert_str_eq(all->values[0].name, "parameter nodes");
    ck_assert_str_eq(all->values[0].value, "1 nodes");
    ck_assert_str_eq(all->values[0].origin,
                     "--param nodes=1; 1 to 2; of the job; used at job.json:2:17");
}
END_TEST

START_TEST(a_scenario_with_parameters_is_the_one_that_it_stands_for)
{
    const ScenarioFile *by_hand = sound_with(NULL);
    add_to_scenario("\"parameters\": {\"nodes\": {\"value\": 2}, \"who\": {\"value\": \"train\"}}");
    change_file("job.json", "\"nodeCount\": 2", "\"nodeCount\": \"${nodes}\"");
    change_file("cluster.json", "\"targetNodeCount\": 2", "\"targetNodeCount\": \"${nodes}\"");
    change_file("scenario.json", "job train completed + 1m", "job ${who} completed + 1m");
    const ScenarioFile *file = sound_with(NULL);
    Text expected = {0}, got = {0};
    json_print(&expected, scenario_whole(arena, by_hand), JSON_INDENTED);
    json_print(&got, scenario_whole(arena, file), JSON_INDENTED);
    ck_assert_str_eq(text_string(&got), text_string(&expected));
    text_free(&expected);
    text_free(&got);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("parameters");
    TCase *tests = tcase_create("parameters");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_value_keeps_its_type_also_in_a_file_that_the_scenario_names);
    tcase_add_test(tests, a_value_in_a_longer_text_or_a_formula_is_text);
    tcase_add_test(tests, a_formula_of_parameters_is_a_number);
    tcase_add_test(tests, each_type_is_read_and_compared_by_its_size);
    tcase_add_test(tests, shell_texts_stay_as_they_are);
    tcase_add_test(tests, without_parameters_the_sign_has_no_meaning);
    tcase_add_test(tests, a_change_of_the_declaration_is_overridden_by_a_param);
    tcase_add_test(tests, mistakes_have_a_place_and_a_hint);
    tcase_add_test(tests, a_cycle_over_several_parameters_is_found);
    tcase_add_test(tests, keys_cannot_contain_parameters);
    tcase_add_test(tests, explanations_list_the_places_that_use_a_parameter);
    tcase_add_test(tests, a_scenario_with_parameters_is_the_one_that_it_stands_for);
    suite_add_tcase(suite, tests);
    return suite;
}

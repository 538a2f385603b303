#include <math.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "tests/support/small_scenario_fixture.h"
#include "tests/support/suite.h"

/* The small scenario with other expectations. */
static const ScenarioFile *read_expecting(const char *expect, Problems *problems)
{
    const char *text = with_change(arena, small_scenario_text,
                                   "\"expect\": [{\"job\": \"train\", \"state\": \"succeeded\"}]",
                                   arena_printf(arena, "\"expect\": [%s]", expect));
    *problems = problems_create(arena);
    memory_files_set(&files, "scenario.json", text, strlen(text));
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){0}, problems);
}

static const Expectation *sound(const char *expect)
{
    Problems problems;
    const ScenarioFile *file = read_expecting(expect, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return file->expectations;
}

START_TEST(a_state_may_have_an_exit_code_and_an_error)
{
    const Expectation *e =
        sound("{\"job\": \"train\", \"state\": \"failed\", \"exit_code\": 3, \"error\": "
              "\"JobFailed\"}, {\"cluster\": \"gpu\", \"error\": \"AccountCoreQuotaReached\"}, "
              "{\"job\": \"train\", \"exit_code\": 0}");
    ck_assert_int_eq(e[0].kind, EXPECT_STATE);
    ck_assert(e[0].is_job);
    ck_assert_str_eq(e[0].name, "train");
    ck_assert_str_eq(e[0].equals, "failed");
    ck_assert_int_eq(e[0].exit_code, 3);
    ck_assert_str_eq(e[0].error, "JobFailed");
    ck_assert(!e[1].is_job);
    ck_assert_ptr_null(e[1].equals);
    ck_assert_int_eq(e[1].exit_code, -1);
    ck_assert_str_eq(e[1].error, "AccountCoreQuotaReached");
    ck_assert_int_eq(e[2].exit_code, 0);
    ck_assert_ptr_null(e[2].error);
}
END_TEST

START_TEST(always_never_and_eventually_take_conditions_and_moments)
{
    const Expectation *e = sound(
        "{\"always\": \"cluster gpu nodes <= 2\"},"
        "{\"never\": \"cluster gpu unusable > 0 for 10m\"},"
        "{\"sometimes\": \"job train running\"},"
        "{\"eventually\": \"job train succeeded\", \"within\": \"2h\", \"of\": \"job train "
        "submitted\"},"
        "{\"before\": \"cluster gpu ready\", \"then\": \"job train requeued 2\"},"
        "{\"order\": [\"job train started\", \"job train epoch 1\", \"cluster gpu deleted\"]}");
    ck_assert_int_eq(e[0].kind, EXPECT_ALWAYS);
    ck_assert_int_eq(e[0].condition.quantity, QUANTITY_CLUSTER_NODES);
    ck_assert_int_eq(e[0].condition.comparator, COMPARE_AT_MOST);
    ck_assert_int_eq(e[0].condition.value, 2);
    ck_assert_int_eq(e[1].kind, EXPECT_NEVER);
    ck_assert_int_eq(e[1].condition.for_ns, 10 * NS_PER_MIN);
    ck_assert_int_eq(e[2].kind, EXPECT_SOMETIMES);
    ck_assert_int_eq(e[3].kind, EXPECT_EVENTUALLY);
    ck_assert_int_eq(e[3].within_ns, 2 * NS_PER_HOUR);
    ck_assert_int_eq(e[3].moment_count, 1);
    ck_assert_int_eq(e[3].moments[0].moment, MOMENT_JOB_SUBMITTED);
    ck_assert_int_eq(e[4].kind, EXPECT_ORDER);
    ck_assert(e[4].last_may_be_absent);
    ck_assert_int_eq(e[4].moments[1].moment, MOMENT_JOB_REQUEUED);
    ck_assert_int_eq(e[4].moments[1].ordinal, 2);
    ck_assert_int_eq(e[5].kind, EXPECT_ORDER);
    ck_assert(!e[5].last_may_be_absent);
    ck_assert_int_eq(e[5].moment_count, 3);
    ck_assert_str_eq(e[5].moment_texts[2], "cluster gpu deleted");
}
END_TEST

START_TEST(a_statistic_has_seeds_and_a_confidence)
{
    const Expectation *e =
        sound("{\"metric\": \"jobs.train.queue_s\", \"seeds\": 59, \"statistic\": \"p95\", "
              "\"at_most\": \"20m\"},"
              "{\"metric\": \"cost_usd.total\", \"seeds\": 2, \"at_least\": 1, \"confidence\": "
              "\"99.9%\"}");
    ck_assert_int_eq(e[0].kind, EXPECT_STATISTIC);
    ck_assert_int_eq(e[0].seeds, 59);
    ck_assert_double_eq(e[0].quantile, 0.95);
    ck_assert_double_eq(e[0].confidence, 0.95);
    ck_assert_double_eq(e[0].high, 1200);
    ck_assert(isinf(e[0].low));
    ck_assert_double_eq(e[1].quantile, 0);
    ck_assert_double_eq(e[1].confidence, 0.999);
}
END_TEST

START_TEST(limits_have_the_unit_of_their_metric)
{
    const Expectation *e =
        sound("{\"metric\": \"cost_usd.total\", \"equals\": \"0.20USD\"},"
              "{\"metric\": \"clusters.gpu.attribution.lost_usd\", \"at_most\": \"1.5USD\"},"
              "{\"metric\": \"jobs.train.run_s\", \"at_most\": \"90s\"},"
              "{\"metric\": \"jobs.train_s.state\", \"equals\": \"succeeded\"}");
    ck_assert_double_eq(e[0].low, 0.2);
    ck_assert_double_eq(e[0].high, 0.2);
    ck_assert_double_eq(e[1].high, 1.5);
    ck_assert_double_eq(e[2].high, 90);
    ck_assert_str_eq(e[3].equals, "succeeded"); // of a job whose name looks like a time
}
END_TEST

static const struct {
    const char *expect, *message, *hint;
} refused[] = {
    {"{\"metric\": \"cost_usd.total\", \"at_most\": \"4 EUR\"}", "is not an amount", ""},
    {"{\"metric\": \"jobs.train.attempts\", \"at_most\": \"4USD\"}", "is a plain number", ""},
    {"{\"job\": \"train\"}", "an expected job needs \"state\"", "or \"exit_code\" or \"error\""},
    {"{\"cluster\": \"gpu\", \"exit_code\": 1}", "a cluster has no exit code", ""},
    {"{\"job\": \"train\", \"exit_code\": 256}", "exit_code is 256", ""},
    {"{\"job\": \"train\", \"state\": \"failed\", \"within\": \"1m\"}",
     "\"within\" does not apply to \"job\"", "it applies to \"eventually\""},
    {"{\"files\": \"*\", \"at_most\": 3}", "\"at_most\" does not apply to \"files\"",
     "it applies to \"metric\""},
    {"{\"always\": \"x\", \"never\": \"y\"}", "exactly one of", ""},
    {"{}", "exactly one of", ""},
    {"{\"always\": \"cluster gpu colour == 3\"}", "a cluster has no \"colour\"", "nodes"},
    {"{\"always\": \"cluster gpuu nodes == 3\"}", "no command creates a cluster \"gpuu\"",
     "did you mean \"gpu\"?"},
    {"{\"always\": \"cluster gpu nodes == 3 for 5m\"}", "cannot have \"for\"", "never"},
    {"{\"sometimes\": \"job trian running\"}", "no command creates a job \"trian\"", "train"},
    {"{\"eventually\": \"job train running\", \"of\": \"job train begins\"}", "is not a moment",
     ""},
    {"{\"before\": \"job train started\"}", "\"before\" needs \"then\"", ""},
    {"{\"then\": \"job train started\"}", "exactly one of", ""},
    {"{\"before\": \"job train started\", \"then\": \"job other started\"}",
     "no command creates a job \"other\"", ""},
    {"{\"order\": [\"job train started\"]}", "two moments or more", ""},
    {"{\"order\": \"job train started\"}", "two moments or more", ""},
    {"{\"order\": [\"job train started\", 7]}", "a moment is a string", ""},
    {"{\"metric\": \"x\", \"at_most\": 1, \"statistic\": \"p95\"}", "needs \"seeds\"", ""},
    {"{\"metric\": \"x\", \"equals\": 1, \"seeds\": 5}", "equal", ""},
    {"{\"metric\": \"x\", \"at_most\": 1, \"seeds\": 1}", "seeds is 1", ""},
    {"{\"metric\": \"x\", \"at_most\": 1, \"seeds\": 58, \"statistic\": \"p95\"}",
     "58 seeds are too few for a confident p95", "59 are needed at a confidence of 95%"},
    {"{\"metric\": \"x\", \"at_least\": 1, \"seeds\": 58, \"statistic\": \"p5\"}",
     "58 seeds are too few for a confident p5", "59 are needed at a confidence of 95%"},
    {"{\"metric\": \"x\", \"at_most\": 1, \"seeds\": 5, \"statistic\": \"p100\"}",
     "\"p100\" is not a statistic", "p99.9"},
    {"{\"metric\": \"x\", \"at_most\": 1, \"seeds\": 5, \"statistic\": \"p\"}",
     "\"p\" is not a statistic", ""},
    {"{\"metric\": \"x\", \"at_most\": 1, \"seeds\": 5, \"statistic\": \"p9.\"}",
     "\"p9.\" is not a statistic", ""},
    {"{\"metric\": \"x\", \"at_most\": 1, \"seeds\": 5, \"statistic\": "
     "\"p99999999999999999999999\"}",
     "is not a statistic", ""},
    {"{\"metric\": \"x\", \"at_most\": 1, \"seeds\": 5, \"statistic\": \"median\"}",
     "\"median\" is not a statistic", "p50"},
    {"{\"metric\": \"x\", \"at_most\": 1, \"seeds\": 5, \"confidence\": \"0.95\"}",
     "\"0.95\" is not a confidence", "95%"},
    {"{\"metric\": \"x\", \"at_most\": 1, \"seeds\": 5, \"confidence\": \"100%\"}",
     "\"100%\" is not a confidence", ""},
    {"{\"metric\": \"x\", \"at_most\": 1, \"seeds\": 5, \"confidence\": \"\"}",
     "\"\" is not a confidence", ""},
};

START_TEST(contradictory_expectations_are_refused_with_a_message)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        Problems problems;
        const ScenarioFile *file = read_expecting(refused[i].expect, &problems);
        ck_assert_msg(file == NULL, "%s", refused[i].expect);
        ck_assert_msg(problems.count == 1, "%s: %d problems", refused[i].expect, problems.count);
        ck_assert_msg(strstr(problems.items[0].message, refused[i].message) != NULL, "%s: %s",
                      refused[i].expect, problems.items[0].message);
        ck_assert_msg(strstr(problems.items[0].hint, refused[i].hint) != NULL, "%s: %s",
                      refused[i].expect, problems.items[0].hint);
        ck_assert_int_gt(problems.items[0].at.line, 0);
    }
}
END_TEST

/* The memory of reading the small scenario with `count` more commands and so many expectations. */
static size_t bytes_of(int32_t count, int32_t expectations)
{
    Text commands = {0}, expect = {0};
    for (int32_t i = 0; i < count; i++)
        text_add(&commands, "{\"at\": \"1h\", \"do\": \"cluster.show\", \"name\": \"gpu\"},\n");
    for (int32_t i = 0; i < expectations; i++)
        text_printf(&expect, "%s{\"job\": \"train\", \"state\": \"succeeded\"}",
                    i > 0 ? ",\n" : "");
    const char *text = with_change(arena, small_scenario_text,
                                   "\"expect\": [{\"job\": \"train\", \"state\": \"succeeded\"}]",
                                   arena_printf(arena, "\"expect\": [%s]", text_string(&expect)));
    text = with_change(arena, text, "\"commands\": [",
                       arena_printf(arena, "\"commands\": [%s", text_string(&commands)));
    text_free(&commands);
    text_free(&expect);
    Problems problems = problems_create(arena);
    memory_files_set(&files, "scenario.json", text, strlen(text));
    const size_t before = arena_bytes(arena);
    ck_assert_ptr_nonnull(scenario_read(arena, memory_files_source(&files), "scenario.json",
                                        (ScenarioOverrides){0}, &problems));
    return arena_bytes(arena) - before;
}

START_TEST(an_expectation_costs_the_same_among_any_number_of_commands)
{
    enum { COUNT = 1000, BYTES_OF_AN_EXPECTATION = 2048 };
    const size_t one = bytes_of(COUNT, 1), many = bytes_of(COUNT, COUNT);
    ck_assert_uint_le(many - one, (size_t)COUNT * BYTES_OF_AN_EXPECTATION);
}
END_TEST

START_TEST(single_epochs_are_unknown_at_job_fidelity)
{
    const char *text = with_change(
        arena, small_scenario_text, "\"expect\": [{\"job\": \"train\", \"state\": \"succeeded\"}]",
        "\"fidelity\": \"job\", \"expect\": [{\"order\": [\"job train started\", "
        "\"job train checkpoint 1\"]}]");
    Problems problems = problems_create(arena);
    memory_files_set(&files, "scenario.json", text, strlen(text));
    ck_assert_ptr_null(scenario_read(arena, memory_files_source(&files), "scenario.json",
                                     (ScenarioOverrides){0}, &problems));
    ck_assert_str_eq(problems.items[0].message,
                     "at fidelity \"job\" the trace has no records of single epochs");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scenario_expect");
    TCase *tests = tcase_create("scenario_expect");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_state_may_have_an_exit_code_and_an_error);
    tcase_add_test(tests, always_never_and_eventually_take_conditions_and_moments);
    tcase_add_test(tests, a_statistic_has_seeds_and_a_confidence);
    tcase_add_test(tests, limits_have_the_unit_of_their_metric);
    tcase_add_test(tests, contradictory_expectations_are_refused_with_a_message);
    tcase_add_test(tests, an_expectation_costs_the_same_among_any_number_of_commands);
    tcase_add_test(tests, single_epochs_are_unknown_at_job_fidelity);
    suite_add_tcase(suite, tests);
    return suite;
}

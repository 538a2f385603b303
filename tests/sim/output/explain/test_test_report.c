#include "sim/output/explain/test_report.h"

#include <string.h>

#include "tests/support/suite.h"

static const TestCase cases[] = {
    {.scenario = "a/scenario.json", .name = "runs", .holds = true, .time_ns = 1234567890},
    {.scenario = "a/scenario.json",
     .name = "{\"metric\": \"x\", # \"at_least\": 5}",
     .expected = "at least 5",
     .got = "4 < 5 & \"less\"",
     .at = {"a/scenario.json", 31, 5}},
    {.scenario = "b\n.json",
     .name = "runs",
     .expected = "a run",
     .got = "no\x01ne",
     .at = {"b.json", 0, 0}},
};

START_TEST(tap_reports_the_expected_and_the_found_value_and_a_command)
{
    Text out = {0};
    test_report_tap_begin(&out);
    for (int32_t i = 0; i < 3; i++)
        test_report_tap(&out, i + 1, &cases[i]);
    test_report_tap_end(&out, 3);
    ck_assert_str_eq(text_string(&out),
                     "TAP version 13\n"
                     "ok 1 - a/scenario.json: runs\n"
                     "not ok 2 - a/scenario.json: {\"metric\": \"x\", _ \"at_least\": 5}\n"
                     "  ---\n"
                     "  expected: \"at least 5\"\n"
                     "  got: \"4 < 5 & \\\"less\\\"\"\n"
                     "  at: \"a/scenario.json:31:5\"\n"
                     "  reproduce: \"trainyard run a/scenario.json --json\"\n"
                     "  ...\n"
                     "not ok 3 - b .json: runs\n"
                     "  ---\n"
                     "  expected: \"a run\"\n"
                     "  got: \"no\\u0001ne\"\n"
                     "  at: \"b.json\"\n"
                     "  reproduce: \"trainyard run b\\n.json --json\"\n"
                     "  ...\n"
                     "1..3\n");
    text_free(&out);
}
END_TEST

START_TEST(records_and_a_specific_command_are_shown)
{
    static const char *const records[] = {"1 s  job_state  c j \"x\"", "2 s  run_ended "};
    const TestCase test = {.scenario = "a.json",
                           .name = "x",
                           .expected = "1",
                           .got = "2",
                           .at = {"a.json", 3, 4},
                           .reproduce = "run a.json --seed 9",
                           .record_count = 2,
                           .records = records};
    Text out = {0};
    test_report_tap(&out, 1, &test);
    ck_assert_str_eq(text_string(&out), "not ok 1 - a.json: x\n"
                                        "  ---\n"
                                        "  expected: \"1\"\n"
                                        "  got: \"2\"\n"
                                        "  at: \"a.json:3:4\"\n"
                                        "  reproduce: \"trainyard run a.json --seed 9\"\n"
                                        "  records:\n"
                                        "    - \"1 s  job_state  c j \\\"x\\\"\"\n"
                                        "    - \"2 s  run_ended \"\n"
                                        "  ...\n");
    text_clear(&out);
    test_report_junit(&out, &test, 1);
    ck_assert_ptr_nonnull(strstr(text_string(&out),
                                 "a.json:3:4\ntrainyard run a.json --seed 9\n"
                                 "1 s  job_state  c j &quot;x&quot;\n2 s  run_ended </failure>"));
    text_free(&out);
}
END_TEST

START_TEST(junit_counts_failures_and_escapes)
{
    Text out = {0};
    test_report_junit(&out, cases, 3);
    ck_assert_str_eq(
        text_string(&out),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"trainyard\" tests=\"3\" failures=\"2\" time=\"1.235\">\n"
        "  <testcase classname=\"a/scenario.json\" name=\"runs\" "
        "time=\"1.235\"/>\n"
        "  <testcase classname=\"a/scenario.json\" name=\"{&quot;metric&quot;: &quot;x&quot;, # "
        "&quot;at_least&quot;: 5}\" time=\"0.000\">\n"
        "    <failure message=\"expected at least 5, got 4 &lt; 5 &amp; &quot;less&quot;\">"
        "a/scenario.json:31:5\ntrainyard run a/scenario.json --json</failure>\n"
        "  </testcase>\n"
        "  <testcase classname=\"b\n.json\" name=\"runs\" time=\"0.000\">\n"
        "    <failure message=\"expected a run, got no?ne\">b.json\ntrainyard run b\n.json "
        "--json</failure>\n"
        "  </testcase>\n"
        "</testsuite>\n");
    text_free(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("test_report");
    TCase *tests = tcase_create("test_report");
    tcase_add_test(tests, tap_reports_the_expected_and_the_found_value_and_a_command);
    tcase_add_test(tests, records_and_a_specific_command_are_shown);
    tcase_add_test(tests, junit_counts_failures_and_escapes);
    suite_add_tcase(suite, tests);
    return suite;
}

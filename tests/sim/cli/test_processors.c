#include "sim/cli/processors.h"

#include <unistd.h>

#include "tests/support/suite.h"

static const struct {
    const char *text;
    int32_t processors;
} quotas[] = {
    {"max 100000\n", 0},    {"100000 100000\n", 1},
    {"150000 100000\n", 2}, {"1600000 100000", 16},
    {"10000 100000", 1},    {"", 0},
    {"0 100000", 0},        {"100000", 0},
    {"-1 100000", 0},       {"9223372036854775807 1", INT32_MAX},
};

START_TEST(a_quota_counts_whole_processors_rounded_up)
{
    for (size_t i = 0; i < sizeof quotas / sizeof quotas[0]; i++)
        ck_assert_msg(processors_of_quota(quotas[i].text) == quotas[i].processors, "%s",
                      quotas[i].text);
}
END_TEST

START_TEST(there_is_a_processor_and_not_more_than_the_machine_has)
{
    ck_assert_int_ge(processors_available(), 1);
    ck_assert_int_le(processors_available(), sysconf(_SC_NPROCESSORS_CONF));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("processors");
    TCase *tests = tcase_create("processors");
    tcase_add_test(tests, a_quota_counts_whole_processors_rounded_up);
    tcase_add_test(tests, there_is_a_processor_and_not_more_than_the_machine_has);
    suite_add_tcase(suite, tests);
    return suite;
}

/* Quantities as texts: what a message says about a text that is nearly right. */
#include "sim/schema/value.h"

#include "tests/support/suite.h"

START_TEST(blanks_in_a_quantity_are_named)
{
    static const struct {
        ValueKind kind;
        const char *text, *hint;
    } rows[] = {
        {VALUE_MONEY, "0.20 USD", "leave out the blank: \"0.20USD\""},
        {VALUE_DURATION, "30 min", "leave out the blank: \"30min\""},
        {VALUE_DURATION, "1h 30m", "leave out the blank: \"1h30m\""},
        {VALUE_BYTES, "16 GiB", "leave out the blank: \"16GiB\""},
        {VALUE_RATE, "25 Gbit/s", "leave out the blank: \"25Gbit/s\""},
        {VALUE_RATIO, "5 %", "leave out the blank: \"5%\""},
        {VALUE_POWER, "9.2 kW", "leave out the blank: \"9.2kW\""},
        // There is another mistake.
        {VALUE_DURATION, "30 minutes", "durations look like \"90s\", \"1h30m\" or \"2.5ms\""},
        {VALUE_MONEY, "0.20 EUR", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t value;
        Status status = {0};
        ck_assert(!value_parse(rows[i].kind, rows[i].text, place_in("s", 1, 1), &value, &status));
        ck_assert_str_eq(status.hint, rows[i].hint);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("value");
    TCase *tests = tcase_create("value");
    tcase_add_test(tests, blanks_in_a_quantity_are_named);
    suite_add_tcase(suite, tests);
    return suite;
}

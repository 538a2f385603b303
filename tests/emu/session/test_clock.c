/* emu/session/clock.h: what simulated time it is. */
#include <inttypes.h>
#include <string.h>

#include "emu/session/clock.h"
#include "sim/base/units.h"
#include "tests/support/suite.h"

static Clock clock_of(const char *text)
{
    Clock clock;
    Status status = {0};
    ck_assert_msg(clock_parse(text, &clock, &status), "%s: %s", text, status.message);
    return clock;
}

START_TEST(a_clock_is_read_and_printed)
{
    static const struct {
        const char *text, *printed;
        ClockKind kind;
        int64_t rate_ppm;
    } rows[] = {
        {"real", "real", CLOCK_REAL, 1000000},
        {"auto", "auto", CLOCK_AUTO, 1000000},
        {"manual", "manual", CLOCK_MANUAL, 0},
        {"x60", "x60", CLOCK_RATE, 60000000},
        {"x0.5", "x0.5", CLOCK_RATE, 500000},
        {"x1.250", "x1.25", CLOCK_RATE, 1250000},
        {"x0.000001", "x0.000001", CLOCK_RATE, 1},
        {"x1000000", "x1000000", CLOCK_RATE, INT64_C(1000000000000)},
        {"x007", "x7", CLOCK_RATE, 7000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char printed[CLOCK_TEXT];
        Clock clock = clock_of(rows[i].text);
        ck_assert_int_eq(clock.kind, rows[i].kind);
        ck_assert_int_eq(clock.rate_ppm, rows[i].rate_ppm);
        clock_print(&clock, printed);
        ck_assert_str_eq(printed, rows[i].printed);
    }
}
END_TEST

START_TEST(invalid_clocks_are_refused)
{
    static const char *const bad[] = {
        "",     "x",  "x0",  "x0.0", "x-1",    "x1e3",       "x.5",      "x5.",
        "x60 ", "60", "X60", "Real", "x1.2.3", "x0.0000001", "x1000001", "x99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Clock clock = {.rate_ppm = -7};
        Status status = {0};
        ck_assert_msg(!clock_parse(bad[i], &clock, &status), "\"%s\" was read", bad[i]);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(status.hint, "x60"));
        ck_assert_int_eq(clock.rate_ppm, -7);
    }
}
END_TEST

START_TEST(simulated_time_goes_by_the_rate)
{
    Clock clock = clock_of("x60");
    clock_start(&clock, 1000, 5 * NS_PER_S);
    ck_assert_int_eq(clock_now(&clock, 1000), 5 * NS_PER_S);
    ck_assert_int_eq(clock_now(&clock, 1000 + NS_PER_S), 65 * NS_PER_S);
    ck_assert_int_eq(clock_now(&clock, 0), 5 * NS_PER_S); // never back
    // 60 ns a ns: 61 ns need two.
    ck_assert_int_eq(clock_when(&clock, 5 * NS_PER_S + 61), 1002);
    ck_assert_int_eq(clock_when(&clock, 5 * NS_PER_S), 1000);
    ck_assert_int_eq(clock_when(&clock, INT64_MAX), INT64_MAX);
}
END_TEST

START_TEST(a_manual_or_paused_clock_stands_still)
{
    Clock clock = clock_of("manual");
    clock_start(&clock, 0, 100);
    ck_assert_int_eq(clock_now(&clock, NS_PER_S), 100);
    ck_assert_int_eq(clock_when(&clock, 101), INT64_MAX);
    clock_jump(&clock, NS_PER_S, 200);
    ck_assert_int_eq(clock_now(&clock, 2 * NS_PER_S), 200);

    clock = clock_of("real");
    clock_start(&clock, 0, 0);
    clock_pause(&clock, 10);
    ck_assert_int_eq(clock_now(&clock, 1000), 10);
    ck_assert_int_eq(clock_when(&clock, 11), INT64_MAX);
    clock_resume(&clock, 1000);
    ck_assert_int_eq(clock_now(&clock, 1005), 15);
}
END_TEST

START_TEST(another_rate_counts_from_its_change_on)
{
    Clock clock = clock_of("real");
    Clock fast = clock_of("x100");
    clock_start(&clock, 0, 0);
    clock_change(&clock, 50, &fast);
    ck_assert_int_eq(clock_now(&clock, 50), 50);
    ck_assert_int_eq(clock_now(&clock, 51), 150);
    clock_pause(&clock, 51);
    clock_change(&clock, 60, &clock);
    ck_assert(clock.is_paused); // a pause outlives a change of rate
    ck_assert_int_eq(clock_now(&clock, 70), 150);
}
END_TEST

/* The first moment of the machine at which the clock says so much. */
START_TEST(when_is_the_inverse_of_now)
{
    static const char *const kinds[] = {"real", "x0.000001", "x0.3", "x7", "x60", "x1000000"};
    uint64_t word = 12345;
    for (int32_t i = 0; i < 20000; i++) {
        word = word * UINT64_C(6364136223846793005) + 1442695040888963407;
        Clock clock = clock_of(kinds[i % 6]);
        clock_start(&clock, (int64_t)(word >> 20), (int64_t)(word >> 24));
        int64_t at_ns = clock.now_ns + 1 + (int64_t)((word >> 7) % (UINT64_C(1) << (i % 40)));
        int64_t when = clock_when(&clock, at_ns);
        ck_assert_msg(clock_now(&clock, when) >= at_ns && clock_now(&clock, when - 1) < at_ns,
                      "%s at %" PRId64, kinds[i % 6], at_ns);
    }
}
END_TEST

START_TEST(time_ends_and_does_not_overflow)
{
    Clock clock = clock_of("x1000000");
    clock_start(&clock, 0, 1);
    ck_assert_int_eq(clock_now(&clock, INT64_MAX), LAST_INSTANT_NS);
    clock = clock_of("x0.000001");
    clock_start(&clock, 0, 0);
    ck_assert_int_eq(clock_when(&clock, LAST_INSTANT_NS), INT64_MAX);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("clock");
    TCase *tests = tcase_create("clock");
    tcase_add_test(tests, a_clock_is_read_and_printed);
    tcase_add_test(tests, invalid_clocks_are_refused);
    tcase_add_test(tests, simulated_time_goes_by_the_rate);
    tcase_add_test(tests, a_manual_or_paused_clock_stands_still);
    tcase_add_test(tests, another_rate_counts_from_its_change_on);
    tcase_add_test(tests, when_is_the_inverse_of_now);
    tcase_add_test(tests, time_ends_and_does_not_overflow);
    suite_add_tcase(suite, tests);
    return suite;
}

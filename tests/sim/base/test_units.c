#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "sim/base/units.h"
#include "tests/support/suite.h"

#define COUNT_OF(items) ((int32_t)(sizeof(items) / sizeof((items)[0])))

typedef bool Reader(const char *text, Place at, int64_t *value, Status *status);

typedef struct {
    const char *text;
    int64_t value;
    const char *why;
} Good;

typedef struct {
    const char *text;
    const char *message; /* a part of the message */
} Bad;

static void check_good(Reader *reader, const Good *rows, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        int64_t value = -1;
        Status status = {0};
        const bool is_read = reader(rows[i].text, place_in("t", 1, 2), &value, &status);
        ck_assert_msg(is_read, "%s: %s", rows[i].text, status.message);
        ck_assert_msg(value == rows[i].value, "%s: got %" PRId64 ", expected %" PRId64 " (%s)",
                      rows[i].text, value, rows[i].value, rows[i].why);
        ck_assert_int_eq(status.code, STATUS_OK);
    }
}

static void check_bad(Reader *reader, const Bad *rows, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        int64_t value = -1;
        Status status = {0};
        ck_assert_msg(!reader(rows[i].text, place_in("t", 1, 2), &value, &status),
                      "\"%s\" was read", rows[i].text);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_int_eq(status.at.column, 2);
        ck_assert_msg(strstr(status.message, rows[i].message), "\"%s\": %s", rows[i].text,
                      status.message);
        ck_assert_int_eq(value, -1);
    }
}

static const Good good_durations[] = {
    {"0s", 0, "zero"},
    {"90s", 90 * NS_PER_S, "more than a minute in seconds"},
    {"1h30m", 90 * NS_PER_MIN, "two units"},
    {"1h30min", 90 * NS_PER_MIN, "the long name of minutes"},
    {"2.5ms", 2500000, "decimals"},
    {"1d2h3m4s5ms6us7ns", INT64_C(93784005006007), "86400 + 7200 + 180 + 4 s and the rest"},
    {"0.1s", 100000000, "no double is exactly 0.1"},
    {"1.0000000001s", 1000000001, "a tenth of a nanosecond rounds up"},
    {"0.000000000000000001d", 1, "18 decimals, rounded up from 8.64e-5 ns"},
    {"0.5ns", 1, "half a nanosecond rounds up"},
    {"9223372036854775807ns", INT64_MAX, "the largest"},
    {"9223372036.854775807s", INT64_MAX, "the largest, in seconds"},
    {"9223372036.8547758069s", INT64_MAX, "rounds up to the largest"},
    {"007s", 7 * NS_PER_S, "zeros in front"},
};

static const Bad bad_durations[] = {
    {"", "not a duration"},
    {"s", "not a duration"},
    {"90", "has no unit"},
    {"1h30", "has no unit"},
    {"-5s", "not a duration"},
    {"+5s", "not a duration"},
    {" 5s", "not a duration"},
    {"5s ", "unknown unit \"s \""},
    {"5 s", "unknown unit \" s\""},
    {"5S", "unknown unit \"S\""},
    {"5 weeks", "unknown unit"},
    {"1,5h", "has a comma"},
    {"1,000s", "has a comma"},
    {"1e3s", "unknown unit \"e\""},
    {"1.s", "not a duration"},
    {".5s", "not a duration"},
    {"1.5.5s", "has no unit"},
    {"1.5h30m", "only the last number may have decimals"},
    {"30m1h", "largest first"},
    {"1s1s", "each unit at most once"},
    {"1m1min", "each unit at most once"},
    {"0.0000000000000000001s", "more than 18 decimals"},
    {"9223372036854775808ns", "more than 292 years"},
    {"9223372036.854775808s", "more than 292 years"},
    {"9223372036.8547758071s", "more than 292 years"},
    {"106751d23h47m16s854ms775us808ns", "more than 292 years"},
    {"99999999999999999999s", "more than 292 years"},
    {"9223372036854775807d", "more than 292 years"},
};

START_TEST(durations_are_read_exactly)
{
    check_good(duration_parse, good_durations, COUNT_OF(good_durations));
}
END_TEST

START_TEST(invalid_durations_are_refused)
{
    check_bad(duration_parse, bad_durations, COUNT_OF(bad_durations));
}
END_TEST

static const Good good_sizes[] = {
    {"0", 0, "zero"},
    {"5003432", 5003432, "bytes without a unit"},
    {"5003432B", 5003432, "bytes"},
    {"1kB", 1000, "powers of 1000"},
    {"1KB", 1000, "as many people write it"},
    {"1KiB", 1024, "powers of 1024"},
    {"16GiB", INT64_C(17179869184), "16 x 2^30"},
    {"1.5MB", 1500000, "decimals"},
    {"0.1KiB", 103, "102.4 rounds up"},
    {"2TiB", INT64_C(2199023255552), "2^41"},
    {"3TB", INT64_C(3000000000000), "3e12"},
    {"8388607.999999TiB", INT64_C(9223372036853676297), "2^63 - 1099511.627776, rounded up"},
    {"9223372036854775807", INT64_MAX, "the largest"},
};

static const Bad bad_sizes[] = {
    {"", "not a size"},
    {"GiB", "not a size"},
    {"16 GiB", "unknown unit \" GiB\""},
    {"16gib", "unknown unit \"gib\""},
    {"16Gbit", "unknown unit \"Gbit\""},
    {"-1", "not a size"},
    {"1e9", "unknown unit"},
    {"1.", "not a size"},
    {"9223372036854775808", "more than 8 EiB"},
    {"8388608TiB", "more than 8 EiB"},
};

START_TEST(sizes_are_read_exactly)
{
    check_good(bytes_parse, good_sizes, COUNT_OF(good_sizes));
}
END_TEST

START_TEST(invalid_sizes_are_refused)
{
    check_bad(bytes_parse, bad_sizes, COUNT_OF(bad_sizes));
}
END_TEST

static const Good good_rates[] = {
    {"25Gbit/s", INT64_C(3125000000), "25e9 / 8"},
    {"60MiB/s", 62914560, "60 x 2^20"},
    {"125000000B/s", 125000000, "bytes"},
    {"8bit/s", 1, "8 bits are a byte"},
    {"9bit/s", 2, "9 / 8 rounds up"},
    {"1.5bit/s", 1, "0.1875 rounds up"},
    {"100Mbit/s", 12500000, "100e6 / 8"},
    {"9223372036854775807bit/s", INT64_C(1152921504606846976), "2^63 / 8"},
    {"1Tbit/s", INT64_C(125000000000), "1e12 / 8"},
};

static const Bad bad_rates[] = {
    {"125000000", "has no unit"},
    {"25Gbit", "unknown unit \"Gbit\""},
    {"25Gbps", "unknown unit \"Gbps\""},
    {"25/s", "unknown unit \"/s\""},
    {"25Gbit/m", "unknown unit"},
    {"/s", "not a rate"},
    {"9223372036854775807Tbit/s", "more than 8 EiB/s"},
};

START_TEST(rates_are_read_exactly)
{
    check_good(rate_parse, good_rates, COUNT_OF(good_rates));
}
END_TEST

START_TEST(invalid_rates_are_refused)
{
    check_bad(rate_parse, bad_rates, COUNT_OF(bad_rates));
}
END_TEST

static const Good good_iso_durations[] = {
    {"P7D", 7 * NS_PER_DAY, "the service's default limit of a job"},
    {"PT1H30M", 90 * NS_PER_MIN, "time only"},
    {"P1DT2H", 26 * NS_PER_HOUR, "both"},
    {"PT0S", 0, "zero"},
    {"PT1.5S", 1500000000, "decimals of seconds"},
    {"P150D", 150 * NS_PER_DAY, "as later versions of the service wrote"},
    {"P106751DT23H47M16.854775807S", INT64_MAX, "the largest"},
};

static const Bad bad_iso_durations[] = {
    {"", "not a duration"},
    {"P", "not a duration"},
    {"PT", "not a duration"},
    {"P1DT", "not a duration"},
    {"7D", "not a duration"},
    {"p7d", "not a duration"},
    {"-P7D", "not a duration"},
    {"P1Y", "years, months or weeks"},
    {"P1M", "years, months or weeks"},
    {"P2W", "years, months or weeks"},
    {"P1H", "not a duration"},
    {"PT1D", "not a duration"},
    {"PT1M1H", "not a duration"},
    {"PT1H1H", "not a duration"},
    {"PT0.5H", "not a duration"},
    {"PT1S ", "not a duration"},
    {"PTT1S", "not a duration"},
    {"P106751DT23H47M16.854775808S", "more than 292 years"},
};

START_TEST(iso_durations_are_read_exactly)
{
    check_good(iso_duration_parse, good_iso_durations, COUNT_OF(good_iso_durations));
}
END_TEST

START_TEST(invalid_iso_durations_are_refused)
{
    check_bad(iso_duration_parse, bad_iso_durations, COUNT_OF(bad_iso_durations));
}
END_TEST

START_TEST(an_error_shows_a_valid_example)
{
    int64_t ns;
    Status status;
    ck_assert(!duration_parse("90", place_in("a.json", 3, 4), &ns, &status));
    ck_assert_str_eq(status.message, "duration \"90\" has no unit");
    ck_assert_str_eq(status.hint, "durations look like \"90s\", \"1h30m\" or \"2.5ms\"");
}
END_TEST

typedef void Printer(Text *text, int64_t value);

typedef struct {
    int64_t value;
    const char *text;
} Printed;

static void check_printed(Printer *printer, const Printed *rows, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        Text text = {0};
        printer(&text, rows[i].value);
        ck_assert_str_eq(text_string(&text), rows[i].text);
        text_free(&text);
    }
}

static const Printed durations[] = {
    {0, "0 s"},
    {1, "1 ns"},
    {999, "999 ns"},
    {1000, "1 us"},
    {92100000, "92.1 ms"},
    {92149999, "92.1 ms"},
    {92150000, "92.2 ms"}, // halves round up
    {999499, "999 us"},
    {999500, "1 ms"}, // rounded before the unit is chosen
    {1234567890, "1.23 s"},
    {5 * NS_PER_S, "5 s"},
    {59900000000, "59.9 s"},
    {59950000000, "1 min"},
    {NS_PER_MIN, "1 min"},
    {61499999999, "1 min 1 s"},
    {3723 * NS_PER_S, "1 h 2 min 3 s"},
    {2 * NS_PER_HOUR, "2 h"},
    {2 * NS_PER_HOUR + NS_PER_S, "2 h 1 s"},
    {26 * NS_PER_HOUR, "1 d 2 h"},
    {-1500 * NS_PER_MS, "-1.5 s"},
    {INT64_MAX, "106751 d 23 h 47 min 17 s"},
    {INT64_MIN, "-106751 d 23 h 47 min 17 s"},
};

START_TEST(durations_are_printed_for_people)
{
    check_printed(duration_print, durations, COUNT_OF(durations));
}
END_TEST

static const Printed sizes[] = {
    {0, "0 B"},
    {16, "16 B"},
    {999, "999 B"},
    {1000, "1.0 kB"},
    {5003432, "5.0 MB"},
    {170498071, "170.5 MB"},
    {999949, "999.9 kB"},
    {999950, "1.0 MB"}, // rounded before the unit is chosen
    {INT64_C(17179869184), "17.2 GB"},
    {-1500, "-1.5 kB"},
    {INT64_MAX, "9.2 EB"},
    {INT64_MIN, "-9.2 EB"},
};

START_TEST(sizes_are_printed_for_people)
{
    check_printed(bytes_print, sizes, COUNT_OF(sizes));
}
END_TEST

static const Printed seconds[] = {
    {0, "0"},
    {1500000000, "1.5"},
    {1, "0.000000001"},
    {1000000001, "1.000000001"},
    {60 * NS_PER_S, "60"},
    {100 * NS_PER_MS, "0.1"},
    {-1500000000, "-1.5"},
    {-1, "-0.000000001"},
    {INT64_MAX, "9223372036.854775807"},
    {INT64_MIN, "-9223372036.854775808"},
};

START_TEST(seconds_are_printed_exactly)
{
    check_printed(seconds_print, seconds, COUNT_OF(seconds));
}
END_TEST

/* A linear congruential generator (Knuth, MMIX) is random enough to choose test values. */
static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 1;
}

START_TEST(printed_seconds_read_back_unchanged)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        const int64_t ns = (int64_t)(next_random(&state) >> (i % 63));
        Text text = {0};
        seconds_print(&text, ns);
        text_add(&text, "s");
        int64_t back;
        Status status;
        ck_assert_msg(duration_parse(text_string(&text), place_in("", 0, 0), &back, &status),
                      "%" PRId64 ": %s", ns, status.message);
        ck_assert_msg(back == ns, "%" PRId64 " came back as %" PRId64, ns, back);
        text_free(&text);
    }
}
END_TEST

START_TEST(products_are_divided_without_overflow)
{
    ck_assert_int_eq(mul_div(7, 3, 2), 10);    // 10.5
    ck_assert_int_eq(mul_div_up(7, 3, 2), 11); // 10.5
    ck_assert_int_eq(mul_div(6, 4, 3), 8);
    ck_assert_int_eq(mul_div_up(6, 4, 3), 8);
    ck_assert_int_eq(mul_div_up(0, INT64_MAX, 1), 0);
    ck_assert_int_eq(mul_div(INT64_MAX, INT64_MAX, INT64_MAX), INT64_MAX);
    ck_assert_int_eq(mul_div_up(INT64_MAX, INT64_MAX, INT64_MAX), INT64_MAX);
    // 1 GB over 100 MB/s, in nanoseconds: 1e9 x 1e9 / 1e8
    ck_assert_int_eq(mul_div_up(1000000000, NS_PER_S, 100000000), 10 * NS_PER_S);
}
END_TEST

START_TEST(rounding_up_gives_at_most_one_more)
{
    uint64_t state = 2;
    for (int i = 0; i < 20000; i++) {
        const int64_t c = (int64_t)(next_random(&state) >> (i % 62)) + 1;
        const int64_t b =
            (int64_t)(next_random(&state) % ((uint64_t)c + 1)); // b <= c: the result fits
        const int64_t a = (int64_t)next_random(&state);
        const int64_t down = mul_div(a, b, c);
        const int64_t up = mul_div_up(a, b, c);
        ck_assert_msg(up == down || up == down + 1, "step %d: %" PRId64 " and %" PRId64, i, down,
                      up);
    }
}
END_TEST

START_TEST(a_quotient_that_does_not_fit_violates_an_invariant)
{
    (void)mul_div(INT64_MAX, 2, 1);
}
END_TEST

START_TEST(dividing_by_zero_violates_an_invariant)
{
    (void)mul_div_up(1, 1, 0);
}
END_TEST

START_TEST(a_distance_of_checkpoints_has_a_unit_or_none)
{
    static const struct {
        const char *text;
        CheckpointEvery every;
    } rows[] = {
        {"2", {.count = 2}},
        {"1 epoch", {.epochs = 1}},
        {"2epochs", {.epochs = 2}},
        {"2 epochs", {.epochs = 2}},
        {"500 steps", {.steps = 500}},
        {"500steps", {.steps = 500}},
        {"1step", {.steps = 1}},
        {"4294967296 steps", {.steps = INT64_C(4294967296)}},
        {"30m", {.ns = 30 * NS_PER_MIN}},
        {"1h30m", {.ns = 90 * NS_PER_MIN}},
        {"1ns", {.ns = 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CheckpointEvery every;
        ck_assert_msg(checkpoint_every_parse(rows[i].text, &every), "%s", rows[i].text);
        ck_assert_mem_eq(&every, &rows[i].every, sizeof every);
    }
}
END_TEST

START_TEST(any_other_distance_is_refused)
{
    static const char *const texts[] = {"",         "0",        "0s",
                                        "0 steps",  "0 epochs", "-1",
                                        "1.5",      "2 ",       "2 Steps",
                                        "2  steps", "steps",    "4294967297",
                                        "2 hours",  "2 m",      " 2",
                                        "2 steps ", "2steps3",  "epochs 2",
                                        "2 step",   "1e3",      "99999999999999999999 steps"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CheckpointEvery every;
        ck_assert_msg(!checkpoint_every_parse(texts[i], &every), "\"%s\"", texts[i]);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("units");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, durations_are_read_exactly);
    tcase_add_test(tests, invalid_durations_are_refused);
    tcase_add_test(tests, sizes_are_read_exactly);
    tcase_add_test(tests, invalid_sizes_are_refused);
    tcase_add_test(tests, rates_are_read_exactly);
    tcase_add_test(tests, invalid_rates_are_refused);
    tcase_add_test(tests, iso_durations_are_read_exactly);
    tcase_add_test(tests, invalid_iso_durations_are_refused);
    tcase_add_test(tests, an_error_shows_a_valid_example);
    tcase_add_test(tests, durations_are_printed_for_people);
    tcase_add_test(tests, sizes_are_printed_for_people);
    tcase_add_test(tests, seconds_are_printed_exactly);
    tcase_add_test(tests, printed_seconds_read_back_unchanged);
    tcase_add_test(tests, products_are_divided_without_overflow);
    tcase_add_test(tests, rounding_up_gives_at_most_one_more);
    tcase_add_test(tests, a_distance_of_checkpoints_has_a_unit_or_none);
    tcase_add_test(tests, any_other_distance_is_refused);
    tcase_add_test_raise_signal(tests, a_quotient_that_does_not_fit_violates_an_invariant, SIGABRT);
    tcase_add_test_raise_signal(tests, dividing_by_zero_violates_an_invariant, SIGABRT);
    suite_add_tcase(suite, tests);
    return suite;
}

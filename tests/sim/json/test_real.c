#include "sim/json/real.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/engine/rng.h"
#include "tests/support/suite.h"

/* The C library is exact. The locale of tests is "C". */
static void check(const char *text)
{
    const double expected = strtod(text, NULL), found = real_read(text);
    ck_assert_msg(expected == found && (1 / expected > 0) == (1 / found > 0),
                  "%s: %.17g, expected %.17g", text, found, expected);
}

START_TEST(numbers_are_read_as_the_nearest_double)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "-1",
        "0.1",
        "0.3",
        "12.5e3",
        "1e22",
        "1e23",
        "1E-300",
        "1e9",
        "2.5e0",
        "1.7e308",
        "1e999",
        "-1e999",
        "9007199254740992",          // 2^53
        "9007199254740993",          // needs a rounding to even
        "0.0000000000000000000001",  // 22 decimals: the last power that a double has exactly
        "0.00000000000000000000001", // 23
        "123456789012345678901234567890.123456789",
        "4.9e-324",
        "2.2250738585072011e-308",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check(texts[i]);
}
END_TEST

START_TEST(random_numbers_of_any_length_are_read_as_the_nearest_double)
{
    for (uint64_t i = 0; i < 20000; i++) {
        const uint64_t word = rng_word(1, 0, 0, 2 * i), shape = rng_word(1, 0, 0, 2 * i + 1);
        char text[64];
        snprintf(text, sizeof text, "%s%" PRIu64 ".%" PRIu64 "%s", shape & 1 ? "-" : "",
                 word >> shape % 64, (shape >> 8) % 1000000, shape & 2 ? "e-7" : "");
        check(text);
    }
}
END_TEST

START_TEST(the_locale_does_not_matter)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
        return;
    const double found = real_read("1234567890123456789.5");
    setlocale(LC_ALL, "C");
    ck_assert(found == 1234567890123456789.5);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("real");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, numbers_are_read_as_the_nearest_double);
    tcase_add_test(tests, random_numbers_of_any_length_are_read_as_the_nearest_double);
    tcase_add_test(tests, the_locale_does_not_matter);
    suite_add_tcase(suite, tests);
    return suite;
}

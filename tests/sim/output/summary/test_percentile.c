#include <stdlib.h>

#include "sim/output/summary/percentile.h"
#include "tests/support/suite.h"

START_TEST(a_percentile_is_the_value_at_the_nearest_rank)
{
    // 10, 12, 10, 14 sorted are 10 10 12 14; p50 is at place ceil(2) = 2, p95 at ceil(3.8) = 4.
    int64_t four[] = {10, 12, 10, 14};
    ck_assert_int_eq(percentile_of(four, 4, 50), 10);
    ck_assert_int_eq(percentile_of(four, 4, 51), 12);
    ck_assert_int_eq(percentile_of(four, 4, 95), 14);
    int64_t one[] = {7};
    ck_assert_int_eq(percentile_of(one, 1, 1), 7);
    ck_assert_int_eq(percentile_of(one, 1, 100), 7);
    // For the values 1 to 100 the percentile p is p.
    int64_t hundred[100];
    for (int32_t i = 0; i < 100; i++)
        hundred[i] = 100 - i;
    for (int32_t p = 1; p <= 100; p++)
        ck_assert_int_eq(percentile_of(hundred, 100, p), p);
}
END_TEST

START_TEST(a_part_of_a_per_cent_has_its_rank_too)
{
    // Of 2000 values p99.9 is at place ceil(1998) = 1998 and p99.95 at ceil(1999) = 1999, from 1.
    ck_assert_uint_eq(percentile_place(2000, 999 * PERCENT_PARTS / 10), 1997);
    ck_assert_uint_eq(percentile_place(2000, 9995 * PERCENT_PARTS / 100), 1998);
    ck_assert_uint_eq(percentile_place(2000, 1), 0);
    ck_assert_uint_eq(percentile_place(UINT32_MAX, 100 * PERCENT_PARTS), UINT32_MAX - 1);
}
END_TEST

static int by_value(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

enum { MANY = 3000 };

/* Value `i` of `count` in one of several orders. */
static int64_t ordered(int order, uint32_t i, uint32_t count)
{
    const uint32_t scattered = (i * UINT32_C(2654435761)) >> 8;
    switch (order) {
    case 0:
        return i;
    case 1:
        return count - i;
    case 2:
        return scattered % 7; // many equal ones
    case 3:
        return scattered;
    case 4:
        return i < count / 2 ? i : count - i; // up and down
    default:
        return i % 2 == 0 ? INT64_MAX : INT64_MIN + i;
    }
}

START_TEST(a_selected_value_is_that_of_the_sorted_order)
{
    static int64_t values[MANY], sorted[MANY];
    static const uint32_t counts[] = {1, 2, 16, 17, 100, MANY};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (int order = 0; order < 6; order++) {
            const uint32_t count = counts[c];
            for (uint32_t i = 0; i < count; i++)
                sorted[i] = ordered(order, i, count);
            qsort(sorted, count, sizeof *sorted, by_value);
            for (uint32_t i = 0; i < count; i++)
                values[i] = ordered(order, i, count);
            sort_values(values, count);
            ck_assert_mem_eq(values, sorted, count * sizeof *sorted);
            for (uint32_t place = 0; place < count; place += 1 + count / 50) {
                for (uint32_t i = 0; i < count; i++)
                    values[i] = ordered(order, i, count);
                ck_assert_int_eq(select_nth(values, count, place), sorted[place]);
                for (uint32_t i = 0; i < count; i++)
                    ck_assert(i < place ? values[i] <= values[place] : values[i] >= values[place]);
            }
        }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("percentile");
    TCase *tests = tcase_create("percentile");
    tcase_add_test(tests, a_percentile_is_the_value_at_the_nearest_rank);
    tcase_add_test(tests, a_part_of_a_per_cent_has_its_rank_too);
    tcase_add_test(tests, a_selected_value_is_that_of_the_sorted_order);
    suite_add_tcase(suite, tests);
    return suite;
}

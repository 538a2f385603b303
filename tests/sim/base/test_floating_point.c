/* Results depend on integers and on + - * / and sqrt of doubles. These tests check that the
 * operations give the bits that IEEE 754 requires, on this machine and with these compiler flags.
 * Operands come from volatile variables, so that the program computes them and not the compiler. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/suite.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* (1 + 2^-27)^2 = 1 + 2^-26 + 2^-54. Rounding the product to a double loses the last term, so the
 * sum is 0. A fused multiply-add keeps the term and gives 2^-54. Compilers turn a * b + c into one
 * wherever -ffp-contract allows it and the machine has the instruction. */
START_TEST(a_product_is_rounded_before_it_is_added)
{
    // Each line reads its own operands, because a compiler does not fuse a product that is needed
    // twice.
    volatile double a = 1 + 0x1p-27, c = -(1 + 0x1p-26);
    double first = a * a + c;
    double second = c + a * a;
    double third = c;
    third += a * a;
    double fourth = -c - a * a;
    ck_assert(first == 0);
    ck_assert(second == 0);
    ck_assert(third == 0);
    ck_assert(fourth == 0);
}
END_TEST

/* The same in a loop that compilers vectorize. */
START_TEST(products_of_a_sum_are_rounded_one_by_one)
{
    enum { COUNT = 64 };
    volatile double factor = 1 + 0x1p-27, minus = -(1 + 0x1p-26);
    double a[COUNT], c[COUNT];
    for (int i = 0; i < COUNT; i++) {
        a[i] = factor;
        c[i] = minus;
    }
    for (int i = 0; i < COUNT; i++)
        c[i] = a[i] * a[i] + c[i];
    for (int i = 0; i < COUNT; i++)
        ck_assert(c[i] == 0);
}
END_TEST

/* If intermediate results had more digits or range (x87), 2 * max / 2 would be max again, and 1 +
 * 2^-60 - 1 would not be 0. */
START_TEST(intermediate_results_are_doubles)
{
    volatile double largest = DBL_MAX, two = 2, one = 1, tiny = 0x1p-60;
    double overflowed = largest * two / two;
    double lost = one + tiny - one;
    ck_assert_int_eq(FLT_EVAL_METHOD, 0);
    ck_assert(isinf(overflowed));
    ck_assert(lost == 0);
}
END_TEST

/* With flush-to-zero, half of the smallest normal number is 0. With denormals-are-zero, twice that
 * half is 0. */
START_TEST(subnormal_numbers_are_kept)
{
    volatile double smallest = DBL_MIN, two = 2;
    volatile double half = smallest / two;
    ck_assert(half > 0);
    ck_assert(half * two == smallest);
    ck_assert(smallest - half == half);
}
END_TEST

/* Ties round to the even neighbour. */
START_TEST(rounding_is_to_nearest_even)
{
    volatile double one = 1, half_a_digit = 0x1p-53, next = 1 + 0x1p-52;
    double down = one + half_a_digit, up = next + half_a_digit;
    ck_assert(down == 1);
    ck_assert(up == 1 + 0x1p-51);
    ck_assert(-one - half_a_digit == -1);
}
END_TEST

/* Known bits, among them those of 1/3 and 0.1 + 0.2, and roots that approximations get wrong by one
 * bit. */
START_TEST(quotients_and_roots_have_the_bits_that_the_standard_requires)
{
    volatile double one = 1, two = 2, three = 3, ten = 10;
    ck_assert_uint_eq(bits_of(one / three), UINT64_C(0x3fd5555555555555));
    ck_assert_uint_eq(bits_of(one / ten + two / ten), UINT64_C(0x3fd3333333333334));
    ck_assert_uint_eq(bits_of(sqrt(two)), UINT64_C(0x3ff6a09e667f3bcd));
    ck_assert_uint_eq(bits_of(sqrt(three)), UINT64_C(0x3ffbb67ae8584caa));
    ck_assert_uint_eq(bits_of(sqrt(ten)), UINT64_C(0x40094c583ada5b53));
}
END_TEST

/* -ffast-math, or vectors of partial sums, would change the order of the additions. */
START_TEST(sums_are_added_in_the_order_in_which_they_are_written)
{
    volatile double big = 0x1p53, one = 1;
    double a = big, b = one, c = one;
    ck_assert(a + b + c == 0x1p53); // each 1 is half of the last digit, and is lost
    ck_assert(b + c + a == 0x1p53 + 2);
    double terms[9], sum = 0;
    for (int i = 0; i < 9; i++)
        terms[i] = i == 0 ? big : one;
    for (int i = 0; i < 9; i++)
        sum += terms[i];
    ck_assert(sum == 0x1p53);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("floating_point");
    TCase *tests = tcase_create("floating_point");
    tcase_add_test(tests, a_product_is_rounded_before_it_is_added);
    tcase_add_test(tests, products_of_a_sum_are_rounded_one_by_one);
    tcase_add_test(tests, intermediate_results_are_doubles);
    tcase_add_test(tests, subnormal_numbers_are_kept);
    tcase_add_test(tests, rounding_is_to_nearest_even);
    tcase_add_test(tests, quotients_and_roots_have_the_bits_that_the_standard_requires);
    tcase_add_test(tests, sums_are_added_in_the_order_in_which_they_are_written);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "sim/base/philox.h"

#include "tests/support/suite.h"

START_TEST(a_run_of_blocks_equals_single_calls)
{
    enum { COUNT = 37 };
    // The first word overflows on the way, and the overflow does not carry into the other words.
    PhiloxBlock counter = {{UINT32_MAX - 5, UINT32_MAX, 7, 9}}, blocks[COUNT];
    philox_run(UINT64_C(0xfedcba9876543210), counter, COUNT, blocks);
    for (int32_t i = 0; i < COUNT; i++, counter.word[0]++) {
        PhiloxBlock expected = philox(UINT64_C(0xfedcba9876543210), counter);
        ck_assert_mem_eq(&blocks[i], &expected, sizeof expected);
    }
}
END_TEST

START_TEST(an_empty_run_writes_nothing)
{
    PhiloxBlock block = {{1, 2, 3, 4}};
    philox_run(1, block, 0, &block);
    ck_assert_uint_eq(block.word[0], 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("philox");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_run_of_blocks_equals_single_calls);
    tcase_add_test(tests, an_empty_run_writes_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}

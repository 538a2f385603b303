#include "trainer/base/random.h"

#include <string.h>

#include "tests/support/suite.h"

START_TEST(the_generator_is_philox4x32_10)
{
    // Random123's known answers (tests/kat_vectors, "philox4x32 10").
    const struct {
        uint64_t key;
        PhiloxBlock counter, words;
    } rows[] = {
        {0, {{0, 0, 0, 0}}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {0xffffffffffffffff,
         {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
         {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {0x299f31d0a4093822, // the first digits of pi continue in the key
         {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const PhiloxBlock words = philox(rows[i].key, rows[i].counter);
        for (int32_t k = 0; k < 4; k++)
            ck_assert_uint_eq(words.word[k], rows[i].words.word[k]);
    }
}
END_TEST

START_TEST(every_field_of_an_address_has_separate_bits)
{
    const RandomAddress at = {.use = RANDOM_DROPOUT,
                              .rank = 0xabcdef,
                              .time = 0x123456789abc,
                              .layer = 0xfedc,
                              .block = 0x87654321};
    const PhiloxBlock counter = random_counter(at);
    const PhiloxBlock expected = {
        {0x87654321, 0x56789abc, 0xfedc1234, (uint32_t)RANDOM_DROPOUT << 24 | 0xabcdef}};
    ck_assert_mem_eq(&counter, &expected, sizeof counter);
}
END_TEST

START_TEST(the_uses_have_the_numbers_that_checkpoints_rely_on)
{
    ck_assert_int_eq(RANDOM_WEIGHTS, 1);
    ck_assert_int_eq(RANDOM_SHUFFLE, 2);
    ck_assert_int_eq(RANDOM_AUGMENT, 3);
    ck_assert_int_eq(RANDOM_DROPOUT, 4);
}
END_TEST

START_TEST(a_unit_is_below_one_and_exact)
{
    ck_assert_float_eq(random_unit(0), 0.0f);
    ck_assert_float_eq(random_unit(0x80000000), 0.5f);
    ck_assert_float_eq(random_unit(0xff), 0.0f); // the low byte is not used
    ck_assert_float_eq(random_unit(0xffffffff), 1.0f - 1.0f / 16777216.0f);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("random");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_generator_is_philox4x32_10);
    tcase_add_test(tests, every_field_of_an_address_has_separate_bits);
    tcase_add_test(tests, the_uses_have_the_numbers_that_checkpoints_rely_on);
    tcase_add_test(tests, a_unit_is_below_one_and_exact);
    suite_add_tcase(suite, tests);
    return suite;
}

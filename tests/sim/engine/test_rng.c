#include "sim/engine/rng.h"
#include "tests/support/suite.h"

/* The three vectors "philox4x32 10" of tests/kat_vectors in Random123 1.14: counter, key, words.
 * rng_word gives the first two words; counter and key are spelt as its arguments. */
static const struct {
    uint64_t seed, stream, entity, draw;
    uint64_t expected;
    const char *what;
} vectors[] = {
    {0, 0, 0, 0, UINT64_C(0xe169c58d6627e8d5), "zeros"},
    {UINT64_MAX, 0xffff, UINT64_MAX, UINT64_C(0xffffffffffff), UINT64_C(0x41c83b0e408f276d),
     "ones"},
    {UINT64_C(0x299f31d0a4093822), 0x0370, UINT64_C(0x85a308d3243f6a88), UINT64_C(0x734413198a2e),
     UINT64_C(0x94fdccebd16cfe09), "digits of pi"},
};

START_TEST(words_match_the_published_vectors)
{
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
        ck_assert_msg(rng_word(vectors[i].seed, (RngStream)vectors[i].stream, vectors[i].entity,
                               vectors[i].draw) == vectors[i].expected,
                      "%s", vectors[i].what);
}
END_TEST

START_TEST(every_part_of_the_address_counts)
{
    uint64_t word = rng_word(1, RNG_STEP, 2, 3);
    ck_assert(word == rng_word(1, RNG_STEP, 2, 3));
    ck_assert(word != rng_word(2, RNG_STEP, 2, 3));
    ck_assert(word != rng_word(1, RNG_LEARNING, 2, 3));
    ck_assert(word != rng_word(1, RNG_STEP, 3, 3));
    ck_assert(word != rng_word(1, RNG_STEP, 2, 4));
    ck_assert(word != rng_word(1, RNG_STEP, 2, 3 + (UINT64_C(1) << 32)));
    ck_assert(word != rng_word(UINT64_C(1) << 32 | 1, RNG_STEP, 2, 3));
    ck_assert(word != rng_word(1, RNG_STEP, UINT64_C(1) << 32 | 2, 3));
}
END_TEST

START_TEST(every_bit_is_set_half_of_the_time)
{
    // 10,000 draws: mean 5000, standard deviation 50; five of these are allowed on either side.
    int32_t set[64] = {0};
    for (uint64_t draw = 0; draw < 10000; draw++) {
        uint64_t word = rng_word(20180718, RNG_STEP, 99, draw);
        for (int32_t bit = 0; bit < 64; bit++)
            set[bit] += (int32_t)(word >> bit & 1);
    }
    for (int32_t bit = 0; bit < 64; bit++) {
        ck_assert_int_gt(set[bit], 4750);
        ck_assert_int_lt(set[bit], 5250);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rng");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, words_match_the_published_vectors);
    tcase_add_test(tests, every_part_of_the_address_counts);
    tcase_add_test(tests, every_bit_is_set_half_of_the_time);
    suite_add_tcase(suite, tests);
    return suite;
}

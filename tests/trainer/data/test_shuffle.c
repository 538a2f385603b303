#include "trainer/data/shuffle.h"

#include <string.h>

#include "tests/support/suite.h"
#include "trainer/base/random.h"

enum { COUNT = 5000 };
static int32_t one[COUNT], other[COUNT];

START_TEST(every_image_comes_once)
{
    const int32_t counts[] = {1, 2, 3, 100, COUNT};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            uint8_t seen[COUNT] = {0};
            shuffle_order(seed, 1, seed, counts[i], one);
            for (int32_t k = 0; k < counts[i]; k++) {
                ck_assert(one[k] >= 0 && one[k] < counts[i]);
                ck_assert_int_eq(seen[one[k]]++, 0);
            }
        }
    shuffle_order(1, 0, 0, 0, one); // an empty set is allowed
}
END_TEST

START_TEST(the_order_is_that_of_the_keys)
{
    shuffle_order(4, 3, 2, COUNT, one);
    uint64_t before = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        const PhiloxBlock words = random_words(
            4, (RandomAddress){
                   .use = RANDOM_SHUFFLE, .rank = 3, .time = 2, .block = (uint32_t)one[i]});
        const uint64_t key = (uint64_t)words.word[1] << 32 | words.word[0];
        ck_assert(key >= before);
        before = key;
    }
}
END_TEST

START_TEST(seeds_ranks_and_epochs_have_different_orders)
{
    const struct {
        uint64_t seed;
        uint32_t rank;
        uint64_t epoch;
    } rows[] = {{6, 0, 0}, {5, 1, 0}, {5, 0, 1}};
    shuffle_order(5, 0, 0, COUNT, one);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        shuffle_order(rows[i].seed, rows[i].rank, rows[i].epoch, COUNT, other);
        int32_t equal = 0;
        for (int32_t k = 0; k < COUNT; k++)
            equal += one[k] == other[k];
        ck_assert_int_lt(equal, 12); // one on average
    }
    shuffle_order(5, 0, 0, COUNT, other);
    ck_assert_mem_eq(one, other, sizeof one);
}
END_TEST

START_TEST(no_image_has_a_favourite_place)
{
    // The mean place of the first image over 400 epochs: 2499.5 with a standard deviation of
    // 5000 / sqrt(12 * 400) = 72.
    double sum = 0.0;
    for (uint64_t epoch = 0; epoch < 400; epoch++) {
        shuffle_order(5, 0, epoch, COUNT, one);
        for (int32_t k = 0; k < COUNT; k++)
            sum += one[k] == 0 ? k : 0;
    }
    ck_assert_double_eq_tol(sum / 400.0, 2499.5, 5.0 * 72.2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shuffle");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, every_image_comes_once);
    tcase_add_test(tests, the_order_is_that_of_the_keys);
    tcase_add_test(tests, seeds_ranks_and_epochs_have_different_orders);
    tcase_add_test(tests, no_image_has_a_favourite_place);
    suite_add_tcase(suite, tests);
    return suite;
}

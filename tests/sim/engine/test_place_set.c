#include <string.h>

#include "sim/engine/place_set.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"

static Arena *arena;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

START_TEST(an_empty_set_has_nothing_up_or_down)
{
    PlaceSet set = {0};
    ck_assert_int_eq(place_set_up(&set, 0), -1);
    ck_assert_int_eq(place_set_down(&set, 100), -1);
    place_set_reserve(arena, &set, 1000);
    ck_assert_int_eq(place_set_up(&set, 0), -1);
    ck_assert_int_eq(place_set_up(&set, 999), -1);
    ck_assert_int_eq(place_set_down(&set, 999), -1);
}
END_TEST

START_TEST(the_next_place_is_found_over_any_distance)
{
    // 64 places to a word, 4,096 to a word of words: neighbours in one word, and far from each
    // other.
    static const int32_t places[] = {0, 1, 63, 64, 127, 4095, 4096, 300000, 999999};
    enum { COUNT = sizeof places / sizeof places[0] };
    PlaceSet set = {0};
    place_set_reserve(arena, &set, 1000000);
    for (int32_t i = COUNT - 1; i >= 0; i--)
        place_set_add(&set, places[i]);
    ck_assert_int_eq(set.count, COUNT);
    for (int32_t i = 0; i < COUNT; i++) {
        ck_assert(place_set_has(&set, places[i]));
        ck_assert_int_eq(place_set_up(&set, places[i]), places[i]);
        ck_assert_int_eq(place_set_down(&set, places[i]), places[i]);
        int32_t after = i + 1 < COUNT ? places[i + 1] : -1;
        ck_assert_int_eq(place_set_up(&set, places[i] + 1), after);
        ck_assert_int_eq(place_set_down(&set, places[i] - 1), i > 0 ? places[i - 1] : -1);
    }
    ck_assert_int_eq(place_set_down(&set, INT32_MAX), 999999);
    place_set_remove(&set, 300000);
    ck_assert_int_eq(place_set_up(&set, 4097), 999999);
}
END_TEST

/* Compares a growing set with an array of marks. */
START_TEST(a_set_agrees_with_marks)
{
    enum { MOST = 5000, STEPS = 4000 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        PlaceSet set = {0};
        bool marks[MOST] = {false};
        int32_t capacity = 0;
        for (uint64_t step = 0; step < STEPS; step++) {
            uint64_t word = rng_word(seed, RNG_IDENTITY, 1, step);
            if (step % 500 == 0) {
                capacity = 1 + (int32_t)(step * MOST / STEPS);
                place_set_reserve(arena, &set, capacity);
            }
            int32_t place = (int32_t)(word % (uint64_t)capacity);
            // Mostly empty in odd seeds, mostly full in even ones.
            bool adds = (word >> 32) % 8 > 0 ? seed % 2 == 0 : seed % 2 == 1;
            if (adds != marks[place])
                (adds ? place_set_add : place_set_remove)(&set, place);
            marks[place] = adds;
            int32_t from = (int32_t)((word >> 40) % (uint64_t)capacity);
            int32_t up = from, down = from;
            while (up < capacity && !marks[up])
                up++;
            while (down >= 0 && !marks[down])
                down--;
            ck_assert_msg(place_set_up(&set, from) == (up < capacity ? up : -1), "seed %d",
                          (int)seed);
            ck_assert_msg(place_set_down(&set, from) == down, "seed %d", (int)seed);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("place_set");
    TCase *tests = tcase_create("places");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, an_empty_set_has_nothing_up_or_down);
    tcase_add_test(tests, the_next_place_is_found_over_any_distance);
    tcase_add_test(tests, a_set_agrees_with_marks);
    suite_add_tcase(suite, tests);
    return suite;
}

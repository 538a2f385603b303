#include "sim/core/id_set.h"

#include "sim/core/ids.h"
#include "sim/core/rng.h"
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

START_TEST(an_empty_set_has_nothing_after_anything)
{
    IdSet set = {0};
    ck_assert_uint_eq(id_set_next(&set, 0), ID_NONE);
    ck_assert_uint_eq(id_set_next(&set, 12345), ID_NONE);
    ck_assert(!id_set_has(&set, 0));
}
END_TEST

START_TEST(members_come_in_order_whatever_the_order_they_came_in)
{
    // 70,000 needs three levels above 64 bits; 3 lies below the base that 4095 gave.
    static const uint32_t ids[] = {4095, 70000, 3, 4096, 64, 63, 0};
    static const uint32_t in_order[] = {0, 3, 63, 64, 4095, 4096, 70000};
    IdSet set = {0};
    for (int i = 0; i < 7; i++)
        id_set_add(arena, &set, ids[i]);
    uint32_t at = id_set_next(&set, 0);
    for (int i = 0; i < 7; i++, at = id_set_next(&set, at + 1))
        ck_assert_uint_eq(at, in_order[i]);
    ck_assert_uint_eq(at, ID_NONE);
    id_set_remove(&set, 64);
    ck_assert_uint_eq(id_set_next(&set, 64), 4095);
    ck_assert_uint_eq(set.count, 6);
}
END_TEST

START_TEST(the_largest_id_has_a_place)
{
    IdSet set = {0};
    id_set_add(arena, &set, ID_NONE - 1);
    ck_assert_uint_eq(id_set_next(&set, 0), ID_NONE - 1);
    ck_assert_uint_eq(id_set_next(&set, ID_NONE), ID_NONE);
}
END_TEST

START_TEST(it_agrees_with_a_plain_array)
{
    enum { IDS = 9000, MOVES = 20000, SEEDS = 20 };
    static bool is_in[IDS];
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        IdSet set = {0};
        for (int i = 0; i < IDS; i++)
            is_in[i] = false;
        for (uint64_t move = 0; move < MOVES; move++) {
            uint64_t word = rng_word(seed, RNG_IDENTITY, 0, move);
            // The low seeds stay in a small corner at the top, so that words become empty.
            uint32_t span = seed % 2 ? 150 : IDS;
            uint32_t id = IDS - 1 - (uint32_t)(word >> 32) % span;
            if (is_in[id])
                id_set_remove(&set, id);
            else
                id_set_add(arena, &set, id);
            is_in[id] = !is_in[id];
            uint32_t from = (uint32_t)word % IDS, expected = from;
            while (expected < IDS && !is_in[expected])
                expected++;
            ck_assert_msg(id_set_next(&set, from) == (expected < IDS ? expected : ID_NONE),
                          "seed %d, move %d", (int)seed, (int)move);
            ck_assert(id_set_has(&set, from) == is_in[from]);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("id_set");
    TCase *tests = tcase_create("id_set");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, an_empty_set_has_nothing_after_anything);
    tcase_add_test(tests, members_come_in_order_whatever_the_order_they_came_in);
    tcase_add_test(tests, the_largest_id_has_a_place);
    tcase_add_test(tests, it_agrees_with_a_plain_array);
    suite_add_tcase(suite, tests);
    return suite;
}

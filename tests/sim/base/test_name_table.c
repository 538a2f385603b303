#include <stdio.h>
#include <string.h>

#include "sim/base/name_table.h"
#include "tests/support/suite.h"

START_TEST(names_are_set_found_replaced_and_removed)
{
    Arena *arena = arena_create();
    NameTable *table = name_table_create(arena);
    uint32_t value = 0;
    ck_assert(!name_table_find(table, "gpu", &value));
    name_table_set(table, "gpu", 7);
    ck_assert(name_table_find(table, "gpu", &value));
    ck_assert_uint_eq(value, 7);
    ck_assert(name_table_find(table, "gpu", NULL));
    ck_assert(!name_table_find(table, "GPU", NULL)); // letter case counts
    name_table_set(table, "gpu", 8);
    name_table_find(table, "gpu", &value);
    ck_assert_uint_eq(value, 8);
    name_table_remove(table, "cpu"); // unknown: nothing happens
    name_table_remove(table, "gpu");
    ck_assert(!name_table_find(table, "gpu", NULL));
    arena_destroy(arena);
}
END_TEST

START_TEST(a_name_is_copied)
{
    Arena *arena = arena_create();
    NameTable *table = name_table_create(arena);
    char name[] = "first";
    name_table_set(table, name, 1);
    memcpy(name, "other", sizeof name);
    ck_assert(name_table_find(table, "first", NULL));
    ck_assert(!name_table_find(table, "other", NULL));
    arena_destroy(arena);
}
END_TEST

/* A thousand names are set and removed at random; an array that does the same by index is the
 * reference. */
START_TEST(a_table_agrees_with_an_array)
{
    enum { NAMES = 1000 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Arena *arena = arena_create();
        NameTable *table = name_table_create(arena);
        uint32_t expected[NAMES] = {0}; // 0: not in the table
        uint64_t state = seed;
        for (uint32_t step = 1; step <= 10000; step++) {
            // Knuth's MMIX generator; its high bits are the random ones.
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const uint32_t index = (uint32_t)((state >> 33) % NAMES);
            char name[32];
            snprintf(name, sizeof name, "node-%u", index);
            const bool is_removal = (state >> 20) % 2 == 0;
            if (is_removal)
                name_table_remove(table, name);
            else
                name_table_set(table, name, step);
            expected[index] = is_removal ? 0 : step;
        }
        for (uint32_t index = 0; index < NAMES; index++) {
            char name[32];
            snprintf(name, sizeof name, "node-%u", index);
            uint32_t value = 0;
            const bool is_there = name_table_find(table, name, &value);
            ck_assert_msg(is_there == (expected[index] != 0) && value == expected[index],
                          "seed %d, %s", (int)seed, name);
        }
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(hashes_match_the_published_vectors)
{
    // FNV-1a test vectors: http://www.isthe.com/chongo/src/fnv/test_fnv.c
    ck_assert_uint_eq(name_hash(""), UINT64_C(0xcbf29ce484222325));
    ck_assert_uint_eq(name_hash("a"), UINT64_C(0xaf63dc4c8601ec8c));
    ck_assert_uint_eq(name_hash("foobar"), UINT64_C(0x85944171f73967e8));
    ck_assert_uint_eq(bytes_hash(bytes_hash(HASH_START, "foo", 3), "bar", 3), name_hash("foobar"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("name_table");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, names_are_set_found_replaced_and_removed);
    tcase_add_test(tests, a_name_is_copied);
    tcase_add_test(tests, a_table_agrees_with_an_array);
    tcase_add_test(tests, hashes_match_the_published_vectors);
    suite_add_tcase(suite, tests);
    return suite;
}

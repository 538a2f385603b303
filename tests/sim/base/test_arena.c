#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sim/base/arena.h"
#include "tests/support/suite.h"

static bool is_all(const unsigned char *bytes, size_t length, unsigned char value)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

START_TEST(allocations_are_zeroed_aligned_and_disjoint)
{
    Arena *arena = arena_create();
    // Sizes from 0 to more than the largest chunk (4 MiB). Each allocation is filled, and a later
    // allocation must not change it.
    enum { PIECES = 200 };
    unsigned char *pieces[PIECES];
    size_t sizes[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        sizes[i] = i % 50 == 49 ? i * 30000 : i * 37 % 5000;
        pieces[i] = arena_alloc(arena, sizes[i]);
        ck_assert_uint_eq((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        ck_assert(is_all(pieces[i], sizes[i], 0));
        memset(pieces[i], (int)i, sizes[i]);
    }
    for (size_t i = 0; i < PIECES; i++)
        ck_assert(is_all(pieces[i], sizes[i], (unsigned char)i));
    arena_destroy(arena);
}
END_TEST

START_TEST(copies_end_with_a_nul)
{
    Arena *arena = arena_create();
    ck_assert_str_eq(arena_strdup(arena, "four nodes"), "four nodes");
    ck_assert_str_eq(arena_strndup(arena, "four nodes", 4), "four");
    ck_assert_str_eq(arena_strndup(arena, "", 0), "");
    arena_destroy(arena);
}
END_TEST

START_TEST(printed_text_may_be_of_any_length)
{
    Arena *arena = arena_create();
    for (int length = 0; length < 2000; length++) {
        const char *text = arena_printf(arena, "%*s|", length, "");
        ck_assert_uint_eq(strlen(text), (size_t)length + 1);
        ck_assert_int_eq(text[length], '|');
    }
    arena_destroy(arena);
}
END_TEST

/* Marks in the first chunk, in an empty arena, and before many further chunks. */
START_TEST(memory_is_zeroed_again_after_a_rewind)
{
    Arena *arena = arena_create();
    ArenaMark empty = arena_mark(arena);
    for (int round = 0; round < 3; round++) {
        unsigned char *kept = arena_alloc(arena, 1000);
        memset(kept, 1, 1000);
        size_t bytes = arena_bytes(arena);
        ArenaMark mark = arena_mark(arena);
        for (int i = 0; i < 200; i++)
            memset(arena_alloc(arena, 5000), 2, 5000);
        arena_rewind(arena, mark);
        ck_assert_uint_eq(arena_bytes(arena), bytes);
        ck_assert(is_all(kept, 1000, 1));
        ck_assert(is_all(arena_alloc(arena, 8000), 8000, 0));
        arena_rewind(arena, mark);
        ck_assert(is_all(arena_alloc(arena, 8000), 8000, 0));
        arena_rewind(arena, empty);
        ck_assert_uint_eq(arena_bytes(arena), 0);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(a_reset_arena_is_empty_and_zeroed_and_keeps_its_memory)
{
    Arena *arena = arena_create();
    arena_reset(arena); // nothing to do
    const unsigned char *first = NULL;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 100; i++) {
            unsigned char *bytes = arena_alloc(arena, 5000);
            ck_assert(is_all(bytes, 5000, 0));
            memset(bytes, 1, 5000);
            if (i == 0 && round > 1)
                ck_assert_ptr_eq(bytes, first); // the same chunk again
            if (i == 0)
                first = bytes;
        }
        arena_reset(arena);
        ck_assert_uint_eq(arena_bytes(arena), 0);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(names_are_joined_and_numbered)
{
    Arena *arena = arena_create();
    ck_assert_str_eq(arena_join(arena, (const char *const[]){"w", "e", "job"}, 3, '/'), "w/e/job");
    ck_assert_str_eq(arena_join(arena, (const char *const[]){"", ""}, 2, '-'), "-");
    ck_assert_str_eq(arena_join(arena, (const char *const[]){"alone"}, 1, '/'), "alone");
    ck_assert_str_eq(arena_numbered(arena, "day", 0), "day-0");
    ck_assert_str_eq(arena_numbered(arena, "day", 1234567), "day-1234567");
    ck_assert_str_eq(arena_numbered(arena, "", INT64_MAX), "-9223372036854775807");
    arena_destroy(arena);
}
END_TEST

START_TEST(destroying_null_does_nothing)
{
    arena_destroy(NULL);
}
END_TEST

START_TEST(a_size_beyond_memory_ends_the_program_with_the_exit_code_of_the_machine)
{
    // -1 nodes of 16 bytes: the product does not fit size_t and must not wrap to something small.
    const int64_t count = -1;
    (void)arena_alloc_array(arena_create(), (size_t)count, 16);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("arena");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, allocations_are_zeroed_aligned_and_disjoint);
    tcase_add_test(tests, copies_end_with_a_nul);
    tcase_add_test(tests, printed_text_may_be_of_any_length);
    tcase_add_test(tests, memory_is_zeroed_again_after_a_rewind);
    tcase_add_test(tests, a_reset_arena_is_empty_and_zeroed_and_keeps_its_memory);
    tcase_add_test(tests, names_are_joined_and_numbered);
    tcase_add_test(tests, destroying_null_does_nothing);
    tcase_add_exit_test(tests,
                        a_size_beyond_memory_ends_the_program_with_the_exit_code_of_the_machine, 3);
    suite_add_tcase(suite, tests);
    return suite;
}

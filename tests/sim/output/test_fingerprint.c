#include <string.h>

#include "sim/output/fingerprint.h"
#include "tests/support/suite.h"
#include "tests/support/trace_story.h"

static const TraceRow billed = {.record = {.kind = TRACE_NODE_BILLED,
                                           .at_ns = 9,
                                           .since_ns = 1,
                                           .name = "held",
                                           .value = {8, 2}},
                                .cluster = "d/c",
                                .node = "n"};

static const char *fingerprint_of(Arena *arena, const TraceRow *row)
{
    Fingerprint fingerprint = fingerprint_start();
    if (row != NULL)
        fingerprint_add(&fingerprint, row);
    Text text = {0};
    fingerprint_print(&text, &fingerprint);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* The letters of the groups in which two fingerprints differ. */
static const char *differing(Arena *arena, const char *a, const char *b)
{
    enum { GROUP_LENGTH = 19 }; // "e:" 16 digits "/"
    char *letters = arena_strdup(arena, "");
    for (; strlen(a) >= GROUP_LENGTH - 1; a += GROUP_LENGTH, b += GROUP_LENGTH) {
        if (strncmp(a, b, GROUP_LENGTH - 1) != 0)
            letters = arena_printf(arena, "%s%c", letters, a[0]);
        if (a[GROUP_LENGTH - 1] == '\0')
            break;
    }
    return letters;
}

START_TEST(it_names_six_groups_of_sixteen_digits)
{
    Arena *arena = arena_create();
    ck_assert_str_eq(fingerprint_of(arena, NULL),
                     "e:cbf29ce484222325/t:cbf29ce484222325/n:cbf29ce484222325/"
                     "j:cbf29ce484222325/b:cbf29ce484222325/f:cbf29ce484222325");
    arena_destroy(arena);
}
END_TEST

START_TEST(a_change_shows_in_its_group_alone)
{
    Arena *arena = arena_create();
    const char *before = fingerprint_of(arena, &billed);
    ck_assert_str_eq(differing(arena, before, fingerprint_of(arena, NULL)), "etb");
    TraceRow dearer = billed;
    dearer.record.value[1] = 3;
    ck_assert_str_eq(differing(arena, before, fingerprint_of(arena, &dearer)), "b");
    TraceRow later = billed;
    later.record.since_ns = 2;
    ck_assert_str_eq(differing(arena, before, fingerprint_of(arena, &later)), "t");
    TraceRow elsewhere = billed;
    elsewhere.node = "m";
    ck_assert_str_eq(differing(arena, before, fingerprint_of(arena, &elsewhere)), "b");
    TraceRow same = billed;
    same.record.node.index = 77; // ids are an accident of the world that tells
    ck_assert_str_eq(differing(arena, before, fingerprint_of(arena, &same)), "");
    arena_destroy(arena);
}
END_TEST

START_TEST(the_order_of_records_counts)
{
    Arena *arena = arena_create();
    TraceRow second = billed;
    second.node = "m";
    Fingerprint forth = fingerprint_start(), back = fingerprint_start();
    fingerprint_add(&forth, &billed);
    fingerprint_add(&forth, &second);
    fingerprint_add(&back, &second);
    fingerprint_add(&back, &billed);
    ck_assert(memcmp(&forth, &back, sizeof forth) != 0);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fingerprint");
    TCase *tests = tcase_create("fingerprint");
    tcase_add_test(tests, it_names_six_groups_of_sixteen_digits);
    tcase_add_test(tests, a_change_shows_in_its_group_alone);
    tcase_add_test(tests, the_order_of_records_counts);
    suite_add_tcase(suite, tests);
    return suite;
}

#include <string.h>

#include "sim/output/trace/fingerprint.h"
#include "tests/support/suite.h"
#include "tests/support/trace_story.h"

static const TraceRow billed = {.record = {.kind = TRACE_NODE_BILLED,
                                           .at_ns = 9,
                                           .since_ns = 1,
                                           .name = "held",
                                           .node_billed = {8, 2}},
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

/* The comparison in words of two fingerprints. */
static const char *compared(Arena *arena, const char *a, const char *b)
{
    Text text = {0};
    const FingerprintComparison comparison = fingerprint_compare(a, b);
    fingerprint_comparison_print(&text, &comparison);
    ck_assert_int_eq(comparison.is_same, text.length == 0);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(a_fingerprint_has_seven_ingredients_of_sixteen_digits)
{
    Arena *arena = arena_create();
    ck_assert_str_eq(fingerprint_of(arena, NULL),
                     "events:cbf29ce484222325/times:cbf29ce484222325/nodes:cbf29ce484222325/"
                     "jobs:cbf29ce484222325/bills:cbf29ce484222325/files:cbf29ce484222325/"
                     "draws:cbf29ce484222325");
    arena_destroy(arena);
}
END_TEST

START_TEST(a_change_shows_only_in_its_ingredient)
{
    static const char bills_alone[] =
        "The runs differ in: bills. They are the same in: events, times, nodes, jobs, files, "
        "draws.\n";
    Arena *arena = arena_create();
    const char *before = fingerprint_of(arena, &billed);
    ck_assert_str_eq(compared(arena, before, fingerprint_of(arena, NULL)),
                     "The runs differ in: events, times, bills. They are the same in: nodes, jobs, "
                     "files, draws.\n");
    TraceRow dearer = billed;
    dearer.record.node_billed.micro_usd_per_hour = 3;
    ck_assert_str_eq(compared(arena, before, fingerprint_of(arena, &dearer)), bills_alone);
    TraceRow caused = billed;
    caused.record.cause = CAUSE_CRASH;
    ck_assert_str_eq(compared(arena, before, fingerprint_of(arena, &caused)), bills_alone);
    TraceRow later = billed;
    later.record.since_ns = 2;
    ck_assert_ptr_nonnull(
        strstr(compared(arena, before, fingerprint_of(arena, &later)), "differ in: times. "));
    TraceRow elsewhere = billed;
    elsewhere.node = "m";
    ck_assert_str_eq(compared(arena, before, fingerprint_of(arena, &elsewhere)), bills_alone);
    TraceRow same = billed;
    same.record.node.index = 77; // ids are internal to the world that records
    ck_assert_str_eq(compared(arena, before, fingerprint_of(arena, &same)), "");
    arena_destroy(arena);
}
END_TEST

START_TEST(draws_are_a_separate_ingredient)
{
    Arena *arena = arena_create();
    TraceRow ended = {.record = {.kind = TRACE_RUN_ENDED, .run_ended = {42, 9, 77}}};
    const char *before = fingerprint_of(arena, &ended);
    ended.record.run_ended.drawn = 78;
    ck_assert_ptr_nonnull(
        strstr(compared(arena, before, fingerprint_of(arena, &ended)), "differ in: draws. "));
    ended.record.run_ended.drawn = 77;
    ended.record.run_ended.events = 43;
    ck_assert_ptr_nonnull(
        strstr(compared(arena, before, fingerprint_of(arena, &ended)), "differ in: events. "));
    arena_destroy(arena);
}
END_TEST

START_TEST(fingerprints_with_other_ingredients_differ)
{
    Arena *arena = arena_create();
    ck_assert_str_eq(compared(arena, "e:1", "e:2"),
                     "The runs differ in: ingredients without a name.\n");
    ck_assert_ptr_nonnull(
        strstr(compared(arena, "events:1/times:2", "events:1"), "The runs differ in: times. "));
    ck_assert_str_eq(compared(arena, "", ""), "");
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
    tcase_add_test(tests, a_fingerprint_has_seven_ingredients_of_sixteen_digits);
    tcase_add_test(tests, a_change_shows_only_in_its_ingredient);
    tcase_add_test(tests, draws_are_a_separate_ingredient);
    tcase_add_test(tests, fingerprints_with_other_ingredients_differ);
    tcase_add_test(tests, the_order_of_records_counts);
    suite_add_tcase(suite, tests);
    return suite;
}

/* The comparison that --check-determinism uses, with differences that it must find. */
#include <string.h>

#include "sim/output/explain/row_watch.h"
#include "sim/output/trace/fan.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

static void run_for(Arena *arena, Scenario *scenario, RowWatch *watch)
{
    TraceFan *fan = trace_fan_create(arena);
    trace_fan_join(fan, row_watch_listener(watch));
    World *world = world_create(arena, scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    world_run(world);
}

/* The differences that the comparison reports between runs of two scenarios; "" if there are none.
 */
static const char *compared(Arena *arena, Scenario *a, Scenario *b)
{
    RowWatch first = row_watch_start(arena);
    run_for(arena, a, &first);
    RowWatch second = row_watch_against(arena, &first);
    run_for(arena, b, &second);
    if (!row_watch_differs(&second))
        return "";
    RowWatch again = row_watch_for(arena, &second);
    run_for(arena, a, &again);
    Text text = {0};
    row_watch_explain(&text, &second, &again);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static Scenario *sleeper(Arena *arena, int64_t sleep_ns, int32_t exit_code)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c",
                        plain_job(arena, 1, plain_fixed_program(arena, sleep_ns, exit_code)));
    return scenario_of(&list, 1);
}

START_TEST(a_run_equals_itself)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Arena *arena = arena_create();
        Scenario *first = random_scenario(arena, seed);
        arena_alloc(arena, 12345);
        ck_assert_str_eq(compared(arena, first, random_scenario(arena, seed)), "");
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(runs_of_different_seeds_differ)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Arena *arena = arena_create();
        const char *said =
            compared(arena, random_scenario(arena, seed), random_scenario(arena, seed + 1));
        const char *begin = "the second run differs from the first at record ";
        ck_assert_msg(strncmp(said, begin, strlen(begin)) == 0, "seed %d: %s", (int)seed, said);
        arena_destroy(arena);
    }
}
END_TEST

/* The first record that differs, counted by hand in a recording of each run. */
START_TEST(the_first_record_that_differs_is_named)
{
    Arena *arena = arena_create();
    Recording told[2];
    for (int i = 0; i < 2; i++) {
        told[i] = recording_create(arena);
        world_run(world_create(arena, sleeper(arena, 600 * INT64_C(1000000000) + i, 0),
                               recording_sink(&told[i], TRACE_LEVEL_STEPS)));
    }
    int32_t same = 0;
    while (told[0].items[same].at_ns == told[1].items[same].at_ns)
        same++;
    const char *said = compared(arena, sleeper(arena, 600 * INT64_C(1000000000), 0),
                                sleeper(arena, 600 * INT64_C(1000000000) + 1, 0));
    const char *begin = arena_printf(
        arena, "the second run differs from the first at record %d in its ", (int)same + 1);
    ck_assert_msg(strncmp(said, begin, strlen(begin)) == 0, "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "\n  first:  "));
    ck_assert_ptr_nonnull(strstr(said, "\n  second: "));
    arena_destroy(arena);
}
END_TEST

static const TraceRow billed = {.record = {.kind = TRACE_NODE_BILLED,
                                           .at_ns = 9,
                                           .since_ns = 1,
                                           .name = "held",
                                           .node_billed = {8, 2}},
                                .cluster = "d/c",
                                .node = "n"};

/* The explanation after each watch has received its rows; `lying` is the second row of the third
 * run. */
static const char *explained(Arena *arena, const TraceRow *first, const TraceRow *second,
                             const TraceRow *lying)
{
    RowWatch one = row_watch_start(arena);
    TraceListener listener = row_watch_listener(&one);
    listener.row(listener.listener, &billed);
    if (first != NULL)
        listener.row(listener.listener, first);
    RowWatch two = row_watch_against(arena, &one);
    listener = row_watch_listener(&two);
    listener.row(listener.listener, &billed);
    if (second != NULL)
        listener.row(listener.listener, second);
    ck_assert(row_watch_differs(&two));
    RowWatch three = row_watch_for(arena, &two);
    listener = row_watch_listener(&three);
    listener.row(listener.listener, &billed);
    if (lying != NULL)
        listener.row(listener.listener, lying);
    Text text = {0};
    row_watch_explain(&text, &two, &three);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(a_run_that_ends_early_or_late_differs)
{
    Arena *arena = arena_create();
    const char *said = explained(arena, &billed, NULL, &billed);
    ck_assert_ptr_nonnull(strstr(said, "at record 2\n  first:  9\t1\tnode_billed\t"));
    ck_assert_ptr_nonnull(strstr(said, "\n  second: (it has ended)\n"));
    said = explained(arena, NULL, &billed, NULL);
    ck_assert_ptr_nonnull(
        strstr(said, "at record 2\n  first:  (it has ended)\n  second: 9\t1\tnode_billed\t"));
    arena_destroy(arena);
}
END_TEST

START_TEST(a_difference_that_a_third_run_does_not_repeat_is_reported)
{
    Arena *arena = arena_create();
    TraceRow dearer = billed, later = billed;
    dearer.record.node_billed.micro_usd_per_hour = 3;
    later.record.at_ns = 10;
    const char *said = explained(arena, &billed, &dearer, &later);
    ck_assert_ptr_nonnull(strstr(said, "first:  (a third run says something else again) 10\t1\t"));
    ck_assert_ptr_null(strstr(said, "in its"));
    arena_destroy(arena);
}
END_TEST

START_TEST(only_the_ingredient_that_differs_is_named)
{
    Arena *arena = arena_create();
    TraceRow later = billed, dearer = billed;
    later.record.at_ns = 10;
    dearer.record.node_billed.micro_usd_per_hour = 3;
    const char *times = explained(arena, &billed, &later, &billed);
    const char *bills = explained(arena, &billed, &dearer, &billed);
    // "at record 2 in its t\n" or "... in its times\n"
    ck_assert_ptr_nonnull(strstr(times, "in its t"));
    ck_assert_ptr_null(strstr(times, ","));
    ck_assert_ptr_nonnull(strstr(bills, "in its b"));
    ck_assert_ptr_null(strstr(bills, ","));
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("row_watch");
    TCase *tests = tcase_create("row_watch");
    tcase_add_test(tests, a_run_equals_itself);
    tcase_add_test(tests, runs_of_different_seeds_differ);
    tcase_add_test(tests, the_first_record_that_differs_is_named);
    tcase_add_test(tests, a_run_that_ends_early_or_late_differs);
    tcase_add_test(tests, a_difference_that_a_third_run_does_not_repeat_is_reported);
    tcase_add_test(tests, only_the_ingredient_that_differs_is_named);
    suite_add_tcase(suite, tests);
    return suite;
}

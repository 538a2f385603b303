#include "sim/output/explain/run_watch.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/output/explain/expect_check.h"
#include "sim/output/explain/run_excerpt.h"
#include "sim/output/trace/fan.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

static Arena *arena;
static RunWatch *watch;

static void begin(void)
{
    arena = arena_create();
    watch = run_watch_create(arena);
}

static void end(void)
{
    arena_destroy(arena);
}

/* The jobs "long" and "early" need two nodes each; "early" is submitted first. The cluster is
 * steady at 100 s and ready at 230 s. "early" runs from 230 s for 1 + 99 s and "long" from 330 s
 * for 601 s. At 500 s the cluster is resized to one node: after 3 s "long" returns to the queue and
 * the newest node leaves, for 240 s. */
static Scenario *story(void)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "early", 10 * NS_PER_S, "c",
                        plain_job(arena, 2, plain_fixed_program(arena, 99 * NS_PER_S, 0)));
    commands_create_job(&list, "long", 20 * NS_PER_S, "c",
                        plain_job(arena, 2, plain_fixed_program(arena, 600 * NS_PER_S, 0)));
    commands_resize(&list, "c", 500 * NS_PER_S, 1);
    return scenario_of(&list, 1);
}

static const World *run_story(RunExcerpt *excerpt)
{
    TraceFan *fan = trace_fan_create(arena);
    trace_fan_join(fan, run_watch_listener(watch));
    if (excerpt != NULL)
        trace_fan_join(fan, run_excerpt_listener(excerpt));
    World *world = world_create(arena, story(), trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    run_watch_begin(watch, world);
    world_run(world);
    return world;
}

static Condition condition(Quantity quantity, const char *subject, Comparator comparator,
                           int64_t value, int64_t for_s)
{
    return (Condition){.quantity = quantity,
                       .subject = subject,
                       .comparator = comparator,
                       .value = value,
                       .for_ns = for_s * NS_PER_S};
}

static int32_t watch_condition(Condition watched)
{
    return run_watch_condition(watch, &watched);
}

static int32_t watch_moment(Moment moment, const char *subject, int64_t ordinal, int64_t delay_s)
{
    const Trigger trigger = {
        .moment = moment, .subject = subject, .ordinal = ordinal, .delay_ns = delay_s * NS_PER_S};
    return run_watch_moment(watch, &trigger);
}

static int64_t holds_at_s(int32_t number, int64_t from_s, int64_t to_s)
{
    HeldSpan span;
    int64_t to_ns = to_s == INT64_MAX ? INT64_MAX : to_s * NS_PER_S;
    return run_watch_holds(watch, number, from_s * NS_PER_S, to_ns, &span) ? span.at_ns / NS_PER_S
                                                                           : -1;
}

START_TEST(a_condition_holds_from_the_end_of_an_instant_on)
{
    int32_t running =
        watch_condition(condition(QUANTITY_CLUSTER_RUNNING, "c", COMPARE_EQUAL, 2, 0));
    int32_t preparing =
        watch_condition(condition(QUANTITY_CLUSTER_PREPARING, "C", COMPARE_AT_LEAST, 1, 0));
    int32_t idle = watch_condition(condition(QUANTITY_CLUSTER_IDLE, "c", COMPARE_AT_LEAST, 1, 0));
    int32_t nobody = watch_condition(condition(QUANTITY_JOB_IS_RUNNING, "no", COMPARE_EQUAL, 1, 0));
    run_story(NULL);
    ck_assert_int_eq(holds_at_s(preparing, 0, INT64_MAX), 100); // names ignore letter case
    ck_assert_int_eq(holds_at_s(preparing, 150, INT64_MAX), 150);
    ck_assert_int_eq(holds_at_s(preparing, 230, INT64_MAX), -1);
    // Both nodes are idle at 230 s and at 330 s, but not at the end of those instants.
    ck_assert_int_eq(holds_at_s(running, 0, INT64_MAX), 230);
    ck_assert_int_eq(holds_at_s(running, 0, 229), -1);
    ck_assert_int_eq(holds_at_s(idle, 0, INT64_MAX), 503);
    ck_assert_int_eq(holds_at_s(nobody, 0, INT64_MAX), -1);
}
END_TEST

START_TEST(a_condition_with_a_time_holds_after_it_has_held_for_that_time)
{
    // From 100 s to 230 s.
    int32_t rows[] = {
        watch_condition(condition(QUANTITY_CLUSTER_PREPARING, "c", COMPARE_EQUAL, 2, 129)),
        watch_condition(condition(QUANTITY_CLUSTER_PREPARING, "c", COMPARE_EQUAL, 2, 130)),
        watch_condition(condition(QUANTITY_CLUSTER_PREPARING, "c", COMPARE_EQUAL, 2, 131)),
        // From 503 s to the end of the run at 740 s.
        watch_condition(condition(QUANTITY_JOB_IS_QUEUED, "long", COMPARE_EQUAL, 1, 237)),
        watch_condition(condition(QUANTITY_JOB_IS_QUEUED, "long", COMPARE_EQUAL, 1, 311)),
    };
    run_story(NULL);
    ck_assert_int_eq(run_watch_end_ns(watch), 740 * NS_PER_S);
    ck_assert_int_eq(holds_at_s(rows[0], 0, INT64_MAX), 229);
    ck_assert_int_eq(holds_at_s(rows[1], 0, INT64_MAX), 230);
    ck_assert_int_eq(holds_at_s(rows[1], 231, INT64_MAX), -1);
    ck_assert_int_eq(holds_at_s(rows[2], 0, INT64_MAX), -1);
    ck_assert_int_eq(holds_at_s(rows[3], 0, INT64_MAX), 257); // queued from 20 s to 330 s too
    ck_assert_int_eq(holds_at_s(rows[3], 400, INT64_MAX), 740);
    ck_assert_int_eq(holds_at_s(rows[4], 0, INT64_MAX), -1);
}
END_TEST

START_TEST(a_moment_has_the_time_of_its_first_occurrence)
{
    static const struct {
        Moment moment;
        const char *subject;
        int64_t ordinal, delay_s, at_s; /* -1: never */
    } rows[] = {
        {MOMENT_CLUSTER_STEADY, "c", 0, 0, 100},  {MOMENT_CLUSTER_READY, "c", 0, 0, 230},
        {MOMENT_CLUSTER_READY, "C", 0, 60, 290},  {MOMENT_CLUSTER_EMPTY, "c", 0, 0, -1},
        {MOMENT_CLUSTER_DELETED, "c", 0, 0, -1},  {MOMENT_JOB_SUBMITTED, "early", 0, 0, 10},
        {MOMENT_JOB_STARTED, "long", 0, 0, 330},  {MOMENT_JOB_COMPLETED, "early", 0, 0, 330},
        {MOMENT_JOB_COMPLETED, "long", 0, 0, -1}, {MOMENT_JOB_REQUEUED, "long", 1, 0, 503},
        {MOMENT_JOB_REQUEUED, "long", 2, 0, -1},  {MOMENT_JOB_REQUEUED, "early", 1, 0, -1},
        {MOMENT_JOB_TRAINING, "long", 0, 0, -1},  {MOMENT_JOB_STARTED, "d", 0, 0, -1},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    int32_t numbers[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        numbers[i] =
            watch_moment(rows[i].moment, rows[i].subject, rows[i].ordinal, rows[i].delay_s);
    run_story(NULL);
    for (size_t i = 0; i < ROWS; i++) {
        MomentCame came;
        bool has_come = run_watch_first(watch, numbers[i], &came);
        ck_assert_msg(has_come == (rows[i].at_s >= 0), "row %zu", i);
        if (has_come)
            ck_assert_msg(came.at_ns == rows[i].at_s * NS_PER_S, "row %zu", i);
    }
}
END_TEST

/* --- Verdicts --- */

START_TEST(always_and_never_fail_at_an_instant)
{
    const Condition few = condition(QUANTITY_CLUSTER_NODES, "c", COMPARE_AT_MOST, 1, 0);
    const Condition many = condition(QUANTITY_CLUSTER_NODES, "c", COMPARE_MORE, 1, 0);
    const Condition three = condition(QUANTITY_CLUSTER_NODES, "c", COMPARE_AT_LEAST, 3, 0);
    const Condition waits = condition(QUANTITY_CLUSTER_QUEUED, "c", COMPARE_AT_LEAST, 1, 5 * 60);
    int32_t many_number = watch_condition(many), three_number = watch_condition(three),
            waits_number = watch_condition(waits);
    run_story(NULL);
    ExpectAnswer answer = expect_always(arena, watch, &few, many_number);
    ck_assert(!answer.holds);
    ck_assert(answer.has_instant);
    ck_assert_int_eq(answer.at_ns, 100 * NS_PER_S);
    ck_assert_str_eq(answer.expected, "always cluster c nodes <= 1");
    ck_assert_str_eq(answer.got, "cluster c nodes is 2 at 100 s");
    ck_assert(expect_never(arena, watch, &three, three_number).holds);
    // The jobs enter the queue 2 s after their submission.
    answer = expect_never(arena, watch, &waits, waits_number);
    ck_assert(!answer.holds);
    ck_assert_int_eq(answer.at_ns, 312 * NS_PER_S);
    ck_assert_str_eq(answer.expected, "never cluster c queued_jobs >= 1 for 300 s");
    ck_assert_str_eq(answer.got,
                     "cluster c queued_jobs is 1 at 12 s, and it holds until 312 s at least");
}
END_TEST

START_TEST(eventually_has_a_deadline)
{
    const Condition idle = condition(QUANTITY_CLUSTER_IDLE, "c", COMPARE_EQUAL, 1, 0);
    const Condition done = condition(QUANTITY_JOB_IS_SUCCEEDED, "long", COMPARE_EQUAL, 1, 0);
    int32_t idle_number = watch_condition(idle), done_number = watch_condition(done);
    int32_t ready = watch_moment(MOMENT_CLUSTER_READY, "c", 0, 0);
    int32_t deleted = watch_moment(MOMENT_CLUSTER_DELETED, "c", 0, 0);
    run_story(NULL);
    EventualWish wish = {
        .condition = &idle, .number = idle_number, .moment = -1, .within_ns = 503 * NS_PER_S};
    ck_assert(expect_eventually(arena, watch, &wish).holds);
    wish.within_ns--;
    ck_assert(!expect_eventually(arena, watch, &wish).holds);
    wish.moment = ready; // at 230 s
    wish.moment_text = "cluster c ready";
    wish.within_ns = 273 * NS_PER_S;
    ck_assert(expect_eventually(arena, watch, &wish).holds);
    wish.within_ns--;
    ExpectAnswer answer = expect_eventually(arena, watch, &wish);
    ck_assert(!answer.holds);
    ck_assert_int_eq(answer.at_ns, 503 * NS_PER_S - 1);
    wish = (EventualWish){.condition = &done,
                          .number = done_number,
                          .moment = deleted,
                          .moment_text = "cluster c deleted",
                          .within_ns = INT64_MAX};
    ck_assert_str_eq(expect_eventually(arena, watch, &wish).got, "cluster c deleted never happens");
    wish.moment = -1;
    answer = expect_eventually(arena, watch, &wish);
    ck_assert_str_eq(answer.expected, "job long succeeded == 1");
    ck_assert_str_eq(answer.got, "not by 740 s; at the end of the run job long succeeded is 0");
}
END_TEST

START_TEST(an_order_compares_first_times)
{
    int32_t early_ends = watch_moment(MOMENT_JOB_COMPLETED, "early", 0, 0);
    int32_t long_starts = watch_moment(MOMENT_JOB_STARTED, "long", 0, 0);
    int32_t never = watch_moment(MOMENT_JOB_COMPLETED, "long", 0, 0);
    run_story(NULL);
    // Both are at 330 s: the order of the records decides.
    const char *const texts[] = {"job early completed", "job long started", "job long completed"};
    OrderWish wish = {.count = 2, .moments = (int32_t[]){early_ends, long_starts}, .texts = texts};
    ck_assert(expect_order(arena, watch, &wish).holds);
    const char *const turned[] = {"job long started", "job early completed"};
    wish =
        (OrderWish){.count = 2, .moments = (int32_t[]){long_starts, early_ends}, .texts = turned};
    ExpectAnswer answer = expect_order(arena, watch, &wish);
    ck_assert(!answer.holds);
    ck_assert_str_eq(answer.expected, "job long started, then job early completed");
    ck_assert_str_eq(answer.got, "job early completed at 330 s, job long started only at 330 s");
    wish = (OrderWish){
        .count = 3, .moments = (int32_t[]){early_ends, long_starts, never}, .texts = texts};
    answer = expect_order(arena, watch, &wish);
    ck_assert(!answer.holds);
    ck_assert_str_eq(answer.got, "job long completed never happens");
    wish.last_may_be_absent = true;
    ck_assert(expect_order(arena, watch, &wish).holds);
}
END_TEST

/* --- Excerpts --- */

START_TEST(an_excerpt_has_a_few_records_before_and_after)
{
    RunExcerpt *excerpt =
        run_excerpt_create(arena, (ExcerptFocus){.at_ns = 330 * NS_PER_S, .job = "long"});
    run_story(excerpt);
    int32_t count;
    const char *const *lines = run_excerpt_lines(excerpt, arena, &count);
    ck_assert_int_ge(count, 4);
    ck_assert_int_le(count, 9);
    bool has_start = false, has_stage = false;
    for (int32_t i = 0; i < count; i++) {
        ck_assert_msg(strstr(lines[i], "long") != NULL, "%s", lines[i]);
        has_start |= strstr(lines[i], "330 s  job_state  c long running") == lines[i];
        has_stage |= strstr(lines[i], "331 s  job_stage  c ") == lines[i];
    }
    ck_assert(has_start);
    ck_assert(has_stage);
}
END_TEST

START_TEST(an_excerpt_without_an_instant_has_the_last_records)
{
    RunExcerpt *excerpt = run_excerpt_create(arena, (ExcerptFocus){.at_ns = INT64_MAX});
    run_story(excerpt);
    int32_t count;
    const char *const *lines = run_excerpt_lines(excerpt, arena, &count);
    ck_assert_int_eq(count, 6);
    ck_assert_msg(strstr(lines[5], "740 s  run_ended ") == lines[5], "%s", lines[5]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("run_watch");
    TCase *tests = tcase_create("run_watch");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_condition_holds_from_the_end_of_an_instant_on);
    tcase_add_test(tests, a_condition_with_a_time_holds_after_it_has_held_for_that_time);
    tcase_add_test(tests, a_moment_has_the_time_of_its_first_occurrence);
    tcase_add_test(tests, always_and_never_fail_at_an_instant);
    tcase_add_test(tests, eventually_has_a_deadline);
    tcase_add_test(tests, an_order_compares_first_times);
    tcase_add_test(tests, an_excerpt_has_a_few_records_before_and_after);
    tcase_add_test(tests, an_excerpt_without_an_instant_has_the_last_records);
    suite_add_tcase(suite, tests);
    return suite;
}

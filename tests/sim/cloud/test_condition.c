/* The quantities that conditions count, and commands that wait for conditions, by examples on paper
 * from plain_service (tests/support/worlds.h): a cluster made at 0 has its nodes at 100 s and idle
 * at 230 s; a job on idle nodes starts after 2 s. */
#include "sim/base/units.h"
#include "sim/cloud/check.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

static int64_t instants[1000], instant_count;

static void begin_without_instants(void)
{
    begin();
    instant_count = 0;
}

static void hear_instant(void *listener, int64_t at_ns)
{
    (void)listener;
    ck_assert_int_lt(instant_count, 1000);
    instants[instant_count++] = at_ns;
}

static World *create(void)
{
    TraceSink sink = recording_sink(&recording, TRACE_LEVEL_JOBS);
    sink.instant = hear_instant;
    World *world = world_create(arena, scenario_of(&list, 1), sink);
    world_check_always(world);
    return world;
}

/* Shows the cluster once the condition has held for `for_s`; the time of the record is the time of
 * the show. */
static void show_when(Quantity quantity, const char *subject, Comparator comparator, int64_t value,
                      int64_t for_s)
{
    Condition *condition = ARENA_NEW(arena, Condition);
    *condition = (Condition){quantity, subject, comparator, value, for_s * NS_PER_S};
    Command *command = commands_add(&list, COMMAND_CLUSTER_SHOW, "c", 0);
    command->trigger = (Trigger){.moment = MOMENT_CONDITION, .condition = condition};
}

static const JobSpec *sleeping_job(int32_t nodes, int64_t seconds)
{
    return plain_job(arena, nodes, plain_fixed_program(arena, seconds * NS_PER_S, 0));
}

static int64_t shown_s(int32_t n)
{
    const TraceRecord *record = recording_find(&recording, TRACE_CLUSTER_SHOWN, NULL, n);
    ck_assert_msg(record != NULL, "shown less than %d times", (int)n + 1);
    return record->at_ns / NS_PER_S;
}

START_TEST(quantities_count_existing_nodes_and_jobs)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    commands_create_job(&list, "one", 300 * NS_PER_S, "c", sleeping_job(2, 100));
    commands_create_job(&list, "two", 300 * NS_PER_S, "c", sleeping_job(3, 100));
    World *world = create();
    static const struct {
        int64_t at_s;
        Quantity quantity;
        const char *subject;
        int64_t value;
    } rows[] = {
        {0, QUANTITY_CLUSTER_TARGET, "c", 3},
        {0, QUANTITY_CLUSTER_NODES, "c", 0},
        {0, QUANTITY_CLUSTER_NODES, "nobody", 0},
        {0, QUANTITY_JOB_IS_QUEUED, "one", 0}, // does not exist yet
        {0, QUANTITY_SHARE_TRANSFERS, "a/s", 0},
        {0, QUANTITY_SHARE_TRANSFERS, "a/nowhere", 0},
        {150, QUANTITY_CLUSTER_NODES, "c", 3},
        {150, QUANTITY_CLUSTER_PREPARING, "C", 3}, // names ignore letter case
        {250, QUANTITY_CLUSTER_IDLE, "c", 3},
        {250, QUANTITY_CLUSTER_UNUSABLE, "c", 0},
        {301, QUANTITY_JOB_IS_QUEUED, "one", 1},
        {350, QUANTITY_JOB_IS_RUNNING, "one", 1},
        {350, QUANTITY_JOB_IS_QUEUED, "one", 0},
        {350, QUANTITY_JOB_ATTEMPTS, "one", 1},
        {350, QUANTITY_JOB_ATTEMPTS, "two", 0},
        {350, QUANTITY_JOB_IS_QUEUED, "two", 1},
        {350, QUANTITY_CLUSTER_RUNNING, "c", 2},
        {350, QUANTITY_CLUSTER_IDLE, "c", 1},
        {350, QUANTITY_CLUSTER_QUEUED, "c", 1},
        {450, QUANTITY_JOB_IS_SUCCEEDED, "one", 1},
        {450, QUANTITY_JOB_IS_FAILED, "one", 0},
        {450, QUANTITY_CLUSTER_QUEUED, "c", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        world_advance(world, rows[i].at_s * NS_PER_S);
        int64_t value = world_quantity(world, rows[i].quantity, rows[i].subject);
        ck_assert_msg(value == rows[i].value, "row %zu: %d", i, (int)value);
    }
}
END_TEST

START_TEST(epochs_of_a_training_job_are_counted)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "train", 0, "c", plain_job(arena, 1, plain_training_program(arena)));
    show_when(QUANTITY_JOB_EPOCHS, "train", COMPARE_AT_LEAST, 3, 0);
    World *world = create();
    world_run(world);
    ck_assert_int_eq(world_quantity(world, QUANTITY_JOB_EPOCHS, "train"), 4);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_SHOWN, NULL), 1);
    ck_assert_int_lt(recording_find(&recording, TRACE_CLUSTER_SHOWN, NULL, 0)->at_ns,
                     world_job(world, (JobId){0})->ended_ns);
}
END_TEST

START_TEST(every_comparator_compares)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    World *world = create();
    world_advance(world, 300 * NS_PER_S); // two idle nodes
    static const bool holds[COMPARATOR_COUNT][3] = {
        [COMPARE_LESS] = {false, false, true},    [COMPARE_AT_MOST] = {false, true, true},
        [COMPARE_EQUAL] = {false, true, false},   [COMPARE_NOT_EQUAL] = {true, false, true},
        [COMPARE_AT_LEAST] = {true, true, false}, [COMPARE_MORE] = {true, false, false},
    };
    for (int c = 0; c < COMPARATOR_COUNT; c++)
        for (int64_t value = 1; value <= 3; value++) {
            Condition condition = {QUANTITY_CLUSTER_IDLE, "c", (Comparator)c, value, 0};
            ck_assert_msg(world_condition_holds(world, &condition) == holds[c][value - 1],
                          "comparator %d with %d", c, (int)value);
        }
}
END_TEST

START_TEST(a_command_waits_until_its_condition_holds_and_runs_once)
{
    // Idle at 230 s; busy from 302 to 402 s; idle again, but the show is done.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "j", 300 * NS_PER_S, "c", sleeping_job(2, 100));
    show_when(QUANTITY_CLUSTER_IDLE, "c", COMPARE_AT_LEAST, 2, 0);
    world_run(create());
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_SHOWN, NULL), 1);
    ck_assert_int_eq(shown_s(0), 230);
}
END_TEST

START_TEST(a_condition_must_hold_for_its_whole_time)
{
    // Two idle nodes from 230 s, but only for 72 s; then again from the job's end on, at 300 + 2 +
    // 1 + 100 s.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "j", 300 * NS_PER_S, "c", sleeping_job(2, 100));
    show_when(QUANTITY_CLUSTER_IDLE, "c", COMPARE_AT_LEAST, 2, 80);
    show_when(QUANTITY_CLUSTER_IDLE, "c", COMPARE_AT_LEAST, 2, 60);
    World *world = create();
    world_run(world);
    int64_t ended_s = world_job(world, (JobId){0})->ended_ns / NS_PER_S;
    ck_assert_int_eq(shown_s(0), 230 + 60);
    ck_assert_int_eq(shown_s(1), ended_s + 80);
}
END_TEST

START_TEST(a_condition_that_holds_from_the_beginning_counts_from_there)
{
    // Nothing else happens: there is no cluster, so it has no nodes, and cannot be shown.
    list = (CommandList){.arena = arena};
    show_when(QUANTITY_CLUSTER_NODES, "c", COMPARE_EQUAL, 0, 40);
    show_when(QUANTITY_CLUSTER_TARGET, "c", COMPARE_EQUAL, 0, 0);
    world_run(create());
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), 2);
    ck_assert_int_eq(recording_find(&recording, TRACE_COMMAND_REFUSED, NULL, 0)->at_ns, 0);
    ck_assert_int_eq(recording_find(&recording, TRACE_COMMAND_REFUSED, NULL, 1)->at_ns,
                     40 * NS_PER_S);
}
END_TEST

START_TEST(a_condition_that_the_first_commands_end_does_not_hold_at_time_0)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    show_when(QUANTITY_CLUSTER_TARGET, "c", COMPARE_EQUAL, 0, 0);
    world_run(create());
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_SKIPPED, NULL), 1);
}
END_TEST

START_TEST(a_condition_that_holds_only_within_an_instant_does_not_count)
{
    // The job takes both nodes in the instant in which they come free of the one before it.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "one", 0, "c", sleeping_job(2, 100));
    commands_create_job(&list, "two", 0, "c", sleeping_job(2, 100));
    show_when(QUANTITY_CLUSTER_IDLE, "c", COMPARE_AT_LEAST, 1, 0);
    World *world = create();
    world_run(world);
    ck_assert_int_eq(shown_s(0), world_job(world, (JobId){1})->ended_ns / NS_PER_S);
}
END_TEST

START_TEST(a_condition_that_never_holds_is_recorded_at_the_end)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    show_when(QUANTITY_CLUSTER_NODES, "c", COMPARE_MORE, 2, 0);
    show_when(QUANTITY_CLUSTER_NODES, "c", COMPARE_EQUAL, 0, 101); // for 100 s only
    world_run(create());
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_SHOWN, NULL), 0);
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_SKIPPED, "cluster.show c"), 2);
}
END_TEST

START_TEST(the_newest_job_of_a_name_counts)
{
    // The first "j" has ended when the second is created.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 10));
    commands_add(&list, COMMAND_JOB_DELETE, "j", 400 * NS_PER_S);
    commands_create_job(&list, "j", 500 * NS_PER_S, "c", sleeping_job(1, 1000));
    World *world = create();
    world_advance(world, 300 * NS_PER_S);
    ck_assert_int_eq(world_quantity(world, QUANTITY_JOB_IS_SUCCEEDED, "j"), 1);
    world_advance(world, 600 * NS_PER_S);
    ck_assert_int_eq(world_quantity(world, QUANTITY_JOB_IS_SUCCEEDED, "j"), 0);
    ck_assert_int_eq(world_quantity(world, QUANTITY_JOB_IS_RUNNING, "j"), 1);
}
END_TEST

START_TEST(an_existing_job_precedes_one_that_is_being_deleted)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_add(&list, COMMAND_EXPERIMENT_CREATE, "e2", 0);
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 10));
    commands_create_job(&list, "j", 300 * NS_PER_S, "c", sleeping_job(1, 1000));
    list.items[list.count - 1].path.experiment = "e2";
    commands_add(&list, COMMAND_JOB_DELETE, "j", 500 * NS_PER_S)->path.experiment = "e2";
    commands_add(&list, COMMAND_JOB_DELETE, "j", 900 * NS_PER_S);
    World *world = create();
    static const struct {
        int64_t at_s;
        uint32_t by_name, first, second; /* rows */
    } rows[] = {{0, ID_NONE, ID_NONE, ID_NONE},
                {200, 0, 0, ID_NONE},
                {400, 1, 0, 1},
                {500, 0, 0, 1},
                {800, 0, 0, 1},
                {1000, 1, 0, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].at_s > 0)
            world_advance(world, rows[i].at_s * NS_PER_S);
        ck_assert_uint_eq(world_subject(world, COMMAND_JOB_CREATE, "j"), rows[i].by_name);
        ck_assert_uint_eq(world_subject(world, COMMAND_JOB_CREATE, "w/E/j"), rows[i].first);
        ck_assert_uint_eq(world_subject(world, COMMAND_JOB_CREATE, "w/e2/j"), rows[i].second);
        ck_assert_uint_eq(world_subject(world, COMMAND_CLUSTER_CREATE, "j"), ID_NONE);
    }
}
END_TEST

START_TEST(every_instant_ends_once_and_after_the_commands_that_waited_for_it)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    show_when(QUANTITY_CLUSTER_IDLE, "c", COMPARE_AT_LEAST, 1, 0);
    show_when(QUANTITY_CLUSTER_NODES, "c", COMPARE_AT_LEAST, 1, 0);
    world_run(create());
    ck_assert_int_eq(shown_s(0), 100);
    ck_assert_int_eq(shown_s(1), 230);
    for (int64_t i = 1; i < instant_count; i++)
        ck_assert_int_gt(instants[i], instants[i - 1]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("condition");
    TCase *tests = tcase_create("condition");
    tcase_add_checked_fixture(tests, begin_without_instants, end);
    tcase_add_test(tests, quantities_count_existing_nodes_and_jobs);
    tcase_add_test(tests, epochs_of_a_training_job_are_counted);
    tcase_add_test(tests, every_comparator_compares);
    tcase_add_test(tests, a_command_waits_until_its_condition_holds_and_runs_once);
    tcase_add_test(tests, a_condition_must_hold_for_its_whole_time);
    tcase_add_test(tests, a_condition_that_holds_from_the_beginning_counts_from_there);
    tcase_add_test(tests, a_condition_that_the_first_commands_end_does_not_hold_at_time_0);
    tcase_add_test(tests, a_condition_that_holds_only_within_an_instant_does_not_count);
    tcase_add_test(tests, a_condition_that_never_holds_is_recorded_at_the_end);
    tcase_add_test(tests, the_newest_job_of_a_name_counts);
    tcase_add_test(tests, an_existing_job_precedes_one_that_is_being_deleted);
    tcase_add_test(tests, every_instant_ends_once_and_after_the_commands_that_waited_for_it);
    suite_add_tcase(suite, tests);
    return suite;
}

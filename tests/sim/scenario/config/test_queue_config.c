/* Queues in scenario files: their specs, and what is refused or warned of. */
#include "sim/scenario/config/queue_config.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/validate.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static MemoryFiles files;

static void set_up(void)
{
    arena = arena_create();
    files = small_scenario(arena);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

#define PLAIN "{\"name\": \"rest\"}"

/* The small scenario, whose cluster "gpu" has these queues; its job waits in the last one. */
static const ScenarioFile *read_with(const char *queues, Problems *problems)
{
    memory_files_set(&files, "scenario.json", small_scenario_text, strlen(small_scenario_text));
    *problems = problems_create(arena);
    const char *sets[] = {arena_printf(arena, "/commands/0/queues=[%s]", queues),
                          "/commands/1/queue=\"rest\""};
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){.count = 2, .items = sets}, problems);
}

START_TEST(a_queue_has_its_guarantee_and_how_it_is_kept)
{
    Problems problems;
    const ScenarioFile *file =
        read_with("{\"name\": \"own\", \"gpus\": 1, \"gpus_max\": 2, \"reclaim_after\": \"5m\"}, "
                  "{\"name\": \"rest\", \"protected\": true}, " PLAIN,
                  &problems);
    ck_assert_ptr_null(file); // of one name
    file = read_with(
        "{\"name\": \"own\", \"gpus\": 1, \"gpus_max\": 2, \"reclaim_after\": "
        "\"5m\", \"grace_period\": \"90s\"}, {\"name\": \"safe\", \"protected\": true}, " PLAIN,
        &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    const ClusterSpec *spec = NULL;
    for (int32_t i = 0; i < file->scenario.command_count; i++)
        if (file->scenario.commands[i].kind == COMMAND_CLUSTER_CREATE)
            spec = file->scenario.commands[i].as.cluster_create;
    ck_assert_int_eq(spec->queue_count, 3);
    ck_assert_int_eq(spec->queues[0].guaranteed, 1);
    ck_assert_int_eq(spec->queues[0].most, 2);
    ck_assert(spec->queues[0].reclaims && !spec->queues[0].is_protected);
    ck_assert_int_eq(spec->queues[0].reclaim_after_ns, 5 * NS_PER_MIN);
    ck_assert_int_eq(spec->queues[0].grace_ns, 90 * NS_PER_S);
    ck_assert_int_eq(spec->queues[1].grace_ns, 0);
    ck_assert(!spec->queues[1].reclaims && spec->queues[1].is_protected);
    ck_assert_int_eq(spec->queues[2].most, INT64_MAX);
    ck_assert(!spec->queues[2].reclaims && !spec->queues[2].is_protected);
    ck_assert_int_eq(file->warnings.count, 0);
}
END_TEST

/* The same with the queues `own`, of one GPU, and `rest`, and one fault. */
static const ScenarioFile *read_with_fault(const char *fault, Problems *problems)
{
    memory_files_set(&files, "scenario.json", small_scenario_text, strlen(small_scenario_text));
    *problems = problems_create(arena);
    const char *sets[] = {
        "/commands/0/queues=[{\"name\": \"own\", \"reclaim_after\": \"5m\"}, "
        "{\"name\": \"rest\", \"gpus_max\": 0}]",
        "/commands/1/queue=\"rest\"",
        arena_printf(arena, "/faults=[{\"do\": \"queue.change\", \"at\": \"1h\"%s}]", fault)};
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){.count = 3, .items = sets}, problems);
}

START_TEST(a_queue_changes_at_a_time)
{
    // The first queue has no guarantee yet that it could reclaim, and the job is larger than the
    // first limit of its queue: neither is a mistake.
    Problems problems;
    const ScenarioFile *file =
        read_with_fault(", \"cluster\": \"gpu\", \"queue\": \"rest\", \"gpus_max\": 4", &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    ck_assert_int_eq(file->warnings.count, 0);
    const Command *command = &file->scenario.commands[file->scenario.command_count - 1];
    ck_assert_int_eq(command->kind, COMMAND_QUEUE_CHANGE);
    ck_assert_str_eq(command->path.name, "gpu");
    ck_assert_str_eq(command->as.fault.queue, "rest");
    ck_assert_int_eq(command->as.fault.gpus, -1);
    ck_assert_int_eq(command->as.fault.gpus_max, 4);
}
END_TEST

START_TEST(changes_that_cannot_be_are_refused)
{
    static const struct {
        const char *fault, *message;
    } rows[] = {
        {", \"cluster\": \"gpu\", \"queue\": \"rest\"",
         "queue.change changes \"gpus\", \"gpus_max\" or both"},
        {", \"cluster\": \"gpu\", \"queue\": \"rset\", \"gpus\": 1", "unknown queue \"rset\""},
        {", \"cluster\": \"gpu\", \"gpus\": 1", "queue.change needs \"queue\", which is missing"},
        {", \"cluster\": \"gpu\", \"queue\": \"own\", \"gpus\": 2, \"gpus_max\": 1",
         "queue.change has a gpus_max of 1, below its guaranteed gpus, 2"},
        {", \"cluster\": \"gpu\", \"queue\": \"own\", \"gpus\": -1", "gpus is -1, expected 0 to "
                                                                     "2147483647"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        ck_assert_ptr_null(read_with_fault(rows[i].fault, &problems));
        ck_assert_str_eq(problems.items[0].message, rows[i].message);
    }
}
END_TEST

START_TEST(a_queue_without_a_guarantee_has_nothing_to_reclaim)
{
    Problems problems;
    ck_assert_ptr_null(read_with("{\"name\": \"rest\", \"reclaim_after\": \"5m\"}", &problems));
    ck_assert_int_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].message,
                     "queue \"rest\" has no guaranteed GPUs that it could reclaim");
    ck_assert_str_eq(problems.items[0].hint, "state its guarantee, \"gpus\"");
}
END_TEST

/* The warning about reclaim; NULL: there is none. */
static const char *warning(const char *queues)
{
    Problems problems;
    const ScenarioFile *file = read_with(queues, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    for (int32_t i = 0; i < file->warnings.count; i++)
        if (strstr(file->warnings.items[i].message, "reclaim") != NULL)
            return file->warnings.items[i].message;
    return NULL;
}

START_TEST(a_queue_from_which_no_other_borrows_is_a_warning)
{
#define OWN "{\"name\": \"own\", \"gpus\": 1, \"reclaim_after\": \"5m\"}"
    ck_assert_ptr_null(warning(OWN ", " PLAIN));
    ck_assert_str_eq(warning(OWN ", {\"name\": \"rest\", \"protected\": true}"),
                     "queue \"own\" can never reclaim its guarantee");
    ck_assert_ptr_nonnull(warning(OWN ", {\"name\": \"rest\", \"gpus\": 1, \"gpus_max\": 1}"));
    ck_assert_ptr_null(warning(OWN ", {\"name\": \"rest\", \"gpus\": 1, \"gpus_max\": 2}"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("queue_config");
    TCase *tests = tcase_create("queue_config");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_queue_has_its_guarantee_and_how_it_is_kept);
    tcase_add_test(tests, a_queue_without_a_guarantee_has_nothing_to_reclaim);
    tcase_add_test(tests, a_queue_changes_at_a_time);
    tcase_add_test(tests, changes_that_cannot_be_are_refused);
    tcase_add_test(tests, a_queue_from_which_no_other_borrows_is_a_warning);
    suite_add_tcase(suite, tests);
    return suite;
}

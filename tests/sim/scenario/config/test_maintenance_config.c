/* Planned maintenance in scenario files: its spec, and what is refused or warned of. */
#include "sim/scenario/config/maintenance_config.h"

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

/* The small scenario, whose cluster has this maintenance, and one further override; NULL: none. */
static const ScenarioFile *read_with(const char *maintenance, const char *other, Problems *problems)
{
    memory_files_set(&files, "scenario.json", small_scenario_text, strlen(small_scenario_text));
    *problems = problems_create(arena);
    const char *sets[] = {arena_printf(arena, "/commands/0/maintenance=[%s]", maintenance), other};
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){.count = other != NULL ? 2 : 1, .items = sets},
                         problems);
}

START_TEST(maintenance_has_its_times)
{
    Problems problems;
    const ScenarioFile *file = read_with(
        "{\"at\": \"10h\", \"duration\": \"2h\"}, "
        "{\"at\": \"20h\", \"duration\": \"3h\", \"every\": \"30d\", \"nodes_at_once\": 2}",
        "/until=\"90d\"", &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    const ClusterSpec *spec = NULL;
    for (int32_t i = 0; i < file->scenario.command_count; i++)
        if (file->scenario.commands[i].kind == COMMAND_CLUSTER_CREATE)
            spec = file->scenario.commands[i].as.cluster_create;
    ck_assert_int_eq(spec->maintenance_count, 2);
    ck_assert_int_eq(spec->maintenance[0].begin_ns, 10 * NS_PER_HOUR);
    ck_assert_int_eq(spec->maintenance[0].takes_ns, 2 * NS_PER_HOUR);
    ck_assert_int_eq(spec->maintenance[0].every_ns, 0);
    ck_assert_int_eq(spec->maintenance[1].every_ns, 30 * NS_PER_DAY);
    ck_assert_int_eq(spec->maintenance[0].nodes_at_once, 0); // it is not rolling
    ck_assert_int_eq(spec->maintenance[1].nodes_at_once, 2);
    ck_assert_int_eq(file->warnings.count, 0);
}
END_TEST

START_TEST(maintenance_that_cannot_be_is_refused_with_its_place)
{
    static const struct {
        const char *maintenance, *other, *message, *hint;
    } rows[] = {
        {"{\"at\": \"1h\", \"duration\": \"0s\"}", NULL,
         "duration is 0; maintenance takes some time", NULL},
        {"{\"at\": \"1h\"}", NULL, "this maintenance needs \"duration\", which is missing", NULL},
        {"{\"at\": \"1h\", \"duration\": \"8h\", \"every\": \"8h\"}", "/until=\"9d\"",
         "the maintenance begins again before it ends",
         "every is the time from one begin to the next, more than the duration"},
        {"{\"at\": \"1h\", \"duration\": \"8h\", \"every\": \"7d\"}", NULL,
         "what repeats needs a scenario that ends",
         "\"until\" of the scenario says when, such as \"90d\""},
        {"{\"at\": \"1h\", \"duration\": \"8h\", \"node_kind\": \"a\"}", NULL,
         "the nodes of cluster \"gpu\" are all of one kind",
         "\"node_kinds\" of cluster.create states several"},
        {"{\"at\": \"1h\", \"duration\": \"8h\"}",
         "/commands/0/config={\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": "
         "{\"autoScale\": {\"minimumNodeCount\": 0, \"maximumNodeCount\": 2}}}}",
         "cluster \"gpu\" scales automatically and has no planned maintenance",
         "scaleSettings with \"manual\" keep its nodes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        ck_assert_ptr_null(read_with(rows[i].maintenance, rows[i].other, &problems));
        ck_assert_str_eq(problems.items[0].message, rows[i].message);
        if (rows[i].hint != NULL)
            ck_assert_str_eq(problems.items[0].hint, rows[i].hint);
    }
}
END_TEST

START_TEST(a_job_that_never_finds_the_time_is_a_warning)
{
    // The service stops jobs after seven days, and the job states nothing else.
    Problems problems;
    const char *weekly = "{\"at\": \"1h\", \"duration\": \"8h\", \"every\": \"7d\"}";
    const ScenarioFile *file = read_with(weekly, "/until=\"90d\"", &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    ck_assert_int_eq(file->warnings.count, 1);
    ck_assert_str_eq(file->warnings.items[0].message,
                     "the job is expected to take 7 d, and maintenance of cluster \"gpu\" leaves "
                     "6 d 16 h at a time: after the first one it never starts");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("maintenance_config");
    TCase *tests = tcase_create("maintenance_config");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, maintenance_has_its_times);
    tcase_add_test(tests, maintenance_that_cannot_be_is_refused_with_its_place);
    tcase_add_test(tests, a_job_that_never_finds_the_time_is_a_warning);
    suite_add_tcase(suite, tests);
    return suite;
}

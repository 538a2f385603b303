/* Clusters in scenarios: scaling, set-up tasks, quotas, and warnings. */
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/world.h"
#include "tests/support/small_scenario_fixture.h"
#include "tests/support/suite.h"

static const ScenarioFile *sound(void)
{
    Problems problems = problems_create(arena);
    const ScenarioFile *file = scenario_read(arena, memory_files_source(&files), "scenario.json",
                                             (ScenarioOverrides){0}, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return file;
}

static const Command *find(const ScenarioFile *file, CommandKind kind)
{
    for (int32_t i = 0; i < file->scenario.command_count; i++)
        if (file->scenario.commands[i].kind == kind)
            return &file->scenario.commands[i];
    ck_abort_msg("no command %s", command_name(kind));
    return NULL;
}

static const ClusterSpec *cluster_of(const ScenarioFile *file)
{
    return find(file, COMMAND_CLUSTER_CREATE)->as.cluster_create;
}

static void scale(const char *settings)
{
    change_file("cluster.json", "\"manual\": {\"targetNodeCount\": 2}", settings);
}

START_TEST(a_cluster_may_scale_automatically)
{
    scale("\"autoScale\": {\"minimumNodeCount\": 1, \"maximumNodeCount\": 4, "
          "\"initialNodeCount\": 2}");
    const ScenarioFile *file = sound();
    const ClusterSpec *spec = cluster_of(file);
    ck_assert(spec->is_automatic);
    ck_assert_int_eq(spec->minimum_nodes, 1);
    ck_assert_int_eq(spec->maximum_nodes, 4);
    ck_assert_int_eq(spec->target_nodes, 2);
    ck_assert_int_eq(spec->deallocation, DEALLOCATE_REQUEUE);
    ck_assert_int_eq(file->warnings.count, 0); // four NC6 are exactly the quota
}
END_TEST

START_TEST(an_automatic_cluster_begins_with_no_node_by_default)
{
    scale("\"autoScale\": {\"minimumNodeCount\": 1, \"maximumNodeCount\": 2}");
    ck_assert_int_eq(cluster_of(sound())->target_nodes, 0);
}
END_TEST

START_TEST(a_command_turns_autoscale_on)
{
    change_file("scenario.json", "\"do\": \"cluster.delete\"",
                "\"minimum\": 1, \"maximum\": 3, \"do\": \"cluster.autoscale\"");
    const Command *command = find(sound(), COMMAND_CLUSTER_AUTOSCALE);
    ck_assert_int_eq(command->as.cluster_autoscale.minimum_nodes, 1);
    ck_assert_int_eq(command->as.cluster_autoscale.maximum_nodes, 3);
    ck_assert_int_eq(command->trigger.moment, MOMENT_JOB_COMPLETED);
}
END_TEST

START_TEST(the_first_matching_setup_sets_the_time_of_a_setup_task)
{
    static const struct {
        const char *setups;
        int64_t s; /* -1: takes no time */
        int32_t exit_code;
    } rows[] = {
        {"", -1, 0},
        {"{\"match\": \"*other*\", \"duration\": \"1m\"}", -1, 0},
        {"{\"match\": \"*install.sh*\", \"duration\": \"1m\"}, "
         "{\"match\": \"*\", \"duration\": \"2m\"}",
         60, 0},
        {"{\"match\": \"bash *\", \"duration\": \"90s\", \"exit_code\": 3}", 90, 3},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        files = small_scenario(arena);
        change_file("cluster.json", "\"vmSize\"",
                    "\"nodeSetup\": {\"setupTask\": {\"commandLine\": \"bash install.sh\", "
                    "\"stdOutErrPathPrefix\": \"/tmp\"}}, \"vmSize\"");
        change_file("scenario.json", "\"commands\"",
                    arena_printf(arena, "\"setups\": [%s], \"commands\"", rows[i].setups));
        const ClusterSpec *spec = cluster_of(sound());
        ck_assert_str_eq(spec->setup_command, "bash install.sh");
        ck_assert_int_eq(spec->setup_ns.count, rows[i].s < 0 ? 0 : 1);
        if (rows[i].s >= 0)
            ck_assert_int_eq(spec->setup_ns.knots[0].value, rows[i].s * NS_PER_S);
        ck_assert_int_eq(spec->setup_exit_code, rows[i].exit_code);
    }
}
END_TEST

START_TEST(a_setup_of_simple_commands_takes_the_time_of_its_sleeps)
{
    static const struct {
        const char *command;
        int64_t s; /* -1: unknown */
        int32_t exit_code;
        const char *prints; // NULL: unknown
    } rows[] = {
        {"echo $GREETING $SECRET", 0, 0, "hello x\n"},
        {"sleep 20 && [ $GREETING = hello ] && exit 3", 20, 3, ""},
        {"cat /tmp/x", -1, 0, NULL}, // depends on files
        {"apt update", -1, 0, NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        files = small_scenario(arena);
        change_file("cluster.json", "\"vmSize\"",
                    arena_printf(arena,
                                 "\"nodeSetup\": {\"setupTask\": {\"commandLine\": \"%s\", "
                                 "\"environmentVariables\": [{\"name\": \"GREETING\", \"value\": "
                                 "\"hello\"}], \"secrets\": [{\"name\": \"SECRET\", \"value\": "
                                 "\"x\"}], \"stdOutErrPathPrefix\": \"/tmp\"}}, \"vmSize\"",
                                 rows[i].command));
        const ClusterSpec *spec = cluster_of(sound());
        ck_assert_int_eq(spec->setup_ns.count, rows[i].s < 0 ? 0 : 1);
        if (rows[i].s >= 0)
            ck_assert_int_eq(spec->setup_ns.knots[0].value, rows[i].s * NS_PER_S);
        ck_assert_int_eq(spec->setup_exit_code, rows[i].exit_code);
        ck_assert_int_eq(spec->setup_run != NULL, rows[i].prints != NULL);
        const char *printed = "";
        for (int32_t o = 0; spec->setup_run != NULL && o < spec->setup_run->output_count; o++)
            printed = arena_printf(arena, "%s%s", printed, spec->setup_run->outputs[o].part.text);
        ck_assert_str_eq(printed, rows[i].prints != NULL ? rows[i].prints : "");
    }
}
END_TEST

START_TEST(the_logs_of_a_setup_task_are_stored_below_its_prefix)
{
    static const struct {
        const char *prefix, *share, *directory;
    } rows[] = {
        {"$AZ_BATCHAI_MOUNT_ROOT/afs/logs/", "acc/data", "logs"},
        {"$AZ_BATCHAI_MOUNT_ROOT/afs", "acc/data", ""},
        {"/tmp", NULL, "/tmp"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        files = small_scenario(arena);
        change_file("cluster.json", "\"vmSize\"",
                    arena_printf(arena,
                                 "\"nodeSetup\": {\"setupTask\": {\"commandLine\": \"true\", "
                                 "\"stdOutErrPathPrefix\": \"%s\"}, \"mountVolumes\": "
                                 "{\"azureFileShares\": [{\"azureFileUrl\": "
                                 "\"https://acc.file.core.windows.net/data\", "
                                 "\"relativeMountPath\": \"afs\"}]}}, \"vmSize\"",
                                 rows[i].prefix));
        const OutputPlace place = cluster_of(sound())->setup_std_out_err;
        ck_assert_pstr_eq(place.share, rows[i].share);
        ck_assert_str_eq(place.directory, rows[i].directory);
    }
}
END_TEST

START_TEST(output_of_a_set_up_task_does_not_climb_out_of_its_mount)
{
    change_file("cluster.json", "\"vmSize\"",
                "\"nodeSetup\": {\"setupTask\": {\"commandLine\": \"true\", "
                "\"stdOutErrPathPrefix\": \"/tmp/../x\"}}, \"vmSize\"");
    Problems problems = problems_create(arena);
    ck_assert_ptr_null(scenario_read(arena, memory_files_source(&files), "scenario.json",
                                     (ScenarioOverrides){0}, &problems));
    ck_assert_int_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].message,
                     "stdOutErrPathPrefix \"/tmp/../x\" has a part \"..\"");
    ck_assert_str_eq(problems.items[0].at.source, "cluster.json");
}
END_TEST

START_TEST(an_invalid_setup_is_reported_with_its_position)
{
    static const struct {
        const char *setup, *message;
    } rows[] = {
        {"{\"duration\": \"1m\"}", "needs \"match\""},
        {"{\"match\": \"*\"}", "needs \"duration\""},
        {"{\"match\": \"*\", \"duration\": \"soon\"}", "\"soon\" is not a duration"},
        {"{\"match\": \"*\", \"duration\": \"1m\", \"exit_code\": 256}", "exit_code is 256"},
        {"{\"match\": \"*\", \"duration\": \"1m\", \"code\": 1}", "unknown key \"code\""},
        {"5", "this setup is 5"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        files = small_scenario(arena);
        change_file("scenario.json", "\"commands\"",
                    arena_printf(arena, "\"setups\": [%s], \"commands\"", rows[i].setup));
        Problems problems = problems_create(arena);
        ck_assert_ptr_null(scenario_read(arena, memory_files_source(&files), "scenario.json",
                                         (ScenarioOverrides){0}, &problems));
        ck_assert_msg(strstr(problems.items[0].message, rows[i].message) != NULL, "%s: %s",
                      rows[i].setup, problems.items[0].message);
        ck_assert_int_gt(problems.items[0].at.line, 0);
    }
}
END_TEST

START_TEST(a_scenario_has_the_quotas_of_its_catalogue)
{
    const Scenario *scenario = &sound()->scenario;
    const CoreQuota *nc = NULL;
    ck_assert_int_gt(scenario->quota_count, 1);
    for (int32_t q = 0; q < scenario->quota_count; q++)
        if (strcmp(scenario->quotas[q].family, "NC") == 0)
            nc = &scenario->quotas[q];
    ck_assert_ptr_nonnull(nc);
    ck_assert_int_eq(nc->dedicated_vcpus, 24);
}
END_TEST

/* --- Warnings --- */

START_TEST(a_cluster_beyond_its_quota_gives_a_warning_and_runs)
{
    static const struct {
        const char *path, *old, *new, *message;
    } rows[] = {
        {"cluster.json", "\"targetNodeCount\": 2", "\"targetNodeCount\": 5",
         "5 x Standard_NC6 are 30 vCPUs, but the dedicated quota \"NC\" is 24"},
        {"cluster.json", "\"manual\": {\"targetNodeCount\": 2}",
         "\"autoScale\": {\"minimumNodeCount\": 0, \"maximumNodeCount\": 5}",
         "5 x Standard_NC6 are 30 vCPUs, but the dedicated quota \"NC\" is 24"},
        {"cluster.json", "\"targetNodeCount\": 2}",
         "\"targetNodeCount\": 5}}, \"vmPriority\": \"lowpriority\", "
         "\"nodeSetup\": {\"mountVolumes\": {}",
         "but the low-priority quota \"NC\" is 24"},
        {"scenario.json", "\"do\": \"cluster.delete\"", "\"target\": 5, \"do\": \"cluster.resize\"",
         "5 x Standard_NC6 are 30 vCPUs"},
        {"scenario.json", "\"do\": \"cluster.delete\"",
         "\"minimum\": 0, \"maximum\": 5, \"do\": \"cluster.autoscale\"",
         "5 x Standard_NC6 are 30 vCPUs"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        files = small_scenario(arena);
        change_file(rows[i].path, rows[i].old, rows[i].new);
        const Problems *warnings = &sound()->warnings;
        ck_assert_int_ge(warnings->count, 1); // one quota of NC, one of all
        const Status *warning = &warnings->items[0];
        ck_assert_msg(strstr(warning->message, rows[i].message) != NULL, "%s: %s", rows[i].new,
                      warning->message);
        ck_assert_msg(strstr(warning->hint, "room for 4") != NULL, "%s", warning->hint);
        ck_assert_str_eq(warning->at.source, rows[i].path);
        ck_assert_int_gt(warning->at.line, 0);
    }
}
END_TEST

START_TEST(a_cluster_beyond_its_quota_ends_steady_with_an_error)
{
    change_file("cluster.json", "\"targetNodeCount\": 2", "\"targetNodeCount\": 5");
    World *world = world_create(arena, &sound()->scenario, (TraceSink){0});
    world_advance(world, NS_PER_HOUR / 4);
    const Cluster *cluster = world_cluster(world, (ClusterId){0});
    ck_assert_int_eq(cluster->allocation, ALLOCATION_STEADY);
    ck_assert_int_eq(cluster->current_nodes, 4);
    ck_assert_str_eq(cluster->error_code, "AccountCoreQuotaReached");
}
END_TEST

START_TEST(a_job_larger_than_its_cluster_gives_a_warning_and_waits)
{
    change_file("job.json", "\"nodeCount\": 2", "\"nodeCount\": 3");
    const ScenarioFile *file = sound();
    ck_assert_int_eq(file->warnings.count, 1);
    ck_assert_str_eq(file->warnings.items[0].message,
                     "nodeCount is 3, but cluster \"gpu\" never has more than 2: the job waits for "
                     "ever");
    ck_assert(strstr(file->warnings.items[0].hint, "targetNodeCount") != NULL);
    World *world = world_create(arena, &file->scenario, (TraceSink){0});
    world_run(world);
    ck_assert_int_eq(world_job(world, (JobId){0})->spec->nodes, 3);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_QUEUED);
}
END_TEST

/* Each of these changes alone lets such a job or the run end. */
static const struct {
    const char *old, *new;
} endings[] = {
    {"\"commands\"", "\"until\": \"90d\", \"commands\""},
    {"\"batch_per_rank\"",
     "\"checkpoint\": {\"path\": \"$AZ_BATCHAI_OUTPUT_MODEL/{epoch}.h5\", \"bytes\": 1, "
     "\"every\": 1, \"resume\": true}, \"batch_per_rank\""},
    {"\"catalog/azure-2018.json\"", "\"catalog/azure-2018.json\", \"few.json\""},
    {"40000/ranks", "400/ranks"},
};

static void make_endless(void)
{
    static const char few[] =
        "{\"catalog\": 1, \"service\": {\"attempts\": {\"value\": 3, \"source\": \"me\"}}, "
        "\"sources\": {\"me\": {\"title\": \"a test\", \"date\": \"2026\"}}}";
    files = small_scenario(arena);
    memory_files_set(&files, "few.json", few, strlen(few));
    change_file("scenario.json", "4/ranks", "40000/ranks");
    ck_assert_int_eq(sound()->warnings.count, 0);
    change_file("cluster.json", "\"scaleSettings\"",
                "\"vmPriority\": \"lowpriority\", \"scaleSettings\"");
}

START_TEST(a_job_too_long_for_low_priority_nodes_gives_a_warning)
{
    make_endless();
    const ScenarioFile *file = sound();
    ck_assert_int_eq(file->warnings.count, 1);
    ck_assert_ptr_nonnull(strstr(file->warnings.items[0].message,
                                 "runs 1 d at most on low-priority nodes and does not resume"));
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        make_endless();
        change_file("scenario.json", endings[i].old, endings[i].new);
        ck_assert_msg(sound()->warnings.count == 0, "row %zu", i);
    }
}
END_TEST

START_TEST(a_job_fits_the_maximum_of_an_automatic_cluster)
{
    scale("\"autoScale\": {\"minimumNodeCount\": 0, \"maximumNodeCount\": 3}");
    change_file("job.json", "\"nodeCount\": 2", "\"nodeCount\": 3");
    ck_assert_int_eq(sound()->warnings.count, 0);
    change_file("job.json", "\"nodeCount\": 3", "\"nodeCount\": 4");
    ck_assert_int_eq(sound()->warnings.count, 1);
    // A later command may raise it.
    change_file("scenario.json", "\"do\": \"cluster.delete\"",
                "\"minimum\": 0, \"maximum\": 4, \"do\": \"cluster.autoscale\"");
    ck_assert_int_eq(sound()->warnings.count, 0);
}
END_TEST

START_TEST(a_valid_scenario_has_no_warnings)
{
    ck_assert_int_eq(sound()->warnings.count, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cluster_config");
    TCase *tests = tcase_create("cluster_config");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_cluster_may_scale_automatically);
    tcase_add_test(tests, an_automatic_cluster_begins_with_no_node_by_default);
    tcase_add_test(tests, a_command_turns_autoscale_on);
    tcase_add_test(tests, the_first_matching_setup_sets_the_time_of_a_setup_task);
    tcase_add_test(tests, a_setup_of_simple_commands_takes_the_time_of_its_sleeps);
    tcase_add_test(tests, the_logs_of_a_setup_task_are_stored_below_its_prefix);
    tcase_add_test(tests, output_of_a_set_up_task_does_not_climb_out_of_its_mount);
    tcase_add_test(tests, an_invalid_setup_is_reported_with_its_position);
    tcase_add_test(tests, a_scenario_has_the_quotas_of_its_catalogue);
    tcase_add_test(tests, a_cluster_beyond_its_quota_gives_a_warning_and_runs);
    tcase_add_test(tests, a_cluster_beyond_its_quota_ends_steady_with_an_error);
    tcase_add_test(tests, a_job_larger_than_its_cluster_gives_a_warning_and_waits);
    tcase_add_test(tests, a_job_too_long_for_low_priority_nodes_gives_a_warning);
    tcase_add_test(tests, a_job_fits_the_maximum_of_an_automatic_cluster);
    tcase_add_test(tests, a_valid_scenario_has_no_warnings);
    suite_add_tcase(suite, tests);
    return suite;
}

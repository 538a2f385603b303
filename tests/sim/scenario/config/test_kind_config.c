/* Kinds of nodes in scenario files: what they become, and what is refused with its place. */
#include "sim/scenario/config/kind_config.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/validate.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static MemoryFiles files;

static const char log_text[] = "job,submit_s,run_s,gpus,gpu_type\n"
                               "a,0,100,1,K80\n"
                               "b,5,10,4,\n"
                               "c,5,10,1,k80|new\n";

static const char speeds_text[] = "job,submit_s,run_s,gpus,speeds\n"
                                  "a,0,100,1,STANDARD_NC6=0.5|new=3\n"
                                  "b,5,10,1,\n"
                                  "c,5,10,1,new=1.25|TPU=9\n";

static void set_up(void)
{
    arena = arena_create();
    files = small_scenario(arena);
    memory_files_set(&files, "speeds.csv", speeds_text, strlen(speeds_text));
    memory_files_set(&files, "log.csv", log_text, strlen(log_text));
}

static void tear_down(void)
{
    arena_destroy(arena);
}

#define CREATE(kinds, config)                                                                      \
    "/commands/0={\"at\": \"0s\", \"do\": \"cluster.create\", \"name\": \"gpu\", "                 \
    "\"node_kinds\": " kinds ", \"config\": {\"properties\": {" config "}}}"
#define OLD "{\"vm_size\": \"STANDARD_NC6\", \"nodes\": 2}"
#define BURST "{\"vm_size\": \"Standard_NC6\", \"name\": \"burst\", \"minimum\": 1, \"maximum\": 5}"
#define NEW                                                                                        \
    "{\"vm_size\": \"Standard_NC24\", \"name\": \"new\", \"gpu\": \"K80\", \"nodes\": 1, "         \
    "\"speed\": 2.5, \"priority\": \"lowpriority\"}"

/* The small scenario, whose cluster "gpu" has kinds, with a workload of the log's rows. */
static const ScenarioFile *read_with(const char *create, const char *more, const char *workload,
                                     Problems *problems)
{
    const char *text = with_change(
        arena, small_scenario_text, "\"commands\"",
        arena_printf(arena,
                     "\"workloads\": [{\"name\": \"load\", \"trace\": \"log.csv\", \"cluster\": "
                     "\"gpu\"%s}], \"commands\"",
                     workload));
    memory_files_set(&files, "scenario.json", text, strlen(text));
    *problems = problems_create(arena);
    const char *sets[] = {create, more};
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){.count = more != NULL ? 2 : 1, .items = sets},
                         problems);
}

START_TEST(kinds_have_their_sizes_speeds_and_priorities)
{
    Problems problems;
    const ScenarioFile *file =
        read_with(CREATE("[" OLD ", " NEW "]", ""), NULL, ", \"gpu_type\": \"bind\"", &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    const ClusterSpec *spec = NULL;
    for (int32_t i = 0; i < file->scenario.command_count; i++)
        if (file->scenario.commands[i].kind == COMMAND_CLUSTER_CREATE)
            spec = file->scenario.commands[i].as.cluster_create;
    ck_assert_int_eq(spec->kind_count, 2);
    ck_assert_int_eq(spec->target_nodes, 3);
    ck_assert_str_eq(spec->kinds[0].name, "STANDARD_NC6");
    ck_assert_str_eq(spec->kinds[1].name, "new");
    ck_assert_int_eq(spec->kinds[1].vm_size->gpus, 4);
    ck_assert_int_eq(spec->kinds[1].speed_ppm, 2500000);
    ck_assert(spec->kinds[1].is_low_priority && !spec->kinds[0].is_low_priority);
    // Both have K80s; a row without a word may run on either.
    const Workload *load = &file->scenario.workloads[0];
    ck_assert_uint_eq(workload_kinds(load, 0, 3), 3);
    ck_assert_uint_eq(workload_kinds(load, 1, 3), 3);
    ck_assert_uint_eq(workload_kinds(load, 2, 3), 3);
    ck_assert_uint_eq(kinds_called(spec, "standard_nc24"), 2);
    ck_assert_uint_eq(kinds_called(spec, "V100"), 0);
}
END_TEST

START_TEST(one_kind_may_scale_and_a_kind_may_have_a_price)
{
    static const struct {
        const char *kinds;
        bool is_automatic;
        int32_t first, burst, all; /* nodes at the beginning */
    } rows[] = {
        {"[" OLD ", " BURST "]", true, 2, 1, 3},
        {"[{\"vm_size\": \"Standard_NC6\", \"nodes\": 2, \"price_per_hour\": \"0.45USD\"}, "
         "{\"vm_size\": \"Standard_NC6\", \"name\": \"burst\", \"nodes\": 3, \"minimum\": 0, "
         "\"maximum\": 3}]",
         true, 2, 3, 5},
        // Equal limits: as many nodes, which stay.
        {"[" OLD ", {\"vm_size\": \"Standard_NC6\", \"name\": \"burst\", \"minimum\": 4, "
         "\"maximum\": 4}]",
         false, 2, 4, 6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        const ScenarioFile *file = read_with(
            arena_printf(arena,
                         "/commands/0={\"at\": \"0s\", \"do\": \"cluster.create\", \"name\": "
                         "\"gpu\", \"node_kinds\": %s, \"config\": {\"properties\": {}}}",
                         rows[i].kinds),
            NULL, "", &problems);
        ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
        const ClusterSpec *spec = NULL;
        for (int32_t c = 0; c < file->scenario.command_count; c++)
            if (file->scenario.commands[c].kind == COMMAND_CLUSTER_CREATE)
                spec = file->scenario.commands[c].as.cluster_create;
        ck_assert_int_eq(spec->is_automatic, rows[i].is_automatic);
        ck_assert_int_eq(spec->scaling_kind, rows[i].is_automatic ? 1 : 0);
        ck_assert_int_eq(spec->kinds[0].target_nodes, rows[i].first);
        ck_assert_int_eq(spec->kinds[1].target_nodes, rows[i].burst);
        ck_assert_int_eq(spec->target_nodes, rows[i].all);
        ck_assert_int_eq(node_kind_price(spec->kinds[0]), i == 1 ? 450000 : 900000);
        ck_assert_int_eq(node_kind_price(spec->kinds[1]), 900000);
    }
}
END_TEST

START_TEST(mistakes_have_their_place)
{
    static const char two[] = CREATE("[" OLD ", " NEW "]", "");
    static const struct {
        const char *create, *more, *workload, *message;
    } rows[] = {
        {CREATE("[]", ""), NULL, "", "cluster \"gpu\" has no kind of nodes"},
        {CREATE("[" OLD "]", "\"vmSize\": \"Standard_NC6\""), NULL, "",
         "a cluster has \"node_kinds\" or vmSize, not both"},
        {CREATE("[" OLD "]", "\"scaleSettings\": {\"autoScale\": {\"minimumNodeCount\": 0, "
                             "\"maximumNodeCount\": 2}}"),
         NULL, "", "a cluster has \"node_kinds\" or scaleSettings, not both"},
        {CREATE("[" OLD ", " OLD "]", ""), NULL, "",
         "the cluster has a kind of nodes \"STANDARD_NC6\" already"},
        {CREATE("[{\"vm_size\": \"Standard_NC5\", \"nodes\": 2}]", ""), NULL, "",
         "unknown VM size \"Standard_NC5\""},
        {CREATE("[{\"vm_size\": \"Standard_NC6\", \"nodes\": 2, \"speed\": 0}]", ""), NULL, "",
         "speed is not a number from 0.001 to 1000 with at most six decimals"},
        {two, NULL, ", \"node_kind\": \"V100\"", "unknown kind of nodes \"V100\""},
        {two, NULL, ", \"node_kind\": 7", "node_kind is not a name or a list of names"},
        {two, NULL, ", \"node_kind\": \"new\", \"gpu_type\": \"bind\"",
         "a workload has \"node_kind\" or \"gpu_type\": \"bind\", not both"},
        {CREATE("[{\"vm_size\": \"Standard_NC6s_v3\", \"nodes\": 2}]", ""), NULL,
         ", \"gpu_type\": \"bind\"",
         "jobs of \"log.csv\" ask for \"K80\", which names no kind of nodes of cluster \"gpu\""},
        {two,
         "/commands/1={\"do\": \"cluster.resize\", \"at\": \"1h\", \"name\": \"gpu\", \"target\": "
         "1}",
         "", "cluster \"gpu\" has nodes of several kinds, and no \"node_kind\" is stated"},
        {two,
         "/commands/1={\"do\": \"cluster.resize\", \"at\": \"1h\", \"name\": \"gpu\", \"target\": "
         "1, \"node_kind\": \"older\"}",
         "", "unknown kind of nodes \"older\""},
        {two,
         "/commands/1={\"do\": \"cluster.autoscale\", \"at\": \"1h\", \"name\": \"gpu\", "
         "\"minimum\": 0, \"maximum\": 3}",
         "",
         "cluster \"gpu\" has nodes of several kinds: only its \"node_kinds\" say which of them "
         "scales automatically"},
        {CREATE("[{\"vm_size\": \"Standard_NC6\"}]", ""), NULL, "",
         "this node kind needs \"nodes\", which is missing"},
        {CREATE("[" OLD ", {\"vm_size\": \"Standard_NC24\", \"minimum\": 1}]", ""), NULL, "",
         "\"minimum\" of a node kind needs \"maximum\""},
        {CREATE("[" OLD ", {\"vm_size\": \"Standard_NC24\", \"nodes\": 1, \"maximum\": 1}]", ""),
         NULL, "", "\"maximum\" of a node kind needs \"minimum\""},
        {CREATE("[" OLD ", {\"vm_size\": \"Standard_NC24\", \"minimum\": 3, \"maximum\": 2}]", ""),
         NULL, "", "minimum is 3, above maximum 2"},
        {CREATE("[" OLD ", {\"vm_size\": \"Standard_NC24\", \"nodes\": 3, \"minimum\": 0, "
                "\"maximum\": 2}]",
                ""),
         NULL, "", "nodes is 3, above maximum 2"},
        {CREATE("[" BURST "]", ""),
         "/commands/0/maintenance=[{\"at\": \"1h\", \"duration\": \"1h\"}]", "",
         "cluster \"gpu\" scales automatically and has no planned maintenance"},
        {CREATE("[" BURST ", {\"vm_size\": \"Standard_NC24\", \"minimum\": 0, \"maximum\": 2}]",
                ""),
         NULL, "", "another kind of nodes of the cluster scales automatically already"},
        {CREATE("[{\"vm_size\": \"Standard_NC6\", \"nodes\": 61}, {\"vm_size\": \"Standard_NC24\", "
                "\"minimum\": 0, \"maximum\": 40}]",
                ""),
         NULL, "", "cluster \"gpu\": 101 nodes of all kinds, but a cluster has at most 100"},
        {CREATE("[{\"vm_size\": \"Standard_NC6\", \"nodes\": 1, \"price_per_hour\": \"-1USD\"}]",
                ""),
         NULL, "", "\"-1USD\" is not an amount such as \"0.90USD\""},
        {"/commands/0={\"at\": \"0s\", \"do\": \"cluster.create\", \"name\": \"gpu\", \"config\": "
         "{\"properties\": {}}}",
         NULL, "", "this Cluster needs \"vmSize\", which is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        bool has_message = false;
        ck_assert_msg(read_with(rows[i].create, rows[i].more, rows[i].workload, &problems) == NULL,
                      "row %d", (int)i);
        for (int32_t p = 0; p < problems.count && !has_message; p++)
            has_message = strcmp(problems.items[p].message, rows[i].message) == 0;
        ck_assert_msg(has_message, "row %d: %s", (int)i, problems.items[0].message);
        ck_assert_msg(problems.items[0].at.source != NULL, "row %d", (int)i);
    }
}
END_TEST

#define SPEEDS_LOG "/workloads/0/trace=speeds.csv"

/* The small scenario, whose only job has a program with a stated time, `program` among its members
 * and `speeds` ("": none), on a cluster with kinds unless `is_plain`. */
static const ScenarioFile *read_job(const char *program, const char *speeds, bool is_plain,
                                    Problems *problems)
{
    memory_files_set(&files, "scenario.json", small_scenario_text, strlen(small_scenario_text));
    *problems = problems_create(arena);
    const char *sets[3] = {
        arena_printf(arena, "/programs=[{\"match\": \"*\", \"duration\": \"2h\"%s}]", program)};
    int32_t count = 1;
    if (!is_plain)
        sets[count++] = CREATE("[" OLD ", " NEW "]", "");
    if (speeds[0] != '\0')
        sets[count++] = arena_printf(arena, "/commands/1/speeds=%s", speeds);
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){.count = count, .items = sets}, problems);
}

/* The speeds of the only job; NULL: it has none. */
static const KindSpeeds *job_speeds_of(const ScenarioFile *file)
{
    int32_t i = 0;
    while (file->scenario.commands[i].kind != COMMAND_JOB_CREATE)
        i++;
    return file->scenario.commands[i].as.job_create.spec->speeds;
}

static void check_warning(const ScenarioFile *file, const char *message)
{
    bool has_warning = false;
    for (int32_t i = 0; i < file->warnings.count; i++)
        has_warning |= strcmp(file->warnings.items[i].message, message) == 0;
    ck_assert_msg(has_warning, "%s", message);
}

START_TEST(rows_have_the_speeds_of_their_column_or_of_the_workload)
{
    static const int32_t expected_ppm[3][2] = {
        {500000, 3000000}, {4000000, 2000000}, {4000000, 1250000}};
    Problems problems;
    const ScenarioFile *file =
        read_with(CREATE("[" OLD ", " NEW "]", ""), SPEEDS_LOG,
                  ", \"speeds\": {\"NEW\": 2, \"standard_nc6\": 4}", &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    for (int64_t row = 0; row < 3; row++)
        for (int32_t k = 0; k < 2; k++)
            ck_assert_int_eq(workload_speeds(&file->scenario.workloads[0], row)->ppm[k],
                             expected_ppm[row][k]);
    // Kinds that the cluster does not have may be in the log.
    check_warning(file, "\"speeds.csv\" states speeds on \"TPU\", which have no effect");
}
END_TEST

START_TEST(speeds_of_rows_on_nodes_of_one_kind_are_a_warning)
{
    Problems problems;
    const ScenarioFile *file = read_with(SPEEDS_LOG, NULL, "", &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    ck_assert_ptr_null(workload_speeds(&file->scenario.workloads[0], 0));
    check_warning(file, "\"speeds.csv\" states speeds, which have no effect");
}
END_TEST

START_TEST(a_job_has_its_own_speeds_then_those_of_its_program)
{
    static const struct {
        const char *program, *job;
        bool is_plain;
        int32_t ppm[2]; /* both 0: no speeds */
    } rows[] = {
        {"", "", false, {0, 0}},
        {", \"speeds\": {\"new\": 3}", "", false, {0, 3000000}},
        {"", "{\"new\": 3, \"STANDARD_NC6\": 0.5}", false, {500000, 3000000}},
        {", \"speeds\": {\"new\": 3, \"standard_nc6\": 2}",
         "{\"new\": 1.5}",
         false,
         {2000000, 1500000}},
        {"", "{\"K80\": 7}", false, {7000000, 7000000}}, // a model that both have
        {", \"speeds\": {\"new\": 3}", "", true, {0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        const ScenarioFile *file =
            read_job(rows[i].program, rows[i].job, rows[i].is_plain, &problems);
        ck_assert_msg(file != NULL, "row %d: %s", (int)i,
                      problems.count > 0 ? problems.items[0].message : "");
        const KindSpeeds *speeds = job_speeds_of(file);
        ck_assert_int_eq(speeds != NULL, rows[i].ppm[1] > 0);
        for (int32_t k = 0; k < 2 && speeds != NULL; k++)
            ck_assert_int_eq(speeds->ppm[k], rows[i].ppm[k]);
    }
}
END_TEST

START_TEST(mistakes_of_speeds_have_their_place)
{
    static const struct {
        const char *program, *job;
        bool is_plain;
        const char *message;
    } rows[] = {
        {"", "{\"nw\": 3}", false, "unknown kind of nodes \"nw\""},
        {"", "{\"new\": 0}", false,
         "the speed on \"new\" is not a number from 0.001 to 1000 with at most six decimals"},
        {"", "{\"new\": -2}", false,
         "the speed on \"new\" is not a number from 0.001 to 1000 with at most six decimals"},
        {"", "{\"new\": 2, \"K80\": 2}", false,
         "\"K80\" is a kind of nodes whose speed is stated already"},
        {"", "{}", false, "speeds is not an object such as {\"V100\": 1, \"A100\": 2.5}"},
        {"", "2", false, "speeds is not an object such as {\"V100\": 1, \"A100\": 2.5}"},
        {"", "{\"new\": 2}", true, "the nodes of cluster \"gpu\" are all of one kind"},
        {", \"speeds\": {\"nw\": 3}", "", false, "unknown kind of nodes \"nw\""},
        {", \"speeds\": {\"new\": 0}", "", false,
         "the speed on \"new\" is not a number from 0.001 to 1000 with at most six decimals"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        ck_assert_msg(read_job(rows[i].program, rows[i].job, rows[i].is_plain, &problems) == NULL,
                      "row %d", (int)i);
        ck_assert_msg(strcmp(problems.items[0].message, rows[i].message) == 0, "row %d: %s", (int)i,
                      problems.items[0].message);
        ck_assert_ptr_nonnull(problems.items[0].at.source);
    }
}
END_TEST

START_TEST(speeds_need_a_program_with_a_stated_time)
{
    static const char *const sets[][4] = {
        {"/programs=[{\"match\": \"*\", \"script\": \"sleep 5\"}]", CREATE("[" OLD "]", ""),
         "/commands/1/speeds={\"K80\": 2}",
         "\"speeds\" is for a job whose program takes a stated time"},
        {"/programs=[{\"match\": \"*\", \"script\": \"sleep 5\", \"speeds\": {\"K80\": 2}}]",
         CREATE("[" OLD "]", ""), "/seed=1", "\"speeds\" is for a program with a \"duration\""},
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        Problems problems = problems_create(arena);
        memory_files_set(&files, "scenario.json", small_scenario_text, strlen(small_scenario_text));
        ck_assert_ptr_null(scenario_read(arena, memory_files_source(&files), "scenario.json",
                                         (ScenarioOverrides){.count = 3, .items = sets[i]},
                                         &problems));
        ck_assert_str_eq(problems.items[0].message, sets[i][3]);
    }
}
END_TEST

START_TEST(a_mistake_in_the_column_names_its_row)
{
    static const char *const words[] = {"new",     "=2",     "new=",  "new=0",
                                        "new=1e3", "new=2|", "new:2", "new=2000"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        Problems problems;
        const char *text =
            arena_printf(arena, "job,submit_s,run_s,gpus,speeds\na,0,1,1,\nb,0,1,1,%s\n", words[i]);
        memory_files_set(&files, "speeds.csv", text, strlen(text));
        ck_assert_ptr_null(read_with(CREATE("[" OLD ", " NEW "]", ""), SPEEDS_LOG, "", &problems));
        ck_assert_str_eq(problems.items[0].message,
                         arena_printf(arena,
                                      "row 2 of \"speeds.csv\": speeds is \"%s\", expected such "
                                      "as \"V100=1|A100=2.5\"",
                                      words[i]));
    }
}
END_TEST

START_TEST(a_job_that_fits_on_no_kind_is_a_warning)
{
    Problems problems;
    const ScenarioFile *file =
        read_with(CREATE("[" OLD ", " NEW "]", ""), "/commands/1/gpus=5", "", &problems);
    ck_assert_ptr_nonnull(file);
    bool has_warning = false;
    for (int32_t i = 0; i < file->warnings.count; i++)
        has_warning |= strstr(file->warnings.items[i].message, "fits on no kind of nodes") != NULL;
    ck_assert(has_warning);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("kind_config");
    TCase *tests = tcase_create("kind_config");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, kinds_have_their_sizes_speeds_and_priorities);
    tcase_add_test(tests, one_kind_may_scale_and_a_kind_may_have_a_price);
    tcase_add_test(tests, mistakes_have_their_place);
    tcase_add_test(tests, rows_have_the_speeds_of_their_column_or_of_the_workload);
    tcase_add_test(tests, speeds_of_rows_on_nodes_of_one_kind_are_a_warning);
    tcase_add_test(tests, a_job_has_its_own_speeds_then_those_of_its_program);
    tcase_add_test(tests, mistakes_of_speeds_have_their_place);
    tcase_add_test(tests, speeds_need_a_program_with_a_stated_time);
    tcase_add_test(tests, a_mistake_in_the_column_names_its_row);
    tcase_add_test(tests, a_job_that_fits_on_no_kind_is_a_warning);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "sim/output/share/setup_files.h"

#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

static Arena *arena;
static ClusterSpec *spec;
static CommandList list;
static World *world;

static void set_up(void)
{
    arena = arena_create();
    spec = ARENA_NEW(arena, ClusterSpec);
    *spec = *plain_cluster(arena, 2);
    spec->setup_command = "bash install.sh";
    spec->setup_ns = constant(arena, 40 * NS_PER_S);
    spec->setup_std_out_err = (OutputPlace){"a/s", "logs"};
    list = commands_begin(arena);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* With plain_service's whole seconds: the nodes are allocated at 100 s and prepared at 230 s. Then
 * the set-up task begins, which takes 40 s. */
static void begin(void)
{
    commands_create_cluster(&list, "c", 0, spec);
    world = world_create(arena, scenario_of(&list, 7), (TraceSink){0});
}

static const Cluster *cluster(void)
{
    return world_cluster(world, (ClusterId){0});
}

static void advance(int64_t to_s)
{
    world_advance(world, to_s * NS_PER_S);
}

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

/* The content of a file of the node at `at_s`; checks that its length is the listed one. */
static const char *text_at(const char *stream, uint32_t node, int64_t at_s)
{
    const char *name =
        arena_printf(arena, "%s-%s.txt", stream, world_node(world, (NodeId){node})->name);
    Text text = {0};
    if (!setup_file_write(world, cluster(), name, at_s * NS_PER_S, (ByteSink){&text, append}))
        return NULL;
    int32_t count, found = 0;
    FileEntry *entries = setup_files_list(world, cluster(), at_s * NS_PER_S, arena, &count);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) != 0)
            continue;
        ck_assert_int_eq(entries[i].bytes, (int64_t)text.length);
        found++;
    }
    ck_assert_int_eq(found, 1);
    const char *copy = arena_strndup(arena, text_string(&text), text.length);
    text_free(&text);
    return copy;
}

static const char *names_at(int64_t at_s)
{
    int32_t count;
    FileEntry *entries = setup_files_list(world, cluster(), at_s * NS_PER_S, arena, &count);
    const char *names = "";
    for (int32_t i = 0; i < count; i++)
        names = arena_printf(arena, "%s%s ", names, entries[i].name);
    return names;
}

START_TEST(every_node_writes_two_files_below_the_path_segment_of_the_cluster)
{
    begin();
    advance(229);
    ck_assert_str_eq(names_at(229), "");
    ck_assert_int_eq(setup_files_begun_ns(world, cluster()), INT64_MAX);
    advance(300);
    ck_assert_int_eq(setup_files_begun_ns(world, cluster()), 230 * NS_PER_S);
    const char *a = world_node(world, (NodeId){0})->name, *b = world_node(world, (NodeId){1})->name;
    ck_assert_str_eq(names_at(300),
                     arena_printf(arena, "stderr-%s.txt stderr-%s.txt stdout-%s.txt stdout-%s.txt ",
                                  a, b, a, b));
    static const char above[] =
        "logs/00000000-0000-0000-0000-000000000000/g/workspaces/w/clusters/c/";
    const char *directory = setup_files_directory(world, cluster(), arena);
    ck_assert_msg(strncmp(directory, above, strlen(above)) == 0, "%s", directory);
    enum { GUID = 36 };
    ck_assert_uint_eq(strlen(directory), strlen(above) + GUID);
}
END_TEST

START_TEST(the_log_of_an_unknown_command_says_so_and_contains_its_exit_code)
{
    begin();
    advance(300);
    static const char begun[] = "# Emulated by trainyard: the command's own output is not known.\n"
                                "+ bash install.sh\n";
    ck_assert_ptr_null(text_at("stdout", 0, 229));
    ck_assert_str_eq(text_at("stdout", 0, 269), begun);
    ck_assert_str_eq(text_at("stdout", 0, 270),
                     arena_printf(arena, "%s# exit code 0 after 40 s\n", begun));
    ck_assert_str_eq(text_at("stderr", 0, 300), "");
}
END_TEST

START_TEST(a_failure_is_in_stderr)
{
    spec->setup_exit_code = 3;
    begin();
    advance(300);
    ck_assert_str_eq(text_at("stderr", 1, 269), "");
    ck_assert_str_eq(text_at("stderr", 1, 270),
                     "# Emulated by trainyard: the command failed with exit code 3.\n");
    ck_assert_ptr_nonnull(strstr(text_at("stdout", 1, 270), "# exit code 3 after 40 s\n"));
}
END_TEST

/* "echo one; sleep 30; echo two; echo no >&2; sleep 10; exit 3" */
static const ShellRun *script_run(int32_t exit_code)
{
    static ShellOutput outputs[] = {
        {.at_ns = 0, .part = {.text = "one\n", .length = 4}},
        {.at_ns = 30 * NS_PER_S, .part = {.text = "two\n", .length = 4}},
        {.at_ns = 30 * NS_PER_S, .is_error = true, .part = {.text = "no\n", .length = 3}},
    };
    ShellRun *run = ARENA_NEW(arena, ShellRun);
    *run =
        (ShellRun){.is_over = true, .exit_code = exit_code, .output_count = 3, .outputs = outputs};
    return run;
}

START_TEST(the_output_of_a_script_appears_when_it_is_printed)
{
    spec->setup_exit_code = 3;
    spec->setup_run = script_run(3);
    begin();
    advance(300);
    ck_assert_str_eq(text_at("stdout", 0, 230), "one\n");
    ck_assert_str_eq(text_at("stdout", 0, 259), "one\n");
    ck_assert_str_eq(text_at("stderr", 0, 259), "");
    ck_assert_str_eq(text_at("stdout", 0, 260), "one\ntwo\n");
    ck_assert_str_eq(text_at("stdout", 0, 300), "one\ntwo\n");
    ck_assert_str_eq(text_at("stderr", 0, 300), "no\n");
}
END_TEST

START_TEST(a_random_failure_is_in_the_stderr_of_a_script)
{
    spec->setup_run = script_run(0);
    commands_create_cluster(&list, "c", 0, spec);
    Scenario *scenario = scenario_of(&list, 7);
    scenario->failures.rate_ppm = scenario->failures.setup_ppm = PPM;
    world = world_create(arena, scenario, (TraceSink){0});
    advance(300);
    ck_assert_str_eq(text_at("stderr", 0, 269), "no\n");
    ck_assert_str_eq(text_at("stderr", 0, 270),
                     "no\n# Emulated by trainyard: the command failed with exit code 1.\n");
}
END_TEST

START_TEST(the_log_of_a_released_node_stays)
{
    spec->setup_run = script_run(0);
    commands_resize(&list, "c", 250 * NS_PER_S, 0);
    begin();
    advance(250);
    ck_assert_int_eq(setup_files_settled_ns(world, cluster()), INT64_MAX);
    advance(3600);
    ck_assert_int_eq(cluster()->current_nodes, 0);
    ck_assert_str_eq(text_at("stdout", 0, 3600), "one\n");
    ck_assert_int_lt(setup_files_settled_ns(world, cluster()), 260 * NS_PER_S);
}
END_TEST

START_TEST(after_a_reboot_the_task_overwrites_its_log)
{
    // Rebooted at 1000 s for 90 s, prepared again at 1220 s.
    spec->setup_run = script_run(0);
    commands_add(&list, COMMAND_NODE_REBOOT, "c", 1000 * NS_PER_S)->as.fault.node = 1;
    begin();
    advance(1219);
    ck_assert_str_eq(text_at("stdout", 0, 1219), "one\ntwo\n");
    advance(1230);
    ck_assert_str_eq(text_at("stdout", 0, 1230), "one\n");
    advance(1270);
    ck_assert_str_eq(text_at("stdout", 0, 1270), "one\ntwo\n");
    ck_assert_int_eq(cluster()->setup_count, 3);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("setup_files");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, every_node_writes_two_files_below_the_path_segment_of_the_cluster);
    tcase_add_test(tests, the_log_of_an_unknown_command_says_so_and_contains_its_exit_code);
    tcase_add_test(tests, a_failure_is_in_stderr);
    tcase_add_test(tests, the_output_of_a_script_appears_when_it_is_printed);
    tcase_add_test(tests, a_random_failure_is_in_the_stderr_of_a_script);
    tcase_add_test(tests, the_log_of_a_released_node_stays);
    tcase_add_test(tests, after_a_reboot_the_task_overwrites_its_log);
    suite_add_tcase(suite, tests);
    return suite;
}

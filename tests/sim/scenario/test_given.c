/* The inputs that a scenario records about itself. */
#include "sim/cloud/spec/given.h"

#include <string.h>

#include "tests/support/small_scenario_fixture.h"
#include "tests/support/suite.h"

static const char *lines_at(const char *path, ScenarioOverrides overrides)
{
    Problems problems = problems_create(arena);
    const ScenarioFile *file =
        scenario_read(arena, memory_files_source(&files), path, overrides, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    uint32_t count;
    const char *const *lines = given_lines(arena, &file->scenario.given, &count);
    const char *all = "";
    for (uint32_t i = 0; i < count; i++)
        all = arena_printf(arena, "%s%s\n", all, lines[i]);
    return all;
}

/* `text` without the checksums at the ends of lines. */
static const char *without_checksums(const char *text)
{
    char *copy = arena_strdup(arena, text), *to = copy;
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const bool is_file = strncmp(line, "file ", 5) == 0;
        const size_t kept = is_file ? length - 17 : length;
        memmove(to, line, kept);
        to[kept] = '\n';
        to += kept + 1;
        line += length + 1;
    }
    *to = '\0';
    return copy;
}

START_TEST(changes_parameters_and_files_are_recorded_in_order)
{
    change_file("scenario.json", "\"trainyard\": 1,",
                "\"trainyard\": 1, \"parameters\": {\"a\": {\"value\": 1}, \"b\": {\"value\": 2}}, "
                "\"description\": \"${a} ${b}\",");
    static const char *const sets[] = {"/seed=7", "/until=\"2d\""};
    static const char *const params[] = {"b=3"};
    const ScenarioOverrides overrides = {.count = 2,
                                         .items = sets,
                                         .param_count = 1,
                                         .params = params,
                                         .failures_scale = "0",
                                         .samples = {.train = 100, .test = 20}};
    const char *lines = without_checksums(lines_at("scenario.json", overrides));
    ck_assert_msg(strstr(lines, "set /seed=7\nset /until=\"2d\"\nfailures 0\nsamples 100 20\n"
                                "param a=1\nparam b=3\nfile scenario.json\nfile cluster.json\n"
                                "file job.json\nfile catalog/azure-2018.json\n") == lines,
                  "%s", lines);
}
END_TEST

START_TEST(only_the_checksum_of_a_changed_file_changes)
{
    const char *before = lines_at("scenario.json", (ScenarioOverrides){0});
    change_file("job.json", "\"nodeCount\": 2", "\"nodeCount\": 1");
    const char *after = lines_at("scenario.json", (ScenarioOverrides){0});
    ck_assert_str_eq(without_checksums(before), without_checksums(after));
    const char *job_before = strstr(before, "file job.json"),
               *job_after = strstr(after, "file job");
    ck_assert_int_eq(job_before - before, job_after - after);
    ck_assert_mem_eq(before, after, (size_t)(job_before - before));
    ck_assert(strncmp(job_before, job_after, strlen("file job.json 0123456789abcdef")) != 0);
    ck_assert_str_eq(strchr(job_before, '\n'), strchr(job_after, '\n'));
}
END_TEST

START_TEST(names_do_not_depend_on_the_working_directory)
{
    const char *here = lines_at("scenario.json", (ScenarioOverrides){0});
    static const char *const folders[] = {"/a/b/", "x/", "../", "./"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        MemoryFiles moved = {0};
        for (int32_t j = 0; j < files.count; j++)
            memory_files_set(&moved, arena_printf(arena, "%s%s", folders[i], files.items[j].path),
                             files.items[j].text, files.items[j].length);
        const MemoryFiles kept = files;
        files = moved;
        ck_assert_str_eq(
            lines_at(arena_printf(arena, "%sscenario.json", folders[i]), (ScenarioOverrides){0}),
            here);
        files = kept;
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("given");
    TCase *tests = tcase_create("given");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, changes_parameters_and_files_are_recorded_in_order);
    tcase_add_test(tests, only_the_checksum_of_a_changed_file_changes);
    tcase_add_test(tests, names_do_not_depend_on_the_working_directory);
    suite_add_tcase(suite, tests);
    return suite;
}

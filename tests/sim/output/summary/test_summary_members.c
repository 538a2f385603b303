/* summary.json is read and written back unchanged: every golden summary, byte for byte. */
#include <glob.h>
#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/output/summary/summary.h"
#include "tests/support/suite.h"

#define GOLDEN TRAINYARD_SOURCE_DIR "/tests/golden/"

static void check_round_trip(const char *path)
{
    Arena *arena = arena_create();
    const char *text;
    size_t length;
    Status status = {0};
    Problems problems = problems_create(arena);
    ck_assert_msg(disk_files.read(NULL, arena, path, &text, &length, &status), "%s", path);
    const Json *root = json_parse(arena, path, text, length, JSON_STRICT, &problems);
    Summary summary;
    summary_read(arena, root, &summary, &problems);
    ck_assert_msg(problems.count == 0, "%s: %s", path,
                  problems.count > 0 ? problems.items[0].message : "");
    Text written = {0};
    json_print(&written, summary_json(arena, &summary), JSON_INDENTED);
    ck_assert_msg(written.length == length && memcmp(text, text_string(&written), length) == 0,
                  "%s: written as\n%s", path, text_string(&written));
    text_free(&written);
    arena_destroy(arena);
}

START_TEST(every_golden_summary_is_written_back_unchanged)
{
    glob_t found;
    ck_assert_int_eq(glob(GOLDEN "*/summary.json", 0, NULL, &found), 0);
    ck_assert_int_eq(glob(GOLDEN "*/*/summary.json", GLOB_APPEND, NULL, &found), 0);
    ck_assert_uint_ge(found.gl_pathc, 50);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_round_trip(found.gl_pathv[i]);
    globfree(&found);
}
END_TEST

START_TEST(a_wrong_member_is_reported_with_its_place)
{
    static const struct {
        const char *text;
        int32_t line;
        const char *message;
    } rows[] = {
        {"{\"clusters\": {}, \"jobs\": {}}", 1, "\"simulated_s\" is missing"},
        {"{\"simulated_s\": 1,\n\"clusters\": [], \"jobs\": {}}", 2,
         "\"clusters\" is an array, expected an object"},
        {"{\"simulated_s\": 1, \"clusters\": {\"a\":\n{\"state\": \"steady\"}}, \"jobs\": {}}", 2,
         "\"path\" is missing"},
        {"{\"simulated_s\": 1, \"clusters\": {}, \"jobs\": {\"a\": {\"path\": \"w/e/a\",\n"
         "\"split_s\": {\"input\": -1}}}}",
         2, "\"input\" is not a number from 0 with at most 9 decimals"},
        {"{\"simulated_s\": 1, \"clusters\": {}, \"jobs\": {}, \"problems\": [\n7]}", 2,
         "\"problems\" is a number, expected a string"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        Problems problems = problems_create(arena);
        const Json *root = json_parse(arena, "summary.json", rows[i].text, strlen(rows[i].text),
                                      JSON_STRICT, &problems);
        Summary summary;
        summary_read(arena, root, &summary, &problems);
        ck_assert_int_eq(problems.count, 1);
        ck_assert_str_eq(problems.items[0].message, rows[i].message);
        ck_assert_int_eq(problems.items[0].at.line, rows[i].line);
        ck_assert_ptr_nonnull(strstr(problems.items[0].hint, "trainyard run"));
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("summary_members");
    TCase *group = tcase_create("summary_members");
    tcase_add_test(group, every_golden_summary_is_written_back_unchanged);
    tcase_add_test(group, a_wrong_member_is_reported_with_its_place);
    suite_add_tcase(suite, group);
    return suite;
}

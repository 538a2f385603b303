#include "real/compare/ran.h"

#include <string.h>

#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;
static Status status;

static const char good[] = "{\"backend\": \"ref\", \"precision\": \"fp32\", \"network\": \"net\", "
                           "\"ranks\": 1, \"batch\": 8, \"took_ns\": 5, \"exit_code\": 0}";
static const char timeline[] = "# trainyard timeline 1\trank\t0\tranks\t1\n"
                               "phase\tstep\tbegin_ns\tend_ns\tbytes\trank\n"
                               "forward\t0\t10\t20\t0\t0\n";

static void begin(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
}

static void end(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static void put(int attempt, const char *name, const char *text)
{
    const char *place = arena_printf(arena, "%s/real/train/attempt-%d", folder, attempt);
    ck_assert(folder_create(place, &status));
    ck_assert(file_write(arena_printf(arena, "%s/%s", place, name), text, strlen(text), &status));
}

static void ck_fails(StatusCode code, const char *message, const char *place_end)
{
    RanJob ran;
    ck_assert(!ran_job_read(arena, folder, "train", &ran, &status));
    ck_assert_int_eq(status.code, code);
    ck_assert_msg(strstr(status.message, message) != NULL, "%s", status.message);
    const size_t length = strlen(status.at.source), end_length = strlen(place_end);
    ck_assert_msg(length >= end_length &&
                      strcmp(status.at.source + length - end_length, place_end) == 0,
                  "%s", status.at.source);
}

START_TEST(attempts_are_read_in_order)
{
    put(1, "ranks.json",
        "{\"backend\": \"ref\", \"precision\": \"fp32\", \"network\": \"net\", "
        "\"ranks\": 1, \"batch\": 8, \"took_ns\": 5, \"exit_code\": 137}");
    put(2, "ranks.json", good);
    put(2, "timeline.rank0.tsv", timeline);
    RanJob ran;
    ck_assert_msg(ran_job_read(arena, folder, "train", &ran, &status), "%s", status.message);
    ck_assert_int_eq(ran.attempt_count, 2);
    ck_assert_int_eq(ran.attempts[0].exit_code, 137);
    ck_assert_ptr_null(ran.attempts[0].files); // a killed rank writes none
    ck_assert_int_eq(ran.attempts[1].files[0].count, 1);
    ck_assert_int_eq(ran.attempts[1].batch, 8);
}
END_TEST

START_TEST(a_reached_step_is_a_fault_unless_it_is_a_checkpoint)
{
    static const char told[] =
        "[{\"do\": \"job.reached\", \"name\": \"train\", \"step\": 20, \"kept\": 1},"
        "{\"do\": \"job.reached\", \"name\": \"train\", \"step\": 30},"
        "{\"do\": \"job.reached\", \"name\": \"train\", \"step\": 40, \"kept\": 2}]";
    put(1, "ranks.json", good);
    put(1, "timeline.rank0.tsv", timeline);
    ck_assert(file_write(arena_printf(arena, "%s/ran.json", folder), told, strlen(told), &status));
    RanJob ran;
    ck_assert(ran_job_read(arena, folder, "train", &ran, &status));
    ck_assert_int_eq(ran.reached_step, 30);
}
END_TEST

START_TEST(what_all_jobs_have_in_common_is_known)
{
    static const char of_tiny[] =
        "{\"backend\": \"onednn\", \"precision\": \"fp32\", \"network\": \"net\", \"ranks\": 1, "
        "\"batch\": 8, \"train_samples\": 1000, \"test_samples\": 200, \"took_ns\": 5, "
        "\"exit_code\": 0}";
    const char *other = arena_printf(arena, "%s/real/other/attempt-1", folder);
    RanCommon common;
    ck_assert(ran_common_read(arena, folder, &common, &status));
    ck_assert_int_eq(common.samples.train, 0); // there are no jobs
    ck_assert_ptr_null(common.backend);
    put(1, "ranks.json", of_tiny);
    ck_assert(ran_common_read(arena, folder, &common, &status));
    ck_assert_int_eq(common.samples.train, 1000);
    ck_assert_int_eq(common.samples.test, 200);
    ck_assert_str_eq(common.backend, "onednn");
    ck_assert(folder_create(other, &status));
    ck_assert(file_write(arena_printf(arena, "%s/ranks.json", other), good, strlen(good), &status));
    ck_assert(ran_common_read(arena, folder, &common, &status));
    ck_assert_int_eq(common.samples.train, 0); // the other job does not state it
    ck_assert_ptr_null(common.backend);        // and has another one
    ck_assert(folder_create(arena_printf(arena, "%s/real/none/attempt-1", folder), &status));
    ck_assert(!ran_common_read(arena, folder, &common, &status));
    ck_assert_str_eq(status.message, "there is no such file");
}
END_TEST

START_TEST(a_job_that_never_ran_is_reported)
{
    ck_fails(STATUS_BAD_INPUT, "there is no attempt-1 of job \"train\"", "/real/train");
    ck_assert_ptr_nonnull(strstr(status.hint, "trainyard run"));
}
END_TEST

START_TEST(an_attempt_that_went_well_has_timelines)
{
    put(1, "ranks.json", good);
    ck_fails(STATUS_NOT_FOUND, "there is no such file", "/timeline.rank0.tsv");
}
END_TEST

START_TEST(a_broken_timeline_has_a_place)
{
    put(1, "ranks.json", good);
    put(1, "timeline.rank0.tsv",
        "# trainyard timeline 1\trank\t0\tranks\t1\nphase\tstep\tbegin_ns\tend_ns\tbytes\trank\n"
        "forward\t0\t20\t10\t0\t0\n");
    ck_fails(STATUS_BAD_INPUT, "an end not before the beginning", "/timeline.rank0.tsv");
    ck_assert_int_eq(status.at.line, 3);
    ck_assert_int_eq(status.at.column, 14);
}
END_TEST

START_TEST(members_are_checked)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"[]", "\"backend\" is missing"},
        {"{\"backend\": 1}", "\"backend\" is of another kind"},
        {"{\"backend\": \"r\", \"precision\": \"p\", \"network\": \"n\", \"ranks\": -1}",
         "\"ranks\" is something else"},
        {"{\"backend\": \"r\", \"precision\": \"p\", \"network\": \"n\", \"ranks\": 1, \"batch\": "
         "2.5}",
         "\"batch\" is something else"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        RanAttempt attempt;
        ck_assert(!ran_attempt_parse(arena, "ranks.json", rows[i].text, strlen(rows[i].text),
                                     &attempt, &status));
        ck_assert_msg(strstr(status.message, rows[i].message) != NULL, "%s", status.message);
        ck_assert_int_eq(status.at.line, 1);
    }
}
END_TEST

START_TEST(ranks_and_timelines_agree)
{
    put(1, "ranks.json",
        "{\"backend\": \"ref\", \"precision\": \"fp32\", \"network\": \"net\", "
        "\"ranks\": 2, \"batch\": 8, \"took_ns\": 5, \"exit_code\": 0}");
    put(1, "timeline.rank0.tsv", timeline);
    ck_fails(STATUS_BAD_INPUT, "has 2 ranks, but the timelines in the same folder have 1",
             "/ranks.json");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ran");
    TCase *tests = tcase_create("ran");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, attempts_are_read_in_order);
    tcase_add_test(tests, a_reached_step_is_a_fault_unless_it_is_a_checkpoint);
    tcase_add_test(tests, what_all_jobs_have_in_common_is_known);
    tcase_add_test(tests, a_job_that_never_ran_is_reported);
    tcase_add_test(tests, an_attempt_that_went_well_has_timelines);
    tcase_add_test(tests, a_broken_timeline_has_a_place);
    tcase_add_test(tests, members_are_checked);
    tcase_add_test(tests, ranks_and_timelines_agree);
    suite_add_tcase(suite, tests);
    return suite;
}

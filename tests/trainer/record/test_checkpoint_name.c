#include "trainer/record/checkpoint_name.h"

#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
}

static void tear_down(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static const char *path_of(const char *name)
{
    return arena_printf(arena, "%s/%s", folder, name);
}

START_TEST(a_name_says_the_point_and_nothing_else_has_one)
{
    static const struct {
        const char *name;
        CheckpointPoint point;
    } named[] = {{"checkpoint-0-step-7.h5", {0, 7}},
                 {"checkpoint-1.h5", {1, 0}},
                 {"checkpoint-10.h5", {10, 0}},
                 {"checkpoint-100-step-2000.h5", {100, 2000}}};
    static const char *const others[] = {"", "checkpoint-", "checkpoint-01.h5", "checkpoint-1.h5x"};
    CheckpointPoint found;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        ck_assert_str_eq(checkpoint_path(arena, folder, named[i].point), path_of(named[i].name));
        ck_assert(checkpoint_point_of(named[i].name, &found));
        ck_assert_int_eq(checkpoint_point_compare(found, named[i].point), 0);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(!checkpoint_point_of(others[i], &found), "%s", others[i]);
}
END_TEST

START_TEST(the_latest_is_that_of_the_highest_epoch)
{
    static const char *const names[] = {"checkpoint-2.h5",
                                        "checkpoint-12.h5",
                                        "checkpoint-9.h5",
                                        "checkpoint-99.h5.123.tmp",
                                        "checkpoint-0013.h5",
                                        "checkpoint-.h5",
                                        "checkpoint--5.h5",
                                        "checkpoint-14.h5x",
                                        "checkpoint-12-step-0.h5",
                                        "checkpoint-12-step-.h5",
                                        "checkpoint-12-step-3.h5x",
                                        "checkpoint-12-step-3",
                                        "checkpoint-12-step3.h5",
                                        "checkpoint-12-step-03.h5",
                                        "checkpoint-99999999999999999999.h5",
                                        "other-15.h5"};
    Status status;
    ck_assert_ptr_null(checkpoint_latest(arena, folder, CHECKPOINT_LAST));
    ck_assert_ptr_null(checkpoint_latest(arena, path_of("missing"), CHECKPOINT_LAST));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert(file_write(path_of(names[i]), "", 0, &status));
    ck_assert_str_eq(checkpoint_latest(arena, folder, CHECKPOINT_LAST),
                     path_of("checkpoint-12.h5"));
    ck_assert_str_eq(checkpoint_latest(arena, folder, (CheckpointPoint){12, 0}),
                     path_of("checkpoint-12.h5"));
}
END_TEST

START_TEST(a_checkpoint_within_an_epoch_is_later_than_that_before_it)
{
    static const CheckpointPoint points[] = {{0, 7}, {1, 0}, {1, 9}, {1, 10}, {2, 0}, {2, 1}};
    enum { COUNT = sizeof points / sizeof points[0] };
    Status status;
    for (int i = 0; i < COUNT; i++)
        ck_assert(file_write(checkpoint_path(arena, folder, points[i]), "", 0, &status));
    for (int i = 0; i < COUNT; i++) {
        CheckpointPoint found;
        ck_assert(checkpoint_latest_point(folder, points[i], &found));
        ck_assert_int_eq(checkpoint_point_compare(found, points[i]), 0);
        ck_assert(i == 0 || checkpoint_point_compare(points[i - 1], points[i]) < 0);
    }
    ck_assert_str_eq(checkpoint_latest(arena, folder, CHECKPOINT_LAST),
                     path_of("checkpoint-2-step-1.h5"));
    checkpoint_remove_from(arena, folder, (CheckpointPoint){1, 10});
    ck_assert_str_eq(checkpoint_latest(arena, folder, (CheckpointPoint){1, INT64_MAX}),
                     path_of("checkpoint-1-step-9.h5"));
    ck_assert_str_eq(checkpoint_latest(arena, folder, CHECKPOINT_LAST),
                     path_of("checkpoint-2-step-1.h5"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("checkpoint_name");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_name_says_the_point_and_nothing_else_has_one);
    tcase_add_test(tests, a_checkpoint_within_an_epoch_is_later_than_that_before_it);
    tcase_add_test(tests, the_latest_is_that_of_the_highest_epoch);
    suite_add_tcase(suite, tests);
    return suite;
}

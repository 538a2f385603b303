#include "sim/study/journal/merge.h"

#include <string.h>
#include <unistd.h>

#include "sim/cli/files.h"
#include "sim/study/journal/journal_folder.h"
#include "tests/support/full_disk.h"
#include "tests/support/run_journal.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;
static Problems problems;
static JournalMerge merged;

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

static const char *path_of(const char *name)
{
    return arena_printf(arena, "%s/%s", folder, name);
}

/* Writes replications `first` to `last` - 1 of `point` as a shard that has its own folder. */
static const char *write_shard(const JournalIdentity *identity, int32_t shard, int32_t point,
                               int32_t first, int32_t last)
{
    Status status;
    const char *path = path_of(arena_printf(arena, "shard-%d", shard));
    Journal *journal = journal_open(arena, path, identity, shard, 0, &status);
    ck_assert_msg(journal != NULL, "%s", status.message);
    for (int32_t i = first; i < last; i++) {
        TestRun run;
        ck_assert(journal_append(journal, test_run(&run, point, i), &status));
    }
    ck_assert(journal_close(journal, &status));
    return path;
}

static bool merge(const char *const *folders, int32_t count, const char *target)
{
    problems = problems_create(arena);
    const bool is_right = journal_merge(arena, folders, count, path_of(target), &merged, &problems);
    ck_assert(is_right == (problems.count == 0));
    return is_right;
}

static const char *text_of(const char *target)
{
    return temporary_file_text(arena, journal_file_path(arena, path_of(target), 0, 0));
}

START_TEST(shards_in_any_order_give_the_same_bytes)
{
    const char *shards[] = {write_shard(&test_identity, 0, 0, 0, 10),
                            write_shard(&test_identity, 1, 1, 3, 9),
                            write_shard(&test_identity, 2, 0, 10, 12)};
    ck_assert(merge(shards, 3, "forward"));
    ck_assert_int_eq(merged.records.count, 18);
    ck_assert_int_eq(merged.added_count, 18);
    ck_assert_int_eq(merged.records.duplicate_count, 0);
    const char *backward[] = {shards[2], shards[1], shards[0]};
    ck_assert(merge(backward, 3, "backward"));
    ck_assert_str_eq(text_of("forward"), text_of("backward"));
}
END_TEST

START_TEST(runs_that_two_shards_have_are_counted_once)
{
    const char *shards[] = {write_shard(&test_identity, 0, 0, 0, 10),
                            write_shard(&test_identity, 1, 0, 8, 15)};
    ck_assert(merge(shards, 2, "all"));
    ck_assert_int_eq(merged.records.count, 15);
    ck_assert_int_eq(merged.records.duplicate_count, 2);
}
END_TEST

START_TEST(a_merge_can_be_repeated_and_extended)
{
    const char *shards[] = {write_shard(&test_identity, 0, 0, 0, 10),
                            write_shard(&test_identity, 1, 1, 0, 5)};
    ck_assert(merge(shards, 1, "all"));
    ck_assert(merge(shards, 2, "all"));
    ck_assert_int_eq(merged.added_count, 5);
    ck_assert(merge(shards, 2, "all"));
    ck_assert_int_eq(merged.added_count, 0);
    ck_assert_int_eq(merged.records.count, 15);
}
END_TEST

START_TEST(the_target_may_be_one_of_the_folders)
{
    const char *shards[] = {write_shard(&test_identity, 0, 0, 0, 10),
                            write_shard(&test_identity, 1, 1, 0, 5)};
    ck_assert(merge(shards, 2, "shard-1"));
    ck_assert_int_eq(merged.added_count, 10);
    ck_assert_int_eq(merged.records.duplicate_count, 0);
}
END_TEST

START_TEST(shards_of_different_studies_are_refused_and_nothing_is_written)
{
    JournalIdentity other = test_identity;
    other.version = "0.2.0";
    const char *shards[] = {write_shard(&test_identity, 0, 0, 0, 10),
                            write_shard(&other, 1, 1, 0, 5)};
    ck_assert(!merge(shards, 2, "all"));
    ck_assert_int_eq(problems.items[0].code, STATUS_BAD_INPUT);
    ck_assert_str_eq(problems.items[0].message,
                     "contains runs of another study: version \"0.2.0\" instead of \"0.1.0\"");
    ck_assert_ptr_nonnull(strstr(problems.items[0].at.source, "shard-1/journal/1-0.log"));
    ck_assert_int_ne(access(path_of("all"), F_OK), 0);
}
END_TEST

START_TEST(two_results_of_one_run_are_an_error_of_the_machine)
{
    const char *shards[] = {write_shard(&test_identity, 0, 0, 0, 10),
                            write_shard(&test_identity, 1, 1, 0, 1)};
    Status status;
    Journal *journal = journal_open(arena, shards[1], &test_identity, 1, 0, &status);
    TestRun run;
    test_run(&run, 0, 3);
    run.values[0] += 1e-9;
    ck_assert(journal_append(journal, &run.record, &status) && journal_close(journal, &status));
    ck_assert(!merge(shards, 2, "all"));
    ck_assert_int_eq(problems.items[0].code, STATUS_MACHINE);
    ck_assert_int_ne(access(path_of("all"), F_OK), 0);
}
END_TEST

START_TEST(folders_without_runs_are_reported)
{
    const char *shards[] = {write_shard(&test_identity, 0, 0, 0, 10), path_of("nothing")};
    ck_assert(!merge(shards, 2, "all"));
    ck_assert_str_eq(problems.items[0].message, "contains no journal of runs");
    ck_assert_str_eq(problems.items[0].at.source, shards[1]);
}
END_TEST

START_TEST(a_full_disk_is_reported_and_the_merge_can_be_repeated)
{
    const char *shards[] = {write_shard(&test_identity, 0, 0, 0, 100),
                            write_shard(&test_identity, 1, 1, 0, 5)};
    const char *target = path_of("all");
    problems = problems_create(arena);
    disk_full_begin(2000);
    const bool is_merged = journal_merge(arena, shards, 2, target, &merged, &problems);
    disk_full_end();
    ck_assert(!is_merged);
    ck_assert_int_eq(problems.items[0].code, STATUS_MACHINE);
    ck_assert(merge(shards, 2, "all"));
    ck_assert_int_eq(merged.records.count, 105);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("merge");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, shards_in_any_order_give_the_same_bytes);
    tcase_add_test(tests, runs_that_two_shards_have_are_counted_once);
    tcase_add_test(tests, a_merge_can_be_repeated_and_extended);
    tcase_add_test(tests, the_target_may_be_one_of_the_folders);
    tcase_add_test(tests, shards_of_different_studies_are_refused_and_nothing_is_written);
    tcase_add_test(tests, two_results_of_one_run_are_an_error_of_the_machine);
    tcase_add_test(tests, folders_without_runs_are_reported);
    tcase_add_test(tests, a_full_disk_is_reported_and_the_merge_can_be_repeated);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "sim/study/journal/journal.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/files.h"
#include "tests/support/full_disk.h"
#include "tests/support/run_journal.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;
static Status status;
static RunRecords records;
static Problems problems;

static void begin(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    status = (Status){0};
}

static void end(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static Journal *open_journal(int32_t shard, int32_t rank)
{
    Journal *journal = journal_open(arena, folder, &test_identity, shard, rank, &status);
    ck_assert_msg(journal != NULL, "%s", status.message);
    return journal;
}

static void append(Journal *journal, int32_t point, int32_t first, int32_t count)
{
    for (int32_t i = first; i < first + count; i++) {
        TestRun run;
        ck_assert_msg(journal_append(journal, test_run(&run, point, i), &status), "%s",
                      status.message);
    }
}

static void close_journal(Journal *journal)
{
    ck_assert_msg(journal_close(journal, &status), "%s", status.message);
}

static bool scan(void)
{
    problems = problems_create(arena);
    return journal_scan(arena, folder, &test_identity, &records, &problems);
}

/* Checks that point 0 has replications 0 to count - 1, and that there are no other runs. */
static void check_runs(int32_t count)
{
    ck_assert_msg(scan(), "%s", problems.count > 0 ? problems.items[0].message : "");
    ck_assert_int_eq(records.count, count);
    for (int32_t i = 0; i < count; i++) {
        TestRun run;
        ck_assert(run_record_is_same(&records.items[i], test_run(&run, 0, i)));
    }
}

static int64_t length_of(const char *path)
{
    struct stat facts;
    ck_assert_int_eq(stat(path, &facts), 0);
    return facts.st_size;
}

START_TEST(runs_of_all_processes_are_scanned_in_order)
{
    Journal *first = open_journal(0, 0), *second = open_journal(0, 1), *other = open_journal(7, 0);
    append(second, 0, 10, 10);
    append(first, 0, 0, 10);
    append(other, 0, 20, 5);
    close_journal(first);
    close_journal(second);
    close_journal(other);
    check_runs(25);
    ck_assert_int_eq(records.file_count, 3);
    ck_assert_int_eq(records.torn_count, 0);
}
END_TEST

START_TEST(a_missing_folder_has_no_runs)
{
    check_runs(0);
    JournalIdentity identity;
    bool is_found;
    ck_assert(journal_folder_identity(arena, folder, &identity, &is_found, &status) && !is_found);
    close_journal(open_journal(0, 0));
    ck_assert(journal_folder_identity(arena, folder, &identity, &is_found, &status) && is_found);
    ck_assert_str_eq(identity.study, test_identity.study);
}
END_TEST

START_TEST(other_files_in_the_folder_are_ignored)
{
    close_journal(open_journal(0, 0));
    const char *journals = arena_printf(arena, "%s/journal", folder);
    static const char *const names[] = {"0-0.log~", "x-0.log",  "0-.log",
                                        "0-0.txt",  "01-0.log", "0-0.log.tmp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        temporary_file_write(journals, names[i], "hello\n", 6);
    check_runs(0);
    temporary_file_write(journals, "3-0.log", "hello\n", 6);
    ck_assert(!scan());
}
END_TEST

/* Where the last line of a text begins. */
static size_t last_line(const char *text, size_t length)
{
    size_t at = length - 1;
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

START_TEST(a_reopened_journal_continues_after_its_last_whole_record)
{
    Journal *journal = open_journal(0, 0);
    append(journal, 0, 0, 3);
    const char *path = arena_strdup(arena, journal_path(journal));
    close_journal(journal);
    char *whole;
    size_t length;
    ck_assert(file_read(arena, path, 1 << 20, &whole, &length, &status));
    const size_t last = last_line(whole, length);
    for (size_t cut = 0; cut <= length; cut += cut < last - 11 ? 11 : 1) { // each of the last line
        ck_assert(file_write(path, whole, cut, &status));
        journal = open_journal(0, 0);
        ck_assert(scan());
        const int32_t kept = (int32_t)records.count;
        append(journal, 0, kept, 3 - kept);
        close_journal(journal);
        check_runs(3);
        ck_assert_int_eq(records.torn_count, 0);
        ck_assert_int_eq(length_of(path), (int64_t)length);
    }
}
END_TEST

START_TEST(a_torn_tail_is_counted_and_left_in_place_by_readers)
{
    Journal *journal = open_journal(0, 0);
    append(journal, 0, 0, 2);
    close_journal(journal);
    FILE *file = fopen(journal_path(journal), "a");
    fputs("0\t2\t3\t00", file);
    fclose(file);
    const int64_t before = length_of(journal_path(journal));
    check_runs(2);
    ck_assert_int_eq(records.torn_count, 1);
    ck_assert_int_eq(records.torn_bytes, 8);
    ck_assert_int_eq(length_of(journal_path(journal)), before);
}
END_TEST

START_TEST(a_journal_has_one_writer)
{
    Journal *journal = open_journal(0, 0);
    check_runs(0); // reading it here must not release the lock
    ck_assert_ptr_null(journal_open(arena, folder, &test_identity, 0, 0, &status));
    ck_assert_int_eq(status.code, STATUS_CONFLICT);
    ck_assert_str_eq(status.message, "another process appends to this journal");
    close_journal(journal);
    close_journal(open_journal(0, 0));
}
END_TEST

START_TEST(the_lock_of_a_killed_process_is_free)
{
    int ready[2];
    ck_assert_int_eq(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        Journal *journal = journal_open(arena, folder, &test_identity, 0, 0, &status);
        TestRun run;
        const bool is_written = journal && journal_append(journal, test_run(&run, 0, 0), &status) &&
                                journal_settle(journal, &status) && write(ready[1], "x", 1) == 1;
        for (;;)
            pause();
        _exit(!is_written);
    }
    char byte;
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_ptr_null(journal_open(arena, folder, &test_identity, 0, 0, &status));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    Journal *journal = open_journal(0, 0);
    append(journal, 0, 1, 1);
    close_journal(journal);
    check_runs(2);
}
END_TEST

START_TEST(the_journal_of_another_study_is_not_opened)
{
    close_journal(open_journal(0, 0));
    JournalIdentity other = test_identity;
    other.catalogue = "0";
    ck_assert_ptr_null(journal_open(arena, folder, &other, 0, 0, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_str_eq(status.message, "contains runs of another study: catalogue \"ca7a1096\" "
                                     "instead of \"0\"");
}
END_TEST

START_TEST(a_full_disk_leaves_whole_records)
{
    Journal *journal = open_journal(0, 0);
    const int64_t header = length_of(journal_path(journal));
    append(journal, 0, 0, 3);
    ck_assert(journal_settle(journal, &status));
    const int64_t written = length_of(journal_path(journal));
    ck_assert_int_gt(written, header);
    disk_full_begin(written + 20);
    TestRun run;
    const bool is_kept =
        journal_append(journal, test_run(&run, 0, 3), &status) && journal_settle(journal, &status);
    disk_full_end();
    ck_assert(!is_kept);
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_int_eq(length_of(journal_path(journal)), written);
    status = (Status){0};
    ck_assert(!journal_append(journal, test_run(&run, 0, 4), &status)); // it has failed for good
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert(!journal_close(journal, &status));
    check_runs(3);
    ck_assert_int_eq(records.torn_count, 0);
    journal = open_journal(0, 0);
    append(journal, 0, 3, 1);
    close_journal(journal);
    check_runs(4);
}
END_TEST

START_TEST(a_disk_that_is_full_from_the_start_is_reported)
{
    disk_full_begin(10);
    ck_assert_ptr_null(journal_open(arena, folder, &test_identity, 0, 0, &status));
    disk_full_end();
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    Journal *journal = open_journal(0, 0);
    append(journal, 0, 0, 1);
    close_journal(journal);
    check_runs(1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("journal");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, runs_of_all_processes_are_scanned_in_order);
    tcase_add_test(tests, a_missing_folder_has_no_runs);
    tcase_add_test(tests, other_files_in_the_folder_are_ignored);
    tcase_add_test(tests, a_reopened_journal_continues_after_its_last_whole_record);
    tcase_add_test(tests, a_torn_tail_is_counted_and_left_in_place_by_readers);
    tcase_add_test(tests, a_journal_has_one_writer);
    tcase_add_test(tests, the_lock_of_a_killed_process_is_free);
    tcase_add_test(tests, the_journal_of_another_study_is_not_opened);
    tcase_add_test(tests, a_full_disk_leaves_whole_records);
    tcase_add_test(tests, a_disk_that_is_full_from_the_start_is_reported);
    suite_add_tcase(suite, tests);
    return suite;
}

#define _GNU_SOURCE // syscall
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/cli/report.h"
#include "tests/support/suite.h"

/* Each test works in a new folder and leaves it empty. */
static const char folder_pattern[] = "/tmp/trainyard-test-XXXXXX"; // for mkdtemp
static char folder[sizeof folder_pattern];

static void enter_folder(void)
{
    memcpy(folder, folder_pattern, sizeof folder_pattern);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

/* Removes the folder. rmdir fails if the test left a file, even a temporary one. */
static void leave_folder(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void check_content(const char *path, const char *expected, size_t expected_length)
{
    Arena *arena = arena_create();
    char *data;
    size_t length;
    Status status;
    ck_assert_msg(file_read(arena, path, 1 << 20, &data, &length, &status), "%s", status.message);
    ck_assert_uint_eq(length, expected_length);
    ck_assert_mem_eq(data, expected, expected_length);
    ck_assert_int_eq(data[length], '\0');
    arena_destroy(arena);
}

static void write_file(const char *path, const char *content)
{
    Status status;
    ck_assert_msg(file_write(path, content, strlen(content), &status), "%s", status.message);
}

START_TEST(written_content_is_read_back)
{
    write_file("a.json", "{}");
    check_content("a.json", "{}", 2);
    write_file("a.json", "");
    check_content("a.json", "", 0);
    Status status;
    static char many[100000];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = (char)(i % 256); // including zero bytes
    ck_assert(file_write("a.json", many, sizeof many, &status));
    check_content("a.json", many, sizeof many);
    unlink("a.json");
}
END_TEST

static void check_unreadable(const char *path, size_t bytes_max, StatusCode code,
                             const char *message)
{
    Arena *arena = arena_create();
    char *data;
    size_t length;
    Status status;
    ck_assert(!file_read(arena, path, bytes_max, &data, &length, &status));
    ck_assert_int_eq(status.code, code);
    ck_assert_int_eq(exit_code_of(status.code), EXIT_BAD_INPUT);
    ck_assert_str_eq(status.at.source, path);
    ck_assert_str_eq(status.message, message);
    arena_destroy(arena);
}

START_TEST(a_file_that_cannot_be_read_is_an_error_of_the_user)
{
    check_unreadable("missing.json", 100, STATUS_NOT_FOUND, "there is no such file");
    check_unreadable("missing/a.json", 100, STATUS_NOT_FOUND, "there is no such file");
    check_unreadable(".", 100, STATUS_BAD_INPUT, "is a folder, expected a file");
    write_file("five", "12345");
    check_content("five", "12345", 5);
    check_unreadable("five", 4, STATUS_BAD_INPUT, "the file is larger than the 4 bytes allowed");
    check_unreadable("five/a.json", 100, STATUS_NOT_FOUND, "\"five\" is a file, expected a folder");
    unlink("five");
}
END_TEST

START_TEST(a_missing_file_is_reported_alike_for_its_content_and_its_size)
{
    Arena *arena = arena_create();
    const char *text;
    size_t length;
    int64_t bytes;
    write_file("five", "12345");
    static const char *const paths[] = {"missing.json", "missing/a.json", "five/a.json"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        Status status;
        ck_assert(!disk_files.read(disk_files.context, arena, paths[i], &text, &length, &status));
        ck_assert_int_eq(status.code, STATUS_NOT_FOUND);
        ck_assert(!disk_files.size(disk_files.context, paths[i], &bytes, &status));
        ck_assert_int_eq(status.code, STATUS_NOT_FOUND);
    }
    Status status;
    ck_assert(disk_files.size(disk_files.context, "five", &bytes, &status));
    ck_assert_int_eq(bytes, 5);
    unlink("five");
    arena_destroy(arena);
}
END_TEST

START_TEST(a_limit_equal_to_the_size_is_enough)
{
    Arena *arena = arena_create();
    write_file("five", "12345");
    char *data;
    size_t length;
    Status status;
    ck_assert(file_read(arena, "five", 5, &data, &length, &status));
    unlink("five");
    arena_destroy(arena);
}
END_TEST

START_TEST(an_abandoned_file_leaves_the_old_file_unchanged)
{
    write_file("log", "old");
    FileWriter writer;
    Status status;
    ck_assert(file_writer_open(&writer, "log", &status));
    fputs("half of the n", writer.stream);
    fflush(writer.stream);
    check_content("log", "old", 3);
    file_writer_abandon(&writer);
    check_content("log", "old", 3);
    unlink("log");
}
END_TEST

/* leave_folder looks for what it left. */
START_TEST(a_writer_that_is_killed_leaves_nothing)
{
    FileWriter writer;
    Status status;
    int ended = 0;
    write_file("log", "old");
    ck_assert(file_writer_open(&writer, "log", &status));
    const bool can_be = writer.is_unnamed; // not on every file system
    file_writer_abandon(&writer);
    const pid_t child = can_be ? fork() : -1;
    if (child == 0) {
        if (file_writer_open(&writer, "log", &status) && fputs("new", writer.stream) >= 0 &&
            fflush(writer.stream) == 0)
            raise(SIGKILL);
        _exit(1);
    }
    if (can_be) {
        ck_assert_int_eq(waitpid(child, &ended, 0), child);
        ck_assert(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
    }
    check_content("log", "old", 3);
    unlink("log");
}
END_TEST

START_TEST(a_file_appears_with_the_commit)
{
    FileWriter writer;
    Status status;
    ck_assert(file_writer_open(&writer, "log", &status));
    fputs("one ", writer.stream);
    fputs("two", writer.stream);
    ck_assert_int_ne(access("log", F_OK), 0);
    ck_assert(file_writer_commit(&writer, &status));
    check_content("log", "one two", 7);
    unlink("log");
}
END_TEST

START_TEST(new_files_have_the_permissions_of_the_umask)
{
    umask(022);
    write_file("a", "x");
    struct stat info;
    ck_assert_int_eq(stat("a", &info), 0);
    ck_assert_int_eq(info.st_mode & 0777, 0644);
    unlink("a");
}
END_TEST

START_TEST(a_full_disk_is_an_error_of_the_machine)
{
    Status status;
    ck_assert(!file_write("/dev/full", "x", 1, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.message, "writing failed: No space left on device");
    ck_assert(!file_write("no/such/folder", "x", 1, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.message, "writing failed: No such file or directory");
}
END_TEST

START_TEST(a_stream_reports_the_reason_of_an_earlier_failure)
{
    FileWriter writer;
    Status status;
    struct rlimit old;
    signal(SIGXFSZ, SIG_IGN); // reaching the limit is then an error of write, like a full disk
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 16, old.rlim_max}), 0);
    ck_assert(file_writer_open(&writer, "log", &status));
    while (!ferror(writer.stream))
        fputs("more than there is room for\n", writer.stream);
    errno = 0; // other calls may have changed it
    ck_assert(!file_writer_commit(&writer, &status));
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    ck_assert_str_eq(status.message, "writing failed: File too large");
}
END_TEST

START_TEST(a_failed_system_call_has_the_words_of_errno)
{
    Status status;
    errno = ENOSPC;
    ck_assert(!file_failed("out/report.html", &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.at.source, "out/report.html");
    ck_assert_str_eq(status.message, "No space left on device");
}
END_TEST

START_TEST(a_device_is_written_and_not_replaced)
{
    Status status;
    ck_assert(file_write("/dev/null", "x", 1, &status));
    struct stat info;
    ck_assert_int_eq(stat("/dev/null", &info), 0);
    ck_assert(S_ISCHR(info.st_mode));
}
END_TEST

/* The descriptor for which pwrite, replaced below, writes nothing and returns 0. */
static int taking_nothing = -1;

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t position)
{
    return descriptor == taking_nothing
               ? 0
               : (ssize_t)syscall(SYS_pwrite64, descriptor, bytes, length, position);
}

START_TEST(bytes_are_written_to_an_open_file_or_a_pipe)
{
    const int file = open("file", O_RDWR | O_CREAT, 0600);
    int ends[2];
    char got[4] = "";
    ck_assert_int_ge(file, 0);
    ck_assert(file_put(file, "abc", 3, FILE_CURRENT_POSITION));
    ck_assert(file_put(file, "d", 1, FILE_CURRENT_POSITION));
    ck_assert(file_put(file, "B", 1, 1));
    ck_assert(file_put(file, "e", 1, FILE_CURRENT_POSITION));
    check_content("file", "aBcde", 5);
    taking_nothing = file;
    ck_assert(!file_put(file, "x", 1, 0));
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert(file_put(file, "", 0, 0));
    close(file);
    unlink("file");
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert(file_put(ends[1], "abc", 3, FILE_CURRENT_POSITION));
    ck_assert_int_eq(read(ends[0], got, sizeof got), 3);
    ck_assert_str_eq(got, "abc");
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    ck_assert(!file_put(ends[1], "abc", 3, FILE_CURRENT_POSITION));
    ck_assert_int_eq(errno, EPIPE);
    close(ends[1]);
}
END_TEST

START_TEST(a_new_name_is_synced_to_its_folder)
{
    Status status = {0};
    char absolute[sizeof folder + 8];
    snprintf(absolute, sizeof absolute, "%s/x", folder);
    ck_assert(file_name_settle("x", &status));
    ck_assert(file_name_settle("./x", &status));
    ck_assert(file_name_settle("/x", &status));
    ck_assert(file_name_settle(absolute, &status));
    ck_assert(!file_name_settle("missing/x", &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
}
END_TEST

START_TEST(folders_are_created_with_their_parents)
{
    Status status;
    ck_assert(folder_create("a/b/c", &status));
    ck_assert(folder_create("a//b/c/", &status)); // exists already
    ck_assert(folder_create("/", &status));
    ck_assert(folder_create(".", &status));
    write_file("a/b/c/file", "x");
    unlink("a/b/c/file");
    rmdir("a/b/c");
    rmdir("a/b");
    rmdir("a");
}
END_TEST

START_TEST(a_file_with_the_name_of_a_folder_is_reported)
{
    write_file("a", "x");
    Status status;
    static const char *const paths[] = {"a", "a/b"};
    for (size_t i = 0; i < 2; i++) {
        ck_assert(!folder_create(paths[i], &status));
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_str_eq(status.at.source, paths[i]);
        ck_assert_str_eq(status.message, "\"a\" is a file, expected a folder");
    }
    unlink("a");
}
END_TEST

/* Nested folders with names so long that their paths exceed the limit of any system call. */
static void make_deep(const char *outermost, int depth)
{
    char name[101] = {0};
    memset(name, 'n', sizeof name - 1);
    ck_assert_int_eq(mkdir(outermost, 0700), 0);
    ck_assert_int_eq(chdir(outermost), 0);
    for (int i = 0; i < depth; i++) {
        ck_assert_int_eq(close(open("file", O_WRONLY | O_CREAT, 0600)), 0);
        ck_assert_int_eq(mkdir(name, 0700), 0);
        ck_assert_int_eq(chdir(name), 0);
    }
    ck_assert_int_eq(chdir(folder), 0);
}

START_TEST(a_folder_of_any_depth_is_removed)
{
    enum { DEEP = 100 };
    Status status;
    make_deep("deep", DEEP);
    write_file("deep/removed-1", "of that name already");
    ck_assert_int_eq(mkdir("deep/removed-2", 0700), 0);
    write_file("deep/removed-2/file", "x");
    ck_assert_int_eq(mkdir("other", 0700), 0);
    write_file("other/file", "x");
    ck_assert_int_eq(symlink("../other", "deep/link"), 0);
    ck_assert_msg(folder_remove("deep", &status), "%s", status.message);
    check_content("other/file", "x", 1);
    ck_assert(folder_remove("other", &status));
}
END_TEST

START_TEST(a_folder_without_permissions_is_removed_by_its_owner)
{
    enum { NOBODY = 65534 };
    Status status;
    const bool is_root = geteuid() == 0; // root ignores permissions
    if (is_root)
        ck_assert_int_eq(chown(folder, NOBODY, NOBODY) + seteuid(NOBODY), 0);
    ck_assert(folder_create("shut/in/ner", &status));
    write_file("shut/in/file", "x");
    write_file("shut/in/ner/file", "x");
    ck_assert_int_eq(chmod("shut/in/ner", 0100) + chmod("shut/in", 0500) + chmod("shut", 0), 0);
    ck_assert_msg(folder_remove("shut", &status), "%s", status.message);

    // A folder that belongs to another user cannot be changed.
    if (is_root) {
        ck_assert(folder_create("mine/theirs", &status));
        write_file("mine/theirs/file", "x");
        write_file("mine/own", "x");
        ck_assert_int_eq(seteuid(0) + chown("mine/theirs", 0, 0) + seteuid(NOBODY), 0);
        ck_assert(!folder_remove("mine", &status));
        ck_assert_int_eq(status.code, STATUS_MACHINE);
        ck_assert_str_eq(status.message, "removing the folder failed: Permission denied");
        ck_assert_int_eq(access("mine/theirs/file", F_OK), 0);
        ck_assert_int_ne(access("mine/own", F_OK), 0);
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert(folder_remove("mine", &status));
    }
}
END_TEST

START_TEST(a_folder_with_files_of_another_program_is_not_replaced)
{
    static const char *const names[] = {"one", "two", NULL};
    FolderMark mark = {.maker = "run",
                       .option = "-o",
                       .mark = "mark.tsv",
                       .beginning = "#ours",
                       .replaced = names};
    Status status;
    ck_assert(folder_is_ours("mine", &mark, &status)); // the folder does not exist yet
    ck_assert(folder_create("mine", &status));
    write_file("mine/other", "x");
    ck_assert(folder_is_ours("mine", &mark, &status));
    ck_assert_int_eq(symlink("nowhere", "mine/two"), 0);
    ck_assert(!folder_is_ours("mine", &mark, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_str_eq(status.at.source, "mine");
    ck_assert_str_eq(status.message, "contains a \"two\" that no run made");
    ck_assert_str_eq(status.hint, "it would be replaced: choose another folder for -o");
    static const char *const not_ours[] = {"", "#our", "#Ours"};
    for (size_t i = 0; i < sizeof not_ours / sizeof *not_ours; i++) {
        write_file("mine/mark.tsv", not_ours[i]);
        ck_assert(!folder_is_ours("mine", &mark, &status));
    }
    write_file("mine/mark.tsv", "#ours\tand more");
    ck_assert(folder_is_ours("mine", &mark, &status));
    write_file("mine/mark.tsv", "");
    mark.beginning = "";
    ck_assert(folder_is_ours("mine", &mark, &status));
    ck_assert(folder_remove("mine", &status));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, enter_folder, leave_folder);
    tcase_add_test(tests, written_content_is_read_back);
    tcase_add_test(tests, a_file_that_cannot_be_read_is_an_error_of_the_user);
    tcase_add_test(tests, a_missing_file_is_reported_alike_for_its_content_and_its_size);
    tcase_add_test(tests, a_limit_equal_to_the_size_is_enough);
    tcase_add_test(tests, an_abandoned_file_leaves_the_old_file_unchanged);
    tcase_add_test(tests, a_writer_that_is_killed_leaves_nothing);
    tcase_add_test(tests, a_file_appears_with_the_commit);
    tcase_add_test(tests, new_files_have_the_permissions_of_the_umask);
    tcase_add_test(tests, a_full_disk_is_an_error_of_the_machine);
    tcase_add_test(tests, a_stream_reports_the_reason_of_an_earlier_failure);
    tcase_add_test(tests, a_failed_system_call_has_the_words_of_errno);
    tcase_add_test(tests, a_device_is_written_and_not_replaced);
    tcase_add_test(tests, bytes_are_written_to_an_open_file_or_a_pipe);
    tcase_add_test(tests, a_new_name_is_synced_to_its_folder);
    tcase_add_test(tests, folders_are_created_with_their_parents);
    tcase_add_test(tests, a_file_with_the_name_of_a_folder_is_reported);
    tcase_add_test(tests, a_folder_of_any_depth_is_removed);
    tcase_add_test(tests, a_folder_without_permissions_is_removed_by_its_owner);
    tcase_add_test(tests, a_folder_with_files_of_another_program_is_not_replaced);
    suite_add_tcase(suite, tests);
    return suite;
}

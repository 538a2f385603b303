/* emu/jobs/run_files.h: shares laid out for a command, and what it writes taken back. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/files/store/shares.h"
#include "emu/jobs/run_files.h"
#include "tests/emu/files_room.h"

/* All of a share at one place, a folder of it at another, and an NFS server. */
static const ShellMount mounts[] = {{"/mnt/batch/all", "a/sss", ""},
                                    {"/mnt/batch/some", "a/sss", "deep/er"},
                                    {"/mnt/batch/nfs", "fileserver/nfs", ""}};
enum { MOUNTS = sizeof mounts / sizeof *mounts };

static FilesRoom room;
static const char *folder;
static RunFiles *files;

static void put(const char *path, const char *text)
{
    ck_files(files_file_create(room.files, the_share, path, (int64_t)strlen(text), NULL, NULL), OK);
    if (*text != '\0')
        ck_files(files_write(room.files, the_share, path, 0, (int64_t)strlen(text), text), OK);
}

static void open_files(void)
{
    Status status = {0};
    files = run_files_open(room.files, folder, mounts, MOUNTS, &status);
    ck_assert_msg(files != NULL, "%s", status.message);
}

static void lay(void)
{
    Status status = {0};
    RunFilesStep step;
    while ((step = run_files_lay(files, &status)) == RUN_FILES_MORE)
        continue;
    ck_assert_msg(step == RUN_FILES_DONE, "%s", status.message);
}

static void take(bool last)
{
    Status status = {0};
    RunFilesStep step;
    while ((step = run_files_take(files, last, &status)) == RUN_FILES_MORE)
        continue;
    ck_assert_msg(step == RUN_FILES_DONE, "%s", status.message);
}

static void set_up(void)
{
    room = room_create();
    folder = arena_printf(room.arena, "%s/run", room.folder);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_files(files_share_create(room.files, the_share, 5, NULL), OK);
    ck_files(files_directory_create(room.files, the_share, "deep", NULL), OK);
    ck_files(files_directory_create(room.files, the_share, "deep/er", NULL), OK);
    put("top.txt", "top");
    put("deep/er/low.txt", "low");
    put("empty", "");
    open_files();
    lay();
}

static void tear_down(void)
{
    run_files_close(files);
    room_remove(&room);
}

/* A shell does in the folder what a job might. */
static void job(const char *command)
{
    const char *line = arena_printf(room.arena, "cd '%s' && %s", folder, command);
    ck_assert_int_eq(system(line), 0); // NOLINT(cert-env33-c): a test's own words
}

static const char *on_disk(const char *path)
{
    char *text = arena_alloc(room.arena, 100);
    FILE *file = fopen(arena_printf(room.arena, "%s/%s", folder, path), "r");
    ck_assert_msg(file != NULL, "%s is not there", path);
    text[fread(text, 1, 99, file)] = '\0';
    fclose(file);
    return text;
}

static const char *on_share(const char *path)
{
    int64_t length;
    return room_read(&room, the_share, path, &length);
}

static void is_not_on_share(const char *path)
{
    FilesEntry entry;
    const FilesFailure failure = files_look(room.files, room.arena, the_share, path, &entry);
    ck_assert_msg(failure == FILES_NO_RESOURCE || failure == FILES_NO_PARENT, "%s is there", path);
}

START_TEST(shares_are_laid_out_as_files)
{
    ck_assert_str_eq(on_disk("mnt/batch/all/top.txt"), "top");
    ck_assert_str_eq(on_disk("mnt/batch/all/deep/er/low.txt"), "low");
    ck_assert_str_eq(on_disk("mnt/batch/some/low.txt"), "low");
    ck_assert_str_eq(on_disk("mnt/batch/all/empty"), "");
    take(true);
    ck_assert_int_eq(run_files_bytes(files), 0); // nothing is the command's own but ...
}
END_TEST

START_TEST(files_that_a_job_writes_are_stored_and_removed_ones_are_gone)
{
    job("echo new >mnt/batch/all/new.txt; mkdir -p mnt/batch/some/in/ner tmp; echo x >tmp/own;"
        "echo deep >mnt/batch/some/in/ner/d.txt; echo other >mnt/batch/all/top.txt;"
        "rm mnt/batch/all/empty; echo server >mnt/batch/nfs/file");
    take(false);
    ck_assert_str_eq(on_share("new.txt"), "new\n");
    ck_assert_str_eq(on_share("deep/er/in/ner/d.txt"), "deep\n");
    ck_assert_str_eq(on_share("top.txt"), "other\n");
    is_not_on_share("empty");
    is_not_on_share("own");
    is_not_on_share("file");
    job("rm -r mnt/batch/some/in; echo third >mnt/batch/all/top.txt");
    take(false);
    is_not_on_share("deep/er/in/ner/d.txt");
    is_not_on_share("deep/er/in");
    ck_assert_str_eq(on_share("top.txt"), "third\n");
}
END_TEST

START_TEST(a_file_that_grows_is_added_to_and_taken_whole_at_the_end)
{
    FilesEntry entry;
    job("echo one >mnt/batch/all/log");
    take(false);
    ck_assert_str_eq(on_share("log"), "one\n");
    job("echo two >>mnt/batch/all/log");
    take(false);
    ck_assert_str_eq(on_share("log"), "one\ntwo\n");
    // What was there has changed while it grew: known only once all of it is read again.
    job("printf 'ONE\\ntwo\\nthree\\n' 1<>mnt/batch/all/log");
    take(false);
    take(true);
    ck_assert_str_eq(on_share("log"), "ONE\ntwo\nthree\n");
    job("echo >mnt/batch/all/log");
    take(true);
    ck_assert_str_eq(on_share("log"), "\n");
    ck_files(files_look(room.files, room.arena, the_share, "log", &entry), OK);
    const uint64_t etag = entry.etag;
    take(true); // nothing has changed
    ck_files(files_look(room.files, room.arena, the_share, "log", &entry), OK);
    ck_assert_uint_eq(entry.etag, etag);
}
END_TEST

START_TEST(large_files_come_in_steps)
{
    Status status = {0};
    FilesEntry entry;
    job("head -c 50000000 /dev/zero | tr '\\0' 'x' >mnt/batch/all/large");
    ck_assert_int_eq(run_files_take(files, false, &status), RUN_FILES_MORE);
    ck_files(files_look(room.files, room.arena, the_share, "large", &entry), OK);
    ck_assert_int_gt(entry.bytes, 0);
    ck_assert_int_lt(entry.bytes, 50000000);
    take(true);
    ck_files(files_look(room.files, room.arena, the_share, "large", &entry), OK);
    ck_assert_int_eq(entry.bytes, 50000000);
    ck_assert_int_ge(run_files_bytes(files), 50000000);
}
END_TEST

START_TEST(links_and_devices_are_left_out_and_said)
{
    job("ln -s /etc/passwd mnt/batch/all/passwd; ln -s /etc mnt/batch/all/etc;"
        "mkfifo mnt/batch/all/pipe; rm mnt/batch/all/top.txt;"
        "ln -s /etc/passwd mnt/batch/all/top.txt; rm -r mnt/batch/all/deep;"
        "ln -s /etc mnt/batch/all/deep; echo fine >mnt/batch/all/fine");
    take(true);
    ck_assert_str_eq(on_share("fine"), "fine\n");
    is_not_on_share("passwd");
    is_not_on_share("etc");
    is_not_on_share("etc/passwd");
    is_not_on_share("pipe");
    is_not_on_share("top.txt"); // what had been there was removed
    is_not_on_share("deep/passwd");
    const char *said = run_files_left_out(files, room.arena);
    ck_assert_msg(said && strstr(said, "(a link)") && strstr(said, "and 4 more"), "%s",
                  said ? said : "nothing");
}
END_TEST

/* The text of run_files_left_out; "" if no file was left out. */
static const char *left_out(void)
{
    const char *said = run_files_left_out(files, room.arena);
    return said ? said : "";
}

START_TEST(a_file_that_is_too_deep_is_left_out_and_said)
{
    job("at=mnt/batch/all; for i in $(seq 97); do at=$at/d; done; mkdir -p $at; echo >$at/low;"
        "echo >mnt/batch/all/high; mkdir -p tmp/${at#mnt/batch/all/}/d/d/d");
    take(true);
    ck_assert_str_eq(on_share("high"), "\n");
    const char *said = left_out(); // once: files of the node's disk belong to no share
    ck_assert_msg(strncmp(said, "/mnt/batch/all/d/", 17) == 0, "%s", said);
    ck_assert_msg(strstr(said, "/low (too deep)") && !strstr(said, " more"), "%s", said);
}
END_TEST

START_TEST(a_file_that_could_not_be_read_is_retried_at_the_end_and_reported)
{
    ck_files(files_directory_create(room.files, the_share, "later", NULL), OK);
    job("cd mnt/batch/all && echo x >a:b && mkdir c:d && echo y >later");
    take(false);
    take(false);
    ck_files(files_directory_delete(room.files, the_share, "later"), OK); // by a client
    take(true);
    ck_assert_str_eq(on_share("later"), "y\n");
    ck_assert_msg(strstr(left_out(), "/a:b (") || strstr(left_out(), "/c:d ("), "%s", left_out());
    ck_assert_msg(strstr(left_out(), "and 1 more"), "%s", left_out());
    job("rm -r mnt/batch/all/?:?");
    take(true);
    ck_assert_str_eq(left_out(), "");
}
END_TEST

START_TEST(a_file_takes_the_place_of_a_directory_and_the_other_way_round)
{
    job("cd mnt/batch/all && mkdir -p new/in && echo x >new/in/low && echo y >plain");
    take(false);
    job("cd mnt/batch/all && rm -r new deep/er plain && echo file >new && echo other >deep/er &&"
        "mkdir -p plain/in && echo z >plain/in/low");
    take(false);
    ck_assert_str_eq(on_share("new"), "file\n");
    ck_assert_str_eq(on_share("deep/er"), "other\n");
    ck_assert_str_eq(on_share("plain/in/low"), "z\n");
    job("cd mnt/batch/all && rm -r new plain && mkdir new && echo again >plain");
    take(true);
    is_not_on_share("new/in");
    ck_assert_str_eq(on_share("plain"), "again\n");
    ck_assert_str_eq(left_out(), "");
}
END_TEST

START_TEST(a_name_may_change_its_case_to_and_fro)
{
    job("echo x >mnt/batch/all/Name");
    take(false);
    job("cd mnt/batch/all && mv Name name");
    take(false);
    ck_assert_str_eq(on_share("name"), "x\n");
    job("cd mnt/batch/all && mv name Name");
    take(true);
    ck_assert_str_eq(on_share("Name"), "x\n");
}
END_TEST

START_TEST(nothing_is_laid_out_through_a_link)
{
    Status status = {0};
    const char *outside = arena_printf(room.arena, "%s/outside", room.folder);
    ck_assert_int_eq(mkdir(outside, 0700), 0);
    // Between the preparation and the program, the mounts' parent becomes a link.
    job("rm -r mnt/batch; ln -s ../../outside mnt/batch");
    run_files_close(files);
    files = run_files_open(room.files, folder, mounts, MOUNTS, &status);
    ck_assert_msg(files == NULL, "a link was followed");
    ck_assert_int_eq(rmdir(outside), 0); // empty
    job("rm mnt/batch");
    open_files();
    lay();
    ck_assert_str_eq(on_disk("mnt/batch/all/top.txt"), "top");
}
END_TEST

START_TEST(files_of_another_run_do_not_belong_to_the_share)
{
    job("echo left >mnt/batch/nfs/left; rm mnt/batch/all/top.txt; echo old >mnt/batch/all/old");
    run_files_close(files);
    open_files();
    lay();
    take(true);
    is_not_on_share("old");
    ck_assert_str_eq(on_share("top.txt"), "top");
}
END_TEST

START_TEST(a_new_file_replaces_an_existing_one)
{
    Status status = {0};
    job("ln -s /etc/passwd mnt/batch/all/stdout.txt");
    const int file = run_files_create(files, "/mnt/batch/all/stdout.txt", &status);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, "out", 3), 3);
    close(file);
    take(true);
    ck_assert_str_eq(on_share("stdout.txt"), "out");
    ck_assert(!run_files_make_folder(files, "/mnt/../../outside", &status));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("run_files");
    TCase *cases = tcase_create("run_files");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, shares_are_laid_out_as_files);
    tcase_add_test(cases, files_that_a_job_writes_are_stored_and_removed_ones_are_gone);
    tcase_add_test(cases, a_file_that_grows_is_added_to_and_taken_whole_at_the_end);
    tcase_add_test(cases, large_files_come_in_steps);
    tcase_add_test(cases, links_and_devices_are_left_out_and_said);
    tcase_add_test(cases, a_file_that_is_too_deep_is_left_out_and_said);
    tcase_add_test(cases, a_file_that_could_not_be_read_is_retried_at_the_end_and_reported);
    tcase_add_test(cases, a_file_takes_the_place_of_a_directory_and_the_other_way_round);
    tcase_add_test(cases, a_name_may_change_its_case_to_and_fro);
    tcase_add_test(cases, nothing_is_laid_out_through_a_link);
    tcase_add_test(cases, files_of_another_run_do_not_belong_to_the_share);
    tcase_add_test(cases, a_new_file_replaces_an_existing_one);
    suite_add_tcase(suite, cases);
    return suite;
}

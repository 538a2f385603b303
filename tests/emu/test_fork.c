/* A session that is forked continues like the first one, which it leaves alone; at an earlier time
 * it is what the first one was; with another seed it differs afterwards. A kill leaves the whole
 * fork or none. */
#include <sys/stat.h>
#include <unistd.h>

#include "emu/fork.h"
#include "emu/session/programs.h"
#include "sim/cli/files.h"
#include "tests/emu/twins.h"
#include "tests/support/killed_process.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

enum { REQUESTS = 150 };

/* --- Support --- */

static const char *state_of(const Twin *twin)
{
    return arena_printf(twin->small.arena, "%s/state", twin->small.folder);
}

static void ask_some(Twin *twin, uint64_t from, int count)
{
    draw_state = from;
    for (int i = 0; i < count; i++) {
        const Said said = draw_request();
        ask(twin, said.method, said.target, said.body);
    }
}

static void say_nothing(Twin *twin)
{
    text_free(&twin->said);
    twin->said = (Text){0};
}

/* A client writes a file. */
static void write_file(Twin *twin, const char *path, const char *text)
{
    const ShareName share = {.account = "acct", .share = "share"};
    Emulator *emulator = twin->small.emulator;
    const int64_t length = (int64_t)strlen(text);
    Status status = {0};
    file_store_at(emulator->files, session_unix_ms(emulator->session),
                  session_now_ns(emulator->session));
    ck_assert_int_eq(files_file_create(emulator->files, share, path, length, "{}", "{}"), FILES_OK);
    ck_assert_int_eq(files_write(emulator->files, share, path, 0, length, text), FILES_OK);
    ck_assert(emulator_commit(emulator, &status));
}

static const char *read_file(Twin *twin, const char *path)
{
    const ShareName share = {.account = "acct", .share = "share"};
    FilesReader *reader;
    int64_t bytes;
    if (files_open(twin->small.emulator->files, share, path, &reader, &bytes) != FILES_OK)
        return NULL;
    char *text = arena_alloc(twin->small.arena, (size_t)bytes + 1);
    ck_assert_int_eq(files_read(reader, 0, text, (size_t)bytes), bytes);
    files_reader_close(reader);
    return text;
}

static void end_in_order(Twin *twin)
{
    Status status = {0};
    ck_assert_msg(emulator_rest(twin->small.emulator, &status), "%s", status.message);
    emulator_close(twin->small.emulator);
    twin->small.emulator = NULL;
}

/* The problem that prevents the fork; NULL: it is made. */
static const Status *fork_problem(const Twin *from, const char *folder, int64_t at_ns,
                                  const char *change)
{
    Problems problems = problems_create(from->small.arena);
    const Fork fork = {
        .from = state_of(from), .at_ns = at_ns, .change_count = change != NULL, .changes = &change};
    return fork_session(&fork, folder, &problems) ? NULL : &problems.items[0];
}

/* Forks `from`, which is not open, into the folder of `twin`, and starts it. */
static void fork_begin(Twin *twin, const Twin *from, int64_t at_ns, const char *change)
{
    Arena *arena = arena_create();
    *twin = (Twin){.small = {.arena = arena, .folder = temporary_folder_create(arena)}};
    const char *scenario = arena_printf(arena, "%s/scenario.json", from->small.folder);
    ck_assert_int_eq(symlink(scenario, arena_printf(arena, "%s/scenario.json", twin->small.folder)),
                     0);
    const Status *problem = fork_problem(from, state_of(twin), at_ns, change);
    ck_assert_msg(problem == NULL, "%s", problem ? problem->message : "");
    small_emulator_start(&twin->small);
}

/* --- The present --- */

START_TEST(a_fork_continues_like_the_first_session)
{
    const uint64_t seed = 1 + (uint64_t)_i;
    Twin first, fork;
    twin_begin(&first, seed, false);
    ask_some(&first, 1000 * seed, REQUESTS);
    if (_i % 2 > 0)
        snapshots_rest(first.small.emulator, true);
    write_file(&first, "notes.txt", "one");
    ask_some(&first, 2000 * seed, REQUESTS);
    end_in_order(&first);
    fork_begin(&fork, &first, -1, NULL);
    ck_assert_int_eq(fork.small.emulator->snapshots.used.image.bytes > 0, _i % 2 > 0);
    small_emulator_start(&first.small); // after the fork: an image has one address
    ck_assert_str_eq(exported(&fork), exported(&first));
    ck_assert_str_eq(records(&fork), records(&first));
    say_nothing(&first);
    ask_some(&first, 3000 * seed, REQUESTS);
    ask_some(&fork, 3000 * seed, REQUESTS);
    twins_agree(&first, &fork, REQUESTS);
    ck_assert_str_eq(exported(&fork), exported(&first));
    twin_end(&fork);
    twin_end(&first);
}
END_TEST

START_TEST(neither_session_sees_the_files_of_the_other)
{
    Twin first, fork;
    twin_begin(&first, 3, false);
    write_file(&first, "both.txt", "both");
    write_file(&first, "mine.txt", "first");
    end_in_order(&first);
    fork_begin(&fork, &first, -1, NULL);
    write_file(&fork, "mine.txt", "fork");
    write_file(&fork, "new.txt", "new");
    small_emulator_start(&first.small);
    ck_assert_str_eq(read_file(&first, "both.txt"), "both");
    ck_assert_str_eq(read_file(&fork, "both.txt"), "both");
    ck_assert_str_eq(read_file(&first, "mine.txt"), "first");
    ck_assert_str_eq(read_file(&fork, "mine.txt"), "fork");
    ck_assert_ptr_null(read_file(&first, "new.txt"));
    twin_end(&fork);
    twin_end(&first);
}
END_TEST

START_TEST(a_change_is_an_entry_of_the_fork_alone)
{
    Twin first, fork;
    twin_begin(&first, 5, false);
    ask_some(&first, 5, REQUESTS);
    end_in_order(&first);
    fork_begin(&fork, &first, -1, "{\"do\": \"seed.change\", \"seed\": 77}");
    small_emulator_start(&first.small);
    ck_assert_ptr_nonnull(strstr(exported(&fork), "\"seed.change\""));
    ck_assert_ptr_null(strstr(exported(&first), "\"seed.change\""));
    ck_assert_int_eq(session_sequence(fork.small.emulator->session),
                     session_sequence(first.small.emulator->session) + 1);
    const char *before = exported(&fork);
    twin_restart(&fork);
    ck_assert_str_eq(exported(&fork), before);
    twin_end(&fork);
    twin_end(&first);
}
END_TEST

/* --- The past --- */

/* Entries for several packs of the journal. */
static void make_entries(Twin *twin, int count)
{
    Status status = {0};
    Session *session = twin->small.emulator->session;
    for (int i = 0; i < count; i++) {
        Problems problems = problems_create(twin->small.arena);
        ck_assert(
            programs_set_option(session, twin->small.arena, "--program", "none=exit 0", &problems));
        if (i % 500 == 0)
            ck_assert(emulator_commit(twin->small.emulator, &status));
    }
    ck_assert(emulator_commit(twin->small.emulator, &status));
}

START_TEST(a_fork_at_an_earlier_time_is_what_the_session_was)
{
    static const int entries_before[] = {0, 10, 1500, 3000}; // as many follow; a pack has 1024
    Twin first, fork;
    twin_begin(&first, 9, false);
    make_entries(&first, entries_before[_i]);
    ask_some(&first, 11, REQUESTS);
    const int64_t at_ns = session_now_ns(first.small.emulator->session);
    const char *then = exported(&first);
    ask(&first, HTTP_POST, "/trainyard/clock", "{\"do\": \"advance\", \"by\": \"1s\"}");
    make_entries(&first, 3000 - entries_before[_i]);
    end_in_order(&first);
    fork_begin(&fork, &first, at_ns, NULL);
    ck_assert_int_eq(session_now_ns(fork.small.emulator->session), at_ns);
    ck_assert_str_eq(exported(&fork), then);
    twin_restart(&fork);
    ck_assert_str_eq(exported(&fork), then);
    ask_some(&fork, 13, REQUESTS);
    twin_restart(&fork);
    twin_end(&fork);
    small_emulator_start(&first.small);
    twin_end(&first);
}
END_TEST

static void cannot_fork(const Twin *first, int64_t at_ns, const char *reason)
{
    const char *folder = arena_printf(first->small.arena, "%s/fork", first->small.folder);
    const Status *problem = fork_problem(first, folder, at_ns, NULL);
    ck_assert_msg(problem != NULL && strstr(problem->message, reason) != NULL, "%s: %s", reason,
                  problem ? problem->message : "it is made");
    ck_assert_int_ne(access(folder, F_OK), 0);
    ck_assert_int_ne(access(arena_printf(first->small.arena, "%s.fork", folder), F_OK), 0);
}

START_TEST(a_session_does_not_go_back_behind_its_files)
{
    Twin first, fork;
    twin_begin(&first, 9, false);
    ask(&first, HTTP_POST, "/trainyard/clock", "{\"do\": \"advance\", \"by\": \"1h\"}");
    write_file(&first, "a.txt", "a");
    ask(&first, HTTP_POST, "/trainyard/clock", "{\"do\": \"advance\", \"by\": \"1h\"}");
    end_in_order(&first);
    cannot_fork(&first, 30 * NS_PER_MIN, "clients have changed or deleted files up to 1 h");
    cannot_fork(&first, 3 * NS_PER_HOUR, "its session is only at 2 h");
    fork_begin(&fork, &first, 90 * NS_PER_MIN, NULL);
    ck_assert_str_eq(read_file(&fork, "a.txt"), "a");
    twin_end(&fork);
    small_emulator_start(&first.small);
    const ShareName share = {.account = "acct", .share = "share"};
    ck_assert_int_eq(files_file_delete(first.small.emulator->files, share, "a.txt"), FILES_OK);
    Json *command = session_command_about(first.small.arena, COMMAND_FILE_DELETE,
                                          (ResourcePath){.name = "acct/share"}); // as clients do
    json_put_text(first.small.arena, command, "file", "a.txt");
    Problems problems = problems_create(first.small.arena);
    ck_assert(session_command(first.small.emulator->session, command, NULL, &problems));
    end_in_order(&first);
    cannot_fork(&first, 90 * NS_PER_MIN, "clients have changed or deleted files up to 2 h");
    small_emulator_start(&first.small);
    twin_end(&first);
}
END_TEST

START_TEST(a_session_in_use_or_a_folder_in_use_is_refused)
{
    Twin first, fork;
    twin_begin(&first, 9, false);
    cannot_fork(&first, -1, "another process has this state open");
    end_in_order(&first);
    fork_begin(&fork, &first, -1, NULL);
    const Status *problem = fork_problem(&first, state_of(&fork), -1, NULL);
    ck_assert_ptr_nonnull(strstr(problem->message, "has a session already"));
    problem = fork_problem(&first, fork.small.folder, -1, NULL);
    ck_assert_str_eq(problem->hint, "--fork makes a new folder");
    twin_end(&fork);
    small_emulator_start(&first.small);
    twin_end(&first);
}
END_TEST

/* --- Kills --- */

static bool count_entry(void *owner, const JournalEntry *entry, Status *status)
{
    int64_t *count = owner;
    (void)entry, (void)status;
    ++*count;
    return true;
}

/* The entries of the journal in a folder, which is opened for it. */
static int64_t entries_in(const char *folder)
{
    Status status = {0};
    int64_t count = 0;
    Store *store = store_open(folder, &status);
    ck_assert_msg(store != NULL, "%s", status.message);
    ck_assert(store_replay(store, JOURNAL_ALL, &count, count_entry, &status));
    store_close(store);
    return count;
}

typedef struct {
    const Twin *first;
    const char *folder;
} Forked;

static bool make_fork(void *owner)
{
    const Forked *forked = owner;
    return fork_problem(forked->first, forked->folder, -1,
                        "{\"do\": \"seed.change\", \"seed\": 3}") == NULL;
}

START_TEST(a_kill_leaves_the_whole_fork_or_none)
{
    enum { KILLS = 40 };
    Twin first, whole;
    Status status = {0};
    twin_begin(&first, 21, false);
    write_file(&first, "a.txt", "a");
    ask_some(&first, 21, REQUESTS);
    end_in_order(&first);
    small_emulator_start(&first.small);
    const char *before = exported(&first);
    const int64_t entries = session_sequence(first.small.emulator->session);
    end_in_order(&first);
    const char *folder = arena_printf(first.small.arena, "%s/fork", first.small.folder);
    Forked forked = {&first, folder};
    int64_t calls = killed_process_run(make_fork, &forked, NOT_KILLED);
    ck_assert(folder_remove(folder, &status));
    killed_process_run(make_fork, &forked, calls - calls / 8);
    calls = killed_process_run(make_fork, &forked, NOT_KILLED); // also clears what a kill has left
    int made = 0;
    for (int i = 0; i < KILLS; i++) {
        if (folder_exists(folder)) {
            made++;
            ck_assert_int_eq(entries_in(folder), entries + 1);
            ck_assert(folder_remove(folder, &status));
        }
        killed_process_run(make_fork, &forked, killed_process_call(calls, i, KILLS));
    }
    ck_assert_int_gt(made, 1); // the first was not killed
    ck_assert_int_lt(made, KILLS);
    fork_begin(&whole, &first, -1, NULL);
    ck_assert_str_eq(exported(&whole), before);
    ck_assert_str_eq(read_file(&whole, "a.txt"), "a");
    twin_end(&whole);
    small_emulator_start(&first.small);
    ck_assert_str_eq(exported(&first), before);
    twin_end(&first);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fork");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, a_fork_continues_like_the_first_session, 0, case_count(4));
    tcase_add_test(tests, neither_session_sees_the_files_of_the_other);
    tcase_add_test(tests, a_change_is_an_entry_of_the_fork_alone);
    tcase_add_loop_test(tests, a_fork_at_an_earlier_time_is_what_the_session_was, 0, 4);
    tcase_add_test(tests, a_session_does_not_go_back_behind_its_files);
    tcase_add_test(tests, a_session_in_use_or_a_folder_in_use_is_refused);
    tcase_add_test(tests, a_kill_leaves_the_whole_fork_or_none);
    suite_add_tcase(suite, tests);
    return suite;
}

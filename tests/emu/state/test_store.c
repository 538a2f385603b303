/* emu/state/store.h: what is on disk after a commit, and what is not. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emu/files/store/file_store.h"
#include "emu/http/certificate.h"
#include "emu/state/reserve.h"
#include "emu/state/state_folder.h"
#include "emu/state/store.h"
#include "emu/state/store_schema.h"
#include "sim/base/text.h"
#include "sim/cli/files.h"
#include "tests/support/full_disk.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder; /* of the test */
static const char *state;  /* of the store, in it */
static Status status;

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    state = arena_printf(arena, "%s/state", folder);
    status = (Status){0};
}

static void tear_down(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static Store *open_store(void)
{
    Store *store = store_open(state, &status);
    ck_assert_msg(store != NULL, "%s", status.message);
    return store;
}

static void enter(Store *store, int64_t sequence, const char *command)
{
    const JournalEntry entry = {.sequence = sequence,
                                .at_ns = 10 * sequence,
                                .list = "commands",
                                .command = command,
                                .kept = "",
                                .subject = ""};
    ck_assert_msg(store_enter(store, &entry, &status), "%s", status.message);
}

static void commit(Store *store)
{
    ck_assert_msg(store_commit(store, &status), "%s", status.message);
}

/* Entries as "1@10 text;2@20 text;". */
static bool add_entry(void *owner, const JournalEntry *entry, Status *unused)
{
    (void)unused;
    text_printf(owner, "%d@%d %s %s;", (int)entry->sequence, (int)entry->at_ns, entry->list,
                entry->command);
    return true;
}

static const char *entries(Store *store)
{
    Text text = {0};
    ck_assert(store_replay(store, JOURNAL_ALL, &text, add_entry, &status));
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(exactly_the_committed_entries_exist_after_a_restart)
{
    Store *store = open_store();
    ck_assert(!store_is_dirty(store));
    enter(store, 1, "{\"do\": \"a\"}");
    ck_assert(store_is_dirty(store));
    enter(store, 2, "");
    commit(store);
    ck_assert(!store_is_dirty(store));
    enter(store, 3, "lost");
    ck_assert(store_set(store, "name", "lost", &status));
    store_close(store);

    store = open_store();
    ck_assert_str_eq(entries(store), "1@10 commands {\"do\": \"a\"};2@20 commands ;");
    ck_assert_ptr_null(store_setting(store, arena, "name"));
    store_close(store);
}
END_TEST

START_TEST(a_group_can_be_taken_back)
{
    Store *store = open_store();
    enter(store, 1, "kept");
    ck_assert(store_group_begin(store, &status));
    enter(store, 2, "refused");
    ck_assert(store_set(store, "name", "refused", &status));
    ck_assert(store_group_end(store, false, &status));
    ck_assert_ptr_null(store_setting(store, arena, "name"));
    enter(store, 2, "another");
    commit(store);
    ck_assert_str_eq(entries(store), "1@10 commands kept;2@20 commands another;");
    store_close(store);
}
END_TEST

START_TEST(a_group_that_could_not_be_taken_back_is_never_committed)
{
    Store *store = open_store();
    enter(store, 1, "kept");
    commit(store);
    ck_assert(store_group_begin(store, &status));
    enter(store, 2, "refused");
    // There is nothing to go back to.
    ck_assert_int_eq(sqlite3_exec(store_connection(store), "RELEASE together", NULL, NULL, NULL),
                     SQLITE_OK);
    ck_assert(!store_group_end(store, false, &status));
    ck_assert(!store_commit(store, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    store_close(store);
    store = open_store();
    ck_assert_str_eq(entries(store), "1@10 commands kept;");
    store_close(store);
}
END_TEST

START_TEST(settings_replace_each_other)
{
    Store *store = open_store();
    ck_assert(store_set(store, "seed", "1", &status));
    ck_assert(store_set(store, "seed", "2", &status));
    ck_assert_str_eq(store_setting(store, arena, "seed"), "2");
    ck_assert_ptr_null(store_setting(store, arena, "SEED"));
    store_close(store);
}
END_TEST

static bool stop_at_second(void *owner, const JournalEntry *entry, Status *failure)
{
    (void)owner;
    return entry->sequence < 2 ||
           status_fail(failure, STATUS_BAD_INPUT, place_in(NULL, 0, 0), "enough");
}

START_TEST(a_replay_ends_where_its_reader_fails)
{
    Store *store = open_store();
    enter(store, 1, "");
    enter(store, 2, "");
    enter(store, 3, "");
    ck_assert(!store_replay(store, JOURNAL_ALL, NULL, stop_at_second, &status));
    ck_assert_str_eq(status.message, "enough");
    store_close(store);
}
END_TEST

START_TEST(the_folder_is_the_users_alone)
{
    Store *store = open_store();
    struct stat facts;
    ck_assert_int_eq(stat(state, &facts), 0);
    ck_assert_int_eq(facts.st_mode & 0777, 0700);
    ck_assert_int_eq(stat(arena_printf(arena, "%s/state.sqlite", state), &facts), 0);
    ck_assert_int_eq(facts.st_mode & 0777, 0600);
    store_close(store);
}
END_TEST

/* The result of store_open in a separate process. */
static StatusCode open_elsewhere(void)
{
    pid_t child = fork();
    ck_assert(child >= 0);
    if (child == 0) {
        Status failure = {0};
        Store *store = store_open(state, &failure);
        store_close(store);
        _exit(store != NULL ? STATUS_OK : (int)failure.code);
    }
    int ended;
    ck_assert_int_eq(waitpid(child, &ended, 0), child);
    ck_assert(WIFEXITED(ended));
    return (StatusCode)WEXITSTATUS(ended);
}

START_TEST(files_of_other_programs_are_not_taken_for_a_state)
{
    static const char *const names[] = {
#define X(name, text) [STATE_##name] = (text),
        STATE_NAMES(X)
#undef X
    };
    for (int i = STATE_DATABASE + 1; i < STATE_NAME_COUNT; i++) {
        const char *mine = arena_printf(arena, "%s/%d", folder, i);
        const char *precious = arena_printf(arena, "%s/precious", names[i]);
        struct stat facts;
        ck_assert(folder_create(arena_printf(arena, "%s/%s", mine, names[i]), &status));
        temporary_file_write(mine, precious, "x", 1);
        ck_assert_msg(store_open(mine, &status) == NULL, "\"%s\" is taken", names[i]);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_str_eq(status.at.source, mine);
        ck_assert_ptr_nonnull(strstr(status.message, names[i]));
        ck_assert_ptr_nonnull(strstr(status.hint, "--state"));
        ck_assert_int_eq(stat(arena_printf(arena, "%s/%s", mine, precious), &facts), 0);
        ck_assert_int_ne(stat(state_path(arena, mine, STATE_DATABASE), &facts), 0);
    }
}
END_TEST

START_TEST(a_folder_with_other_files_can_contain_a_state)
{
    ck_assert(folder_create(state, &status));
    store_close(open_store()); // it was empty
    ck_assert(folder_create(arena_printf(arena, "%s/mine", folder), &status));
    temporary_file_write(folder, "mine/notes.txt", "x", 1);
    state = arena_printf(arena, "%s/mine", folder);
    store_close(open_store());
    store_close(open_store());
}
END_TEST

/* The first that is made is the database: whatever is there of a process that was killed, it knows
 * for its own. */
START_TEST(a_beginning_that_was_killed_can_be_taken_up)
{
    static const CertificateNames hosts = {.count = 1, .items = {"localhost"}};
    pid_t child = fork();
    ck_assert(child >= 0);
    if (child == 0) {
        Certificate certificate;
        Store *store = store_open(state, &status);
        if (store && file_store_open(arena, store, &status) &&
            certificate_open(arena, state, &hosts, 1531935900, &certificate, &status))
            kill(getpid(), SIGKILL); // before the first commit
        _exit(1);
    }
    int ended;
    struct stat facts;
    ck_assert_int_eq(waitpid(child, &ended, 0), child);
    ck_assert(WIFSIGNALED(ended));
    ck_assert_int_eq(stat(state_path(arena, state, STATE_BUNDLE), &facts), 0);
    ck_assert_int_eq(stat(state_path(arena, state, STATE_CONTENTS), &facts), 0);
    store_close(open_store());
}
END_TEST

START_TEST(one_process_at_a_time_has_it)
{
    Store *store = open_store();
    ck_assert_int_eq(open_elsewhere(), STATUS_CONFLICT);
    enter(store, 1, "");
    commit(store);
    ck_assert_int_eq(open_elsewhere(), STATUS_CONFLICT);
    store_close(store);
    ck_assert_int_eq(open_elsewhere(), STATUS_OK);
}
END_TEST

START_TEST(a_newer_format_is_refused_by_name)
{
    Store *store = open_store();
    const char *sql = arena_printf(arena, "PRAGMA user_version=%d", STORE_VERSION + 1);
    ck_assert_int_eq(sqlite3_exec(store_connection(store), sql, NULL, NULL, NULL), SQLITE_OK);
    store_close(store);
    ck_assert_ptr_null(store_open(state, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(status.message, "newer trainyard"));
    ck_assert_str_eq(status.at.source, state);
}
END_TEST

START_TEST(a_negative_format_is_refused_as_damaged)
{
    static const char *const versions[] = {"-1", "-2147483648"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        const char *sql = arena_printf(arena, "PRAGMA user_version=%s", versions[i]);
        sqlite3 *database;
        store_close(i == 0 ? open_store() : NULL);
        const char *path = state_path(arena, state, STATE_DATABASE);
        ck_assert_int_eq(sqlite3_open(path, &database), SQLITE_OK);
        ck_assert_int_eq(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(database);
        ck_assert_ptr_null(store_open(state, &status));
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(status.message, versions[i]));
        ck_assert_str_eq(status.at.source, state);
        ck_assert_ptr_nonnull(strstr(status.hint, "--state"));
    }
}
END_TEST

START_TEST(an_older_format_is_brought_up_to_date)
{
    Store *store = open_store();
    enter(store, 1, "");
    commit(store);
    // A store of version 1: without the table of operations that the world has not received.
    static const char older[] = "DROP TABLE file_untold; ALTER TABLE file_extent DROP COLUMN sums;"
                                "DROP TABLE journal_pack; DROP TABLE outcome;"
                                "PRAGMA user_version = 1";
    ck_assert_int_eq(sqlite3_exec(store_connection(store), older, NULL, NULL, NULL), SQLITE_OK);
    store_close(store);
    store = open_store();
    ck_assert_int_eq(sqlite3_exec(store_connection(store),
                                  "INSERT INTO file_untold VALUES ('a', 's', 'f')", NULL, NULL,
                                  NULL),
                     SQLITE_OK);
    store_close(store);
}
END_TEST

START_TEST(settings_of_an_older_format_are_kept)
{
    Store *store = open_store();
    // As version 2 had them.
    static const char older[] =
        "ALTER TABLE file_extent DROP COLUMN sums;"
        "DROP TABLE journal_pack; DROP TABLE outcome;"
        "DROP TABLE settings;"
        "CREATE TABLE settings(name TEXT PRIMARY KEY,value TEXT NOT NULL)STRICT,WITHOUT ROWID;"
        "INSERT INTO settings VALUES('one','1'),('two','2');"
        "PRAGMA user_version = 2";
    ck_assert_int_eq(sqlite3_exec(store_connection(store), older, NULL, NULL, NULL), SQLITE_OK);
    store_close(store);
    store = open_store();
    ck_assert_str_eq(store_setting(store, arena, "one"), "1");
    ck_assert(store_set(store, "two", "3", &status));
    ck_assert_str_eq(store_setting(store, arena, "two"), "3");
    ck_assert_ptr_null(store_setting(store, arena, "three"));
    store_close(store);
}
END_TEST

START_TEST(a_file_that_is_not_a_store_is_refused)
{
    static const char text[] = "This is not a database, and long enough to be looked at as one: "
                               "SQLite reads the first hundred bytes of a file at the least.";
    store_close(open_store());
    ck_assert_int_eq(unlink(arena_printf(arena, "%s/state.sqlite", state)), 0);
    temporary_file_write(state, "state.sqlite", text, sizeof text);
    ck_assert_ptr_null(store_open(state, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);

    temporary_file_write(folder, "file", "", 0);
    status = (Status){0};
    ck_assert_ptr_null(store_open(arena_printf(arena, "%s/file", folder), &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
}
END_TEST

/* A database that has no page left stands for a disk that is full. */
START_TEST(a_full_disk_leaves_the_last_commit)
{
    Store *store = open_store();
    enter(store, 1, "kept");
    commit(store);
    ck_assert_int_eq(
        sqlite3_exec(store_connection(store), "PRAGMA max_page_count=1", NULL, NULL, NULL),
        SQLITE_OK); // no fewer than it has
    char *large = arena_alloc(arena, 100001);
    memset(large, 'x', 100000);
    const JournalEntry entry = {
        .sequence = 3, .list = "commands", .command = large, .kept = "", .subject = ""};
    enter(store, 2, "in the same transaction");
    ck_assert(!store_enter(store, &entry, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status.hint, "disk"));
    // A caller that waits for the commit of entry 2 must not be notified before entry 2 is stored.
    Status failure = {0};
    bool is_committed = store_commit(store, &failure);
    store_close(store);
    store = open_store();
    ck_assert_str_eq(entries(store),
                     is_committed ? "1@10 commands kept;2@20 commands in the same transaction;"
                                  : "1@10 commands kept;");
    store_close(store);
}
END_TEST

START_TEST(a_commit_that_cannot_be_written_says_so)
{
    Store *store = open_store();
    enter(store, 1, "kept");
    commit(store);
    disk_full_begin(16);
    enter(store, 2, "lost");
    const bool is_kept = store_commit(store, &status);
    disk_full_end();
    ck_assert(!is_kept);
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_eq(status.at.source, state); // which outlives the store
    ck_assert(!store_is_dirty(store));
    ck_assert(!store_begin(store, &status)); // its owner knows more than it does
    store_close(store);

    store = open_store();
    ck_assert_str_eq(entries(store), "1@10 commands kept;");
    store_close(store);
}
END_TEST

static int open_descriptors(void)
{
    enum { LOOKED_AT = 256 };
    int count = 0;
    for (int i = 0; i < LOOKED_AT; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

START_TEST(a_file_is_synced_once_however_often_it_was_written)
{
    Store *store = open_store();
    commit(store); // syncs the folder
    int before = open_descriptors();
    for (int i = 0; i < 20; i++) {
        int descriptor = open(arena_printf(arena, "%s/%d", folder, i % 2), O_CREAT | O_RDWR, 0600);
        ck_assert_int_eq(write(descriptor, "x", 1), 1);
        store_sync_before_commit(store, descriptor);
        close(descriptor);
    }
    ck_assert_int_eq(open_descriptors(), before + 2); // one is kept for each file
    enter(store, 1, "");
    commit(store);
    ck_assert_int_eq(open_descriptors(), before);
    store_close(store);
}
END_TEST

START_TEST(files_are_on_disk_before_the_commit_and_descriptors_are_closed)
{
    Store *store = open_store();
    const char *path = arena_printf(arena, "%s/contents", folder);
    int before = open(path, O_CREAT | O_RDWR, 0600);
    close(before);
    for (int i = 0; i < 20; i++) {
        int descriptor = open(path, O_RDWR);
        ck_assert_int_eq(write(descriptor, "x", 1), 1);
        store_sync_before_commit(store, descriptor);
        close(descriptor);
    }
    enter(store, 1, "");
    commit(store);
    int after = open(path, O_RDWR);
    ck_assert_int_eq(after, before); // none was left open
    close(after);
    int pipes[2];
    ck_assert_int_eq(pipe(pipes), 0);
    enter(store, 2, "");
    store_sync_before_commit(store, pipes[0]); // a pipe cannot be synced
    ck_assert(!store_commit(store, &status));
    store_close(store);
    store = open_store();
    ck_assert_str_eq(entries(store), "1@10 commands ;");
    store_close(store);
}
END_TEST

/* A commit to a file that no name leads to would be lost with the process. */
START_TEST(a_state_folder_that_is_gone_is_noticed_by_the_next_commit)
{
    static const char *const gone[] = {"", "/state.sqlite", "/state.sqlite-wal"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        Status why = {0};
        Store *store = open_store();
        enter(store, 1, "kept");
        commit(store);
        ck_assert(store_is_in_place(store, &why));
        ck_assert(folder_remove(arena_printf(arena, "%s%s", state, gone[i]), &why));
        enter(store, 2, "lost");
        ck_assert(!store_commit(store, &why));
        ck_assert_int_eq(why.code, STATUS_MACHINE);
        ck_assert_ptr_nonnull(strstr(why.message, "removed or replaced"));
        ck_assert(!store_is_in_place(store, &why));
        store_close(store);
        ck_assert(folder_remove(state, &why));
    }
}
END_TEST

START_TEST(a_reserve_is_kept_for_removals)
{
    struct stat facts;
    const char *path = arena_printf(arena, "%s/reserve", state);
    Store *store = open_store();
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_int_ge((int64_t)facts.st_blocks * 512, RESERVE_BYTES);
    Reserve reserve = reserve_find(path);
    ck_assert(reserve.is_there);
    reserve_release(&reserve);
    ck_assert_int_ne(stat(path, &facts), 0);
    ck_assert(!reserve_find(path).is_there);
    reserve_take(&reserve);
    ck_assert(reserve.is_there && reserve_find(path).is_there);
    store_close(store);
}
END_TEST

/* --- Damage --- */

enum { ACKNOWLEDGED = 40 };

/* A process that ends without closing the store, as a kill ends it. */
static void write_and_end(bool checkpoints)
{
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        Store *store = store_open(state, &status);
        for (int64_t i = 1; store && i <= ACKNOWLEDGED; i++) {
            const JournalEntry entry = {.sequence = i,
                                        .at_ns = i,
                                        .list = "commands",
                                        .command = arena_printf(arena, "%01000d", (int)i),
                                        .kept = "",
                                        .subject = ""};
            if (!store_enter(store, &entry, &status) || !store_commit(store, &status))
                _exit(1);
        }
        if (store && checkpoints)
            store_checkpoint(store);
        _exit(store ? 0 : 1);
    }
    int ended;
    ck_assert_int_eq(waitpid(child, &ended, 0), child);
    ck_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

static int64_t size_of(const char *path)
{
    struct stat facts;
    ck_assert_int_eq(stat(path, &facts), 0);
    return facts.st_size;
}

static void change_byte(const char *path, int64_t at)
{
    unsigned char byte;
    const int file = open(path, O_RDWR);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(pread(file, &byte, 1, at), 1);
    byte ^= 1;
    ck_assert_int_eq(pwrite(file, &byte, 1, at), 1);
    close(file);
}

static bool count_entry(void *owner, const JournalEntry *entry, Status *unused)
{
    (void)unused;
    ck_assert_int_eq(entry->sequence, ++*(int64_t *)owner); // a beginning without gaps
    return true;
}

typedef enum {
    LOG_MISSING,
    LOG_CUT,
    LOG_HEADER_CHANGED,
    LOG_FRAME_CHANGED,
    DATABASE_CUT,
    DATABASE_EMPTY,
    DAMAGE_COUNT
} Damage;

static void damage(Damage kind)
{
    const char *log = arena_printf(arena, "%s/state.sqlite-wal", state);
    const char *database = arena_printf(arena, "%s/state.sqlite", state);
    const char *contents = arena_printf(arena, "%s/contents", state);
    switch (kind) {
    case LOG_MISSING:
        ck_assert_int_eq(unlink(log), 0);
        break;
    case LOG_CUT:
        ck_assert_int_eq(truncate(log, size_of(log) / 2), 0);
        break;
    case LOG_HEADER_CHANGED:
        change_byte(log, 17);
        break;
    case LOG_FRAME_CHANGED:
        change_byte(log, size_of(log) / 2);
        break;
    case DATABASE_CUT:
        ck_assert_int_eq(truncate(database, size_of(database) / 8192 * 4096), 0);
        break;
    case DATABASE_EMPTY:
        ck_assert_int_eq(mkdir(contents, 0700), 0);
        ck_assert(file_write(arena_printf(arena, "%s/7", contents), "bytes", 5, &status));
        ck_assert_int_eq(truncate(database, 0), 0);
        break;
    case DAMAGE_COUNT:
        break;
    }
}

START_TEST(a_state_that_has_lost_something_is_refused_and_recovered_by_request)
{
    for (Damage kind = 0; kind < DAMAGE_COUNT; kind++) {
        Status why = {0};
        int64_t count = 0;
        write_and_end(false);
        if (kind >= DATABASE_CUT) // a log would have all that is missing
            store_close(open_store());
        damage(kind);
        for (int again = 0; again < 2; again++) { // a refusal leaves everything unchanged
            ck_assert_msg(store_open(state, &why) == NULL, "damage %d", (int)kind);
            ck_assert_msg(why.code == STATUS_BAD_INPUT, "damage %d: %s", (int)kind, why.message);
            ck_assert_ptr_nonnull(strstr(why.hint, "--recover"));
        }
        Store *store = store_recover(state, &why);
        ck_assert_msg(store != NULL, "damage %d: %s", (int)kind, why.message);
        ck_assert_int_gt(store_warnings(store)->count, 0);
        ck_assert(store_replay(store, JOURNAL_ALL, &count, count_entry, &why));
        ck_assert_msg(count < ACKNOWLEDGED, "damage %d", (int)kind);
        if (kind == LOG_FRAME_CHANGED || kind == LOG_CUT)
            ck_assert_int_gt(count, ACKNOWLEDGED / 4);
        enter(store, count + 1, "on it goes");
        commit(store);
        store_close(store);
        ck_assert_int_eq(access(arena_printf(arena, "%s/lost/state.sqlite", state), F_OK), 0);
        store_close(open_store());
        ck_assert(folder_remove(state, &why));
    }
}
END_TEST

START_TEST(the_torn_end_of_a_commit_that_nobody_was_told_of_is_no_damage)
{
    static char torn[3000];
    const char *log = arena_printf(arena, "%s/state.sqlite-wal", state);
    int64_t count = 0;
    write_and_end(false);
    const int file = open(log, O_WRONLY | O_APPEND);
    ck_assert_int_eq(write(file, torn, sizeof torn), sizeof torn);
    close(file);
    Store *store = open_store();
    ck_assert(store_replay(store, JOURNAL_ALL, &count, count_entry, &status));
    ck_assert_int_eq(count, ACKNOWLEDGED);
    store_close(store);
    ck_assert_int_ne(access(arena_printf(arena, "%s/state.sqlite-witness", state), F_OK), 0);
    // What was moved into the database does not need the log.
    ck_assert(folder_remove(state, &status));
    write_and_end(true);
    ck_assert_int_eq(unlink(log), 0);
    store = open_store();
    count = 0;
    ck_assert(store_replay(store, JOURNAL_ALL, &count, count_entry, &status));
    ck_assert_int_eq(count, ACKNOWLEDGED);
    store_close(store);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("store");
    TCase *tests = tcase_create("store");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, exactly_the_committed_entries_exist_after_a_restart);
    tcase_add_test(tests, a_state_folder_that_is_gone_is_noticed_by_the_next_commit);
    tcase_add_test(tests, a_reserve_is_kept_for_removals);
    tcase_add_test(tests, a_state_that_has_lost_something_is_refused_and_recovered_by_request);
    tcase_add_test(tests, the_torn_end_of_a_commit_that_nobody_was_told_of_is_no_damage);
    tcase_add_test(tests, a_group_can_be_taken_back);
    tcase_add_test(tests, a_group_that_could_not_be_taken_back_is_never_committed);
    tcase_add_test(tests, settings_replace_each_other);
    tcase_add_test(tests, a_replay_ends_where_its_reader_fails);
    tcase_add_test(tests, the_folder_is_the_users_alone);
    tcase_add_test(tests, files_of_other_programs_are_not_taken_for_a_state);
    tcase_add_test(tests, a_folder_with_other_files_can_contain_a_state);
    tcase_add_test(tests, a_beginning_that_was_killed_can_be_taken_up);
    tcase_add_test(tests, one_process_at_a_time_has_it);
    tcase_add_test(tests, a_newer_format_is_refused_by_name);
    tcase_add_test(tests, a_negative_format_is_refused_as_damaged);
    tcase_add_test(tests, an_older_format_is_brought_up_to_date);
    tcase_add_test(tests, settings_of_an_older_format_are_kept);
    tcase_add_test(tests, a_file_that_is_not_a_store_is_refused);
    tcase_add_test(tests, a_full_disk_leaves_the_last_commit);
    tcase_add_test(tests, a_commit_that_cannot_be_written_says_so);
    tcase_add_test(tests, a_file_is_synced_once_however_often_it_was_written);
    tcase_add_test(tests, files_are_on_disk_before_the_commit_and_descriptors_are_closed);
    suite_add_tcase(suite, tests);
    return suite;
}

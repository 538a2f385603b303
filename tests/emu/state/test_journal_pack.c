/* Old entries of the journal are packed: a replay passes them on like all others. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/state/journal_pack.h"
#include "emu/state/store_copy.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/theory.h"

enum { ENTRIES = 7000, ENTRIES_A_COMMIT = 50, PARTS = 12 };

static Arena *arena;
static const char *folder, *state;
static Store *store;

static void open_store(void)
{
    Status status = {0};
    store = store_open(state, &status);
    ck_assert_msg(store != NULL, "%s", status.message);
}

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    state = arena_printf(arena, "%s/state", folder);
    open_store();
}

static void tear_down(void)
{
    store_close(store);
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static JournalEntry entry_of(Arena *to, int64_t sequence)
{
    return (JournalEntry){
        .sequence = sequence,
        .at_ns = sequence * 1000003 + sequence % 7,
        .list = sequence % 5 == 0 ? "notes" : "commands",
        .command =
            sequence % 5 == 0 ? "" : arena_printf(to, "{\"do\":\"x\",\"n\":%" PRId64 "}", sequence),
        .kept = sequence % 3 == 0 ? "{\"tags\":{}}" : "",
        .subject = sequence % 5 == 0 ? arena_printf(to, "0 g%" PRId64 "///", sequence) : ""};
}

static void enter(int64_t first, int64_t last)
{
    Status status = {0};
    for (int64_t n = first; n <= last; n++) {
        Arena *scratch = arena_create();
        const JournalEntry entry = entry_of(scratch, n);
        ck_assert(store_enter(store, &entry, &status));
        arena_destroy(scratch);
        if (n % ENTRIES_A_COMMIT == 0)
            ck_assert_msg(store_commit(store, &status), "%s", status.message);
    }
    ck_assert(store_commit(store, &status));
}

static bool check(void *owner, const JournalEntry *found, Status *status)
{
    int64_t *next = owner;
    Arena *scratch = arena_create();
    const JournalEntry expected = entry_of(scratch, *next);
    (void)status;
    ck_assert_int_eq(found->sequence, *next);
    ck_assert_int_eq(found->at_ns, expected.at_ns);
    ck_assert_str_eq(found->list, expected.list);
    ck_assert_str_eq(found->command, expected.command);
    ck_assert_str_eq(found->kept, expected.kept);
    ck_assert_str_eq(found->subject, expected.subject);
    arena_destroy(scratch);
    ++*next;
    return true;
}

/* The entries of the range are found, and no others. */
static void find(int64_t after, int64_t last, int64_t count_max, int64_t count)
{
    Status status = {0};
    int64_t next = after + 1;
    ck_assert_msg(
        store_replay(store, (JournalRange){after, last, count_max}, &next, check, &status), "%s",
        status.message);
    ck_assert_int_eq(next - after - 1, count);
}

static int64_t number(const char *sql)
{
    sqlite3_stmt *statement;
    ck_assert_int_eq(sqlite3_prepare_v2(store_connection(store), sql, -1, &statement, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    const int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static void run(const char *sql)
{
    ck_assert_int_eq(sqlite3_exec(store_connection(store), sql, NULL, NULL, NULL), SQLITE_OK);
}

START_TEST(packed_entries_are_replayed)
{
    enter(1, ENTRIES);
    ck_assert_int_ge(number("SELECT count(*) FROM journal_pack"), 4);
    ck_assert_int_lt(number("SELECT count(*) FROM journal"), 2500);
    ck_assert_int_lt(number("SELECT sum(length(packed)) FROM journal_pack") * 5,
                     number("SELECT sum(text_bytes) FROM journal_pack"));
    for (int round = 0; round < 2; round++) {
        find(0, INT64_MAX, INT64_MAX, ENTRIES);
        for (int64_t after = 0; after < ENTRIES; after += 501)
            for (int64_t length = 1; length < 4000; length *= 3) {
                const int64_t left = ENTRIES - after, count = length < left ? length : left;
                find(after, after + length, INT64_MAX, count);
                find(after, INT64_MAX, length, count);
            }
        store_close(store);
        open_store();
    }
    enter(ENTRIES + 1, ENTRIES + 3000);
    find(0, INT64_MAX, INT64_MAX, ENTRIES + 3000);
}
END_TEST

/* A journal of an older version is packed little by little. */
START_TEST(a_long_journal_is_packed_by_later_commits)
{
    enter(1, 1500);
    run("WITH RECURSIVE n(i) AS (SELECT 1501 UNION ALL SELECT i+1 FROM n WHERE i<6000) "
        "INSERT INTO journal SELECT i,i*1000003+i%7,'commands','{\"do\":\"x\",\"n\":'||i||'}',"
        "iif(i%3=0,'{\"tags\":{}}',''),'' FROM n WHERE i%5>0 UNION ALL "
        "SELECT i,i*1000003+i%7,'notes','',iif(i%3=0,'{\"tags\":{}}',''),'0 g'||i||'///' FROM n "
        "WHERE i%5=0");
    store_close(store);
    open_store();
    find(0, INT64_MAX, INT64_MAX, 6000);
    const int64_t before = number("SELECT count(*) FROM journal_pack");
    enter(6001, 6001);
    ck_assert_int_eq(number("SELECT count(*) FROM journal_pack"), before + 1);
    enter(6002, 6400);
    ck_assert_int_lt(number("SELECT count(*) FROM journal"), 2500);
    find(0, INT64_MAX, INT64_MAX, 6400);
}
END_TEST

/* An entry that is taken back is in no pack. */
START_TEST(the_last_entry_can_be_taken_back)
{
    Status status = {0};
    enter(1, 3000);
    const JournalEntry entry = entry_of(arena, 3001);
    ck_assert(store_group_begin(store, &status));
    ck_assert(store_enter(store, &entry, &status));
    ck_assert(store_group_end(store, false, &status));
    ck_assert(store_commit(store, &status));
    find(0, INT64_MAX, INT64_MAX, 3000);
    enter(3001, 3200);
    find(0, INT64_MAX, INT64_MAX, 3200);
}
END_TEST

/* The secrets of entries that are cut off go with them, also in the middle of a pack. */
START_TEST(secrets_are_cut_off_with_their_entries)
{
    Status status = {0};
    enter(1, 3000);
    ck_assert(store_set(store, "secrets of 9", "{}", &status));
    ck_assert(store_set(store, "secrets of 500", "{}", &status));
    ck_assert(store_set(store, "secrets of 501", "{}", &status));
    ck_assert(store_set(store, "secrets of 2999", "{}", &status));
    ck_assert(store_cut(store, 500, &status));
    find(0, INT64_MAX, INT64_MAX, 500);
    ck_assert_ptr_nonnull(store_setting(store, arena, "secrets of 9"));
    ck_assert_ptr_nonnull(store_setting(store, arena, "secrets of 500"));
    ck_assert_ptr_null(store_setting(store, arena, "secrets of 501"));
    ck_assert_ptr_null(store_setting(store, arena, "secrets of 2999"));
}
END_TEST

static bool ignore(void *owner, const JournalEntry *entry, Status *status)
{
    (void)owner, (void)entry, (void)status;
    return true;
}

static const char *const harms[] = {
    "UPDATE journal_pack SET packed=substr(packed,1,length(packed)-9) WHERE first=1",
    "UPDATE journal_pack SET packed=x'' WHERE first=1",
    "UPDATE journal_pack SET text_bytes=text_bytes+1 WHERE first=1",
    "UPDATE journal_pack SET text_bytes=1099511627776 WHERE first=1",
    "UPDATE journal_pack SET text_bytes=-1 WHERE first=1",
    "UPDATE journal_pack SET last=last-1 WHERE first=1",
    ("UPDATE journal_pack SET packed=CAST(substr(packed,1,100)||x'00'||substr(packed,102) AS BLOB) "
     "WHERE first=1"),
};

START_TEST(a_damaged_pack_is_refused)
{
    Status status = {0};
    enter(1, 3000);
    run(harms[_i]);
    ck_assert(!store_replay(store, JOURNAL_ALL, NULL, ignore, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_msg(strstr(status.message, "of its journal are damaged") != NULL, "%s",
                  status.message);
}
END_TEST

/* A database that is cut off is recovered as an earlier journal, without a gap. */
START_TEST(a_recovered_journal_has_no_gap)
{
    const int64_t part = _i * PARTS / case_count(PARTS);
    Status status = {0};
    int64_t next = 1;
    enter(1, ENTRIES);
    ck_assert(store_set(store, STORE_SNAPSHOT_SETTING, "0 7000 1 1", &status));
    ck_assert(store_set(store, "secrets of 7000", "{}", &status));
    ck_assert(store_commit(store, &status));
    const int64_t pages = number("PRAGMA page_count");
    const int64_t page_bytes = number("PRAGMA page_size");
    store_close(store);
    const char *path = arena_printf(arena, "%s/state.sqlite", state);
    ck_assert_int_eq(truncate(path, pages * (part + 2) / (PARTS + 2) * page_bytes), 0);
    ck_assert_ptr_null(store_open(state, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    store = store_recover(state, &status);
    ck_assert_ptr_nonnull(store);
    ck_assert_int_gt(store_warnings(store)->count, 0);
    ck_assert_ptr_null(store_setting(store, arena, STORE_SNAPSHOT_SETTING));
    ck_assert_ptr_null(store_setting(store, arena, "secrets of 7000"));
    status = (Status){0};
    ck_assert_msg(store_replay(store, JOURNAL_ALL, &next, check, &status), "%s", status.message);
    ck_assert_int_lt(next, ENTRIES + 2);
    enter(next, next + 2500);
    find(0, INT64_MAX, INT64_MAX, next + 2500);
}
END_TEST

Suite *test_suite(void)
{
    TCase *cases = tcase_create("journal_pack");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, packed_entries_are_replayed);
    tcase_add_test(cases, a_long_journal_is_packed_by_later_commits);
    tcase_add_test(cases, the_last_entry_can_be_taken_back);
    tcase_add_test(cases, secrets_are_cut_off_with_their_entries);
    tcase_add_loop_test(cases, a_damaged_pack_is_refused, 0, sizeof harms / sizeof *harms);
    tcase_add_loop_test(cases, a_recovered_journal_has_no_gap, 0, case_count(PARTS));
    Suite *suite = suite_create("journal_pack");
    suite_add_tcase(suite, cases);
    return suite;
}

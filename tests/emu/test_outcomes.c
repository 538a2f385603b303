/* emu/session/outcomes.h: a start whose replay gives another past than clients saw says so, and
 * names the clusters and jobs that differ, once. The other version of the program is a session
 * whose stored scenario has another seed, so that all durations of the replay differ. */
#include <sqlite3.h>

#include "emu/fork.h"
#include "tests/emu/twins.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

enum { REQUESTS = 200 };

#define WORKSPACE GROUPS "g0/providers/Microsoft.BatchAI/workspaces/w0"
#define CLUSTER WORKSPACE "/clusters/c0"

static void put_cluster(Twin *twin)
{
    ask(twin, HTTP_PUT, GROUPS "g0", "{\"location\": \"northeurope\"}");
    ask(twin, HTTP_PUT, WORKSPACE, "{\"location\": \"northeurope\"}");
    ask(twin, HTTP_PUT, WORKSPACE "/experiments/e0", "{}");
    ask(twin, HTTP_PUT, CLUSTER,
        "{\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": {\"manual\":"
        " {\"targetNodeCount\": 2}}, \"userAccountSettings\": {\"adminUserName\": \"u\","
        " \"adminUserPassword\": \"p\"}}}");
    ask(twin, HTTP_PUT, WORKSPACE "/experiments/e0/jobs/j0",
        "{\"properties\": {\"cluster\": {\"id\": \"" CLUSTER "\"}, \"nodeCount\": 1,"
        " \"stdOutErrPathPrefix\": \"/mnt\", \"customToolkitSettings\": {\"commandLine\": "
        "\"x\"}}}");
}

static void advance_by(Twin *twin, const char *by)
{
    char body[64];
    snprintf(body, sizeof body, "{\"do\": \"advance\", \"by\": \"%s\"}", by);
    ask(twin, HTTP_POST, "/trainyard/clock", body);
}

/* As the next commit of the store. */
static void change_store(Twin *twin, const char *sql)
{
    Status status = {0};
    Store *store = twin->small.emulator->store;
    ck_assert(store_begin(store, &status));
    ck_assert_int_eq(sqlite3_exec(store_connection(store), sql, NULL, NULL, NULL), SQLITE_OK);
    ck_assert(store_commit(store, &status));
}

static int64_t count(Twin *twin, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    sqlite3 *connection = store_connection(twin->small.emulator->store);
    ck_assert_int_eq(sqlite3_prepare_v2(connection, sql, -1, &statement, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    const int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static const char *warnings_of(const Twin *twin)
{
    Text text = {0};
    for (int32_t i = 0; i < twin->small.warnings.kept; i++)
        text_printf(&text, "%s: %s\n", twin->small.warnings.items[i].at.source,
                    twin->small.warnings.items[i].message);
    const char *copy = arena_strdup(twin->small.arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* There may be a warning that the scenario has changed. */
static void check_silence(const Twin *twin)
{
    const char *warnings = warnings_of(twin);
    ck_assert_msg(strstr(warnings, "version of trainyard") == NULL, "%s", warnings);
}

static void check_warning(const Twin *twin, const char *part)
{
    ck_assert_msg(strstr(warnings_of(twin), part) != NULL, "%s\nwithout: %s", warnings_of(twin),
                  part);
}

/* --- The same past --- */

START_TEST(a_replay_of_the_same_program_agrees)
{
    Twin twin;
    twin_begin(&twin, 1 + (uint64_t)_i, _i % 2 > 0);
    draw_state = 1000 * (uint64_t)_i;
    for (int i = 0; i < REQUESTS; i++) {
        const Said said = draw_request();
        ask(&twin, said.method, said.target, said.body);
        if (i % 20 == 0) {
            twin_restart(&twin);
            check_silence(&twin);
        }
    }
    twin_restart(&twin);
    check_silence(&twin);
    // Deleted clusters and jobs have no rows.
    const World *world = session_world(twin.small.emulator->session);
    int64_t existing = 0;
    for (uint32_t i = 0; i < world_cluster_count(world); i++) {
        const Cluster *cluster = world_cluster(world, (ClusterId){i});
        existing += cluster != NULL && cluster->provisioning != PROVISIONING_DELETED;
    }
    for (uint32_t i = 0; i < world_job_count(world); i++) {
        const Job *job = world_job(world, (JobId){i});
        existing += job != NULL && job->provisioning != PROVISIONING_DELETED;
    }
    ck_assert_int_eq(count(&twin, "SELECT count(*) FROM outcome"), existing);
    twin_end(&twin);
}
END_TEST

START_TEST(a_session_that_has_gone_back_agrees)
{
    Twin twin, fork;
    twin_begin(&twin, 3, false);
    put_cluster(&twin);
    advance_by(&twin, "1m");
    advance_by(&twin, "1h");
    ask(&twin, HTTP_POST, "/trainyard/clock", "{\"do\": \"undo\"}");
    ck_assert(emulator_is_over(twin.small.emulator));
    for (int i = 0; i < 2; i++) {
        twin_restart(&twin);
        check_silence(&twin);
        ask(&twin, HTTP_PUT, GROUPS "g1", "{\"location\": \"northeurope\"}");
    }
    ck_assert_int_eq(count(&twin, "SELECT count(*) FROM outcome"), 2);
    emulator_close(twin.small.emulator);
    // A fork whose change has consequences at once.
    const char *change = "{\"do\": \"seed.change\", \"seed\": 9}";
    Arena *arena = arena_create();
    fork = (Twin){.small = {.arena = arena, .folder = temporary_folder_create(arena)}};
    temporary_file_write(fork.small.folder, "scenario.json", "", 0);
    Problems problems = problems_create(arena);
    const Fork how = {.from = arena_printf(arena, "%s/state", twin.small.folder),
                      .at_ns = -1,
                      .change_count = 1,
                      .changes = &change};
    ck_assert(fork_session(&how, arena_printf(arena, "%s/state", fork.small.folder), &problems));
    small_emulator_start(&fork.small);
    check_silence(&fork);
    twin_end(&fork);
    small_emulator_start(&twin.small);
    twin_end(&twin);
}
END_TEST

/* --- Another past --- */

static void let_another_version_replay(Twin *twin)
{
    change_store(twin,
                 "UPDATE settings SET value=replace(value,'\\\"seed\\\": 5','\\\"seed\\\": 6')"
                 " WHERE name='base'");
    ck_assert_int_eq(count(twin, "SELECT changes()"), 1);
    twin_restart(twin);
}

START_TEST(what_another_version_computes_is_named_once)
{
    Twin twin;
    twin_begin(&twin, 5, false);
    put_cluster(&twin);
    advance_by(&twin, "1h");
    let_another_version_replay(&twin);
    check_warning(&twin, "computes another course from the journal than the one that served it: "
                         "2 of 2 clusters and jobs differ\n");
    check_warning(&twin, "cluster w0/c0: clients saw \"steady 2018-07-18T17:4");
    check_warning(&twin, "job w0/e0/j0: clients saw \"succeeded 2018-07-18T17:50:");
    check_warning(&twin, "\", and now it is \"succeeded 2018-07-18T17:49:");
    ask(&twin, HTTP_PUT, GROUPS "g1", "{\"location\": \"northeurope\"}");
    twin_restart(&twin);
    check_silence(&twin);
    twin_end(&twin);
}
END_TEST

START_TEST(an_end_in_order_is_enough_to_have_named_it)
{
    Twin twin;
    Status status = {0};
    twin_begin(&twin, 5, false);
    put_cluster(&twin);
    advance_by(&twin, "1h");
    let_another_version_replay(&twin);
    check_warning(&twin, "computes another course");
    twin_restart(&twin); // nothing was asked: the next start names it as well
    check_warning(&twin, "computes another course");
    ck_assert_msg(emulator_rest(twin.small.emulator, &status), "%s", status.message);
    twin_restart(&twin);
    check_silence(&twin);
    twin_end(&twin);
}
END_TEST

START_TEST(what_exists_in_one_past_only_is_named)
{
    Twin twin;
    twin_begin(&twin, 7, false);
    put_cluster(&twin);
    advance_by(&twin, "1h");
    change_store(&twin, "UPDATE outcome SET row=7,name='w0/e0/other' WHERE kind='job'");
    twin_restart(&twin);
    check_warning(&twin, ": 2 of 3 clusters and jobs differ\n");
    check_warning(&twin, "job w0/e0/j0: clients saw \"deleted\", and now it is \"succeeded");
    check_warning(&twin, "job w0/e0/other: clients saw \"succeeded");
    check_warning(&twin, ", and now it is \"deleted\"");
    ask(&twin, HTTP_PUT, GROUPS "g1", "{\"location\": \"northeurope\"}");
    ck_assert_int_eq(count(&twin, "SELECT count(*) FROM outcome"), 2);
    twin_restart(&twin);
    check_silence(&twin);
    twin_end(&twin);
}
END_TEST

START_TEST(a_state_without_outcomes_may_differ)
{
    Twin twin;
    twin_begin(&twin, 7, false);
    put_cluster(&twin);
    advance_by(&twin, "1h");
    change_store(&twin, "DELETE FROM settings WHERE name='outcomes';DELETE FROM outcome");
    twin_restart(&twin);
    check_warning(&twin, "an older version of trainyard wrote this state");
    ask(&twin, HTTP_PUT, GROUPS "g1", "{\"location\": \"northeurope\"}");
    ck_assert_int_eq(count(&twin, "SELECT count(*) FROM outcome"), 2);
    twin_restart(&twin);
    check_silence(&twin);
    twin_end(&twin);
}
END_TEST

/* --- No past --- */

/* The first problem of a start after that change of the database. */
static const Status *start_problem(Twin *twin, const char *sql)
{
    SmallEmulator *small = &twin->small;
    Problems problems = problems_create(small->arena), warnings = problems_create(small->arena);
    const EmulatorSettings settings = {.storage_suffix = "core.windows.net"};
    change_store(twin, sql);
    ck_assert_int_eq(count(twin, "SELECT changes()"), 1);
    emulator_close(small->emulator);
    small->emulator = emulator_open(
        small->arena, arena_printf(small->arena, "%s/state", small->folder), NULL,
        (ScenarioOverrides){0}, &settings, (Clock){.kind = CLOCK_MANUAL}, &problems, &warnings);
    ck_assert_ptr_null(small->emulator);
    return &problems.items[0];
}

START_TEST(a_state_that_this_version_does_not_read_is_refused)
{
    static const struct {
        const char *sql, *message;
    } rows[] = {
        {"UPDATE settings SET value=replace(value,'\\\"seed\\\": 5','\\\"sed\\\": 5')"
         " WHERE name='base'",
         "another version of trainyard wrote this state, and this one does not read the scenario"},
        {"UPDATE journal SET command=replace(command,'STANDARD_NC6','STANDARD_NC7')"
         " WHERE command LIKE '%cluster.create%'",
         "entry 4 (cluster.create c0 at 2018-07-18T17:45:00Z) cannot be repeated: unknown VM size"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Twin twin;
        twin_begin(&twin, 5, false);
        put_cluster(&twin);
        const Status *problem = start_problem(&twin, rows[i].sql);
        ck_assert_msg(strncmp(problem->message, rows[i].message, strlen(rows[i].message)) == 0,
                      "%s", problem->message);
        ck_assert_ptr_nonnull(strstr(problem->hint, "another folder for --state"));
        twin_end(&twin);
    }
}
END_TEST

Suite *test_suite(void)
{
    TCase *tests = tcase_create("outcomes");
    tcase_add_loop_test(tests, a_replay_of_the_same_program_agrees, 0, case_count(4));
    tcase_add_test(tests, a_session_that_has_gone_back_agrees);
    tcase_add_test(tests, what_another_version_computes_is_named_once);
    tcase_add_test(tests, an_end_in_order_is_enough_to_have_named_it);
    tcase_add_test(tests, what_exists_in_one_past_only_is_named);
    tcase_add_test(tests, a_state_without_outcomes_may_differ);
    tcase_add_test(tests, a_state_that_this_version_does_not_read_is_refused);
    Suite *suite = suite_create("outcomes");
    suite_add_tcase(suite, tests);
    return suite;
}

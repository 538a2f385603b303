/* emu/files/report.h: jobs find the contents that clients write into files, and so does an exported
 * session. */
#include "emu/files/auth/auth.h"
#include "emu/files/report.h"
#include "sim/base/units.h"
#include "sim/output/share/job_files.h"
#include "tests/emu/small_emulator.h"
#include "tests/support/suite.h"

static SmallEmulator small;
static Arena *arena;

static const char scenario[] =
    "{\"trainyard\": 1, \"start\": \"2018-06-06T21:06:02Z\", \"region\": \"northeurope\","
    " \"catalog\": [\"" TRAINYARD_SOURCE_DIR "/scenarios/catalog/azure-2018.json\"],"
    " \"resource_group\": \"base\","
    " \"storage\": [{\"account\": \"acct\", \"shares\": [{\"name\": \"share\", \"files\":"
    " {\"old.txt\": {\"text\": \"old\\n\"}}}]}],"
    " \"setups\": [{\"match\": \"*\", \"duration\": \"0s\"}], \"commands\": []}";

static void set_up(void)
{
    arena = arena_create();
    small = (SmallEmulator){.arena = arena, .folder = temporary_folder_create(arena)};
    temporary_file_write(small.folder, "scenario.json", scenario, strlen(scenario));
    small_emulator_start(&small);
    emulator_tick(small.emulator, 1, small.emulator->pace.real_unix_ms);
}

static void tear_down(void)
{
    small_emulator_remove(&small);
}

/* --- Requests --- */

static HttpResponse response;

static int32_t ask(HttpListener listener, const char *method, const char *target,
                   const char *const headers[][2], const char *body, size_t length)
{
    enum { HEADERS = 12 };
    HttpField *fields = ARENA_ARRAY(arena, HttpField, HEADERS);
    const size_t path = strcspn(target, "?");
    HttpRequest request = {.arena = arena,
                           .listener = listener,
                           .method = http_method(method),
                           .method_text = method,
                           .target = arena_strndup(arena, target, path),
                           .host = "127.0.0.1:8080",
                           .peer = "127.0.0.1",
                           .headers = fields,
                           .body = body,
                           .body_bytes = length};
    ck_assert(http_read_query(&request, target[path] == '?' ? target + path + 1 : ""));
    for (int i = 0; headers[i][0]; i++)
        fields[request.header_count++] = (HttpField){headers[i][0], headers[i][1]};
    fields[request.header_count++] =
        (HttpField){"Content-Length", arena_printf(arena, "%zu", length)};
    if (listener == LISTENER_PLAIN && strncmp(target, "/acct/", 6) == 0) {
        char *date = arena_alloc(arena, HTTP_DATE);
        http_date_print(small.emulator->pace.real_unix_ms, date);
        fields[request.header_count++] = (HttpField){"x-ms-date", date};
        const char *signature = files_signature(&small.emulator->azure_files, arena, "acct", 0,
                                                files_string_to_sign(&request, "acct", false));
        fields[request.header_count++] =
            (HttpField){"Authorization", arena_printf(arena, "SharedKey acct:%s", signature)};
    }
    emulator_handle(small.emulator, &request, &response);
    return response.status;
}

static void create(const char *path, int64_t bytes)
{
    const char *const headers[][2] = {
        {"x-ms-type", "file"},
        {"x-ms-content-length", arena_printf(arena, "%" PRId64, bytes)},
        {NULL}};
    ck_assert_int_eq(ask(LISTENER_PLAIN, "PUT", path, headers, "", 0), 201);
}

static void write_at(const char *path, int64_t first, const char *bytes, size_t length)
{
    const int64_t last = first + (int64_t)length - 1;
    const char *const headers[][2] = {
        {"x-ms-write", "update"},
        {"x-ms-range", arena_printf(arena, "bytes=%" PRId64 "-%" PRId64, first, last)},
        {NULL}};
    const char *target = arena_printf(arena, "%s?comp=range", path);
    ck_assert_int_eq(ask(LISTENER_PLAIN, "PUT", target, headers, bytes, length), 201);
}

static int32_t ask_arm(const char *path, const char *body)
{
    static const char *const headers[][2] = {{"Authorization", "Bearer x"}, {NULL}};
    const char *target = arena_printf(arena,
                                      "/subscriptions/00000000-0000-0000-0000-000000000000"
                                      "/resourceGroups/g%s?api-version=2018-05-01",
                                      path);
    return ask(LISTENER_TLS, "PUT", target, headers, body, strlen(body));
}

static void tell_clock(const char *body)
{
    static const char *const headers[][2] = {{"Content-Type", "application/json"}, {NULL}};
    const int32_t status =
        ask(LISTENER_PLAIN, "POST", "/trainyard/clock", headers, body, strlen(body));
    ck_assert_msg(status == 200, "%.*s", (int)response.body_bytes, response.body);
}

static const char *exported(void)
{
    static const char *const headers[][2] = {{NULL}};
    ck_assert_int_eq(ask(LISTENER_PLAIN, "GET", "/trainyard/session", headers, "", 0), 200);
    Text text = {0};
    char room[4096];
    for (int64_t count; (count = response.source.read(response.source.owner, (int64_t)text.length,
                                                      room, sizeof room)) > 0;)
        text_append(&text, room, (size_t)count);
    response.source.free(response.source.owner);
    return text_move(arena, &text);
}

static int32_t count_of(const char *text, const char *part)
{
    int32_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* --- Jobs --- */

#define WORKSPACE "/providers/Microsoft.BatchAI/workspaces/w"

static void make_cluster(void)
{
    ck_assert_int_eq(ask_arm("", "{\"location\": \"northeurope\"}"), 201);
    ck_assert_int_eq(ask_arm(WORKSPACE, "{\"location\": \"northeurope\"}"), 200);
    ck_assert_int_eq(
        ask_arm(WORKSPACE "/clusters/c",
                "{\"properties\": {\"userAccountSettings\": {\"adminUserName\": \"me\","
                " \"adminUserPassword\": \"hush\"}, \"vmSize\": \"Standard_D1\","
                " \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 1}}}}"),
        202);
    ck_assert_int_eq(ask_arm(WORKSPACE "/experiments/e", ""), 200);
    tell_clock("{\"do\": \"run-until\", \"until\": \"cluster c ready\"}");
}

static void make_job(const char *job, const char *command)
{
    const char *body = arena_printf(
        arena,
        "{\"properties\": {\"cluster\": {\"id\": \"/subscriptions/"
        "00000000-0000-0000-0000-000000000000/resourceGroups/g" WORKSPACE "/clusters/c\"},"
        " \"nodeCount\": 1, \"customToolkitSettings\": {\"commandLine\": \"%s\"},"
        " \"stdOutErrPathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/afs\", \"mountVolumes\":"
        " {\"azureFileShares\": [{\"relativeMountPath\": \"afs\", \"accountName\": \"acct\","
        " \"azureFileUrl\": \"https://acct.file.core.windows.net/share\", \"credentials\":"
        " {\"accountKey\": \"hush\"}}]}}}",
        command);
    const int32_t status =
        ask_arm(arena_printf(arena, WORKSPACE "/experiments/e/jobs/%s", job), body);
    ck_assert_msg(status == 202, "%.*s", (int)response.body_bytes, response.body);
}

/* Runs a command line to its end; what it printed. */
static const char *printed(const char *job, const char *command)
{
    make_job(job, command);
    tell_clock(
        arena_printf(arena, "{\"do\": \"run-until\", \"until\": \"job %s completed\"}", job));
    const World *world = session_world(small.emulator->session);
    const Job *last = world_job(world, (JobId){(uint32_t)world_job_count(world) - 1});
    const char *path =
        arena_printf(arena, "%s/stdout.txt", job_files_directory(world, last, arena));
    FilesReader *reader;
    int64_t bytes;
    const ShareName share = {.account = "acct", .share = "share"};
    ck_assert_int_eq(files_open(small.emulator->files, share, path, &reader, &bytes), FILES_OK);
    char *text = arena_alloc(arena, (size_t)bytes + 1);
    ck_assert_int_eq(files_read(reader, 0, text, (size_t)bytes), bytes);
    files_reader_close(reader);
    return text;
}

START_TEST(a_job_reads_what_a_client_uploaded_in_ranges)
{
    create("/acct/share/Words.TXT", 11);
    write_at("/acct/share/words.txt", 6, "world", 5);
    write_at("/acct/share/WORDS.txt", 0, "hello ", 6);
    make_cluster();
    ck_assert_str_eq(printed("j", "cat $AZ_BATCHAI_JOB_MOUNT_ROOT/afs/Words.TXT"), "hello world");
    write_at("/acct/share/words.txt", 0, "HELLO", 5); // between two jobs
    ck_assert_str_eq(printed("k", "cat $AZ_BATCHAI_JOB_MOUNT_ROOT/afs/Words.TXT"), "HELLO world");
    const char *session = exported();
    ck_assert_int_eq(count_of(session, "\"text\": \"hello world\""), 1);
    ck_assert_int_eq(count_of(session, "\"text\": \"HELLO world\""), 1);
}
END_TEST

START_TEST(a_file_that_is_not_a_short_text_counts_as_bytes)
{
    char *large = arena_alloc(arena, FILES_REPORT_TEXT_MAX + 1);
    memset(large, 'x', FILES_REPORT_TEXT_MAX + 1);
    create("/acct/share/zero", 3);
    write_at("/acct/share/zero", 0, "a\0b", 3);
    create("/acct/share/latin", 2);
    write_at("/acct/share/latin", 0, "\xe9!", 2);
    create("/acct/share/large", FILES_REPORT_TEXT_MAX + 1);
    write_at("/acct/share/large", 0, large, FILES_REPORT_TEXT_MAX + 1);
    create("/acct/share/most", FILES_REPORT_TEXT_MAX);
    write_at("/acct/share/most", 0, large, FILES_REPORT_TEXT_MAX);
    const char *session = exported();
    ck_assert_int_eq(count_of(session, "\"text\": \"xxx"), 1);
    ck_assert_int_eq(count_of(session, "\"text\": \""), 2); // and the scenario's own
    make_cluster();
    ck_assert_ptr_nonnull(
        strstr(printed("j", "cat $AZ_BATCHAI_JOB_MOUNT_ROOT/afs/large"), "contents not modelled"));
}
END_TEST

START_TEST(many_ranges_are_reported_once_and_a_deleted_file_never)
{
    create("/acct/share/f", 300);
    create("/acct/share/a..g", 1);
    for (int i = 0; i < 300; i++)
        write_at("/acct/share/f", i, "y", 1);
    write_at("/acct/share/a..g", 0, "z", 1);
    ck_assert_int_eq(files_unreported_count(&small.emulator->azure_files), 2);
    static const char *const none[][2] = {{NULL}};
    ck_assert_int_eq(ask(LISTENER_PLAIN, "DELETE", "/acct/share/a..g", none, "", 0), 202);
    const char *session = exported();
    ck_assert_int_eq(count_of(session, "\"text\": \"yyy"), 1);
    ck_assert_int_eq(count_of(session, "\"file\": \"f\""), 2); // its size, then its text
    ck_assert_int_eq(count_of(session, "\"text\": \"z"), 0);
    ck_assert_int_eq(files_unreported_count(&small.emulator->azure_files), 0);
    ck_assert_str_eq(exported(), session);
}
END_TEST

START_TEST(the_world_knows_it_before_time_brings_an_event)
{
    make_cluster();
    make_job("j", "sleep 100");
    create("/acct/share/f", 1);
    write_at("/acct/share/f", 0, "q", 1);
    emulator_tick(small.emulator, 2, small.emulator->pace.real_unix_ms);
    ck_assert_int_eq(files_unreported_count(&small.emulator->azure_files),
                     1); // the clock is stopped
    const World *world = session_world(small.emulator->session);
    const int64_t next_ns = world_next_event_ns(world);
    ck_assert_int_lt(next_ns, world_now_ns(world) + NS_PER_DAY);
    small.emulator->pace.clock = (Clock){.kind = CLOCK_RATE, .rate_ppm = 1000000};
    clock_start(&small.emulator->pace.clock, 2, world_now_ns(world));
    emulator_tick(small.emulator, 2 + next_ns - world_now_ns(world),
                  small.emulator->pace.real_unix_ms);
    ck_assert_int_eq(files_unreported_count(&small.emulator->azure_files), 0);
    const char *reported = arena_printf(arena, "\"at\": \"%" PRId64 "ns\"", next_ns - 1);
    ck_assert_ptr_nonnull(strstr(exported(), reported));
}
END_TEST

START_TEST(a_kill_between_a_write_and_its_telling_loses_nothing)
{
    Status status = {0};
    create("/acct/share/f", 4);
    write_at("/acct/share/f", 0, "kept", 4);
    ck_assert(store_commit(small.emulator->store, &status));
    emulator_close(small.emulator);
    small_emulator_start(&small);
    emulator_tick(small.emulator, 1, small.emulator->pace.real_unix_ms);
    ck_assert_int_eq(count_of(exported(), "\"text\": \"kept\""), 1);
}
END_TEST

START_TEST(a_file_of_the_scenario_that_a_client_replaces_is_the_clients)
{
    // Of the same name and size as the scenario's own.
    create("/acct/share/old.txt", 4);
    write_at("/acct/share/old.txt", 0, "new\n", 4);
    make_cluster();
    ck_assert_str_eq(printed("j", "cat $AZ_BATCHAI_JOB_MOUNT_ROOT/afs/old.txt"), "new\n");
    FilesReader *reader;
    int64_t bytes;
    char text[5] = "";
    const ShareName share = {.account = "acct", .share = "share"};
    ck_assert_int_eq(files_open(small.emulator->files, share, "old.txt", &reader, &bytes),
                     FILES_OK);
    ck_assert_int_eq(files_read(reader, 0, text, 4), 4);
    files_reader_close(reader);
    ck_assert_str_eq(text, "new\n");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files_report");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_job_reads_what_a_client_uploaded_in_ranges);
    tcase_add_test(tests, a_file_that_is_not_a_short_text_counts_as_bytes);
    tcase_add_test(tests, many_ranges_are_reported_once_and_a_deleted_file_never);
    tcase_add_test(tests, the_world_knows_it_before_time_brings_an_event);
    tcase_add_test(tests, a_kill_between_a_write_and_its_telling_loses_nothing);
    tcase_add_test(tests, a_file_of_the_scenario_that_a_client_replaces_is_the_clients);
    suite_add_tcase(suite, tests);
    return suite;
}

/* emu/emulator.h: which part answers, and how time passes. The parts have separate tests. */
#include <check.h>
#include <string.h>

#include "emu/emulator.h"
#include "sim/base/units.h"
#include "tests/support/full_disk.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;
static Emulator *emulator;

static const char *scenario; /* NULL: the one that is compiled in */

static void open_with(ClockKind kind, bool is_files_only)
{
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    const EmulatorSettings settings = {
        .storage_suffix = "core.windows.net",
        .addresses = {.tls = "127.0.0.1:1", .plain = "127.0.0.1:2", .userinfo = "127.0.0.1:3"},
        .is_files_only = is_files_only,
    };
    const Clock clock = {.kind = kind, .rate_ppm = kind == CLOCK_MANUAL ? 0 : 1000000};
    emulator = emulator_open(arena, folder, scenario, (ScenarioOverrides){0}, &settings, clock,
                             &problems, &warnings);
    ck_assert_msg(emulator != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    emulator_tick(emulator, NS_PER_S, INT64_C(1700000000000));
}

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
}

static void tear_down(void)
{
    emulator_close(emulator);
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static const HttpField token = {"Authorization", "Bearer x"};

static HttpResponse ask(HttpListener listener, HttpMethod method, const char *host,
                        const char *target, const char *body)
{
    HttpRequest request = {.arena = arena,
                           .listener = listener,
                           .method = method,
                           .method_text = http_method_name(method),
                           .host = host,
                           .peer = "127.0.0.1",
                           .headers = &token,
                           .header_count = 1,
                           .body = body,
                           .body_bytes = strlen(body)};
    HttpResponse response = http_response(200);
    const char *query = strchr(target, '?');
    request.target = query ? arena_strndup(arena, target, (size_t)(query - target)) : target;
    ck_assert(http_read_query(&request, query ? query + 1 : ""));
    emulator_handle(emulator, &request, &response);
    return response;
}

static const char *text_of(const HttpResponse *response)
{
    return arena_strndup(arena, response->body ? response->body : "", response->body_bytes);
}

START_TEST(a_start_that_finds_the_disk_full_says_where)
{
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    Status status = {0};
    store_close(store_open(folder, &status)); // with all its tables: nothing is written by opening
    disk_full_begin(1);
    emulator = emulator_open(arena, folder, NULL, (ScenarioOverrides){0}, &(EmulatorSettings){0},
                             (Clock){.kind = CLOCK_MANUAL}, &problems, &warnings);
    disk_full_end();
    ck_assert_ptr_null(emulator);
    ck_assert_int_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].at.source, folder);
}
END_TEST

START_TEST(requests_go_to_the_part_that_knows_them)
{
    static const struct {
        HttpListener listener;
        const char *host, *target;
        int32_t status;
        const char *has; /* of the answer's body */
    } rows[] = {
        {LISTENER_PLAIN, "localhost", "/", 200, "/subscriptions"},
        {LISTENER_PLAIN, "localhost", "/trainyard/clock", 200, "\"clock\": \"manual\""},
        {LISTENER_PLAIN, "localhost", "/trainyard", 404, "NotFound"},
        {LISTENER_PLAIN, "localhost", "/trainyard/nothing", 404, "NotFound"},
        {LISTENER_TLS, "127.0.0.1:1", "/subscriptions?api-version=2018-05-01", 200,
         "\"subscriptionId\""},
        {LISTENER_TLS, "127.0.0.1:1", "/SUBSCRIPTIONS?api-version=2018-05-01", 200,
         "\"subscriptionId\""},
        {LISTENER_TLS, "127.0.0.1:1", "/adfs/.well-known/openid-configuration", 200, "issuer"},
        {LISTENER_TLS, "127.0.0.1:1", "/favicon.ico?api-version=2018-05-01", 404, "NotFound"},
        // Files speak XML, whatever they say.
        {LISTENER_PLAIN, "localhost", "/someaccount/share", 403, "<Error>"},
        {LISTENER_TLS, "acct.file.core.windows.net", "/share/f", 403, "<Error>"},
        {LISTENER_TLS, "acct.file.core.windows.net", "/subscriptions", 403, "<Error>"},
        {LISTENER_USERINFO, "127.0.0.1:3", "/trainyard/clock", 0, "<Error>"},
    };
    open_with(CLOCK_MANUAL, false);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const HttpResponse response =
            ask(rows[i].listener, HTTP_GET, rows[i].host, rows[i].target, "");
        ck_assert_msg(rows[i].status == 0 || response.status == rows[i].status,
                      "%s %s: %d, expected %d", rows[i].host, rows[i].target, response.status,
                      rows[i].status);
        ck_assert_msg(strstr(text_of(&response), rows[i].has) != NULL, "%s: %s", rows[i].target,
                      text_of(&response));
    }
    ck_assert_uint_eq(emulator->requests, sizeof rows / sizeof *rows);
}
END_TEST

/* Ids in the state must not be used again for later requests: after a restart another client could
 * acquire a lease with the id of the old one. A start that changed nothing left no id. */
START_TEST(no_id_comes_again_after_a_start_that_changed_something)
{
    enum { STARTS = 3, REQUESTS = 3 };
    const char *ids[STARTS * REQUESTS];
    int count = 0;
    Status status;
    for (int start = 0; start < STARTS; start++) {
        open_with(CLOCK_MANUAL, true);
        ck_assert(store_set(emulator->store, "something", "changes", &status));
        ck_assert(emulator_commit(emulator, &status));
        for (int i = 0; i < REQUESTS; i++) {
            const HttpResponse response =
                ask(LISTENER_PLAIN, HTTP_GET, "localhost", "/someaccount/share", "");
            const char *id = http_get(&response, "x-ms-request-id");
            for (int j = 0; j < count; j++)
                ck_assert_str_ne(id, ids[j]);
            ids[count++] = id;
        }
        if (start + 1 < STARTS)
            emulator_close(emulator); // as if killed: nothing more is written
    }
}
END_TEST

START_TEST(other_methods_get_the_list_of_allowed_ones)
{
    open_with(CLOCK_MANUAL, false);
    HttpResponse response = ask(LISTENER_PLAIN, HTTP_DELETE, "localhost", "/trainyard/clock", "");
    ck_assert_int_eq(response.status, 405);
    ck_assert_str_eq(http_get(&response, "Allow"), "GET, POST");
    ck_assert_ptr_nonnull(
        strstr(text_of(&response), "DELETE is not among the methods of this path: GET, POST."));
    response = ask(LISTENER_PLAIN, HTTP_POST, "localhost", "/", "");
    ck_assert_int_eq(response.status, 405);
}
END_TEST

START_TEST(files_alone_are_files_alone)
{
    open_with(CLOCK_MANUAL, true);
    HttpResponse response =
        ask(LISTENER_TLS, HTTP_GET, "127.0.0.1:1", "/subscriptions?api-version=2018-05-01", "");
    ck_assert_int_eq(response.status, 404);
    ck_assert_ptr_nonnull(strstr(text_of(&response), "FilesOnly"));
    response = ask(LISTENER_PLAIN, HTTP_GET, "localhost", "/someaccount/share", "");
    ck_assert_ptr_nonnull(strstr(text_of(&response), "<Error>"));
}
END_TEST

START_TEST(rules_for_the_api_strike_all_but_their_own_paths)
{
    open_with(CLOCK_MANUAL, false);
    HttpResponse response = ask(LISTENER_PLAIN, HTTP_POST, "localhost", "/trainyard/faults",
                                "{\"do\": \"api.error\", \"path\": \"*\", \"status\": 503}");
    ck_assert_int_lt(response.status, 300);
    response =
        ask(LISTENER_TLS, HTTP_GET, "127.0.0.1:1", "/subscriptions?api-version=2018-05-01", "");
    ck_assert_int_eq(response.status, 503);
    response = ask(LISTENER_PLAIN, HTTP_DELETE, "localhost", "/trainyard/faults", "");
    ck_assert_int_lt(response.status, 300);
    response =
        ask(LISTENER_TLS, HTTP_GET, "127.0.0.1:1", "/subscriptions?api-version=2018-05-01", "");
    ck_assert_int_eq(response.status, 200);
}
END_TEST

START_TEST(a_fault_looks_like_an_error_of_the_service_that_was_asked)
{
    static const char *const arm_headers[] = {"x-ms-request-id", "x-ms-correlation-request-id",
                                              "request-id"};
    open_with(CLOCK_MANUAL, false);
    HttpResponse response =
        ask(LISTENER_PLAIN, HTTP_POST, "localhost", "/trainyard/faults",
            "{\"do\": \"api.error\", \"status\": 429, \"retry_after\": \"3s\"}");
    ck_assert_int_lt(response.status, 300);
    response =
        ask(LISTENER_TLS, HTTP_GET, "127.0.0.1:1", "/subscriptions?api-version=2018-05-01", "");
    ck_assert_int_eq(response.status, 429);
    for (size_t i = 0; i < sizeof arm_headers / sizeof *arm_headers; i++)
        ck_assert_uint_eq(strlen(http_get(&response, arm_headers[i])), GUID_TEXT - 1);
    ck_assert_str_eq(http_get(&response, "Cache-Control"), "no-cache");
    ck_assert_str_eq(http_get(&response, "Retry-After"), "3");
    ck_assert_str_eq(text_of(&response), "{\"error\":{\"code\":\"TooManyRequests\",\"message\":"
                                         "\"Fault 1 of the emulator's rules.\"}}");
    response = ask(LISTENER_PLAIN, HTTP_GET, "localhost", "/someaccount/share", "");
    ck_assert_int_eq(response.status, 429);
    ck_assert_uint_eq(strlen(http_get(&response, "x-ms-request-id")), GUID_TEXT - 1);
    ck_assert_str_eq(http_get(&response, "x-ms-version"), "2021-12-02");
    ck_assert_str_eq(http_get(&response, "x-ms-error-code"), "TooManyRequests");
    ck_assert_str_eq(http_get(&response, "Retry-After"), "3");
    ck_assert_ptr_nonnull(strstr(text_of(&response), "<Code>TooManyRequests</Code>"));
}
END_TEST

/* --- Time --- */

static const char *group(void)
{
    return arena_printf(arena, "/subscriptions/%s/resourceGroups/g",
                        session_subscription(emulator->session));
}

static int32_t put(const char *path, const char *body)
{
    const HttpResponse response =
        ask(LISTENER_TLS, HTTP_PUT, "127.0.0.1:1",
            arena_printf(arena, "%s%s?api-version=2018-05-01", group(), path), body);
    ck_assert_msg(response.status < 300, "%s: %s", path, text_of(&response));
    return response.status;
}

static const char *cluster(void)
{
    const HttpResponse response =
        ask(LISTENER_TLS, HTTP_GET, "127.0.0.1:1",
            arena_printf(arena,
                         "%s/providers/Microsoft.BatchAI/workspaces/w/clusters/c"
                         "?api-version=2018-05-01",
                         group()),
            "");
    ck_assert_int_eq(response.status, 200);
    return text_of(&response);
}

static void make_cluster(void)
{
    put("", "{\"location\": \"eastus\"}");
    put("/providers/Microsoft.BatchAI/workspaces/w", "{\"location\": \"eastus\"}");
    put("/providers/Microsoft.BatchAI/workspaces/w/clusters/c",
        "{\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"userAccountSettings\": "
        "{\"adminUserName\": \"u\", \"adminUserPassword\": \"p\"}, "
        "\"scaleSettings\": {\"manual\": {\"targetNodeCount\": 2}}}}");
}

/* How often a client looks until the nodes are idle. */
static int polls_until_idle(void)
{
    enum { POLLS_MAX = 50 };
    int polls = 0;
    while (polls < POLLS_MAX && !strstr(cluster(), "\"idleNodeCount\":2")) {
        polls++;
        emulator_tick(emulator, emulator->pace.machine_ns + NS_PER_MS,
                      emulator->pace.real_unix_ms + 1);
    }
    return polls;
}

START_TEST(an_automatic_clock_jumps_for_waiting_clients)
{
    open_with(CLOCK_AUTO, false);
    make_cluster();
    ck_assert_int_gt(emulator_next_ns(emulator), emulator->pace.machine_ns);
    const int64_t before_ms = session_unix_ms(emulator->session);
    cluster();
    ck_assert_int_eq(emulator_next_ns(emulator), emulator->pace.machine_ns); // at once
    ck_assert_int_eq(session_unix_ms(emulator->session), before_ms);         // but after the answer
    const int polls = polls_until_idle();
    ck_assert_int_gt(polls, 1); // it stops at each change on the way
    ck_assert_int_lt(polls, 20);
    const int64_t steady_ms = session_unix_ms(emulator->session);
    ck_assert_int_gt(steady_ms - before_ms, 60000);
    cluster(); // a request for a finished resource does not wait
    emulator_tick(emulator, emulator->pace.machine_ns + NS_PER_MS, emulator->pace.real_unix_ms + 1);
    ck_assert_int_le(session_unix_ms(emulator->session) - steady_ms, 2);
}
END_TEST

/* A job that nothing prevents, on a cluster whose nodes have still to come. */
static const char *make_job(void)
{
    make_cluster();
    put("/providers/Microsoft.BatchAI/workspaces/w/experiments/e", "{}");
    put("/providers/Microsoft.BatchAI/workspaces/w/experiments/e/jobs/j",
        arena_printf(arena,
                     "{\"properties\": {\"cluster\": {\"id\": \"%s/providers/Microsoft.BatchAI/"
                     "workspaces/w/clusters/c\"}, \"nodeCount\": 1, \"stdOutErrPathPrefix\": "
                     "\"/tmp\", \"customToolkitSettings\": {\"commandLine\": \"sleep 3h\"}}}",
                     group()));
    return "/providers/Microsoft.BatchAI/workspaces/w/experiments/e/jobs/j";
}

/* The states that a client sees which looks at the job until it has ended. */
static const char *states_of(const char *job)
{
    enum { LOOKS_MAX = 20 };
    static const char mark[] = "\"executionState\":\"";
    const char *states = "";
    for (int i = 0; i < LOOKS_MAX; i++) {
        const HttpResponse response =
            ask(LISTENER_TLS, HTTP_GET, "127.0.0.1:1",
                arena_printf(arena, "%s%s?api-version=2018-05-01", group(), job), "");
        const char *state = strstr(text_of(&response), mark);
        ck_assert_ptr_nonnull(state);
        state += strlen(mark);
        states = arena_printf(arena, "%s %.*s", states, (int)strcspn(state, "\""), state);
        if (strncmp(state, "succeeded", 9) == 0)
            break;
        emulator_tick(emulator, emulator->pace.machine_ns + NS_PER_MS,
                      emulator->pace.real_unix_ms + 1);
    }
    return states;
}

START_TEST(a_client_that_waits_for_a_job_does_not_wait_for_each_step_of_its_nodes)
{
    open_with(CLOCK_AUTO, false);
    // Queued while its record is made, and until its node comes.
    ck_assert_str_eq(states_of(make_job()), " queued queued running succeeded");
}
END_TEST

START_TEST(a_request_whose_answer_is_lost_is_done)
{
    open_with(CLOCK_MANUAL, false);
    const HttpResponse rule = ask(LISTENER_PLAIN, HTTP_POST, "localhost", "/trainyard/faults",
                                  "{\"do\": \"api.lost\", \"method\": \"PUT\", \"count\": 1}");
    ck_assert_msg(rule.status == 200, "%s", text_of(&rule));
    const char *path = arena_printf(arena, "%s?api-version=2018-05-01", group());
    static const char body[] = "{\"location\": \"eastus\"}";
    ck_assert_int_eq(ask(LISTENER_TLS, HTTP_PUT, "127.0.0.1:1", path, body).status, 0);
    ck_assert_int_eq(ask(LISTENER_TLS, HTTP_GET, "127.0.0.1:1", path, "").status, 200);
    ck_assert_int_eq(ask(LISTENER_TLS, HTTP_PUT, "127.0.0.1:1", path, body).status, 200);
}
END_TEST

START_TEST(other_clocks_do_not_jump)
{
    static const ClockKind kinds[] = {CLOCK_REAL, CLOCK_MANUAL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        open_with(kinds[i], false);
        make_cluster();
        ck_assert_int_eq(polls_until_idle(), 50);
        ck_assert_int_eq(emulator_next_ns(emulator) == INT64_MAX, kinds[i] == CLOCK_MANUAL);
        emulator_close(emulator);
        emulator = NULL;
        temporary_folder_remove(folder);
        folder = temporary_folder_create(arena);
    }
}
END_TEST

START_TEST(real_time_passes_as_it_does)
{
    open_with(CLOCK_REAL, false);
    const int64_t begin_ms = session_unix_ms(emulator->session);
    emulator_tick(emulator, 61 * NS_PER_S, INT64_C(1700000060000));
    ck_assert_int_eq(session_unix_ms(emulator->session) - begin_ms, 60000);
    ck_assert_int_eq(emulator_next_ns(emulator), INT64_MAX); // no event is pending
    make_cluster();
    const int64_t next_ns = emulator_next_ns(emulator);
    ck_assert_int_gt(next_ns, emulator->pace.machine_ns);
    ck_assert_int_lt(next_ns, emulator->pace.machine_ns + 300 * NS_PER_S);
}
END_TEST

START_TEST(a_stopped_session_continues_at_its_last_time)
{
    Status status = {0};
    open_with(CLOCK_REAL, false);
    make_cluster();
    emulator_tick(emulator, 4000 * NS_PER_S, INT64_C(1700004000000));
    ck_assert_ptr_nonnull(strstr(cluster(), "\"idleNodeCount\":2"));
    const int64_t at_ms = session_unix_ms(emulator->session);
    const char *tenant = arena_strdup(arena, session_tenant(emulator->session));
    ck_assert(emulator_commit(emulator, &status));
    emulator_close(emulator);
    open_with(CLOCK_REAL, false);
    ck_assert_int_eq(session_unix_ms(emulator->session), at_ms);
    ck_assert_str_eq(session_tenant(emulator->session), tenant);
    ck_assert_ptr_nonnull(strstr(cluster(), "\"idleNodeCount\":2"));
}
END_TEST

/* Commits as the server does at the end of a round of requests. Whether there was a write. */
static bool end_round(void)
{
    Status status = {0};
    const bool is_dirty = store_is_dirty(emulator->store);
    ck_assert(!is_dirty || emulator_commit(emulator, &status));
    return is_dirty;
}

START_TEST(a_kill_takes_back_no_state_that_a_client_has_seen)
{
    open_with(CLOCK_REAL, false);
    make_cluster();
    ck_assert(end_round());
    emulator_tick(emulator, 4000 * NS_PER_S, INT64_C(1700004000000));
    ck_assert(!end_round()); // time alone writes nothing
    ck_assert_ptr_nonnull(strstr(cluster(), "\"idleNodeCount\":2"));
    ck_assert(end_round()); // the answer waits for it
    emulator_tick(emulator, 4001 * NS_PER_S, INT64_C(1700004001000));
    cluster();
    ck_assert(!end_round());  // nothing has changed since
    emulator_close(emulator); // as if killed: nothing more is written
    open_with(CLOCK_MANUAL, false);
    ck_assert_ptr_nonnull(strstr(cluster(), "\"idleNodeCount\":2"));
}
END_TEST

START_TEST(an_emulator_that_cannot_be_opened_is_reported)
{
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    const EmulatorSettings settings = {.storage_suffix = "core.windows.net"};
    ck_assert_ptr_null(emulator_open(arena, folder, "/nowhere/scenario.json",
                                     (ScenarioOverrides){0}, &settings, (Clock){0}, &problems,
                                     &warnings));
    ck_assert_int_gt(problems.count, 0);
    open_with(CLOCK_REAL, false);
    problems = problems_create(arena);
    ck_assert_ptr_null(emulator_open(arena, folder, scenario, (ScenarioOverrides){0}, &settings,
                                     (Clock){0}, &problems, &warnings));
    ck_assert_int_eq(problems.items[0].code, STATUS_CONFLICT);
}
END_TEST

START_TEST(faults_of_the_scenario_hold_from_each_start_on)
{
    const char *text = arena_printf(
        arena,
        "{\"trainyard\": 1, \"catalog\": [\"%s/scenarios/catalog/azure-2018.json\"],"
        " \"commands\": [], \"api_faults\": [{\"do\": \"api.error\", \"path\": \"*/tenants\","
        " \"status\": 503, \"retry_after\": \"2s\", \"count\": 1}]}",
        TRAINYARD_SOURCE_DIR);
    temporary_file_write(folder, "scenario.json", text, strlen(text));
    scenario = arena_printf(arena, "%s/scenario.json", folder);
    for (int start = 0; start < 2; start++) {
        const char *const tenants = "/tenants?api-version=2019-11-01";
        open_with(CLOCK_MANUAL, false);
        HttpResponse struck = ask(LISTENER_TLS, HTTP_GET, "127.0.0.1", tenants, "");
        ck_assert_int_eq(struck.status, 503);
        ck_assert_str_eq(http_get(&struck, "Retry-After"), "2");
        ck_assert_int_eq(ask(LISTENER_TLS, HTTP_GET, "127.0.0.1", tenants, "").status, 200);
        if (start == 0)
            emulator_close(emulator);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("emulator");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_start_that_finds_the_disk_full_says_where);
    tcase_add_test(all, requests_go_to_the_part_that_knows_them);
    tcase_add_test(all, no_id_comes_again_after_a_start_that_changed_something);
    tcase_add_test(all, other_methods_get_the_list_of_allowed_ones);
    tcase_add_test(all, files_alone_are_files_alone);
    tcase_add_test(all, rules_for_the_api_strike_all_but_their_own_paths);
    tcase_add_test(all, a_fault_looks_like_an_error_of_the_service_that_was_asked);
    tcase_add_test(all, a_client_that_waits_for_a_job_does_not_wait_for_each_step_of_its_nodes);
    tcase_add_test(all, a_request_whose_answer_is_lost_is_done);
    tcase_add_test(all, an_automatic_clock_jumps_for_waiting_clients);
    tcase_add_test(all, other_clocks_do_not_jump);
    tcase_add_test(all, real_time_passes_as_it_does);
    tcase_add_test(all, a_stopped_session_continues_at_its_last_time);
    tcase_add_test(all, a_kill_takes_back_no_state_that_a_client_has_seen);
    tcase_add_test(all, an_emulator_that_cannot_be_opened_is_reported);
    tcase_add_test(all, faults_of_the_scenario_hold_from_each_start_on);
    suite_add_tcase(suite, all);
    return suite;
}

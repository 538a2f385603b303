/* emu/control/dashboard.h: the page, and the state of the world that it receives. tests/dashboard
 * checks the page in a browser. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emu/control/dashboard_assets.h"
#include "emu/control/state_json.h"
#include "emu/emulator.h"
#include "emu/files/store/shares.h"
#include "sim/base/units.h"
#include "tests/emu/operations_log.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;
static Emulator *emulator;

static void open_with(const char *assumptions, bool is_files_only)
{
    const char *const assumed[] = {"/quotas=unlimited",
                                   arena_printf(arena, "/assume={%s}", assumptions)};
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    const EmulatorSettings settings = {.storage_suffix = "core.windows.net",
                                       .addresses = {"127.0.0.1:1", "127.0.0.1:2", ""},
                                       .is_files_only = is_files_only};
    emulator = emulator_open(arena, folder, NULL, (ScenarioOverrides){.count = 2, .items = assumed},
                             &settings, (Clock){.kind = CLOCK_MANUAL}, &problems, &warnings);
    ck_assert_msg(emulator != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    emulator_tick(emulator, NS_PER_S, INT64_C(1700000000000));
}

static void open_emulator(bool is_files_only)
{
    open_with("\"service/nodes_per_cluster\": 1000", is_files_only);
}

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    open_emulator(false);
}

static void tear_down(void)
{
    emulator_close(emulator);
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

/* --- Asking --- */

/* `header`: "Name: value", or NULL. */
static HttpResponse send(HttpMethod method, const char *target, const char *header,
                         const char *body)
{
    HttpField field = {0};
    if (header) {
        field.name = arena_strndup(arena, header, strcspn(header, ":"));
        field.value = strchr(header, ':') + 2;
    }
    const char *query = strchr(target, '?');
    HttpRequest request = {.arena = arena,
                           .listener = LISTENER_PLAIN,
                           .method = method,
                           .method_text = http_method_name(method),
                           .target = query ? arena_strndup(arena, target, (size_t)(query - target))
                                           : target,
                           .host = "127.0.0.1:2",
                           .headers = &field,
                           .header_count = header ? 1 : 0,
                           .body = body,
                           .body_bytes = strlen(body)};
    HttpResponse response = http_response(200);
    ck_assert(http_read_query(&request, query ? query + 1 : ""));
    emulator_handle(emulator, &request, &response);
    operations_log(&response);
    return response;
}

static const Json *json_of(const HttpResponse *response, const char *target)
{
    Problems problems = problems_create(arena);
    ck_assert_msg(response->status == 200, "%s: %d %s", target, response->status, response->body);
    const Json *body =
        json_parse(arena, target, response->body, response->body_bytes, JSON_STRICT, &problems);
    ck_assert_msg(body != NULL, "%s: %s", target, problems.items[0].message);
    return body;
}

static const Json *get(const char *target)
{
    const HttpResponse response = send(HTTP_GET, target, NULL, "");
    return json_of(&response, target);
}

static void tell(const char *what, const char *body)
{
    const HttpResponse response =
        send(HTTP_POST, arena_printf(arena, "/trainyard/%s", what), NULL, body);
    ck_assert_msg(response.status == 200, "%s: %d %s", body, response.status, response.body);
}

static void until(const char *moment)
{
    tell("clock", arena_printf(arena, "{\"do\": \"run-until\", \"until\": \"%s\"}", moment));
}

static int64_t integer_at(const Json *root, const char *pointer)
{
    const Json *found = json_find(root, pointer);
    ck_assert_msg(found != NULL && found->is_integer, "%s", pointer);
    return found->integer;
}

static const char *text_at(const Json *root, const char *pointer)
{
    const Json *found = json_find(root, pointer);
    ck_assert_msg(found != NULL && found->kind == JSON_STRING, "%s", pointer);
    return found->text;
}

/* In millionths. */
static int64_t micro_at(const Json *root, const char *pointer)
{
    int64_t value;
    const Json *found = json_find(root, pointer);
    ck_assert_msg(found != NULL && json_scaled(found, 6, &value), "%s", pointer);
    return value;
}

/* --- A world --- */

static void command(const char *text)
{
    Problems problems = problems_create(arena);
    const Json *tree = json_parse(arena, "command", text, strlen(text), JSON_STRICT, &problems);
    ck_assert_msg(tree != NULL && session_command(emulator->session, tree, NULL, &problems),
                  "%s: %s", text, problems.count > 0 ? problems.items[0].message : "");
}

#define IN_WORKSPACE "\"resource_group\": \"g\", \"workspace\": \"w\""

static const ShareName the_share = {.account = "acc", .share = "myshare"};

static void create_cluster(int nodes)
{
    command("{\"do\": \"group.create\", \"name\": \"g\"}");
    command("{\"do\": \"workspace.create\", \"name\": \"w\", \"resource_group\": \"g\"}");
    command("{\"do\": \"experiment.create\", \"name\": \"e\", " IN_WORKSPACE "}");
    command("{\"do\": \"storage.create\", \"name\": \"acc\"}");
    // As Create Share does both (emu/files/share.c).
    command("{\"do\": \"share.create\", \"name\": \"acc/myshare\", \"tier\": \"standard\"}");
    ck_assert_int_eq(files_share_create(emulator->files, the_share, 5120, ""), FILES_OK);
    command(arena_printf(
        arena,
        "{\"do\": \"cluster.create\", \"name\": \"gpu\", " IN_WORKSPACE
        ", \"config\": {\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": "
        "{\"manual\": {\"targetNodeCount\": %d}}}}}",
        nodes));
}

static void create_job(const char *name, const char *toolkit)
{
    command(arena_printf(
        arena,
        "{\"do\": \"job.create\", \"name\": \"%s\", \"cluster\": \"gpu\", \"experiment\": "
        "\"e\", " IN_WORKSPACE ", \"config\": {\"properties\": {\"nodeCount\": 1, %s, "
        "\"stdOutErrPathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/myshare/logs\", \"mountVolumes\": "
        "{\"azureFileShares\": [{\"azureFileUrl\": \"https://acc.file.core.windows.net/myshare\", "
        "\"relativeMountPath\": \"myshare\"}]}}}}",
        name, toolkit));
}

static const char waiting[] = "\"customToolkitSettings\": {\"commandLine\": \"make\"}";
static const char training[] =
    "\"horovodSettings\": {\"pythonScriptFilePath\": \"a/cifar_cnn_distributed.py\"}";

/* --- The page --- */

START_TEST(a_browser_gets_the_page_and_others_a_line)
{
    HttpResponse page = send(HTTP_GET, "/", "Accept: text/html,*/*;q=0.8", "");
    ck_assert_str_eq(http_get(&page, "Content-Type"), "text/html; charset=utf-8");
    ck_assert_ptr_nonnull(strstr(page.body, "<!doctype html>"));
    ck_assert_ptr_nonnull(strstr(http_get(&page, "Content-Security-Policy"), "default-src 'none'"));
    ck_assert_ptr_nonnull(
        strstr(http_get(&page, "Content-Security-Policy"), "frame-ancestors 'none'"));
    ck_assert_str_eq(http_get(&page, "X-Content-Type-Options"), "nosniff");
    ck_assert_str_eq(http_get(&page, "X-Frame-Options"), "DENY");
    HttpResponse line = send(HTTP_GET, "/", "Accept: */*", "");
    ck_assert_str_eq(http_get(&line, "Content-Type"), "text/plain; charset=utf-8");
    ck_assert_str_eq(http_get(&line, "Vary"), "Accept");
}
END_TEST

START_TEST(the_page_is_small_and_needs_nothing_from_elsewhere)
{
    static const char *const foreign[] = {"https://",       "innerHTML",          "outerHTML",
                                          "document.write", "insertAdjacentHTML", "eval(",
                                          " style="};
    size_t bytes = 0;
    for (int i = 0; i < dashboard_assets_count; i++) {
        const Asset *asset = &dashboard_assets[i];
        HttpResponse file =
            send(HTTP_GET, arena_printf(arena, "/trainyard/page/%s", asset->name), NULL, "");
        ck_assert_int_eq(file.status, 200);
        ck_assert_uint_eq(file.body_bytes, strlen(asset->text));
        ck_assert_ptr_nonnull(http_get(&file, "Content-Security-Policy"));
        bytes += file.body_bytes;
        for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
            ck_assert_msg(strstr(asset->text, foreign[k]) == NULL, "%s has %s", asset->name,
                          foreign[k]);
    }
    ck_assert_uint_lt(bytes, 100000);
    static const char *const missing[] = {"nothing.js", "DASHBOARD.CSS", "..", "%2e%2e%2fx"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        ck_assert_int_eq(
            send(HTTP_GET, arena_printf(arena, "/trainyard/page/%s", missing[i]), NULL, "").status,
            404);
}
END_TEST

START_TEST(pages_of_other_sites_get_no_answer)
{
    static const char *const targets[] = {
        "/trainyard/state", "/trainyard/state/jobs/0", "/trainyard/state/clusters/0",
        "/trainyard/files?share=acc/myshare", "/trainyard/file?share=acc/myshare&path=a"};
    create_cluster(0);
    create_job("train", waiting);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        static const char *const sites[] = {"Sec-Fetch-Site: cross-site",
                                            "Sec-Fetch-Site: same-site"};
        for (size_t k = 0; k < sizeof sites / sizeof *sites; k++)
            ck_assert_int_eq(send(HTTP_GET, targets[i], sites[k], "").status, 403);
        ck_assert_int_ne(send(HTTP_GET, targets[i], "Sec-Fetch-Site: same-origin", "").status, 403);
        ck_assert_int_ne(send(HTTP_GET, targets[i], "Sec-Fetch-Site: none", "").status, 403);
    }
}
END_TEST

/* --- The state --- */

START_TEST(an_empty_world_is_returned_completely)
{
    const Json *state = get("/trainyard/state");
    ck_assert_str_eq(text_at(state, "/scenario/start"), "2018-07-18T17:45:00Z");
    ck_assert_str_eq(text_at(state, "/clock/clock"), "manual");
    ck_assert_int_eq(integer_at(state, "/totals/clusters"), 0);
    ck_assert_int_eq(integer_at(state, "/totals/jobs/queued"), 0);
    ck_assert_int_eq(integer_at(state, "/totals/nodes/idle"), 0);
    ck_assert_int_eq(micro_at(state, "/cost/total_usd"), 0);
    ck_assert_int_eq(json_find(state, "/jobs")->count, 0);
    ck_assert_int_eq(json_find(state, "/next/jobs")->kind, JSON_NULL);
    ck_assert(!json_find(state, "/files_only")->boolean);
    emulator_close(emulator);
    open_emulator(true);
    ck_assert(json_find(get("/trainyard/state"), "/files_only")->boolean);
}
END_TEST

START_TEST(nodes_are_letters_by_place)
{
    create_cluster(3);
    ck_assert_str_eq(text_at(get("/trainyard/state"), "/clusters/0/state"), "creating");
    until("cluster gpu steady");
    const Json *state = get("/trainyard/state");
    ck_assert_str_eq(text_at(state, "/clusters/0/places"), "ppp");
    ck_assert_int_eq(integer_at(state, "/clusters/0/nodes/preparing"), 3);
    until("cluster gpu ready");
    create_job("train", training);
    until("job train training");
    ck_assert_str_eq(text_at(get("/trainyard/state"), "/clusters/0/places"), "rii");
    // A silent node is still running for the service, and so its letter, but a capital.
    tell("faults", "{\"do\": \"node.crash\", \"cluster\": \"gpu\", \"node\": 1, \"recovery\": "
                   "\"stays\", \"reason\": \"a cable\"}");
    state = get("/trainyard/state");
    ck_assert_str_eq(text_at(state, "/clusters/0/places"), "Rii");
    ck_assert(json_find(state, "/jobs/0/stalled")->boolean);
    const Json *cluster = get("/trainyard/state/clusters/0");
    ck_assert(json_find(cluster, "/nodes/0/silent")->boolean);
    ck_assert_str_eq(text_at(cluster, "/nodes/0/job"), "train");
    until("cluster gpu unusable >= 1");
    state = get("/trainyard/state");
    ck_assert_str_eq(text_at(state, "/clusters/0/places"), "uri"); // begun anew
    ck_assert_int_eq(integer_at(state, "/jobs/0/attempts"), 2);
    ck_assert_int_eq(integer_at(state, "/totals/nodes/unusable"), 1);
    cluster = get("/trainyard/state/clusters/0");
    ck_assert_str_eq(text_at(cluster, "/nodes/0/error/message"), "a cable");
    ck_assert_str_eq(text_at(cluster, "/nodes/0/error/cause"), "crash");
    ck_assert_int_eq(integer_at(get("/trainyard/state/clusters/0?place=2"), "/nodes/0/place"), 3);
    ck_assert_int_eq(json_find(get("/trainyard/state/clusters/0?place=3"), "/nodes")->count, 0);
}
END_TEST

START_TEST(the_nodes_of_a_large_cluster_come_in_pages)
{
    create_cluster(STATE_PAGE_NODES + 2);
    until("cluster gpu steady");
    const Json *page = get("/trainyard/state/clusters/0");
    ck_assert_int_eq(json_find(page, "/nodes")->count, STATE_PAGE_NODES);
    const char *rest = arena_printf(arena, "/trainyard/state/clusters/0?place=%" PRId64,
                                    integer_at(page, "/next"));
    page = get(rest);
    ck_assert_int_eq(json_find(page, "/nodes")->count, 2);
    ck_assert_int_eq(integer_at(page, "/nodes/0/place"), STATE_PAGE_NODES + 1);
    ck_assert_int_eq(json_find(page, "/next")->kind, JSON_NULL);
}
END_TEST

/* 10^12 USD an hour, the highest price, for longer than 64 bits hold. */
START_TEST(cost_stops_at_the_highest_amount)
{
    emulator_close(emulator);
    folder = arena_printf(arena, "%s/other", folder);
    open_with("\"vm_sizes/Standard_NC6/dedicated_price_per_hour\": \"1000000000000USD\"", false);
    create_cluster(2);
    until("cluster gpu steady");
    tell("clock", "{\"do\": \"advance\", \"by\": \"30h\"}");
    ck_assert_int_eq(micro_at(get("/trainyard/state"), "/cost/total_usd"), INT64_MAX);
    ck_assert_int_eq(micro_at(get("/trainyard/state"), "/clusters/0/cost_usd"), INT64_MAX);
    command("{\"do\": \"cluster.delete\", \"name\": \"gpu\", " IN_WORKSPACE "}");
    until("cluster gpu deleted");
    ck_assert_int_eq(micro_at(get("/trainyard/state"), "/cost/total_usd"), INT64_MAX);
}
END_TEST

/* The number after the next `key` in `text`. */
static int64_t number_after(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    ck_assert_ptr_nonnull(found);
    return strtoll(found + strlen(key), NULL, 10);
}

/* The bills of released nodes, as the trace has them. */
static int64_t billed_micro_usd(void)
{
    Text text = {0};
    int64_t sum = 0;
    events_print(emulator->control.events, 0, SIZE_MAX, &text);
    const char *row = text_string(&text);
    for (; (row = strstr(row, "\"node_billed\"")) != NULL; row++)
        sum += number_after(row, "\"billed_ns\":") / NS_PER_S *
               number_after(row, "\"micro_usd_per_hour\":") / 3600;
    text_free(&text);
    return sum;
}

START_TEST(cost_includes_held_and_released_resources)
{
    // Two nodes at 0.90 $ an hour, for 20 whole minutes and a bit: 2 * 20 / 60 * 0.90 = 0.60 $.
    create_cluster(2);
    until("cluster gpu steady");
    ck_assert_int_eq(micro_at(get("/trainyard/state"), "/cost/total_usd"), 0);
    tell("clock", "{\"do\": \"advance\", \"by\": \"1250s\"}");
    const Json *state = get("/trainyard/state");
    ck_assert_int_eq(micro_at(state, "/cost/usd_per_hour"), 1800000);
    ck_assert_int_eq(micro_at(state, "/cost/total_usd"), 600000);
    ck_assert_int_eq(micro_at(state, "/clusters/0/cost_usd"), 600000);
    command("{\"do\": \"cluster.delete\", \"name\": \"gpu\", " IN_WORKSPACE "}");
    until("cluster gpu deleted");
    tell("clock", "{\"do\": \"advance\", \"by\": \"2h\"}");
    state = get("/trainyard/state");
    ck_assert_int_eq(json_find(state, "/clusters")->count, 0);
    ck_assert_int_eq(send(HTTP_GET, "/trainyard/state/clusters/0", NULL, "").status, 404);
    ck_assert_int_eq(micro_at(state, "/cost/usd_per_hour"), 0);
    ck_assert_int_ge(micro_at(state, "/cost/total_usd"), 600000);
    ck_assert_int_eq(micro_at(state, "/cost/total_usd"), billed_micro_usd());
}
END_TEST

START_TEST(a_training_job_reports_its_progress)
{
    create_cluster(1);
    create_job("train", training);
    const Json *job = json_find(get("/trainyard/state"), "/jobs/0");
    ck_assert_str_eq(text_at(job, "/state"), "queued");
    ck_assert_int_eq(integer_at(job, "/training/epochs"), 100);
    ck_assert_int_eq(integer_at(job, "/training/done"), 0);
    ck_assert_ptr_null(json_find(job, "/training/accuracy"));
    until("job train started + 1s");
    job = json_find(get("/trainyard/state"), "/jobs/0");
    ck_assert_str_eq(text_at(job, "/state"), "running");
    ck_assert_ptr_nonnull(json_find(job, "/stage"));
    until("job train epoch 4 + 5s");
    const Json *detail = get("/trainyard/state/jobs/0");
    job = json_find(detail, "/job");
    ck_assert_int_eq(integer_at(job, "/training/done"), 3);
    ck_assert_int_gt(integer_at(job, "/training/step"), 0);
    ck_assert_ptr_null(json_find(job, "/stage"));
    ck_assert_int_eq(json_find(detail, "/epochs")->count, 3);
    ck_assert_int_eq(integer_at(detail, "/epochs/2/0"), 3);
    ck_assert_int_eq(micro_at(detail, "/epochs/2/1"), micro_at(job, "/training/accuracy"));
    const EpochResult third =
        job_epoch_result(world_job(session_world(emulator->session), (JobId){0}), 2);
    ck_assert_int_eq(micro_at(job, "/training/accuracy"), third.accuracy_ppm);
    ck_assert_int_eq(json_find(detail, "/node_names")->count, 1);
    until("job train completed");
    job = json_find(get("/trainyard/state/jobs/0"), "/job");
    ck_assert_str_eq(text_at(job, "/state"), "succeeded");
    ck_assert_int_eq(integer_at(job, "/exit_code"), 0);
    ck_assert_int_eq(integer_at(job, "/training/done"), 100);
}
END_TEST

START_TEST(jobs_come_by_pages_the_newest_first)
{
    create_cluster(0);
    for (int i = 0; i < 25; i++)
        create_job(arena_printf(arena, "j%d", i), waiting);
    command("{\"do\": \"job.delete\", \"name\": \"j23\", \"experiment\": \"e\", " IN_WORKSPACE "}");
    tell("clock", "{\"do\": \"advance\", \"by\": \"10m\"}");
    const Json *state = get("/trainyard/state?limit=10");
    ck_assert_int_eq(integer_at(state, "/totals/jobs/queued"), 24);
    ck_assert_int_eq(send(HTTP_GET, "/trainyard/state/jobs/22", NULL, "").status, 200);
    ck_assert_int_eq(send(HTTP_GET, "/trainyard/state/jobs/23", NULL, "").status, 404);
    ck_assert_int_eq(json_find(state, "/jobs")->count, 10);
    ck_assert_str_eq(text_at(state, "/jobs/0/name"), "j24");
    ck_assert_str_eq(text_at(state, "/jobs/1/name"), "j22");
    int32_t seen = 10;
    while (json_find(state, "/next/jobs")->kind != JSON_NULL) {
        state = get(arena_printf(arena, "/trainyard/state?limit=10&before_job=%" PRId64,
                                 integer_at(state, "/next/jobs")));
        seen += json_find(state, "/jobs")->count;
    }
    ck_assert_int_eq(seen, 24);
    ck_assert_str_eq(text_at(state, "/jobs/3/name"), "j0");
    ck_assert_int_eq(json_find(get("/trainyard/state?job_state=running"), "/jobs")->count, 0);
    ck_assert_int_eq(json_find(get("/trainyard/state?job_state=queued&limit=100"), "/jobs")->count,
                     24);
    ck_assert_int_eq(json_find(get("/trainyard/state?limit=24"), "/next/jobs")->kind, JSON_NULL);
}
END_TEST

START_TEST(clusters_and_shares_come_by_pages)
{
    create_cluster(0);
    command("{\"do\": \"share.create\", \"name\": \"acc/two\", \"tier\": \"standard\"}");
    command("{\"do\": \"share.create\", \"name\": \"acc/three\", \"tier\": \"standard\"}");
    command("{\"do\": \"share.delete\", \"name\": \"acc/two\"}");
    command("{\"do\": \"cluster.create\", \"name\": \"other\", " IN_WORKSPACE
            ", \"config\": {\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": "
            "{\"autoScale\": {\"minimumNodeCount\": 0, \"maximumNodeCount\": 4}}}}}");
    const Json *state = get("/trainyard/state?limit=1");
    ck_assert_int_eq(integer_at(state, "/totals/clusters"), 2);
    ck_assert_int_eq(integer_at(state, "/totals/shares"), 2);
    ck_assert_str_eq(text_at(state, "/clusters/0/name"), "gpu");
    ck_assert_str_eq(text_at(state, "/shares/0/name"), "acc/myshare");
    state = get(arena_printf(
        arena, "/trainyard/state?limit=1&after_cluster=%" PRId64 "&after_share=%" PRId64,
        integer_at(state, "/next/clusters"), integer_at(state, "/next/shares")));
    ck_assert_str_eq(text_at(state, "/clusters/0/name"), "other");
    ck_assert_int_eq(integer_at(state, "/clusters/0/automatic/maximum"), 4);
    ck_assert_str_eq(text_at(state, "/shares/0/name"), "acc/three");
    ck_assert_int_eq(json_find(state, "/next/clusters")->kind, JSON_NULL);
    ck_assert_int_eq(json_find(state, "/next/shares")->kind, JSON_NULL);
}
END_TEST

START_TEST(a_share_returns_its_properties)
{
    create_cluster(0);
    tell("faults", "{\"do\": \"share.slow\", \"share\": \"acc/myshare\", \"speed\": \"25%\"}");
    ck_assert_int_eq(micro_at(get("/trainyard/state"), "/shares/0/speed"), 250000);
}
END_TEST

START_TEST(the_state_is_the_same_after_a_restart)
{
    Status status = {0};
    create_cluster(2);
    create_job("train", training);
    until("job train epochs >= 2");
    ck_assert_msg(emulator_commit(emulator, &status), "%s", status.message);
    static const char target[] = "/trainyard/state";
    HttpResponse before = send(HTTP_GET, target, NULL, "");
    emulator_close(emulator);
    open_emulator(false);
    HttpResponse after = send(HTTP_GET, target, NULL, "");
    ck_assert_uint_eq(before.body_bytes, after.body_bytes);
    ck_assert_int_eq(memcmp(before.body, after.body, before.body_bytes), 0);
}
END_TEST

START_TEST(requests_for_missing_resources_are_refused)
{
    static const struct {
        const char *target;
        int32_t status;
    } rows[] = {
        {"/trainyard/state?limit=1001", 400},
        {"/trainyard/state?limit=-1", 400},
        {"/trainyard/state?limit=", 400},
        {"/trainyard/state?limit=1x", 400},
        {"/trainyard/state?limit=%2B1", 400},
        {"/trainyard/state?limit=%201", 400},
        {"/trainyard/events?since=9223372036854775808", 400},
        {"/trainyard/state?job_state=asleep", 400},
        {"/trainyard/state?before_job=4294967296", 400},
        {"/trainyard/state/clusters/0?place=99999999999", 400},
        {"/trainyard/state/clusters/1", 404},
        {"/trainyard/state/clusters/x", 404},
        {"/trainyard/state/clusters/-1", 404},
        {"/trainyard/state/clusters/+0", 404},
        {"/trainyard/state/clusters/-0", 404},
        {"/trainyard/state/clusters/%200", 404},
        {"/trainyard/state/jobs/0", 404},
        {"/trainyard/state/jobs/99999999999999999999", 404},
        {"/trainyard/state/nodes", 404},
    };
    create_cluster(0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        HttpResponse response = send(HTTP_GET, rows[i].target, NULL, "");
        ck_assert_msg(response.status == rows[i].status, "%s: %d", rows[i].target, response.status);
        ck_assert_ptr_nonnull(strstr(response.body, "\"error\""));
    }
    HttpResponse response = send(HTTP_DELETE, "/trainyard/state", NULL, "");
    ck_assert_int_eq(response.status, 405);
    ck_assert_str_eq(http_get(&response, "Allow"), "GET");
}
END_TEST

/* --- Shares --- */

static const char *read_all(HttpResponse *response)
{
    const size_t length = (size_t)response->source_bytes;
    char *bytes = arena_alloc(arena, length + 1);
    ck_assert_int_eq(response->source.read(response->source.owner, 0, bytes, length),
                     (int64_t)length);
    bytes[length] = '\0';
    response->source.free(response->source.owner);
    return bytes;
}

START_TEST(the_logs_of_a_job_are_found_and_read)
{
    create_cluster(1);
    create_job("train", training);
    until("job train epochs >= 2");
    const Json *job = json_find(get("/trainyard/state"), "/jobs/0");
    ck_assert_str_eq(text_at(job, "/logs/share"), "acc/myshare");
    const char *path = text_at(job, "/logs/path");
    const Json *list = get(arena_printf(arena, "/trainyard/files?share=acc/myshare&path=%s", path));
    ck_assert_str_eq(text_at(list, "/path"), path);
    const Json *entry = json_find(list, "/entries")->first;
    while (entry && strcmp(text_at(entry, "/name"), "stdout.txt") != 0)
        entry = entry->next;
    ck_assert_ptr_nonnull(entry);
    ck_assert_str_eq(text_at(entry, "/kind"), "file");
    const int64_t bytes = integer_at(entry, "/bytes");
    ck_assert_int_gt(bytes, 1000);

    const char *file =
        arena_printf(arena, "/trainyard/file?share=acc/myshare&path=%s/stdout.txt", path);
    HttpResponse whole = send(HTTP_GET, file, NULL, "");
    ck_assert_int_eq(whole.status, 200);
    ck_assert_int_eq(whole.source_bytes, bytes);
    ck_assert_str_eq(http_get(&whole, "Content-Type"), "application/octet-stream");
    ck_assert_str_eq(http_get(&whole, "Content-Disposition"),
                     "attachment; filename*=UTF-8''stdout.txt");
    ck_assert_str_eq(http_get(&whole, "X-Content-Type-Options"), "nosniff");
    const char *text = read_all(&whole);
    HttpResponse end = send(HTTP_GET, arena_printf(arena, "%s&last=100", file), NULL, "");
    ck_assert_str_eq(http_get(&end, "X-File-Bytes"), arena_printf(arena, "%" PRId64, bytes));
    ck_assert_str_eq(read_all(&end), text + bytes - 100);
    HttpResponse more = send(HTTP_GET, arena_printf(arena, "%s&last=99999999999", file), NULL, "");
    ck_assert_str_eq(read_all(&more), text);
}
END_TEST

START_TEST(directories_come_by_pages)
{
    enum { MANY = 501 };
    create_cluster(0);
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(
            files_directory_create(emulator->files, the_share, arena_printf(arena, "d%03d", i), ""),
            FILES_OK);
    const Json *page = get("/trainyard/files?share=acc/myshare");
    ck_assert_int_eq(json_find(page, "/entries")->count, 500);
    ck_assert_str_eq(text_at(page, "/entries/0/kind"), "directory");
    page = get(
        arena_printf(arena, "/trainyard/files?share=acc/myshare&after=%s", text_at(page, "/next")));
    ck_assert_int_eq(json_find(page, "/entries")->count, MANY - 500);
    ck_assert_str_eq(text_at(page, "/entries/0/name"), "d500");
    ck_assert_int_eq(json_find(page, "/next")->kind, JSON_NULL);
}
END_TEST

START_TEST(no_path_leads_out_of_a_share)
{
    static const struct {
        const char *target;
        int32_t status;
    } rows[] = {
        {"files", 400},
        {"files?share=acc", 400},
        {"files?share=acc/..", 400},
        {"files?share=acc/UPPER", 400},
        {"files?share=acc/myshare&path=..", 400},
        {"files?share=acc/myshare&path=a/../..", 400},
        {"files?share=acc/myshare&path=a%5Cb", 400},
        {"files?share=acc/myshare&path=/", 200},
        {"files?share=acc/myshare&path=none", 404},
        {"files?share=acc/none", 404},
        {"files?share=../etc/myshare", 400},
        {"files?share=other/myshare", 404},
        {"file?share=acc/myshare&path=..%2F..%2Fetc%2Fpasswd", 400},
        {"file?share=acc/myshare&path=none", 404},
        {"file?share=acc/myshare", 409},
        {"file?share=acc/myshare&path=f&last=0", 400},
        {"file?share=acc/myshare&path=f&last=-5", 400},
        {"file?share=acc/myshare&path=f&last=1k", 400},
        {"file?share=acc/myshare&path=f", 200},
    };
    create_cluster(0);
    ck_assert_int_eq(files_file_create(emulator->files, the_share, "f", 0, "", ""), FILES_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        HttpResponse response =
            send(HTTP_GET, arena_printf(arena, "/trainyard/%s", rows[i].target), NULL, "");
        ck_assert_msg(response.status == rows[i].status, "%s: %d", rows[i].target, response.status);
        if (response.source.free)
            response.source.free(response.source.owner);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("dashboard");
    TCase *tests = tcase_create("dashboard");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_browser_gets_the_page_and_others_a_line);
    tcase_add_test(tests, the_page_is_small_and_needs_nothing_from_elsewhere);
    tcase_add_test(tests, pages_of_other_sites_get_no_answer);
    tcase_add_test(tests, an_empty_world_is_returned_completely);
    tcase_add_test(tests, nodes_are_letters_by_place);
    tcase_add_test(tests, the_nodes_of_a_large_cluster_come_in_pages);
    tcase_add_test(tests, cost_stops_at_the_highest_amount);
    tcase_add_test(tests, cost_includes_held_and_released_resources);
    tcase_add_test(tests, a_training_job_reports_its_progress);
    tcase_add_test(tests, jobs_come_by_pages_the_newest_first);
    tcase_add_test(tests, clusters_and_shares_come_by_pages);
    tcase_add_test(tests, a_share_returns_its_properties);
    tcase_add_test(tests, the_state_is_the_same_after_a_restart);
    tcase_add_test(tests, requests_for_missing_resources_are_refused);
    tcase_add_test(tests, the_logs_of_a_job_are_found_and_read);
    tcase_add_test(tests, directories_come_by_pages);
    tcase_add_test(tests, no_path_leads_out_of_a_share);
    suite_add_tcase(suite, tests);
    return suite;
}

/* emu/control/health.h, emu/control/metrics.h, emu/control/exposition.h, emu/http/request_counts.h.
 * tests/cli/test_metrics.sh scrapes a server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/control/exposition.h"
#include "emu/control/health.h"
#include "emu/state/state_folder.h"
#include "sim/base/units.h"
#include "tests/emu/operations_log.h"
#include "tests/emu/small_emulator.h"
#include "tests/support/suite.h"

static SmallEmulator small;

static void set_up(void)
{
    small_emulator_open(&small, "2018-07-18T17:45:00Z", "metrics", 1);
    emulator_tick(small.emulator, NS_PER_S, INT64_C(1700000000000));
}

static void tear_down(void)
{
    small_emulator_remove(&small);
}

static HttpResponse ask_with(HttpMethod method, const char *host, const char *target,
                             const char *query, const char *authorization)
{
    HttpField header = {"Authorization", authorization};
    HttpRequest request = {.arena = small.arena,
                           .listener = LISTENER_PLAIN,
                           .method = method,
                           .method_text = http_method_name(method),
                           .target = target,
                           .query_text = query,
                           .host = host,
                           .headers = &header,
                           .header_count = authorization != NULL ? 1 : 0,
                           .body = ""};
    HttpResponse response = http_response(200);
    ck_assert(http_read_query(&request, query));
    emulator_handle(small.emulator, &request, &response);
    operations_log(&response);
    return response;
}

static HttpResponse ask(HttpMethod method, const char *host, const char *target, const char *query)
{
    return ask_with(method, host, target, query, NULL);
}

static HttpResponse get(const char *target)
{
    return ask(HTTP_GET, "127.0.0.1:8080", target, "");
}

/* The value of the sample whose line begins with `sample` and a space. */
static double value_of(const char *text, const char *sample)
{
    const char *line = strstr(text, arena_printf(small.arena, "\n%s ", sample));
    ck_assert_msg(line != NULL, "no sample %s in\n%s", sample, text);
    return strtod(line + 1 + strlen(sample), NULL);
}

static const char *scrape(void)
{
    const HttpResponse response = get("/metrics");
    ck_assert_int_eq(response.status, 200);
    ck_assert_str_eq(http_get(&response, "Content-Type"),
                     "text/plain; version=0.0.4; charset=utf-8");
    return response.body;
}

/* --- The format --- */

static const char *number(int64_t value, int32_t decimals)
{
    Text text = {0};
    exposition_number(&text, value, decimals);
    return text_move(small.arena, &text);
}

START_TEST(numbers_are_exact_decimals)
{
    ck_assert_str_eq(number(0, 0), "0");
    ck_assert_str_eq(number(0, 9), "0");
    ck_assert_str_eq(number(1500, 3), "1.5");
    ck_assert_str_eq(number(1000, 3), "1");
    ck_assert_str_eq(number(1, 9), "0.000000001");
    ck_assert_str_eq(number(-5, 1), "-0.5");
    ck_assert_str_eq(number(-15, 1), "-1.5");
    ck_assert_str_eq(number(INT64_MAX, 9), "9223372036.854775807");
}
END_TEST

START_TEST(labels_are_escaped)
{
    const Label labels[] = {{"a", "x\"y\\z\n"}, {"b", ""}};
    Text text = {0};
    exposition_sample(&text, "n", "_sum", labels, 2, 7, 0);
    ck_assert_str_eq(text_string(&text), "n_sum{a=\"x\\\"y\\\\z\\n\",b=\"\"} 7\n");
    text_free(&text);
}
END_TEST

/* --- Requests --- */

START_TEST(requests_are_counted_by_operation_status_and_time)
{
    RequestCounts *counts = request_counts_create(small.arena);
    const char other[] = "Clusters_Get"; // an equal text elsewhere
    request_counts_add(counts, "Clusters_Get", 200, NS_PER_MS);
    request_counts_add(counts, other, 404, NS_PER_MS + 1);
    request_counts_add(counts, "Clusters_Get", 200, 11 * NS_PER_S);
    request_counts_add(counts, NULL, 421, 0);
    small.emulator->control.counts = counts;
    const char *text = scrape();
    ck_assert_double_eq(
        value_of(text, "trainyard_requests_total{operation=\"Clusters_Get\",status=\"200\"}"), 2);
    ck_assert_double_eq(
        value_of(text, "trainyard_requests_total{operation=\"Clusters_Get\",status=\"404\"}"), 1);
    ck_assert_double_eq(
        value_of(text, "trainyard_requests_total{operation=\"none\",status=\"421\"}"), 1);
    const struct {
        const char *limit;
        double count;
    } buckets[] = {{"0.0005", 0}, {"0.001", 1}, {"0.0025", 2}, {"10", 2}, {"+Inf", 3}};
    for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++)
        ck_assert_double_eq(
            value_of(text, arena_printf(small.arena,
                                        "trainyard_request_duration_seconds_bucket{operation="
                                        "\"Clusters_Get\",le=\"%s\"}",
                                        buckets[i].limit)),
            buckets[i].count);
    ck_assert_double_eq_tol(
        value_of(text, "trainyard_request_duration_seconds_sum{operation=\"Clusters_Get\"}"),
        11.002000001, 1e-12);
    ck_assert_double_eq(
        value_of(text, "trainyard_request_duration_seconds_count{operation=\"Clusters_Get\"}"), 3);
}
END_TEST

/* --- The world --- */

static void command(const char *text)
{
    Problems problems = problems_create(small.arena);
    const Json *tree =
        json_parse(small.arena, "command", text, strlen(text), JSON_STRICT, &problems);
    ck_assert_msg(tree && session_command(small.emulator->session, tree, NULL, &problems), "%s",
                  problems.count > 0 ? problems.items[0].message : "");
}

START_TEST(the_world_is_in_numbers)
{
    const char *before = scrape();
    ck_assert_double_eq(value_of(before, "trainyard_world_timestamp_seconds"), 1531935900);
    ck_assert_double_eq(value_of(before, "trainyard_clusters"), 0);
    command("{\"do\": \"group.create\", \"name\": \"base\"}");
    command("{\"do\": \"workspace.create\", \"name\": \"w\", \"resource_group\": \"base\"}");
    command("{\"do\": \"cluster.create\", \"name\": \"gpu\", \"resource_group\": \"base\", "
            "\"workspace\": \"w\", \"config\": {\"properties\": {\"vmSize\": \"STANDARD_NC6\", "
            "\"scaleSettings\": {\"manual\": {\"targetNodeCount\": 2}}}}}");
    ck_assert(emulator_commit(small.emulator, &(Status){0}));
    ck_assert(emulator_advance(small.emulator, NS_PER_HOUR));
    const char *text = scrape();
    ck_assert_double_eq(value_of(text, "trainyard_world_elapsed_seconds"), 3600);
    ck_assert_double_eq(value_of(text, "trainyard_clusters"), 1);
    ck_assert_double_eq(value_of(text, "trainyard_nodes{state=\"idle\"}"), 2);
    ck_assert_double_eq(value_of(text, "trainyard_nodes{state=\"running\"}"), 0);
    ck_assert_double_eq(value_of(text, "trainyard_jobs{state=\"queued\"}"), 0);
    ck_assert_double_gt(value_of(text, "trainyard_cost_usd"), 0);
    ck_assert_double_gt(value_of(text, "trainyard_cost_usd_per_hour"), 0);
    ck_assert_double_gt(value_of(text, "trainyard_world_events_total"),
                        value_of(before, "trainyard_world_events_total"));
    ck_assert_double_gt(value_of(text, "trainyard_journal_entries"),
                        value_of(before, "trainyard_journal_entries"));
    ck_assert_double_gt(value_of(text, "trainyard_journal_bytes"), 4096);
    ck_assert_double_gt(value_of(text, "process_resident_memory_bytes"), 1 << 20);
    ck_assert_double_ge(value_of(text, "process_open_fds"), 3);
}
END_TEST

/* --- Health --- */

START_TEST(it_is_ready_while_writes_can_be_stored)
{
    ck_assert_int_eq(get("/healthz").status, 200);
    ck_assert_str_eq(get("/readyz").body, "ok\n");
    // What is written to a file without a name is lost.
    const char *path = state_path(small.arena, store_folder(small.emulator->store), STATE_DATABASE);
    ck_assert_int_eq(unlink(path), 0);
    const HttpResponse refused = get("/readyz");
    ck_assert_int_eq(refused.status, 503);
    ck_assert_msg(strncmp(refused.body, "not ready: ", 11) == 0, "%s", refused.body);
    ck_assert_int_eq(get("/healthz").status, 200);
}
END_TEST

/* A client of the Resource Manager that also looks at these sends its token everywhere. */
START_TEST(a_bearer_token_does_not_matter)
{
    static const char *const targets[] = {"/healthz", "/readyz", "/metrics"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        ck_assert_int_eq(ask_with(HTTP_GET, "127.0.0.1:8080", targets[i], "", "Bearer x").status,
                         200);
}
END_TEST

START_TEST(an_account_may_be_called_metrics)
{
    const HttpResponse other = ask(HTTP_GET, "127.0.0.1:8080", "/metrics", "comp=list");
    ck_assert_int_eq(other.status, 403); // of Azure Files: no signature
    ck_assert_ptr_nonnull(http_get(&other, "x-ms-request-id"));
    const HttpResponse host = ask(HTTP_GET, "metrics.file.core.windows.net", "/metrics", "");
    ck_assert_ptr_nonnull(http_get(&host, "x-ms-request-id"));
    const HttpResponse signed_by_it =
        ask_with(HTTP_GET, "127.0.0.1:8080", "/metrics", "", "SharedKey metrics:eA==");
    ck_assert_ptr_nonnull(http_get(&signed_by_it, "x-ms-request-id"));
    const HttpResponse post = ask(HTTP_POST, "127.0.0.1:8080", "/metrics", "");
    ck_assert_int_eq(post.status, 405);
    ck_assert_str_eq(http_get(&post, "Allow"), "GET");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("metrics");
    TCase *tests = tcase_create("metrics");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, numbers_are_exact_decimals);
    tcase_add_test(tests, labels_are_escaped);
    tcase_add_test(tests, requests_are_counted_by_operation_status_and_time);
    tcase_add_test(tests, the_world_is_in_numbers);
    tcase_add_test(tests, it_is_ready_while_writes_can_be_stored);
    tcase_add_test(tests, a_bearer_token_does_not_matter);
    tcase_add_test(tests, an_account_may_be_called_metrics);
    suite_add_tcase(suite, tests);
    return suite;
}

/* Emulators that get the same random requests, for tests that compare their answers, their exported
 * sessions and their records. */
#ifndef TESTS_EMU_TWINS_H
#define TESTS_EMU_TWINS_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "emu/session/export.h"
#include "sim/base/philox.h"
#include "tests/emu/small_emulator.h"

#define GROUPS "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/"

enum { NAMES = 5, DEPTH_BYTES = 512 };

typedef struct {
    SmallEmulator small;
    bool is_tidied;
    Text said; /* all answers */
} Twin;

static uint64_t draw_state;

static inline uint32_t draw(uint32_t below)
{
    return philox(draw_state++, (PhiloxBlock){{1, 2, 3, 4}}).word[0] % below;
}

static inline void ask(Twin *twin, HttpMethod method, const char *target, const char *body)
{
    Arena *arena = arena_create();
    static const HttpField token = {"Authorization", "Bearer x"};
    HttpRequest request = {.arena = arena,
                           .listener = LISTENER_PLAIN,
                           .method = method,
                           .method_text = http_method_name(method),
                           .host = "127.0.0.1:8080",
                           .peer = "127.0.0.1",
                           .target = target,
                           .headers = &token,
                           .header_count = 1,
                           .body = body,
                           .body_bytes = strlen(body)};
    HttpResponse response = http_response(200);
    ck_assert(http_read_query(&request, "api-version=2018-05-01"));
    emulator_handle(twin->small.emulator, &request, &response);
    text_printf(&twin->said, "%s %s %d %.*s\n", request.method_text, target, (int)response.status,
                (int)response.body_bytes, response.body ? response.body : "");
    if (response.source.free)
        response.source.free(response.source.owner);
    arena_destroy(arena);
    Status status = {0};
    ck_assert(emulator_commit(twin->small.emulator, &status));
    if (twin->is_tidied)
        emulator_tidy(twin->small.emulator);
}

/* --- Random requests --- */

typedef struct {
    HttpMethod method;
    char target[DEPTH_BYTES], body[2 * DEPTH_BYTES];
} Said;

static inline void draw_path(Said *said, uint32_t depth)
{
    static const char *const parts[] = {"", "/providers/Microsoft.BatchAI/workspaces/w",
                                        "/experiments/e", "/jobs/j"};
    char *end = said->target;
    end += sprintf(end, GROUPS "g%u", draw(2));
    for (uint32_t i = 1; i <= depth; i++)
        end += sprintf(end, "%s%u", parts[i], draw(i == 3 ? NAMES : 2));
}

static inline void draw_job(Said *said)
{
    draw_path(said, 3);
    char cluster[DEPTH_BYTES];
    snprintf(cluster, sizeof cluster, "%.*s/clusters/c%u",
             (int)(strstr(said->target, "/experiments") - said->target), said->target, draw(2));
    snprintf(
        said->body, sizeof said->body,
        "{\"properties\": {\"cluster\": {\"id\": \"%s\"}, \"nodeCount\": 1, "
        "\"stdOutErrPathPrefix\": \"%s\", \"customToolkitSettings\": {\"commandLine\": \"x\"}}}",
        cluster, draw(2) ? "/mnt/logs" : "$AZ_BATCHAI_MOUNT_ROOT/afs");
}

static inline void draw_cluster(Said *said)
{
    draw_path(said, 1);
    sprintf(said->target + strlen(said->target), "/clusters/c%u", draw(2));
    const uint32_t nodes = draw(4);
    if (said->method == HTTP_PATCH)
        snprintf(said->body, sizeof said->body,
                 "{\"properties\": {\"scaleSettings\": {\"manual\": {\"targetNodeCount\": %u}}}}",
                 nodes);
    else
        snprintf(said->body, sizeof said->body,
                 "{\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": {\"manual\": "
                 "{\"targetNodeCount\": %u}}, \"userAccountSettings\": {\"adminUserName\": \"u\", "
                 "\"adminUserPassword\": \"p\"}, \"nodeSetup\": {\"mountVolumes\": "
                 "{\"azureFileShares\": [{\"accountName\": \"acct\", \"azureFileUrl\": "
                 "\"https://acct.file.core.windows.net/share\", \"credentials\": {\"accountKey\": "
                 "\"k\"}, \"relativeMountPath\": \"afs\"}]}}}}",
                 nodes);
}

static inline void draw_clock(Said *said)
{
    static const char *const by[] = {"1s", "10s", "1m", "5m", "1h"};
    said->method = HTTP_POST;
    strcpy(said->target, "/trainyard/clock");
    snprintf(said->body, sizeof said->body, "{\"do\": \"advance\", \"by\": \"%s\"}", by[draw(5)]);
}

static inline Said draw_request(void)
{
    static const HttpMethod methods[] = {HTTP_PUT, HTTP_PUT, HTTP_PUT, HTTP_GET, HTTP_DELETE};
    Said said = {.method = methods[draw(5)], .body = "{\"location\": \"northeurope\"}"};
    switch (draw(10)) {
    case 0:
        draw_path(&said, 0);
        if (said.method == HTTP_DELETE && draw(3) > 0)
            said.method = HTTP_GET;
        break;
    case 1:
        draw_path(&said, 1);
        if (said.method == HTTP_DELETE && draw(3) > 0)
            said.method = HTTP_GET;
        break;
    case 2:
        draw_path(&said, 2);
        break;
    case 3:
    case 4:
        if (draw(2))
            said.method = HTTP_PATCH;
        draw_cluster(&said);
        break;
    case 5:
    case 6:
    case 7:
        draw_job(&said);
        break;
    default:
        draw_clock(&said);
    }
    return said;
}

/* --- Life --- */

static inline void twin_begin(Twin *twin, uint64_t seed, bool is_tidied)
{
    *twin = (Twin){.is_tidied = is_tidied};
    small_emulator_open(&twin->small, "2018-07-18T17:45:00Z", "acct", seed);
}

static inline void twin_restart(Twin *twin)
{
    emulator_close(twin->small.emulator);
    small_emulator_start(&twin->small);
}

static inline void twin_end(Twin *twin)
{
    text_free(&twin->said);
    small_emulator_remove(&twin->small);
}

/* --- Comparing --- */

static inline void twins_agree(const Twin *a, const Twin *b, int requests)
{
    ck_assert_msg(a->said.length == b->said.length &&
                      strcmp(text_string(&a->said), text_string(&b->said)) == 0,
                  "after %d requests: %.400s", requests,
                  b->said.data + b->said.length - (b->said.length < 400 ? b->said.length : 400));
}

static inline const char *exported(Twin *twin)
{
    Text text = {0};
    Status status = {0};
    ck_assert_msg(session_export(twin->small.emulator->session, &text, &status), "%s",
                  status.message);
    const char *copy = arena_strdup(twin->small.arena, text_string(&text));
    text_free(&text);
    return copy;
}

static inline const char *records(Twin *twin)
{
    Text text = {0};
    const Events *events = twin->small.emulator->control.events;
    events_print(events, 0, SIZE_MAX, &text);
    const char *copy = arena_strdup(twin->small.arena, text_string(&text));
    text_free(&text);
    return copy;
}

#endif

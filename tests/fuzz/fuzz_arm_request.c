/* Any bytes as a request to the Resource Manager: "METHOD TARGET", a line end, and a body. The
 * answer is always well-formed and never a failure of the server, and the world's invariants hold.
 *
 * One emulator serves many requests, with a group, a workspace, a cluster, an experiment and a job
 * that some of them may have deleted; it begins anew after a while. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emu/arm/arm.h"
#include "sim/base/invariant.h"
#include "tests/emu/small_emulator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REQUESTS_MAX = 300 };

#define GROUP "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/g"
#define WORKSPACE GROUP "/providers/Microsoft.BatchAI/workspaces/w"

static int32_t ask(Emulator *emulator, HttpMethod method, const char *target, const char *body,
                   size_t body_bytes)
{
    static const HttpField token = {"Authorization", "Bearer x"};
    Arena *arena = arena_create();
    const char *mark = strchr(target, '?');
    HttpRequest request = {.arena = arena,
                           .listener = LISTENER_TLS,
                           .method = method,
                           .method_text = "X",
                           .target = arena_strndup(arena, target, strcspn(target, "?")),
                           .host = "127.0.0.1:8443",
                           .headers = &token,
                           .header_count = 1,
                           .body = body,
                           .body_bytes = body_bytes};
    HttpResponse response = http_response(200);
    const char *query = arena_printf(arena, "api-version=2018-05-01&%s", mark ? mark + 1 : "");
    if (http_read_query(&request, query)) {
        arm_handle(&emulator->arm, &request, &response);
        invariant(response.status >= 200 && response.status < 502 && response.status != 500);
        Problems problems = problems_create(arena);
        invariant(!response.body || json_parse(arena, "answer", response.body, response.body_bytes,
                                               JSON_STRICT, &problems));
    }
    arena_destroy(arena);
    return response.status;
}

static SmallEmulator small;

static void end(void)
{
    small_emulator_remove(&small);
}

static void begin(void)
{
    static const struct {
        const char *target, *body;
    } rows[] = {
        {GROUP, "{\"location\": \"eastus\"}"},
        {WORKSPACE, "{\"location\": \"eastus\"}"},
        {WORKSPACE "/experiments/e", ""},
        {WORKSPACE "/clusters/c",
         "{\"properties\": {\"vmSize\": \"STANDARD_D1\", \"scaleSettings\": {\"manual\":"
         " {\"targetNodeCount\": 1}}, \"userAccountSettings\": {\"adminUserName\": \"a\","
         " \"adminUserPassword\": \"b\"}, \"nodeSetup\": {\"mountVolumes\": {\"azureFileShares\":"
         " [{\"azureFileUrl\": \"https://acct.file.core.windows.net/share\","
         " \"relativeMountPath\": \"afs\"}]}}}}"},
        {WORKSPACE "/experiments/e/jobs/j",
         "{\"properties\": {\"cluster\": {\"id\": \"" WORKSPACE "/clusters/c\"}, \"nodeCount\": 1,"
         " \"customToolkitSettings\": {\"commandLine\": \"true\"}, \"stdOutErrPathPrefix\":"
         " \"$AZ_BATCHAI_MOUNT_ROOT/afs\"}}"},
    };
    small_emulator_open(&small, "2018-06-06T21:06:02Z", "acct", 1);
    world_check_always(session_world(small.emulator->session));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        invariant(ask(small.emulator, HTTP_PUT, rows[i].target, rows[i].body,
                      strlen(rows[i].body)) < 300);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int32_t requests = REQUESTS_MAX;
    enum { SECOND = 1000000000 };
    if (requests++ == REQUESTS_MAX) {
        if (small.arena)
            end();
        else
            atexit(end);
        begin();
        requests = 0;
    }
    const char *text = (const char *)data;
    const char *end = memchr(text, '\n', size);
    if (!end)
        return 0;
    Arena *arena = arena_create();
    const char *line = arena_strndup(arena, text, (size_t)(end - text));
    const char *target = strchr(line, ' ');
    if (target && target[1] == '/') {
        const char *method = arena_strndup(arena, line, (size_t)(target - line));
        ask(small.emulator, http_method(method), target + 1, end + 1,
            size - (size_t)(end + 1 - text));
        session_advance(small.emulator->session,
                        session_now_ns(small.emulator->session) + 7 * (int64_t)SECOND);
    }
    arena_destroy(arena);
    return 0;
}

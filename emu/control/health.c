#include "emu/control/health.h"

#include <string.h>

#include "emu/control/exposition.h"
#include "emu/control/metrics.h"
#include "emu/http/authority.h"

static void answer_text(const ControlCall *call, int32_t status, const char *type, Text *text)
{
    *call->response = http_response(status);
    http_body(call->response, type, arena_strndup(call->arena, text_string(text), text->length),
              text->length);
    http_set(call->response, "Cache-Control", "no-store");
    http_set(call->response, "X-Content-Type-Options", "nosniff");
    text_free(text);
}

static void answer_line(const ControlCall *call, int32_t status, const char *line)
{
    Text text = {0};
    text_printf(&text, "%s\n", line);
    answer_text(call, status, "text/plain; charset=utf-8", &text);
}

static void health_show(const ControlCall *call)
{
    answer_line(call, 200, "ok");
}

static void readiness_show(const ControlCall *call)
{
    const Store *store = session_store(call->control->session);
    Status status = {0};
    if (store_has_lost(store))
        answer_line(call, 503, "not ready: a commit has failed");
    else if (!store_is_in_place(store, &status))
        answer_line(call, 503, arena_printf(call->arena, "not ready: %s", status.message));
    else if (!store_has_room(store, 0))
        answer_line(call, 503, "not ready: the disk of the state folder is full");
    else
        answer_line(call, 200, "ok");
}

static void metrics_show(const ControlCall *call)
{
    Text text = {0};
    metrics_print(call->control, &text);
    answer_text(call, 200, EXPOSITION_TYPE, &text);
}

const ControlRoute health_routes[] = {
    {{"Health_Show", HTTP_GET, "/healthz"}, health_show},
    {{"Readiness_Show", HTTP_GET, "/readyz"}, readiness_show},
    {{"Metrics_Show", HTTP_GET, "/metrics"}, metrics_show},
    {{0}, NULL},
};

static bool is_of_storage(const HttpRequest *request, const char *storage_suffix)
{
    Authority host;
    const char *authorization = http_header(request, "Authorization");
    return request->listener == LISTENER_USERINFO ||
           (authorization && strncmp(authorization, "SharedKey", strlen("SharedKey")) == 0) ||
           (authority_read(request->host, strlen(request->host), &host) &&
            authority_is_storage(&host, storage_suffix));
}

bool health_is_asked(const HttpRequest *request, const char *storage_suffix)
{
    for (const ControlRoute *row = health_routes; row->route.operation; row++)
        if (strcmp(request->target, row->route.pattern) == 0)
            return request->query_text[0] == '\0' && !is_of_storage(request, storage_suffix);
    return false;
}

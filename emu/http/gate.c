#include "emu/http/gate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emu/http/authority.h"
#include "sim/base/ascii.h"
#include "sim/json/json.h"

bool gate_refuse(const HttpRequest *request, HttpResponse *response, int32_t status,
                 const char *code, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    Arena *arena = request->arena;
    Json *error = json_object(arena);
    json_put_text(arena, error, "code", code);
    json_put_text(arena, error, "message", message);
    Json *body = json_object(arena);
    json_set(arena, body, "error", error);
    Text text = {0};
    json_print(&text, body, JSON_COMPACT);
    *response = http_response(status);
    http_body(response, "application/json; charset=utf-8",
              arena_strndup(arena, text_string(&text), text.length), text.length);
    text_free(&text);
    return false;
}

static bool is_for_us(const GateRules *rules, const Authority *host)
{
    return host->is_address || authority_is_loopback(host) ||
           authority_is_storage(host, rules->storage_suffix) ||
           (rules->own_name[0] != '\0' && ascii_same(host->name, rules->own_name));
}

static bool host_passes(const GateRules *rules, const HttpRequest *request, HttpResponse *response)
{
    Authority host;
    if (!authority_read(request->host, strlen(request->host), &host))
        return gate_refuse(request, response, 400, "InvalidHost",
                           "The Host header is missing, or no name or address.");
    if (!is_for_us(rules, &host))
        return gate_refuse(request, response, 421, "MisdirectedRequest",
                           "The emulator answers to addresses, \"localhost\" and "
                           "ACCOUNT.file.%s, not to \"%s\".",
                           rules->storage_suffix, host.name);
    return true;
}

static bool changes_nothing(HttpMethod method)
{
    return method == HTTP_GET || method == HTTP_HEAD || method == HTTP_OPTIONS;
}

static bool origin_passes(const GateRules *rules, const HttpRequest *request,
                          HttpResponse *response)
{
    const char *origin = http_header(request, "Origin");
    const char *scheme = request->listener == LISTENER_PLAIN ? "http://" : "https://";
    if (!origin || changes_nothing(request->method))
        return true;
    // A page can only sign a request with a key that it was given.
    if (rules->is_signed && rules->is_signed(request, rules->storage_suffix))
        return true;
    if (ascii_same_start(origin, scheme, strlen(scheme)) &&
        ascii_same(origin + strlen(scheme), request->host))
        return true;
    return gate_refuse(request, response, 403, "CrossSiteRequest",
                       "Pages of other sites (see the Origin header) may not change anything "
                       "here.");
}

bool gate_passes(const GateRules *rules, const HttpRequest *request, HttpResponse *response)
{
    return host_passes(rules, request, response) && origin_passes(rules, request, response);
}

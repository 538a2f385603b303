/* From a request to the handler of its operation: who may ask, what is known, what all answers
 * carry. */
#include <inttypes.h>
#include <string.h>

#include "emu/arm/arm.h"
#include "emu/arm/subscriptions.h"
#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"

static void common_headers(const Emulator *emulator, const HttpRequest *request,
                           HttpResponse *response)
{
    char *id = arena_alloc(request->arena, GUID_TEXT);
    session_guid(emulator->session, "request", emulator->requests, id);
    http_set(response, "x-ms-request-id", id);
    http_set(response, "x-ms-correlation-request-id", id);
    http_set(response, "request-id", id);
    const char *client_id = http_header(request, "x-ms-client-request-id");
    if (client_id)
        http_set(response, "x-ms-client-request-id", client_id);
    http_set(response, "Cache-Control", "no-cache");
    http_set(response, "X-Content-Type-Options", "nosniff");
}

/* How many more a subscription has in this hour. The service's numbers, but no limit here: they
 * begin again when they are used up. */
static void rate_headers(Emulator *emulator, const HttpRequest *request, HttpResponse *response)
{
    enum { WRITES = 1200, DELETES = 15000 };
    const bool is_delete = request->method == HTTP_DELETE;
    if (request->method == HTTP_GET || request->method == HTTP_HEAD)
        return;
    const int64_t left = is_delete ? DELETES - 1 - emulator->deletes++ % DELETES
                                   : WRITES - 1 - emulator->writes++ % WRITES;
    http_set(response,
             is_delete ? "x-ms-ratelimit-remaining-subscription-deletes"
                       : "x-ms-ratelimit-remaining-subscription-writes",
             arena_printf(request->arena, "%" PRId64, left));
}

void arm_refuse(const Emulator *emulator, const HttpRequest *request, HttpResponse *response,
                int32_t status, const char *code, const char *message)
{
    common_headers(emulator, request, response);
    arm_error(request, response, status, code, "%s", message);
}

/* --- Who may ask, and how --- */

static bool has_token(const HttpRequest *request)
{
    static const char scheme[] = "Bearer ";
    const char *header = http_header(request, "Authorization");
    if (!header || !ascii_same_start(header, scheme, sizeof scheme - 1))
        return false;
    header += sizeof scheme - 1;
    return header[strspn(header, " ")] != '\0'; // any: clients keep theirs over restarts
}

/* A date, and "-preview" behind it or nothing. */
static bool is_version(Arena *arena, const char *text)
{
    enum { DATE = sizeof "2018-05-01" - 1 };
    Status status = {0};
    int64_t unix_ms;
    if (strlen(text) < DATE || (text[DATE] != '\0' && !ascii_same(text + DATE, "-preview")))
        return false;
    return iso_time_parse(arena_printf(arena, "%.*sT00:00:00Z", (int)DATE, text),
                          place_in("api-version", 0, 0), &unix_ms, &status);
}

static bool has_version(const HttpRequest *request, HttpResponse *response)
{
    const char *version = http_query(request, "api-version");
    if (!version || *version == '\0')
        arm_error(request, response, 400, "MissingApiVersionParameter",
                  "The api-version query parameter (?api-version=) is required for all requests.");
    else if (!is_version(request->arena, version))
        arm_error(request, response, 400, "InvalidApiVersionParameter",
                  "The api-version '%s' is invalid: versions are dates such as '2018-05-01' or "
                  "'2018-05-01-preview'.",
                  version);
    else
        return true;
    return false;
}

static bool is_allowed(const Emulator *emulator, const HttpRequest *request, HttpResponse *response)
{
    if (!has_token(request)) {
        http_set(
            response, "WWW-Authenticate",
            arena_printf(request->arena,
                         "Bearer authorization_uri=\"%s\", error=\"invalid_token\", "
                         "error_description=\"The access token is missing.\"",
                         arm_url(emulator, request,
                                 arena_printf(request->arena, "/%s", emulator->settings.tenant))));
        arm_error(request, response, 401, "AuthenticationFailed",
                  "Authentication failed. The 'Authorization' header is missing or has no bearer "
                  "token.");
        return false;
    }
    return has_version(request, response);
}

/* The Resource Manager's limit, of the requests that are its own: Azure Files takes more. */
static bool is_small_enough(const HttpRequest *request, HttpResponse *response)
{
    enum { BODY_MAX = 4 << 20 };
    if (request->body_bytes <= BODY_MAX)
        return true;
    arm_error(request, response, 413, "RequestContentTooLarge",
              "The request content size exceeds the maximum size of 4 MB.");
    return false;
}

/* --- What is known --- */

static void answer_unknown(const HttpRequest *request, HttpResponse *response)
{
    RoutePath path;
    if (!route_split(request->arena, request->target, &path)) {
        arm_error(request, response, 400, "InvalidPath", "The path of the request is malformed.");
        return;
    }
    for (int32_t i = 0; i + 1 < path.count; i++) {
        const char *part = path.parts[i].text;
        if (path.parts[i].length != strlen("providers") || !ascii_same_start(part, "providers", 9))
            continue;
        const char *name =
            arena_strndup(request->arena, path.parts[i + 1].text, path.parts[i + 1].length);
        if (arm_namespace_is_known(name))
            arm_error(request, response, 404, "InvalidResourceType",
                      "The resource type could not be found in the namespace '%s' for api version "
                      "'%s'.",
                      name, http_query(request, "api-version"));
        else
            arm_error(request, response, 404, "InvalidResourceNamespace",
                      "The resource namespace '%s' is invalid.", name);
        return;
    }
    arm_error(request, response, 404, "NotFound",
              "No HTTP resource was found that matches the request path '%s'.", request->target);
}

static void answer_other_method(const Route *table, const HttpRequest *request,
                                HttpResponse *response)
{
    http_set(response, "Allow", route_methods(table, request));
    arm_error(request, response, 405, "MethodNotAllowed",
              "The requested resource does not support http method '%s'.", request->method_text);
}

/* Nothing is written into a group that is being deleted. */
static bool is_of_kept_group(const Emulator *emulator, const Route *route, const RouteMatch *match,
                             const HttpRequest *request, HttpResponse *response)
{
    static const char prefix[] = "/subscriptions/{}/resourceGroups/{}";
    const bool is_write = request->method == HTTP_PUT || request->method == HTTP_PATCH;
    if (!is_write || strncmp(route->pattern, prefix, sizeof prefix - 1) != 0)
        return true;
    const ResourcePath path = {.name = match->parts[1]};
    const Record *group = session_find(emulator->session, RECORD_GROUP, path);
    if (!group || !arm_is_being_deleted(emulator, group))
        return true;
    arm_error(request, response, 409, "ResourceGroupBeingDeleted",
              "The resource group '%s' is in deprovisioning state and cannot perform this "
              "operation.",
              group->path.name);
    return false;
}

static void call(Emulator *emulator, const Route *route, const HttpRequest *request,
                 const RouteMatch *match, HttpResponse *response)
{
    if (!route->handler)
        arm_error(request, response, 501, "NotImplemented",
                  "The emulator does not implement %s (%s).", route->operation,
                  http_method_name(route->method));
    else if (is_of_kept_group(emulator, route, match, request, response))
        route->handler(emulator, request, match, response);
    response->operation = route->operation;
}

/* The first brace of these patterns is the subscription. */
static bool is_of_subscription(const Emulator *emulator, const Route *route,
                               const RouteMatch *match, const HttpRequest *request,
                               HttpResponse *response)
{
    static const char prefix[] = "/subscriptions/{}";
    if (strncmp(route->pattern, prefix, sizeof prefix - 1) != 0 ||
        ascii_same(match->parts[0], emulator->settings.subscription))
        return true;
    arm_error(request, response, 404, "SubscriptionNotFound",
              "The subscription '%s' could not be found.", match->parts[0]);
    return false;
}

void arm_handle(Emulator *emulator, const HttpRequest *request, HttpResponse *response)
{
    static const Route *const tables[] = {batchai_routes, arm_routes};
    RouteMatch match;
    bool is_known;
    common_headers(emulator, request, response);
    const Route *route = route_find(login_routes, request, &match, &is_known);
    if (route) {
        call(emulator, route, request, &match, response);
        return;
    }
    if (is_known) {
        answer_other_method(login_routes, request, response);
        return;
    }
    if (!is_allowed(emulator, request, response) || !is_small_enough(request, response))
        return;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        route = route_find(tables[i], request, &match, &is_known);
        if (route) {
            if (is_of_subscription(emulator, route, &match, request, response))
                call(emulator, route, request, &match, response);
            rate_headers(emulator, request, response);
            return;
        }
        if (is_known) {
            answer_other_method(tables[i], request, response);
            return;
        }
    }
    answer_unknown(request, response);
}

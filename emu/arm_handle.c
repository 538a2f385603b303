/* From a request to the handler of its operation: who may ask, what is known, what all answers
 * carry. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "emu/arm.h"
#include "emu/arm_subscriptions.h"

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

/* How many more a subscription has in this hour. The service's numbers, but no limit here: what the
 * session counts is its writes, and it begins again when they are used up. */
static void rate_headers(const Emulator *emulator, const HttpRequest *request,
                         HttpResponse *response)
{
    enum { WRITES = 1200, DELETES = 15000 };
    const int64_t used = session_sequence(emulator->session);
    const bool is_delete = request->method == HTTP_DELETE;
    if (request->method == HTTP_GET || request->method == HTTP_HEAD)
        return;
    http_set(response,
             is_delete ? "x-ms-ratelimit-remaining-subscription-deletes"
                       : "x-ms-ratelimit-remaining-subscription-writes",
             arena_printf(request->arena, "%" PRId64,
                          is_delete ? DELETES - 1 - used % DELETES : WRITES - 1 - used % WRITES));
}

void arm_refuse(const Emulator *emulator, const HttpRequest *request, HttpResponse *response,
                int32_t status, const char *code, const char *message)
{
    common_headers(emulator, request, response);
    arm_error(request, response, status, code, "%s", message);
}

/* --- Who may ask --- */

static bool has_token(const HttpRequest *request)
{
    static const char scheme[] = "Bearer ";
    const char *header = http_header(request, "Authorization");
    if (!header || strncasecmp(header, scheme, sizeof scheme - 1) != 0)
        return false;
    header += sizeof scheme - 1;
    return header[strspn(header, " ")] != '\0'; // any: clients keep theirs over restarts
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
    const char *version = http_query(request, "api-version");
    if (version && *version != '\0')
        return true;
    arm_error(request, response, 400, "MissingApiVersionParameter",
              "The api-version query parameter (?api-version=) is required for all requests.");
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
        if (path.parts[i].length != strlen("providers") || strncasecmp(part, "providers", 9) != 0)
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
        strcasecmp(match->parts[0], emulator->settings.subscription) == 0)
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
    if (!is_allowed(emulator, request, response))
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

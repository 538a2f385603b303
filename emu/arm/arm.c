#include "emu/arm/arm.h"

#include <inttypes.h>
#include <string.h>

#include "emu/arm/call.h"
#include "emu/arm/id.h"
#include "emu/arm/login.h"
#include "emu/arm/routes.h"
#include "emu/arm/subscriptions.h"
#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"

static void common_headers(const ArmCall *call)
{
    char *id = arena_alloc(call->arena, GUID_TEXT);
    session_guid(call->session, "request", call->arm->request, id);
    http_set(call->response, "x-ms-request-id", id);
    http_set(call->response, "x-ms-correlation-request-id", id);
    http_set(call->response, "request-id", id);
    const char *client_id = http_header(call->request, "x-ms-client-request-id");
    if (client_id)
        http_set(call->response, "x-ms-client-request-id", client_id);
    http_set(call->response, "Cache-Control", "no-cache");
    http_set(call->response, "X-Content-Type-Options", "nosniff");
}

/* The writes or deletions that the subscription has left in this hour. The numbers are the
 * service's, but they limit nothing here: they start again when they are used up. */
static void rate_headers(const ArmCall *call)
{
    enum { WRITES = 1200, DELETES = 15000 };
    const bool is_delete = call->request->method == HTTP_DELETE;
    if (call->request->method == HTTP_GET || call->request->method == HTTP_HEAD)
        return;
    const int64_t left = is_delete ? DELETES - 1 - call->arm->deletes++ % DELETES
                                   : WRITES - 1 - call->arm->writes++ % WRITES;
    http_set(call->response,
             is_delete ? "x-ms-ratelimit-remaining-subscription-deletes"
                       : "x-ms-ratelimit-remaining-subscription-writes",
             arena_printf(call->arena, "%" PRId64, left));
}

static ArmCall call_begin(Arm *arm, const HttpRequest *request, HttpResponse *response)
{
    const ArmCall call = {.arm = arm,
                          .session = arm->session,
                          .request = request,
                          .response = response,
                          .errors = ARENA_NEW(request->arena, ArmErrors),
                          .arena = request->arena};
    common_headers(&call);
    return call;
}

void arm_refuse(Arm *arm, const HttpRequest *request, HttpResponse *response, int32_t status,
                const char *code, const char *message)
{
    const ArmCall call = call_begin(arm, request, response);
    arm_error_with(&call, status, code, message);
}

/* --- Who may ask, and how --- */

static bool has_token(const ArmCall *call)
{
    static const char scheme[] = "Bearer ";
    const char *header = http_header(call->request, "Authorization");
    if (!header || !ascii_same_start(header, scheme, sizeof scheme - 1))
        return false;
    header += sizeof scheme - 1;
    return header[strspn(header, " ")] != '\0'; // any: clients keep theirs over restarts
}

/* A date in the past, optionally followed by "-preview". Newer clients name versions that are
 * newer than the emulator, but none of tomorrow; a day is for clocks and time zones. */
static bool is_version(Arena *arena, const char *text, int64_t machine_unix_ms)
{
    static const int64_t day_ms = INT64_C(86400000);
    enum { DATE = sizeof "2018-05-01" - 1 };
    Status status = {0};
    int64_t unix_ms;
    if (strlen(text) < DATE || (text[DATE] != '\0' && !ascii_same(text + DATE, "-preview")))
        return false;
    return iso_time_parse(arena_printf(arena, "%.*sT00:00:00Z", (int)DATE, text),
                          place_in("api-version", 0, 0), &unix_ms, &status) &&
           unix_ms <= machine_unix_ms + day_ms;
}

static bool has_version(const ArmCall *call)
{
    const char *version = http_query(call->request, "api-version");
    if (!version || *version == '\0')
        arm_error(call, AZURE_ARM_NO_API_VERSION);
    else if (!is_version(call->arena, version, call->arm->pace->real_unix_ms))
        arm_error(call, AZURE_ARM_INVALID_API_VERSION, version);
    else
        return true;
    return false;
}

static bool is_allowed(const ArmCall *call)
{
    if (!has_token(call)) {
        http_set(call->response, "WWW-Authenticate",
                 arena_printf(call->arena,
                              "Bearer authorization_uri=\"%s\", error=\"invalid_token\", "
                              "error_description=\"The access token is missing.\"",
                              arm_url(call, arena_printf(call->arena, "/%s",
                                                         session_tenant(call->session)))));
        return arm_error(call, AZURE_ARM_NO_TOKEN);
    }
    return has_version(call);
}

/* The Resource Manager's own limit; Azure Files accepts larger bodies. */
static bool is_small_enough(const ArmCall *call)
{
    enum { BODY_MAX = 4 << 20 };
    return call->request->body_bytes <= BODY_MAX || arm_error(call, AZURE_ARM_BODY_TOO_LARGE);
}

/* --- What is known --- */

static void answer_unknown(const ArmCall *call)
{
    RoutePath path;
    if (!route_split(call->arena, call->request->target, &path)) {
        arm_error(call, AZURE_ARM_INVALID_PATH);
        return;
    }
    for (int32_t i = 0; i + 1 < path.count; i++) {
        const char *part = path.parts[i].text;
        if (path.parts[i].length != strlen("providers") || !ascii_same_start(part, "providers", 9))
            continue;
        const char *name =
            arena_strndup(call->arena, path.parts[i + 1].text, path.parts[i + 1].length);
        if (arm_namespace_is_known(name))
            arm_error(call, AZURE_ARM_UNKNOWN_TYPE, name, http_query(call->request, "api-version"));
        else
            arm_error(call, AZURE_ARM_UNKNOWN_NAMESPACE, name);
        return;
    }
    arm_error(call, AZURE_ARM_UNKNOWN_PATH, call->request->target);
}

static void answer_other_method(const ArmCall *call, const ArmRoute *table)
{
    http_set(call->response, "Allow", route_methods(ROUTE_TABLE(table), call->request));
    arm_error(call, AZURE_ARM_METHOD_NOT_ALLOWED, call->request->method_text);
}

/* A group that is being deleted accepts no writes. */
static bool is_of_kept_group(const ArmCall *call, const Route *route)
{
    static const char prefix[] = "/subscriptions/{}/resourceGroups/{}";
    const bool is_write = call->request->method == HTTP_PUT || call->request->method == HTTP_PATCH;
    if (!is_write || strncmp(route->pattern, prefix, sizeof prefix - 1) != 0)
        return true;
    const ResourcePath path = {.name = call->match.parts[1]};
    const Record *group = session_find(call->session, RECORD_GROUP, path);
    if (!group || !arm_is_being_deleted(call, group))
        return true;
    return arm_error(call, AZURE_ARM_GROUP_BEING_DELETED, group->path.name);
}

static void run_handler(const ArmCall *call, const ArmRoute *row)
{
    if (!row->handler)
        arm_error(call, AZURE_ARM_NOT_IMPLEMENTED, row->route.operation,
                  http_method_name(row->route.method));
    else if (is_of_kept_group(call, &row->route))
        row->handler(call);
    call->response->operation = row->route.operation;
}

/* The first brace of these patterns is the subscription. */
static bool is_of_subscription(const ArmCall *call, const Route *route)
{
    static const char prefix[] = "/subscriptions/{}";
    if (strncmp(route->pattern, prefix, sizeof prefix - 1) != 0 ||
        ascii_same(call->match.parts[0], session_subscription(call->session)))
        return true;
    return arm_error(call, AZURE_ARM_NO_SUBSCRIPTION, call->match.parts[0]);
}

/* "workspaces/clusters" of the pattern ".../providers/Microsoft.BatchAI/workspaces/{}/clusters/{}".
 */
static const char *type_of(Arena *arena, const char *pattern)
{
    static const char before[] = "/providers/";
    const char *part = strstr(pattern, before) + sizeof before - 1;
    const char *type = "";
    for (part += strcspn(part, "/"); *part == '/';) {
        const int length = (int)strcspn(++part, "/");
        if (part[0] != '{')
            type = arena_printf(arena, "%s%s%.*s", type, type[0] != '\0' ? "/" : "", length, part);
        part += length;
    }
    return type;
}

/* A provider has one version, unlike the Resource Manager's own operations, which newer clients
 * call with newer versions. The words are the Resource Manager's (Azure/azure-sdk-for-js issue
 * 4097). */
static bool is_of_version(const ArmCall *call, const Route *route)
{
    const char *version = http_query(call->request, "api-version");
    const char *supported = arm_provider_version(call->arm->batchai.name);
    return strcmp(version, supported) == 0 ||
           arm_error(call, AZURE_ARM_OTHER_API_VERSION, session_scenario(call->session)->region,
                     version, type_of(call->arena, route->pattern), supported);
}

/* Answers the request if its path is in this table. False if it is not. */
static bool is_served(ArmCall *call, const ArmRoute *table, void *provider, bool needs_subscription)
{
    bool is_known;
    const Route *route = route_find(ROUTE_TABLE(table), call->request, &call->match, &is_known);
    call->provider = provider;
    if (route && (!needs_subscription || is_of_subscription(call, route)) &&
        (table != call->arm->batchai.routes || is_of_version(call, route)))
        run_handler(call, (const ArmRoute *)route);
    if (route && needs_subscription)
        rate_headers(call);
    if (!route && is_known)
        answer_other_method(call, table);
    return is_known;
}

void arm_handle(Arm *arm, const HttpRequest *request, HttpResponse *response)
{
    ArmCall call = call_begin(arm, request, response);
    if (is_served(&call, login_routes, NULL, false) || !is_allowed(&call) ||
        !is_small_enough(&call) ||
        is_served(&call, arm->batchai.routes, arm->batchai.owner, true) ||
        is_served(&call, arm_routes, NULL, true))
        return;
    answer_unknown(&call);
}

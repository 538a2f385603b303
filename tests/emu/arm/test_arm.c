/* The Resource Manager around Batch AI: who may ask, errors, tokens, subscriptions, groups, storage
 * accounts. */
#include "emu/arm/location.h"
#include "emu/arm/storage.h"
#include "tests/emu/arm_client.h"
#include "tests/emu/small_emulator.h"
#include "tests/support/suite.h"

static SmallEmulator small;
static Arena *arena;
static Client client;

static void set_up(void)
{
    small_emulator_open(&small, "2018-06-06T21:06:02Z", "acct", 1);
    arena = small.arena;
    client = (Client){arena, small.emulator};
}

static void tear_down(void)
{
    small_emulator_remove(&small);
}

static Answer ask(HttpMethod method, const char *below, const char *body)
{
    return client_do(client, method, below, body);
}

static void make_group(const char *name)
{
    const Answer answer = ask(HTTP_PUT, arena_printf(arena, "/resourcegroups/%s", name),
                              "{\"location\": \"East US\"}");
    ck_assert_status(answer, 201);
}

/* --- Who may ask --- */

START_TEST(without_a_token_no_data_is_returned)
{
    static const HttpField bad[] = {
        {"Authorization", ""}, {"Authorization", "Bearer "}, {"Authorization", "Basic eDp5"}};
    Answer answer = client_send(client, HTTP_GET, "/subscriptions", NULL, NULL, 0);
    ck_assert_error(answer, 401, "AuthenticationFailed");
    ck_assert_str_eq(http_get(&answer.response, "WWW-Authenticate"),
                     arena_printf(arena,
                                  "Bearer authorization_uri=\"https://127.0.0.1:8443/%s\", "
                                  "error=\"invalid_token\", "
                                  "error_description=\"The access token is missing.\"",
                                  session_tenant(client.emulator->session)));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        answer = client_send(client, HTTP_GET, "/subscriptions", NULL, &bad[i], 1);
        ck_assert_error(answer, 401, "AuthenticationFailed");
    }
    answer = client_send(client, HTTP_GET, "/nowhere", NULL, NULL, 0);
    ck_assert_error(answer, 401, "AuthenticationFailed");
}
END_TEST

START_TEST(every_request_names_an_api_version)
{
    const Answer answer = client_ask(client, HTTP_GET, "/subscriptions?api-version=", NULL);
    ck_assert_error(answer, 400, "MissingApiVersionParameter");
    static const struct {
        const char *version;
        bool is_one;
    } rows[] = {
        {"2018-05-01", true},       {"2026-11-18", true},   {"2017-09-01-preview", true},
        {"2031-12-31", false},      {"2026-11-20", false},  {"2099-01-01-preview", false},
        {"garbage", false},         {"2018-05-0", false},   {"2018-05-01x", false},
        {"2018-02-30", false},      {"2018-05-01T", false}, {"2018-5-01", false},
        {"2018-05-01-prev", false}, {"latest", false},      {"%202018-05-01", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *target = arena_printf(arena, "/subscriptions?api-version=%s", rows[i].version);
        const Answer told = client_ask(client, HTTP_GET, target, NULL);
        ck_assert_msg(told.status == (rows[i].is_one ? 200 : 400), "%s", rows[i].version);
        ck_assert_str_eq(answer_text(told, "/error/code"),
                         rows[i].is_one ? "" : "InvalidApiVersionParameter");
    }
}
END_TEST

START_TEST(batch_ai_has_one_version)
{
    static const char below[] =
        CLIENT_SUBSCRIPTION "/resourceGroups/g/providers/microsoft.batchai/workspaces/w/clusters/c";
    const Answer answer =
        client_ask(client, HTTP_GET, arena_printf(arena, "%s?api-version=2018-03-01", below), NULL);
    ck_assert_error(answer, 400, "NoRegisteredProviderFound");
    ck_assert_str_eq(answer_text(answer, "/error/message"),
                     "No registered resource provider found for location 'northeurope' and "
                     "API version '2018-03-01' for type 'workspaces/clusters'. The supported "
                     "api-versions are '2018-05-01'.");
    ck_assert_error(
        client_ask(client, HTTP_GET, arena_printf(arena, "%s?api-version=2018-05-01", below), NULL),
        404, "ResourceGroupNotFound");
}
END_TEST

START_TEST(a_path_that_leads_nowhere_gets_a_specific_error)
{
    static const struct {
        HttpMethod method;
        const char *target;
        int32_t status;
        const char *code;
    } rows[] = {
        {HTTP_GET, "/nowhere", 404, "NotFound"},
        {HTTP_GET, "/subscriptions/%zz", 400, "InvalidPath"},
        {HTTP_GET, "/subscriptions/22222222-0000-0000-0000-000000000000", 404,
         "SubscriptionNotFound"},
        {HTTP_GET, CLIENT_SUBSCRIPTION "/resourceGroups/g/providers/Microsoft.Foo/bars", 404,
         "InvalidResourceNamespace"},
        {HTTP_GET, CLIENT_SUBSCRIPTION "/resourceGroups/g/providers/microsoft.batchai/bars", 404,
         "InvalidResourceType"},
        {HTTP_GET, CLIENT_SUBSCRIPTION "/providers/Microsoft.Foo", 404, "InvalidResourceNamespace"},
        {HTTP_DELETE, CLIENT_SUBSCRIPTION, 405, "MethodNotAllowed"},
        {HTTP_METHOD_COUNT, CLIENT_SUBSCRIPTION, 405, "MethodNotAllowed"},
        {HTTP_GET, "/msi/token", 405, "MethodNotAllowed"},
        {HTTP_POST, CLIENT_SUBSCRIPTION "/resourceGroups/g/exportTemplate", 501, "NotImplemented"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Answer answer = client_ask(client, rows[i].method, rows[i].target, NULL);
        ck_assert_error(answer, rows[i].status, rows[i].code);
    }
    const Answer answer = client_ask(client, HTTP_PUT, CLIENT_SUBSCRIPTION "/resourceGroups", "{}");
    ck_assert_str_eq(http_get(&answer.response, "Allow"), "GET");
}
END_TEST

START_TEST(answers_carry_ids_that_are_the_same_each_time)
{
    static const HttpField headers[] = {{"Authorization", "Bearer x"},
                                        {"x-ms-client-request-id", "mine"}};
    client.emulator->requests = 6;
    Answer answer = client_send(client, HTTP_GET, "/tenants", NULL, headers, 2);
    ck_assert_str_eq(http_get(&answer.response, "x-ms-client-request-id"), "mine");
    const char *id = http_get(&answer.response, "x-ms-request-id");
    ck_assert_uint_eq(strlen(id), GUID_TEXT - 1);
    answer = client_ask(client, HTTP_GET, "/tenants", NULL);
    ck_assert_str_ne(http_get(&answer.response, "x-ms-request-id"), id);
    ck_assert_ptr_null(http_get(&answer.response, "x-ms-client-request-id"));
    client.emulator->requests = 6;
    answer = client_ask(client, HTTP_GET, "/tenants", NULL);
    ck_assert_str_eq(http_get(&answer.response, "x-ms-request-id"), id);
}
END_TEST

START_TEST(errors_are_utf8_whatever_they_quote)
{
    Answer answer = client_ask(client, HTTP_GET, "/subscriptions/\xe3/resources", NULL);
    ck_assert_str_eq(answer_text(answer, "/error/message"),
                     "The subscription '?' could not be found.");
    answer = client_ask(client, HTTP_GET, "/subscriptions/%C3%BC/resources", NULL);
    ck_assert_str_eq(answer_text(answer, "/error/message"),
                     "The subscription '\xc3\xbc' could not be found.");
}
END_TEST

START_TEST(bodies_that_are_no_object_are_refused)
{
    static const char *const bad[] = {"{",    "[]",
                                      "null", "{\"location\": 1}",
                                      "\xff", "{\"location\": \"x\", \"tags\": {\"a\": 1}}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(ask(HTTP_PUT, "/resourcegroups/g", bad[i]).status == 400, "%s", bad[i]);
    ck_assert_int_eq(ask(HTTP_HEAD, "/resourcegroups/g", NULL).status, 404);
}
END_TEST

/* --- Tokens --- */

START_TEST(bodies_have_four_mebibytes_at_most)
{
    enum { MOST = 4 << 20 };
    static const char start[] = "{\"location\": \"eastus\"";
    char *body = arena_alloc(arena, MOST + 2);
    memset(body, ' ', MOST + 1);
    memcpy(body, start, sizeof start - 1);
    body[MOST - 1] = '}';
    body[MOST] = '\0';
    ck_assert_status(ask(HTTP_PUT, "/resourcegroups/g", body), 201);
    body[MOST] = ' ';
    body[MOST + 1] = '\0';
    ck_assert_error(ask(HTTP_PUT, "/resourcegroups/g", body), 413, "RequestContentTooLarge");
}
END_TEST

START_TEST(a_managed_identity_gets_a_token_in_three_parts)
{
    static const HttpField headers[] = {{"Metadata", "true"}};
    const char *form = "resource=https%3A%2F%2Fmanagement.core.windows.net%2F";
    Answer answer = client_send(client, HTTP_POST, "/msi/token", form, headers, 1);
    ck_assert_status(answer, 200);
    ck_assert_str_eq(answer_text(answer, "/token_type"), "Bearer");
    ck_assert_str_eq(answer_text(answer, "/resource"), "https://management.core.windows.net/");
    ck_assert_str_eq(answer_text(answer, "/not_before"), "1795000000");
    ck_assert_str_eq(answer_text(answer, "/expires_on"), "1795086400");
    const char *token = answer_text(answer, "/access_token");
    // {"alg":"none","typ":"JWT"}
    ck_assert_msg(strncmp(token, "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.", 36) == 0, "%s", token);
    const char *second = strchr(token + 36, '.');
    ck_assert(second && second[1] != '\0' && !strchr(second + 1, '.'));
    ck_assert_ptr_null(strpbrk(token, "+/="));

    answer = client_send(client, HTTP_POST, "/msi/token", form, NULL, 0);
    ck_assert_error(answer, 400, "invalid_request");
    answer = client_send(client, HTTP_POST, "/msi/token", "resource=%", headers, 1);
    ck_assert_error(answer, 400, "invalid_request");
}
END_TEST

START_TEST(a_service_principal_finds_its_way_to_a_token)
{
    Answer answer =
        client_send(client, HTTP_GET, "/adfs/.well-known/openid-configuration", NULL, NULL, 0);
    ck_assert_str_eq(answer_text(answer, "/token_endpoint"),
                     "https://127.0.0.1:8443/adfs/oauth2/token");
    ck_assert_str_eq(answer_text(answer, "/authorization_endpoint"),
                     "https://127.0.0.1:8443/adfs/oauth2/authorize");
    answer = client_send(client, HTTP_POST, "/adfs/oauth2/token",
                         "client_id=e&client_secret=s&grant_type=client_credentials&"
                         "scope=https%3A%2F%2Fmanagement.core.windows.net%2F%2F.default",
                         NULL, 0);
    ck_assert_status(answer, 200);
    ck_assert_int_eq(json_member(answer.body, "expires_in")->integer, 86399);
    answer = client_send(client, HTTP_POST, "/adfs/oauth2/token", "grant_type=password", NULL, 0);
    ck_assert_error(answer, 400, "unsupported_grant_type");
    answer =
        client_send(client, HTTP_GET, "/metadata/endpoints?api-version=2015-01-01", NULL, NULL, 0);
    ck_assert_str_eq(answer_text(answer, "/authentication/loginEndpoint"),
                     "https://127.0.0.1:8443/adfs");
}
END_TEST

/* --- Subscription --- */

START_TEST(the_subscription_knows_its_tenant_places_and_providers)
{
    Answer answer = client_ask(client, HTTP_GET, "/subscriptions", NULL);
    ck_assert_str_eq(answer_text(answer, "/value/0/id"), CLIENT_SUBSCRIPTION);
    ck_assert_str_eq(answer_text(answer, "/value/0/tenantId"),
                     session_tenant(client.emulator->session));
    answer = ask(HTTP_GET, "", NULL);
    ck_assert_str_eq(answer_text(answer, "/state"), "Enabled");
    answer = client_ask(client, HTTP_GET, "/tenants", NULL);
    ck_assert_str_eq(answer_text(answer, "/value/0/tenantId"),
                     session_tenant(client.emulator->session));
    answer = ask(HTTP_GET, "/locations", NULL);
    ck_assert_str_eq(answer_text(answer, "/value/3/name"), "eastus");
    ck_assert_str_eq(answer_text(answer, "/value/3/displayName"), "East US");
    answer = ask(HTTP_GET, "/providers", NULL);
    ck_assert_str_eq(answer_text(answer, "/value/0/namespace"), "Microsoft.BatchAI");
    answer = ask(HTTP_GET, "/providers/microsoft.storage", NULL);
    ck_assert_str_eq(answer_text(answer, "/resourceTypes/0/resourceType"), "storageAccounts");
    answer = ask(HTTP_POST, "/providers/Microsoft.BatchAI/register", NULL);
    ck_assert_str_eq(answer_text(answer, "/registrationState"), "Registered");
}
END_TEST

/* Every listed location is accepted, by its name and by its title. */
START_TEST(an_unknown_location_is_refused_with_the_known_ones)
{
    static const struct {
        const char *below, *code, *what;
    } rows[] = {
        {"/resourcegroups/new", "LocationNotAvailableForResourceGroup",
         "resource group. List of available regions is '"},
        {"/resourceGroups/g/providers/Microsoft.BatchAI/workspaces/w",
         "LocationNotAvailableForResourceType",
         "resource type 'Microsoft.BatchAI/workspaces'. List of available regions for the resource "
         "type is '"},
        {"/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/mine",
         "LocationNotAvailableForResourceType",
         "resource type 'Microsoft.Storage/storageAccounts'. List of available regions for the "
         "resource type is '"},
    };
    const char *places = "";
    const Answer told = ask(HTTP_GET, "/locations", NULL);
    const Json *list = json_member(told.body, "value");
    for (const Json *place = list->first; place; place = place->next) {
        const char *name = json_member(place, "name")->text;
        places = arena_printf(arena, "%s%s%s", places, *places ? "," : "", name);
        ck_assert_str_eq(arm_location(arena, json_member(place, "displayName")->text), name);
        ck_assert_status(ask(HTTP_PUT, arena_printf(arena, "/resourcegroups/in-%s", name),
                             arena_printf(arena, "{\"location\": \"%s\"}", name)),
                         201);
    }
    make_group("g");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Answer answer = ask(HTTP_PUT, rows[i].below, "{\"location\": \"Nowhere\"}");
        ck_assert_error(answer, 400, rows[i].code);
        ck_assert_str_eq(answer_text(answer, "/error/message"),
                         arena_printf(arena,
                                      "The provided location 'Nowhere' is not available for %s%s'.",
                                      rows[i].what, places));
        ck_assert_int_eq(ask(HTTP_GET, rows[i].below, NULL).status, 404);
        ck_assert_int_eq(ask(HTTP_PUT, rows[i].below, "{\"location\": \"East US\"}").status / 100,
                         2);
    }
    ck_assert_error(ask(HTTP_PATCH, rows[2].below, "{\"location\": \"mars\"}"), 400, rows[2].code);
}
END_TEST

START_TEST(requests_that_change_something_are_counted_down)
{
    static const char writes[] = "x-ms-ratelimit-remaining-subscription-writes";
    static const char deletes[] = "x-ms-ratelimit-remaining-subscription-deletes";
    static const struct {
        HttpMethod method;
        const char *below, *body, *writes, *deletes;
    } rows[] = {
        {HTTP_PUT, "/resourcegroups/g", "{\"location\": \"eastus\"}", "1199", NULL},
        {HTTP_GET, "/resourcegroups/g", NULL, NULL, NULL},
        {HTTP_PATCH, "/resourcegroups/g", "{\"tags\": {}}", "1198", NULL},
        {HTTP_DELETE, "/resourcegroups/none", NULL, NULL, "14999"},
        {HTTP_POST, "/providers/Microsoft.BatchAI/register", NULL, "1197", NULL},
        {HTTP_DELETE, "/resourcegroups/g", NULL, NULL, "14998"},
        {HTTP_PUT, "/resourcegroups/h", "{\"location\": \"eastus\"}", "1196", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Answer answer = ask(rows[i].method, rows[i].below, rows[i].body);
        ck_assert_pstr_eq(http_get(&answer.response, writes), rows[i].writes);
        ck_assert_pstr_eq(http_get(&answer.response, deletes), rows[i].deletes);
    }
}
END_TEST

/* --- Groups --- */

START_TEST(a_group_is_created_returned_changed_and_deleted)
{
    Answer answer = ask(HTTP_PUT, "/resourcegroups/Batchai.Horovod", "{\"location\": \"eastus\"}");
    ck_assert_status(answer, 201);
    const char *first = answer.text;
    ck_assert_str_eq(first, "{\"id\":\"" CLIENT_SUBSCRIPTION "/resourceGroups/Batchai.Horovod\","
                            "\"name\":\"Batchai.Horovod\","
                            "\"type\":\"Microsoft.Resources/resourceGroups\","
                            "\"location\":\"eastus\",\"tags\":{},"
                            "\"properties\":{\"provisioningState\":\"Succeeded\"}}");
    answer = ask(HTTP_PUT, "/resourceGroups/BATCHAI.HOROVOD", "{\"location\": \"East US\"}");
    ck_assert_status(answer, 200);
    ck_assert_str_eq(answer.text, first);
    answer = ask(HTTP_GET, "/resourceGroups/batchai.horovod", NULL);
    ck_assert_str_eq(answer.text, first);
    answer = ask(HTTP_PUT, "/resourceGroups/batchai.horovod", "{\"location\": \"westus2\"}");
    ck_assert_error(answer, 409, "InvalidResourceGroupLocation");
    answer = ask(HTTP_PATCH, "/resourceGroups/batchai.horovod", "{\"tags\": {\"a\": \"b\"}}");
    ck_assert_str_eq(answer_text(answer, "/tags/a"), "b");
    answer = ask(HTTP_HEAD, "/resourcegroups/batchai.horovod", NULL);
    ck_assert_status(answer, 204);
    ck_assert_ptr_null(answer.response.body);

    answer = ask(HTTP_DELETE, "/resourcegroups/batchai.horovod", NULL);
    ck_assert_status(answer, 202);
    ck_assert_str_eq(http_get(&answer.response, "Retry-After"), "1");
    const char *location = http_get(&answer.response, "Location");
    ck_assert_msg(strncmp(location, "https://127.0.0.1:8443/subscriptions/", 37) == 0, "%s",
                  location);
    answer = client_ask(client, HTTP_GET, location + strlen("https://127.0.0.1:8443"), NULL);
    ck_assert_status(answer, 200);
    ck_assert_ptr_null(answer.response.body);
    ck_assert_error(ask(HTTP_GET, "/resourcegroups/batchai.horovod", NULL), 404,
                    "ResourceGroupNotFound");
    ck_assert_error(ask(HTTP_DELETE, "/resourcegroups/batchai.horovod", NULL), 404,
                    "ResourceGroupNotFound");
}
END_TEST

START_TEST(a_group_may_be_called_whatever_azure_allows)
{
    static const char *const names[] = {"a(b).c_d-", "(x)", "_", "..a"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make_group(names[i]);
        const char *below = arena_printf(arena, "/resourcegroups/%s", names[i]);
        ck_assert_str_eq(answer_text(ask(HTTP_GET, below, NULL), "/name"), names[i]);
        const char *workspace =
            arena_printf(arena, "%s/providers/Microsoft.BatchAI/workspaces/w", below);
        ck_assert_status(ask(HTTP_PUT, workspace, "{\"location\": \"eastus\"}"), 200);
    }
}
END_TEST

static const char *location_of(Answer answer)
{
    return http_get(&answer.response, "Location") + strlen("https://127.0.0.1:8443");
}

START_TEST(a_group_that_is_being_deleted_is_found_but_takes_nothing)
{
    static const char group[] = "/resourcegroups/g1", in_west[] = "{\"location\": \"westus2\"}";
    static const char in_group[] = "/resourceGroups/G1/providers/Microsoft.";
    const char *workspaces = arena_printf(arena, "%sBatchAI/workspaces", in_group);
    const char *writes[] = {group, arena_printf(arena, "%s/w", workspaces),
                            arena_printf(arena, "%s/new", workspaces),
                            arena_printf(arena, "%sStorage/storageAccounts/acc", in_group)};
    make_group("g1");
    ck_assert_status(ask(HTTP_PUT, writes[1], in_west), 200);
    const Answer first = ask(HTTP_DELETE, group, NULL), second = ask(HTTP_DELETE, group, NULL);
    ck_assert_status(first, 202);
    ck_assert_status(second, 202);
    ck_assert_str_eq(answer_text(ask(HTTP_GET, group, NULL), "/properties/provisioningState"),
                     "Deleting");
    ck_assert_status(ask(HTTP_HEAD, group, NULL), 204);
    ck_assert_ptr_nonnull(strstr(ask(HTTP_GET, "/resourcegroups", NULL).text, "\"Deleting\""));
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        ck_assert_error(ask(HTTP_PUT, writes[i], in_west), 409, "ResourceGroupBeingDeleted");
    ck_assert_error(ask(HTTP_PATCH, group, "{\"tags\": {}}"), 409, "ResourceGroupBeingDeleted");
    ck_assert_status(ask(HTTP_GET, writes[1], NULL), 200);
    client.emulator->pace.is_polled = false;
    ask(HTTP_HEAD, group, NULL);
    ck_assert(client.emulator->pace.is_polled);
    ck_assert_status(client_ask(client, HTTP_GET, location_of(second), NULL), 202);
    session_advance(client.emulator->session,
                    session_now_ns(client.emulator->session) + INT64_C(4000000000));
    ck_assert_status(client_ask(client, HTTP_GET, location_of(first), NULL), 200);
    ck_assert_status(client_ask(client, HTTP_GET, location_of(second), NULL), 200);
    ck_assert_error(ask(HTTP_GET, group, NULL), 404, "ResourceGroupNotFound");
    ck_assert_status(ask(HTTP_PUT, group, in_west), 201);
    ck_assert_str_eq(ask(HTTP_GET, workspaces, NULL).text, "{\"value\":[]}");
}
END_TEST

START_TEST(groups_and_resources_are_listed_by_filters)
{
    make_group("g1");
    make_group("g2");
    ck_assert_status(ask(HTTP_PATCH, "/resourcegroups/g2", "{\"tags\": {\"who\": \"me\"}}"), 200);
    ck_assert_status(ask(HTTP_PUT, "/resourceGroups/g1/providers/Microsoft.BatchAI/workspaces/w",
                         "{\"location\": \"eastus\"}"),
                     200);
    ck_assert_status(ask(HTTP_PUT,
                         "/resourceGroups/g2/providers/Microsoft.Storage/storageAccounts/two",
                         "{\"location\": \"eastus\"}"),
                     200);
    static const struct {
        const char *below;
        int32_t count;
    } rows[] = {
        {"/resourcegroups", 2},
        {"/resourcegroups?$top=1", 1},
        {"/resourcegroups?$top=1&$filter=tagName%20eq%20'who'", 1},
        {"/resourcegroups?$filter=tagName%20eq%20'who'", 1},
        {"/resourcegroups?$filter=tagname%20eq%20'who'%20and%20tagvalue%20eq%20'you'", 0},
        {"/resources", 3}, // with the account of the scenario
        {"/resources?$filter=resourceGroup%20eq%20'G1'", 1},
        {"/resources?$filter=resourceType%20eq%20'Microsoft.Storage/storageAccounts'", 2},
        {"/resourceGroups/g2/resources", 1},
        {"/resources?$filter=name%20eq%20'nobody'", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Answer answer = ask(HTTP_GET, rows[i].below, NULL);
        ck_assert_status(answer, 200);
        ck_assert_msg(json_member(answer.body, "value")->count == rows[i].count, "%s: %s",
                      rows[i].below, answer.text);
    }
    static const char *const bad[] = {"x", "name%20eq%20x", "name%20eq%20'x",
                                      "name%20eq%20'x'%20and%20",
                                      "name%20eq%20'x'%20or%20name%20eq%20'y'"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_error(ask(HTTP_GET, arena_printf(arena, "/resources?$filter=%s", bad[i]), NULL),
                        400, "InvalidFilterInQueryString");
}
END_TEST

START_TEST(groups_come_in_pages_that_keep_the_filter)
{
    for (int i = 0; i < 5; i++)
        make_group(arena_printf(arena, "g%d", i));
    for (int i = 0; i < 5; i += 2)
        ck_assert_status(ask(HTTP_PATCH, arena_printf(arena, "/resourcegroups/g%d", i),
                             "{\"tags\": {\"who\": \"me\"}}"),
                         200);
    const char *below = "/resourcegroups?$top=2&$filter=tagName%20eq%20'who'";
    const Answer first = ask(HTTP_GET, below, NULL);
    ck_assert_str_eq(answer_text(first, "/value/1/name"), "g2");
    const char *next = answer_text(first, "/nextLink") + strlen("https://127.0.0.1:8443");
    const Answer second = client_ask(client, HTTP_GET, next, NULL);
    ck_assert_status(second, 200);
    ck_assert_int_eq(json_member(second.body, "value")->count, 1);
    ck_assert_str_eq(answer_text(second, "/value/0/name"), "g4");
    ck_assert_ptr_null(json_member(second.body, "nextLink"));
}
END_TEST

/* Over the borders between kinds: three workspaces, then two accounts and the scenario's. */
START_TEST(resources_come_in_pages_of_every_size)
{
    make_group("g");
    for (int i = 0; i < 3; i++)
        ck_assert_status(
            ask(HTTP_PUT,
                arena_printf(arena, "/resourceGroups/g/providers/Microsoft.BatchAI/workspaces/w%d",
                             i),
                "{\"location\": \"eastus\"}"),
            200);
    for (int i = 0; i < 2; i++)
        ck_assert_status(
            ask(HTTP_PUT,
                arena_printf(arena,
                             "/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/acc%d",
                             i),
                "{\"location\": \"westus\"}"),
            200);
    static const struct {
        const char *path, *filter;
        const char *names;
    } lists[] = {
        {"/resources", "", " w0 w1 w2 acct acc0 acc1"},
        {"/resourceGroups/g/resources", "", " w0 w1 w2 acc0 acc1"},
        {"/resources", "&$filter=location%20eq%20'westus'", " acc0 acc1"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int top = 1; top <= 7; top++) {
            const char *names = "";
            Answer page =
                ask(HTTP_GET,
                    arena_printf(arena, "%s?$top=%d%s", lists[i].path, top, lists[i].filter), NULL);
            for (;;) {
                ck_assert_status(page, 200);
                const Json *value = json_member(page.body, "value");
                for (const Json *item = value->first; item; item = item->next)
                    names = arena_printf(arena, "%s %s", names, json_member(item, "name")->text);
                const char *next = answer_text(page, "/nextLink");
                ck_assert(*next ? value->count == top : value->count <= top);
                if (*next == '\0')
                    break;
                page = client_ask(client, HTTP_GET, next + strlen("https://127.0.0.1:8443"), NULL);
            }
            ck_assert_str_eq(names, lists[i].names);
        }
    ck_assert_error(ask(HTTP_GET, "/resources?$top=0", NULL), 400, "InvalidParameter");
}
END_TEST

/* Numbers of resources that there never were, and of others. */
START_TEST(a_made_up_page_is_empty)
{
    make_group("g1");
    ck_assert_status(ask(HTTP_PUT, "/resourceGroups/g1/providers/Microsoft.BatchAI/workspaces/w",
                         "{\"location\": \"eastus\"}"),
                     200);
    static const char *const tokens[] = {"1", "2", "3", "4", "5", "4294967295"};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        const char *path = "/resourceGroups/g1/providers/Microsoft.BatchAI/workspaces/w/clusters";
        const Answer answer =
            ask(HTTP_GET, arena_printf(arena, "%s?$skiptoken=%s", path, tokens[i]), NULL);
        ck_assert_status(answer, 200);
        ck_assert_int_eq(json_member(answer.body, "value")->count, 0);
    }
    static const char *const lists[] = {"/resourcegroups", "/resources"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const Answer last =
            ask(HTTP_GET, arena_printf(arena, "%s?$skiptoken=4294967295", lists[i]), NULL);
        ck_assert_status(last, 200);
    }
}
END_TEST

START_TEST(names_of_groups_are_checked)
{
    static const char *const bad[] = {"a%20b", "a%2Fb", "a.", "a%22"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_error(ask(HTTP_PUT, arena_printf(arena, "/resourcegroups/%s", bad[i]),
                            "{\"location\": \"eastus\"}"),
                        400, "InvalidResourceGroup");
    ck_assert_error(ask(HTTP_PUT, "/resourcegroups/g", "{}"), 400, "LocationRequired");
}
END_TEST

/* --- Storage --- */

#define ACCOUNTS "/resourceGroups/g/providers/Microsoft.Storage/storageAccounts"

static void make_account(const char *name)
{
    const Answer answer = ask(HTTP_PUT, arena_printf(arena, ACCOUNTS "/%s", name),
                              "{\"sku\": {\"name\": \"Standard_LRS\"}, \"kind\": \"StorageV2\","
                              " \"location\": \"eastus\", \"properties\": {}}");
    ck_assert_status(answer, 200);
}

START_TEST(an_account_is_made_and_found)
{
    make_group("g");
    make_account("mine");
    make_account("mine");
    Answer answer = ask(HTTP_GET, ACCOUNTS "/mine", NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/provisioningState"), "Succeeded");
    ck_assert_str_eq(answer_text(answer, "/properties/primaryEndpoints/file"),
                     "http://127.0.0.1:8080/mine");
    ck_assert_str_eq(answer_text(answer, "/sku/tier"), "Standard");
    answer = ask(HTTP_GET, "/providers/Microsoft.Storage/storageAccounts", NULL);
    ck_assert_int_eq(json_member(answer.body, "value")->count, 2); // "acct" is the scenario's
    ck_assert_str_eq(answer_text(answer, "/value/0/location"), "northeurope");
    ck_assert_str_eq(answer_text(answer, "/value/1/id"),
                     CLIENT_SUBSCRIPTION "/resourceGroups/g/providers/Microsoft.Storage/"
                                         "storageAccounts/mine");
    answer = ask(HTTP_GET, ACCOUNTS, NULL);
    ck_assert_int_eq(json_member(answer.body, "value")->count, 1);
    ck_assert_error(ask(HTTP_GET, ACCOUNTS "/other", NULL), 404, "ResourceNotFound");
    make_group("h");
    ck_assert_error(ask(HTTP_PUT,
                        "/resourceGroups/h/providers/Microsoft.Storage/storageAccounts/mine",
                        "{\"location\": \"eastus\"}"),
                    409, "StorageAccountAlreadyTaken");
    ck_assert_error(ask(HTTP_PUT, ACCOUNTS "/Mine", "{}"), 400, "AccountNameInvalid");
    ck_assert_error(ask(HTTP_PUT, ACCOUNTS "/subscriptions", "{}"), 400, "AccountNameInvalid");
    answer = ask(HTTP_PATCH, ACCOUNTS "/mine", "{\"tags\": {\"a\": \"b\"}}");
    ck_assert_str_eq(answer_text(answer, "/tags/a"), "b");
    ck_assert_str_eq(answer_text(answer, "/kind"), "StorageV2");
    ck_assert_status(ask(HTTP_DELETE, ACCOUNTS "/mine", NULL), 200);
    ck_assert_status(ask(HTTP_DELETE, ACCOUNTS "/mine", NULL), 204);
}
END_TEST

START_TEST(an_account_is_of_a_kind_and_a_place_that_there_are)
{
#define NEW_ACCOUNT(sku, kind) "{\"sku\": " sku ", \"kind\": " kind ", \"location\": \"East US\"}"
    static const struct {
        const char *body, *code;
    } rows[] = {
        {NEW_ACCOUNT("{\"name\": \"Gold\"}", "\"StorageV2\""), "InvalidValuesForRequestParameters"},
        {NEW_ACCOUNT("{\"name\": 1}", "\"StorageV2\""), "InvalidValuesForRequestParameters"},
        {NEW_ACCOUNT("\"Premium\"", "\"StorageV2\""), "InvalidValuesForRequestParameters"},
        {NEW_ACCOUNT("{\"name\": \"Premium_LRS\"}", "\"Bucket\""),
         "InvalidValuesForRequestParameters"},
        {"{\"sku\": {\"name\": \"Standard_LRS\"}, \"kind\": \"StorageV2\"}", "LocationRequired"},
        {"{\"location\": 5}", "LocationRequired"},
    };
    make_group("g");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_error(ask(HTTP_PUT, ACCOUNTS "/mine", rows[i].body), 400, rows[i].code);
    Answer answer = ask(HTTP_PUT, ACCOUNTS "/mine", rows[0].body);
    ck_assert_str_eq(answer_text(answer, "/error/message"),
                     "Values for request parameters are invalid: sku.name. Expected is one of "
                     "Standard_LRS, Standard_GRS, Standard_RAGRS, Standard_ZRS, Premium_LRS, "
                     "Premium_ZRS, Standard_GZRS, Standard_RAGZRS.");
    ck_assert_status(ask(HTTP_GET, ACCOUNTS "/mine", NULL), 404);

    answer = ask(HTTP_PUT, ACCOUNTS "/mine",
                 NEW_ACCOUNT("{\"name\": \"premium_lrs\"}", "\"FileStorage\""));
    ck_assert_status(answer, 200);
    ck_assert_str_eq(answer_text(answer, "/sku/name"), "Premium_LRS");
    ck_assert_str_eq(answer_text(answer, "/kind"), "FileStorage");
    ck_assert_error(ask(HTTP_PUT, ACCOUNTS "/mine", "{\"location\": \"westus\"}"), 409,
                    "InvalidResourceLocation");
    ck_assert_error(ask(HTTP_PATCH, ACCOUNTS "/mine", "{\"sku\": {\"name\": \"Gold\"}}"), 400,
                    "InvalidValuesForRequestParameters");
    ck_assert_error(ask(HTTP_PATCH, ACCOUNTS "/mine", "{\"kind\": \"StorageV2\"}"), 409,
                    "AccountPropertyCannotBeUpdated");
    ck_assert_error(ask(HTTP_PATCH, ACCOUNTS "/mine", "{\"sku\": {\"name\": \"Standard_LRS\"}}"),
                    409, "AccountPropertyCannotBeUpdated");
    ck_assert_status(ask(HTTP_PATCH, ACCOUNTS "/mine", "{\"sku\": {\"name\": \"Premium_ZRS\"}}"),
                     200);
    ck_assert_status(
        ask(HTTP_PUT, ACCOUNTS "/old", "{\"location\": \"eastus\", \"kind\": \"Storage\"}"), 200);
    ck_assert_status(ask(HTTP_PATCH, ACCOUNTS "/old", "{\"kind\": \"StorageV2\"}"), 200);
    answer = ask(HTTP_PUT, ACCOUNTS "/mine", "{\"location\": \"eastus\", \"sku\": null}");
    ck_assert_status(answer, 200);
    ck_assert_str_eq(answer_text(answer, "/kind"), "FileStorage");
    ck_assert_str_eq(answer_text(answer, "/location"), "eastus");
#undef NEW_ACCOUNT
}
END_TEST

START_TEST(keys_stay_until_they_are_made_anew)
{
    make_group("g");
    make_account("mine");
    make_account("other");
    Answer answer = ask(HTTP_POST, ACCOUNTS "/mine/listKeys?$expand=kerb", NULL);
    const char *first = answer_text(answer, "/keys/0/value");
    const char *second = answer_text(answer, "/keys/1/value");
    ck_assert_uint_eq(strlen(first), 88); // 64 bytes
    ck_assert_str_eq(first + 86, "==");
    ck_assert_str_ne(first, second);
    ck_assert_str_eq(answer_text(answer, "/keys/0/keyName"), "key1");
    ck_assert_str_ne(answer_text(ask(HTTP_POST, ACCOUNTS "/other/listKeys", NULL), "/keys/0/value"),
                     first);

    Status status = {0};
    ck_assert(store_commit(small.emulator->store, &status));
    emulator_close(small.emulator);
    small_emulator_start(&small);
    client.emulator = small.emulator;
    ck_assert_str_eq(answer_text(ask(HTTP_POST, ACCOUNTS "/mine/listKeys", NULL), "/keys/0/value"),
                     first);

    answer = ask(HTTP_POST, ACCOUNTS "/mine/regenerateKey", "{\"keyName\": \"key2\"}");
    ck_assert_str_eq(answer_text(answer, "/keys/0/value"), first);
    ck_assert_str_ne(answer_text(answer, "/keys/1/value"), second);
    ck_assert_status(ask(HTTP_PATCH, ACCOUNTS "/mine", "{\"tags\": {}}"), 200);
    ck_assert_str_eq(answer_text(ask(HTTP_POST, ACCOUNTS "/mine/listKeys", NULL), "/keys/1/value"),
                     answer_text(answer, "/keys/1/value"));
    ck_assert_error(ask(HTTP_POST, ACCOUNTS "/mine/regenerateKey", "{\"keyName\": \"key3\"}"), 400,
                    "InvalidRequestContent");

    SmallEmulator other; // another store
    small_emulator_open(&other, "2018-06-06T21:06:02Z", "mine", 1);
    const char *foreign = arm_storage_key(&other.emulator->arm, other.arena, "mine", 0);
    ck_assert_uint_eq(strlen(foreign), 88);
    ck_assert_str_ne(foreign, first);
    ck_assert_ptr_null(arm_storage_key(&other.emulator->arm, other.arena, "nobody", 0));
    small_emulator_remove(&other);
}
END_TEST

START_TEST(a_key_is_as_old_as_its_renewal)
{
    static const char *const born = "2018-06-06T21:06:02Z", *const renewed = "2018-06-06T21:16:02Z";
    make_group("g");
    make_account("mine");
    session_advance(client.emulator->session, INT64_C(600000000000)); // 10 minutes
    Answer answer = ask(HTTP_POST, ACCOUNTS "/mine/regenerateKey", "{\"keyName\": \"key2\"}");
    ck_assert_str_eq(answer_text(answer, "/keys/0/creationTime"), born);
    ck_assert_str_eq(answer_text(answer, "/keys/1/creationTime"), renewed);
    ck_assert_status(ask(HTTP_PATCH, ACCOUNTS "/mine", "{\"tags\": {}}"), 200);

    Status status = {0};
    ck_assert(store_commit(small.emulator->store, &status));
    emulator_close(small.emulator);
    small_emulator_start(&small);
    client.emulator = small.emulator;
    answer = ask(HTTP_POST, ACCOUNTS "/mine/listKeys", NULL);
    ck_assert_str_eq(answer_text(answer, "/keys/0/creationTime"), born);
    ck_assert_str_eq(answer_text(answer, "/keys/1/creationTime"), renewed);
    ck_assert_str_eq(answer_text(ask(HTTP_GET, ACCOUNTS "/mine", NULL), "/properties/creationTime"),
                     born);
}
END_TEST

START_TEST(names_of_accounts_are_checked_before_they_are_taken)
{
    static const struct {
        const char *name, *reason;
    } rows[] = {{"free", ""}, {"mine", "AlreadyExists"}, {"No", "AccountNameInvalid"}};
    make_group("g");
    make_account("mine");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Answer answer = ask(HTTP_POST, "/providers/Microsoft.Storage/checkNameAvailability",
                                  arena_printf(arena, "{\"name\": \"%s\"}", rows[i].name));
        ck_assert(json_member(answer.body, "nameAvailable")->boolean == (*rows[i].reason == '\0'));
        ck_assert_str_eq(answer_text(answer, "/reason"), rows[i].reason);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("arm");
    TCase *tests = tcase_create("arm");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, without_a_token_no_data_is_returned);
    tcase_add_test(tests, every_request_names_an_api_version);
    tcase_add_test(tests, batch_ai_has_one_version);
    tcase_add_test(tests, a_path_that_leads_nowhere_gets_a_specific_error);
    tcase_add_test(tests, answers_carry_ids_that_are_the_same_each_time);
    tcase_add_test(tests, errors_are_utf8_whatever_they_quote);
    tcase_add_test(tests, bodies_that_are_no_object_are_refused);
    tcase_add_test(tests, bodies_have_four_mebibytes_at_most);
    tcase_add_test(tests, a_managed_identity_gets_a_token_in_three_parts);
    tcase_add_test(tests, a_service_principal_finds_its_way_to_a_token);
    tcase_add_test(tests, the_subscription_knows_its_tenant_places_and_providers);
    tcase_add_test(tests, an_unknown_location_is_refused_with_the_known_ones);
    tcase_add_test(tests, requests_that_change_something_are_counted_down);
    tcase_add_test(tests, a_group_is_created_returned_changed_and_deleted);
    tcase_add_test(tests, a_group_may_be_called_whatever_azure_allows);
    tcase_add_test(tests, a_group_that_is_being_deleted_is_found_but_takes_nothing);
    tcase_add_test(tests, groups_and_resources_are_listed_by_filters);
    tcase_add_test(tests, groups_come_in_pages_that_keep_the_filter);
    tcase_add_test(tests, resources_come_in_pages_of_every_size);
    tcase_add_test(tests, a_made_up_page_is_empty);
    tcase_add_test(tests, names_of_groups_are_checked);
    tcase_add_test(tests, an_account_is_made_and_found);
    tcase_add_test(tests, an_account_is_of_a_kind_and_a_place_that_there_are);
    tcase_add_test(tests, keys_stay_until_they_are_made_anew);
    tcase_add_test(tests, a_key_is_as_old_as_its_renewal);
    tcase_add_test(tests, names_of_accounts_are_checked_before_they_are_taken);
    suite_add_tcase(suite, tests);
    return suite;
}

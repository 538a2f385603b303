#include "emu/arm/subscriptions.h"

#include <string.h>

#include "emu/arm/call.h"
#include "emu/arm/location.h"
#include "sim/base/ascii.h"

/* --- Subscription and tenant --- */

static Json *subscription(const ArmCall *call)
{
    Arena *arena = call->arena;
    const char *id = session_subscription(call->session);
    Json *body = json_object(arena);
    json_put_text(arena, body, "id", arena_printf(arena, "/subscriptions/%s", id));
    json_put_text(arena, body, "authorizationSource", "RoleBased");
    json_put_array(arena, body, "managedByTenants");
    json_put_text(arena, body, "subscriptionId", id);
    json_put_text(arena, body, "tenantId", session_tenant(call->session));
    json_put_text(arena, body, "displayName", "Emulator");
    json_put_text(arena, body, "state", "Enabled");
    Json *policies = json_put_object(arena, body, "subscriptionPolicies");
    json_put_text(arena, policies, "locationPlacementId", "Public_2014-09-01");
    json_put_text(arena, policies, "quotaId", "PayAsYouGo_2014-09-01");
    json_put_text(arena, policies, "spendingLimit", "Off");
    return body;
}

/* {"value": [item]} */
static void answer_one(const ArmCall *call, Json *item)
{
    Json *body = json_object(call->arena);
    json_add(json_put_array(call->arena, body, "value"), item);
    arm_answer(call, 200, body);
}

void subscriptions_list(const ArmCall *call)
{
    answer_one(call, subscription(call));
}

void subscriptions_get(const ArmCall *call)
{
    arm_answer(call, 200, subscription(call));
}

void tenants_list(const ArmCall *call)
{
    Arena *arena = call->arena;
    Json *tenant = json_object(arena);
    json_put_text(arena, tenant, "id",
                  arena_printf(arena, "/tenants/%s", session_tenant(call->session)));
    json_put_text(arena, tenant, "tenantId", session_tenant(call->session));
    answer_one(call, tenant);
}

/* --- Providers --- */

static const struct {
    const char *name;
    const char *api_version;
    const char *types; /* separated by spaces */
} providers[] = {
    {"Microsoft.BatchAI", "2018-05-01",
     "operations locations locations/operationresults locations/operationstatuses "
     "locations/usages workspaces workspaces/clusters workspaces/fileservers "
     "workspaces/experiments workspaces/experiments/jobs"},
    {"Microsoft.Batch", "2018-05-01", ""}, // the service required it too
    {"Microsoft.Storage", "2022-09-01", "storageAccounts checkNameAvailability"},
    {"Microsoft.Resources", "2022-09-01",
     "tenants subscriptions providers subscriptions/locations subscriptions/resources "
     "subscriptions/resourceGroups"},
};
enum { PROVIDER_COUNT = sizeof providers / sizeof *providers };

static int32_t provider_index(const char *name)
{
    for (int32_t i = 0; i < PROVIDER_COUNT; i++)
        if (ascii_same(providers[i].name, name))
            return i;
    return -1;
}

bool arm_namespace_is_known(const char *name)
{
    return provider_index(name) >= 0;
}

const char *arm_provider_version(const char *name)
{
    return providers[provider_index(name)].api_version;
}

static Json *resource_type(Arena *arena, int32_t provider, const char *type, size_t length)
{
    Json *body = json_object(arena);
    json_put_text(arena, body, "resourceType", arena_strndup(arena, type, length));
    Json *places = json_put_array(arena, body, "locations");
    const char *title;
    for (int32_t i = 0; (title = arm_location_title(i)); i++)
        json_add(places, json_string(arena, title));
    Json *versions = json_put_array(arena, body, "apiVersions");
    json_add(versions, json_string(arena, providers[provider].api_version));
    return body;
}

/* Every provider is registered from the start, and stays so. */
static Json *provider(const ArmCall *call, int32_t index)
{
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    const char *name = providers[index].name;
    json_put_text(arena, body, "id",
                  arena_printf(arena, "/subscriptions/%s/providers/%s",
                               session_subscription(call->session), name));
    json_put_text(arena, body, "namespace", name);
    Json *types = json_put_array(arena, body, "resourceTypes");
    for (const char *type = providers[index].types; *type != '\0';) {
        const size_t length = strcspn(type, " ");
        json_add(types, resource_type(arena, index, type, length));
        type += length + (type[length] == ' ');
    }
    json_put_text(arena, body, "registrationState", "Registered");
    json_put_text(arena, body, "registrationPolicy", "RegistrationRequired");
    return body;
}

void providers_list(const ArmCall *call)
{
    Json *body = json_object(call->arena);
    Json *list = json_put_array(call->arena, body, "value");
    for (int32_t i = 0; i < PROVIDER_COUNT; i++)
        json_add(list, provider(call, i));
    arm_answer(call, 200, body);
}

void providers_get(const ArmCall *call)
{
    const int32_t index = provider_index(call->match.parts[1]);
    if (index >= 0)
        arm_answer(call, 200, provider(call, index));
    else
        arm_error(call, AZURE_ARM_UNKNOWN_NAMESPACE, call->match.parts[1]);
}

void providers_register(const ArmCall *call)
{
    providers_get(call);
}

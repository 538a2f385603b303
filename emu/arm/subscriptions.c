#include "emu/arm/subscriptions.h"

#include <string.h>

#include "emu/arm/arm.h"
#include "sim/base/ascii.h"

/* --- Subscription and tenant --- */

static Json *subscription(const Emulator *emulator, Arena *arena)
{
    const char *id = emulator->settings.subscription;
    Json *body = json_object(arena);
    arm_put_text(arena, body, "id", arena_printf(arena, "/subscriptions/%s", id));
    arm_put_text(arena, body, "authorizationSource", "RoleBased");
    json_put_array(arena, body, "managedByTenants");
    arm_put_text(arena, body, "subscriptionId", id);
    arm_put_text(arena, body, "tenantId", emulator->settings.tenant);
    arm_put_text(arena, body, "displayName", "Emulator");
    arm_put_text(arena, body, "state", "Enabled");
    Json *policies = json_put_object(arena, body, "subscriptionPolicies");
    arm_put_text(arena, policies, "locationPlacementId", "Public_2014-09-01");
    arm_put_text(arena, policies, "quotaId", "PayAsYouGo_2014-09-01");
    arm_put_text(arena, policies, "spendingLimit", "Off");
    return body;
}

/* {"value": [item]} */
static void answer_one(const HttpRequest *request, HttpResponse *response, Json *item)
{
    Json *body = json_object(request->arena);
    json_add(json_put_array(request->arena, body, "value"), item);
    arm_answer(request, response, 200, body);
}

void subscriptions_list(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                        HttpResponse *response)
{
    (void)match;
    answer_one(request, response, subscription(emulator, request->arena));
}

void subscriptions_get(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                       HttpResponse *response)
{
    (void)match;
    arm_answer(request, response, 200, subscription(emulator, request->arena));
}

void tenants_list(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                  HttpResponse *response)
{
    (void)match;
    Arena *arena = request->arena;
    Json *tenant = json_object(arena);
    arm_put_text(arena, tenant, "id",
                 arena_printf(arena, "/tenants/%s", emulator->settings.tenant));
    arm_put_text(arena, tenant, "tenantId", emulator->settings.tenant);
    answer_one(request, response, tenant);
}

/* --- Locations --- */

/* As the Resource Manager listed them in its refusals in October 2018 (Azure/azure-cli issue 7602).
 * In which of them Batch AI was is not published: here it is in all. */

static const struct {
    const char *name, *title, *geography;
} locations[] = {
    {"centralus", "Central US", "US"},
    {"eastasia", "East Asia", "Asia Pacific"},
    {"southeastasia", "Southeast Asia", "Asia Pacific"},
    {"eastus", "East US", "US"},
    {"eastus2", "East US 2", "US"},
    {"westus", "West US", "US"},
    {"westus2", "West US 2", "US"},
    {"northcentralus", "North Central US", "US"},
    {"southcentralus", "South Central US", "US"},
    {"westcentralus", "West Central US", "US"},
    {"northeurope", "North Europe", "Europe"},
    {"westeurope", "West Europe", "Europe"},
    {"japaneast", "Japan East", "Asia Pacific"},
    {"japanwest", "Japan West", "Asia Pacific"},
    {"brazilsouth", "Brazil South", "South America"},
    {"australiasoutheast", "Australia Southeast", "Asia Pacific"},
    {"australiaeast", "Australia East", "Asia Pacific"},
    {"westindia", "West India", "Asia Pacific"},
    {"southindia", "South India", "Asia Pacific"},
    {"centralindia", "Central India", "Asia Pacific"},
    {"canadacentral", "Canada Central", "Canada"},
    {"canadaeast", "Canada East", "Canada"},
    {"uksouth", "UK South", "Europe"},
    {"ukwest", "UK West", "Europe"},
    {"koreacentral", "Korea Central", "Asia Pacific"},
    {"koreasouth", "Korea South", "Asia Pacific"},
    {"francecentral", "France Central", "Europe"},
};
enum { LOCATION_COUNT = sizeof locations / sizeof *locations };

/* That of the scenario need not be one of the table. */
static bool is_location(const Emulator *emulator, Arena *arena, const char *place)
{
    for (int32_t i = 0; i < LOCATION_COUNT; i++)
        if (strcmp(locations[i].name, place) == 0)
            return true;
    return strcmp(arm_location(arena, session_scenario(emulator->session)->region), place) == 0;
}

const char *arm_location_in(const Emulator *emulator, const HttpRequest *request,
                            HttpResponse *response, RecordKind kind, const char *location)
{
    Arena *arena = request->arena;
    const char *place = arm_location(arena, location);
    if (is_location(emulator, arena, place))
        return place;
    const bool is_group = kind == RECORD_GROUP;
    const char *list = locations[0].name;
    for (int32_t i = 1; i < LOCATION_COUNT; i++)
        list = arena_printf(arena, "%s,%s", list, locations[i].name);
    arm_error(request, response, 400,
              is_group ? "LocationNotAvailableForResourceGroup"
                       : "LocationNotAvailableForResourceType",
              "The provided location '%s' is not available for resource %s. List of available "
              "regions%s is '%s'.",
              location, is_group ? "group" : arena_printf(arena, "type '%s'", record_type(kind)),
              is_group ? "" : " for the resource type", list);
    return NULL;
}

const char *arm_place(const Emulator *emulator, const HttpRequest *request, HttpResponse *response,
                      RecordKind kind, const Json *body, const Record *old)
{
    const Json *location = json_member(body, "location");
    if (!location || location->kind != JSON_STRING || *location->text == '\0') {
        arm_error(request, response, 400, "LocationRequired",
                  "The location property is required for this definition.");
        return NULL;
    }
    const char *place = arm_location_in(emulator, request, response, kind, location->text);
    const char *own = old ? arm_location(request->arena, arm_location_of(emulator, old)) : place;
    if (!place || strcmp(own, place) == 0)
        return place;
    arm_error(request, response, 409, "InvalidResourceLocation",
              "The resource '%s' already exists in location '%s' in resource group '%s'. A "
              "resource with the same name cannot be created in location '%s'. Please select a "
              "new resource name.",
              old->path.name, own, old->path.group, place);
    return NULL;
}

void subscriptions_list_locations(Emulator *emulator, const HttpRequest *request,
                                  const RouteMatch *match, HttpResponse *response)
{
    (void)match;
    Arena *arena = request->arena;
    Json *body = json_object(arena);
    Json *list = json_put_array(arena, body, "value");
    for (int32_t i = 0; i < LOCATION_COUNT; i++) {
        Json *location = json_add(list, json_object(arena));
        arm_put_text(arena, location, "id",
                     arena_printf(arena, "/subscriptions/%s/locations/%s",
                                  emulator->settings.subscription, locations[i].name));
        arm_put_text(arena, location, "name", locations[i].name);
        arm_put_text(arena, location, "displayName", locations[i].title);
        arm_put_text(arena, location, "regionalDisplayName",
                     arena_printf(arena, "(%s) %s", locations[i].geography, locations[i].title));
        Json *metadata = json_put_object(arena, location, "metadata");
        arm_put_text(arena, metadata, "regionType", "Physical");
        arm_put_text(arena, metadata, "geographyGroup", locations[i].geography);
    }
    arm_answer(request, response, 200, body);
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
    {"Microsoft.Batch", "2018-05-01", ""}, // the service asked for it too
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

static Json *resource_type(Arena *arena, int32_t provider, const char *type, size_t length)
{
    Json *body = json_object(arena);
    arm_put_text(arena, body, "resourceType", arena_strndup(arena, type, length));
    Json *places = json_put_array(arena, body, "locations");
    for (int32_t i = 0; i < LOCATION_COUNT; i++)
        json_add(places, json_string(arena, locations[i].title));
    Json *versions = json_put_array(arena, body, "apiVersions");
    json_add(versions, json_string(arena, providers[provider].api_version));
    return body;
}

/* All are registered, from the start and for ever. */
static Json *provider(const Emulator *emulator, Arena *arena, int32_t index)
{
    Json *body = json_object(arena);
    const char *name = providers[index].name;
    arm_put_text(arena, body, "id",
                 arena_printf(arena, "/subscriptions/%s/providers/%s",
                              emulator->settings.subscription, name));
    arm_put_text(arena, body, "namespace", name);
    Json *types = json_put_array(arena, body, "resourceTypes");
    for (const char *type = providers[index].types; *type != '\0';) {
        const size_t length = strcspn(type, " ");
        json_add(types, resource_type(arena, index, type, length));
        type += length + (type[length] == ' ');
    }
    arm_put_text(arena, body, "registrationState", "Registered");
    arm_put_text(arena, body, "registrationPolicy", "RegistrationRequired");
    return body;
}

void providers_list(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                    HttpResponse *response)
{
    (void)match;
    Json *body = json_object(request->arena);
    Json *list = json_put_array(request->arena, body, "value");
    for (int32_t i = 0; i < PROVIDER_COUNT; i++)
        json_add(list, provider(emulator, request->arena, i));
    arm_answer(request, response, 200, body);
}

void providers_get(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                   HttpResponse *response)
{
    const int32_t index = provider_index(match->parts[1]);
    if (index >= 0)
        arm_answer(request, response, 200, provider(emulator, request->arena, index));
    else
        arm_error(request, response, 404, "InvalidResourceNamespace",
                  "The resource namespace '%s' is invalid.", match->parts[1]);
}

void providers_register(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                        HttpResponse *response)
{
    providers_get(emulator, request, match, response);
}

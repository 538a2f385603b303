#include "emu/arm/location.h"

#include <string.h>

#include "emu/arm/call.h"
#include "emu/arm/resource.h"
#include "sim/base/ascii.h"

/* As the Resource Manager listed them in its errors in October 2018 (Azure/azure-cli issue 7602).
 * Which of them had Batch AI is not published: here all have it. */

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

const char *arm_location_title(int32_t index)
{
    return index < LOCATION_COUNT ? locations[index].title : NULL;
}

const char *arm_location(Arena *arena, const char *location)
{
    char *plain = arena_strdup(arena, location);
    size_t used = 0;
    for (const char *at = location; *at != '\0'; at++)
        if (*at != ' ')
            plain[used++] = ascii_lower(*at);
    plain[used] = '\0';
    return plain;
}

/* The scenario's region is valid even if it is not in the table. */
static bool is_location(const ArmCall *call, const char *place)
{
    Arena *arena = call->arena;
    for (int32_t i = 0; i < LOCATION_COUNT; i++)
        if (strcmp(locations[i].name, place) == 0)
            return true;
    return strcmp(arm_location(arena, session_scenario(call->session)->region), place) == 0;
}

/* The same for a location that supports resources of `kind`. NULL after answering 400, which lists
 * the supported locations. */
static const char *arm_location_in(const ArmCall *call, RecordKind kind, const char *location)
{
    Arena *arena = call->arena;
    const char *place = arm_location(arena, location);
    if (is_location(call, place))
        return place;

    const char *list = locations[0].name;
    for (int32_t i = 1; i < LOCATION_COUNT; i++)
        list = arena_printf(arena, "%s,%s", list, locations[i].name);
    if (kind == RECORD_GROUP)
        arm_error(call, AZURE_ARM_LOCATION_OF_GROUP, location, list);
    else
        arm_error(call, AZURE_ARM_LOCATION_OF_TYPE, location, record_type(kind), list);
    return NULL;
}

const char *arm_place(const ArmCall *call, RecordKind kind, const Json *body, const Record *old)
{
    const Json *location = json_member(body, "location");
    if (!location || location->kind != JSON_STRING || *location->text == '\0') {
        arm_error(call, AZURE_ARM_NO_LOCATION);
        return NULL;
    }
    const char *place = arm_location_in(call, kind, location->text);
    const char *own = old ? arm_location(call->arena, arm_location_of(call, old)) : place;
    if (!place || strcmp(own, place) == 0)
        return place;
    arm_error(call, AZURE_ARM_OTHER_LOCATION, old->path.name, own, old->path.group, place);
    return NULL;
}

void subscriptions_list_locations(const ArmCall *call)
{
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    Json *list = json_put_array(arena, body, "value");
    for (int32_t i = 0; i < LOCATION_COUNT; i++) {
        Json *location = json_add(list, json_object(arena));
        json_put_text(arena, location, "id",
                      arena_printf(arena, "/subscriptions/%s/locations/%s",
                                   session_subscription(call->session), locations[i].name));
        json_put_text(arena, location, "name", locations[i].name);
        json_put_text(arena, location, "displayName", locations[i].title);
        json_put_text(arena, location, "regionalDisplayName",
                      arena_printf(arena, "(%s) %s", locations[i].geography, locations[i].title));
        Json *metadata = json_put_object(arena, location, "metadata");
        json_put_text(arena, metadata, "regionType", "Physical");
        json_put_text(arena, metadata, "geographyGroup", locations[i].geography);
    }
    arm_answer(call, 200, body);
}

const char *arm_location_of(const ArmCall *call, const Record *record)
{
    const char *location = arm_kept_text(record, "location");
    return location ? location : session_scenario(call->session)->region;
}

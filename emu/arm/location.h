/* The locations of the subscription, and the location of a resource. */
#ifndef EMU_ARM_LOCATION_H
#define EMU_ARM_LOCATION_H

#include "emu/arm/arm.h"
#include "sim/json/json.h"

ArmHandler subscriptions_list_locations;

/* Returns the displayed name of a location, "East US"; NULL after the last. */
const char *arm_location_title(int32_t index);
/* "East US" -> "eastus", as the service compares locations. */
const char *arm_location(Arena *arena, const char *location);
/* Returns the location that `body` requests for a resource of `kind`. `old` is the existing
 * resource (NULL: there is none). NULL after answering 400, or 409 if `old` is in another location,
 * because resources do not move. */
const char *arm_place(const ArmCall *call, RecordKind kind, const Json *body, const Record *old);

/* Returns the location of a resource: the requested one, or else the scenario's region. */
const char *arm_location_of(const ArmCall *call, const Record *record);

#endif

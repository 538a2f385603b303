/* Where resources are: the locations that exist, and that of a resource. */
#ifndef EMU_ARM_LOCATION_H
#define EMU_ARM_LOCATION_H

#include "emu/arm/arm.h"
#include "sim/json/json.h"

ArmHandler subscriptions_list_locations;

/* "East US" and so on: the name that people read; NULL behind the last. */
const char *arm_location_title(int32_t index);
/* "East US" -> "eastus", as the service compares locations. */
const char *arm_location(Arena *arena, const char *location);
/* The same of a location where there are resources of that kind; NULL after answering 400, which
 * lists those. */
const char *arm_location_in(const ArmCall *call, RecordKind kind, const char *location);
/* Where `body` wants a resource of that kind to be, `old` being the one that is there already
 * (NULL: none): NULL after answering 400, or 409 where that is somewhere else, as none moves. */
const char *arm_place(const ArmCall *call, RecordKind kind, const Json *body, const Record *old);

/* Where it is: what was asked for, or else the scenario's region. */
const char *arm_location_of(const ArmCall *call, const Record *record);

#endif

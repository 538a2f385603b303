/* Resource groups, and lists of the resources in them. */
#ifndef EMU_ARM_GROUPS_H
#define EMU_ARM_GROUPS_H

#include "emu/arm/arm.h"

ArmHandler groups_list, groups_create, groups_get, groups_exists, groups_update, groups_delete;
ArmHandler resources_list, resources_list_by_group;
/* Polls of a deletion: "/subscriptions/SUB/operationresults/ID". */
ArmHandler groups_operation;

#endif

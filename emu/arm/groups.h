/* Resource groups, and lists of what lies in them. */
#ifndef EMU_ARM_GROUPS_H
#define EMU_ARM_GROUPS_H

#include "emu/arm/arm.h"

ArmHandler groups_list, groups_create, groups_get, groups_exists, groups_update, groups_delete;
ArmHandler resources_list, resources_list_by_group;
/* What a deletion that began a while ago has come to: "/subscriptions/SUB/operationresults/ID". */
ArmHandler groups_operation;

#endif

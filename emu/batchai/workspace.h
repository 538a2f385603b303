/* Workspaces and experiments: names that contain the other resources. */
#ifndef EMU_BATCHAI_WORKSPACE_H
#define EMU_BATCHAI_WORKSPACE_H

#include "emu/arm/resource.h"

ArmHandler workspaces_list, workspaces_list_by_group, workspaces_create, workspaces_get;
ArmHandler workspaces_update, workspaces_delete;
ArmHandler experiments_list, experiments_create, experiments_get, experiments_delete;

#endif

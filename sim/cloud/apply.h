/* Commands: each is checked first, then passed on to the part of the world that it concerns. */
#ifndef SIM_CLOUD_APPLY_H
#define SIM_CLOUD_APPLY_H

#include "sim/cloud/world.h"

/* Applies a command now. False and a status when the service would refuse it; the world is then
 * unchanged. */
MUST_CHECK bool world_apply(World *world, const Command *command, Status *status);

#endif

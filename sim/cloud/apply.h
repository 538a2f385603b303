/* Commands: each is checked, then passed to the part of the world that it changes. */
#ifndef SIM_CLOUD_APPLY_H
#define SIM_CLOUD_APPLY_H

#include "sim/cloud/world.h"

/* Applies a command now. If the service would refuse it, returns false with a status and leaves the
 * world unchanged. */
MUST_CHECK bool world_apply(World *world, const Command *command, Status *status);

#endif

/* Everything that must be true of a world between two events. A violation aborts with the broken
 * promise: after every event in tests and with `--check`. */
#ifndef SIM_CLOUD_CHECK_H
#define SIM_CLOUD_CHECK_H

#include "sim/cloud/world.h"

void world_check(const World *world);

#endif

/* The invariants of a world between two events. A violation aborts with the text of the invariant.
 * Tests and `--check` check them after every event (world_check_always). */
#ifndef SIM_CLOUD_CHECK_H
#define SIM_CLOUD_CHECK_H

#include "sim/cloud/world.h"

void world_check(const World *world);

#endif

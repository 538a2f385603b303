/* Quantities of the world, and commands that wait for a condition on one. */
#ifndef SIM_CLOUD_CONDITION_H
#define SIM_CLOUD_CONDITION_H

#include "sim/cloud/world.h"

/* Lists the commands that wait for a condition; once, before any event. */
void conditions_prepare(World *world);
/* At the end of an instant: records which awaited conditions hold now, and pushes EVENT_CONDITION
 * for those that begin to hold. */
void conditions_update(World *world);
/* Event: the condition of a command has held for Condition.for_ns. Applies the command, once. */
void condition_held(World *world, uint32_t command);
/* Whether the condition of the command has begun or stopped to hold since `generation`. */
bool condition_is_stale(const World *world, uint32_t command, uint32_t generation);
void conditions_check(const World *world);

#endif

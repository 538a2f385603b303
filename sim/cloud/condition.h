/* Quantities of the world, and commands that wait for a condition on one. */
#ifndef SIM_CLOUD_CONDITION_H
#define SIM_CLOUD_CONDITION_H

#include "sim/cloud/world.h"

/* Finds out which commands wait for a condition; once, before any event. */
void conditions_prepare(World *world);
/* At the end of an instant: finds the conditions that begin or stop to hold. */
void conditions_update(World *world);
/* Event: the condition of a command has held for its time. */
void condition_held(World *world, uint32_t command);
bool condition_is_stale(const World *world, uint32_t command, uint32_t generation);
void conditions_check(const World *world);

#endif

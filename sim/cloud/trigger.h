/* When commands are applied: at a time, after a moment of a cluster or job, or from outside. */
#ifndef SIM_CLOUD_TRIGGER_H
#define SIM_CLOUD_TRIGGER_H

#include "sim/cloud/world.h"

/* Finds out which commands wait for which moments; once, before any event. */
void triggers_prepare(World *world);
/* Pushes the commands that have a time; once, before any event. */
void triggers_begin(World *world);
/* Event: a command of the scenario is due. Applies and records it. */
void trigger_command_due(World *world, uint32_t command);
/* The run ends: records the commands whose moment never came. */
void triggers_end(World *world);

#endif

/* When commands are applied: at a time, after a moment of a cluster or job, or from outside. */
#ifndef SIM_CLOUD_TRIGGER_H
#define SIM_CLOUD_TRIGGER_H

#include "sim/cloud/world.h"

/* Registers the commands that wait for moments; once, before any event. */
void triggers_prepare(World *world);
/* Pushes the commands that have a time; once, before any event. */
void triggers_begin(World *world);
/* Event: a command of the scenario is due. Applies and records it. */
void trigger_command_due(World *world, uint32_t command);
/* At the end of a run: records the commands that were never applied. */
void triggers_end(World *world);

#endif

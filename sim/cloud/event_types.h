/* EVENT_KINDS as the table of functions that the engine needs. */
#ifndef SIM_CLOUD_EVENT_TYPES_H
#define SIM_CLOUD_EVENT_TYPES_H

#include "sim/engine/engine.h"

/* [EventKind]; the owner that they are called with is a World. */
extern const EventType event_types[];

#endif

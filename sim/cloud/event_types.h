/* What the engine needs to know of each kind of event: EVENT_KINDS as a table of functions. */
#ifndef SIM_CLOUD_EVENT_TYPES_H
#define SIM_CLOUD_EVENT_TYPES_H

#include "sim/engine/engine.h"

/* [EventKind]; the owner that they are called with is a World. */
extern const EventType event_types[];

#endif

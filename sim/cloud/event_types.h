/* The engine's table of event types, generated from EVENT_KINDS. */
#ifndef SIM_CLOUD_EVENT_TYPES_H
#define SIM_CLOUD_EVENT_TYPES_H

#include "sim/engine/engine.h"

/* [EventKind]; their functions expect a World as owner. */
extern const EventType event_types[];

#endif

#include "sim/engine/event.h"

static const struct {
    EventPhase phase;
    bool is_awaited;
} kinds[] = {
#define X(name, phase, is_awaited) {PHASE_##phase, is_awaited},
    EVENT_KINDS(X)
#undef X
};
_Static_assert(sizeof kinds / sizeof kinds[0] == EVENT_KIND_COUNT, "one row per kind");

EventPhase event_phase(EventKind kind)
{
    return kinds[kind].phase;
}

bool event_is_awaited(EventKind kind)
{
    return kinds[kind].is_awaited;
}

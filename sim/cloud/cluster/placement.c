#include "sim/cloud/cluster/placement.h"

#include "sim/base/invariant.h"

static const Placement placements[] = {
#define X(name, function, text, what) {text, what, placement_##function},
    PLACEMENTS(X)
#undef X
};
_Static_assert(sizeof placements / sizeof placements[0] == PLACEMENT_COUNT, "one row per policy");

const Placement *placement_of(PlacementKind kind)
{
    invariant(kind < PLACEMENT_COUNT);
    return &placements[kind];
}

int32_t placement_first_fit(Room room, PlacementPart part)
{
    int32_t first = -1;
    for (int32_t free = part.gpus; free <= room.gpus_per_node; free++) {
        int32_t place = room.places[free].count > 0 ? place_set_up(&room.places[free], 0) : -1;
        if (place >= 0 && (first < 0 || place < first))
            first = place;
    }
    return first;
}

int32_t placement_best_fit(Room room, PlacementPart part)
{
    for (int32_t free = part.gpus; free <= room.gpus_per_node; free++)
        if (room.places[free].count > 0)
            return place_set_up(&room.places[free], 0);
    return -1;
}

int32_t placement_spread(Room room, PlacementPart part)
{
    for (int32_t free = room.gpus_per_node; free >= part.gpus; free--)
        if (room.places[free].count > 0)
            return place_set_up(&room.places[free], 0);
    return -1;
}

int32_t placement_consolidate(Room room, PlacementPart part)
{
    return part.is_remainder ? placement_spread(room, part) : placement_best_fit(room, part);
}

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

/* Nodes of different kinds are compared by their free GPUs times this. */
static int32_t weight_of_free(PlacementKind kind, PlacementPart part)
{
    static const int32_t weights[PLACEMENT_COUNT] = {
        [PLACEMENT_FIRST_FIT] = 0,
        [PLACEMENT_BEST_FIT] = 1,
        [PLACEMENT_SPREAD] = -1,
        [PLACEMENT_CONSOLIDATE] = 1,
    };
    return kind == PLACEMENT_CONSOLIDATE && part.is_remainder ? -1 : weights[kind];
}

PlacementChoice placement_choice(PlacementKind kind, const Room *room, PlacementPart part)
{
    const int32_t place = placement_of(kind)->choose(room, part);
    invariant(place >= 0);
    return (PlacementChoice){.rank = (int64_t)weight_of_free(kind, part) * room->free[place].gpus,
                             .place = place};
}

bool placement_is_before(PlacementChoice choice, PlacementChoice other)
{
    return choice.rank != other.rank ? choice.rank < other.rank : choice.place < other.place;
}

int32_t placement_first_fit(const Room *room, PlacementPart part)
{
    int32_t first = -1;
    for (int32_t free = part.need.gpus; free <= room->gpus_per_node; free++) {
        const int32_t place = room_place(room, free, part.need, 0);
        if (place >= 0 && (first < 0 || place < first))
            first = place;
    }
    return first;
}

int32_t placement_best_fit(const Room *room, PlacementPart part)
{
    int32_t place = -1;
    for (int32_t free = part.need.gpus; free <= room->gpus_per_node && place < 0; free++)
        place = room_place(room, free, part.need, 0);
    return place;
}

int32_t placement_spread(const Room *room, PlacementPart part)
{
    int32_t place = -1;
    for (int32_t free = room->gpus_per_node; free >= part.need.gpus && place < 0; free--)
        place = room_place(room, free, part.need, 0);
    return place;
}

int32_t placement_consolidate(const Room *room, PlacementPart part)
{
    return part.is_remainder ? placement_spread(room, part) : placement_best_fit(room, part);
}

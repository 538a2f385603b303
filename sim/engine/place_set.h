/* A set of places (0, 1, ...), such as the places of a cluster that hold an idle node.
 *
 * Level 0 has one bit per place. Each bit of a higher level shows whether a word of the level below
 * is not 0. The highest level has a single word. Adding, removing and finding the next place take
 * at most as many steps as there are levels. The higher levels take 1/64 more memory. */
#ifndef SIM_ENGINE_PLACE_SET_H
#define SIM_ENGINE_PLACE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

enum { PLACE_SET_LEVELS = 6 }; /* 64^6 places are more than an int32 can count */

/* All zero: empty, without room for any place. */
typedef struct {
    uint64_t *words[PLACE_SET_LEVELS];
    int32_t level_count; /* used levels */
    int32_t capacity;    /* all places are below it */
    int32_t count;
} PlaceSet;

/* Makes room for places below `capacity`, which never shrinks; the set keeps its places. */
void place_set_reserve(Arena *arena, PlaceSet *set, int32_t capacity);
/* Makes `copy`, which may be an older copy of the set, equal to it. */
void place_set_copy(Arena *arena, PlaceSet *copy, const PlaceSet *set);
bool place_set_has(const PlaceSet *set, int32_t place);
void place_set_add(PlaceSet *set, int32_t place);    /* `place` is not in the set */
void place_set_remove(PlaceSet *set, int32_t place); /* `place` is in the set */

/* The lowest place at or above `from` >= 0, and the highest at or below `to`; -1 when there is
 * none. */
int32_t place_set_up(const PlaceSet *set, int32_t from);
int32_t place_set_down(const PlaceSet *set, int32_t to);

#endif

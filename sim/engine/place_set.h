/* A set of places (0, 1, ...): which places of a cluster hold an idle node, which are free.
 *
 * Words of 64 bits, and above them words that show which of the words below are not 0, and so on:
 * adding, removing and finding the next place up or down take a handful of steps, however many
 * places there are. The set takes one bit per place, and 1/64 more for the upper levels. */
#ifndef SIM_ENGINE_PLACE_SET_H
#define SIM_ENGINE_PLACE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

enum { PLACE_SET_LEVELS = 6 }; /* 64^6 places are more than an int32 counts */

/* All zero: empty, with room for none. */
typedef struct {
    uint64_t *words[PLACE_SET_LEVELS];
    int32_t capacity; /* places are below it */
    int32_t count;
} PlaceSet;

/* Makes room for places below `capacity`, which never shrinks; the set keeps its places. */
void place_set_reserve(Arena *arena, PlaceSet *set, int32_t capacity);
bool place_set_has(const PlaceSet *set, int32_t place);
void place_set_add(PlaceSet *set, int32_t place);    /* is not in it yet */
void place_set_remove(PlaceSet *set, int32_t place); /* is in it */

/* The lowest place at or above `from` >= 0, and the highest at or below `to`; -1 when there is
 * none. */
int32_t place_set_up(const PlaceSet *set, int32_t from);
int32_t place_set_down(const PlaceSet *set, int32_t to);

#endif

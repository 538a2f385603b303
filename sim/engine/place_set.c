#include "sim/engine/place_set.h"

#include <string.h>

#include "sim/base/invariant.h"

enum { BITS = 64 };

/* The number of words of a level in a set of this capacity. */
static int32_t word_count(int32_t capacity, int32_t level)
{
    int64_t words = capacity;
    for (int32_t l = 0; l <= level; l++)
        words = (words + BITS - 1) / BITS;
    return (int32_t)words;
}

void place_set_reserve(Arena *arena, PlaceSet *set, int32_t capacity)
{
    invariant(capacity >= set->capacity);
    for (int32_t level = 0; level < PLACE_SET_LEVELS; level++) {
        uint64_t *words = ARENA_ARRAY(arena, uint64_t, word_count(capacity, level));
        int32_t old = word_count(set->capacity, level);
        if (old > 0)
            memcpy(words, set->words[level], (size_t)old * sizeof *words);
        set->words[level] = words;
    }
    set->capacity = capacity;
}

bool place_set_has(const PlaceSet *set, int32_t place)
{
    invariant(place >= 0 && place < set->capacity);
    return set->words[0][place / BITS] >> place % BITS & 1;
}

void place_set_add(PlaceSet *set, int32_t place)
{
    invariant(!place_set_has(set, place));
    set->count++;
    bool was_empty = true;
    for (int32_t level = 0; level < PLACE_SET_LEVELS && was_empty; level++, place /= BITS) {
        uint64_t *word = &set->words[level][place / BITS];
        was_empty = *word == 0;
        *word |= UINT64_C(1) << place % BITS;
    }
}

void place_set_remove(PlaceSet *set, int32_t place)
{
    invariant(place_set_has(set, place));
    set->count--;
    bool is_empty = true;
    for (int32_t level = 0; level < PLACE_SET_LEVELS && is_empty; level++, place /= BITS) {
        uint64_t *word = &set->words[level][place / BITS];
        *word &= ~(UINT64_C(1) << place % BITS);
        is_empty = *word == 0;
    }
}

static int32_t lowest_bit(uint64_t word)
{
    return __builtin_ctzll(word);
}

static int32_t highest_bit(uint64_t word)
{
    return BITS - 1 - __builtin_clzll(word);
}

int32_t place_set_up(const PlaceSet *set, int32_t from)
{
    for (int32_t level = 0; level < PLACE_SET_LEVELS; level++) {
        if (from / BITS >= word_count(set->capacity, level))
            return -1;
        uint64_t word = set->words[level][from / BITS] & UINT64_MAX << from % BITS;
        if (word == 0) {
            from = from / BITS + 1;
            continue;
        }
        int32_t found = from / BITS * BITS + lowest_bit(word);
        while (level-- > 0)
            found = found * BITS + lowest_bit(set->words[level][found]);
        return found;
    }
    return -1;
}

int32_t place_set_down(const PlaceSet *set, int32_t to)
{
    if (to >= set->capacity)
        to = set->capacity - 1;
    for (int32_t level = 0; level < PLACE_SET_LEVELS && to >= 0; level++) {
        uint64_t word = set->words[level][to / BITS] & UINT64_MAX >> (BITS - 1 - to % BITS);
        if (word == 0) {
            to = to / BITS - 1;
            continue;
        }
        int32_t found = to / BITS * BITS + highest_bit(word);
        while (level-- > 0)
            found = found * BITS + highest_bit(set->words[level][found]);
        return found;
    }
    return -1;
}

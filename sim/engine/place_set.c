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
    const int32_t old_levels = set->level_count;
    int32_t level = 0, count;
    do {
        count = word_count(capacity, level);
        uint64_t *words = ARENA_ARRAY(arena, uint64_t, count);
        if (level < old_levels)
            memcpy(words, set->words[level],
                   (size_t)word_count(set->capacity, level) * sizeof *words);
        else if (level > 0) // a new level above the highest one, which had a single word
            words[0] = set->words[level - 1][0] != 0;
        set->words[level++] = words;
    } while (count > 1);
    set->level_count = level;
    set->capacity = capacity;
}

void place_set_copy(Arena *arena, PlaceSet *copy, const PlaceSet *set)
{
    if (copy->capacity != set->capacity)
        place_set_reserve(arena, copy, set->capacity);
    for (int32_t level = 0; level < set->level_count; level++)
        memcpy(copy->words[level], set->words[level],
               (size_t)word_count(set->capacity, level) * sizeof *set->words[level]);
    copy->count = set->count;
}

bool place_set_has(const PlaceSet *set, int32_t place)
{
    const uint32_t bit = (uint32_t)place; // no sign to care for when it is divided
    invariant(bit < (uint32_t)set->capacity);
    return set->words[0][bit / BITS] >> bit % BITS & 1;
}

void place_set_add(PlaceSet *set, int32_t place)
{
    uint32_t bit = (uint32_t)place;
    invariant(!place_set_has(set, place));
    set->count++;
    bool was_empty = true;
    for (int32_t level = 0; was_empty && level < set->level_count; level++, bit /= BITS) {
        uint64_t *word = &set->words[level][bit / BITS];
        was_empty = *word == 0;
        *word |= UINT64_C(1) << bit % BITS;
    }
}

void place_set_remove(PlaceSet *set, int32_t place)
{
    uint32_t bit = (uint32_t)place;
    invariant(place_set_has(set, place));
    set->count--;
    bool is_empty = true;
    for (int32_t level = 0; is_empty && level < set->level_count; level++, bit /= BITS) {
        uint64_t *word = &set->words[level][bit / BITS];
        *word &= ~(UINT64_C(1) << bit % BITS);
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
    for (int32_t level = 0; level < set->level_count; level++) {
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
    for (int32_t level = 0; level < set->level_count && to >= 0; level++) {
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

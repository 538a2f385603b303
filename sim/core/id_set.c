#include "sim/core/id_set.h"

#include "sim/base/invariant.h"
#include "sim/core/ids.h"

enum { WORD_BITS = 64, WORD_COUNT_MIN = 4 };

static uint64_t bit_of(uint32_t index)
{
    return UINT64_C(1) << index % WORD_BITS;
}

/* Whether `id` lies in the span of the bitmap, and where. */
static bool covers(const IdSet *set, uint32_t id, uint32_t *index)
{
    *index = id - set->base;
    return id >= set->base && *index / WORD_BITS < set->word_count;
}

bool id_set_has(const IdSet *set, uint32_t id)
{
    uint32_t index;
    return covers(set, id, &index) && (set->words[0][index / WORD_BITS] & bit_of(index)) != 0;
}

static void mark(IdSet *set, uint32_t index)
{
    for (int32_t level = 0; level < set->level_count; level++) {
        uint64_t *word = &set->words[level][index / WORD_BITS];
        bool was_empty = *word == 0;
        *word |= bit_of(index);
        if (!was_empty)
            return; // those above know of this word
        index /= WORD_BITS;
    }
}

/* Empty bitmaps from `base` on with at least `word_count` words. */
static IdSet room_for(Arena *arena, uint32_t base, uint64_t word_count)
{
    IdSet set = {.base = base, .word_count = WORD_COUNT_MIN};
    while (set.word_count < word_count)
        set.word_count *= 2;
    for (uint32_t words = set.word_count;; words = (words + WORD_BITS - 1) / WORD_BITS) {
        set.words[set.level_count++] = ARENA_ARRAY(arena, uint64_t, words);
        if (words == 1)
            return set;
    }
}

/* Moves to bitmaps that also cover `id`; at least twice as large, so that moving costs little. */
static void make_room(Arena *arena, IdSet *set, uint32_t id)
{
    uint32_t base = id / WORD_BITS * WORD_BITS;
    if (set->word_count > 0 && set->base < base)
        base = set->base;
    uint64_t last = (uint64_t)set->base + (uint64_t)set->word_count * WORD_BITS - 1;
    if (set->word_count == 0 || last < id)
        last = id;
    uint64_t words = (last - base) / WORD_BITS + 1;
    IdSet larger = room_for(arena, base, words);
    for (uint32_t at = id_set_next(set, 0); at != ID_NONE; at = id_set_next(set, at + 1))
        mark(&larger, at - base);
    larger.count = set->count;
    *set = larger;
}

void id_set_add(Arena *arena, IdSet *set, uint32_t id)
{
    uint32_t index;
    invariant(id != ID_NONE && !id_set_has(set, id));
    if (!covers(set, id, &index)) {
        make_room(arena, set, id);
        index = id - set->base;
    }
    mark(set, index);
    set->count++;
}

void id_set_remove(IdSet *set, uint32_t id)
{
    uint32_t index = id - set->base;
    invariant(id_set_has(set, id));
    set->count--;
    for (int32_t level = 0; level < set->level_count; level++) {
        uint64_t *word = &set->words[level][index / WORD_BITS];
        *word &= ~bit_of(index);
        if (*word != 0)
            return;
        index /= WORD_BITS;
    }
}

/* The first bit at or after `index` of a level's `words`, inside the word of `index`. */
static bool next_in_word(const uint64_t *words, uint32_t *index)
{
    uint64_t rest = words[*index / WORD_BITS] >> *index % WORD_BITS;
    if (rest == 0)
        return false;
    *index += (uint32_t)__builtin_ctzll(rest);
    return true;
}

uint32_t id_set_next(const IdSet *set, uint32_t from)
{
    uint32_t index = from > set->base ? from - set->base : 0;
    uint64_t width = (uint64_t)set->word_count * WORD_BITS; // of the level, in bits
    int32_t level = 0;
    // Up, until a word has a later bit ...
    for (;; level++, index = index / WORD_BITS + 1, width = (width + WORD_BITS - 1) / WORD_BITS) {
        if (level == set->level_count || index >= width)
            return ID_NONE;
        if (next_in_word(set->words[level], &index))
            break;
    }
    // ... and down again along the first bits.
    while (level-- > 0) {
        index *= WORD_BITS;
        next_in_word(set->words[level], &index);
    }
    return set->base + index;
}

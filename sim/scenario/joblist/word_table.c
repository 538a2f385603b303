#include "sim/scenario/joblist/word_table.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/name_table.h"

enum { SLOTS_AT_FIRST = 64, ROOM_BYTES = 1 << 14 };

WordTable word_table_create(Arena *arena)
{
    return (WordTable){.arena = arena};
}

static uint32_t hash_of(const char *text, size_t length)
{
    const uint64_t hash = bytes_hash(HASH_START, text, length);
    return (uint32_t)(hash ^ (hash >> 32));
}

static bool is_text(const char *word, const char *text, size_t length)
{
    return strncmp(word, text, length) == 0 && word[length] == '\0';
}

/* The slot of the text, or the free slot where it belongs. */
static uint32_t *slot_of(const WordTable *table, const char *text, size_t length)
{
    const uint32_t mask = table->slot_count - 1;
    for (uint32_t i = hash_of(text, length) & mask;; i = (i + 1) & mask) {
        uint32_t *slot = &table->slots[i];
        if (*slot == 0 || is_text(table->texts[*slot - 1], text, length))
            return slot;
    }
}

static void grow_slots(WordTable *table)
{
    table->slot_count = table->slot_count == 0 ? SLOTS_AT_FIRST : 4 * table->slot_count;
    table->slots = ARENA_ARRAY(table->arena, uint32_t, table->slot_count);
    for (uint32_t i = 0; i < table->count; i++)
        *slot_of(table, table->texts[i], strlen(table->texts[i])) = i + 1;
}

static const char *copy_of(WordTable *table, const char *text, size_t length)
{
    if (length >= table->room_left) {
        table->room_left = length >= ROOM_BYTES ? length + 1 : ROOM_BYTES;
        table->room = arena_alloc(table->arena, table->room_left);
    }
    char *copy = table->room;
    memcpy(copy, text, length);
    copy[length] = '\0';
    table->room += length + 1;
    table->room_left -= length + 1;
    return copy;
}

uint32_t word_table_add(WordTable *table, const char *text, size_t length)
{
    if (2 * (table->count + 1) > table->slot_count)
        grow_slots(table);
    uint32_t *slot = slot_of(table, text, length);
    if (*slot == 0) {
        table->texts = array_room(table->arena, table->texts, table->count + 1, &table->capacity,
                                  sizeof *table->texts);
        table->texts[table->count++] = copy_of(table, text, length);
        *slot = table->count;
    }
    return *slot - 1;
}

bool word_table_find(const WordTable *table, const char *text, size_t length, uint32_t *number)
{
    if (table->count == 0)
        return false;
    const uint32_t *slot = slot_of(table, text, length);
    if (*slot != 0)
        *number = *slot - 1;
    return *slot != 0;
}

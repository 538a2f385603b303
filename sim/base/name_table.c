#include "sim/base/name_table.h"

#include <string.h>

/* Open addressing with linear probing. The number of slots is a power of two, and at most half of
 * them are full, so every search ends, and soon. Removal moves later entries of the run back
 * instead of leaving tombstones. */
typedef struct {
    const char *name; // NULL: free
    uint32_t hash;    // the lower half
    uint32_t value;
} Slot;

struct NameTable {
    Arena *arena;
    Slot *slots;
    uint64_t slot_count;
    uint64_t used;
};

enum { SLOT_COUNT_MIN = 16 };

NameTable *name_table_create(Arena *arena)
{
    NameTable *table = ARENA_NEW(arena, NameTable);
    table->arena = arena;
    table->slot_count = SLOT_COUNT_MIN;
    table->slots = ARENA_ARRAY(arena, Slot, table->slot_count);
    return table;
}

/* Where `name` is, or the free slot where it would go. */
static Slot *slot_of(const NameTable *table, const char *name, uint32_t hash)
{
    const uint64_t mask = table->slot_count - 1;
    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        Slot *slot = &table->slots[i];
        if (!slot->name || (slot->hash == hash && strcmp(slot->name, name) == 0))
            return slot;
    }
}

static void name_table_grow(NameTable *table)
{
    const Slot *old = table->slots;
    const uint64_t old_count = table->slot_count;
    table->slot_count = 2 * old_count;
    table->slots = ARENA_ARRAY(table->arena, Slot, table->slot_count);
    for (uint64_t i = 0; i < old_count; i++)
        if (old[i].name)
            *slot_of(table, old[i].name, old[i].hash) = old[i];
}

void name_table_set(NameTable *table, const char *name, uint32_t value)
{
    name_table_set_hashed(table, name, name_hash(name), value);
}

void name_table_set_hashed(NameTable *table, const char *name, uint64_t hash, uint32_t value)
{
    Slot *slot = slot_of(table, name, (uint32_t)hash);
    if (!slot->name) {
        if (2 * (table->used + 1) > table->slot_count) {
            name_table_grow(table);
            slot = slot_of(table, name, (uint32_t)hash);
        }
        *slot = (Slot){.name = arena_strdup(table->arena, name), .hash = (uint32_t)hash};
        table->used++;
    }
    slot->value = value;
}

void name_table_remove(NameTable *table, const char *name)
{
    Slot *removed = slot_of(table, name, (uint32_t)name_hash(name));
    if (!removed->name)
        return;
    const uint64_t mask = table->slot_count - 1;
    uint64_t hole = (uint64_t)(removed - table->slots);
    for (uint64_t i = (hole + 1) & mask; table->slots[i].name; i = (i + 1) & mask) {
        // An entry may move back into the hole unless its home is between the two.
        const uint64_t home = table->slots[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->slots[hole] = table->slots[i];
            hole = i;
        }
    }
    table->slots[hole] = (Slot){0};
    table->used--;
}

bool name_table_find(const NameTable *table, const char *name, uint32_t *value)
{
    return name_table_find_hashed(table, name, name_hash(name), value);
}

bool name_table_find_hashed(const NameTable *table, const char *name, uint64_t hash,
                            uint32_t *value)
{
    if (table->used == 0)
        return false;
    const Slot *slot = slot_of(table, name, (uint32_t)hash);
    if (slot->name && value)
        *value = slot->value;
    return slot->name != NULL;
}

uint64_t name_hash(const char *name)
{
    return bytes_hash(HASH_START, name, strlen(name));
}

uint64_t bytes_hash(uint64_t hash, const void *bytes, uint64_t length)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    const unsigned char *byte = bytes;
    for (uint64_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * prime;
    return hash;
}

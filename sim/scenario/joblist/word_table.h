/* Different texts, numbered from 0 in the order in which they were first added. */
#ifndef SIM_SCENARIO_JOBLIST_WORD_TABLE_H
#define SIM_SCENARIO_JOBLIST_WORD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"

typedef struct {
    Arena *arena;
    const char **texts; /* [count], each ended by NUL; the array moves when it grows */
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots;     /* of a hash table: number of a text + 1; 0: free. Never walked. */
    uint32_t slot_count; /* a power of two, or 0 */
    char *room;          /* for the next texts */
    size_t room_left;
} WordTable;

WordTable word_table_create(Arena *arena);
/* The number of the text; adds a copy if the table does not have it. */
uint32_t word_table_add(WordTable *table, const char *text, size_t length);
/* False when the table does not have it. */
bool word_table_find(const WordTable *table, const char *text, size_t length, uint32_t *number);

#endif

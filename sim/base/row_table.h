/* A table that grows. Rows keep their addresses, so pointers to them stay valid. */
#ifndef SIM_BASE_ROW_TABLE_H
#define SIM_BASE_ROW_TABLE_H

#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/invariant.h"

typedef struct {
    void **rows;
    uint32_t count;
    uint32_t capacity;
} RowTable;

/* Adds `row`, which lives as long as `arena`; returns its index. */
uint32_t row_table_add(Arena *arena, RowTable *table, void *row);

/* Makes room for `capacity` rows at once: the memory of a table that grows is twice that of its
 * rows. */
void row_table_reserve(Arena *arena, RowTable *table, uint32_t capacity);

/* Forgets the row: row_table_at returns NULL from now on. Indices are not used again. */
static inline void row_table_clear(RowTable *table, uint32_t index)
{
    invariant(index < table->count);
    table->rows[index] = NULL;
}

static inline void *row_table_at(const RowTable *table, uint32_t index)
{
    invariant(index < table->count);
    return table->rows[index];
}

#endif

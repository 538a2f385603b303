#include "sim/base/row_table.h"

#include <string.h>

void row_table_reserve(Arena *arena, RowTable *table, uint32_t capacity)
{
    if (capacity <= table->capacity)
        return;
    void **rows = ARENA_ARRAY(arena, void *, capacity);
    if (table->count)
        memcpy(rows, table->rows, table->count * sizeof *rows);
    table->rows = rows;
    table->capacity = capacity;
}

uint32_t row_table_add(Arena *arena, RowTable *table, void *row)
{
    if (table->count == table->capacity)
        row_table_reserve(arena, table, table->capacity ? 2 * table->capacity : 16);
    table->rows[table->count] = row;
    return table->count++;
}

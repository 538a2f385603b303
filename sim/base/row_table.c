#include "sim/base/row_table.h"

#include <string.h>

uint32_t row_table_add(Arena *arena, RowTable *table, void *row)
{
    if (table->count == table->capacity) {
        uint32_t capacity = table->capacity ? 2 * table->capacity : 16;
        void **rows = ARENA_ARRAY(arena, void *, capacity);
        if (table->count)
            memcpy(rows, table->rows, table->count * sizeof *rows);
        table->rows = rows;
        table->capacity = capacity;
    }
    table->rows[table->count] = row;
    return table->count++;
}

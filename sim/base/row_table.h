/* A table that grows. Rows keep their addresses, so pointers to them stay valid.
 *
 * Pointers to rows are in pages; a page whose rows are all forgotten needs no memory. So a table
 * of which most rows were forgotten costs what the others cost. */
#ifndef SIM_BASE_ROW_TABLE_H
#define SIM_BASE_ROW_TABLE_H

#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/invariant.h"

enum { ROW_PAGE_BITS = 9, ROWS_PER_PAGE = 1 << ROW_PAGE_BITS };

/* 4 KiB: a page of a heap (sim/base/heap.h). */
typedef struct RowPage {
    void *rows[ROWS_PER_PAGE];
} RowPage;

typedef struct {
    RowPage **pages; /* [page_capacity]; NULL: none of its rows is there */
    uint16_t *used;  /* [page_capacity] rows of the page that are not NULL */
    uint32_t count;  /* rows, forgotten ones included */
    uint32_t page_capacity;
} RowTable;

/* Adds `row`, which lives as long as `arena`; returns its index. */
uint32_t row_table_add(Arena *arena, RowTable *table, void *row);
/* Puts `row` at an index that is free or beyond the table; rows in between are NULL. */
void row_table_put(Arena *arena, RowTable *table, uint32_t index, void *row);

/* Makes room for `capacity` rows at once. */
void row_table_reserve(Arena *arena, RowTable *table, uint32_t capacity);

/* Forgets the row: row_table_at returns NULL from now on. Indices are not used again. */
void row_table_clear(RowTable *table, uint32_t index);

static inline void *row_table_at(const RowTable *table, uint32_t index)
{
    invariant(index < table->count);
    const RowPage *page = table->pages[index >> ROW_PAGE_BITS];
    return page ? page->rows[index % ROWS_PER_PAGE] : NULL;
}

/* The first index from `index` on whose row is not forgotten; table->count: there is none. */
uint32_t row_table_next(const RowTable *table, uint32_t index);

#endif

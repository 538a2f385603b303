#include "sim/base/row_table.h"

#include <string.h>

static uint32_t pages_for(uint32_t rows)
{
    return (uint32_t)(((uint64_t)rows + ROWS_PER_PAGE - 1) / ROWS_PER_PAGE);
}

void row_table_reserve(Arena *arena, RowTable *table, uint32_t capacity)
{
    const uint32_t count = pages_for(capacity);
    if (count <= table->page_capacity)
        return;
    RowPage **pages = ARENA_ARRAY(arena, RowPage *, count);
    uint16_t *used = ARENA_ARRAY(arena, uint16_t, count);
    if (table->page_capacity > 0) {
        memcpy(pages, table->pages, table->page_capacity * sizeof *pages);
        memcpy(used, table->used, table->page_capacity * sizeof *used);
    }
    table->pages = pages;
    table->used = used;
    table->page_capacity = count;
}

static RowPage *page_of(Arena *arena, RowTable *table, uint32_t index)
{
    const uint32_t number = index >> ROW_PAGE_BITS;
    if (number >= table->page_capacity)
        row_table_reserve(arena, table, 2 * (number + 1) * ROWS_PER_PAGE);
    if (table->pages[number] == NULL)
        table->pages[number] = ARENA_NEW(arena, RowPage);
    return table->pages[number];
}

void row_table_put(Arena *arena, RowTable *table, uint32_t index, void *row)
{
    RowPage *page = page_of(arena, table, index);
    void **place = &page->rows[index % ROWS_PER_PAGE];
    invariant(row != NULL && *place == NULL);
    *place = row;
    table->used[index >> ROW_PAGE_BITS]++;
    if (index >= table->count)
        table->count = index + 1;
}

uint32_t row_table_add(Arena *arena, RowTable *table, void *row)
{
    const uint32_t index = table->count;
    row_table_put(arena, table, index, row);
    return index;
}

void row_table_clear(RowTable *table, uint32_t index)
{
    const uint32_t number = index >> ROW_PAGE_BITS;
    RowPage *page = table->pages[number];
    invariant(index < table->count && page != NULL && page->rows[index % ROWS_PER_PAGE] != NULL);
    page->rows[index % ROWS_PER_PAGE] = NULL;
    // The last page has rows that are still to be added.
    if (--table->used[number] == 0 && number < table->count >> ROW_PAGE_BITS)
        table->pages[number] = NULL;
}

uint32_t row_table_next(const RowTable *table, uint32_t index)
{
    while (index < table->count) {
        const RowPage *page = table->pages[index >> ROW_PAGE_BITS];
        if (page == NULL) {
            index = ((index >> ROW_PAGE_BITS) + 1) << ROW_PAGE_BITS;
            continue;
        }
        if (page->rows[index % ROWS_PER_PAGE] != NULL)
            return index;
        index++;
    }
    return table->count;
}

#include "sim/cli/text_grid.h"

static size_t shown_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80; // not a further byte of a character
    return width;
}

static size_t column_width(const TextGrid *grid, int32_t column)
{
    size_t width = 0;
    for (int32_t row = 0; row < grid->row_count; row++) {
        const size_t own = shown_width(grid->cells[row * grid->column_count + column]);
        width = own > width ? own : width;
    }
    return width;
}

void text_grid_print(const TextGrid *grid, Text *out)
{
    for (int32_t row = 0; row < grid->row_count; row++) {
        for (int32_t column = 0; column < grid->column_count; column++) {
            const char *cell = grid->cells[row * grid->column_count + column];
            const size_t blanks = column + 1 < grid->column_count
                                      ? column_width(grid, column) - shown_width(cell) + 2
                                      : 0;
            text_printf(out, "%s%*s", cell, (int)blanks, "");
        }
        text_add(out, "\n");
    }
}

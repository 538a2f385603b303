/* A table on a terminal: columns as wide as their widest cell. */
#ifndef SIM_CLI_TEXT_GRID_H
#define SIM_CLI_TEXT_GRID_H

#include <stdint.h>

#include "sim/base/text.h"

typedef struct {
    int32_t row_count, column_count;
    const char **cells; /* [row_count * column_count], UTF-8, each character one column wide */
} TextGrid;

void text_grid_print(const TextGrid *grid, Text *out);

#endif

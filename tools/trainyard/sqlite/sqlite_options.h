/* The options of `trainyard sqlite`. */
#ifndef TOOLS_TRAINYARD_SQLITE_OPTIONS_H
#define TOOLS_TRAINYARD_SQLITE_OPTIONS_H

#include "sim/cli/options.h"

typedef struct {
    const char *output; /* NULL: results.sqlite in the folder of the sweep */
} SqliteOptions;

extern const OptionTable sqlite_option_table;

#endif

/* The options of `trainyard export`. */
#ifndef EMU_OPTIONS_EXPORT_OPTIONS_H
#define EMU_OPTIONS_EXPORT_OPTIONS_H

#include "sim/cli/options.h"

typedef struct {
    const char *state_folder;
    const char *output; /* NULL: stdout */
} ExportOptions;

extern const ExportOptions export_option_defaults;
extern const OptionTable export_option_table;

#endif

/* Private to sim/cli: the values of the options that every table has. */
#ifndef SIM_CLI_COMMON_OPTIONS_H
#define SIM_CLI_COMMON_OPTIONS_H

#include <stdbool.h>

#include "sim/cli/terminal.h"

typedef struct {
    int colour; /* TerminalColour */
    bool wants_help;
} CommonOptions;

#endif

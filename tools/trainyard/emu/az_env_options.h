/* The options of `trainyard az-env`. */
#ifndef EMU_OPTIONS_AZ_ENV_OPTIONS_H
#define EMU_OPTIONS_AZ_ENV_OPTIONS_H

#include "sim/cli/options.h"
#include "sim/cli/shell_code.h"

typedef struct {
    const char *state_folder;
    bool has_proxy; /* false: the form without */
    bool is_off;
    bool checks;
    int shell; /* CodeShell */
    bool is_json;
} AzEnvOptions;

extern const AzEnvOptions az_env_option_defaults;
extern const OptionTable az_env_option_table;

/* Makes a new empty folder for az's configuration and adds code that leads to it. A shell that
 * evaluates the code fails unless more follows, and its az does not find the user's own login.
 * Returns the folder, in `arena`. */
const char *az_env_guard(Arena *arena, CodeShell shell, Text *out);

#endif

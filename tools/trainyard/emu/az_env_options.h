/* What `trainyard az-env` takes. */
#ifndef EMU_OPTIONS_AZ_ENV_OPTIONS_H
#define EMU_OPTIONS_AZ_ENV_OPTIONS_H

#include "sim/cli/options.h"

typedef struct {
    const char *state_folder;
    bool has_proxy; /* false: the form without */
    bool is_off;
    bool checks;
    int shell; /* AzShell */
} AzEnvOptions;

extern const AzEnvOptions az_env_option_defaults;
extern const OptionTable az_env_option_table;

#endif

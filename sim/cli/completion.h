/* The words that bash offers when Tab is pressed, from the tables that parse the command line. */
#ifndef SIM_CLI_COMPLETION_H
#define SIM_CLI_COMPLETION_H

#include "sim/cli/options.h"

/* A script for `eval "$(trainyard completion bash)"`: verbs, options, choices, files and
 * folders. Works with bash alone and with the bash-completion package. */
void completion_bash(const OptionTable *const *tables, int32_t count, Text *out);

#endif

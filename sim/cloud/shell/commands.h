/* Private to sim/cloud/shell: the commands that the shell knows. Messages are those of bash, dash
 * and GNU coreutils in the C locale. */
#ifndef SIM_CLOUD_SHELL_COMMANDS_H
#define SIM_CLOUD_SHELL_COMMANDS_H

#include "sim/cloud/shell/frame.h"

/* Runs the command of `frame`; returns its exit status. */
int32_t shell_command(ShellFrame *frame);

#endif

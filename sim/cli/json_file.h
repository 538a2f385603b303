/* Writes JSON trees to files and stdout: indented, with a line end at the end. */
#ifndef SIM_CLI_JSON_FILE_H
#define SIM_CLI_JSON_FILE_H

#include "sim/json/json.h"

/* In one step, as file_write does. */
MUST_CHECK bool json_file_write(const char *path, const Json *root, Status *status);
/* To stdout, whose errors are found at the end of the program (sim/cli/streams.h). */
void json_show(const Json *root);

#endif

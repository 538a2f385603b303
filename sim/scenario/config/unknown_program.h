/* The programs of command lines that nothing describes: no "programs", and not simple commands. The
 * service ran any command line, so a world has to say how long such a line takes and how it ends.
 */
#ifndef SIM_SCENARIO_CONFIG_UNKNOWN_PROGRAM_H
#define SIM_SCENARIO_CONFIG_UNKNOWN_PROGRAM_H

#include "sim/scenario/config/config_context.h"

/* Variables of a job that state how long its command line takes and how it ends. They win over all
 * other rules, so that a job brings its behaviour along. */
#define DURATION_VARIABLE "TRAINYARD_DURATION"
#define EXIT_CODE_VARIABLE "TRAINYARD_EXIT_CODE"

/* Adds the problems of "other_programs". */
void other_program_check(const ConfigContext *context, const OtherText *text);

/* The program of `command` as `text` ("other_programs") describes it, with the times of the
 * catalogue where it has none. NULL when a part of it was refused. */
const Program *other_program(const ConfigContext *context, const OtherText *text,
                             const char *command);
/* The same without "other_programs": as for {}. */
const Program *unknown_program(const ConfigContext *context, const char *command);
/* The program that the variables above in `environment` (of VariableText) describe. A duration that
 * they do not state is that of unknown_program. `*is_stated`: one of them exists; if its value is
 * refused, which is reported, NULL is returned. */
const Program *stated_program(const ConfigContext *context, const BoundList *environment,
                              const char *command, bool *is_stated);

/* Whether all commands of a line are tools that end at once, such as df, grep and `ssh HOST echo`.
 * Quotes, redirections, assignments and the words of lists are understood; every other command
 * makes it false. */
bool is_line_of_tools(const char *command);

#endif

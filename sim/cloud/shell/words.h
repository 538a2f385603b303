/* Private to sim/cloud/shell: variables, and the expansion of a command's words. */
#ifndef SIM_CLOUD_SHELL_WORDS_H
#define SIM_CLOUD_SHELL_WORDS_H

#include "sim/cloud/shell/shell.h"

const char *shell_variable(const ShellRun *run, const char *name); /* "" when it is not set */
void shell_set_variable(ShellRun *run, const char *name, const char *value);
/* One text, whatever is in it. */
const char *shell_join(const ShellRun *run, const ShellWord *word, Arena *arena);
/* None, one or several for each: cut at blanks that are not quoted. */
const char **shell_split(const ShellRun *run, const ShellWord *words, int32_t word_count,
                         Arena *arena, int32_t *count);

#endif

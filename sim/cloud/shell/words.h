/* Private to sim/cloud/shell: variables, and the expansion of a command's words. */
#ifndef SIM_CLOUD_SHELL_WORDS_H
#define SIM_CLOUD_SHELL_WORDS_H

#include "sim/cloud/shell/shell.h"

void shell_set_variable(ShellRun *run, const char *name, const char *value);
/* The value of a word as one string, blanks included. In `arena`. */
const char *shell_join(const ShellRun *run, const ShellWord *word, Arena *arena);
/* Expands words and splits them at blanks in unquoted variables; returns `*count` strings, none or
 * more for each word. In `arena`. */
const char **shell_split(const ShellRun *run, const ShellWord *words, int32_t word_count,
                         Arena *arena, int32_t *count);

#endif

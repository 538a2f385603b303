/* Code that a shell evaluates, as in eval "$(trainyard az-env)". */
#ifndef SIM_CLI_SHELL_CODE_H
#define SIM_CLI_SHELL_CODE_H

#include "sim/base/text.h"

/* X(ENUM, name) */
#define CODE_SHELLS(X)                                                                             \
    X(SH, "sh") X(BASH, "bash") X(ZSH, "zsh") X(FISH, "fish") X(POWERSHELL, "powershell")

typedef enum {
#define X(name, text) CODE_##name,
    CODE_SHELLS(X)
#undef X
        CODE_SHELL_COUNT
} CodeShell;

extern const char *const code_shell_names[]; /* ended by NULL */

/* The value of the last valid "--shell NAME" in `argv`; CODE_SH when `argv` has none. For a command
 * line that may be wrong elsewhere. */
CodeShell code_shell_of(int argc, char **argv);

/* Adds `text` as one word that the shell takes literally. */
void code_quote(const char *text, CodeShell shell, Text *out);
/* The same, without quotes if no shell needs them. */
void code_word(const char *text, CodeShell shell, Text *out);
/* Each adds one line. */
void code_set(CodeShell shell, const char *name, const char *value, Text *out);
void code_unset(CodeShell shell, const char *name, Text *out);
/* The evaluation fails if no line follows. Lines may follow, also under `set -e`. PowerShell has no
 * such code: nothing is added. */
void code_expect_more(CodeShell shell, Text *out);
/* The last line: the evaluation fails. The shell does not evaluate `reason`. */
void code_fail(CodeShell shell, const char *reason, Text *out);
/* The last line: the evaluation succeeds. */
void code_succeed(CodeShell shell, Text *out);

#endif

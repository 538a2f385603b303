/* A job's command line as a script of simple commands, when it is one.
 *
 *     list      pipeline { (";" | newline | "&&" | "||") pipeline }
 *     pipeline  command { "|" command }
 *     command   NAME=value ... | name { word | redirection }
 *
 * with quotes, backslashes, comments, $NAME, ${NAME} and $?; redirections > >> < of streams 0 to
 * 2, 2>&1 and 1>&2; the commands of SHELL_COMMANDS (sim/cloud/spec/script.h) with their usual
 * operands. `bash -c '...'` and `sh -c '...'` around it are taken off.
 *
 * A line must be understood completely, so that no line is ever run in part. A line is not such a
 * script if it depends on unknown values (a variable that the job does not set, a file of the
 * operating system) or has patterns, arithmetic, substitutions or loops.
 *
 * Batch AI ran command lines in bash (set-up tasks: "executed in a bash subshell", Batch AI REST
 * API 2018-05-01; for jobs this is not documented, but assumed). */
#ifndef SIM_SCENARIO_SHELL_READ_H
#define SIM_SCENARIO_SHELL_READ_H

#include "sim/cloud/spec/script.h"
#include "sim/scenario/config/mounts.h"

/* Where a line stops being a script of simple commands. */
typedef struct {
    const char *command;      /* its text; NULL: it is not at one command */
    const char *unknown_name; /* of that command, if it is not in SHELL_COMMANDS; else NULL */
} ShellRefusal;

/* NULL when `line` is not a script of simple commands; `*refusal` (NULL: not wanted) then says
 * where it is not. `variables` is the environment in which it runs. In `arena`. */
const ShellScript *shell_read(Arena *arena, const char *line, int32_t variable_count,
                              const EnvironmentVariable *variables, const Mounts *mounts,
                              ShellRefusal *refusal);

/* Adds the problem of a script at `at`; `when` ("" or " with ...") is part of its message. */
void shell_refusal_add(Problems *problems, Place at, const ShellRefusal *refusal, const char *when);

#endif

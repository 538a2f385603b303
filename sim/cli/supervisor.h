/* The supervisor of one command: a process between the emulator and the command, to which all
 * processes of the command return that lose their parent, however often they fork or begin sessions
 * (PR_SET_CHILD_SUBREAPER of Linux). Once the command has ended, or the supervisor receives
 * SIGTERM, or its parent has ended, it kills all of them. Processes that other services start for
 * the command (cron, a container engine) are not reached.
 *
 * It is the program itself, started again (sim/cli/child.h): a fork would keep a copy of the
 * emulator's memory. A program that starts supervised children calls this in main, before anything
 * else:
 *
 *     if (supervisor_is_asked(argc, argv))
 *         return supervisor_run(argv + SUPERVISOR_WORDS);
 */
#ifndef SIM_CLI_SUPERVISOR_H
#define SIM_CLI_SUPERVISOR_H

#include <stdbool.h>

/* The first argument of such a start; no option of a user is equal to it. */
#define SUPERVISOR_WORD "--supervise-command"
enum { SUPERVISOR_WORDS = 2 }; /* the program and that word, before the command */

bool supervisor_is_asked(int argc, char **argv);
/* Runs the command, ended by NULL, and returns its exit code as in a shell: 128 plus the number of
 * the signal that ended it, 127 if it could not be started. */
int supervisor_run(char **command);

#endif

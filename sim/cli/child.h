/* Commands that run beside us: each in a session and process group of its own, with no terminal, no
 * descriptor of ours, no signal blocked, an environment that is said in full, and an end that takes
 * the whole session with it.
 *
 * Nothing here waits or reads a clock: who starts a command looks at it from time to time, and ends
 * it where it takes or writes too much. A process that leaves its session (setsid, a daemon) is out
 * of reach. */
#ifndef SIM_CLI_CHILD_H
#define SIM_CLI_CHILD_H

#include <sys/types.h>

#include "sim/base/status.h"

typedef struct {
    char *const *arguments;   /* ended by NULL; the first is the path of the program */
    char *const *environment; /* "NAME=value", ended by NULL: all there is */
    const char *directory;    /* where it starts */
    int out, error; /* its stdout and stderr: descriptors, which stay ours; stdin is empty */
} ChildPlan;

typedef struct {
    pid_t process; /* also the number of its group; 0: it is not there, or no more */
} Child;

/* STATUS_NOT_FOUND where the program or the directory cannot be reached, STATUS_MACHINE else. Where
 * this process ignores SIGCHLD, which who started it can bring about, it does so no longer: of
 * children that are ignored nobody hears how they ended. */
MUST_CHECK bool child_start(const ChildPlan *plan, Child *child, Status *status);

/* True once the first process has ended. Whoever is left of its session is killed then, and
 * `*exit_code` is as a shell tells it: 128 and the number of the signal that ended it. */
bool child_has_ended(Child *child, int *exit_code);

/* SIGTERM, SIGKILL: to the whole group; nothing where it is not there any more. */
void child_signal(const Child *child, int signal);

/* --- When we end first --- */

/* A small shell that kills the sessions it was told of once we are gone, however that came. */
typedef struct {
    Child shell;
    int channel; /* a socket, as writing to a pipe that nobody reads ends us; -1: not open */
} ChildGuard;

MUST_CHECK bool child_guard_open(ChildGuard *guard, Status *status);
/* To be called as soon as a child was started, and once it has ended. */
void child_guard_add(const ChildGuard *guard, const Child *child);
void child_guard_remove(const ChildGuard *guard, pid_t process);
void child_guard_close(ChildGuard *guard); /* kills whatever it still knows of */

#endif

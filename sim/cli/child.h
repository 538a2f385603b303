/* Child processes. Each has a separate session and process group, no terminal and no descriptors of
 * this process. It has no signal blocked, and only the environment that the plan lists. When it
 * ends, its whole session is killed.
 *
 * Nothing here waits or reads a clock: the caller polls a child, and ends it if it takes too
 * long or writes too much. A process that leaves its session (setsid, a daemon) is reached if the
 * child is supervised (sim/cli/supervisor.h). */
#ifndef SIM_CLI_CHILD_H
#define SIM_CLI_CHILD_H

#include <sys/types.h>

#include "sim/base/status.h"

typedef struct {
    char *const *arguments;   /* ended by NULL; the first is the path of the program */
    char *const *environment; /* "NAME=value", ended by NULL; nothing is inherited */
    const char *directory;    /* where it starts */
    int out, error;           /* its stdout and stderr: descriptors of the caller; stdin is empty */
    bool is_supervised;       /* nothing that it starts outlives it, or this process */
} ChildPlan;

typedef struct {
    pid_t process; /* also the number of its group; 0: not running */
    bool is_supervised;
} Child;

/* STATUS_NOT_FOUND when the program or the directory cannot be reached, otherwise
 * STATUS_MACHINE. If this process ignores SIGCHLD, which its parent may have caused, the default
 * is restored: the exit codes of children are lost while it is ignored. */
MUST_CHECK bool child_start(const ChildPlan *plan, Child *child, Status *status);

/* True once the first process has ended. The other processes of its session are killed then, and
 * `*exit_code` is set as in a shell: 128 plus the number of the signal that ended it. */
bool child_has_ended(Child *child, int *exit_code);

/* Sends a signal to the whole group; does nothing if the group has ended. Any signal makes a
 * supervisor kill all of its child. */
void child_signal(const Child *child, int signal);

/* --- The guard: kills children when this process ends first --- */

enum { CHILD_GUARD_MAX = 1024 }; /* sessions that one guard knows at a time */

/* A fork of this process. Once this process has ended, for any reason, it kills the sessions it
 * knows. */
typedef struct {
    pid_t process;
    int channel;              /* the guard waits until this end closes; -1: not open */
    volatile pid_t *sessions; /* memory shared with the guard; 0: a free entry */
} ChildGuard;

/* STATUS_MACHINE when the guard cannot be started. */
MUST_CHECK bool child_guard_open(ChildGuard *guard, Status *status);
/* Call these as soon as a child has started, and once it has ended. Supervised children need no
 * guard, and are not added. */
void child_guard_add(const ChildGuard *guard, const Child *child);
void child_guard_remove(const ChildGuard *guard, pid_t process);
void child_guard_close(ChildGuard *guard); /* kills all sessions that it still knows */

#endif

#define _GNU_SOURCE // posix_spawn's directory, session and closing of descriptors
#include "sim/cli/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first descriptor that a child does not use. */
enum { FIRST_OTHER = 3, SIGNAL_BASE = 128 };

/* --- Starting --- */

/* Returns an errno. */
static int set_actions(posix_spawn_file_actions_t *actions, const ChildPlan *plan, int in)
{
    int error =
        in >= 0 ? posix_spawn_file_actions_adddup2(actions, in, STDIN_FILENO)
                : posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, plan->out, STDOUT_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, plan->error, STDERR_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_addchdir_np(actions, plan->directory);
    // Every other open descriptor that was not marked to be closed: sockets of libraries,
    // databases.
    if (error == 0)
        error = posix_spawn_file_actions_addclosefrom_np(actions, FIRST_OTHER);
    return error;
}

/* Signals as a login shell sets them, and a separate session, so that neither Control-C nor the
 * end of the terminal reaches the child, only child_signal. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0)
        error = posix_spawnattr_setsigdefault(attributes, &all);
    if (error == 0)
        error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                                         POSIX_SPAWN_SETSIGDEF);
    return error;
}

static void hear_of_ends(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) == 0 &&
        (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT)))
        signal(SIGCHLD, SIG_DFL);
}

/* `in`: its stdin; -1: an empty one. */
static bool start(const ChildPlan *plan, int in, Child *child, Status *status)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    hear_of_ends();
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        goto failed;
    error = posix_spawnattr_init(&attributes);
    if (error != 0)
        goto no_attributes;
    error = set_actions(&actions, plan, in);
    if (error == 0)
        error = set_attributes(&attributes);
    if (error == 0)
        error = posix_spawn(&child->process, plan->arguments[0], &actions, &attributes,
                            plan->arguments, plan->environment);
    posix_spawnattr_destroy(&attributes);
no_attributes:
    posix_spawn_file_actions_destroy(&actions);
failed:
    if (error == 0)
        return true;
    child->process = 0;
    return status_fail(status,
                       error == ENOENT || error == EACCES || error == ENOTDIR ? STATUS_NOT_FOUND
                                                                              : STATUS_MACHINE,
                       place_in(plan->arguments[0], 0, 0), "cannot start in %s: %s",
                       plan->directory, strerror(error));
}

bool child_start(const ChildPlan *plan, Child *child, Status *status)
{
    return start(plan, -1, child, status);
}

/* --- Ending --- */

void child_signal(const Child *child, int signal)
{
    if (child->process > 0)
        (void)!kill(-child->process, signal); // its group is gone: the process itself
}

/* The session of a running process; 0 when the process is not running. */
static pid_t session_of(const char *process)
{
    enum { STATE_LENGTH = 4 }; // ") S "
    char path[64], line[512];
    pid_t session = 0;
    snprintf(path, sizeof path, "/proc/%.20s/stat", process);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    // "17 (a name) S parent group session ...": a name may have ")" in it.
    char *rest = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (rest && strlen(rest) > STATE_LENGTH && rest[2] != 'Z' && rest[2] != 'X') {
        rest += STATE_LENGTH;
        for (int number = 0; number < 3; number++)
            session = (pid_t)strtol(rest, &rest, 10);
    }
    fclose(file);
    return session;
}

/* True when a process was found. */
static bool kill_session_once(pid_t session)
{
    bool has_any = false;
    DIR *listing = opendir("/proc");
    if (!listing)
        return false;
    for (const struct dirent *entry; (entry = readdir(listing));) {
        const bool is_process = entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
        if (is_process && session_of(entry->d_name) == session) {
            kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
            has_any = true;
        }
    }
    closedir(listing);
    return has_any;
}

/* Groups made within the session are killed too: mpirun makes one for each rank. A killed
 * process starts no others, so a second search finds those that the first one missed. */
static void kill_session(pid_t session)
{
    enum { LOOKS = 8 };
    kill(-session, SIGKILL);
    for (int i = 0; i < LOOKS && kill_session_once(session); i++)
        continue;
}

bool child_has_ended(Child *child, int *exit_code)
{
    siginfo_t info = {0};
    int state;
    if (child->process <= 0)
        return false;
    // It stays a zombie until the rest of its session is killed, so no other process gets its
    // number.
    if (waitid(P_PID, (id_t)child->process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0)
        return false;
    kill_session(child->process);
    while (waitpid(child->process, &state, 0) < 0 && errno == EINTR)
        continue;
    *exit_code = WIFSIGNALED(state) ? SIGNAL_BASE + WTERMSIG(state) : WEXITSTATUS(state);
    child->process = 0;
    return true;
}

/* --- When we end first --- */

static char guard_script[] =
    "groups=\n"
    "while read -r what group; do\n"
    "    left=\n"
    "    for one in $groups; do [ \"$one\" = \"$group\" ] || left=\"$left $one\"; done\n"
    "    groups=$left\n"
    "    [ \"$what\" != add ] || groups=\"$groups $group\"\n"
    "done\n"
    "[ -n \"$groups\" ] || exit 0\n"
    "for one in $groups; do kill -s KILL -- \"-$one\"; done\n"
    // The same as kill_session.
    "for stat in /proc/[0-9]*/stat; do\n"
    "    read -r line <\"$stat\" || continue\n"
    "    process=${stat#/proc/} session=${line##*) ? }\n"
    "    set -- $session\n"
    "    case \" $groups \" in *\" $3 \"*) kill -s KILL \"${process%/stat}\" ;; esac\n"
    "done\n";

static bool start_guard(ChildGuard *guard, int in, int nowhere, Status *status)
{
    char shell[] = "/bin/sh", option[] = "-c", path[] = "PATH=/usr/bin:/bin";
    char *const arguments[] = {shell, option, guard_script, NULL};
    char *const environment[] = {path, NULL};
    const ChildPlan plan = {.arguments = arguments,
                            .environment = environment,
                            .directory = "/",
                            .out = nowhere,
                            .error = nowhere};
    return start(&plan, in, &guard->shell, status);
}

bool child_guard_open(ChildGuard *guard, Status *status)
{
    int ends[2];
    *guard = (ChildGuard){.channel = -1};
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        status_fail(status, STATUS_MACHINE, place_in("socket", 0, 0), "%s", strerror(errno));
        if (nowhere >= 0)
            close(nowhere);
        return false;
    }
    const bool is_started = start_guard(guard, ends[0], nowhere, status);
    close(ends[0]);
    close(nowhere);
    if (is_started)
        guard->channel = ends[1];
    else
        close(ends[1]);
    return is_started;
}

static void tell(const ChildGuard *guard, const char *what, pid_t group)
{
    char line[48];
    int length = snprintf(line, sizeof line, "%s %" PRIdMAX "\n", what, (intmax_t)group);
    // A killed shell receives nothing.
    while (guard->channel >= 0 && send(guard->channel, line, (size_t)length, MSG_NOSIGNAL) < 0 &&
           errno == EINTR)
        continue;
}

void child_guard_add(const ChildGuard *guard, const Child *child)
{
    tell(guard, "add", child->process);
}

void child_guard_remove(const ChildGuard *guard, pid_t process)
{
    tell(guard, "remove", process);
}

void child_guard_close(ChildGuard *guard)
{
    int state;
    if (guard->channel < 0)
        return;
    close(guard->channel);
    guard->channel = -1;
    while (waitpid(guard->shell.process, &state, 0) < 0 && errno == EINTR)
        continue;
    guard->shell.process = 0;
}

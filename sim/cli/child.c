#define _GNU_SOURCE // posix_spawn's directory, session and closing of descriptors; getdents64
#include "sim/cli/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/arena.h"
#include "sim/base/invariant.h"
#include "sim/cli/files.h"
#include "sim/cli/supervisor.h"

/* The first descriptor that a child does not use. */
enum { FIRST_OTHER = 3, SIGNAL_BASE = 128 };

/* --- Starting --- */

/* Returns an errno. */
static int set_actions(posix_spawn_file_actions_t *actions, const ChildPlan *plan)
{
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
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

static void restore_sigchld(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) == 0 &&
        (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT)))
        signal(SIGCHLD, SIG_DFL);
}

/* The program and arguments of the child's first process: the supervisor is this program again. */
static char **words_of(const ChildPlan *plan, Arena *arena)
{
    static char self[] = "/proc/self/exe", word[] = SUPERVISOR_WORD;
    size_t count = 0;
    while (plan->arguments[count])
        count++;
    char **words = ARENA_ARRAY(arena, char *, count + SUPERVISOR_WORDS + 1);
    words[0] = self;
    words[1] = word;
    memcpy(words + SUPERVISOR_WORDS, plan->arguments, count * sizeof *words);
    return words;
}

static int spawn(const ChildPlan *plan, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, pid_t *process)
{
    if (!plan->is_supervised)
        return posix_spawn(process, plan->arguments[0], actions, attributes, plan->arguments,
                           plan->environment);
    Arena *arena = arena_create();
    char **words = words_of(plan, arena);
    const int error = posix_spawn(process, words[0], actions, attributes, words, plan->environment);
    arena_destroy(arena);
    return error;
}

bool child_start(const ChildPlan *plan, Child *child, Status *status)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    restore_sigchld();
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        goto failed;
    error = posix_spawnattr_init(&attributes);
    if (error != 0)
        goto no_attributes;
    error = set_actions(&actions, plan);
    if (error == 0)
        error = set_attributes(&attributes);
    if (error == 0)
        error = spawn(plan, &actions, &attributes, &child->process);
    child->is_supervised = plan->is_supervised;
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

/* --- Ending --- */

void child_signal(const Child *child, int signal)
{
    if (child->process > 0 && child->is_supervised)
        (void)!kill(child->process, SIGTERM); // killed itself, it could not kill the others
    else if (child->process > 0)
        (void)!kill(-child->process, signal); // fails when the group has ended
}

/* The process that an entry of /proc describes; 0: the entry is not a process. */
static pid_t process_of(const char *name)
{
    pid_t process = 0;
    for (; *name >= '0' && *name <= '9'; name++)
        process = process * 10 + (*name - '0');
    return *name == '\0' ? process : 0;
}

/* Returns whether a process other than the leader was found. */
static bool kill_session_once(pid_t session)
{
    enum { ROOM = 4096 };
    _Alignas(struct dirent64) char entries[ROOM];
    bool has_any = false;
    const int listing = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (listing < 0)
        return false;
    for (ssize_t length; (length = getdents64(listing, entries, sizeof entries)) > 0;) {
        for (ssize_t at = 0; at < length;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            const pid_t process = process_of(entry->d_name);
            if (process > 0 && process != session && getsid(process) == session) {
                kill(process, SIGKILL);
                has_any = true;
            }
            at += entry->d_reclen;
        }
    }
    close(listing);
    return has_any;
}

/* Groups made within the session are killed too: mpirun makes one for each rank. A killed
 * process starts no others, so a second search finds those that the first one missed. The guard
 * calls this after a fork, so it uses system calls only: opendir would allocate memory. */
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

/* --- The guard --- */

enum { SESSIONS_BYTES = CHILD_GUARD_MAX * sizeof(pid_t) };

/* Runs in the forked guard. The program may have threads, so only async-signal-safe calls are
 * allowed. All signals are blocked. */
static _Noreturn void guard_main(int channel, const volatile pid_t *sessions)
{
    char byte = 0;
    setsid(); // a signal to the parent's process group does not reach the guard
    (void)!chdir("/");
    dup2(channel, STDIN_FILENO);
    closefrom(STDIN_FILENO + 1);
    (void)!write(STDIN_FILENO, &byte, 1); // fork_guard waits for it
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
        continue;
    for (int i = 0; i < CHILD_GUARD_MAX; i++) {
        if (sessions[i] != 0)
            kill_session(sessions[i]);
    }
    _exit(0);
}

/* Returns the guard's process after it has left our process group, or -1 with errno set. Closes
 * the guard's end of the channel, ends[0]. */
static pid_t fork_guard(const int ends[2], const volatile pid_t *sessions)
{
    sigset_t all, before;
    char byte;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // so that our handlers do not run in the guard
    const pid_t process = fork();
    if (process == 0)
        guard_main(ends[0], sessions);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[0]);
    while (process > 0 && read(ends[1], &byte, 1) < 0 && errno == EINTR)
        continue;
    return process;
}

bool child_guard_open(ChildGuard *guard, Status *status)
{
    int ends[2];
    *guard = (ChildGuard){.channel = -1};
    pid_t *sessions =
        mmap(NULL, SESSIONS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sessions == MAP_FAILED)
        goto failed;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        goto no_channel;
    guard->process = fork_guard(ends, sessions);
    if (guard->process > 0) {
        guard->channel = ends[1];
        guard->sessions = sessions;
        return true;
    }
    close(ends[1]);
no_channel:
    munmap(sessions, SESSIONS_BYTES);
failed:
    return file_failed("guard", status);
}

/* Returns false when no entry is `before`. */
static bool replace_session(const ChildGuard *guard, pid_t before, pid_t after)
{
    for (int i = 0; i < CHILD_GUARD_MAX; i++) {
        if (guard->sessions[i] == before) {
            guard->sessions[i] = after;
            return true;
        }
    }
    return false;
}

void child_guard_add(const ChildGuard *guard, const Child *child)
{
    if (child->is_supervised)
        return;
    const bool is_added = replace_session(guard, 0, child->process);
    invariant(is_added);
}

void child_guard_remove(const ChildGuard *guard, pid_t process)
{
    replace_session(guard, process, 0);
}

void child_guard_close(ChildGuard *guard)
{
    int state;
    if (guard->channel < 0)
        return;
    close(guard->channel);
    while (waitpid(guard->process, &state, 0) < 0 && errno == EINTR)
        continue;
    munmap((void *)guard->sessions, SESSIONS_BYTES);
    *guard = (ChildGuard){.channel = -1};
}

#define _GNU_SOURCE // POSIX_SPAWN_SETSID
#include "sim/cli/supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNAL_BASE = 128, CANNOT_START = 127 };

bool supervisor_is_asked(int argc, char **argv)
{
    return argc > SUPERVISOR_WORDS && strcmp(argv[1], SUPERVISOR_WORD) == 0;
}

/* Starts the command in a separate session, with no signal blocked. Returns an errno. */
static int start(char **command, pid_t *process)
{
    extern char **environ;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    int error = posix_spawnattr_init(&attributes);
    if (error != 0)
        return error;
    error = posix_spawnattr_setsigmask(&attributes, &none);
    if (error == 0)
        error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    if (error == 0)
        error = posix_spawn(process, command[0], NULL, &attributes, command, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* The parent of the process that an entry of /proc describes; 0: not a process, or gone. */
static pid_t parent_of(const char *entry)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", entry);
    FILE *file = *entry >= '0' && *entry <= '9' ? fopen(path, "re") : NULL;
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    // "4711 (name) S 4710 ...": the name may contain anything.
    const char *after_name = strrchr(text, ')');
    return after_name && strlen(after_name) > 4 ? (pid_t)strtol(after_name + 4, NULL, 10) : 0;
}

static void kill_children(void)
{
    DIR *processes = opendir("/proc");
    for (const struct dirent *entry; processes && (entry = readdir(processes)) != NULL;)
        if (parent_of(entry->d_name) == getpid())
            kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
    if (processes)
        closedir(processes);
}

/* Kills all that are left: the children of each that ends become children of this process. */
static void kill_all(void)
{
    do
        kill_children();
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

/* Waits for the end of the command, or for SIGTERM. Others that have returned end on the way. */
static int wait_for(pid_t command, const sigset_t *signals)
{
    for (;;) {
        int state;
        for (pid_t ended; (ended = waitpid(-1, &state, WNOHANG)) > 0;)
            if (ended == command)
                return WIFSIGNALED(state) ? SIGNAL_BASE + WTERMSIG(state) : WEXITSTATUS(state);
        if (sigwaitinfo(signals, NULL) == SIGTERM)
            return SIGNAL_BASE + SIGKILL; // it is killed with the others
    }
}

int supervisor_run(char **command)
{
    const pid_t parent = getppid();
    pid_t process;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    const bool is_set = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && // Linux 3.4
                        prctl(PR_SET_PDEATHSIG, SIGTERM) == 0;
    const int error = !is_set               ? errno
                      : getppid() != parent ? ESRCH // it ended before it could be noticed
                                            : start(command, &process);
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", command[0], strerror(error));
        return CANNOT_START;
    }
    const int exit_code = wait_for(process, &signals);
    kill_all();
    return exit_code;
}

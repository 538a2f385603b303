#include "trainer/run/fork_guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/files.h"

/* --- The pipe --- */

/* Reads exactly `bytes` bytes; false if the pipe ends early. */
static bool read_all(int from, void *data, size_t bytes)
{
    char *next = data;
    while (bytes > 0) {
        ssize_t count = read(from, next, bytes);
        if (count == 0 || (count < 0 && errno != EINTR))
            return false;
        if (count > 0) {
            next += count;
            bytes -= (size_t)count;
        }
    }
    return true;
}

/* --- The two processes --- */

/* A crash ends the child at once and writes no core file, because the parent handles it. */
static void limit_child(int seconds)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        signal(crashes[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)seconds, (rlim_t)seconds});
}

_Noreturn static void run_child(int to, GuardedWork *work, const void *argument, void *result,
                                size_t result_bytes, int seconds)
{
    limit_child(seconds);
    Status status = {0};
    bool is_fine = work(argument, result, &status);
    bool is_sent = file_put(to, &status, sizeof status, FILE_CURRENT_POSITION) &&
                   (!is_fine || file_put(to, result, result_bytes, FILE_CURRENT_POSITION));
    _exit(is_sent ? 0 : 1);
}

static bool fail_ended(int outcome, int seconds, Place at, const char *doing, Status *status)
{
    if (WIFSIGNALED(outcome) && (WTERMSIG(outcome) == SIGXCPU || WTERMSIG(outcome) == SIGKILL))
        return status_fail(status, STATUS_BAD_INPUT, at, "%s was stopped after %d s of work", doing,
                           seconds);
    if (WIFSIGNALED(outcome))
        return status_fail(status, STATUS_BAD_INPUT, at, "%s crashed (signal %d)", doing,
                           WTERMSIG(outcome));
    return status_fail(status, STATUS_BAD_INPUT, at, "%s ended without a result (exit code %d)",
                       doing, WEXITSTATUS(outcome));
}

static bool fail_machine(Place at, const char *doing, Status *status)
{
    return status_fail(status, STATUS_MACHINE, at, "cannot start a process for %s: %s", doing,
                       strerror(errno));
}

bool fork_guard_run(GuardedWork *work, const void *argument, void *result, size_t result_bytes,
                    int seconds, Place at, const char *doing, Status *status)
{
    int ends[2];
    if (pipe(ends) != 0)
        return fail_machine(at, doing, status);
    fflush(NULL); // otherwise the child could write the parent's buffered output again
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return fail_machine(at, doing, status);
    }
    if (child == 0) {
        close(ends[0]);
        run_child(ends[1], work, argument, result, result_bytes, seconds);
    }
    close(ends[1]);
    Status received;
    bool is_sent = read_all(ends[0], &received, sizeof received) &&
                   (received.code != STATUS_OK || read_all(ends[0], result, result_bytes));
    close(ends[0]);
    int outcome = 0;
    while (waitpid(child, &outcome, 0) < 0 && errno == EINTR)
        continue;
    if (!is_sent)
        return fail_ended(outcome, seconds, at, doing, status);
    if (received.code == STATUS_OK)
        return true;
    *status = received;
    status->at = at; // the child's own place may be in the child's memory
    return false;
}

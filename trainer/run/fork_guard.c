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

/* False at an early end. */
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

/* A crash ends the child at once and leaves no core: it is an answer here. */
static void limit_child(int seconds)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        signal(crashes[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)seconds, (rlim_t)seconds});
}

_Noreturn static void be_child(int to, GuardedWork *work, const void *argument, void *result,
                               size_t result_bytes, int seconds)
{
    limit_child(seconds);
    Status status = {0};
    bool is_fine = work(argument, result, &status);
    bool is_told = file_put(to, &status, sizeof status, FILE_GOES_ON) &&
                   (!is_fine || file_put(to, result, result_bytes, FILE_GOES_ON));
    _exit(is_told ? 0 : 1);
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
    return status_fail(status, STATUS_MACHINE, at, "no process for %s: %s", doing, strerror(errno));
}

bool fork_guard_run(GuardedWork *work, const void *argument, void *result, size_t result_bytes,
                    int seconds, Place at, const char *doing, Status *status)
{
    int ends[2];
    if (pipe(ends) != 0)
        return fail_machine(at, doing, status);
    fflush(NULL); // or the child's library could write out what is ours
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return fail_machine(at, doing, status);
    }
    if (child == 0) {
        close(ends[0]);
        be_child(ends[1], work, argument, result, result_bytes, seconds);
    }
    close(ends[1]);
    Status told;
    bool is_told = read_all(ends[0], &told, sizeof told) &&
                   (told.code != STATUS_OK || read_all(ends[0], result, result_bytes));
    close(ends[0]);
    int outcome = 0;
    while (waitpid(child, &outcome, 0) < 0 && errno == EINTR)
        continue;
    if (!is_told)
        return fail_ended(outcome, seconds, at, doing, status);
    if (told.code == STATUS_OK)
        return true;
    *status = told;
    status->at = at; // the child's own place may be in the child's memory
    return false;
}

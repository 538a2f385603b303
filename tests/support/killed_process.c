#include "tests/support/killed_process.h"

#include <check.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* A stop at a system call, as PTRACE_O_TRACESYSGOOD marks it. */
enum { SYSCALL_STOP = SIGTRAP | 0x80 };

static void be_traced(bool (*work)(void *owner), void *owner)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0)
        _exit(2);
    _exit(work(owner) ? 0 : 1);
}

int64_t killed_process_call(int64_t calls, int i, int kills)
{
    const int spread = kills / 2;
    const int64_t last = i < spread ? 1 + calls * i / spread : calls - (kills - 1 - i);
    return last > 1 ? last : 1;
}

int64_t killed_process_run(bool (*work)(void *owner), void *owner, int64_t last)
{
    int64_t stops = 0; // two for each call: its begin and its end
    int state;
    const pid_t child = fork();
    if (child == 0)
        be_traced(work, owner);
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert_msg(WIFSTOPPED(state), "this machine does not let a process trace its child");
    ck_assert_int_eq(
        ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)),
        0);
    for (intptr_t signal = 0; stops / 2 + stops % 2 < last;) {
        ck_assert_int_eq(ptrace(PTRACE_SYSCALL, child, NULL, (void *)signal), 0);
        ck_assert_int_eq(waitpid(child, &state, 0), child);
        if (!WIFSTOPPED(state)) {
            ck_assert_msg(WIFEXITED(state) && WEXITSTATUS(state) == 0, "it ended with %d", state);
            return stops / 2 + stops % 2;
        }
        const int stop = WSTOPSIG(state);
        stops += stop == SYSCALL_STOP;
        signal = stop == SYSCALL_STOP ? 0 : stop;
    }
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    return last;
}

#define _XOPEN_SOURCE 700 // sigaltstack
#include "tools/trainyard/policy/policy_guard.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cli/report.h"
#include "sim/cli/signal_text.h"
#include "sim/cli/streams.h"

enum { STACK_BYTES = 32 << 10, MESSAGE_BYTES = 8192 };

static const struct {
    int signal;
    const char *name;
} faults[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
              {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}};
enum { FAULT_COUNT = sizeof faults / sizeof faults[0] };

static struct {
    const char *path;
    trainyard_policy_function *choose;
    struct sigaction before[FAULT_COUNT];
} guard;

typedef enum { OUTSIDE, LOADING, CHOOSING } Doing;

/* The state of this thread, whose own stack may be full when the handler runs. */
static _Thread_local struct {
    volatile Doing doing;
    volatile int64_t at_ns;
    bool has_stack;
    char stack[STACK_BYTES];
} own;

static void print_message(const char *what, const char *name)
{
    char message[MESSAGE_BYTES];
    SignalText text = {.out = message, .room = sizeof message};
    signal_text_add(&text, guard.path);
    signal_text_add(&text, ": the policy ");
    signal_text_add(&text, what);
    signal_text_add(&text, name);
    if (own.doing == LOADING) {
        signal_text_add(&text, " while it was loaded");
    } else {
        signal_text_add(&text, " when it was asked for the next job at ");
        signal_text_add_number(&text, own.at_ns / NS_PER_S);
        signal_text_add(&text, " s of simulated time");
    }
    signal_text_add(&text, "\n  hint: its code runs inside trainyard, with everything that it may "
                           "break; compile it with -g and run the same command under gdb or "
                           "valgrind\n");
    signal_text_print(&text);
}

/* The signal then does what it would have done. */
static void handle_fault(int signal)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        if (faults[i].signal != signal)
            continue;
        if (own.doing != OUTSIDE)
            print_message("crashed with ", faults[i].name);
        sigaction(signal, &guard.before[i], NULL);
    }
    raise(signal);
}

static void handle_exit(void)
{
    if (own.doing == OUTSIDE)
        return;
    print_message("called exit()", "");
    _exit(EXIT_BAD_INPUT);
}

/* Sanitizers have a stack for handlers already. */
static void give_stack(void)
{
    stack_t before;
    const stack_t stack = {.ss_sp = own.stack, .ss_size = sizeof own.stack};
    if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0)
        sigaltstack(&stack, NULL);
    own.has_stack = true;
}

static int32_t choose_guarded(const trainyard_policy_view *view)
{
    if (!own.has_stack)
        give_stack();
    own.at_ns = view->now_ns;
    own.doing = CHOOSING;
    streams_foreign_begin();
    const int32_t answer = guard.choose(view);
    streams_foreign_end();
    own.doing = OUTSIDE;
    return answer;
}

void *policy_guard_load(const char *path, const char *file)
{
    const struct sigaction action = {.sa_handler = handle_fault, .sa_flags = SA_ONSTACK};
    invariant(guard.path == NULL);
    guard.path = path;
    for (size_t i = 0; i < FAULT_COUNT; i++)
        sigaction(faults[i].signal, &action, &guard.before[i]);
    atexit(handle_exit);
    own.doing = LOADING;
    streams_foreign_begin();
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    streams_foreign_end();
    own.doing = OUTSIDE;
    return library;
}

trainyard_policy_function *policy_guard_around(trainyard_policy_function *choose)
{
    guard.choose = choose;
    return choose_guarded;
}

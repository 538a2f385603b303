#include "trainer/run/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/signal_text.h"

static const int signals[] = {SIGINT, SIGTERM, SIGUSR1};
/* One of several ranks may get the same signal twice within this time. */
#define PASSED_ON_NS (250 * NS_PER_MS)
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

static struct {
    atomic_int received;
    atomic_bool is_alone, speaks;
    _Atomic(int64_t) received_ns; /* by the machine's clock */
    _Atomic(int64_t) epoch, step;
    _Atomic(const char *) checkpoint;
    struct sigaction before[SIGNAL_COUNT], before_file_limit;
} signal_state;

/* --- The message --- */

static void add_place(SignalText *words)
{
    const int64_t epoch = atomic_load(&signal_state.epoch);
    if (epoch == 0) {
        signal_text_add(words, " before the training began");
        return;
    }
    signal_text_add(words, " in epoch ");
    signal_text_add_number(words, epoch);
    signal_text_add(words, ", step ");
    signal_text_add_number(words, atomic_load(&signal_state.step));
}

static void add_checkpoint(SignalText *words, const char *hint)
{
    const char *checkpoint = atomic_load(&signal_state.checkpoint);
    signal_text_add(words, "\n  hint: ");
    signal_text_add(words, checkpoint ? hint : "there is no checkpoint yet");
    signal_text_add(words, checkpoint ? checkpoint : "");
    signal_text_add(words, "\n");
}

size_t signals_message(int signal, char *out)
{
    SignalText words = {.out = out, .room = SIGNALS_ROOM};
    signal_text_add(&words, "trainyard: train: ended by signal ");
    signal_text_add_number(&words, signal);
    add_place(&words);
    add_checkpoint(&words, "continue with --resume ");
    return words.length;
}

size_t signals_notice(int signal, char *out)
{
    SignalText words = {.out = out, .room = SIGNALS_ROOM};
    signal_text_add(&words, "trainyard: train: signal ");
    signal_text_add_number(&words, signal);
    add_place(&words);
    signal_text_add(&words, ": ends after it with a checkpoint");
    add_checkpoint(&words, "if it is killed before, continue with --resume ");
    return words.length;
}

/* --- Signals --- */

static void print(int signal, size_t (*message)(int signal, char *out))
{
    char words[SIGNALS_ROOM];
    if (!atomic_load(&signal_state.speaks))
        return;
    const size_t length = message(signal, words);
    signal_text_print(&(SignalText){.out = words, .length = length});
}

/* The first signal of a training, which ends after its step. */
static void record(int signal)
{
    atomic_store(&signal_state.received_ns, machine_clock_ns());
    atomic_store(&signal_state.received, signal);
    if (!atomic_load(&signal_state.is_alone))
        print(signal, signals_notice);
}

/* Whether a signal after the first one says nothing new. */
static bool is_repeated(int signal)
{
    const int64_t since_ns = machine_clock_ns() - atomic_load(&signal_state.received_ns);
    return signal == SIGUSR1 || (!atomic_load(&signal_state.is_alone) && since_ns < PASSED_ON_NS);
}

static void handle(int signal)
{
    const int before = errno;
    // Before the first step there is no file to complete, and a slow disk to wait for.
    const bool has_begun = atomic_load(&signal_state.epoch) > 0;
    const bool is_first = atomic_load(&signal_state.received) == 0;
    if (has_begun && is_first) {
        record(signal);
    } else if (!has_begun || !is_repeated(signal)) {
        print(signal, signals_message);
        _exit(signals_exit_code(signal));
    }
    errno = before;
}

void signals_watch(int32_t ranks, bool speaks)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    atomic_store(&signal_state.received, 0);
    atomic_store(&signal_state.is_alone, ranks == 1);
    atomic_store(&signal_state.speaks, speaks);
    signals_note_step(0, 0);
    signals_note_checkpoint(NULL);
    sigemptyset(&action.sa_mask);
    sigemptyset(&ignore.sa_mask);
    for (int i = 0; i < SIGNAL_COUNT; i++) // one handler at a time
        sigaddset(&action.sa_mask, signals[i]);
    for (int i = 0; i < SIGNAL_COUNT; i++)
        sigaction(signals[i], &action, &signal_state.before[i]);
    sigaction(SIGXFSZ, &ignore, &signal_state.before_file_limit);
}

void signals_forget(void)
{
    for (int i = 0; i < SIGNAL_COUNT; i++)
        sigaction(signals[i], &signal_state.before[i], NULL);
    sigaction(SIGXFSZ, &signal_state.before_file_limit, NULL);
    atomic_store(&signal_state.received, 0);
}

void signals_note_step(int64_t epoch, int64_t step)
{
    atomic_store(&signal_state.epoch, epoch);
    atomic_store(&signal_state.step, step);
}

void signals_note_checkpoint(const char *path)
{
    atomic_store(&signal_state.checkpoint, path);
}

int signals_received(void)
{
    return atomic_load(&signal_state.received);
}

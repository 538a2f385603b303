#include "trainer/run/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/signal_text.h"

static const int signals[] = {SIGINT, SIGTERM};
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

static struct {
    atomic_int received;
    atomic_bool is_alone, speaks;
    _Atomic(int64_t) epoch, step;
    _Atomic(const char *) checkpoint;
    struct sigaction before[SIGNAL_COUNT], before_file_limit;
} signal_state;

/* --- The message --- */

size_t signals_message(int signal, char *out)
{
    SignalText words = {.out = out, .room = SIGNALS_ROOM};
    const char *checkpoint = atomic_load(&signal_state.checkpoint);
    int64_t epoch = atomic_load(&signal_state.epoch);
    signal_text_add(&words, "trainyard: train: ended by signal ");
    signal_text_add_number(&words, signal);
    if (epoch > 0) {
        signal_text_add(&words, " in epoch ");
        signal_text_add_number(&words, epoch);
        signal_text_add(&words, ", step ");
        signal_text_add_number(&words, atomic_load(&signal_state.step));
    } else {
        signal_text_add(&words, " before the training began");
    }
    signal_text_add(&words, checkpoint ? "\n  hint: continue with --resume "
                                       : "\n  hint: there is no checkpoint yet");
    signal_text_add(&words, checkpoint ? checkpoint : "");
    signal_text_add(&words, "\n");
    return words.length;
}

/* --- Signals --- */

static void handle(int signal)
{
    // Before the first step there is no file to complete, and a slow disk to wait for.
    if (atomic_load(&signal_state.is_alone) && atomic_load(&signal_state.epoch) > 0) {
        atomic_store(&signal_state.received, signal); // SA_RESETHAND: the next one ends the process
        return;
    }
    if (atomic_load(&signal_state.speaks)) {
        char message[SIGNALS_ROOM];
        const size_t length = signals_message(signal, message);
        signal_text_print(&(SignalText){.out = message, .length = length});
    }
    _exit(signals_exit_code(signal));
}

void signals_watch(int32_t ranks, bool speaks)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    atomic_store(&signal_state.received, 0);
    atomic_store(&signal_state.is_alone, ranks == 1);
    atomic_store(&signal_state.speaks, speaks);
    signals_note_step(0, 0);
    signals_note_checkpoint(NULL);
    sigemptyset(&action.sa_mask);
    sigemptyset(&ignore.sa_mask);
    for (int i = 0; i < SIGNAL_COUNT; i++)
        sigaction(signals[i], &action, &signal_state.before[i]);
    sigaction(SIGXFSZ, &ignore, &signal_state.before_file_limit);
}

void signals_forget(void)
{
    for (int i = 0; i < SIGNAL_COUNT; i++)
        sigaction(signals[i], &signal_state.before[i], NULL);
    sigaction(SIGXFSZ, &signal_state.before_file_limit, NULL);
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

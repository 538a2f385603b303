#include "trainer/run/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM};
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

static struct {
    atomic_int received;
    atomic_bool is_alone, speaks;
    _Atomic(int64_t) epoch, step;
    _Atomic(const char *) checkpoint;
    struct sigaction before[SIGNAL_COUNT], before_file_limit;
} signal_state;

/* --- The message, without printf, which may hold a lock --- */

typedef struct {
    char *out;
    size_t length;
} Words;

/* Appends `text`; cuts off the part that does not fit. */
static void put_text(Words *words, const char *text)
{
    while (*text && words->length < SIGNALS_ROOM)
        words->out[words->length++] = *text++;
}

static void put_number(Words *words, int64_t value)
{
    char digits[24];
    char *first = digits + sizeof digits - 1;
    *first = '\0';
    do
        *--first = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    put_text(words, first);
}

size_t signals_message(int signal, char *out)
{
    Words words = {.out = out};
    const char *checkpoint = atomic_load(&signal_state.checkpoint);
    int64_t epoch = atomic_load(&signal_state.epoch);
    put_text(&words, "trainyard: train: ended by signal ");
    put_number(&words, signal);
    if (epoch > 0) {
        put_text(&words, " in epoch ");
        put_number(&words, epoch);
        put_text(&words, ", step ");
        put_number(&words, atomic_load(&signal_state.step));
    } else {
        put_text(&words, " before the training began");
    }
    put_text(&words, checkpoint ? "\n  hint: continue with --resume "
                                : "\n  hint: there is no checkpoint yet");
    put_text(&words, checkpoint ? checkpoint : "");
    put_text(&words, "\n");
    return words.length;
}

/* --- Signals --- */

static void handle(int signal)
{
    if (atomic_load(&signal_state.is_alone)) {
        atomic_store(&signal_state.received, signal); // SA_RESETHAND: the next one ends the process
        return;
    }
    if (atomic_load(&signal_state.speaks)) {
        char message[SIGNALS_ROOM];
        size_t length = signals_message(signal, message);
        ssize_t written = write(STDERR_FILENO, message, length);
        (void)written; // an error cannot be reported
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

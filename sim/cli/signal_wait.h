/* Signals for a program whose main thread waits for them while other threads work: no handler runs,
 * and no work is interrupted. */
#ifndef SIM_CLI_SIGNAL_WAIT_H
#define SIM_CLI_SIGNAL_WAIT_H

#include <signal.h>
#include <stdint.h>

typedef struct {
    sigset_t waited;
    sigset_t before;
} SignalWait;

/* Blocks SIGINT, SIGTERM, SIGUSR1 and SIGUSR2 in this thread, and so in threads that it creates
 * from now on. */
SignalWait signal_wait_begin(void);
/* The next of these signals, or 0 after `timeout_ns` without one. */
int signal_wait_next(const SignalWait *wait, int64_t timeout_ns);
/* After SIGINT or SIGTERM was received: from now on they do in this thread what they did before the
 * wait. timeout(1) sends a signal to the process and to its group: one that comes within a tenth of
 * a second is such an echo and is dropped. */
void signal_wait_release(const SignalWait *wait);
/* Restores the signals of this thread. One that was sent since the last wait takes effect now,
 * except SIGUSR2, with which other threads end a wait. */
void signal_wait_end(const SignalWait *wait);

#endif

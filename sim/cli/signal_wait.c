#include "sim/cli/signal_wait.h"

#include "sim/base/units.h"

SignalWait signal_wait_begin(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
    SignalWait wait;
    sigemptyset(&wait.waited);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaddset(&wait.waited, signals[i]);
    pthread_sigmask(SIG_BLOCK, &wait.waited, &wait.before);
    return wait;
}

int signal_wait_next(const SignalWait *wait, int64_t timeout_ns)
{
    const struct timespec timeout = {.tv_sec = timeout_ns / NS_PER_S,
                                     .tv_nsec = timeout_ns % NS_PER_S};
    const int signal = sigtimedwait(&wait->waited, NULL, &timeout);
    return signal > 0 ? signal : 0;
}

void signal_wait_release(const SignalWait *wait)
{
    static const int signals[] = {SIGINT, SIGTERM};
    const struct timespec echo = {.tv_nsec = 100 * NS_PER_MS};
    sigset_t dropped, released;
    sigemptyset(&dropped);
    sigemptyset(&released);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaddset(&dropped, signals[i]);
        if (sigismember(&wait->before, signals[i]) == 0)
            sigaddset(&released, signals[i]);
    }
    sigtimedwait(&dropped, NULL, &echo);
    pthread_sigmask(SIG_UNBLOCK, &released, NULL);
}

void signal_wait_end(const SignalWait *wait)
{
    const struct timespec now = {0};
    sigset_t wake;
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR2);
    sigtimedwait(&wake, NULL, &now); // one that arrived after the last wait would end the program
    pthread_sigmask(SIG_SETMASK, &wait->before, NULL);
}

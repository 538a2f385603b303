/* How simulated time follows the machine's while the emulator serves. */
#ifndef EMU_PACE_H
#define EMU_PACE_H

#include "emu/session/clock.h"

typedef struct {
    Clock clock;
    int64_t machine_ns;    /* the machine's monotonic clock at the last tick */
    int64_t real_unix_ms;  /* its calendar then: the times of signatures and tokens are compared
                              with it */
    int64_t controlled_ns; /* simulated time when a client last controlled the clock
                              (emu/control/control.h), or when this process began: what ended before
                              is reported without delay */
    bool is_polled;        /* pace_polled was called since the last tick */
} Pace;

/* A client asked for something that is not finished: with CLOCK_AUTO time jumps, after the answer,
 * to where a state that clients can see changes next: at most a day, or to the next event if none
 * is due for a day. */
void pace_polled(Pace *pace);

#endif

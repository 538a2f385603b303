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
    bool is_polled;        /* a client asked for something unfinished since the last tick ... */
    bool polls_only_jobs;  /* ... which was a job each time */
    int64_t looked_entry;  /* the last entry of the journal at the last pace_looked ... */
    int32_t looks;         /* ... and the number of looks since that entry */
} Pace;

/* A client asked for something that is not finished: with CLOCK_AUTO time jumps, after the answer,
 * to where a state that clients can see changes next: at most a day, or to the next event if none
 * is due for a day. */
void pace_polled(Pace *pace);
/* The same for a job: time jumps to where the state of a job changes, so that a client that sleeps
 * between two looks at its job does not also wait for each step of the cluster's nodes. After an
 * hour without, it stops at any state, because the job may never begin. */
void pace_polled_job(Pace *pace);
/* A client asked for something that is finished and may yet change without a request: a cluster
 * that scales automatically. The third look since the last entry of the journal, `entry`, and each
 * later one is a poll: a client that only wanted to know has its answer, and the others wait. */
void pace_looked(Pace *pace, int64_t entry);

#endif

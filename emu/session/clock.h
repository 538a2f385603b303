/* The emulator's clock: simulated time as a function of the machine's.
 *
 *     real     one simulated second a second
 *     xN       N of them
 *     manual   stands still until a request moves it
 *     auto     as real, and jumps to the next event whenever a client polls something unfinished
 *
 * Jobs that run for real hold it back, whatever its kind (emu/jobs/runs.h).
 *
 * Pure arithmetic over two int64 of nanoseconds: `machine_ns` is a monotonic clock of the machine,
 * which only the server reads. The clock never goes back, and never past the last instant. */
#ifndef EMU_CLOCK_H
#define EMU_CLOCK_H

#include "sim/base/status.h"

typedef enum { CLOCK_REAL, CLOCK_RATE, CLOCK_MANUAL, CLOCK_AUTO } ClockKind;

typedef struct {
    ClockKind kind;
    int64_t rate_ppm; /* simulated ns per million of the machine's; 0 in manual */
    bool is_paused;
    int64_t machine_ns; /* at this instant of the machine ... */
    int64_t now_ns;     /* ... it was this in the world */
} Clock;

/* "real", "manual", "auto", "x60", "x0.5" (from one in a million to a million). */
MUST_CHECK bool clock_parse(const char *text, Clock *clock, Status *status);
enum { CLOCK_TEXT = 32 };
void clock_print(const Clock *clock, char out[CLOCK_TEXT]); /* in the form that clock_parse reads */

/* Simulated time is `now_ns` when the machine's is `machine_ns`. */
void clock_start(Clock *clock, int64_t machine_ns, int64_t now_ns);
int64_t clock_now(const Clock *clock, int64_t machine_ns);
/* Returns when simulated time reaches `at_ns`, by the machine's clock. INT64_MAX: it does not
 * without a request. */
int64_t clock_when(const Clock *clock, int64_t at_ns);
/* From here on at `to_ns`, which is not before now. */
void clock_jump(Clock *clock, int64_t machine_ns, int64_t to_ns);
void clock_pause(Clock *clock, int64_t machine_ns);
void clock_resume(Clock *clock, int64_t machine_ns);
/* Another kind or rate; what time it is stays. */
void clock_change(Clock *clock, int64_t machine_ns, const Clock *to);

#endif

/* The hold model: N events pending; again and again the earliest is popped and another is pushed a
 * random delay after it (Vaucher and Duval, "A comparison of simulation event list algorithms",
 * CACM 18(4), 1975).
 *
 *     bench_event_queue      prints the table; exit code 1 when a bar is missed
 *
 * Delays come from a table of 2^16 made beforehand, so that queues are measured and not logarithms.
 * Seconds are the processor's, so that other programs on the machine count less.
 * All structures must pop the same events in the same order. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/base/arena.h"
#include "sim/engine/event_queue.h"
#include "tests/bench/radix2_queue.h"
#include "tests/support/heap_queue.h"

enum { DELAYS = 1 << 16, HOLDS = 4000000, ROUNDS = 3 };

/* Uniform numbers in [0, 1), always the same (Marsaglia, "Xorshift RNGs", 2003). */
static double uniform(void)
{
    static uint64_t state = UINT64_C(88172645463325252);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

static double exponential(void)
{
    return -log1p(-uniform());
}

/* Nine of ten delays are a ten-thousandth of the tenth, like steps compared with provisioning. */
static double bimodal(void)
{
    return exponential() * (uniform() < 0.9 ? 1e-4 : 1);
}

/* On a grid of 10,000 times: many at once. */
static double grid(void)
{
    return floor(uniform() * 1e4) * 1e-4;
}

static const struct {
    const char *name;
    double (*delay_s)(void);
    bool has_bars;
} distributions[] = {
    {"exponential", exponential, true}, {"bimodal", bimodal, false}, {"grid", grid, false}};

static const struct {
    int64_t pending;
    double bar_per_s;
} sizes[] = {{1000, 25e6}, {100000, 20e6}, {1000000, 15e6}};

static int64_t delays_ns[DELAYS];

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct {
    double seconds;
    uint64_t order; /* a hash of the popped events */
} Held;

/* One function per structure, so that each queue is called directly. Before the clock starts every
 * event has been held twice over. */
#define HOLD(name, Queue, create, push, pop)                                                       \
    static Held name(int64_t pending)                                                              \
    {                                                                                              \
        Arena *run = arena_create();                                                               \
        Queue *queue = create;                                                                     \
        uint32_t draw = 0;                                                                         \
        for (int64_t i = 0; i < pending; i++)                                                      \
            push(queue, (Event){.at_ns = delays_ns[draw++ % DELAYS], .subject = (uint32_t)i});     \
        Held held = {0, 0};                                                                        \
        double begin_s = 0;                                                                        \
        for (int64_t i = -2 * pending; i < HOLDS; i++) {                                           \
            if (i == 0)                                                                            \
                begin_s = clock_s();                                                               \
            Event event = {0};                                                                     \
            pop(queue, &event);                                                                    \
            held.order = held.order * 31 + (uint64_t)event.at_ns + event.subject;                  \
            event.at_ns += delays_ns[draw++ % DELAYS];                                             \
            push(queue, event);                                                                    \
        }                                                                                          \
        held.seconds = clock_s() - begin_s;                                                        \
        arena_destroy(run);                                                                        \
        return held;                                                                               \
    }

HOLD(hold_event_queue, EventQueue, event_queue_create(run), event_queue_push, event_queue_pop)
HOLD(hold_radix2, Radix2Queue, radix2_queue_create(run), radix2_queue_push, radix2_queue_pop)
HOLD(hold_heap, HeapQueue, heap_queue_create(run, pending), heap_queue_push, heap_queue_pop)

/* The first is trainyard's own: the bars are its, the others' order is compared with its. */
static const struct {
    const char *name;
    Held (*hold)(int64_t pending);
} structures[] = {{"radix heap of 6 bits, sorted front (ours)", hold_event_queue},
                  {"radix heap of 1 bit", hold_radix2},
                  {"4-ary heap", hold_heap}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static Held best_of_rounds(Held (*hold)(int64_t pending), int64_t pending)
{
    Held best = hold(pending);
    for (int32_t round = 1; round < ROUNDS; round++) {
        Held again = hold(pending);
        if (again.seconds < best.seconds)
            best = again;
    }
    return best;
}

/* One line per structure. False when ours misses its bar or another pops in another order. */
static bool size_is_met(size_t distribution, size_t size)
{
    int64_t pending = sizes[size].pending;
    bool is_met = true;
    uint64_t order = 0;
    for (size_t i = 0; i < COUNT(structures); i++) {
        Held held = best_of_rounds(structures[i].hold, pending);
        double per_s = HOLDS / held.seconds;
        printf("%-11s %9" PRId64 "  %-42s %6.1f %8.1f", distributions[distribution].name, pending,
               structures[i].name, per_s * 1e-6, 1e9 / per_s);
        if (i == 0) {
            order = held.order;
            is_met = !distributions[distribution].has_bars || per_s >= sizes[size].bar_per_s;
            if (distributions[distribution].has_bars)
                printf("  %s (%.0f)", is_met ? "met" : "MISSED", sizes[size].bar_per_s * 1e-6);
        }
        printf("%s\n", held.order == order ? "" : "  ANOTHER ORDER");
        is_met = is_met && held.order == order;
    }
    return is_met;
}

int main(void)
{
    bool is_met = true;
    printf("%-11s %9s  %-42s %6s %8s  %s\n", "delays", "pending", "structure", "M/s", "ns/hold",
           "bar (M/s)");
    for (size_t i = 0; i < COUNT(distributions); i++) {
        for (int32_t j = 0; j < DELAYS; j++)
            delays_ns[j] = (int64_t)(distributions[i].delay_s() * 1e9);
        for (size_t j = 0; j < COUNT(sizes); j++)
            is_met = size_is_met(i, j) && is_met;
    }
    return is_met ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The hold model: N events pending; again and again the earliest is popped and one is pushed an
 * exponential delay after it (Vaucher and Duval, "A comparison of simulation event list
 * algorithms", CACM 18(4), 1975).
 *
 *     bench_event_queue            the table; exit code 1 when a bar is missed
 *
 * Delays come from a table of 2^16 made beforehand, so that the queues are measured and not the
 * logarithm. Every queue must pop the same events in the same order: the table's last column is a
 * sum over what came out. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/base/arena.h"
#include "sim/core/event_queue.h"
#include "tests/support/heap_queue.h"
#include "tests/bench/radix2_queue.h"

enum { DELAYS = 1 << 16, ROUNDS = 5 };

static const struct {
    int64_t pending;
    double bar_per_s;
} sizes[] = {{1000, 25e6}, {100000, 20e6}, {1000000, 15e6}};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), HOLDS = 10000000 };

static int64_t delays_ns[DELAYS];

static void delays_fill(void)
{
    uint64_t state = UINT64_C(88172645463325252);
    for (int32_t i = 0; i < DELAYS; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        delays_ns[i] = (int64_t)(-log1p(-(double)(state >> 11) * 0x1p-53) * 1e9);
    }
}

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct {
    double seconds;
    uint64_t sum;
} Held;

/* One loop per structure, so that each is called directly. */
#define HOLD(name, Queue, create, push, pop)                                                       \
    static Held name(int64_t pending)                                                              \
    {                                                                                              \
        Arena *run = arena_create();                                                               \
        Queue *queue = create;                                                                     \
        uint32_t draw = 0;                                                                         \
        for (int64_t i = 0; i < pending; i++)                                                      \
            push(queue, (Event){.at_ns = delays_ns[draw++ % DELAYS], .subject = (uint32_t)i});     \
        Held held = {0, 0};                                                                        \
        Event event;                                                                               \
        double begin_s = 0;                                                                        \
        for (int64_t i = -2 * pending; i < HOLDS; i++) { /* warms up for twice round */            \
            if (i == 0)                                                                            \
                begin_s = clock_s();                                                               \
            pop(queue, &event);                                                                    \
            held.sum = held.sum * 31 + (uint64_t)event.at_ns + event.subject;                      \
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

static const struct {
    const char *name;
    Held (*hold)(int64_t pending);
} structures[] = {{"event_queue (radix 64, sorted front)", hold_event_queue},
                  {"radix 2", hold_radix2},
                  {"4-ary heap", hold_heap}};
enum { STRUCTURES = sizeof(structures) / sizeof(structures[0]) };

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

int main(void)
{
    delays_fill();
    bool is_met = true;
    printf("%-38s %9s %10s %8s %8s\n", "hold model, best of 5", "pending", "Mevents/s", "ns/hold",
           "bar");
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < STRUCTURES; j++) {
            Held held = best_of_rounds(structures[j].hold, sizes[i].pending);
            double per_s = HOLDS / held.seconds;
            printf("%-38s %9" PRId64 " %10.1f %8.1f", structures[j].name, sizes[i].pending,
                   per_s * 1e-6, 1e9 / per_s);
            if (j == 0) {
                sum = held.sum;
                is_met = is_met && per_s >= sizes[i].bar_per_s;
                printf(" %5.0f %s", sizes[i].bar_per_s * 1e-6,
                       per_s >= sizes[i].bar_per_s ? "met" : "MISSED");
            }
            printf("%s\n", held.sum == sum ? "" : "  ANOTHER ORDER");
            is_met = is_met && held.sum == sum;
        }
    }
    return is_met ? EXIT_SUCCESS : EXIT_FAILURE;
}

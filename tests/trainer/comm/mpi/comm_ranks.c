/* One rank of a test of communication. `mpirun -n N comm_ranks WORD NAME CASE...` runs the cases
 * one after another with comm_open(WORD), which must be the communication NAME.
 * tests/trainer/comm/mpi/run.sh starts it. A check that fails ends all ranks with exit code 1, so
 * that no rank waits for a failed one. */
#include <math.h>
#ifdef TRAINYARD_HAVE_MPI
#include <mpi.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/base/memory.h"
#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "trainer/comm/comm.h"
#include "trainer/record/timeline.h"

static Comm *comm;
static const char *expected_name;
static int32_t rank, size;

static void check_at(bool holds, const char *condition, int line)
{
    if (holds)
        return;
    fprintf(stderr, "comm_ranks.c:%d: rank %d of %d: failed: %s\n", line, rank, size, condition);
    comm_abort(comm, 1);
}
#define CHECK(condition) check_at(condition, #condition, __LINE__)

/* A call that must succeed. */
static void fine_at(bool done, const Status *status, int line)
{
    if (!done)
        check_at(false, status->message, line);
}
#define FINE(call) fine_at(call, &status, __LINE__)

static void sleep_ns(int64_t ns)
{
    struct timespec left = {.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
    while (nanosleep(&left, &left) != 0)
        continue;
}

/* A pseudo-random value of any rank, computed without a message. It uses the mixing function of
 * splitmix64 (Steele, Lea and Flood, OOPSLA 2014), because it is fast. */
static uint32_t word_of(int32_t of_rank, int32_t use, int64_t i)
{
    uint64_t word = (uint64_t)i + ((uint64_t)of_rank << 48) + ((uint64_t)use << 40);
    word += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(word >> 32);
}

/* --- Twins: several ranks give the results of one process --- */

/* Whole numbers up to 255, whose sums a float holds exactly. */
static float whole(int32_t of_rank, int64_t i)
{
    return (float)(word_of(of_rank, 0, i) >> 24);
}

static void check_sum_of(Comm *alone, int64_t count)
{
    Status status;
    float *mine = memory_zeroed((size_t)count * sizeof *mine + 1);
    float *twin = memory_zeroed((size_t)count * sizeof *twin + 1);
    for (int64_t i = 0; i < count; i++) {
        mine[i] = whole(rank, i);
        for (int32_t r = 0; r < size; r++)
            twin[i] += whole(r, i);
    }
    FINE(comm_sum(comm, mine, count, &status));
    FINE(comm_sum(alone, twin, count, &status));
    CHECK(memcmp(mine, twin, (size_t)count * sizeof *mine) == 0);
    free(mine);
    free(twin);
}

static void check_sums(Comm *alone)
{
    static const int64_t counts[] = {0, 1, 2, 3, 5, 17, 1000, 65537, 1250858};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        check_sum_of(alone, counts[i]);
    Status status;
    double mine[3], twin[3] = {0};
    for (int32_t i = 0; i < 3; i++) {
        mine[i] = (double)whole(rank, i) / 256;
        for (int32_t r = 0; r < size; r++)
            twin[i] += (double)whole(r, i) / 256;
    }
    FINE(comm_sum_doubles(comm, mine, 3, &status));
    FINE(comm_sum_doubles(alone, twin, 3, &status));
    for (int32_t i = 0; i < 3; i++)
        CHECK(mine[i] == twin[i]);
}

static void check_min(Comm *alone)
{
    Status status;
    int64_t mine = INT64_C(1) << 40, twin = INT64_MAX;
    mine = rank == size - 1 ? -mine : mine + rank;
    for (int32_t r = 0; r < size; r++) {
        int64_t of_rank = INT64_C(1) << 40;
        of_rank = r == size - 1 ? -of_rank : of_rank + r;
        twin = of_rank < twin ? of_rank : twin;
    }
    FINE(comm_min(comm, &mine, &status));
    FINE(comm_min(alone, &twin, &status));
    CHECK(mine == twin);
}

static void check_broadcast(Comm *alone)
{
    enum { BYTES = 100003 };
    static uint8_t mine[BYTES], twin[BYTES];
    Status status;
    for (int64_t i = 0; i < BYTES; i++) {
        mine[i] = (uint8_t)word_of(rank, 1, i);
        twin[i] = (uint8_t)word_of(0, 1, i);
    }
    FINE(comm_broadcast(comm, mine, BYTES, &status));
    FINE(comm_broadcast(alone, twin, BYTES, &status));
    CHECK(memcmp(mine, twin, BYTES) == 0);
}

static void check_gather(Comm *alone)
{
    enum { EACH = 1001, RANKS_MAX = 64 };
    static uint8_t mine[EACH], all[EACH * RANKS_MAX], twin[EACH];
    Status status;
    CHECK(size <= RANKS_MAX);
    for (int64_t i = 0; i < EACH; i++)
        mine[i] = (uint8_t)word_of(rank, 2, i);
    FINE(comm_gather(comm, mine, EACH, rank == 0 ? all : NULL, &status));
    FINE(comm_gather(alone, mine, EACH, twin, &status));
    CHECK(memcmp(mine, twin, EACH) == 0);
    for (int64_t i = 0; rank == 0 && i < (int64_t)EACH * size; i++)
        CHECK(all[i] == (uint8_t)word_of((int32_t)(i / EACH), 2, i % EACH));
}

static void run_twins(void)
{
    Arena *arena = arena_create();
    Status status;
    Comm *alone;
    FINE(comm_open("local", arena, &alone, &status));
    check_sums(alone);
    check_min(alone);
    check_broadcast(alone);
    check_gather(alone);
    FINE(comm_barrier(comm, &status));
    comm_close(alone);
    arena_destroy(arena);
}

/* --- The ranks, and those of this machine --- */

static void run_places(void)
{
    Status status;
    CHECK(strcmp(comm_name(comm), expected_name) == 0);
    CHECK(comm_local_size(comm) == size && comm_local_rank(comm) == rank);
    CHECK(comm_local_cores(comm) >= 1);
    int64_t fewest = comm_local_cores(comm);
    FINE(comm_min(comm, &fewest, &status));
    CHECK(fewest == comm_local_cores(comm));
}

/* No rank leaves a barrier before the last one reaches it. */
static void run_barrier(void)
{
    Status status;
    for (int32_t late = 0; late < size; late++) {
        FINE(comm_barrier(comm, &status));
        if (rank == late)
            sleep_ns(NS_PER_S / 20);
        int64_t came_ns = machine_clock_ns();
        FINE(comm_barrier(comm, &status));
        int64_t left_ns = machine_clock_ns();
        int64_t last_came = -came_ns, first_left = left_ns;
        FINE(comm_min(comm, &last_came, &status));
        FINE(comm_min(comm, &first_left, &status));
        CHECK(first_left >= -last_came);
    }
}

/* MPI is not initialised if ranks were not launched. */
static void run_alone(void)
{
    int is_started = 0;
#ifdef TRAINYARD_HAVE_MPI
    MPI_Initialized(&is_started);
#endif
    CHECK(!is_started && size == 1 && strcmp(comm_name(comm), expected_name) == 0);
}

/* --- The same bits again --- */

/* Values of all magnitudes, so that another order of the sum gives other bits. */
static void fill_random(float *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint32_t word = word_of(rank, 3, i);
        values[i] = ldexpf((float)(word >> 8) - 8388608.0f, (int)(word % 32) - 32);
    }
}

static void run_repeats(void)
{
    enum { COUNT = 100003, TIMES = 12 };
    Status status;
    float *drawn = memory_zeroed(COUNT * sizeof *drawn);
    float *sum = memory_zeroed(COUNT * sizeof *sum);
    uint64_t first = 0;
    fill_random(drawn, COUNT);
    for (int32_t i = 0; i < TIMES; i++) {
        sleep_ns((int64_t)(word_of(rank, 4, i) % 4) * NS_PER_MS); // ranks arrive in any order
        memcpy(sum, drawn, COUNT * sizeof *sum);
        FINE(comm_sum(comm, sum, COUNT, &status));
        uint64_t hash = bytes_hash(HASH_START, sum, COUNT * sizeof *sum);
        first = i == 0 ? hash : first;
        CHECK(hash == first);
    }
    uint64_t of_rank_0 = first;
    FINE(comm_broadcast(comm, &of_rank_0, sizeof of_rank_0, &status));
    CHECK(first == of_rank_0);
    if (rank == 0)
        printf("sum %016llx\n", (unsigned long long)first); // run.sh compares two runs
    free(drawn);
    free(sum);
}

/* --- Late ranks --- */

typedef struct {
    int32_t expected; /* the rank that sleeps */
    int32_t calls, calls_with_it;
    int32_t last_count, last_rank;
    int64_t waited_ns;
} Heard;

static void hear(void *listener, int64_t waited_ns, const int32_t *late, int32_t late_count)
{
    Heard *heard = listener;
    CHECK(late_count >= 1 && waited_ns > heard->waited_ns);
    for (int32_t i = 0; i < late_count; i++)
        heard->calls_with_it += late[i] == heard->expected;
    heard->calls++;
    heard->last_count = late_count;
    heard->last_rank = late[0];
    heard->waited_ns = waited_ns;
}

/* All ranks reach a step, rank `late` a second after the others. The stall time is 0.2 s. */
static Heard step_with_late(int64_t step, int32_t late, int64_t *ready_ns)
{
    Status status;
    float gradient = 1;
    Heard heard = {.expected = late};
    FINE(comm_barrier(comm, &status));
    comm_watch_stalls(comm, NS_PER_S / 5, hear, &heard);
    if (rank == late)
        sleep_ns(NS_PER_S);
    FINE(comm_ready(comm, step, ready_ns, &status));
    FINE(comm_sum(comm, &gradient, 1, &status));
    CHECK(gradient == (float)size);
    return heard;
}

/* On a busy machine other ranks may be late by chance. The sleeping rank is always among the
 * reported ranks, and the last of them. */
static void check_heard(const Heard *heard)
{
    CHECK(heard->calls >= 2 && heard->calls <= 5 + 50);
    CHECK(heard->calls_with_it == heard->calls);
    CHECK(heard->last_count == 1 && heard->last_rank == heard->expected);
    CHECK(heard->waited_ns >= 2 * (NS_PER_S / 5));
}

static void run_stalls(void)
{
    int64_t ready_ns[64] = {0};
    CHECK(size >= 2 && size <= 64);
    int64_t begin_ns = machine_clock_ns();
    Heard heard = step_with_late(0, size - 1, ready_ns);
    if (rank == 0) {
        check_heard(&heard);
        for (int32_t r = 0; r < size; r++)
            CHECK(ready_ns[r] >= begin_ns && ready_ns[r] <= machine_clock_ns());
        CHECK(ready_ns[size - 1] - ready_ns[0] >= NS_PER_S / 2);
    } else {
        CHECK(heard.calls == 0 || rank == 1);
        CHECK(ready_ns[0] == 0); // only rank 0 fills it
    }
    heard = step_with_late(1, 0, NULL);
    if (rank == 1)
        check_heard(&heard);
    comm_watch_stalls(comm, NS_PER_S / 5, NULL, NULL);
}

/* No rank is reported if all are in time. Works for many steps, without a listener and without
 * times. */
static void run_steps(void)
{
    enum { STEPS = 500 };
    Status status;
    int64_t ready_ns[64];
    Heard heard = {.expected = -1};
    comm_watch_stalls(comm, 60 * NS_PER_S, hear, &heard);
    for (int64_t step = 0; step < STEPS; step++) {
        double one = 1;
        FINE(comm_ready(comm, step, step % 2 == 0 ? ready_ns : NULL, &status));
        FINE(comm_sum_doubles(comm, &one, 1, &status));
        CHECK(one == size);
    }
    CHECK(heard.calls == 0);
}

static void run_other_step(void)
{
    Status status = {0};
    char expected[80];
    if (rank > 1) { // not part of the check, but must not end before ranks 0 and 1
        sleep_ns(2 * NS_PER_S);
        return;
    }
    bool is_ready = comm_ready(comm, rank == 1 ? 8 : 7, NULL, &status);
    CHECK(!is_ready && status.code == STATUS_MACHINE);
    snprintf(expected, sizeof expected, "rank %d is at step %d, rank %d at step %d", 1 - rank,
             rank == 1 ? 7 : 8, rank, rank == 1 ? 8 : 7);
    CHECK(strcmp(status.message, expected) == 0);
}

/* --- Failures --- */

static void run_refusals(void)
{
    Status status = {0};
    float value;
    uint8_t byte = 0;
    CHECK(!comm_sum(comm, &value, INT64_C(2147483648), &status));
    CHECK(status.code == STATUS_MACHINE && strstr(status.message, "2147483647"));
    CHECK(!comm_broadcast(comm, &byte, INT64_C(2147483648), &status));
    CHECK(!comm_gather(comm, &byte, INT64_C(2147483648), &byte, &status));
}

/* Errors of MPI are returned as a Status instead of ending the program. */
static void run_errors(void)
{
    Status status = {0};
    double value = 0;
    bool done = comm_sum_doubles(comm, &value, -1, &status);
    CHECK(!done && status.code == STATUS_MACHINE);
    CHECK(strstr(status.message, "MPI_Allreduce") && strstr(status.message, "MPI_ERR_COUNT"));
}

/* The last rank calls comm_abort; the others wait for it and must be ended. */
static void run_abort(void)
{
    Status status;
    if (rank == size - 1) {
        printf("said before the end"); // without a newline: still in the buffer
        comm_abort(comm, 42);
    }
    FINE(comm_barrier(comm, &status));
    check_at(false, "ended in the barrier", __LINE__);
}

static void run_lost(void)
{
    enum { COUNT = 1250858 };
    Status status;
    float *values = memory_zeroed(COUNT * sizeof *values);
    FINE(comm_sum(comm, values, COUNT, &status));
    if (rank == size - 1)
        raise(SIGKILL);
    // Not FINE: the rank may notice the loss, or its launcher may end it first. It must not hang.
    bool done = comm_ready(comm, 1, NULL, &status) && comm_sum(comm, values, COUNT, &status);
    CHECK(!done);
    fprintf(stderr, "%s\n", status.message);
    comm_abort(comm, 3);
}

typedef struct {
    const char *name;
    void (*run)(void);
} Case;

static const Case cases[] = {
    {"twins", run_twins},
    {"places", run_places},
    {"barrier", run_barrier},
    {"alone", run_alone},
    {"repeats", run_repeats},
    {"stalls", run_stalls},
    {"steps", run_steps},
    {"refusals", run_refusals},
    {"errors", run_errors},
    {"other_step", run_other_step},
    {"abort", run_abort},
    {"lost", run_lost},
    {NULL, NULL},
};

static void run_case(const char *name)
{
    const Case *chosen = cases;
    while (chosen->name && strcmp(chosen->name, name) != 0)
        chosen++;
    CHECK(chosen->name);
    chosen->run();
}

int main(int argc, char **argv)
{
    Arena *arena = arena_create();
    Status status;
    int exit_code = EXIT_SUCCESS;
    if (argc >= 4 && comm_open(argv[1], arena, &comm, &status)) {
        expected_name = argv[2];
        rank = comm_rank(comm);
        size = comm_size(comm);
        for (int i = 3; i < argc; i++)
            run_case(argv[i]);
        comm_close(comm);
    } else {
        fprintf(stderr, "comm_ranks: %s\n", argc < 4 ? "WORD NAME CASE..." : status.message);
        exit_code = 3;
    }
    arena_destroy(arena);
    return exit_code;
}

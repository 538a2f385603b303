#define _GNU_SOURCE // MAP_ANONYMOUS
/* The emulator on a disk that fails (disk.h), driven by clients that know what was acknowledged.
 *
 *     emu_faults [--network] [--first SEED] [--seeds N] [--seconds S] [--jobs N] [--verbose]
 *
 * Each seed is one life of a state folder: rounds of requests, each ended by a commit, as the
 * server does; power cuts at any change of any file, also while the emulator starts again; EIO and
 * ENOSPC, short reads and writes; disks that acknowledge fsync and lose it; bits that flip. Answers
 * may be lost with the connection. After each start, all files and groups are read. Acknowledged
 * writes must be there, a round that was under way completely or not at all, and bytes that were
 * never written must not. Jumps of the clock are undone: groups are then what they were before. A
 * disk that acknowledges an fsync without it may have lost any page of the database: the emulator
 * must start, recover, or say why it cannot.
 *
 * With --network the server serves clients of a simulated network (network.h).
 *
 * No thread and no clock takes part, so a seed repeats its failure. Prints "N passed, M
 * failed"; exit code 1 with the seeds that failed. */
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "tests/emu/faults/clients.h"
#include "tests/emu/faults/disk.h"
#include "tests/emu/faults/life.h"
#include "tests/emu/faults/network.h"
#include "tests/support/theory.h"

enum { ROUNDS = 6, REQUESTS_MAX = 4 };

/* --- Rounds --- */

/* After a start: what is there? */
static void find_out(void)
{
    if (life.has_failed || !life.emulator)
        return;
    if (life.is_doubtful && life.kind == DISK_FLIPS)
        clients_settle();
    if (life.is_doubtful && clients_check(&life.doubt, true)) {
        const bool is_certain =
            clients_agree_on_jumps(&life.doubt, &life.known) || !clients_check(&life.known, true);
        life.known = life.doubt;
        if (!is_certain) // both are as found, and only an undo would show the difference
            life.known.jump_count = -1;
    } else
        clients_check(&life.known, false);
    life.is_doubtful = false;
    if (life.has_lied)
        clients_adopt();
    life.has_lied = false;
}

/* Ends the process: by a power cut, or after a commit that has failed. */
static void restart(bool is_cut)
{
    life_restart(is_cut);
    find_out();
}

/* Requests and their commit. */
static void one_round(void)
{
    Status status = {0};
    life_set_faults(4);
    life.machine_ns += disk_draw(4) == 0 ? 2 * NS_PER_S : NS_PER_MS;
    emulator_tick(life.emulator, life.machine_ns, CLIENTS_UNIX_MS);
    life.doubt = life.known;
    life.is_doubtful = true;
    for (uint64_t i = 1 + disk_draw(REQUESTS_MAX);
         i > 0 && !disk_is_cut() && !life.has_failed && !emulator_is_over(life.emulator); i--)
        clients_ask(&life.doubt);
    const bool is_kept =
        !store_is_dirty(life.emulator->store) || emulator_commit(life.emulator, &status);
    const bool is_cut = disk_is_cut();
    if (!is_kept || is_cut)
        life.has_failed = false; // no answer of this round is sent
    life_say("commit: %s%s", is_kept ? "ok" : status.message, is_cut ? " (cut)" : "");
    disk_set((DiskFaults){0});
    if (!is_kept && !is_cut && life.may_be_damaged)
        life.is_damaged = life.has_lied = true; // which no start has noticed: it asks for --recover
    else if (!is_kept && !is_cut && life.kind != DISK_FAILS)
        life_fail("a commit has failed: %s", status.message);
    if (is_kept && !is_cut) {
        life.known = life.doubt;
        life.is_doubtful = false;
    }
    if (!is_kept || is_cut || emulator_is_over(life.emulator)) {
        restart(is_cut);
    } else if (disk_draw(8) == 0) {
        if (disk_draw(4) == 0)
            life_rest();
        restart(disk_is_cut() || disk_draw(2) == 0);
    }
    arena_reset(life.request);
}

/* --- A life --- */

/* The line that is printed if a signal ends the present life. */
static char signal_line[80];

static void name_seed(int signal_number)
{
    (void)!write(STDOUT_FILENO, signal_line, strlen(signal_line));
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Whether the seed has passed. */
static bool live(uint64_t seed, bool has_network, uint64_t *history)
{
    snprintf(signal_line, sizeof signal_line, "seed %" PRIu64 " failed: ended by a signal\n", seed);
    life_begin(seed, has_network);
    if (has_network && life.emulator)
        network_live();
    for (int i = 0; i < ROUNDS && !has_network && !life.has_failed && life.emulator; i++)
        one_round();
    if (life.emulator && !life.has_failed)
        restart(true);
    *history = disk_history();
    life_end();
    if (life.has_failed)
        printf("seed %" PRIu64 " failed: %s\n", seed, life.failure);
    fflush(stdout);
    return !life.has_failed;
}

/* --- The program --- */

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef struct {
    uint64_t first, seeds, jobs;
    double seconds;
    bool has_network;
} Options;

static bool read_options(int argc, char **argv, Options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--verbose") == 0) {
            life.is_verbose = true;
            continue;
        }
        if (strcmp(argv[i], "--network") == 0) {
            options->has_network = true;
            continue;
        }
        if (strcmp(argv[i], "--first") == 0)
            options->first = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--seeds") == 0)
            options->seeds = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--jobs") == 0)
            options->jobs = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0)
            options->seconds = strtod(value, NULL);
        else
            return false;
        i++;
    }
    return options->jobs > 0;
}

/* Every `jobs`th seed from this one on. */
static void work(const Options *options, uint64_t first, volatile uint64_t counts[2])
{
    uint64_t history = 0;
    const double begin_s = now_s();
    for (uint64_t seed = first;
         seed < options->first + options->seeds && now_s() - begin_s < options->seconds;
         seed += options->jobs)
        counts[live(seed, options->has_network, &history) ? 0 : 1]++;
    if (options->seeds == 1)
        printf("history %016" PRIx64 "\n", history);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    Options options = {.jobs = 2, .seconds = 1e9};
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr,
                "usage: %s [--network] [--first SEED] [--seeds N] [--seconds S] [--jobs N] "
                "[--verbose]\n",
                argv[0]);
        return 2;
    }
    if (options.seeds == 0)
        options.seeds = (uint64_t)case_count(options.has_network ? 500 : 2000);
    // Memory of one life is used again for the next: giving it back took half of the time.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (access("/dev/shm", W_OK) == 0) // where files are made faster than on a real disk
        setenv("TMPDIR", "/dev/shm", 0);
    signal(SIGABRT, name_seed);
    signal(SIGSEGV, name_seed);
    if (!life.is_verbose && !freopen("/dev/null", "w", stderr)) // damage that the seeds make
        return 3;
    uint64_t(*const counts)[2] = mmap(NULL, options.jobs * sizeof *counts, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const double begin_s = now_s();
    for (uint64_t i = 0; i < options.jobs; i++)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            work(&options, options.first + i, counts[i]);
            _exit(0);
        }
    uint64_t passed = 0, failed = 0;
    int state;
    while (wait(&state) > 0)
        failed += state != 0; // it has named the seed
    for (uint64_t i = 0; i < options.jobs; i++) {
        passed += counts[i][0];
        failed += counts[i][1];
    }
    printf("%.1f s\n%" PRIu64 " passed, %" PRIu64 " failed\n", now_s() - begin_s, passed, failed);
    return failed > 0;
}

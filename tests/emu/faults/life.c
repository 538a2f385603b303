#define _GNU_SOURCE // RTLD_NEXT
#include "tests/emu/faults/life.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "tests/emu/faults/clients.h"
#include "tests/emu/faults/disk.h"
#include "tests/emu/faults/network.h"
#include "tests/support/temporary_folder.h"

const char *life_folder(const char *name)
{
    return arena_printf(life.arena, "%s/%s", life.root, name);
}

/* False with the first problem in `why`. */
static bool open_emulator(bool recovers, char *why, size_t room)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    const EmulatorSettings settings = {.storage_suffix = "core.windows.net",
                                       .addresses = {"127.0.0.1:8443", "127.0.0.1:8080", ""},
                                       .recovers = recovers,
                                       .snapshot_entries = life.snapshot_entries};
    life.emulator = emulator_open(life.arena, life_folder("disk/state"),
                                  life_folder("scenario.json"), (ScenarioOverrides){0}, &settings,
                                  (Clock){.kind = CLOCK_MANUAL}, &problems, &warnings);
    snprintf(why, room, "%s", problems.count > 0 ? problems.items[0].message : "");
    arena_destroy(arena);
    if (!life.emulator)
        return false;
    emulator_tick(life.emulator, ++life.machine_ns, CLIENTS_UNIX_MS);
    return true;
}

static bool is_from_snapshot(void)
{
    return life.emulator->snapshots.used.image.bytes > 0;
}

static DiskFaults faults_of_kind(void)
{
    DiskFaults faults = {0};
    if (life.kind == DISK_FAILS)
        faults = (DiskFaults){.errors = disk_draw(4) == 0 ? 0.05 : 0.005, .shorts = 0.02};
    if (life.kind == DISK_LIES)
        faults.lies = 0.3;
    return faults;
}

/* Acknowledged writes may be lost after a power cut of a disk that acknowledges syncs falsely. */
static void power_lost(void)
{
    if (life.kind == DISK_LIES)
        life.has_lied = life.may_be_damaged = true;
}

/* Opens the emulator again, on a disk that may fail while it does. In the end it must open. */
static void open_again(void)
{
    char why[400];
    bool is_given_up = false; // such a disk may have lost the scenario itself
    for (int attempt = 0; !life.emulator && !life.has_failed && !is_given_up; attempt++) {
        DiskFaults faults = {0};
        if (attempt < 3 && disk_draw(3) == 0) {
            faults = faults_of_kind();
            faults.cut_at = disk_draw(2) == 0 ? 1 + (int64_t)disk_draw(20) : 0;
        }
        disk_set(faults);
        const bool is_open = open_emulator(life.is_damaged, why, sizeof why);
        const bool is_cut = disk_is_cut();
        life_say("open: %s%s", is_open ? "ok" : why, is_cut ? " (cut)" : "");
        disk_set((DiskFaults){0});
        if (is_open && !is_cut && life.is_damaged)
            life.is_damaged = life.may_be_damaged = false; // recovered
        if (is_cut) {
            emulator_close(life.emulator);
            life.emulator = NULL;
            power_lost();
            disk_restart();
        } else if (!is_open && life.has_lied) {
            is_given_up = !open_emulator(true, why, sizeof why);
            if (is_given_up && strstr(why, "malformed"))
                life_fail("it does not recover: %s", why);
        } else if (!is_open && faults.errors == 0) {
            life_fail("it does not open: %s", why);
        }
    }
}

static void fail_difference(const char *restored, const char *replayed)
{
    enum { BEFORE = 100 };
    size_t at = 0;
    while (restored[at] == replayed[at])
        at++;
    at = at > BEFORE ? at - BEFORE : 0;
    life_fail("a start from a snapshot differs from one from the journal:\n%.200s\n--- and\n%.200s",
              restored + at, replayed + at);
}

/* The emulator started from a snapshot: without it, the journal must lead to the same. */
static void compare_with_journal(void)
{
    char why[400];
    Text restored = {0}, replayed = {0};
    clients_describe(&restored);
    emulator_close(life.emulator);
    (void)disk_flip("/snapshot-");
    if (!open_emulator(false, why, sizeof why)) {
        life_fail("it does not open with a damaged snapshot: %s", why);
        return;
    }
    clients_describe(&replayed);
    life_say("snapshot: %zu bytes, %s", restored.length,
             is_from_snapshot() ? "and the other file was damaged" : "as from the journal");
    if (strcmp(text_string(&restored), text_string(&replayed)) != 0)
        fail_difference(text_string(&restored), text_string(&replayed));
    text_free(&restored);
    text_free(&replayed);
}

void life_rest(void)
{
    disk_set((DiskFaults){.cut_at = disk_draw(3) == 0 ? 1 + (int64_t)disk_draw(20) : 0});
    snapshots_rest(life.emulator, true);
    life_say("snapshot written%s", disk_is_cut() ? " (cut)" : "");
    disk_set((DiskFaults){0});
}

void life_restart(bool is_cut)
{
    if (is_cut) {
        disk_cut();
        power_lost();
    }
    emulator_close(life.emulator);
    life.emulator = NULL;
    if (is_cut)
        disk_restart();
    if (life.kind == DISK_FLIPS && disk_draw(2) == 0)
        (void)disk_flip("/contents/");
    open_again();
    // The journal does not have the warnings about damaged contents.
    if (life.emulator && !life.has_failed && is_from_snapshot() && disk_draw(2) == 0 &&
        !life.may_be_damaged && life.kind != DISK_FLIPS)
        compare_with_journal();
}

void life_set_faults(uint64_t cut_in)
{
    DiskFaults faults = faults_of_kind();
    if (disk_draw(cut_in) == 0)
        faults.cut_at = 1 + (int64_t)disk_draw(40);
    disk_set(faults);
}

void life_begin(uint64_t seed, bool has_network)
{
    static const char scenario[] =
        "{\"trainyard\": 1, \"seed\": 7, \"region\": \"eastus\", \"catalog\": "
        "[\"" TRAINYARD_SOURCE_DIR
        "/tests/emu/faults/catalog.json\"], \"storage\": [{\"account\": \"acct\", \"shares\": "
        "[{\"name\": \"share\"}]}], \"commands\": []}";
    char why[400];
    const bool is_verbose = life.is_verbose;
    memset(&life, 0, sizeof life);
    life.is_verbose = is_verbose;
    life.seed = seed;
    life.kind = (DiskKind)(seed % (has_network ? DISK_LIES : DISK_KINDS));
    life.arena = arena_create();
    life.request = arena_create();
    life.root = temporary_folder_create(life.arena);
    temporary_file_write(life.root, "scenario.json", scenario, sizeof scenario - 1);
    if (!folder_create(life_folder("disk"), &(Status){0}))
        abort();
    network_seed(seed);
    disk_begin(life_folder("disk"), seed);
    life.snapshot_entries = disk_draw(has_network ? 24 : 12) == 0 ? 2 + (int64_t)disk_draw(8) : 0;
    if (!open_emulator(false, why, sizeof why))
        life_fail("the first start: %s", why);
    disk_settle();
}

void life_end(void)
{
    emulator_close(life.emulator);
    disk_end();
    temporary_folder_remove(life.root);
    arena_destroy(life.request);
    arena_destroy(life.arena);
}

/* --- The emulator's child --- */

#pragma GCC visibility push(default)

/* A snapshot's process runs to its end before its parent continues. */
pid_t fork(void)
{
    siginfo_t end = {0};
    pid_t (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "fork");
    const pid_t process = real();
    if (process <= 0 || !life.emulator)
        return process;
    if (waitid(P_PID, (id_t)process, &end, WEXITED | WNOWAIT) != 0 || end.si_code != CLD_EXITED)
        life_fail("the process of a snapshot was ended by signal %d", end.si_status);
    return process;
}

#pragma GCC visibility pop

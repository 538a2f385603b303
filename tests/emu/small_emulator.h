/* An emulator of a small world with everything but sockets, for tests of handlers. */
#ifndef TESTS_EMU_SMALL_EMULATOR_H
#define TESTS_EMU_SMALL_EMULATOR_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/emulator.h"
#include "tests/support/temporary_folder.h"

typedef struct {
    Arena *arena;
    const char *folder; /* has "scenario.json", and "state" */
    Emulator *emulator;
    int64_t snapshot_entries; /* EmulatorSettings.snapshot_entries */
    Problems warnings;        /* of the last start */
} SmallEmulator;

/* Starts the emulator, or restarts it with the state in the folder. Does not use libcheck, so that
 * fuzz targets can call it. */
static inline void small_emulator_start(SmallEmulator *small)
{
    Problems problems = problems_create(small->arena), warnings = problems_create(small->arena);
    const EmulatorSettings settings = {.storage_suffix = "core.windows.net",
                                       .snapshot_entries = small->snapshot_entries,
                                       .addresses = {"127.0.0.1:8443", "127.0.0.1:8080", ""}};
    small->emulator = emulator_open(
        small->arena, arena_printf(small->arena, "%s/state", small->folder),
        arena_printf(small->arena, "%s/scenario.json", small->folder), (ScenarioOverrides){0},
        &settings, (Clock){.kind = CLOCK_MANUAL}, &problems, &warnings);
    if (!small->emulator) {
        fprintf(stderr, "small emulator: %s\n", problems.items[0].message);
        abort();
    }
    small->warnings = warnings;
    small->emulator->pace.real_unix_ms = INT64_C(1795000000000);
}

/* A world that begins at `start` in northeurope with the share "share" of `account`; any program
 * and any set-up task takes no time. */
static inline void small_emulator_open(SmallEmulator *small, const char *start, const char *account,
                                       uint64_t seed)
{
    Arena *arena = arena_create();
    const char *text = arena_printf(
        arena,
        "{\"trainyard\": 1, \"seed\": %" PRIu64 ", \"start\": \"%s\", \"region\": \"northeurope\","
        " \"catalog\": [\"%s/scenarios/catalog/azure-2018.json\"], \"resource_group\": \"base\","
        " \"storage\": [{\"account\": \"%s\", \"shares\": [{\"name\": \"share\"}]}],"
        " \"programs\": [{\"match\": \"*\", \"duration\": \"0s\"}],"
        " \"setups\": [{\"match\": \"*\", \"duration\": \"0s\"}], \"commands\": []}",
        seed, start, TRAINYARD_SOURCE_DIR, account);
    *small = (SmallEmulator){.arena = arena, .folder = temporary_folder_create(arena)};
    temporary_file_write(small->folder, "scenario.json", text, strlen(text));
    small_emulator_start(small);
}

static inline void small_emulator_remove(SmallEmulator *small)
{
    emulator_close(small->emulator);
    temporary_folder_remove(small->folder);
    arena_destroy(small->arena);
}

#endif

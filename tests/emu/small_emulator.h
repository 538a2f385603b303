/* An emulator of a small world with everything but sockets, for tests of handlers. */
#ifndef TESTS_EMU_SMALL_EMULATOR_H
#define TESTS_EMU_SMALL_EMULATOR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/emulator.h"
#include "tests/support/memory_files.h"
#include "tests/support/temporary_folder.h"

typedef struct {
    Arena *arena;
    const char *folder;
    const ScenarioFile *base;
    Emulator emulator;
} SmallEmulator;

/* How often a handler has found something unfinished. */
static int small_polls;

__attribute__((weak)) void emulator_polled(Emulator *emulator)
{
    (void)emulator;
    small_polls++;
}

__attribute__((weak)) int64_t emulator_unix_ms(const Emulator *emulator)
{
    return world_unix_ms(session_world(emulator->session), session_now_ns(emulator->session));
}

/* Not libcheck's, which fuzz targets are without. */
static inline void small_check(bool is_well, const char *message)
{
    if (is_well)
        return;
    fprintf(stderr, "small emulator: %s\n", message);
    abort();
}

/* Over what the folder has already, as after a restart. */
static inline void small_emulator_start(SmallEmulator *small)
{
    Status status = {0};
    Emulator *emulator = &small->emulator;
    emulator->store = store_open(small->folder, &status);
    small_check(emulator->store != NULL, status.message);
    emulator->files = file_store_open(small->arena, emulator->store, &status);
    small_check(emulator->files != NULL, status.message);
    *emulator->storage_secret = '\0';
}

/* NULL-ended listeners of a session are the file store alone. */
static inline void small_emulator_replay(SmallEmulator *small)
{
    Status status = {0};
    Emulator *emulator = &small->emulator;
    const SessionListener listener = {.listener = file_store_listener(emulator->files)};
    emulator->session =
        session_open(small->arena, emulator->store, small->base, &listener, 1, &status);
    small_check(emulator->session != NULL, status.message);
    file_store_watch(emulator->files, session_world(emulator->session));
}

/* A world that begins at `start` in northeurope with the share "share" of `account`; any program
 * and any set-up task takes no time. */
static inline void small_emulator_open(SmallEmulator *small, const char *start, const char *account,
                                       uint64_t seed)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    const char *text = arena_printf(
        arena,
        "{\"trainyard\": 1, \"seed\": %" PRIu64 ", \"start\": \"%s\", \"region\": \"northeurope\","
        " \"catalog\": [\"catalog/azure-2018.json\"], \"resource_group\": \"base\","
        " \"storage\": [{\"account\": \"%s\", \"shares\": [{\"name\": \"share\"}]}],"
        " \"programs\": [{\"match\": \"*\", \"duration\": \"0s\"}],"
        " \"setups\": [{\"match\": \"*\", \"duration\": \"0s\"}], \"commands\": []}",
        seed, start, account);
    MemoryFiles *files = ARENA_NEW(arena, MemoryFiles);
    *files = small_scenario(arena);
    memory_files_set(files, "scenario.json", text, strlen(text));
    *small = (SmallEmulator){.arena = arena, .folder = temporary_folder_create(arena)};
    small->base = scenario_read(arena, memory_files_source(files), "scenario.json",
                                (ScenarioOverrides){0}, &problems);
    small_check(small->base != NULL, problems.count ? problems.items[0].message : "");
    small->emulator.clock = (Clock){.kind = CLOCK_MANUAL};
    small->emulator.real_unix_ms = INT64_C(1795000000000);
    small->emulator.settings =
        (EmulatorSettings){.subscription = small->base->scenario.subscription,
                           .tenant = "11111111-1111-1111-1111-111111111111",
                           .storage_suffix = "core.windows.net",
                           .addresses = {"127.0.0.1:8443", "127.0.0.1:8080", ""}};
    small_polls = 0;
    small_emulator_start(small);
    small_emulator_replay(small);
}

static inline void small_emulator_stop(SmallEmulator *small)
{
    session_close(small->emulator.session);
    file_store_close(small->emulator.files);
    store_close(small->emulator.store);
}

static inline void small_emulator_remove(SmallEmulator *small)
{
    small_emulator_stop(small);
    temporary_folder_remove(small->folder);
    arena_destroy(small->arena);
}

#endif

/* Azure Files for one test: a file store in a folder of its own behind an emulator that has nothing
 * else. What other parts of the emulator answer stands below in a small form: two accounts with two
 * keys each, and a world that takes whatever it is told, keeping the last words. Include it in one
 * file of a program. */
#ifndef TESTS_EMU_FILES_SERVICE_H
#define TESTS_EMU_FILES_SERVICE_H

#include "emu/arm_storage.h"
#include "emu/emulator.h"
#include "emu/files_auth.h"
#include "tests/emu/files_room.h"

#define KEY_1                                                                                      \
    "68aNdLROYxC5ZW8RQBUv+6vUh3fPLOjFj5nD9fhnlr35irc/rd9jOOvDpookOxNqXPVE3YYoRnpoqD9Og2XXKQ=="
#define KEY_2                                                                                      \
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="

typedef struct {
    FilesRoom room;
    Arena *arena; /* of requests */
    Emulator emulator;
} FilesService;

/* --- What other parts answer --- */

/* 20 November 2026, 17:00:20: when the clients' signatures of appendix A were made. */
static const int64_t real_unix_ms = 1795194020000;
static int64_t simulated_unix_ms = start_unix_ms;

int64_t emulator_unix_ms(const Emulator *emulator)
{
    (void)emulator;
    return simulated_unix_ms;
}

const char *arm_storage_key(Emulator *emulator, Arena *arena, const char *account, int which)
{
    (void)emulator;
    const bool is_there = strcmp(account, "pathacct") == 0 || strcmp(account, "other") == 0;
    return is_there ? arena_strdup(arena, which == 0 ? KEY_1 : KEY_2) : NULL;
}

/* --- Life --- */

static inline FilesService service_create(void)
{
    FilesService service = {.room = room_create(), .arena = arena_create()};
    service.emulator =
        (Emulator){.settings = {.storage_suffix = "core.windows.net",
                                .addresses = {.tls = "127.0.0.1:8443", .plain = "127.0.0.1:8080"}},
                   .store = service.room.store,
                   .files = service.room.files,
                   .real_unix_ms = real_unix_ms};
    simulated_unix_ms = start_unix_ms;
    return service;
}

static inline void service_remove(FilesService *service)
{
    arena_destroy(service->arena);
    room_remove(&service->room);
}

#endif

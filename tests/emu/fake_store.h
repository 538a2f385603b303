/* A store with nothing but what the file store asks of it: a database, its transaction, and
 * descriptors to be synced before a commit. Include it in one file of a program. */
#ifndef TESTS_EMU_FAKE_STORE_H
#define TESTS_EMU_FAKE_STORE_H

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/file_store_schema.h"
#include "emu/store.h"
#include "sim/base/memory.h"

enum { FAKE_DESCRIPTORS = 64 };

struct Store {
    Arena *arena;
    const char *folder;
    sqlite3 *database;
    bool is_dirty;
    int descriptors[FAKE_DESCRIPTORS];
    int descriptor_count;
    bool has_failed;
};

static bool fake_failed(Store *store, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in("store", 0, 0), "%s",
                       store->database ? sqlite3_errmsg(store->database) : "cannot open");
}

static bool fake_run(Store *store, const char *sql, Status *status)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK ||
           fake_failed(store, status);
}

Store *store_open(const char *folder, Status *status)
{
    Store *store = memory_zeroed(sizeof *store);
    store->arena = arena_create();
    store->folder = arena_strdup(store->arena, folder);
    mkdir(folder, 0700);
    const char *path = arena_printf(store->arena, "%s/trainyard.db", folder);
    bool is_new = access(path, F_OK) != 0;
    if (sqlite3_open(path, &store->database) == SQLITE_OK &&
        fake_run(store,
                 "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;"
                 "PRAGMA synchronous = FULL",
                 status) &&
        (!is_new ||
         fake_run(store, "BEGIN;" FILE_STORE_TABLES_1 FILE_STORE_TABLES_2 "COMMIT", status)))
        return store;
    fake_failed(store, status);
    store_close(store);
    return NULL;
}

void store_close(Store *store)
{
    if (!store)
        return;
    sqlite3_close(store->database);
    arena_destroy(store->arena);
    free(store);
}

const char *store_folder(const Store *store)
{
    return store->folder;
}

bool store_is_dirty(const Store *store)
{
    return store->is_dirty;
}

bool store_begin(Store *store, Status *status)
{
    if (!store->is_dirty && !fake_run(store, "BEGIN IMMEDIATE", status))
        return false;
    store->is_dirty = true;
    return true;
}

bool store_has_room(const Store *store, int64_t bytes)
{
    (void)store, (void)bytes;
    return true;
}

static bool fake_sync(Store *store)
{
    bool is_good = true;
    for (int i = 0; i < store->descriptor_count; i++) {
        is_good = fdatasync(store->descriptors[i]) == 0 && is_good;
        close(store->descriptors[i]);
    }
    store->descriptor_count = 0;
    return is_good;
}

void store_sync_before_commit(Store *store, int descriptor)
{
    if (store->descriptor_count == FAKE_DESCRIPTORS)
        store->has_failed = !fake_sync(store) || store->has_failed;
    store->descriptors[store->descriptor_count++] = dup(descriptor);
}

bool store_commit(Store *store, Status *status)
{
    if (!store->is_dirty)
        return true;
    store->is_dirty = false;
    bool is_good = fake_sync(store) && !store->has_failed && fake_run(store, "COMMIT", status);
    if (!is_good)
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return is_good;
}

struct sqlite3 *store_connection(Store *store)
{
    return store->database;
}

#endif

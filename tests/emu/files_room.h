/* A file store in a temporary folder, for one test. */
#ifndef TESTS_EMU_FILES_ROOM_H
#define TESTS_EMU_FILES_ROOM_H

#include <check.h>
#include <sqlite3.h>
#include <string.h>

#include "emu/files/store/file_store.h"
#include "emu/state/store.h"
#include "sim/base/units.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static const ShareName the_share = {.account = "a", .share = "sss"};
static const int64_t start_unix_ms = 1531935900000; // 2018-07-18T17:45:00Z

typedef struct {
    Arena *arena;
    const char *folder;
    Store *store;
    FileStore *files;
    int64_t now_ns;
} FilesRoom;

static inline void room_at(FilesRoom *room, int64_t now_ns)
{
    room->now_ns = now_ns;
    file_store_at(room->files, start_unix_ms + now_ns / NS_PER_MS, now_ns);
}

static inline void room_begin(FilesRoom *room)
{
    Status status = {0};
    room->store = store_open(room->folder, &status);
    ck_assert_msg(room->store != NULL, "%s", status.message);
    room->files = file_store_open(room->arena, room->store, &status);
    ck_assert_msg(room->files != NULL, "%s", status.message);
    room_at(room, room->now_ns);
}

static inline void room_end(FilesRoom *room)
{
    file_store_close(room->files);
    store_close(room->store);
}

static inline void room_commit(FilesRoom *room)
{
    Status status = {0};
    ck_assert_msg(store_commit(room->store, &status), "%s", status.message);
}

static inline FilesRoom room_create(void)
{
    FilesRoom room = {.arena = arena_create()};
    room.folder = temporary_folder_create(room.arena);
    room_begin(&room);
    return room;
}

static inline void room_remove(FilesRoom *room)
{
    room_end(room);
    temporary_folder_remove(room->folder);
    arena_destroy(room->arena);
}

#define ck_files(call, expected)                                                                   \
    do {                                                                                           \
        FilesFailure got_ = (call);                                                                \
        ck_assert_msg(got_ == FILES_##expected, "%s: \"%s\", expected \"%s\"", #call,              \
                      files_failure_reason(got_), files_failure_reason(FILES_##expected));         \
    } while (0)

/* All bytes of a file, followed by a NUL; allocated in the room's arena. */
static inline char *room_read(FilesRoom *room, ShareName share, const char *path, int64_t *length)
{
    FilesReader *reader;
    int64_t bytes;
    FilesFailure failure = files_open(room->files, share, path, &reader, &bytes);
    ck_assert_msg(failure == FILES_OK, "%s: %s", path, files_failure_reason(failure));
    char *text = arena_alloc(room->arena, (size_t)bytes + 1);
    ck_assert_int_eq(files_read(reader, 0, text, (size_t)bytes), bytes);
    files_reader_close(reader);
    *length = bytes;
    return text;
}

static inline const char *room_text(FilesRoom *room, ShareName share, const char *path)
{
    int64_t length;
    return room_read(room, share, path, &length);
}

static inline void room_put(FilesRoom *room, const char *path, const char *text)
{
    int64_t length = (int64_t)strlen(text);
    ck_files(files_file_create(room->files, the_share, path, length, NULL, NULL), OK);
    if (length > 0)
        ck_files(files_write(room->files, the_share, path, 0, length, text), OK);
}

/* Names in a directory as "a b/ c": a slash follows the names of directories. */
static inline const char *room_names(FilesRoom *room, ShareName share, const char *path)
{
    FilesEntry *entries;
    int32_t count;
    bool more;
    ck_files(
        files_list(room->files, room->arena, share, path, "", "", 1000, &entries, &count, &more),
        OK);
    const char *names = "";
    for (int32_t i = 0; i < count; i++)
        names = arena_printf(room->arena, "%s%s%s%s", names, *names ? " " : "", entries[i].name,
                             entries[i].kind == FILES_DIRECTORY ? "/" : "");
    return names;
}

static inline FilesEntry room_look(FilesRoom *room, ShareName share, const char *path)
{
    FilesEntry entry = {0};
    FilesFailure failure = files_look(room->files, room->arena, share, path, &entry);
    ck_assert_msg(failure == FILES_OK, "%s: %s", path, files_failure_reason(failure));
    return entry;
}

#endif

#include "emu/files/store/contents_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/files/store/contents.h"
#include "emu/files/store/reader.h"
#include "emu/state/damage.h"
#include "emu/state/state_folder.h"
#include "sim/base/array.h"

static bool machine_failed(const char *doing, const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in("files", 0, 0), "%s %s: %s", doing, path,
                       strerror(errno));
}

/* The name of an unnamed_file until it is removed. */
static const char passing_name[] = "unnamed";

static void warn(Blobs *blobs, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void warn(Blobs *blobs, const char *format, ...)
{
    char line[sizeof((Status *)NULL)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    problems_add(store_warnings(blobs->store), STATUS_MACHINE,
                 place_in(store_folder(blobs->store), 0, 0), "%s", line);
}

/* A file of contents that no extent refers to: a kill left it, or the database has lost what it
 * knew of the file. */
static void set_blob_aside(Blobs *blobs, const char *name)
{
    struct stat about = {0};
    (void)!fstatat(blobs->folder, name, &about, AT_SYMLINK_NOFOLLOW);
    const char *path = set_aside(blobs->arena, store_folder(blobs->store), blobs->folder, name);
    if (path)
        warn(blobs, "contents %s (%jd bytes) belong to no file; they are kept as %s", name,
             (intmax_t)about.st_size, path);
    else
        warn(blobs, "contents %s belong to no file, and cannot be set aside: %s", name,
             strerror(errno));
}

/* Sets aside what is not used, and returns the number of blobs that are. Files with other names are
 * not the store's. */
static int64_t sort_folder(Blobs *blobs, DIR *folder)
{
    int64_t used = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char *end;
        const int64_t blob = strtoll(entry->d_name, &end, 10);
        if (strcmp(entry->d_name, passing_name) == 0)
            unlinkat(blobs->folder, entry->d_name, 0);
        if (*end != '\0' || blob <= 0)
            continue;
        const int64_t is_used = tables_number(blobs->tables, QUERY_FILES_BLOB_IS_USED, "i", blob);
        if (is_used > 0)
            used++;
        else if (is_used == 0) // a table that cannot be read says neither
            set_blob_aside(blobs, entry->d_name);
    }
    return used;
}

static bool has_blob(const Blobs *blobs, int64_t blob, int64_t bytes)
{
    char name[BLOB_NAME];
    struct stat about;
    blob_name(blob, name);
    return fstatat(blobs->folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && about.st_size >= bytes;
}

/* Removes the files whose blobs are missing or too short, and names them. Rows of a damaged
 * database may be of different times: contents without a file are removed, and new numbers are
 * above all that are in use. */
static bool remove_lost_files(Blobs *blobs, Status *status)
{
    Arena *arena = blobs->arena;
    int64_t *lost = NULL;
    uint32_t count = 0, capacity = 0;
    sqlite3_stmt *rows = tables_ask(blobs->tables, QUERY_FILES_NEEDS, "");
    while (tables_next(blobs->tables, rows)) {
        const int64_t blob = sqlite3_column_int64(rows, 3);
        if (has_blob(blobs, blob, sqlite3_column_int64(rows, 4)))
            continue;
        warn(blobs, "the file \"%s\" of share %s/%s has lost its contents, and is removed",
             (const char *)sqlite3_column_text(rows, 2), (const char *)sqlite3_column_text(rows, 0),
             (const char *)sqlite3_column_text(rows, 1));
        lost = array_room(arena, lost, count + 1, &capacity, sizeof *lost);
        lost[count++] = blob;
    }
    if (!store_begin(blobs->store, status))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        tables_do(blobs->tables, QUERY_FILES_ENTRIES_WITH_BLOB, "i", lost[i]);
        tables_do(blobs->tables, QUERY_FILES_EXTENTS_WITH_BLOB, "i", lost[i]);
    }
    tables_do(blobs->tables, QUERY_FILES_EXTENTS_ORPHANED, "");
    tables_do(blobs->tables, QUERY_FILES_COUNTER_MISSING, "");
    tables_do(blobs->tables, QUERY_FILES_COUNTER_ADVANCE, "");
    return true;
}

static bool has_all_blobs(Blobs *blobs, int64_t used, Status *status)
{
    const int64_t known = tables_number(blobs->tables, QUERY_FILES_BLOB_COUNT, "");
    if (blobs->tables->failure != FILES_OK)
        return status_fail(status, STATUS_MACHINE, place_in("files", 0, 0),
                           "cannot read the tables of files: %s",
                           files_failure_reason(blobs->tables->failure));
    if (store_recovers(blobs->store))
        return remove_lost_files(blobs, status);
    if (used >= known)
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(store_folder(blobs->store), 0, 0),
                "%" PRId64 " of the %" PRId64 " contents of its files are missing", known - used,
                known);
    return status_hint(status, STORE_DAMAGE_HINT);
}

bool contents_open(Blobs *blobs, Arena *arena, Store *store, Tables *tables, Status *status)
{
    *blobs = (Blobs){.arena = arena, .store = store, .tables = tables, .folder = -1};
    for (int i = 0; i < OPEN_BLOBS; i++)
        blobs->open_blobs[i].descriptor = -1;
    const char *path = state_path(blobs->arena, store_folder(blobs->store), STATE_CONTENTS);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return machine_failed("cannot make the folder", path, status);
    blobs->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    int again = blobs->folder >= 0 ? dup(blobs->folder) : -1;
    DIR *folder = again >= 0 ? fdopendir(again) : NULL;
    if (!folder) {
        if (again >= 0)
            close(again);
        return machine_failed("cannot open the folder", path, status);
    }
    const int64_t used = sort_folder(blobs, folder);
    closedir(folder);
    return has_all_blobs(blobs, used, status);
}

void contents_close(Blobs *blobs)
{
    while (blobs->readers)
        files_reader_close(blobs->readers);
    contents_sweep(blobs);
    blob_close_all(blobs);
    if (blobs->folder >= 0)
        close(blobs->folder);
}

int unnamed_file(Blobs *blobs)
{
    int descriptor =
        openat(blobs->folder, passing_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        tables_fail(blobs->tables, errno);
    else
        unlinkat(blobs->folder, passing_name, 0);
    return descriptor;
}

#define _GNU_SOURCE // fallocate
#include "emu/files/store/blobs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/array.h"
#include "sim/cli/files.h"

void blob_name(int64_t blob, char name[BLOB_NAME])
{
    snprintf(name, BLOB_NAME, "%" PRId64, blob);
}

static int blob_open(const Blobs *blobs, int64_t blob, int flags)
{
    char name[BLOB_NAME];
    blob_name(blob, name);
    return openat(blobs->folder, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* A place for another open blob; NULL: readers use all. */
static OpenBlob *open_blob_place(Blobs *blobs)
{
    OpenBlob *place = NULL;
    for (int i = 0; i < OPEN_BLOBS; i++) {
        OpenBlob *row = &blobs->open_blobs[i];
        if (row->descriptor < 0)
            return row;
        if (row->readers == 0 && (!place || row->used < place->used))
            place = row;
    }
    return place;
}

static void open_blob_close(OpenBlob *row)
{
    if (row->descriptor >= 0)
        close(row->descriptor);
    row->descriptor = -1;
}

int blob_hold(Blobs *blobs, int64_t blob)
{
    for (int i = 0; i < OPEN_BLOBS; i++) {
        OpenBlob *row = &blobs->open_blobs[i];
        if (row->descriptor < 0 || row->blob != blob)
            continue;
        row->readers++;
        row->used = ++blobs->uses;
        return row->descriptor;
    }
    const int descriptor = blob_open(blobs, blob, O_RDONLY);
    OpenBlob *place = descriptor >= 0 ? open_blob_place(blobs) : NULL;
    if (place) {
        open_blob_close(place);
        *place =
            (OpenBlob){.blob = blob, .descriptor = descriptor, .readers = 1, .used = ++blobs->uses};
    }
    return descriptor;
}

void blob_release(Blobs *blobs, int descriptor)
{
    for (int i = 0; i < OPEN_BLOBS; i++) {
        OpenBlob *row = &blobs->open_blobs[i];
        if (row->descriptor != descriptor)
            continue;
        if (--row->readers == 0 && row->blob == 0)
            open_blob_close(row);
        return;
    }
    close(descriptor);
}

void blob_close_all(Blobs *blobs)
{
    for (int i = 0; i < OPEN_BLOBS; i++)
        open_blob_close(&blobs->open_blobs[i]);
}

void damage_report(const Blobs *blobs, const char *file, FilesRange range)
{
    if (blobs->listener.damaged)
        blobs->listener.damaged(blobs->listener.owner, file, range);
}

void dead_add(Blobs *blobs, DeadRange range)
{
    blobs->dead = array_room(blobs->arena, blobs->dead, blobs->dead_count + 1,
                             &blobs->dead_capacity, sizeof *blobs->dead);
    blobs->dead[blobs->dead_count++] = range;
}

int64_t blob_append(Blobs *blobs, int64_t blob, const char *bytes, int64_t length)
{
    struct stat about;
    if (!store_has_room(blobs->store, length)) {
        tables_fail(blobs->tables, ENOSPC);
        return -1;
    }
    int descriptor = blob_open(blobs, blob, O_WRONLY | O_CREAT);
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        tables_fail(blobs->tables, errno);
        if (descriptor >= 0)
            close(descriptor);
        return -1;
    }
    bool is_written = file_put(descriptor, bytes, (size_t)length, about.st_size);
    if (!is_written) {
        tables_fail(blobs->tables, errno);
        (void)!ftruncate(descriptor, about.st_size); // frees the space, if possible
    }
    if (about.st_size == 0) {
        dead_add(blobs, (DeadRange){.blob = blob}); // if the operation is undone
        store_sync_before_commit(blobs->store, blobs->folder);
    }
    store_sync_before_commit(blobs->store, descriptor);
    close(descriptor);
    return is_written ? about.st_size : -1;
}

void blob_remove(Blobs *blobs, int64_t blob)
{
    for (int i = 0; i < OPEN_BLOBS; i++) {
        OpenBlob *row = &blobs->open_blobs[i];
        if (row->blob != blob)
            continue;
        row->blob = 0;
        if (row->readers == 0)
            open_blob_close(row);
    }
    char name[BLOB_NAME];
    blob_name(blob, name);
    unlinkat(blobs->folder, name, 0); // otherwise the next start removes it as an orphan
}

void blob_punch(const Blobs *blobs, DeadRange range)
{
    int descriptor = blob_open(blobs, range.blob, O_WRONLY);
    if (descriptor < 0)
        return;
    (void)!fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)range.position,
                     (off_t)range.length);
    close(descriptor);
}

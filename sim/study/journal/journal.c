#include "sim/study/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/invariant.h"
#include "sim/cli/files.h"
#include "sim/cli/machine_clock.h"
#include "sim/study/journal/journal_folder.h"
#include "sim/study/journal/journal_text.h"

/* A group is written before its time if it has this size. */
enum { GROUP_BYTES = 64 * 1024 };

struct Journal {
    const char *path;
    const JournalIdentity *identity;
    Crc32c crc;
    int descriptor;
    Text pending;                   /* whole lines that are not yet written */
    int64_t written_bytes;          /* length of the file: whole lines */
    int64_t written_ns, settled_ns; /* the last time of both, on the machine's clock */
    bool is_settled;                /* all written bytes are on the disk */
    bool has_failed;
    Status failure; /* then the reason */
};

const char *journal_path(const Journal *journal)
{
    return journal->path;
}

static bool fail_errno(const char *doing, const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0), "%s failed: %s", doing,
                       strerror(errno));
}

/* --- Writing --- */

/* Records the failure of `doing`, whose reason is in errno. The file ends with a whole line: what
 * was written of the group is cut off again, or dropped by the next reader as a torn tail. */
static bool fail_writing(Journal *journal, const char *doing, Status *status)
{
    fail_errno(doing, journal->path, &journal->failure);
    status_hint(&journal->failure, "all runs up to here are kept: repeat the command to continue");
    journal->has_failed = true;
    (void)!ftruncate(journal->descriptor, (off_t)journal->written_bytes);
    *status = journal->failure;
    return false;
}

static bool write_pending(Journal *journal, int64_t now_ns, Status *status)
{
    if (journal->has_failed) {
        *status = journal->failure;
        return false;
    }
    if (journal->pending.length == 0)
        return true;
    if (!file_put(journal->descriptor, journal->pending.data, journal->pending.length,
                  FILE_CURRENT_POSITION))
        return fail_writing(journal, "writing", status);
    journal->written_bytes += (int64_t)journal->pending.length;
    journal->written_ns = now_ns;
    journal->is_settled = false;
    text_clear(&journal->pending);
    return true;
}

static bool settle_written(Journal *journal, int64_t now_ns, Status *status)
{
    if (journal->is_settled)
        return true;
    // EINVAL: special files cannot be synchronised.
    if (fdatasync(journal->descriptor) != 0 && errno != EINVAL)
        return fail_writing(journal, "writing to the disk", status);
    journal->settled_ns = now_ns;
    journal->is_settled = true;
    return true;
}

bool journal_append(Journal *journal, const RunRecord *record, Status *status)
{
    invariant(record->value_count == journal->identity->metric_count);
    const int64_t now_ns = machine_clock_ns();
    journal_record_print(&journal->crc, record, &journal->pending);
    if (journal->pending.length < GROUP_BYTES && now_ns - journal->written_ns < JOURNAL_GROUP_NS &&
        !journal->has_failed)
        return true;
    if (!write_pending(journal, now_ns, status))
        return false;
    return now_ns - journal->settled_ns < JOURNAL_SYNC_NS ||
           settle_written(journal, now_ns, status);
}

bool journal_settle(Journal *journal, Status *status)
{
    const int64_t now_ns = machine_clock_ns();
    return write_pending(journal, now_ns, status) && settle_written(journal, now_ns, status);
}

bool journal_close(Journal *journal, Status *status)
{
    bool is_closed = journal_settle(journal, status);
    if (close(journal->descriptor) != 0 && is_closed)
        is_closed = fail_errno("writing", journal->path, status);
    text_free(&journal->pending);
    return is_closed;
}

/* --- Opening --- */

/* Takes the lock of the whole file. It belongs to the open file, unlike a lock of fcntl, which this
 * process would lose as soon as it closed the file after reading it elsewhere. */
static bool lock(const Journal *journal, Status *status)
{
    const FileLock outcome = file_lock(journal->descriptor);
    if (outcome == FILE_LOCK_TAKEN || outcome == FILE_LOCK_MISSING)
        return true; // without locks, see the header
    if (outcome == FILE_LOCK_FAILED)
        return fail_errno("locking", journal->path, status);
    status_fail(status, STATUS_CONFLICT, place_in(journal->path, 0, 0),
                "another process appends to this journal");
    return status_hint(status, "wait until it ends, or give each process its own --shard I/N");
}

/* Finds the end of the whole lines and cuts the rest off. */
static bool cut_torn_tail(Journal *journal, Arena *scratch, Status *status)
{
    const char *text;
    size_t length;
    JournalExtent extent;
    Problems problems = problems_create(scratch);
    if (!journal_file_read(scratch, journal->descriptor, journal->path, &text, &length, status))
        return false;
    if (!journal_text_read(&journal->crc, journal->path, text, length, journal->identity, NULL,
                           &extent, &problems)) {
        *status = problems.items[0];
        return false;
    }
    journal->written_bytes = (int64_t)extent.valid_bytes;
    return extent.torn_bytes == 0 ||
           ftruncate(journal->descriptor, (off_t)extent.valid_bytes) == 0 ||
           fail_errno("cutting off the torn tail", journal->path, status);
}

static bool begin(Journal *journal, Status *status)
{
    const int64_t now_ns = machine_clock_ns();
    journal->settled_ns = now_ns;
    if (journal->written_bytes > 0)
        return true;
    journal_header_print(&journal->crc, journal->identity, &journal->pending);
    return journal_settle(journal, status) && file_name_settle(journal->path, status);
}

static bool open_file(Journal *journal, Arena *arena, const char *folder, Status *status)
{
    if (!folder_create(arena_printf(arena, "%s/journal", folder), status))
        return false;
    journal->descriptor = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return journal->descriptor >= 0 || fail_errno("opening", journal->path, status);
}

Journal *journal_open(Arena *arena, const char *folder, const JournalIdentity *identity,
                      int32_t shard, int32_t rank, Status *status)
{
    Journal *journal = ARENA_NEW(arena, Journal);
    *journal =
        (Journal){.path = journal_file_path(arena, folder, shard, rank), .identity = identity};
    crc32c_prepare(&journal->crc);
    if (!open_file(journal, arena, folder, status))
        return NULL;
    Arena *scratch = arena_create();
    const bool is_open =
        lock(journal, status) && cut_torn_tail(journal, scratch, status) && begin(journal, status);
    arena_destroy(scratch);
    if (is_open)
        return journal;
    close(journal->descriptor);
    text_free(&journal->pending);
    return NULL;
}

/* --- Reading --- */

/* Reads one file whole; NULL with a status if that fails. The text is in `scratch`. */
static const char *load(Arena *scratch, const char *path, size_t *length, Status *status)
{
    const char *text = NULL;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        fail_errno("reading", path, status);
        return NULL;
    }
    const bool is_read = journal_file_read(scratch, descriptor, path, &text, length, status);
    close(descriptor);
    return is_read ? text : NULL;
}

static bool scan_file(const Crc32c *crc, const char *path, const JournalIdentity *identity,
                      RunCollection *collection, RunRecords *out, Problems *problems)
{
    Status status = {0};
    JournalExtent extent;
    size_t length;
    Arena *scratch = arena_create();
    const char *text = load(scratch, path, &length, &status);
    if (!text)
        problems_add_status(problems, &status);
    const bool is_right =
        text && journal_text_read(crc, path, text, length, identity, collection, &extent, problems);
    arena_destroy(scratch);
    if (!is_right)
        return false;
    out->file_count++;
    out->torn_count += extent.torn_bytes > 0;
    out->torn_bytes += extent.torn_bytes;
    return true;
}

static bool scan_folder(Arena *arena, const Crc32c *crc, const char *folder,
                        const JournalIdentity *identity, RunCollection *collection, RunRecords *out,
                        Problems *problems)
{
    Status status = {0};
    JournalFiles files;
    if (!journal_files_list(arena, folder, &files, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    bool is_right = true;
    for (uint32_t i = 0; i < files.count; i++)
        is_right &= scan_file(crc, files.paths[i], identity, collection, out, problems);
    return is_right;
}

bool journal_scan_all(Arena *arena, const char *const *folders, int32_t folder_count,
                      const JournalIdentity *identity, RunRecords *out, Problems *problems)
{
    *out = (RunRecords){0};
    Crc32c crc;
    crc32c_prepare(&crc);
    RunCollection *collection = run_collection_create(arena, identity->metric_count);
    bool is_right = true; // all files are read, so that all problems are reported at once
    for (int32_t i = 0; i < folder_count; i++)
        is_right &= scan_folder(arena, &crc, folders[i], identity, collection, out, problems);
    return run_collection_finish(collection, out, problems) && is_right;
}

bool journal_scan(Arena *arena, const char *folder, const JournalIdentity *identity,
                  RunRecords *out, Problems *problems)
{
    return journal_scan_all(arena, &folder, 1, identity, out, problems);
}

bool journal_folder_identity(Arena *arena, const char *folder, JournalIdentity *identity,
                             bool *is_found, Status *status)
{
    JournalFiles files;
    Crc32c crc;
    crc32c_prepare(&crc);
    *is_found = false;
    if (!journal_files_list(arena, folder, &files, status))
        return false;
    for (uint32_t i = 0; i < files.count && !*is_found; i++) {
        Arena *scratch = arena_create();
        size_t length;
        bool is_torn = false;
        const char *text = load(scratch, files.paths[i], &length, status);
        const bool is_read = text && journal_text_identity(arena, &crc, files.paths[i], text,
                                                           length, identity, &is_torn, status);
        arena_destroy(scratch);
        if (!is_read)
            return false;
        *is_found = !is_torn;
    }
    return true;
}

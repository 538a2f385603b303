/* The cost of checksums of contents: how fast a file is written and read with them, as a part of
 * the speed without them.
 *
 *     bench_contents [MIB]
 *
 * A file of MIB (default 256) is written in ranges of 4 MiB, the largest that clients send, each
 * committed. It is read in pieces of 1 MiB, and in pieces of 4 KiB at random places: once with
 * checksums, once after they were removed from the table. Writing without checksums is the time
 * less the time that computing them takes. Exit code 1 below the bars. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emu/files/store/extents.h"
#include "emu/files/store/file_store.h"
#include "emu/files/store/shares.h"
#include "sim/base/checksum.h"
#include "sim/base/invariant.h"
#include "tests/support/temporary_folder.h"

enum { MIB = 1 << 20, RANGE = 4 * MIB, PIECE = MIB, PAGE = 4096, TRIES = 5 };

static const ShareName share = {.account = "a", .share = "sss"};

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds to write the file once; `*sums_s`: of them to compute checksums. */
static double write_all(Store *store, FileStore *files, const char *bytes, int64_t length,
                        double *sums_s)
{
    Status status;
    volatile uint64_t kept;
    const double begin_s = now_s();
    for (int64_t at = 0; at < length; at += RANGE) {
        const FilesFailure failure = files_write(files, share, "f", at, RANGE, bytes);
        const bool is_kept = store_commit(store, &status);
        invariant(failure == FILES_OK && is_kept);
    }
    const double end_s = now_s();
    for (int64_t at = 0; at < length; at += SUM_UNIT)
        kept = checksum_wide(bytes + at % RANGE, SUM_UNIT);
    (void)kept;
    *sums_s = now_s() - end_s;
    return end_s - begin_s;
}

/* Seconds to read `length` bytes in pieces, in order or at random places. */
static double read_all(FileStore *files, int64_t length, size_t piece, bool is_random)
{
    static char room[PIECE];
    double best_s = 1e9;
    for (int i = 0; i < TRIES; i++) {
        FilesReader *reader;
        int64_t bytes;
        uint64_t random = 1;
        const FilesFailure failure = files_open(files, share, "f", &reader, &bytes);
        invariant(failure == FILES_OK);
        const double begin_s = now_s();
        for (int64_t at = 0; at < length; at += (int64_t)piece) {
            random = random * UINT64_C(6364136223846793005) + 1;
            const int64_t first =
                is_random ? (int64_t)((random >> 16) % (uint64_t)(bytes / (int64_t)piece))
                          : at / (int64_t)piece;
            const int64_t got = files_read(reader, first * (int64_t)piece, room, piece);
            invariant(got == (int64_t)piece);
        }
        const double took_s = now_s() - begin_s;
        best_s = took_s < best_s ? took_s : best_s;
        files_reader_close(reader);
    }
    return best_s;
}

/* True if the speed with checksums is at least `bar` of the speed without. */
static bool compare(const char *what, double mib, double with_s, double without_s, double bar)
{
    const double ratio = without_s / with_s;
    printf("%-24s %7.0f MiB/s with checksums, %7.0f without: %.2f (bar %.2f)%s\n", what,
           mib / with_s, mib / without_s, ratio, bar, ratio < bar ? "  MISSED" : "");
    return ratio >= bar;
}

int main(int argc, char **argv)
{
    const int64_t mib = argc > 1 ? atoll(argv[1]) : 256, length = mib * MIB;
    Arena *arena = arena_create();
    const char *folder = temporary_folder_create(arena);
    Status status;
    Store *store = store_open(folder, &status);
    FileStore *files = store ? file_store_open(arena, store, &status) : NULL;
    invariant(files != NULL);
    char *bytes = arena_alloc(arena, RANGE);
    for (int i = 0; i < RANGE; i++)
        bytes[i] = (char)((uint32_t)i * 2654435761u >> 24);
    file_store_at(files, 0, 0);
    FilesFailure failure = files_share_create(files, share, 5120, NULL);
    invariant(failure == FILES_OK);
    failure = files_file_create(files, share, "f", length, NULL, NULL);
    invariant(failure == FILES_OK);
    double sums_s, small = (double)mib / 8;
    const double write_s = write_all(store, files, bytes, length, &sums_s);
    const double with_s = read_all(files, length, PIECE, false);
    const double pages_with_s = read_all(files, length / 8, PAGE, true);
    sqlite3_exec(store_connection(store), "UPDATE file_extent SET sums = NULL", NULL, NULL, NULL);
    const double without_s = read_all(files, length, PIECE, false);
    const double pages_without_s = read_all(files, length / 8, PAGE, true);
    bool is_fine = compare("write 4 MiB, commit", (double)mib, write_s, write_s - sums_s, 0.8);
    is_fine = compare("read 1 MiB", (double)mib, with_s, without_s, 0.35) && is_fine;
    is_fine =
        compare("read 4 KiB at random", small, pages_with_s, pages_without_s, 0.25) && is_fine;
    file_store_close(files);
    store_close(store);
    temporary_folder_remove(folder);
    arena_destroy(arena);
    return is_fine ? EXIT_SUCCESS : EXIT_FAILURE;
}

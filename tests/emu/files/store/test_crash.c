/* The file store, killed at random times: acknowledged operations are stored, and an operation
 * under way is stored completely or not at all. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emu/files/store/shares.h"
#include "sim/base/memory.h"
#include "tests/emu/files_room.h"
#include "tests/support/theory.h"

enum { FILES = 5, BYTES_MAX = 64 * 1024, GROUP_MAX = 4 };

typedef struct {
    bool is_there;
    int32_t length;
    char bytes[BYTES_MAX];
} Contents;

typedef struct {
    Contents files[FILES];
} Disk;

/* Everything that happens is drawn from the number of the group it belongs to. */
static uint64_t draw(uint64_t *random, uint64_t count)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random >> 33) % count;
}

static const char *path_of(uint64_t file)
{
    static const char *const paths[FILES] = {"a", "b", "c", "d/e", "d/f"};
    return paths[file];
}

/* An assertion for the process that is killed. Each assertion of libcheck writes to a pipe, and a
 * kill must not cut such a message. Only the killing process uses libcheck; it sees a failure here
 * as another signal. */
static void must(bool is_fine)
{
    if (!is_fine)
        abort();
}

/* Writes a range: in the model, and in the store if there is one. */
static void write_range(Contents *contents, FileStore *files, const char *path, uint64_t *random)
{
    int32_t first = (int32_t)draw(random, (uint64_t)contents->length);
    int32_t length = 1 + (int32_t)draw(random, (uint64_t)(contents->length - first));
    bool clears = draw(random, 4) == 0;
    char letter = clears ? '\0' : (char)('a' + draw(random, 26));
    for (int32_t i = first; i < first + length; i++)
        contents->bytes[i] = (char)(letter ? letter ^ (i % 251 & 31) : 0);
    if (files)
        must(files_write(files, the_share, path, first, length,
                         clears ? NULL : contents->bytes + first) == FILES_OK);
}

static void create(Contents *contents, FileStore *files, const char *path, uint64_t *random)
{
    memset(contents, 0, sizeof *contents);
    contents->is_there = true;
    contents->length = 1 + (int32_t)draw(random, BYTES_MAX);
    if (files)
        must(files_file_create(files, the_share, path, contents->length, NULL, NULL) == FILES_OK);
}

/* One to four operations that are committed together. */
static void group(uint64_t number, Disk *disk, FileStore *files)
{
    uint64_t random = number * UINT64_C(0x9E3779B97F4A7C15);
    for (uint64_t i = 1 + draw(&random, GROUP_MAX); i > 0; i--) {
        uint64_t file = draw(&random, FILES);
        Contents *contents = &disk->files[file];
        const char *path = path_of(file);
        if (!contents->is_there || draw(&random, 8) == 0)
            create(contents, files, path, &random);
        if (draw(&random, 10) == 0) {
            contents->is_there = false;
            if (files)
                must(files_file_delete(files, the_share, path) == FILES_OK);
        } else {
            write_range(contents, files, path, &random);
        }
    }
}

/* --- The one that is killed --- */

static void work(const char *folder, uint64_t number, Disk *disk, int acknowledge)
{
    Status status;
    FilesRoom room = {.arena = arena_create(), .folder = folder};
    must((room.store = store_open(folder, &status)) != NULL);
    must((room.files = file_store_open(room.arena, room.store, &status)) != NULL);
    for (;; number++) {
        room_at(&room, (int64_t)number);
        group(number, disk, room.files);
        must(store_commit(room.store, &status));
        if (write(acknowledge, &number, sizeof number) != sizeof number)
            _exit(1);
    }
}

/* The last group that was acknowledged, of those from `number` on; `number` - 1: none. It is killed
 * so long after it began, or after its first group. */
static uint64_t run_and_kill(const char *folder, uint64_t number, Disk *disk, bool is_at_work,
                             int64_t after_ns)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        close(ends[0]);
        work(folder, number, disk, ends[1]);
    }
    close(ends[1]);
    uint64_t last = number - 1, told;
    if (is_at_work)
        ck_assert_int_eq(read(ends[0], &last, sizeof last), sizeof last);
    nanosleep(&(struct timespec){.tv_nsec = (long)after_ns}, NULL);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    int state;
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert_msg(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL,
                  "it ended without the signal: %d", state);
    while (read(ends[0], &told, sizeof told) == sizeof told)
        last = told;
    close(ends[0]);
    return last;
}

/* --- Looking --- */

static bool is_same(FilesRoom *room, const Disk *disk)
{
    for (uint64_t i = 0; i < FILES; i++) {
        const Contents *expected = &disk->files[i];
        FilesReader *reader;
        int64_t bytes;
        FilesFailure failure = files_open(room->files, the_share, path_of(i), &reader, &bytes);
        if ((failure == FILES_OK) != expected->is_there)
            return false;
        if (!expected->is_there)
            continue;
        static char got[BYTES_MAX];
        bool is_equal = bytes == expected->length &&
                        files_read(reader, 0, got, BYTES_MAX) == bytes &&
                        memcmp(got, expected->bytes, (size_t)bytes) == 0;
        files_reader_close(reader);
        if (!is_equal)
            return false;
    }
    return true;
}

START_TEST(acknowledged_entries_survive_a_kill)
{
    const int kills = case_count(200);
    FilesRoom room = room_create();
    ck_files(files_share_create(room.files, the_share, 1, NULL), OK);
    ck_files(files_directory_create(room.files, the_share, "d", NULL), OK);
    room_commit(&room);
    room_end(&room);
    Disk *disk = memory_zeroed(sizeof *disk), *trial = memory_zeroed(sizeof *trial);
    uint64_t number = 1, random = 1;
    int32_t unacknowledged = 0;
    for (int i = 0; i < kills; i++) {
        *trial = *disk;
        const bool is_at_work = draw(&random, 4) > 0;
        uint64_t last = run_and_kill(room.folder, number, trial, is_at_work,
                                     (int64_t)draw(&random, 2 * NS_PER_MS));
        for (; number <= last; number++)
            group(number, disk, NULL);
        room_begin(&room);
        if (!is_same(&room, disk)) { // then the group under way was committed, and whole
            group(number++, disk, NULL);
            ck_assert_msg(is_same(&room, disk), "after kill %d, group %d", i, (int)number);
            unacknowledged++;
        }
        room_end(&room);
    }
    // Otherwise the test has shown nothing.
    ck_assert_uint_gt(number, (uint64_t)kills);
    ck_assert_int_lt(unacknowledged, kills);
    room_begin(&room);
    room_remove(&room);
    free(disk);
    free(trial);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("file_store_crash");
    TCase *tests = tcase_create("crash");
    tcase_add_test(tests, acknowledged_entries_survive_a_kill);
    suite_add_tcase(suite, tests);
    return suite;
}

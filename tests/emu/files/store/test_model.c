/* Random operations on the file store and on arrays of bytes: the same answers, also after restarts
 * and in snapshots. */
#include <stdlib.h>

#include "emu/files/store/shares.h"
#include "sim/base/memory.h"
#include "tests/emu/files_room.h"

enum { SLOTS = 7, BYTES_MAX = 4 * FILES_PAGE };
enum { SNAPSHOTS_MAX = 3, OPERATIONS = 400, SEEDS = 8 };

/* Slots are paths; the first three can be directories, in which the others lie. */
static const char *const paths[SLOTS] = {"d", "d/e", "x", "d/f", "d/e/g", "h", "x/i"};
static const int above[SLOTS] = {-1, 0, -1, 0, 1, -1, 2};

typedef enum { NOTHING, DIRECTORY, PLAIN } Kind;

typedef struct {
    Kind kind;
    int32_t length;
    char bytes[BYTES_MAX];
    bool is_written[BYTES_MAX];
} Slot;

typedef struct {
    Slot slots[SLOTS];
} Tree;

typedef struct {
    FilesRoom room;
    uint64_t random;
    Tree now, committed;
    Tree snapshots[SNAPSHOTS_MAX];
    char snapshot_names[SNAPSHOTS_MAX][40];
    int snapshot_count, snapshots_committed;
} Trial;

static int draw(Trial *trial, int count)
{
    // Knuth's MMIX generator: the same on every machine
    trial->random = trial->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((trial->random >> 33) % (uint64_t)count);
}

/* --- What the model says --- */

static FilesFailure parent_check(const Tree *tree, int slot)
{
    for (int up = above[slot]; up >= 0; up = above[up])
        if (tree->slots[up].kind != DIRECTORY)
            return FILES_NO_PARENT;
    return FILES_OK;
}

static FilesFailure file_check(const Tree *tree, int slot)
{
    FilesFailure failure = parent_check(tree, slot);
    if (failure != FILES_OK)
        return failure;
    return tree->slots[slot].kind == PLAIN     ? FILES_OK
           : tree->slots[slot].kind == NOTHING ? FILES_NO_RESOURCE
                                               : FILES_OTHER_KIND;
}

static bool is_empty(const Tree *tree, int slot)
{
    for (int i = 0; i < SLOTS; i++)
        if (above[i] == slot && tree->slots[i].kind != NOTHING)
            return false;
    return true;
}

/* --- Operations: on the model, with the answer that the store must give --- */

static FilesFailure create(Trial *trial, int slot, FilesFailure *got)
{
    int32_t length = BYTES_MAX - draw(trial, BYTES_MAX / 2) - draw(trial, 2) * (BYTES_MAX / 2);
    *got = files_file_create(trial->room.files, the_share, paths[slot], length, NULL, NULL);
    FilesFailure expected = file_check(&trial->now, slot);
    expected = expected == FILES_NO_RESOURCE ? FILES_OK : expected;
    if (expected == FILES_OK)
        trial->now.slots[slot] = (Slot){.kind = PLAIN, .length = length};
    return expected;
}

static FilesFailure write_some(Trial *trial, int slot, FilesFailure *got)
{
    char bytes[BYTES_MAX];
    int first = draw(trial, BYTES_MAX * 2 / 3), length = 1 + draw(trial, BYTES_MAX / 3);
    bool clears = draw(trial, 3) == 0;
    for (int i = 0; i < length; i++)
        bytes[i] = (char)('a' + draw(trial, 26));
    *got = files_write(trial->room.files, the_share, paths[slot], first, length,
                       clears ? NULL : bytes);
    FilesFailure expected = file_check(&trial->now, slot);
    Slot *file = &trial->now.slots[slot];
    if (expected == FILES_OK && first + length > file->length)
        expected = FILES_BAD_RANGE;
    const int end = first + length;
    for (int i = first; expected == FILES_OK && i < end; i++) {
        const int page = i / FILES_PAGE * FILES_PAGE;
        const bool is_whole = page >= first && page + FILES_PAGE <= end;
        file->bytes[i] = clears ? '\0' : bytes[i - first];
        file->is_written[i] = !clears || !is_whole;
    }
    return expected;
}

static FilesFailure resize(Trial *trial, int slot, FilesFailure *got)
{
    int32_t length = draw(trial, BYTES_MAX + 1);
    *got = files_change(trial->room.files, the_share, paths[slot], length, NULL, NULL, NULL);
    FilesFailure expected = file_check(&trial->now, slot);
    Slot *file = &trial->now.slots[slot];
    if (expected != FILES_OK)
        return expected;
    for (int i = length; i < file->length; i++) {
        file->bytes[i] = '\0';
        file->is_written[i] = false;
    }
    file->length = length;
    return FILES_OK;
}

static FilesFailure delete_file(Trial *trial, int slot, FilesFailure *got)
{
    *got = files_file_delete(trial->room.files, the_share, paths[slot]);
    FilesFailure expected = file_check(&trial->now, slot);
    if (expected == FILES_OK)
        trial->now.slots[slot] = (Slot){.kind = NOTHING};
    return expected;
}

static FilesFailure make_directory(Trial *trial, int slot, FilesFailure *got)
{
    *got = files_directory_create(trial->room.files, the_share, paths[slot], NULL);
    FilesFailure expected = parent_check(&trial->now, slot);
    if (expected == FILES_OK && trial->now.slots[slot].kind != NOTHING)
        expected = FILES_EXISTS;
    if (expected == FILES_OK)
        trial->now.slots[slot] = (Slot){.kind = DIRECTORY};
    return expected;
}

static FilesFailure delete_directory(Trial *trial, int slot, FilesFailure *got)
{
    *got = files_directory_delete(trial->room.files, the_share, paths[slot]);
    FilesFailure expected = parent_check(&trial->now, slot);
    Kind kind = trial->now.slots[slot].kind;
    if (expected == FILES_OK && kind != DIRECTORY)
        expected = kind == NOTHING ? FILES_NO_RESOURCE : FILES_OTHER_KIND;
    if (expected == FILES_OK && !is_empty(&trial->now, slot))
        expected = FILES_NOT_EMPTY;
    if (expected == FILES_OK)
        trial->now.slots[slot] = (Slot){.kind = NOTHING};
    return expected;
}

static FilesFailure copy(Trial *trial, int slot, FilesFailure *got)
{
    int to = draw(trial, SLOTS);
    int from_snapshot = draw(trial, trial->snapshot_count + 1);
    ShareName from = the_share;
    const Tree *tree = &trial->now;
    if (from_snapshot < trial->snapshot_count) {
        from.snapshot = trial->snapshot_names[from_snapshot];
        tree = &trial->snapshots[from_snapshot];
    }
    *got = files_copy(trial->room.files, from, paths[slot], the_share, paths[to], NULL);
    FilesFailure expected = file_check(tree, slot);
    if (expected == FILES_OK) {
        expected = file_check(&trial->now, to);
        expected = expected == FILES_NO_RESOURCE ? FILES_OK : expected;
    }
    if (expected == FILES_OK)
        trial->now.slots[to] = tree->slots[slot];
    return expected;
}

static FilesFailure rename_file(Trial *trial, int slot, FilesFailure *got)
{
    int to = draw(trial, SLOTS);
    bool replaces = draw(trial, 2);
    Tree *tree = &trial->now;
    if (tree->slots[slot].kind == DIRECTORY) // its slots would need other paths
        return *got = FILES_OK;
    *got = files_rename(trial->room.files, the_share, paths[slot], paths[to], replaces);
    FilesFailure expected = parent_check(tree, slot);
    if (expected == FILES_OK)
        expected = parent_check(tree, to);
    if (expected == FILES_OK && tree->slots[slot].kind == NOTHING)
        expected = FILES_NO_RESOURCE;
    if (expected != FILES_OK || slot == to)
        return expected;
    if (tree->slots[to].kind != NOTHING && !replaces)
        return FILES_EXISTS;
    if (tree->slots[to].kind == DIRECTORY)
        return FILES_OTHER_KIND;
    tree->slots[to] = tree->slots[slot];
    tree->slots[slot] = (Slot){.kind = NOTHING};
    return FILES_OK;
}

static FilesFailure snapshot(Trial *trial, int slot, FilesFailure *got)
{
    (void)slot;
    *got = FILES_OK;
    if (trial->snapshot_count == SNAPSHOTS_MAX)
        return FILES_OK;
    int n = trial->snapshot_count++;
    trial->snapshots[n] = trial->now;
    *got = files_share_snapshot(trial->room.files, the_share, NULL, trial->snapshot_names[n]);
    return FILES_OK;
}

static FilesFailure delete_snapshot(Trial *trial, int slot, FilesFailure *got)
{
    (void)slot;
    *got = FILES_OK;
    // Only when there is no uncommitted one: a restart takes the last ones back.
    if (trial->snapshot_count == 0 || trial->snapshots_committed != trial->snapshot_count)
        return FILES_OK;
    ShareName last = the_share;
    last.snapshot = trial->snapshot_names[trial->snapshot_count - 1];
    *got = files_share_delete(trial->room.files, last, false);
    trial->snapshot_count--;
    trial->snapshots_committed--;
    room_commit(&trial->room);
    trial->committed = trial->now;
    return FILES_OK;
}

static FilesFailure commit(Trial *trial, int slot, FilesFailure *got)
{
    (void)slot;
    room_commit(&trial->room);
    trial->committed = trial->now;
    trial->snapshots_committed = trial->snapshot_count;
    room_at(&trial->room, trial->room.now_ns + NS_PER_S);
    return *got = FILES_OK;
}

/* Uncommitted operations are gone. */
static FilesFailure restart(Trial *trial, int slot, FilesFailure *got)
{
    (void)slot;
    if (store_is_dirty(trial->room.store))
        sqlite3_exec(store_connection(trial->room.store), "ROLLBACK", NULL, NULL, NULL);
    room_end(&trial->room);
    room_begin(&trial->room);
    trial->now = trial->committed;
    trial->snapshot_count = trial->snapshots_committed;
    return *got = FILES_OK;
}

static const struct {
    FilesFailure (*run)(Trial *trial, int slot, FilesFailure *got);
    int weight;
} operations[] = {
    {create, 8},          {write_some, 24},      {resize, 6}, {delete_file, 4},
    {make_directory, 10}, {delete_directory, 3}, {copy, 6},   {rename_file, 6},
    {snapshot, 1},        {delete_snapshot, 1},  {commit, 5}, {restart, 1},
};

/* --- Comparing --- */

/* A write to a part of a page makes the whole page written. */
static bool page_is_written(const Slot *file, int32_t first)
{
    for (int32_t i = first; i < first + FILES_PAGE; i++)
        if (file->is_written[i])
            return true;
    return false;
}

static void compare_file(Trial *trial, ShareName share, int slot, const Slot *file, int seed,
                         int step)
{
    int64_t length;
    const char *bytes = room_read(&trial->room, share, paths[slot], &length);
    ck_assert_msg(length == file->length && memcmp(bytes, file->bytes, (size_t)length) == 0,
                  "seed %d, step %d: %s", seed, step, paths[slot]);
    FilesRange *ranges;
    int32_t count;
    ck_files(files_ranges(trial->room.files, trial->room.arena, share, paths[slot], FILES_WRITTEN,
                          0, INT64_MAX, &ranges, &count),
             OK);
    int32_t at = 0;
    for (int first = 0; first < file->length; first += FILES_PAGE) {
        const int end = first + FILES_PAGE < file->length ? first + FILES_PAGE : file->length;
        while (at < count && ranges[at].last < first)
            at++;
        const bool is_written =
            at < count && ranges[at].first <= first && ranges[at].last >= end - 1;
        const bool is_touched = at < count && ranges[at].first < end;
        ck_assert_msg(is_written == page_is_written(file, first) && is_touched == is_written,
                      "seed %d, step %d: %s at %d", seed, step, paths[slot], first);
    }
}

static void compare(Trial *trial, ShareName share, const Tree *tree, int seed, int step)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        FilesEntry entry;
        FilesFailure got =
            files_look(trial->room.files, trial->room.arena, share, paths[slot], &entry);
        FilesFailure expected = parent_check(tree, slot);
        Kind kind = tree->slots[slot].kind;
        if (expected == FILES_OK && kind == NOTHING)
            expected = FILES_NO_RESOURCE;
        ck_assert_msg(got == expected, "seed %d, step %d: %s is \"%s\", expected \"%s\"", seed,
                      step, paths[slot], files_failure_reason(got), files_failure_reason(expected));
        if (got != FILES_OK)
            continue;
        ck_assert_int_eq(entry.kind, kind == PLAIN ? FILES_FILE : FILES_DIRECTORY);
        if (kind == PLAIN)
            compare_file(trial, share, slot, &tree->slots[slot], seed, step);
    }
}

static int draw_operation(Trial *trial)
{
    int weights = 0, count = sizeof operations / sizeof *operations;
    for (int i = 0; i < count; i++)
        weights += operations[i].weight;
    int drawn = draw(trial, weights), i = 0;
    for (; drawn >= operations[i].weight; i++)
        drawn -= operations[i].weight;
    return i;
}

START_TEST(the_store_and_arrays_of_bytes_answer_alike)
{
    int seed = _i;
    Trial *trial = memory_zeroed(sizeof *trial);
    trial->room = room_create();
    trial->random = (uint64_t)seed;
    ck_files(files_share_create(trial->room.files, the_share, 1, NULL), OK);
    room_commit(&trial->room);
    int happened = 0;
    for (int step = 0; step < OPERATIONS; step++) {
        int operation = draw_operation(trial), slot = draw(trial, SLOTS);
        FilesFailure got;
        FilesFailure expected = operations[operation].run(trial, slot, &got);
        ck_assert_msg(got == expected, "seed %d, step %d: operation %d on %s: %d, expected %d",
                      seed, step, operation, paths[slot], got, expected);
        happened += got == FILES_OK;
        if (step % 8 != 0)
            continue;
        compare(trial, the_share, &trial->now, seed, step);
        for (int i = 0; i < trial->snapshot_count; i++)
            compare(
                trial,
                (ShareName){.account = "a", .share = "sss", .snapshot = trial->snapshot_names[i]},
                &trial->snapshots[i], seed, step);
    }
    ck_assert_int_gt(happened, OPERATIONS / 6);
    room_remove(&trial->room);
    free(trial);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("file_store_model");
    TCase *tests = tcase_create("model");
    tcase_add_loop_test(tests, the_store_and_arrays_of_bytes_answer_alike, 0, SEEDS);
    suite_add_tcase(suite, tests);
    return suite;
}

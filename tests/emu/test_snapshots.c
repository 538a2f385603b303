/* An emulator that is started from snapshots answers like one that replays its whole journal; a
 * snapshot that is damaged, torn, foreign or not named is not used, and nothing is lost by that. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emu/session/session_image.h"
#include "sim/base/checksum.h"
#include "sim/cli/files.h"
#include "tests/emu/twins.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

enum { ROUNDS = 12, REQUESTS_A_ROUND = 120, ENTRIES_MAX = 4096 };

/* --- Support --- */

static const char *slot_path(const Twin *twin, int slot)
{
    return arena_printf(twin->small.arena, "%s/state/snapshot-%d", twin->small.folder, slot);
}

static void take_snapshot(Twin *twin)
{
    snapshots_rest(twin->small.emulator, true);
    ck_assert_int_gt(twin->small.emulator->snapshots.used.image.bytes, 0);
}

static bool is_from_snapshot(const Twin *twin)
{
    return twin->small.emulator->snapshots.used.image.bytes > 0;
}

static void remove_snapshots(const Twin *twin)
{
    for (int slot = 0; slot < 2; slot++)
        unlink(slot_path(twin, slot));
}

/* All entries of the share, in depth. */
static void print_files(Twin *twin, const char *path, Text *out)
{
    Arena *arena = arena_create();
    FilesEntry *entries;
    int32_t count;
    bool more;
    const ShareName share = {.account = "acct", .share = "share"};
    ck_assert_int_eq(files_list(twin->small.emulator->files, arena, share, path, "", "",
                                ENTRIES_MAX, &entries, &count, &more),
                     FILES_OK);
    for (int32_t i = 0; i < count; i++) {
        const char *name =
            *path ? arena_printf(arena, "%s/%s", path, entries[i].name) : entries[i].name;
        text_printf(out, "%s %" PRId64 " %" PRIx64 "\n", name, entries[i].bytes,
                    (uint64_t)entries[i].etag);
        if (entries[i].kind == FILES_DIRECTORY)
            print_files(twin, name, out);
    }
    arena_destroy(arena);
}

static const char *files_of(Twin *twin)
{
    Text text = {0};
    print_files(twin, "", &text);
    const char *copy = arena_strdup(twin->small.arena, text_string(&text));
    text_free(&text);
    return copy;
}

static void ask_both(Twin *a, Twin *b)
{
    const Said said = draw_request();
    ask(a, said.method, said.target, said.body);
    ask(b, said.method, said.target, said.body);
}

static void compare(Twin *a, Twin *b)
{
    ck_assert_str_eq(exported(a), exported(b));
    ck_assert_str_eq(records(a), records(b));
    ck_assert_str_eq(files_of(a), files_of(b));
}

/* An emulator after some requests and a snapshot. */
static void begin_with_snapshot(Twin *twin)
{
    twin_begin(twin, 7, false);
    draw_state = 42;
    for (int i = 0; i < REQUESTS_A_ROUND; i++) {
        const Said said = draw_request();
        ask(twin, said.method, said.target, said.body);
    }
    take_snapshot(twin);
}

/* --- Equal --- */

START_TEST(a_start_from_a_snapshot_is_like_a_replay)
{
    Twin restored, replayed;
    twin_begin(&restored, 1 + (uint64_t)_i, false); // the first one has the fixed address
    twin_begin(&replayed, 1 + (uint64_t)_i, false);
    draw_state = 1000000 * (uint64_t)_i;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < REQUESTS_A_ROUND; i++)
            ask_both(&restored, &replayed);
        twins_agree(&restored, &replayed, (round + 1) * REQUESTS_A_ROUND);
        if (round % 3 != 2) // otherwise it is older than the last entries
            take_snapshot(&restored);
        twin_restart(&restored);
        twin_restart(&replayed);
        ck_assert(is_from_snapshot(&restored));
        ck_assert(!is_from_snapshot(&replayed));
        compare(&restored, &replayed);
    }
    remove_snapshots(&restored);
    twin_restart(&restored);
    ck_assert(!is_from_snapshot(&restored));
    compare(&restored, &replayed);
    twin_end(&restored);
    twin_end(&replayed);
}
END_TEST

START_TEST(a_snapshot_is_taken_at_an_orderly_end)
{
    Twin twin;
    Status status = {0};
    twin_begin(&twin, 7, false);
    draw_state = 43;
    while (session_sequence(twin.small.emulator->session) < 300) {
        const Said said = draw_request();
        ask(&twin, said.method, said.target, said.body);
    }
    ck_assert(emulator_rest(twin.small.emulator, &status));
    const char *before = exported(&twin), *events = records(&twin);
    twin_restart(&twin);
    ck_assert(is_from_snapshot(&twin));
    ck_assert_str_eq(before, exported(&twin));
    ck_assert_str_eq(events, records(&twin));
    twin_end(&twin);
}
END_TEST

/* --- Not used --- */

static void flip_bit(const char *path, off_t at, int bit)
{
    const int descriptor = open(path, O_RDWR);
    unsigned char byte;
    ck_assert_int_eq(pread(descriptor, &byte, 1, at), 1);
    byte ^= (unsigned char)(1 << bit);
    ck_assert_int_eq(pwrite(descriptor, &byte, 1, at), 1);
    close(descriptor);
}

static StatusCode read_code(const char *path, ImageFacts facts)
{
    Status status = {0};
    SessionMemory memory = session_memory_reserve();
    ck_assert(!session_image_read(&memory, path, facts, &status));
    ck_assert_ptr_null(memory.heap);
    session_memory_close(&memory);
    return status.code;
}

/* Any changed bit is noticed. */
START_TEST(flipped_bits_are_noticed)
{
    enum { FLIPS = 200, HEADER_BYTES = 96 };
    Twin twin;
    struct stat about;
    begin_with_snapshot(&twin);
    const Snapshot good = twin.small.emulator->snapshots.used;
    const char *path = slot_path(&twin, good.slot);
    ck_assert_int_eq(stat(path, &about), 0);
    for (int flip = 0; flip < FLIPS; flip++) {
        const off_t at =
            flip < HEADER_BYTES ? flip : about.st_size / FLIPS * flip + (off_t)draw(4096);
        flip_bit(path, at, flip % 8);
        ck_assert_int_eq(read_code(path, good.image), STATUS_BAD_INPUT);
        flip_bit(path, at, flip % 8);
    }
    ck_assert_int_eq(truncate(path, about.st_size - 1), 0);
    ck_assert_int_eq(read_code(path, good.image), STATUS_BAD_INPUT);
    ck_assert_int_eq(chmod(path, 0622), 0);
    ck_assert_int_eq(read_code(path, good.image), STATUS_BAD_INPUT);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(read_code(path, good.image), STATUS_MACHINE);
    twin_end(&twin);
}
END_TEST

static void damage(const Twin *twin, const char *path, ImageFacts *facts)
{
    (void)twin, (void)facts;
    flip_bit(path, 20000, 3);
}

static void cut(const Twin *twin, const char *path, ImageFacts *facts)
{
    (void)twin;
    ck_assert_int_eq(truncate(path, facts->bytes / 2), 0);
}

static void lose(const Twin *twin, const char *path, ImageFacts *facts)
{
    (void)twin, (void)facts;
    ck_assert_int_eq(unlink(path), 0);
}

/* As another build of the program would have written it, with the right checksum. */
static void be_foreign(const Twin *twin, const char *path, ImageFacts *facts)
{
    char *data;
    size_t length;
    Status status = {0};
    flip_bit(path, 24, 0); // of the build id
    ck_assert(file_read(twin->small.arena, path, (size_t)facts->bytes, &data, &length, &status));
    facts->checksum = checksum(data, length);
    Store *store = twin->small.emulator->store;
    ck_assert(store_set(store, "snapshot",
                        arena_printf(twin->small.arena, "%d 1 %" PRId64 " %" PRIx64,
                                     twin->small.emulator->snapshots.used.slot, facts->bytes,
                                     facts->checksum),
                        &status));
    ck_assert(store_commit(store, &status));
}

static void (*const harms[])(const Twin *twin, const char *path,
                             ImageFacts *facts) = {damage, cut, lose, be_foreign};

/* The journal is replayed instead; the file that cannot be used is removed by the first tick. */
START_TEST(a_snapshot_that_cannot_be_used_loses_nothing)
{
    Twin twin;
    begin_with_snapshot(&twin);
    const char *before = exported(&twin), *events = records(&twin);
    Snapshot used = twin.small.emulator->snapshots.used;
    const char *path = slot_path(&twin, used.slot);
    harms[_i](&twin, path, &used.image);
    twin_restart(&twin);
    ck_assert(!is_from_snapshot(&twin));
    ck_assert_str_eq(before, exported(&twin));
    ck_assert_str_eq(events, records(&twin));
    emulator_tick(twin.small.emulator, 1, twin.small.emulator->pace.real_unix_ms);
    ck_assert_int_ne(access(path, F_OK), 0);
    take_snapshot(&twin);
    twin_restart(&twin);
    ck_assert(is_from_snapshot(&twin));
    twin_end(&twin);
}
END_TEST

/* --- Crashes --- */

static const char *contents_of(const Twin *twin, int slot, size_t *length)
{
    char *data;
    Status status = {0};
    ck_assert(file_read(twin->small.arena, slot_path(twin, slot), (size_t)1 << 30, &data, length,
                        &status));
    return data;
}

static void put_file(const Twin *twin, int slot, const char *data, size_t length)
{
    Status status = {0};
    ck_assert(file_write(slot_path(twin, slot), data, length, &status));
    ck_assert_int_eq(chmod(slot_path(twin, slot), 0600), 0);
}

/* The state after a crash in the second snapshot, which is in the other file than the first. */
typedef struct {
    bool is_named;  /* the store's last commit names the second */
    size_t written; /* its length, in quarters */
    bool is_lost;   /* the disk has kept zeros instead of it */
    bool has_first; /* the file of the first is still there */
    int64_t from;   /* the snapshot that is used; 0: none */
} CrashStep;

static const CrashStep steps[] = {
    {false, 0, false, true, 1}, {false, 1, false, true, 1}, {false, 3, true, true, 1},
    {false, 4, false, true, 1}, {true, 4, false, true, 2},  {true, 4, false, false, 2},
    {true, 4, true, true, 0},   {true, 2, false, true, 0},  {true, 0, false, false, 0},
};

START_TEST(every_step_of_a_snapshot_can_be_the_last)
{
    const CrashStep *step = &steps[_i];
    Twin twin;
    size_t length;
    Status status = {0};
    begin_with_snapshot(&twin);
    Arena *arena = twin.small.arena;
    const Snapshot first = twin.small.emulator->snapshots.used;
    const char *first_name = store_setting(twin.small.emulator->store, arena, "snapshot");
    size_t first_length;
    const char *first_data = contents_of(&twin, first.slot, &first_length);
    for (int i = 0; i < REQUESTS_A_ROUND; i++) {
        const Said said = draw_request();
        ask(&twin, said.method, said.target, said.body);
    }
    const char *before = exported(&twin), *events = records(&twin);
    take_snapshot(&twin);
    const Snapshot second = twin.small.emulator->snapshots.used;
    ck_assert_int_ne(first.slot, second.slot);
    const char *data = contents_of(&twin, second.slot, &length);
    if (!step->is_named) {
        ck_assert(store_set(twin.small.emulator->store, "snapshot", first_name, &status));
        ck_assert(store_commit(twin.small.emulator->store, &status));
    }
    remove_snapshots(&twin);
    if (step->has_first)
        put_file(&twin, first.slot, first_data, first_length);
    if (step->written > 0)
        put_file(&twin, second.slot, step->is_lost ? arena_alloc(arena, length) : data,
                 length * step->written / 4);
    twin_restart(&twin);
    const int64_t from = twin.small.emulator->snapshots.used.sequence;
    ck_assert_int_eq(from, step->from == 0   ? 0
                           : step->from == 1 ? first.sequence
                                             : second.sequence);
    ck_assert_str_eq(before, exported(&twin));
    ck_assert_str_eq(events, records(&twin));
    twin_end(&twin);
}
END_TEST

/* The process that is killed: makes groups, and reports each once it is committed. With `waits` it
 * makes none while a snapshot is written, so that there are snapshots on a busy machine, too. */
static void work(Twin *twin, int first, bool waits, int acknowledge)
{
    small_emulator_start(&twin->small);
    const Emulator *emulator = twin->small.emulator;
    for (int n = first;; n++) {
        char group[DEPTH_BYTES];
        snprintf(group, sizeof group, GROUPS "k%d", n);
        ask(twin, n % 3 == 2 ? HTTP_DELETE : HTTP_PUT, group, "{\"location\": \"northeurope\"}");
        if (write(acknowledge, &n, sizeof n) != sizeof n)
            _exit(1);
        do
            emulator_tick(twin->small.emulator, 1 + n, emulator->pace.real_unix_ms);
        while (waits && emulator->snapshots.writer >= 0);
        text_clear(&twin->said);
    }
}

/* Kills a worker `wait_us` after its report number `reports`. Returns the last group that it has
 * reported. */
static int kill_a_worker(Twin *twin, int first, bool waits, uint32_t reports, uint32_t wait_us)
{
    int pipes[2], last = first - 1, ended;
    ck_assert_int_eq(pipe(pipes), 0);
    const pid_t worker = fork();
    ck_assert_int_ge(worker, 0);
    if (worker == 0) {
        close(pipes[0]);
        work(twin, first, waits, pipes[1]);
    }
    close(pipes[1]);
    for (uint32_t i = 0; i < reports; i++)
        ck_assert_int_eq(read(pipes[0], &last, sizeof last), sizeof last);
    const struct timespec wait = {.tv_nsec = wait_us * 1000L};
    nanosleep(&wait, NULL);
    kill(worker, SIGKILL);
    ck_assert_int_eq(waitpid(worker, &ended, 0), worker);
    ck_assert(WIFSIGNALED(ended));
    while (read(pipes[0], &last, sizeof last) == sizeof last)
        ;
    close(pipes[0]);
    return last;
}

/* Groups 0, 1, 3, 4, ... exist; requests for 2, 5, ... delete what is not there. */
static void find_groups(Twin *twin, int last)
{
    for (int n = 0; n <= last; n++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", n);
        const Record *found =
            session_find(twin->small.emulator->session, RECORD_GROUP, (ResourcePath){.name = name});
        ck_assert_msg((found != NULL) == (n % 3 != 2), "group %d of %d", n, last);
    }
}

/* Snapshots are made all the time, so that many kills meet one. */
START_TEST(acknowledged_writes_outlive_kills_during_snapshots)
{
    enum { KILLS = 60, ENTRIES = 10, LONGEST_US = 5000 };
    Twin twin;
    int last = -1, from_snapshots = 0;
    twin_begin(&twin, 7, false);
    draw_state = 44;
    twin.small.snapshot_entries = ENTRIES;
    emulator_close(twin.small.emulator);
    for (int i = 0; i < KILLS; i++) {
        const bool waits = i % 2 == 0;
        last = kill_a_worker(&twin, last + 1, waits, 1 + draw(4 * ENTRIES), 1 + draw(LONGEST_US));
        small_emulator_start(&twin.small);
        from_snapshots += is_from_snapshot(&twin);
        find_groups(&twin, last);
        // What was committed and not reported is repeated by the next worker.
        emulator_close(twin.small.emulator);
    }
    ck_assert_int_gt(from_snapshots, KILLS / 2);
    twin.small.emulator = NULL;
    twin_end(&twin);
}
END_TEST

Suite *test_suite(void)
{
    TCase *cases = tcase_create("snapshots");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, a_start_from_a_snapshot_is_like_a_replay, 0, case_count(3));
    tcase_add_test(cases, a_snapshot_is_taken_at_an_orderly_end);
    tcase_add_test(cases, flipped_bits_are_noticed);
    tcase_add_loop_test(cases, a_snapshot_that_cannot_be_used_loses_nothing, 0,
                        sizeof harms / sizeof *harms);
    tcase_add_loop_test(cases, every_step_of_a_snapshot_can_be_the_last, 0,
                        sizeof steps / sizeof *steps);
    tcase_add_test(cases, acknowledged_writes_outlive_kills_during_snapshots);
    Suite *suite = suite_create("snapshots");
    suite_add_tcase(suite, cases);
    return suite;
}

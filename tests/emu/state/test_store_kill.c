/* A process that enters and acknowledges is killed at random moments: what it has acknowledged is
 * there, and nothing by halves. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emu/state/store.h"
#include "sim/base/text.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/theory.h"

enum { KILLS_PER_STATE = 20, LONGEST = 9600 };

typedef struct {
    uint64_t state;
} Dice;

static uint32_t roll(Dice *dice, uint32_t sides)
{
    dice->state = dice->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((dice->state >> 33) % sides);
}

/* "GROUP/SIZE/xxx...": which transaction an entry belongs to, how many entries that has, and
 * contents that the number of the entry decides. */
static void print_entry(Text *text, int64_t sequence, int64_t group, uint32_t size)
{
    text_clear(text);
    text_printf(text, "%" PRId64 "/%" PRIu32 "/", group, size);
    static char letters[LONGEST + 16];
    if (letters[0] == '\0')
        for (size_t i = 0; i < sizeof letters; i++)
            letters[i] = (char)('a' + i % 16);
    // Some fill several pages.
    text_append(text, letters + sequence % 16,
                sequence % 7 == 0 ? LONGEST : (size_t)(32 + 16 * (sequence % 5)));
}

/* The entries that a replay has found. */
typedef struct {
    int64_t sequence;
    int64_t group;
    uint32_t left; /* entries of the group that are still to come */
} Found;

/* The worker checks entries too and may be killed meanwhile. Libcheck's assertions write to a pipe,
 * so only the killing process uses them. */
static bool check_entry(void *owner, const JournalEntry *entry, Status *status)
{
    Found *found = owner;
    Text expected = {0};
    uint32_t size = (uint32_t)strtoul(strchr(entry->command, '/') + 1, NULL, 10);
    if (found->left == 0) {
        found->group++;
        found->left = size;
    }
    found->left--;
    found->sequence++;
    print_entry(&expected, found->sequence, found->group, size);
    const bool is_right =
        entry->sequence == found->sequence && strcmp(entry->command, text_string(&expected)) == 0;
    text_free(&expected);
    return is_right ||
           status_fail(status, STATUS_BAD_INPUT, place_in("journal", 0, 0),
                       "entry %" PRId64 " is \"%.60s...\"", entry->sequence, entry->command);
}

/* False where an entry is wrong, or a transaction there by halves. */
static bool look(Store *store, Found *found, Status *status)
{
    *found = (Found){0};
    return store_replay(store, JOURNAL_ALL, found, check_entry, status) &&
           (found->left == 0 || status_fail(status, STATUS_BAD_INPUT, place_in("journal", 0, 0),
                                            "%" PRIu32 " entries are missing", found->left));
}

/* The process that is killed: adds entries endlessly and reports each commit. */
static void work(const char *folder, int acknowledge, Dice dice)
{
    Status status = {0};
    Text text = {0};
    Found found;
    Store *store = store_open(folder, &status);
    if (store == NULL || !look(store, &found, &status))
        _exit(1);
    for (;;) {
        uint32_t size = 1 + roll(&dice, 6);
        found.group++;
        for (uint32_t i = 0; i < size; i++) {
            print_entry(&text, ++found.sequence, found.group, size);
            const JournalEntry entry = {.sequence = found.sequence,
                                        .list = "commands",
                                        .command = text_string(&text),
                                        .kept = "",
                                        .subject = ""};
            if (!store_enter(store, &entry, &status))
                _exit(1);
        }
        if (!store_commit(store, &status) ||
            write(acknowledge, &found.sequence, sizeof found.sequence) != sizeof found.sequence)
            _exit(1);
    }
}

/* Kills a worker; the last entry that it acknowledged, 0: none. */
static int64_t kill_a_worker(const char *folder, Dice *dice)
{
    int pipes[2];
    ck_assert_int_eq(pipe(pipes), 0);
    pid_t worker = fork();
    ck_assert(worker >= 0);
    if (worker == 0) {
        close(pipes[0]);
        work(folder, pipes[1], *dice);
    }
    close(pipes[1]);
    // One in four while it opens the store, the others while it works.
    int64_t acknowledged = 0;
    if (roll(dice, 4) > 0)
        ck_assert_int_eq(read(pipes[0], &acknowledged, sizeof acknowledged), sizeof acknowledged);
    const struct timespec wait = {.tv_nsec = (long)roll(dice, 1000000)};
    nanosleep(&wait, NULL);
    ck_assert_int_eq(kill(worker, SIGKILL), 0);
    int ended;
    ck_assert_int_eq(waitpid(worker, &ended, 0), worker);
    ck_assert(WIFSIGNALED(ended)); // a signal ended the worker
    while (read(pipes[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged)
        ;
    close(pipes[0]);
    return acknowledged;
}

START_TEST(acknowledged_operations_outlive_a_kill)
{
    Arena *arena = arena_create();
    const char *folder = temporary_folder_create(arena);
    Dice dice = {20180718};
    const int32_t kills = case_count(200);
    int32_t kills_in_work = 0;
    for (int32_t i = 0; i < kills; i++) {
        const char *state = arena_printf(arena, "%s/%d", folder, (int)i / KILLS_PER_STATE);
        int64_t acknowledged = kill_a_worker(state, &dice);
        kills_in_work += acknowledged > 0;
        Status status = {0};
        Store *store = store_open(state, &status);
        ck_assert_msg(store != NULL, "kill %d: %s", (int)i, status.message);
        Found found;
        ck_assert_msg(look(store, &found, &status), "kill %d: %s", (int)i, status.message);
        ck_assert_msg(found.sequence >= acknowledged,
                      "kill %d: %" PRId64 " was acknowledged, %" PRId64 " is there", (int)i,
                      acknowledged, found.sequence);
        store_close(store);
    }
    ck_assert_int_gt(kills_in_work, kills / 2);
    temporary_folder_remove(folder);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("store_kill");
    TCase *tests = tcase_create("store_kill");
    tcase_add_test(tests, acknowledged_operations_outlive_a_kill);
    suite_add_tcase(suite, tests);
    return suite;
}

/* Processes that append to the journals of one study and are killed at random moments. Started
 * again until all runs are there, they leave the runs of a study that was never disturbed. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/philox.h"
#include "sim/study/journal/journal.h"
#include "sim/study/journal/shard.h"
#include "tests/support/run_journal.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

enum { WRITERS = 3, POINTS = 40, REPLICATIONS = 50, ROUNDS_MAX = 400 };

static void pause_us(int64_t us)
{
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

/* Appends the missing runs of a shard: a study without its simulator. Some runs take time, so that
 * groups of different sizes are written. */
static bool has_record(const RunRecords *records, int32_t point, int32_t replication)
{
    int64_t i = 0;
    while (i < records->count &&
           (records->items[i].point != point || records->items[i].replication != replication))
        i++;
    return i < records->count;
}

static bool write_missing(const char *folder, int32_t index)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    Status status;
    RunRecords present;
    Journal *journal = journal_open(arena, folder, &test_identity, index, 0, &status);
    bool is_right = journal && journal_scan(arena, folder, &test_identity, &present, &problems);
    const ShardPlan plan = shard_plan((Shard){index, WRITERS}, POINTS, REPLICATIONS, false);
    for (int32_t i = 0; is_right && i < POINTS * REPLICATIONS; i++) {
        const int32_t point = i / REPLICATIONS, replication = i % REPLICATIONS;
        TestRun run;
        if (!shard_has(&plan, point, replication) || has_record(&present, point, replication))
            continue;
        if (i % 5 == 0)
            pause_us(300);
        is_right = journal_append(journal, test_run(&run, point, replication), &status);
    }
    is_right = is_right && journal_close(journal, &status);
    arena_destroy(arena);
    return is_right;
}

static pid_t start_writer(const char *folder, int32_t index)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(write_missing(folder, index) ? 0 : 1);
    ck_assert_int_gt(child, 0);
    return child;
}

/* Starts all writers and kills one of them after a while, or none in the last round. Returns how
 * many were killed before their end. */
static int32_t run_round(const char *folder, int32_t round, bool is_killing)
{
    pid_t writers[WRITERS];
    for (int32_t i = 0; i < WRITERS; i++)
        writers[i] = start_writer(folder, i);
    const PhiloxBlock draw = philox(11, (PhiloxBlock){{(uint32_t)round, 0, 0, 0}});
    if (is_killing) {
        pause_us(draw.word[0] % 60000);
        for (int32_t i = 0; i < WRITERS; i++)
            if (draw.word[1] % (1 << WRITERS) & 1u << i)
                kill(writers[i], SIGKILL);
    }
    int32_t killed = 0;
    for (int32_t i = 0; i < WRITERS; i++) {
        int state;
        ck_assert_int_eq(waitpid(writers[i], &state, 0), writers[i]);
        ck_assert(WIFSIGNALED(state) || WEXITSTATUS(state) == 0);
        killed += WIFSIGNALED(state);
    }
    return killed;
}

START_TEST(no_run_is_lost_doubled_or_changed_by_kills)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    RunRecords records;
    int32_t killed = 0, studies = 0;
    for (int32_t round = 0; killed < 30 && round < ROUNDS_MAX; studies++) {
        const char *folder = temporary_folder_create(arena);
        for (int32_t kills = 1; kills > 0; round++) {
            kills = run_round(folder, round, round < ROUNDS_MAX);
            killed += kills;
        }
        ck_assert(journal_scan(arena, folder, &test_identity, &records, &problems));
        ck_assert_int_eq(records.count, POINTS * REPLICATIONS);
        ck_assert_int_eq(records.torn_count, 0);
        for (int32_t i = 0; i < POINTS * REPLICATIONS; i++) {
            TestRun run;
            ck_assert(run_record_is_same(&records.items[i],
                                         test_run(&run, i / REPLICATIONS, i % REPLICATIONS)));
        }
        temporary_folder_remove(folder);
    }
    ck_assert_int_ge(killed, 30);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("killed_writers");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, no_run_is_lost_doubled_or_changed_by_kills);
    suite_add_tcase(suite, tests);
    return suite;
}

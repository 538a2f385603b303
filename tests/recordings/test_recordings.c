/* Recorded sessions of the real service, replayed: every table (*.tsv) next to this file against
 * runs of its scenario with many seeds. TRAINYARD_RECORDINGS names another folder of tables. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/cli/files.h"
#include "sim/scenario/read.h"
#include "tests/support/observation.h"
#include "tests/support/suite.h"

enum { SEEDS = 100, COMPARABLE_LEAST = 5 };

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static bool disk_read(void *context, Arena *into, const char *path, const char **text,
                      size_t *length, Status *status)
{
    char *data = NULL;
    (void)context;
    if (!file_read(into, path, 64 << 20, &data, length, status))
        return false;
    *text = data;
    return true;
}

static bool disk_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    struct stat facts;
    (void)context;
    if (stat(path, &facts) != 0)
        return status_fail(status, STATUS_NOT_FOUND, place_in(path, 0, 0), "%s", strerror(errno));
    *bytes = (int64_t)facts.st_size;
    return true;
}

static const Scenario *read_scenario(const char *path)
{
    Problems problems = problems_create(arena);
    const ScenarioFile *file =
        scenario_read(arena, (FileSource){.read = disk_read, .size = disk_size},
                      arena_printf(arena, "%s/%s", TRAINYARD_SOURCE_DIR, path),
                      (ScenarioOverrides){0}, &problems);
    ck_assert_msg(file != NULL, "%s: %s", path,
                  problems.count > 0 ? problems.items[0].message : "");
    return &file->scenario;
}

static Observation *read_table(const char *path)
{
    char *text = NULL;
    size_t length = 0;
    Status status = {0};
    const char *problem;
    ck_assert_msg(file_read(arena, path, 1 << 20, &text, &length, &status), "%s", status.message);
    Observation *observation = observation_read(arena, text, &problem);
    ck_assert_msg(observation != NULL, "%s: %s", path, problem);
    return observation;
}

static void replay_table(const char *path)
{
    const Observation *observation = read_table(path);
    const Scenario *scenario = read_scenario(observation_scenario(observation));
    int32_t verdicts[REPLAY_CONTRADICTS + 1] = {0};
    for (uint64_t s = 0; s < SEEDS; s++) {
        const char *why = "";
        Arena *run = arena_create();
        ReplayVerdict verdict =
            observation_replay(run, observation, scenario, scenario->seed + s, &why);
        ck_assert_msg(verdict != REPLAY_CONTRADICTS, "%s, seed %d: %s", path,
                      (int)(scenario->seed + s), why);
        // The shipped seed reproduces the recorded session.
        ck_assert_msg(s > 0 || verdict == REPLAY_FITS_POLLS, "%s: %d", path, (int)verdict);
        verdicts[verdict]++;
        arena_destroy(run);
    }
    printf("  %s: of %d seeds %d fit the polls, %d more agree, %d are other sessions\n", path,
           SEEDS, (int)verdicts[REPLAY_FITS_POLLS], (int)verdicts[REPLAY_AGREES],
           (int)verdicts[REPLAY_NOT_COMPARABLE]);
    ck_assert_int_ge(verdicts[REPLAY_FITS_POLLS] + verdicts[REPLAY_AGREES], COMPARABLE_LEAST);
}

static int is_table(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && strcmp(end, ".tsv") == 0;
}

START_TEST(recorded_sessions_come_out_again)
{
    const char *folder = getenv("TRAINYARD_RECORDINGS");
    struct dirent **entries;
    if (folder == NULL)
        folder = TRAINYARD_SOURCE_DIR "/tests/recordings";
    int count = scandir(folder, &entries, is_table, alphasort);
    ck_assert_msg(count > 0, "no tables in %s", folder);
    for (int i = 0; i < count; i++) {
        replay_table(arena_printf(arena, "%s/%s", folder, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
}
END_TEST

/* The checker itself: tables that contradict. */
static const struct {
    const char *rows;
    ReplayVerdict verdict;
} tables[] = {
    {"see\t19\tcluster\tcluster39da1597\tsucceeded resizing 0 0/0/0/0/0\n", REPLAY_FITS_POLLS},
    {"see\t19\tcluster\tcluster39da1597\tsucceeded steady 0 0/0/0/0/0\n", REPLAY_CONTRADICTS},
    {"see\t200\tcluster\tcluster39da1597\tsucceeded steady 1 0/0/0/1/0\n"
     "see\t210\tcluster\tcluster39da1597\tsucceeded resizing 0 0/0/0/0/0\n",
     REPLAY_CONTRADICTS},
    // Two minutes of preparation that polls every five seconds did not show.
    {"see\t100\tcluster\tcluster39da1597\tsucceeded resizing 0 0/0/0/0/0\n"
     "see\t105\tcluster\tcluster39da1597\tsucceeded steady 1 0/1/0/0/0\n",
     REPLAY_AGREES},
    {"wait\t50\tcluster\tcluster39da1597\tready\n", REPLAY_NOT_COMPARABLE},
    {"band\tcluster\tcluster39da1597\tsubmitted\tsteady\t1\t2\t\n", REPLAY_CONTRADICTS},
    {"band\tcluster\tcluster39da1597\tsubmitted\tstarted\t1\t2000\t\n", REPLAY_CONTRADICTS},
};

START_TEST(tables_that_contradict_are_found)
{
    const Scenario *scenario = read_scenario("scenarios/recordings/setup-task/scenario.json");
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const char *problem, *why = "";
        Observation *observation = observation_read(
            arena, arena_printf(arena, "scenario\tx\n%s", tables[i].rows), &problem);
        ck_assert_ptr_nonnull(observation);
        ck_assert_msg(observation_replay(arena, observation, scenario, scenario->seed, &why) ==
                          tables[i].verdict,
                      "row %zu: %s", i, why);
    }
}
END_TEST

START_TEST(a_line_that_is_no_row_is_refused)
{
    static const char *const bad[] = {"",
                                      "see\t1\tcluster\tx\tgone\n",
                                      "scenario\tx\nsee\tsoon\tcluster\tx\tgone\n",
                                      "scenario\tx\nsee\t2\tcluster\tx\ta\nsee\t1\tcluster\tx\tb\n",
                                      "scenario\tx\nsee\t1\tqueue\tx\tgone\n",
                                      "scenario\tx\nwait\t1\tcluster\tx\tlater\n",
                                      "scenario\tx\nband\tjob\tx\tsubmitted\tgone\t1\n",
                                      "scenario\tx\nhear\t1\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *problem = NULL;
        ck_assert_msg(observation_read(arena, bad[i], &problem) == NULL, "row %zu", i);
        ck_assert_ptr_nonnull(problem);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("recordings");
    TCase *tests = tcase_create("recordings");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, recorded_sessions_come_out_again);
    tcase_add_test(tests, tables_that_contradict_are_found);
    tcase_add_test(tests, a_line_that_is_no_row_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

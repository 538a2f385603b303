/* trainyard test: scenarios as regression tests. */
#include <stdio.h>

#include "sim/cli/files.h"
#include "sim/output/array.h"
#include "sim/output/expect_check.h"
#include "sim/output/job_files.h"
#include "sim/output/metrics.h"
#include "sim/output/test_report.h"
#include "sim/scenario/glob.h"
#include "sim/verbs/run_scenario.h"
#include "sim/verbs/scenario_find.h"
#include "sim/verbs/verbs.h"

typedef struct {
    const char *junit_file;
    bool checks_always;
} TestArguments;

static const Option test_options[] = {
    {.name = "junit",
     .kind = OPTION_FILE,
     .argument = "FILE",
     .help = "write the results as JUnit XML too",
     .offset = offsetof(TestArguments, junit_file)},
    {.name = "check",
     .kind = OPTION_FLAG,
     .help = "check every invariant of the world after every event",
     .offset = offsetof(TestArguments, checks_always)},
    {0},
};

static const OptionTable test_table = {
    .name = "test",
    .operands = "SCENARIO|DIR...",
    .summary = "Runs scenarios and checks what they expect; prints TAP.",
    .details = "Below a folder every scenario.json is a test. Exit code 0 when all expectations "
               "hold, 1 when one does not, 2 when a scenario is not right.",
    .example = "trainyard test scenarios/\n"
               "trainyard test scenarios/cifar10-horovod/scenario.json --junit out/results.xml",
    .options = test_options,
    .operand_count_min = 1,
    .operand_count_max = INT32_MAX,
};

/* All cases so far. */
typedef struct {
    Arena *arena;
    TestCase *cases;
    uint32_t count, capacity;
    int32_t failures;
} TestRun;

static void add_case(TestRun *tests, TestCase test)
{
    tests->cases = array_room(tests->arena, tests->cases, tests->count + 1, &tests->capacity,
                              sizeof *tests->cases);
    tests->cases[tests->count++] = test;
    tests->failures += !test.holds;
    Text line = {0};
    test_report_tap(&line, (int32_t)tests->count, &test);
    fputs(text_string(&line), stdout);
    fflush(stdout); // a run may take a while: each result shows when it is there
    text_free(&line);
}

/* --- Files: those that were written, and the logs of jobs, which are nowhere stored --- */

static int64_t count_written(Arena *arena, const RunMetrics *metrics, const char *pattern)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < metrics->file_count; i++) {
        const FileMetrics *file = &metrics->files[i];
        count += glob_matches(
            pattern,
            arena_printf(arena, "%s/%s", metrics->shares[file->share.index].name, file->path));
    }
    return count;
}

static int64_t count_logs(Arena *arena, const World *world, const char *pattern)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < world_job_count(world); i++) {
        const Job *job = world_job(world, (JobId){i});
        const char *share = job->spec->std_out_err.share;
        if (share == NULL)
            continue;
        int32_t file_count;
        const FileEntry *files =
            job_files_list(world, job, world_now_ns(world), arena, &file_count);
        for (int32_t f = 0; f < file_count; f++)
            count += glob_matches(pattern, arena_printf(arena, "%s/%s/%s", share,
                                                        job_files_directory(world, job, arena),
                                                        files[f].name));
    }
    return count;
}

/* --- Expectations --- */

static ExpectAnswer answer(Arena *arena, const RunResult *run, const Expectation *expectation)
{
    switch (expectation->kind) {
    case EXPECT_STATE:
        return expect_equals(arena, run->summary, expectation->subject, expectation->equals);
    case EXPECT_METRIC:
        if (expectation->equals != NULL)
            return expect_equals(arena, run->summary, expectation->subject, expectation->equals);
        return expect_between(arena, run->summary, expectation->subject, expectation->low,
                              expectation->high);
    case EXPECT_FILES:
        break;
    }
    const int64_t count = count_written(arena, run->metrics, expectation->subject) +
                          count_logs(arena, run->world, expectation->subject);
    return expect_count(arena, count, expectation->low, expectation->high);
}

static void check_expectations(TestRun *tests, Arena *run_arena, const char *path,
                               const RunResult *run)
{
    for (int32_t i = 0; i < run->file->expectation_count; i++) {
        const Expectation *expectation = &run->file->expectations[i];
        const ExpectAnswer found = answer(run_arena, run, expectation);
        // The cases outlive the run.
        Place at = expectation->at;
        at.source = arena_strdup(tests->arena, at.source);
        add_case(tests, (TestCase){.scenario = path,
                                   .name = arena_strdup(tests->arena, expectation->text),
                                   .holds = found.holds,
                                   .expected = arena_strdup(tests->arena, found.expected),
                                   .got = arena_strdup(tests->arena, found.got),
                                   .at = at});
    }
}

/* One case for the run itself and one for each expectation. An exit code: EXIT_FINE when there was
 * a run, whatever came out. */
static int test_scenario(TestRun *tests, const char *path, const TestArguments *arguments)
{
    Arena *run_arena = arena_create();
    Problems problems = problems_create(run_arena);
    const RunOptions options = {.level = TRACE_LEVEL_JOBS,
                                .checks_always = arguments->checks_always};
    RunResult run;
    const bool has_run = run_scenario(run_arena, path, &options, &run, &problems);
    add_case(tests, (TestCase){.scenario = path,
                               .name = "runs",
                               .holds = has_run,
                               .expected = "a scenario that can be run",
                               .got = "the problems on stderr",
                               .at = place_in(path, 0, 0)});
    if (has_run)
        check_expectations(tests, run_arena, path, &run);
    const int exit_code = report_problems(&problems);
    arena_destroy(run_arena);
    return exit_code;
}

static bool junit_write(const TestRun *tests, const char *path, Status *status)
{
    Text xml = {0};
    test_report_junit(&xml, tests->cases, (int32_t)tests->count);
    const bool is_written = file_write(path, text_string(&xml), xml.length, status);
    text_free(&xml);
    return is_written;
}

/* An exit code. */
static int test_all(TestRun *tests, const ScenarioPaths *paths, const TestArguments *arguments)
{
    Text line = {0};
    test_report_tap_begin(&line);
    fputs(text_string(&line), stdout);
    int worst = EXIT_FINE;
    for (uint32_t i = 0; i < paths->count; i++) {
        const int exit_code = test_scenario(tests, paths->items[i], arguments);
        worst = exit_code > worst ? exit_code : worst;
    }
    text_clear(&line);
    test_report_tap_end(&line, (int32_t)tests->count);
    fputs(text_string(&line), stdout);
    text_free(&line);
    return worst == EXIT_FINE && tests->failures > 0 ? EXIT_NO : worst;
}

static int test(Arena *arena, const Operands *operands, const TestArguments *arguments)
{
    Status status = {0};
    ScenarioPaths paths = {0};
    for (int32_t i = 0; i < operands->count; i++)
        if (!scenario_find(arena, operands->items[i], &paths, &status))
            return report_status(&status);
    TestRun tests = {.arena = arena};
    const int exit_code = test_all(&tests, &paths, arguments);
    if (arguments->junit_file != NULL && !junit_write(&tests, arguments->junit_file, &status))
        return report_status(&status);
    return exit_code;
}

static int run(int argc, char **argv)
{
    Arena *arena = arena_create();
    TestArguments arguments = {0};
    Operands operands;
    int exit_code;
    if (options_read(&test_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = test(arena, &operands, &arguments);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_test = {.options = &test_table, .run = run};

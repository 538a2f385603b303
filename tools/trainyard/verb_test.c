/* trainyard test: scenarios as regression tests. */
#include <signal.h>
#include <stdio.h>

#include "real/launch/real_run_check.h"
#include "sim/base/array.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/processors.h"
#include "sim/study/check/scenario_check.h"
#include "sim/study/check/study_check.h"
#include "tools/trainyard/answer/answer.h"
#include "tools/trainyard/options/scenario_options.h"
#include "tools/trainyard/scenario_find.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    ScenarioChanges changes;
    const char *junit_file;
    bool is_json;
    bool checks_always;
    int64_t seeds; /* 0: the number that each expectation names */
} TestArguments;

#define OWNER TestArguments
static const Field test_options[] = {
    OPTIONS_OF_CHANGES(changes),
    OPTION_FILE(0, "junit", junit_file, "FILE", "write the results as JUnit XML too"),
    OPTION_FLAG(0, "json", is_json, "print JSON instead of TAP (trainyard schema test-answer)"),
    OPTION_FLAG(0, "check", checks_always, "check every invariant of the world after every event"),
    OPTION_INTEGER(0, "seeds", seeds, "N", 2, 100000,
                   "use N seeds for expectations over several seeds, instead of the number that "
                   "they name"),
    {0},
};
#undef OWNER

static const OptionTable test_table = {
    .name = "test",
    .operands = "SCENARIO|STUDY|DIR...",
    .summary = "Runs scenarios and studies and checks their expectations; prints TAP.",
    .details =
        "For a folder, every scenario.json and every study.json below it is a test. Exit code 0 "
        "when all expectations hold, 1 when one does not, 2 when a scenario is not valid. An "
        "expectation that does not hold is shown with the relevant records of the run. Options "
        "are for scenarios; a study is swept in memory if it expects values, and planned if it "
        "expects an answer.",
    .example = "trainyard test scenarios/\n"
               "trainyard test scenarios/cifar10-horovod/scenario.json --junit out/results.xml",
    .options = test_options,
    .operand_count_min = 1,
    .operand_count_max = INT32_MAX,
};

/* The cases of all scenarios so far. */
typedef struct {
    Arena *arena;
    TestCase *cases;
    uint32_t count, capacity;
    int32_t failures;
    int64_t last_ns;   /* the machine's clock when the last case was added */
    bool is_json;      /* nothing is printed before the end */
    Problems problems; /* of all scenarios, if is_json */
    int exit_code;     /* the worst of the problems */
} TestRun;

static void add_case(TestRun *tests, TestCase test)
{
    tests->cases = array_room(tests->arena, tests->cases, tests->count + 1, &tests->capacity,
                              sizeof *tests->cases);
    const int64_t now_ns = machine_clock_ns();
    test.time_ns = now_ns - tests->last_ns;
    tests->last_ns = now_ns;
    tests->cases[tests->count++] = test;
    tests->failures += !test.holds;
    if (tests->is_json)
        return;
    Text line = {0};
    test_report_tap(&line, (int32_t)tests->count, &test);
    fputs(text_string(&line), stdout);
    fflush(stdout); // shows each result at once: the next run may take long
    text_free(&line);
}

/* Prints the problems of a scenario, or keeps them for the document. */
static void add_problems(TestRun *tests, Problems *problems)
{
    const int exit_code = exit_code_of_problems(problems);
    tests->exit_code = exit_code > tests->exit_code ? exit_code : tests->exit_code;
    if (!tests->is_json) {
        (void)report_problems(problems);
        return;
    }
    for (int32_t i = 0; i < problems->kept; i++) { // the names end with the scenario's run
        Place *at = &problems->items[i].at;
        at->source = at->source != NULL ? arena_strdup(tests->arena, at->source) : NULL;
    }
    problems_merge(&tests->problems, problems);
}

/* --- Scenarios and studies --- */

static void add_case_to(void *tests, TestCase test)
{
    add_case(tests, test);
}

/* Refuses jobs of real execution, unless a session has recorded what they did. */
static void refuse_real_jobs(void *owner, ScenarioFile *file, Problems *problems)
{
    (void)owner;
    if (json_member(file->root, "session") == NULL)
        real_run_check(&file->scenario, false, problems);
}

static void test_scenario(TestRun *tests, FileSource files, const char *path,
                          const TestArguments *arguments)
{
    Arena *run_arena = arena_create();
    Problems problems = problems_create(run_arena);
    const ScenarioCheck check = {.overrides = scenario_overrides(&arguments->changes),
                                 .seeds = arguments->seeds,
                                 .checks_always = arguments->checks_always,
                                 .version = TRAINYARD_VERSION,
                                 .prepare = refuse_real_jobs};
    scenario_check(tests->arena, run_arena, files, path, &check,
                   (TestCaseSink){.to = tests, .add = add_case_to}, &problems);
    add_problems(tests, &problems);
    arena_destroy(run_arena);
}

static void test_study(TestRun *tests, FileSource files, const char *path)
{
    Problems problems = problems_create(tests->arena);
    const int ended_by =
        study_check(tests->arena, files, path, processors_available(), TRAINYARD_VERSION,
                    (TestCaseSink){.to = tests, .add = add_case_to}, &problems);
    if (ended_by != 0) // no other test shall begin
        raise(ended_by);
    add_problems(tests, &problems);
}

static void test_one(TestRun *tests, const char *path, const TestArguments *arguments)
{
    const FileSource files = operand_files(tests->arena, path);
    switch (tested_kind(files, path)) {
    case TESTED_SCENARIO:
        test_scenario(tests, files, path, arguments);
        break;
    case TESTED_STUDY:
        test_study(tests, files, path);
        break;
    case TESTED_FOLDER:
        break;
    }
}

static bool junit_write(const TestRun *tests, const char *path, Status *status)
{
    Text xml = {0};
    test_report_junit(&xml, tests->cases, (int32_t)tests->count);
    const bool is_written = file_write(path, text_string(&xml), xml.length, status);
    text_free(&xml);
    return is_written;
}

static void show_answer(const TestRun *tests)
{
    TestAnswer answer = {.tests = ARENA_ARRAY(tests->arena, AnswerTest, tests->count),
                         .test_count = tests->count,
                         .failure_count = tests->failures,
                         .problems = answer_problems(tests->arena, &tests->problems)};
    for (uint32_t i = 0; i < tests->count; i++)
        answer.tests[i] = answer_test(tests->arena, &tests->cases[i]);
    answer_show(tests->arena, &test_answer_type, &answer);
}

static void print_tap_begin(void)
{
    Text line = {0};
    test_report_tap_begin(&line);
    fputs(text_string(&line), stdout);
    text_free(&line);
}

static void print_tap_end(uint32_t count)
{
    Text line = {0};
    test_report_tap_end(&line, (int32_t)count);
    fputs(text_string(&line), stdout);
    text_free(&line);
}

/* Runs all scenarios and studies, and prints TAP or JSON. Returns an exit code. */
static int test_all(TestRun *tests, const ScenarioPaths *paths, const TestArguments *arguments)
{
    if (!tests->is_json)
        print_tap_begin();
    for (uint32_t i = 0; i < paths->count; i++)
        test_one(tests, paths->items[i], arguments);
    if (tests->is_json)
        show_answer(tests);
    else
        print_tap_end(tests->count);
    return tests->exit_code == EXIT_FINE && tests->failures > 0 ? EXIT_NO : tests->exit_code;
}

static int test(Arena *arena, const Operands *operands, const TestArguments *arguments)
{
    TestRun tests = {.arena = arena,
                     .last_ns = machine_clock_ns(),
                     .is_json = arguments->is_json,
                     .problems = problems_create(arena)};
    Status status = {0};
    ScenarioPaths paths = {0};
    for (int32_t i = 0; i < operands->count; i++) {
        if (scenario_find(arena, operands->items[i], &paths, &status))
            continue;
        if (!arguments->is_json)
            return report_status(&status);
        problems_add_status(&tests.problems, &status);
        return answer_show_problems(arena, &tests.problems);
    }
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

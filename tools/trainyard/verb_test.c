/* trainyard test: scenarios as regression tests. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "sim/base/array.h"
#include "sim/cli/files.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/progress.h"
#include "sim/output/explain/test_report.h"
#include "tools/trainyard/answer/answer.h"
#include "tools/trainyard/expectations.h"
#include "tools/trainyard/options/scenario_options.h"
#include "tools/trainyard/run_scenario.h"
#include "tools/trainyard/scenario_find.h"
#include "tools/trainyard/study/study_check.h"
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

/* --- Several runs --- */

/* The number of runs that an expectation over several runs needs; 0: it is about one run. */
static int32_t seeds_of(const Expectation *expectation, const TestArguments *arguments)
{
    if (expectation->kind != EXPECT_STATISTIC)
        return 0;
    return arguments->seeds > 0 ? (int32_t)arguments->seeds : expectation->seeds;
}

/* The value of each expectation's metric in each run: values[expectation][seed - first seed]; NAN
 * if the run has none. */
static double **sample_metrics(Arena *arena, const RunResult *tested,
                               const TestArguments *arguments)
{
    const ScenarioFile *file = tested->file;
    double **values = ARENA_ARRAY(arena, double *, file->expectation_count);
    int32_t most = 0;
    for (int32_t e = 0; e < file->expectation_count; e++) {
        int32_t seeds = seeds_of(&file->expectations[e], arguments);
        values[e] = ARENA_ARRAY(arena, double, seeds);
        most = seeds > most ? seeds : most;
    }
    Progress progress = progress_start("seeds", most, false);
    for (int32_t s = 0; s < most; s++) {
        Arena *run_arena = arena_create();
        RunResult run;
        run_with_seed(run_arena, tested, file->scenario.seed + (uint64_t)s, &run);
        for (int32_t e = 0; e < file->expectation_count; e++) {
            if (s >= seeds_of(&file->expectations[e], arguments))
                continue;
            values[e][s] = expectations_sample_value(&file->expectations[e], tested->expected[e],
                                                     run_summary(&run));
        }
        arena_destroy(run_arena);
        progress_update(&progress, s + 1);
    }
    progress_end(&progress);
    return values;
}

/* The seed to reproduce a failure with: the first run without a value, or else the run whose value
 * is furthest from the expected one. */
static uint64_t worst_seed(const Expectation *expectation, const MetricSample *sample)
{
    int32_t worst = 0;
    bool wants_less = expectation->high < INFINITY;
    for (int32_t i = 0; i < sample->count; i++) {
        if (isnan(sample->values[i]))
            return sample->first_seed + (uint64_t)i;
        if (wants_less ? sample->values[i] > sample->values[worst]
                       : sample->values[i] < sample->values[worst])
            worst = i;
    }
    return sample->first_seed + (uint64_t)worst;
}

/* --- Expectations --- */

static void show_records(Arena *arena, const ScenarioFile *file, int32_t index,
                         const ExpectAnswer *found, TestCase *test)
{
    test->records = expectations_records(arena, file, index, found, &test->record_count);
}

/* The case of one expectation, in `arena`; it does not refer to the run's memory. */
static TestCase case_of(Arena *arena, const char *path, const Expectation *expectation,
                        const ExpectAnswer *found)
{
    Place at = expectation->at;
    at.source = arena_strdup(arena, at.source);
    return (TestCase){.scenario = path,
                      .name = arena_strdup(arena, expectation->text),
                      .holds = found->holds,
                      .expected = arena_strdup(arena, found->expected),
                      .got = arena_strdup(arena, found->got),
                      .at = at};
}

static void check_statistic(TestRun *tests, Arena *run_arena, const char *path,
                            const Expectation *expectation, const MetricSample *sample)
{
    const ExpectAnswer found = expectations_statistic(run_arena, expectation, sample);
    TestCase test = case_of(tests->arena, path, expectation, &found);
    test.reproduce = arena_printf(tests->arena, "run %s --seed %" PRIu64 " --json", path,
                                  worst_seed(expectation, sample));
    add_case(tests, test);
}

static void check_expectations(TestRun *tests, Arena *run_arena, const char *path,
                               const RunResult *run, const TestArguments *arguments)
{
    double **values = sample_metrics(run_arena, run, arguments);
    for (int32_t i = 0; i < run->file->expectation_count; i++) {
        const Expectation *expectation = &run->file->expectations[i];
        if (expectation->kind == EXPECT_STATISTIC) {
            const MetricSample sample = {.first_seed = run->file->scenario.seed,
                                         .count = seeds_of(expectation, arguments),
                                         .values = values[i]};
            check_statistic(tests, run_arena, path, expectation, &sample);
            continue;
        }
        const ExpectAnswer found = run->answers[i];
        TestCase test = case_of(tests->arena, path, expectation, &found);
        if (!found.holds)
            show_records(tests->arena, run->file, i, &found, &test);
        if (found.has_instant) // the trace shows the instant, a summary does not
            test.reproduce = arena_printf(tests->arena, "run %s -o out", path);
        add_case(tests, test);
    }
}

/* Adds one case for the run itself and one for each expectation. */
static void test_scenario(TestRun *tests, const char *path, const TestArguments *arguments)
{
    Arena *run_arena = arena_create();
    Problems problems = problems_create(run_arena);
    const RunOptions options = {.overrides = scenario_overrides(&arguments->changes),
                                .level = TRACE_LEVEL_JOBS,
                                .checks_always = arguments->checks_always,
                                .watches = true};
    RunResult run;
    const bool has_run = run_scenario(run_arena, path, &options, &run, &problems);
    add_case(tests, (TestCase){.scenario = path,
                               .name = "runs",
                               .holds = has_run,
                               .expected = "a scenario that can be run",
                               .got = "the problems that are reported",
                               .at = place_in(path, 0, 0)});
    if (has_run)
        check_expectations(tests, run_arena, path, &run, arguments);
    add_problems(tests, &problems);
    arena_destroy(run_arena);
}

static void add_case_to(void *tests, TestCase test)
{
    add_case(tests, test);
}

static void test_study(TestRun *tests, const char *path)
{
    Problems problems = problems_create(tests->arena);
    const TestCaseSink sink = {.to = tests, .add = add_case_to};
    study_check(tests->arena, path, sink, &problems);
    add_problems(tests, &problems);
}

static void test_one(TestRun *tests, const char *path, const TestArguments *arguments)
{
    switch (tested_kind(path)) {
    case TESTED_SCENARIO:
        test_scenario(tests, path, arguments);
        break;
    case TESTED_STUDY:
        test_study(tests, path);
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

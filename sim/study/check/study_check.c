#include "sim/study/check/study_check.h"

#include "sim/schema/json_load.h"
#include "sim/study/answer/plan_run.h"
#include "sim/study/expect/study_expect.h"

TestedKind tested_kind(FileSource files, const char *path)
{
    Arena *arena = arena_create();
    Problems ignored = problems_create(arena);
    Status status = {0};
    const JsonLoader loader = {.arena = arena, .files = files, .problems = &ignored};
    const Json *root = json_load(&loader, path, JSON_WITH_COMMENTS, &status);
    TestedKind kind = TESTED_SCENARIO;
    if (root != NULL && json_member(root, "trainyard_study_expanded") != NULL)
        kind = TESTED_FOLDER;
    else if (root != NULL &&
             (json_member(root, "trainyard_study") != NULL ||
              (json_member(root, "factors") != NULL && json_member(root, "trainyard") == NULL)))
        kind = TESTED_STUDY;
    arena_destroy(arena);
    return kind;
}

const Study *study_validate(Arena *arena, FileSource files, const StudyOptions *options,
                            Problems *problems)
{
    StudyExpectations wanted;
    const Study *study = study_read_with(arena, files, options->path, options, problems);
    if (study == NULL)
        return NULL;
    const bool is_expected = study_expect_read(arena, study, &wanted, problems);
    const bool has_plan = study->goal == NULL || plan_grid_create(arena, study, problems) != NULL;
    return is_expected && has_plan ? study : NULL;
}

/* The expectations of a study, and the outcomes that they need. */
typedef struct {
    StudyExpectations wanted;
    bool needs_sweep, needs_plan;
    int signal; /* that ended the runs; 0: none */
    StudyOutcome swept;
    PlanOutcome planned;
} StudyTest;

static bool read_expectations(Arena *arena, const Study *study, StudyTest *test, Problems *problems)
{
    if (!study_expect_read(arena, study, &test->wanted, problems))
        return false;
    for (int32_t i = 0; i < test->wanted.count; i++)
        if (study_expect_is_of_plan(&test->wanted.items[i]))
            test->needs_plan = true;
        else
            test->needs_sweep = true;
    return true;
}

/* The signal that ended the runs; 0: none did. */
static int signal_of(const Sweep *done)
{
    return done->end == RUNNER_SIGNALLED ? done->signal : 0;
}

static bool run_study(Arena *arena, const Study *study, FileSource files,
                      const SweepOptions *options, StudyTest *test, Problems *problems)
{
    Sweep *done = ARENA_NEW(arena, Sweep); // the outcomes borrow both
    PlanRun *plan = ARENA_NEW(arena, PlanRun);
    if (test->needs_sweep) {
        if (!sweep_run(arena, study, files, options, done, problems))
            return false;
        test->signal = signal_of(done);
        test->swept = sweep_outcome(done);
    }
    if (test->needs_plan && test->signal == 0) {
        if (!plan_run(arena, study, files, options, plan, problems))
            return false;
        test->signal = signal_of(&plan->sweep);
        test->planned = plan->outcome;
    }
    return true;
}

/* The case of an expectation, in `arena`. */
static TestCase case_of(Arena *arena, const char *path, const StudyTest *test,
                        const StudyExpectation *wanted)
{
    const StudyAnswer answer = study_expect_answer(arena, &test->swept, &test->planned, wanted);
    TestCase found = {.scenario = path,
                      .name = wanted->text,
                      .holds = answer.holds,
                      .expected = answer.expected,
                      .got = answer.got,
                      .at = wanted->at};
    found.reproduce = study_expect_is_of_plan(wanted) ? arena_printf(arena, "plan %s", path)
                      : answer.point == NO_POINT
                          ? arena_printf(arena, "sweep %s", path)
                          : arena_printf(arena, "sweep %s -o out; trainyard show out %d SEED", path,
                                         (int)answer.point);
    return found;
}

int study_check(Arena *arena, FileSource files, const char *path, int32_t thread_count,
                const char *version, TestCaseSink sink, Problems *problems)
{
    const SweepOptions options = {.version = version,
                                  .thread_count = thread_count,
                                  .time_limit_ns = INT64_MAX,
                                  .shard = {0, 1},
                                  .is_quiet = true,
                                  .run = sweep_on_threads};
    StudyTest test = {0};
    const Study *study = study_read(arena, files, path, problems);
    const bool has_run = study != NULL && read_expectations(arena, study, &test, problems) &&
                         run_study(arena, study, files, &options, &test, problems);
    if (test.signal != 0)
        return test.signal;
    sink.add(sink.to, (TestCase){.scenario = path,
                                 .name = test.wanted.count > 0 || !has_run ? "runs" : "is valid",
                                 .holds = has_run,
                                 .expected = "a study that can be run",
                                 .got = "the problems that are reported",
                                 .at = place_in(path, 0, 0),
                                 .reproduce = arena_printf(arena, "sweep %s", path)});
    for (int32_t i = 0; has_run && i < test.wanted.count; i++)
        sink.add(sink.to, case_of(arena, path, &test, &test.wanted.items[i]));
    return 0;
}

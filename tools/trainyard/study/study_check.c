#include "tools/trainyard/study/study_check.h"

#include <signal.h>

#include "sim/cli/disk_files.h"
#include "sim/cli/processors.h"
#include "sim/schema/json_load.h"
#include "sim/study/expect/study_expect.h"
#include "sim/study/plan/plan_run.h"

TestedKind tested_kind(const char *path)
{
    Arena *arena = arena_create();
    Problems ignored = problems_create(arena);
    Status status = {0};
    const JsonLoader loader = {.arena = arena, .files = disk_files, .problems = &ignored};
    const Json *root = json_load(&loader, path, JSON_WITH_COMMENTS, &status);
    TestedKind kind = TESTED_SCENARIO;
    if (root != NULL && json_member(root, "trainyard_study") != NULL)
        kind = TESTED_STUDY;
    else if (root != NULL && json_member(root, "trainyard_study_expanded") != NULL)
        kind = TESTED_FOLDER;
    arena_destroy(arena);
    return kind;
}

/* The expectations of a study, and the outcomes that they need. */
typedef struct {
    StudyExpectations wanted;
    bool needs_sweep, needs_plan;
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

/* The runs have caught a signal, and no other test shall begin. */
static void end_with_signal(const Sweep *done)
{
    if (done->end == RUNNER_SIGNALLED)
        raise(done->signal);
}

static bool run_study(Arena *arena, const Study *study, StudyTest *test, Problems *problems)
{
    const SweepOptions options = {.version = TRAINYARD_VERSION,
                                  .thread_count = processors_available(),
                                  .time_limit_ns = INT64_MAX,
                                  .shard = {0, 1},
                                  .is_quiet = true,
                                  .run = sweep_on_threads};
    Sweep *done = ARENA_NEW(arena, Sweep); // the outcomes borrow both
    PlanRun *plan = ARENA_NEW(arena, PlanRun);
    if (test->needs_sweep) {
        if (!sweep_run(arena, study, disk_files, &options, done, problems))
            return false;
        end_with_signal(done);
        test->swept = sweep_outcome(done);
    }
    if (test->needs_plan) {
        if (!plan_run(arena, study, disk_files, &options, plan, problems))
            return false;
        end_with_signal(&plan->sweep);
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

void study_check(Arena *arena, const char *path, TestCaseSink sink, Problems *problems)
{
    StudyTest test = {0};
    const Study *study = study_read(arena, disk_files, path, problems);
    const bool has_run = study != NULL && read_expectations(arena, study, &test, problems) &&
                         run_study(arena, study, &test, problems);
    sink.add(sink.to, (TestCase){.scenario = path,
                                 .name = test.wanted.count > 0 || !has_run ? "runs" : "is valid",
                                 .holds = has_run,
                                 .expected = "a study that can be run",
                                 .got = "the problems that are reported",
                                 .at = place_in(path, 0, 0),
                                 .reproduce = arena_printf(arena, "sweep %s", path)});
    for (int32_t i = 0; has_run && i < test.wanted.count; i++)
        sink.add(sink.to, case_of(arena, path, &test, &test.wanted.items[i]));
}

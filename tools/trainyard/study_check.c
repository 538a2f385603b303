#include "tools/trainyard/study_check.h"

#include <signal.h>

#include "sim/cli/disk_files.h"
#include "sim/cli/processors.h"
#include "sim/cli/report.h"
#include "sim/schema/json_load.h"
#include "sim/study/expect/study_expect.h"
#include "sim/study/sweep.h"

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

static bool run_study(Arena *arena, const Study *study, Sweep *done, Problems *problems)
{
    const SweepOptions options = {.version = TRAINYARD_VERSION,
                                  .thread_count = processors_available(),
                                  .time_limit_ns = INT64_MAX,
                                  .shard = {0, 1},
                                  .is_quiet = true,
                                  .run = sweep_on_threads};
    const bool has_run = sweep_run(arena, study, disk_files, &options, done, problems);
    if (has_run && done->end == RUNNER_SIGNALLED)
        raise(done->signal); // the sweep has caught it, and no other test shall begin
    return has_run;
}

/* The case of an expectation, in `arena`. */
static TestCase case_of(Arena *arena, const char *path, const StudyOutcome *outcome,
                        const StudyExpectation *wanted)
{
    const StudyAnswer answer = study_expect_answer(arena, outcome, wanted);
    TestCase test = {.scenario = path,
                     .name = wanted->text,
                     .holds = answer.holds,
                     .expected = answer.expected,
                     .got = answer.got,
                     .at = wanted->at};
    test.reproduce = answer.point == NO_POINT
                         ? arena_printf(arena, "sweep %s", path)
                         : arena_printf(arena, "sweep %s -o out; trainyard show out %d SEED", path,
                                        (int)answer.point);
    return test;
}

int study_check(Arena *arena, const char *path, TestCaseSink sink)
{
    Problems problems = problems_create(arena);
    StudyExpectations wanted = {0};
    Sweep done;
    const Study *study = study_read(arena, disk_files, path, &problems);
    const bool has_run = study != NULL && study_expect_read(arena, study, &wanted, &problems) &&
                         (wanted.count == 0 || run_study(arena, study, &done, &problems));
    sink.add(sink.to, (TestCase){.scenario = path,
                                 .name = wanted.count > 0 || !has_run ? "runs" : "is valid",
                                 .holds = has_run,
                                 .expected = "a study that can be run",
                                 .got = "the problems on stderr",
                                 .at = place_in(path, 0, 0),
                                 .reproduce = arena_printf(arena, "sweep %s", path)});
    if (has_run && wanted.count > 0) {
        const StudyOutcome outcome = sweep_outcome(&done);
        for (int32_t i = 0; i < wanted.count; i++)
            sink.add(sink.to, case_of(arena, path, &outcome, &wanted.items[i]));
    }
    return report_problems(&problems);
}

/* Any bytes as a study of the small scenario: reading ends with a study or with problems, and so
 * does reading its expectations. The
 * points of a study have settings, names and an expanded form. */
#include <stdint.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/study/answer/plan_check.h"
#include "sim/study/expect/study_expect.h"
#include "sim/study/outcome.h"
#include "sim/study/study_json.h"
#include "tests/support/memory_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { POINTS_LOOKED_AT = 64 };

/* The outcome of a plan of which no run is known. */
static void begin_plan(Arena *arena, const Study *study)
{
    Problems problems = problems_create(arena);
    const PlanGrid *grid = plan_grid_create(arena, study, &problems);
    invariant((grid == NULL) == (problems.count > 0));
    if (grid == NULL)
        return;
    const StudyOutcome empty = {
        .findings = {.study = study, .results = results_create(arena, study)}};
    const PlanOutcome outcome =
        plan_outcome_of(arena, &empty, rounds_create(arena, grid, empty.findings.results));
    invariant(json_member(plan_json(arena, &outcome), "candidates")->count ==
              grid->candidate_count);
}

/* The same bytes as an earlier plan.json: reading ends with a file or with problems. */
static void check_plan(Arena *arena, const Json *root)
{
    static const char text[] =
        "{\"trainyard_study\": 1, \"scenario\": \"scenario.json\", \"factors\": {},"
        " \"minimise\": \"cost_usd.total\"}";
    MemoryFiles files = small_scenario(arena);
    memory_files_set(&files, "plan-study.json", text, strlen(text));
    Problems problems = problems_create(arena);
    const Study *study =
        study_read(arena, memory_files_source(&files), "plan-study.json", &problems);
    invariant(study != NULL);
    const PlanGrid *grid = plan_grid_create(arena, study, &problems);
    const StudyOutcome empty = {
        .findings = {.study = study, .results = results_create(arena, study)}};
    const PlanOutcome now =
        plan_outcome_of(arena, &empty, rounds_create(arena, grid, empty.findings.results));
    const PlanFile *before = plan_check_read(arena, root, &problems);
    invariant((before == NULL) == (problems.count > 0));
    Text lines = {0};
    if (before != NULL)
        plan_check(before, &now, 0.01, &lines);
    text_free(&lines);
}

/* The same bytes as a study.json: reading ends with a study or with a status. */
static void read_expanded(Arena *arena, const uint8_t *data, size_t size)
{
    Problems problems = problems_create(arena);
    const Json *root =
        json_parse(arena, "study.json", (const char *)data, size, JSON_STRICT, &problems);
    StudyOutcome outcome;
    Status status = {0};
    if (root != NULL && !study_outcome_read_tree(arena, root, &outcome, &status))
        invariant(status.code == STATUS_BAD_INPUT);
    else if (root != NULL && outcome.findings.study->goal != NULL &&
             outcome.findings.study->point_count <= POINTS_LOOKED_AT)
        begin_plan(arena, outcome.findings.study);
    if (root != NULL && json_member(root, "trainyard_plan") != NULL)
        check_plan(arena, root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    MemoryFiles files = small_scenario(arena);
    memory_files_set(&files, "study.json", (const char *)data, size);
    Problems problems = problems_create(arena);
    const Study *study = study_read(arena, memory_files_source(&files), "study.json", &problems);
    invariant((study == NULL) == (problems.count > 0));
    StudyExpectations expected;
    if (study != NULL)
        invariant(study_expect_read(arena, study, &expected, &problems) == (problems.count == 0));
    for (int32_t i = 0; study != NULL && i < study->point_count && i < POINTS_LOOKED_AT; i++) {
        int32_t count;
        invariant(point_settings(arena, study, i, &count) != NULL);
        invariant(point_name(arena, study, i) != NULL);
    }
    if (study != NULL && study->point_count <= POINTS_LOOKED_AT) {
        const Json *root = study_json(arena, study, "fuzz", NULL, 0);
        StudyPoint point;
        StudyOutcome outcome;
        Status status;
        invariant(study_json_point(arena, root, 0, &point, &status));
        invariant(study_outcome_read_tree(arena, root, &outcome, &status));
        invariant(outcome.findings.study->point_count == study->point_count);
        invariant((outcome.findings.study->goal == NULL) == (study->goal == NULL));
        if (study->goal != NULL)
            begin_plan(arena, study);
    }
    read_expanded(arena, data, size);
    arena_destroy(arena);
    return 0;
}

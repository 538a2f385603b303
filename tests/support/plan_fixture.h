/* The fixture of tests about the answer of a plan: a study over nodes and sizes of the small
 * scenario, with made-up runs whose means the test chooses. */
#ifndef TESTS_SUPPORT_PLAN_FIXTURE_H
#define TESTS_SUPPORT_PLAN_FIXTURE_H

#include "sim/study/goal.h"
#include "sim/study/study_json.h"
#include "tests/support/made_plan.h"
#include "tests/support/small_scenario_fixture.h"

#define NODES                                                                                      \
    "\"nodes\": {\"set\": "                                                                        \
    "\"/commands/0/config/properties/scaleSettings/manual/targetNodeCount\", "
#define LOAD "\"load\": {\"set\": \"/seed\", "

enum { MADE_RUNS = 20, MADE_POINTS_MAX = 16 };

/* The means of the runs of each point. Cost varies by 1 USD from run to run, equally at all points;
 * shares vary by `share_noise`. */
typedef struct {
    const char *factors; /* the members of "factors" of the study */
    double cost[MADE_POINTS_MAX], share[MADE_POINTS_MAX];
    double share_noise;
    int32_t run_count;    /* of each point; 0: MADE_RUNS; -1: none */
    bool recurs, replays; /* as those of the study */
    bool has_one_cost;    /* the cost is the same in all runs */
    int64_t piece_count;  /* of weeks of a log, from which runs draw theirs; 0: of none */
    Goal goal;            /* metric 0 is the cost, 1 the share of waits up to 30 min */
} MadeStudy;

static const GoalConstraint waits_95 = {
    .metric = 1, .side = LIMIT_AT_LEAST, .limit = 0.95, .indifference = 0.01, .words = "waits"};

static inline Study *made_study(const MadeStudy *made)
{
    static const char *const names[] = {"cost_usd.total", "workloads.team.waited_within(30m)"};
    Problems problems = problems_create(arena);
    const char *text =
        arena_printf(arena,
                     "{\"trainyard_study\": 1, \"description\": \"How many <nodes>?\","
                     " \"scenario\": \"scenario.json\", \"metrics\": "
                     "[\"cost_usd.total\"], "
                     "\"factors\": {%s}}",
                     made->factors);
    memory_files_set(&files, "study.json", text, strlen(text));
    const Study *read = study_read(arena, memory_files_source(&files), "study.json", &problems);
    ck_assert_msg(read != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    Study *study = ARENA_NEW(arena, Study);
    *study = *read;
    StudyMetric *metrics = ARENA_ARRAY(arena, StudyMetric, 2);
    for (int32_t m = 0; m < 2; m++)
        metrics[m] = (StudyMetric){.name = names[m], .unit = m == 0 ? "USD" : "1"};
    metrics[1].kind = MEASURE_SHARE;
    study->metrics = metrics;
    study->metric_count = 2;
    study->period_ns = 7 * INT64_C(86400) * 1000000000;
    study->recurs = made->recurs;
    study->replays = made->replays;
    study->piece_ns = made->piece_count > 0 ? study->period_ns : 0;
    study->piece_count = made->piece_count;
    study_number_values(study, metrics);
    return study;
}

static inline StudyOutcome *made_outcome(const MadeStudy *made)
{
    Study *study = made_study(made);
    Goal *goal = ARENA_NEW(arena, Goal);
    Results *results = results_create(arena, study);
    int32_t *used = ARENA_ARRAY(arena, int32_t, study->point_count);
    const int32_t runs = made->run_count == 0  ? MADE_RUNS
                         : made->run_count < 0 ? 0
                                               : made->run_count;
    *goal = made->goal;
    study->goal = goal;
    ck_assert_int_eq(study->value_count, 3);
    for (int32_t point = 0; point < study->point_count; point++) {
        used[point] = runs;
        for (int32_t r = 0; r < runs; r++) {
            double values[3] = {made->cost[point] + (made->has_one_cost ? 0 : (r % 5 - 2) * 0.5),
                                made->share[point] + (r % 3 - 1) * made->share_noise, 200};
            uint8_t flags[3] = {0};
            const RunRecord record = {.point = point,
                                      .replication = r,
                                      .seed = study->seeds.first + (uint64_t)r,
                                      .fingerprint = (uint64_t)point,
                                      .values = values,
                                      .flags = flags};
            results_put(results, &record, -1);
        }
    }
    StudyOutcome *outcome = ARENA_NEW(arena, StudyOutcome);
    *outcome = (StudyOutcome){.findings = {study, results, used},
                              .identity = study_identity(arena, study, "test"),
                              .done_count = (int64_t)runs * study->point_count,
                              .run_count = (int64_t)MADE_RUNS * study->point_count};
    return outcome;
}

static inline PlanOutcome *plan_of(const MadeStudy *made)
{
    const StudyOutcome *outcome = made_outcome(made);
    return made_plan(arena, outcome, outcome->findings.study->goal);
}

static inline Goal goal_of_waits(void)
{
    return (Goal){.metric = 0,
                  .indifference_part = 0.02,
                  .constraint_count = 1,
                  .constraints = &waits_95,
                  .confidence = 0.95};
}

/* 2, 3 and 4 nodes: the first misses the waits, the third costs more. */
static inline MadeStudy three_nodes(void)
{
    return (MadeStudy){.factors = NODES "\"values\": [2, 3, 4]}",
                       .cost = {80, 100, 110},
                       .share = {0.90, 0.97, 0.97},
                       .share_noise = 0.01,
                       .goal = goal_of_waits()};
}

#endif

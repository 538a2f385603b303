/* How often the intervals of whole studies contain the truth: studies of shipped scenarios, and
 * steady studies of queues with known means. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/study/point_estimate.h"
#include "sim/study/sweep.h"
#include "tests/support/studies.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* --- Studies --- */

static Study *study_of(const char *text)
{
    Problems problems = problems_create(arena);
    const Json *root =
        json_parse(arena, "study", text, strlen(text), JSON_WITH_COMMENTS, &problems);
    ck_assert_ptr_nonnull(root);
    Study *study =
        study_read_tree(arena, disk_files, TRAINYARD_SOURCE_DIR "/study.json", root, &problems);
    ck_assert_msg(study != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return study;
}

/* The study with seeds that study number `number` alone has. */
static Sweep run_study(const Study *like, int32_t number, Arena *memory)
{
    Study *study = ARENA_NEW(memory, Study);
    *study = *like;
    study->seeds.first = theory_seed(1) % (UINT64_C(1) << 40) + (uint64_t)number * 100000;
    const SweepOptions options = {.version = "test",
                                  .thread_count = 1,
                                  .time_limit_ns = INT64_MAX,
                                  .shard = {0, 1},
                                  .is_quiet = true,
                                  .run = sweep_on_threads};
    Sweep sweep;
    Problems problems = problems_create(memory);
    const bool has_run = sweep_run(memory, study, disk_files, &options, &sweep, &problems);
    ck_assert_msg(has_run, "%s", problems.count > 0 ? problems.items[0].message : "");
    return sweep;
}

static MetricEstimate estimate_of(const Sweep *sweep, int32_t metric)
{
    return metric_estimate(sweep->findings.results, metric, 0, sweep->findings.used[0], NO_POINT,
                           0);
}

/* --- Studies of something that ends --- */

/* The expectations in 100,000 runs (failing-month: 10,000), whose half-widths are below a tenth of
 * those of 20 runs:
 *
 *     trainyard sweep scenarios/workloads/poisson/scenario.json --seeds 100000 --metric METRIC ...
 */
typedef struct {
    const char *metric;
    double truth;
    double least, width; /* bars: of the coverage, of the half-width over the truth */
} Truth;

enum { TRUTHS_MAX = 5 };

typedef struct {
    const char *scenario;
    int32_t studies;
    Truth truths[TRUTHS_MAX];
} TrueStudy;

static const TrueStudy true_studies[] = {
    {"poisson/scenario.json",
     300,
     {{"workloads.day.queue_s.mean", 1685.4, .93, .80},
      {"workloads.day.waited_within(20m)", .6220, .93, .20},
      {"cost_usd.total", 30.462, .93, .08},
      {"workloads.day.queue_s.p95", 4299, .90, .60},
      {"cost_usd.total / workloads.day.succeeded", .50770, .90, .08}}},
    {"bursts/scenario.json",
     300,
     {{"workloads.day.queue_s.mean", 5251, .93, .40},
      {"workloads.day.waited_within(20m)", .17971, .93, .30},
      {"cost_usd.total", 28.985, .93, .10},
      {"workloads.day.queue_s.p95", 10869, .90, .40},
      {"cost_usd.total / workloads.day.succeeded", .48309, .90, .10}}},
    {"failing-month/scenario.json",
     90,
     {{"cost_usd.total", 517.61279, .93, .01},
      {"workloads.month.goodput", .86046, .93, .02},
      {"utilisation", .69649, .93, .05},
      {"cost_usd.total / workloads.month.succeeded", .72376, .90, .05}}},
};

static const char *metrics_text(const TrueStudy *of)
{
    const char *text = "";
    for (int32_t i = 0; i < TRUTHS_MAX && of->truths[i].metric != NULL; i++)
        text = arena_printf(arena, "%s%s\"%s\"", text, i > 0 ? ", " : "", of->truths[i].metric);
    return text;
}

static void check_true_study(const TrueStudy *of)
{
    Coverage coverage[TRUTHS_MAX] = {{0}};
    const Study *study =
        study_of(arena_printf(arena,
                              "{\"trainyard_study\": 1, \"scenario\": \"scenarios/workloads/%s\", "
                              "\"factors\": {}, \"metrics\": [%s]}",
                              of->scenario, metrics_text(of)));
    for (int32_t s = 0; s < long_studies_of(of->studies); s++) {
        Arena *memory = arena_create();
        const Sweep sweep = run_study(study, s, memory);
        for (int32_t m = 0; m < study->metric_count; m++) {
            const MetricEstimate found = estimate_of(&sweep, m);
            coverage_count(&coverage[m], found.low, found.high, of->truths[m].truth);
        }
        arena_destroy(memory);
    }
    // The bars are those of many studies, which fresh seeds make; a third of them varies more.
    const double luck = getenv("TRAINYARD_SEED") ? 0 : 2.5 * sqrt(.05 * .95 / coverage[0].studies);
    for (int32_t m = 0; m < study->metric_count; m++)
        coverage_check(of->truths[m].metric, of->scenario, &coverage[m], of->truths[m].least - luck,
                       .97 + luck, of->truths[m].width);
}

START_TEST(studies_of_twenty_seeds_cover_the_expectation_of_a_run)
{
    for (size_t i = 0; i < sizeof true_studies / sizeof true_studies[0]; i++)
        check_true_study(&true_studies[i]);
}
END_TEST

/* --- Steady studies --- */

#define NODES "/commands/0/config/properties/scaleSettings/manual/targetNodeCount"

/* A queue whose mean wait is known: tests/support/studies.c, in units of 10 h. */
typedef struct {
    const StudyQueue *queue;
    const char *changes;
    const char *width; /* that is asked for */
    int64_t jobs_most;
    int32_t studies;
} SteadyStudy;

static Study *steady_study(const SteadyStudy *of)
{
    return study_of(arena_printf(
        arena,
        "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/coverage/queue.json\", "
        "\"horizon\": {\"kind\": \"steady\", \"jobs\": %" PRId64 "}, "
        "\"factors\": {\"model\": {\"choices\": {\"queue\": {%s}}}}, "
        "\"metrics\": [\"workloads.all.queue_s.mean\"], "
        "\"seeds\": {\"until\": {\"workloads.all.queue_s.mean\": \"%s\"}}}",
        of->jobs_most, of->changes, of->width));
}

/* Counts the intervals; `marked` are the studies without one. */
static Coverage run_steady(const SteadyStudy *of)
{
    Coverage coverage = {0};
    const Study *study = steady_study(of);
    const double truth_s = of->queue->mean_wait * 36000;
    for (int32_t s = 0; s < long_studies_of(of->studies); s++) {
        Arena *memory = arena_create();
        const Sweep sweep = run_study(study, s, memory);
        const MetricEstimate found = estimate_of(&sweep, 0);
        if (isnan(found.low)) {
            ck_assert_msg(strncmp(found.note, "run too short", 13) == 0, "%s", found.note);
            coverage.marked++;
        } else {
            coverage_count(&coverage, found.low, found.high, truth_s);
        }
        arena_destroy(memory);
    }
    return coverage;
}

START_TEST(steady_studies_cover_with_the_length_that_they_choose)
{
    static const SteadyStudy rows[] = {
        {&mm1_5, "\"/workloads/0/rate\": \"0.05/h\"", "5%", 10000000, 30},
        {&mm4_7, "\"/workloads/0/rate\": \"0.28/h\", \"" NODES "\": 4", "5%", 10000000, 30},
        {&md4_9,
         "\"/workloads/0/rate\": \"0.36/h\", \"/programs/0/duration\": \"10h\", \"" NODES "\": 4",
         "5%", 10000000, 15},
        {&gangs,
         "\"/workloads/0/rate\": \"0.12/h\", \"/workloads/0/nodes\": {\"1\": \"75%\", \"4\": "
         "\"25%\"}, \"" NODES "\": 4",
         "5%", 10000000, 15},
    };
    // With fixed seeds the first one only: each study has some 100,000 jobs.
    const size_t count = getenv("TRAINYARD_SEED") ? sizeof rows / sizeof rows[0] : 1;
    for (size_t i = 0; i < count; i++) {
        const Coverage coverage = run_steady(&rows[i]);
        // With so few studies this finds methods that are wrong, not those that are a little off.
        const double luck = 3 * sqrt(.05 * .95 / coverage.studies);
        coverage_check("steady study", rows[i].queue->name, &coverage, .93 - luck, 1, .05);
        ck_assert_int_le(coverage.marked, (coverage.marked + coverage.studies) / 10);
    }
}
END_TEST

START_TEST(a_steady_study_with_too_few_jobs_says_so)
{
    static const SteadyStudy short_one = {&mm1_95, "\"/workloads/0/rate\": \"0.095/h\"", "5%",
                                          10000, 90};
    const Coverage coverage = run_steady(&short_one);
    const int32_t all = coverage.marked + coverage.studies;
    printf("  %-46s %-18s %.3f of %5" PRId32 "\n", "says \"run too short\"", short_one.queue->name,
           (double)coverage.marked / all, all);
    ck_assert_int_ge(10 * coverage.marked, 9 * all);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("study_coverage");
    TCase *tests = tcase_create("study_coverage");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, studies_of_twenty_seeds_cover_the_expectation_of_a_run);
    tcase_add_test(tests, steady_studies_cover_with_the_length_that_they_choose);
    tcase_add_test(tests, a_steady_study_with_too_few_jobs_says_so);
    suite_add_tcase(suite, tests);
    return suite;
}

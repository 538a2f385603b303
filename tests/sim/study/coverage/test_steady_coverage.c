/* How often the intervals of steady studies contain the truth: queues and machines whose long-run
 * means are known, with the warm-up and the length that the study itself chooses. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/closed_forms.h"
#include "tests/support/studies.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"
#include "tests/support/whole_studies.h"

#define NODES "/commands/0/config/properties/scaleSettings/manual/targetNodeCount"
#define WAIT "workloads.all.queue_s.mean"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* A system whose mean is known: a queue of tests/support/studies.c, in units of 10 h, or 64 nodes
 * that wait for few crews. */
typedef struct {
    const char *name, *scenario, *changes, *metric;
    const StudyQueue *queue; /* NULL: machine repair */
    int64_t jobs_most;
    int32_t fresh, fixed; /* studies with fresh seeds, and with those of the short run */
    bool is_one_run;      /* batch means; a fifth may be too wide, or have parts that depend on each
                             other: no further run narrows them */
} SteadyStudy;

static const SteadyStudy steady_studies[] = {
    {"M/M/1 .5", "queue.json", "\"/workloads/0/rate\": \"0.05/h\"", WAIT, &mm1_5, 10000000, 1000,
     12, false},
    {"M/M/4 .7", "queue.json", "\"/workloads/0/rate\": \"0.28/h\", \"" NODES "\": 4", WAIT, &mm4_7,
     10000000, 1000, 0, false},
    {"M/D/4 .9", "queue.json",
     "\"/workloads/0/rate\": \"0.36/h\", \"/programs/0/duration\": \"10h\", \"" NODES "\": 4", WAIT,
     &md4_9, 10000000, 1000, 0, false},
    {"gangs of 1 and 4", "queue.json",
     "\"/workloads/0/rate\": \"0.12/h\", \"/workloads/0/nodes\": {\"1\": \"75%\", \"4\": \"25%\"}, "
     "\"" NODES "\": 4",
     WAIT, &gangs, 10000000, 1000, 0, false},
    {.name = "M/M/1 .5, batches",
     .scenario = "queue.json",
     .changes = // of 1 h: 70,000 jobs of 10 h take longer than the 73 years that a run may have
     "\"/workloads/0/rate\": \"0.5/h\", \"/programs/0/duration\": {\"exponential\": \"1h\"}",
     .metric = WAIT,
     .queue = &mm1_5,
     .jobs_most = 10000000,
     .fresh = 1000,
     .fixed = 12,
     .is_one_run = true},
    {"repair 64/4", "repair.json", "\"/seed\": 1", "clusters.machines.unusable_s / simulated_s",
     NULL, 10000000, 1000, 40, false},
};

static double truth_of(const SteadyStudy *of)
{
    return of->queue != NULL
               ? of->queue->mean_wait * (of->is_one_run ? 3600 : 36000)
               : closed_form("machine repair", "N=64 crews=4 MTBF=200h MTTR=4h", "E[down]");
}

static const Study *steady_study(const SteadyStudy *of)
{
    return whole_study_read(
        arena,
        arena_printf(arena,
                     "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/coverage/%s\", "
                     "\"horizon\": {\"kind\": \"steady\", \"method\": \"%s\", \"jobs\": %" PRId64
                     "}, "
                     "\"factors\": {\"model\": {\"choices\": {\"it\": {%s}}}}, "
                     "\"metrics\": [\"%s\"], \"seeds\": {\"until\": {\"%s\": \"5%%\"}}}",
                     of->scenario, of->is_one_run ? "batch-means" : "replications", of->jobs_most,
                     of->changes, of->metric, of->metric));
}

/* Counts the intervals; `marked` are the studies without one. */
static Coverage run_steady(const SteadyStudy *of)
{
    Coverage coverage = {0};
    const Study *study = steady_study(of);
    const int32_t studies = theory_size(studies_are_fresh() ? of->fresh : of->fixed);
    for (int32_t s = 0; s < studies; s++) {
        Arena *memory = arena_create();
        const Sweep sweep = whole_study_run(study, s, memory);
        const MetricEstimate found = whole_study_estimate(&sweep, 0);
        if (isnan(found.low)) {
            ck_assert_msg(strncmp(found.note, "run too short", 13) == 0, "%s", found.note);
            coverage.marked++;
        } else {
            coverage_count(&coverage, found.low, found.high, truth_of(of));
        }
        arena_destroy(memory);
    }
    return coverage;
}

START_TEST(steady_studies_cover_with_the_length_that_they_choose)
{
    const SteadyStudy *of = &steady_studies[_i];
    const Coverage coverage = run_steady(of);
    if (coverage.studies == 0) // each has some 100,000 jobs: with fresh seeds only
        return;
    coverage_check("steady study", of->name, &coverage, .93, .97, .05);
    const int32_t all = coverage.marked + coverage.studies;
    ck_assert_int_le(coverage.marked, of->is_one_run ? all / 3 : all / 10);
}
END_TEST

START_TEST(a_steady_study_with_too_few_jobs_says_so)
{
    static const SteadyStudy short_one = {
        "M/M/1 .95", "queue.json", "\"/workloads/0/rate\": \"0.095/h\"", WAIT, &mm1_95, 10000, 1000,
        100,         false};
    const Coverage coverage = run_steady(&short_one);
    const int32_t all = coverage.marked + coverage.studies;
    printf("  %-46s %-18s %.3f of %5" PRId32 "\n", "says \"run too short\"", short_one.name,
           (double)coverage.marked / all, all);
    ck_assert_int_ge(10 * coverage.marked, 9 * all);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("steady_coverage");
    TCase *tests = tcase_create("steady_coverage");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, steady_studies_cover_with_the_length_that_they_choose, 0,
                        sizeof steady_studies / sizeof steady_studies[0]);
    tcase_add_test(tests, a_steady_study_with_too_few_jobs_says_so);
    suite_add_tcase(suite, tests);
    return suite;
}

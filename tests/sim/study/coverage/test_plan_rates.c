/* How often plans of worlds are right: the fewest servers with which 95 % of the jobs of a queue
 * wait at most a time (Erlang). tests/sim/study/plan/test_selection.c has more problems, by a
 * recursion. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/study/plan/plan_run.h"
#include "tests/support/erlang.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"
#include "tests/support/whole_studies.h"

/* For each of four problems: 1,000 plans with fresh seeds (`tools/test.sh fresh`). */
enum { STUDIES_FULL = 250, STUDIES_SHORT = 4 };

static const struct {
    double offered, limit; /* jobs in service, in mean service times of 10 h */
    const char *rate, *metric, *servers;
    int32_t first_servers;
} problems[] = {
    {3.2, .1, "0.32/h", "waited_within(1h)", "1..16", 1},
    {3.2, 1, "0.32/h", "waited_within(10h)", "1..16", 1},
    {12, .1, "1.2/h", "waited_within(1h)", "8..23", 8},
    {12, 1, "1.2/h", "waited_within(10h)", "8..23", 8},
};

static Study *study_of(Arena *arena, size_t problem)
{
    const char *text = arena_printf(
        arena,
        "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/coverage/queue.json\",\n"
        " \"horizon\": {\"kind\": \"steady\", \"warm_up\": \"10d\", \"length\": \"50d\"},\n"
        " \"factors\": {\"servers\": {\"values\": \"%s\"}, \"rate\": {\"values\": [\"%s\"]}},\n"
        " \"minimise\": \"clusters.gpu.nodes_max\",\n"
        " \"subject_to\": [{\"share\": \"%s\", \"at_least\": \"95%%\"}], \"indifference\": "
        "\"2%%\"}",
        problems[problem].servers, problems[problem].rate, problems[problem].metric);
    Problems found = problems_create(arena);
    const Json *root = json_parse(arena, "study", text, strlen(text), JSON_STRICT, &found);
    ck_assert_ptr_nonnull(root);
    Study *study =
        study_read_tree(arena, disk_files, TRAINYARD_SOURCE_DIR "/study.json", root, &found);
    ck_assert_msg(study != NULL, "%s", found.count > 0 ? found.items[0].message : "");
    return study;
}

typedef struct {
    int32_t wrong, excess, none;
    double runs, grid_runs;
} Score;

/* The study with seeds that study number `number` alone has. */
static void score_study(const Study *like, size_t problem, int32_t number, Score *score)
{
    Arena *arena = arena_create();
    Study *study = ARENA_NEW(arena, Study);
    Problems found = problems_create(arena);
    *study = *like;
    study->seeds.first = theory_seed(1) % (UINT64_C(1) << 40) + (uint64_t)number * 100000;
    const SweepOptions options = whole_sweep_options();
    PlanRun run;
    const bool has_run = plan_run(arena, study, disk_files, &options, &run, &found);
    ck_assert_msg(has_run, "%s", found.count > 0 ? found.items[0].message : "");
    const PlanOutcome *outcome = &run.outcome;
    score->runs += (double)outcome->run_count;
    score->grid_runs += outcome->grid_run_count;
    score->none += outcome->winner == NO_CANDIDATE;
    if (outcome->winner != NO_CANDIDATE) {
        const int32_t servers = problems[problem].first_servers + outcome->winner;
        score->wrong += erlang_share(servers, problems[problem].offered, problems[problem].limit) <
                        .95 - outcome->goal->constraints[0].indifference;
        for (int32_t fewer = problems[problem].first_servers; fewer < servers; fewer++)
            score->excess +=
                erlang_share(fewer, problems[problem].offered, problems[problem].limit) >= .95;
    }
    arena_destroy(arena);
}

START_TEST(plans_of_queues_are_right)
{
    const size_t problem = (size_t)_i;
    const int32_t studies = getenv("TRAINYARD_SEED") != NULL ? STUDIES_FULL : STUDIES_SHORT;
    Arena *arena = arena_create();
    Score score = {0};
    const Study *study = study_of(arena, problem);
    for (int32_t i = 0; i < studies; i++)
        score_study(study, problem, i, &score);
    printf(
        "  offered %-4g %-18s %4" PRId32 " plans: wrong %.2f %%, none %.2f %%, excess %.3f, %.0f "
        "runs, %.0f %% of a grid\n",
        problems[problem].offered, problems[problem].metric, studies, 100.0 * score.wrong / studies,
        100.0 * score.none / studies, (double)score.excess / studies, score.runs / studies,
        100 * score.runs / score.grid_runs);
    ck_assert_int_le(score.wrong, studies / 20);
    ck_assert_int_eq(score.none, 0);
    ck_assert_int_le(score.excess, studies);
    ck_assert_double_le(score.runs, .4 * score.grid_runs);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_rates");
    TCase *cases = tcase_create("known answers");
    tcase_add_loop_test(cases, plans_of_queues_are_right, 0,
                        (int)(sizeof problems / sizeof problems[0]));
    suite_add_tcase(suite, cases);
    return suite;
}

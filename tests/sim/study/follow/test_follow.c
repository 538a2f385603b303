#include <math.h>
#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/study/follow/follow_outcome.h"
#include "sim/study/follow/follow_run.h"
#include "sim/study/follow/follow_text.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/worlds.h"

/* Two candidates that differ in the price of their nodes alone: 0.85 USD at low priority, which no
 * model preempts, against 0.90 USD. */
#define PRICE "vm_sizes~1Standard_NC6~1low_priority_price_per_hour"
static const char study_text[] =
    "{\"trainyard_study\": 1, \"scenario\": \"" TRAINYARD_SOURCE_DIR
    "/scenarios/workloads/poisson/scenario.json\",\n"
    " \"factors\": {\"priority\": {\"choices\": {\n"
    "   \"spot\": {\"/assume/" PRICE "\": \"0.85USD\",\n"
    "              \"/commands/0/config/properties/vmPriority\": \"lowpriority\"},\n"
    "   \"dedicated\": {\"/commands/0/config/properties/vmPriority\": \"dedicated\"}}}},\n"
    " \"metrics\": [\"cost_usd.total\", \"workloads.day.waited_within(20m)\"],\n"
    " \"minimise\": \"cost_usd.total\",\n"
    " \"subject_to\": [{\"share\": \"workloads.day.waited_within(20m)\", \"at_least\": \"30%\"}],\n"
    " \"seeds\": {\"at_least\": 20}}";

/* 3.2 of 5 to 9 servers are busy on average. */
static const char servers_text[] =
    "{\"trainyard_study\": 1, \"scenario\": \"" TRAINYARD_SOURCE_DIR
    "/tests/sim/study/coverage/queue.json\",\n"
    " \"factors\": {\"servers\": {\"values\": \"5..9\"}, \"jobs\": {\"set\": "
    "\"/workloads/0/jobs\", \"values\": [200]}, \"rate\": {\"values\": [\"0.32/h\"]}},\n"
    " \"minimise\": \"cost_usd.total\",\n"
    " \"subject_to\": [{\"share\": \"workloads.all.waited_within(10h)\", \"at_least\": \"90%\"}]}";

static Arena *arena;
static const char *folder;
static const Study *study;
static int32_t larger_count;
static const int32_t *larger;
static int64_t made_runs; /* by the last follow() */

static void fail_with(const Problems *problems)
{
    ck_assert_msg(problems->count == 0, "%s: %s",
                  problems->count > 0 && problems->items[0].at.source ? problems->items[0].at.source
                                                                      : "",
                  problems->count > 0 ? problems->items[0].message : "");
}

static void read_study(const char *text)
{
    Problems problems = problems_create(arena);
    const Json *root = json_parse(arena, "study", text, strlen(text), JSON_STRICT, &problems);
    study = root != NULL ? study_read_tree(arena, disk_files, "study", root, &problems) : NULL;
    fail_with(&problems);
}

static void begin(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    read_study(study_text);
}

static void end(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static FollowOutcome follow(Sensitivity sensitivity)
{
    Problems problems = problems_create(arena);
    const SweepOptions options = {.folder = folder,
                                  .version = "test",
                                  .thread_count = 2,
                                  .time_limit_ns = INT64_MAX,
                                  .shard = {0, 1},
                                  .is_quiet = true,
                                  .run = sweep_on_threads};
    const FollowQuestion question = {.study = study,
                                     .winner = 0,
                                     .next_best = 1,
                                     .first_seed = 1000,
                                     .seeds = 20,
                                     .sensitivity = sensitivity,
                                     .larger_count = larger_count,
                                     .larger = larger,
                                     .growth_ppm = 50000};
    FollowRuns runs;
    const bool has_run = follow_run(arena, &question, disk_files, &options, &runs, &problems);
    fail_with(&problems);
    ck_assert(has_run && runs.end == RUNNER_FINISHED);
    made_runs = runs.run_count;
    ck_assert(runs.run_count == 0 || runs.took_ns > 0);
    FollowOutcome outcome;
    const bool is_read = follow_outcome_read(arena, disk_files, folder, study, &outcome, &problems);
    fail_with(&problems);
    ck_assert(is_read && outcome.is_present);
    return outcome;
}

static const char *file(const char *name)
{
    return temporary_file_text(arena, arena_printf(arena, "%s/%s", folder, name));
}

static const AssumptionEffect *effect_of(const FollowOutcome *outcome, const char *path)
{
    for (int32_t i = 0; i < outcome->effect_count; i++)
        if (strcmp(outcome->effects[i].assumption->path, path) == 0)
            return &outcome->effects[i];
    ck_abort_msg("no assumption %s", path);
}

START_TEST(a_kind_has_the_price_of_its_size_or_its_own)
{
    NodeKind kinds[2] = {{.name = "reserved", .vm_size = plain_vm_size(), .target_nodes = 2},
                         {.name = "burst", .vm_size = plain_vm_size()}};
    kinds[0].has_price = true;
    kinds[0].micro_usd_per_hour = 450000;
    const ClusterSpec spec = {.vm_size = plain_vm_size(), .kind_count = 2, .kinds = kinds};
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "lab", 0, &spec);
    const FollowPoint point = follow_point_of(arena, scenario_of(&list, 1), 0);
    ck_assert_int_eq(point.cluster_count, 2);
    ck_assert_str_eq(point.clusters[0].price, "lab.kinds.reserved/price_per_hour");
    ck_assert_int_eq(point.clusters[0].micro_usd_per_hour, 450000);
    ck_assert_str_eq(point.clusters[1].price, "vm_sizes/Standard_NC6/dedicated_price_per_hour");
    ck_assert_int_eq(point.clusters[1].micro_usd_per_hour, 900000);
}
END_TEST

/* Both have the same hours, so they cost the same at 0.90 USD, 1.0588 times 0.85 USD. */
START_TEST(the_price_changes_the_answer)
{
    const FollowOutcome outcome = follow(SENSITIVITY_ONE_AT_A_TIME);
    const char *const low = "vm_sizes/Standard_NC6/low_priority_price_per_hour";
    const AssumptionEffect *price = effect_of(&outcome, low);
    ck_assert_int_eq(price->low->change, ANSWER_STAYS);
    ck_assert_int_eq(price->high->change, ANSWER_OTHER);
    ck_assert_str_eq(price->assumption->value, "0.85USD");
    ck_assert_str_eq(price->assumption->high, "\"1.0625USD\"");
    ck_assert_int_eq(outcome.price_count, 2);
    ck_assert_str_eq(outcome.prices[0].price, low);
    ck_assert(fabs(outcome.prices[0].break_even.multiple - 0.90 / 0.85) < 1e-4);
    ck_assert(outcome.prices[0].break_even.low <= outcome.prices[0].break_even.multiple);
    ck_assert(outcome.prices[0].break_even.high >= outcome.prices[0].break_even.multiple);
    ck_assert_int_eq(outcome.prices[0].other, 1);
    ck_assert_str_eq(follow_price_words(arena, &outcome.prices[0]),
                     "rises from 0.85 to 0.90 USD an hour, 1.06 times as much");
    ck_assert_str_eq(follow_price_words(arena, &outcome.prices[1]),
                     "falls from 0.90 to 0.85 USD an hour, 0.94 times as much");
    ck_assert(fabs(outcome.prices[1].break_even.multiple - 0.85 / 0.90) < 1e-4);
    // The winner's own price moves its bill most, and nothing else changes the answer.
    ck_assert_ptr_eq(&outcome.effects[0], price);
    for (int32_t i = 0; i < outcome.effect_count; i++) {
        const bool is_price = outcome.effects[i].assumption->kind == ASSUMPTION_PRICE;
        ck_assert(is_price || outcome.effects[i].low->change == ANSWER_STAYS);
        ck_assert(is_price || outcome.effects[i].high->change == ANSWER_STAYS);
    }
}
END_TEST

START_TEST(reasons_and_headroom)
{
    const FollowOutcome outcome = follow(SENSITIVITY_NONE);
    const PointWhy *why = &outcome.why[0];
    double part = 0;
    ck_assert_int_eq(why->run_count, 20);
    for (int cause = 0; cause < WAIT_CAUSE_COUNT; cause++)
        part += isnan(why->wait_s[cause]) ? 0 : why->wait_s[cause]; // no queue has a limit
    ck_assert(fabs(part - why->waited_s) < 1e-6 * part);
    ck_assert(why->stranded_usd > 0 && why->stranded_usd < why->node_usd);
    ck_assert_int_eq(outcome.headroom.count, 4);
    ck_assert_str_eq(outcome.headroom.items[3].level, "2");
    const MetricEstimate *now = &outcome.headroom.items[0].winner.constraints[0];
    const MetricEstimate *twice = &outcome.headroom.items[3].winner.constraints[0];
    ck_assert(twice->value < now->value);
    ck_assert(outcome.breaking_load.is_known);
    // The share of 24 cores with nodes of 6.
    ck_assert_int_eq(outcome.quota_count, 1);
    ck_assert_str_eq(outcome.quotas[0].family, "NC");
    ck_assert_int_eq(outcome.quotas[0].peak_vcpus, 24);
    ck_assert_int_eq(outcome.quotas[0].asked_vcpus, 30);
    ck_assert(outcome.quotas[0].is_enough);
    ck_assert_str_eq(outcome.facts.closed_form.model, "M/G/4");
    ck_assert(!outcome.has[FOLLOW_ASSUMPTIONS] && !outcome.has[FOLLOW_PREEMPTION]);
}
END_TEST

/* More servers bear more load, and cost more. A limit of 10 hours holds while about 0.7 to 0.8 of
 * the servers are busy. */
START_TEST(larger_candidates_are_needed_later)
{
    static const int32_t points[] = {4, 2, 1};
    read_study(servers_text);
    larger = points;
    larger_count = 3;
    const FollowOutcome outcome = follow(SENSITIVITY_NONE);
    static const int32_t order[] = {0, 1, 2, 4};
    ck_assert_int_eq(outcome.stage_count, 4);
    for (int32_t i = 0; i < 4; i++) {
        const GrowthStage *stage = &outcome.stages[i];
        const double busy = 3.2 * stage->breaks.load / (5 + order[i]);
        ck_assert_int_eq(stage->point, order[i]);
        ck_assert(!stage->breaks.is_beyond);
        ck_assert_msg(busy > .6 && busy < .9, "%g", busy);
        ck_assert(fabs(pow(1.05, stage->months) - stage->breaks.load) < 1e-6);
        ck_assert(i == 0 || stage->objective.value > stage[-1].objective.value);
    }
    larger_count = 0;
    ck_assert(!follow(SENSITIVITY_NONE).has[FOLLOW_GROWTH]);
}
END_TEST

/* The second time nothing is run, and the files are the same. */
START_TEST(the_same_question_is_continued)
{
    (void)follow(SENSITIVITY_ONE_AT_A_TIME);
    const char *facts = file("follow.json"), *journal = file("assumptions/journal/0-0.log"),
               *points = file("assumptions/points.csv");
    ck_assert_int_gt(made_runs, 0);
    (void)follow(SENSITIVITY_ONE_AT_A_TIME);
    ck_assert_int_eq(made_runs, 0);
    ck_assert_str_eq(file("follow.json"), facts);
    ck_assert_str_eq(file("assumptions/journal/0-0.log"), journal);
    ck_assert_str_eq(file("assumptions/points.csv"), points);
    // Another question removes what no longer belongs to the answer.
    const FollowOutcome outcome = follow(SENSITIVITY_NONE);
    ck_assert(!outcome.has[FOLLOW_ASSUMPTIONS]);
}
END_TEST

/* The scenario has no failures, and its trainings are modelled. */
START_TEST(what_the_scenario_cannot_notice_is_no_assumption)
{
    const FollowOutcome outcome = follow(SENSITIVITY_ONE_AT_A_TIME);
    ck_assert_int_gt((int32_t)outcome.effect_count, 2);
    for (int32_t i = 0; i < outcome.effect_count; i++) {
        const char *path = outcome.effects[i].assumption->path;
        ck_assert_msg(strcmp(path, "service/failure_detection") != 0 &&
                          strcmp(path, "service/node_reboot") != 0 &&
                          strcmp(path, "service/unknown_program") != 0,
                      "%s", path);
    }
}
END_TEST

START_TEST(a_limit_that_is_missed_anyway_is_missed_for_no_assumption)
{
    const char *limit = strstr(study_text, "30%\"}]");
    read_study(arena_printf(arena, "%.*s100%s", (int)(limit - study_text), study_text, limit + 2));
    const FollowOutcome outcome = follow(SENSITIVITY_ONE_AT_A_TIME);
    ck_assert_int_eq(outcome.assumptions.items[0].winner.verdict, LIMIT_MISSED);
    for (int32_t i = 0; i < outcome.effect_count; i++)
        ck_assert(outcome.effects[i].low->change != ANSWER_MISSES &&
                  outcome.effects[i].high->change != ANSWER_MISSES);
}
END_TEST

START_TEST(all_assumptions_at_once)
{
    const FollowOutcome outcome = follow(SENSITIVITY_MORRIS);
    ck_assert_int_eq(outcome.sensitivity_design, DESIGN_MORRIS);
    ck_assert_int_eq(outcome.sensitivity_count, (int32_t)outcome.facts.assumption_count);
    ck_assert_int_eq(outcome.sensitivity[0].assumption->kind, ASSUMPTION_PRICE);
    ck_assert(outcome.sensitivity[0].effect > 0);
}
END_TEST

/* --- Values --- */

static const struct {
    const char *value, *expected;
    bool is_count;
    double factor;
} products[] = {
    {"0.90USD", "\"1.125USD\"", false, 1.25},
    {"10MB/s", "\"5MB/s\"", false, 0.5},
    {"90%", "\"100%\"", false, 1.25},
    {"28%", "\"35%\"", false, 1.25},
    {"8", "4", true, 0.5},
    {"1", "1", true, 0.25},
    {"{\"exponential\":\"100h\"}", "{\"exponential\":\"50h\"}", false, 0.5},
    {"{\"lognormal\":{\"median\":\"54m\",\"sigma\":1.94}}",
     "{\"lognormal\":{\"median\":\"108m\",\"sigma\":1.94}}", false, 2},
    {"{\"min\":\"2s\",\"median\":\"4s\",\"max\":\"8s\"}",
     "{\"min\":\"1s\",\"median\":\"2s\",\"max\":\"4s\"}", false, 0.5},
    {"{\"0\":\"1s\",\"1\":\"24h\"}", "{\"0\":\"500000000ns\",\"1\":\"6h\"}", false, 0.25},
    {"replace", NULL, false, 2},
    {"1h30m", NULL, false, 2},
};
enum { PRODUCT_COUNT = sizeof products / sizeof products[0] };

START_TEST(values_are_multiplied)
{
    const char *made = assumption_times(arena, products[_i].value, products[_i].is_count,
                                        NS_PER_S / 2, products[_i].factor);
    if (products[_i].expected == NULL)
        ck_assert_ptr_null(made);
    else
        ck_assert_str_eq(made, products[_i].expected);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("follow");
    TCase *all = tcase_create("follow");
    tcase_add_checked_fixture(all, begin, end);
    tcase_add_test(all, the_price_changes_the_answer);
    tcase_add_test(all, a_kind_has_the_price_of_its_size_or_its_own);
    tcase_add_test(all, reasons_and_headroom);
    tcase_add_test(all, larger_candidates_are_needed_later);
    tcase_add_test(all, the_same_question_is_continued);
    tcase_add_test(all, what_the_scenario_cannot_notice_is_no_assumption);
    tcase_add_test(all, a_limit_that_is_missed_anyway_is_missed_for_no_assumption);
    tcase_add_test(all, all_assumptions_at_once);
    tcase_add_loop_test(all, values_are_multiplied, 0, PRODUCT_COUNT);
    suite_add_tcase(suite, all);
    return suite;
}

/* Plans of a queue whose answer is known, from study to files: the same bytes for any number of
 * threads and after any interruption, with runs of an earlier sweep, with weather and a budget. */
#include "sim/study/plan/plan_run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/philox.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/study/plan/plan_check.h"
#include "sim/study/plan/plan_json.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/whole_studies.h"

/* 0.32 jobs an hour that take 10 hours: 5 servers keep 95 % of the jobs below 10 hours of waiting
 * in the long run, and from an empty start. */
static const char study_text[] =
    "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/coverage/queue.json\",\n"
    " \"factors\": {\"servers\": {\"values\": \"3..8\"}, \"jobs\": {\"set\": "
    "\"/workloads/0/jobs\", "
    "\"values\": [200]}, \"rate\": {\"values\": [\"0.32/h\"]}},\n"
    " \"minimise\": \"cost_usd.total\",\n"
    " \"subject_to\": [{\"share\": \"workloads.all.waited_within(10h)\", \"at_least\": \"90%\"}],\n"
    " \"indifference\": \"3%\"}";

static Arena *arena;
static const char *folder;

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
}

static void tear_down(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

/* The text of the study with the first `old` replaced by `new`. */
static const char *changed(const char *old, const char *new)
{
    const char *at = strstr(study_text, old);
    ck_assert_ptr_nonnull(at);
    return arena_printf(arena, "%.*s%s%s", (int)(at - study_text), study_text, new,
                        at + strlen(old));
}

static const char *in(const char *name, const char *file)
{
    return arena_printf(arena, "%s/%s/%s", folder, name, file);
}

static SweepOptions options_of(const char *name, int32_t threads)
{
    return (SweepOptions){.folder = arena_printf(arena, "%s/%s", folder, name),
                          .version = "test",
                          .thread_count = threads,
                          .time_limit_ns = INT64_MAX,
                          .shard = {0, 1},
                          .is_quiet = true,
                          .run = sweep_on_threads};
}

static PlanRun plan_into(const Study *study, const char *name, int32_t threads)
{
    Problems problems = problems_create(arena);
    const SweepOptions options = options_of(name, threads);
    PlanRun run;
    const bool has_run = plan_run(arena, study, disk_files, &options, &run, &problems);
    ck_assert_msg(has_run, "%s", problems.count > 0 ? problems.items[0].message : "");
    return run;
}

static void same_files(const char *a, const char *b)
{
    static const char *const names[] = {"plan.json",   "plan.csv",   "fresh.csv",
                                        "results.csv", "points.csv", "study.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_msg(strcmp(temporary_file_text(arena, in(a, names[i])),
                             temporary_file_text(arena, in(b, names[i]))) == 0,
                      "%s of %s and %s differ", names[i], a, b);
}

static const char *winner_of(const PlanRun *run)
{
    return run->outcome.winner != NO_CANDIDATE
               ? plan_candidate_name(arena, run->outcome.grid, run->outcome.winner)
               : "none";
}

START_TEST(the_answer_is_right_and_does_not_depend_on_threads)
{
    const Study *study = whole_study_read(arena, study_text);
    const PlanRun run = plan_into(study, "one", 1);
    ck_assert_int_eq(run.outcome.verdict, PLAN_FOUND);
    ck_assert_str_eq(winner_of(&run), "servers=5");
    ck_assert_int_eq(run.outcome.candidates[0].state, CANDIDATE_MISSES_BY_ORDER);
    ck_assert_int_eq(run.outcome.candidates[5].state, CANDIDATE_WORSE);
    ck_assert(run.outcome.is_confident);
    ck_assert_int_ge(run.outcome.candidates[run.outcome.winner].fresh.run_count, 20);
    ck_assert_double_lt((double)run.outcome.run_count, run.outcome.grid_run_count);
    plan_into(study, "two", 2);
    plan_into(study, "five", 5);
    same_files("one", "two");
    same_files("one", "five");
}
END_TEST

/* Cuts the journal at random places, as a kill in the middle of a write leaves it. */
START_TEST(the_answer_does_not_depend_on_interruptions)
{
    const Study *study = whole_study_read(arena, study_text);
    plan_into(study, "one", 1);
    plan_into(study, "cut", 2);
    const char *journal = in("cut", "journal/0-0.log");
    for (uint64_t i = 0; i < 8; i++) {
        const size_t length = strlen(temporary_file_text(arena, journal));
        const uint64_t random = philox(i, (PhiloxBlock){{0}}).word[0];
        ck_assert_int_eq(truncate(journal, (off_t)(random % length)), 0);
        plan_into(study, "cut", 1 + (int32_t)i % 3);
        same_files("one", "cut");
    }
}
END_TEST

START_TEST(runs_of_an_earlier_sweep_are_used)
{
    const Study *study = whole_study_read(arena, study_text);
    const PlanRun alone = plan_into(study, "alone", 2);
    Problems problems = problems_create(arena);
    const SweepOptions options = options_of("swept", 2);
    Sweep sweep;
    ck_assert(sweep_run(arena, study, disk_files, &options, &sweep, &problems));
    const PlanRun run = plan_into(study, "swept", 2);
    ck_assert_int_eq(run.sweep.resumed_count, 6 * 20);
    const int64_t made = run.sweep.findings.results->run_count - run.sweep.resumed_count;
    ck_assert_int_lt(made, alone.outcome.run_count);
    same_files("alone", "swept");
}
END_TEST

START_TEST(the_outcome_is_read_from_the_folder_alone)
{
    const Study *study = whole_study_read(arena, study_text);
    PlanRun run = plan_into(study, "one", 2);
    Problems problems = problems_create(arena);
    PlanOutcome outcome;
    ck_assert(plan_outcome_read(arena, disk_files, arena_printf(arena, "%s/one", folder), &outcome,
                                &problems));
    Text live = {0}, read = {0};
    json_print(&live, plan_json(arena, &run.outcome), JSON_INDENTED);
    json_print(&read, plan_json(arena, &outcome), JSON_INDENTED);
    ck_assert_str_eq(text_string(&live), text_string(&read));
    text_free(&live);
    text_free(&read);
}
END_TEST

START_TEST(an_impossible_goal_names_the_nearest_miss)
{
    const Study *study = whole_study_read(arena, changed("\"3..8\"", "\"1..4\""));
    const PlanRun run = plan_into(study, "none", 2);
    ck_assert_int_eq(run.outcome.verdict, PLAN_INFEASIBLE);
    ck_assert_int_eq(run.outcome.winner, NO_CANDIDATE);
    ck_assert_int_eq(run.outcome.nearest_miss, 3);
    ck_assert_int_ge(run.outcome.candidates[3].fresh.run_count, 20);
}
END_TEST

/* At 0.5 jobs an hour 7 servers are needed; the constraint has to hold there too. */
START_TEST(constraints_hold_in_each_weather_or_on_average)
{
    const char *two = changed("[\"0.32/h\"]}}", "[\"0.2/h\", \"0.5/h\"]}}, \"weather\": \"rate\"");
    const PlanRun each = plan_into(whole_study_read(arena, two), "each", 2);
    ck_assert_int_eq(each.outcome.grid->candidate_count, 6);
    ck_assert_int_eq(each.outcome.grid->weather_count, 2);
    ck_assert_str_eq(winner_of(&each), "servers=7");
    ck_assert_int_eq(each.outcome.check_count, 2);
    const char *average = changed("[\"0.32/h\"]}}", "[\"0.2/h\", \"0.5/h\"]}}, \"weather\": "
                                                    "\"rate\", \"weather_rule\": \"average\"");
    const PlanRun mean = plan_into(whole_study_read(arena, average), "average", 2);
    ck_assert_str_eq(winner_of(&mean), "servers=6");
    ck_assert_int_eq(mean.outcome.check_count, 1);
}
END_TEST

START_TEST(a_budget_is_kept_and_its_confidence_is_stated)
{
    const Study *study =
        whole_study_read(arena, changed("\"indifference\": \"3%\"",
                                        "\"indifference\": \"0.1%\", \"budget\": {\"runs\": 100}"));
    const PlanRun run = plan_into(study, "budget", 2);
    ck_assert_int_le(run.outcome.run_count, 100);
    ck_assert_int_eq(run.outcome.verdict, PLAN_FOUND);
    ck_assert_str_eq(winner_of(&run), "servers=5");
    ck_assert_double_lt(run.outcome.confidence, .95);
    ck_assert(!run.outcome.is_confident);
}
END_TEST

START_TEST(a_check_notices_another_recommendation_and_a_small_margin)
{
    const PlanRun five = plan_into(whole_study_read(arena, study_text), "five", 2);
    const PlanRun six = plan_into(whole_study_read(arena, changed("\"90%\"", "\"97%\"")), "six", 2);
    Problems problems = problems_create(arena);
    const Json *before =
        plan_check_load(arena, disk_files, arena_printf(arena, "%s/five", folder), &problems);
    ck_assert_ptr_nonnull(before);
    bool is_same;
    Status status;
    Text text = {0};
    ck_assert(plan_check(before, &five.outcome, 0, &is_same, &text, &status));
    ck_assert(is_same);
    ck_assert_ptr_nonnull(strstr(text_string(&text), "is still servers=5"));
    ck_assert(plan_check(before, &six.outcome, 0, &is_same, &text, &status));
    ck_assert(!is_same);
    ck_assert_ptr_nonnull(strstr(text_string(&text), "changed from servers=5"));
    ck_assert(plan_check(before, &five.outcome, .2, &is_same, &text, &status));
    ck_assert(!is_same);
    ck_assert_ptr_nonnull(strstr(text_string(&text), "the margin of"));
    ck_assert(!plan_check(json_object(arena), &five.outcome, 0, &is_same, &text, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan");
    TCase *cases = tcase_create("plan");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, the_answer_is_right_and_does_not_depend_on_threads);
    tcase_add_test(cases, the_answer_does_not_depend_on_interruptions);
    tcase_add_test(cases, runs_of_an_earlier_sweep_are_used);
    tcase_add_test(cases, the_outcome_is_read_from_the_folder_alone);
    tcase_add_test(cases, an_impossible_goal_names_the_nearest_miss);
    tcase_add_test(cases, constraints_hold_in_each_weather_or_on_average);
    tcase_add_test(cases, a_budget_is_kept_and_its_confidence_is_stated);
    tcase_add_test(cases, a_check_notices_another_recommendation_and_a_small_margin);
    suite_add_tcase(suite, cases);
    return suite;
}

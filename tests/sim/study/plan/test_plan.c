/* Plans of a queue whose answer is known, from study to files: the same bytes for any number of
 * threads and after any interruption, with runs of an earlier sweep, with weather and a budget. */
#include "sim/study/answer/plan_run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/philox.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/study/answer/answer.h"
#include "sim/study/answer/plan_check.h"
#include "sim/study/answer/plan_json.h"
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

/* Five days of 8 jobs and one of 14, drawn anew: n >= 8 servers start n of these 14 at once, so
 * R = (40 + n) / 54 of the jobs wait for less than half an hour. */
static const char log_text[] =
    "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/plan/log.json\",\n"
    " \"factors\": {\"servers\": {\"values\": \"7..15\"}},\n"
    " \"minimise\": \"cost_usd.total\",\n"
    " \"subject_to\": [{\"share\": \"workloads.all.waited_within(30m)\", \"at_least\": \"85%\"}],\n"
    " \"indifference\": \"2%\"}";

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

/* The text with the first `old` replaced by `new`. */
static const char *text_with(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    ck_assert_ptr_nonnull(at);
    return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

static const char *changed(const char *old, const char *new)
{
    return text_with(study_text, old, new);
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
    const PlanFile *before =
        plan_check_load(arena, disk_files, arena_printf(arena, "%s/five", folder), &problems);
    ck_assert_ptr_nonnull(before);
    Text text = {0};
    ck_assert(plan_check(before, &five.outcome, 0, &text));
    ck_assert_ptr_nonnull(strstr(text_string(&text), "is still servers=5"));
    ck_assert_ptr_nonnull(strstr(text_string(&text), " before, "));
    ck_assert(!plan_check(before, &six.outcome, 0, &text));
    ck_assert_ptr_nonnull(strstr(text_string(&text), "changed from servers=5"));
    ck_assert(!plan_check(before, &five.outcome, .2, &text));
    ck_assert_ptr_nonnull(strstr(text_string(&text), "the margin of"));
    ck_assert_ptr_null(plan_check_read(arena, json_object(arena), &problems));
    ck_assert_int_eq(problems.count, 3);
    text_free(&text);
}
END_TEST

/* --- A short log --- */

static void reach_says(const PlanRun *run, const char *part)
{
    const char *reach = answer_of(arena, &run->outcome).reach;
    ck_assert_msg(strstr(reach, part) != NULL, "\"%s\" lacks \"%s\"", reach, part);
}

/* The number of bad days among 6 has the variance 6 x 1/6 x 5/6, so R varies by
 * |n - 8 - 6 R| x 0.913 / 54, and the log leaves t = 2.571 times sqrt(6 / 5) of that. With 12
 * servers R is 96.3 %, the half-width 8.5 %, and Wilson's lower end 78 %; with 13 they are 98.1 %,
 * 4.2 % and 88 %. */
START_TEST(a_short_log_has_a_price_of_certainty)
{
    const Study *study = whole_study_read(arena, log_text);
    PlanRun run = plan_into(study, "one", 1);
    ck_assert_str_eq(winner_of(&run), "servers=8");
    ck_assert_str_eq(plan_candidate_name(arena, run.outcome.grid, run.outcome.sure), "servers=13");
    ck_assert_int_eq(run.outcome.sure_tested_count, 6);
    ck_assert(!run.outcome.sure_is_cut);
    ck_assert_int_eq(run.outcome.candidates[5].sure, SURE_NO);
    const int32_t most = run.outcome.candidates[run.outcome.winner].fresh.run_count;
    ck_assert_int_lt(run.outcome.candidates[5].fresh.run_count, most);
    ck_assert_int_eq(run.outcome.candidates[6].fresh.run_count, most);
    reach_says(&run, "so a longer log might show that the limit is missed. With 13 servers the "
                     "limit holds in other times like these, too: it costs 1,416.9 ± 0.7 USD a "
                     "week, 544.95 ± 0.27 USD more (62 %).");
    plan_into(study, "three", 3);
    same_files("one", "three");
    Problems problems = problems_create(arena);
    PlanOutcome read;
    ck_assert(plan_outcome_read(arena, disk_files, arena_printf(arena, "%s/one", folder), &read,
                                &problems));
    Text live = {0}, again = {0};
    json_print(&live, plan_json(arena, &run.outcome), JSON_INDENTED);
    json_print(&again, plan_json(arena, &read), JSON_INDENTED);
    ck_assert_str_eq(text_string(&live), text_string(&again));
    text_free(&live);
    text_free(&again);
}
END_TEST

/* Also one within the search for a sure candidate, whose runs are the last ones of the journal. */
START_TEST(the_price_of_certainty_does_not_depend_on_interruptions)
{
    const Study *study = whole_study_read(arena, log_text);
    plan_into(study, "one", 1);
    plan_into(study, "cut", 1);
    const char *journal = in("cut", "journal/0-0.log");
    for (size_t eighths = 7; eighths > 4; eighths--) {
        const size_t length = strlen(temporary_file_text(arena, journal));
        ck_assert_int_eq(truncate(journal, (off_t)(length * eighths / 8)), 0);
        PlanOutcome read;
        Problems problems = problems_create(arena);
        ck_assert(plan_outcome_read(arena, disk_files, arena_printf(arena, "%s/cut", folder), &read,
                                    &problems));
        ck_assert_int_eq(read.verdict, PLAN_UNFINISHED);
        ck_assert_int_eq(read.sure, NO_CANDIDATE);
        if (eighths == 7)
            ck_assert(read.seeks_sure);
        plan_into(study, "cut", 1 + (int32_t)eighths % 3);
        same_files("one", "cut");
    }
}
END_TEST

START_TEST(a_search_for_a_sure_candidate_may_find_none)
{
    const PlanRun few =
        plan_into(whole_study_read(arena, text_with(log_text, "7..15", "7..12")), "few", 2);
    ck_assert_str_eq(winner_of(&few), "servers=8");
    ck_assert_int_eq(few.outcome.sure, NO_CANDIDATE);
    reach_says(&few, "is missed. None of the 5 candidates that were tested for it is sure to meet "
                     "the limit in other times.");
    const PlanRun one =
        plan_into(whole_study_read(arena, text_with(log_text, "7..15", "7..8")), "two", 2);
    reach_says(&one, "is missed. No other candidate is surer to meet it.");
    const PlanRun cut =
        plan_into(whole_study_read(arena, text_with(log_text, "\"2%\"",
                                                    "\"2%\", \"budget\": {\"runs\": "
                                                    "200}")),
                  "cut", 2);
    ck_assert_int_le(cut.outcome.run_count, 200);
    ck_assert_str_eq(winner_of(&cut), "servers=8");
    ck_assert(cut.outcome.sure_is_cut);
    reach_says(&cut, "because the budget of runs is spent.");
}
END_TEST

START_TEST(a_winner_that_is_sure_needs_no_search)
{
    const PlanRun run =
        plan_into(whole_study_read(arena, text_with(log_text, "7..15", "13..15")), "sure", 2);
    ck_assert_str_eq(winner_of(&run), "servers=13");
    ck_assert_int_eq(run.outcome.sure, run.outcome.winner);
    ck_assert_int_eq(run.outcome.sure_tested_count, 1);
    ck_assert_int_eq(run.outcome.candidates[2].fresh.run_count, 0);
    const char *end = "so the limit holds in other times like these, too.";
    const char *reach = answer_of(arena, &run.outcome).reach;
    ck_assert_str_eq(strstr(reach, end), end);
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
    tcase_add_test(cases, a_short_log_has_a_price_of_certainty);
    tcase_add_test(cases, the_price_of_certainty_does_not_depend_on_interruptions);
    tcase_add_test(cases, a_search_for_a_sure_candidate_may_find_none);
    tcase_add_test(cases, a_winner_that_is_sure_needs_no_search);
    suite_add_tcase(suite, cases);
    return suite;
}

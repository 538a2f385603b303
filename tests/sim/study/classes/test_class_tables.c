#include "sim/study/classes/class_tables.h"

#include <math.h>

#include "sim/study/classes/class_words.h"
#include "tests/support/small_scenario_fixture.h"

/* Two factors: a policy without order, and a load with one. The baseline names the policy, so pairs
 * are made at each load. */
static const char study_text[] =
    "{\"trainyard_study\": 1, \"scenario\": \"scenario.json\", \"metrics\": [\"cost_usd.total\"],\n"
    " \"factors\": {\"policy\": {\"set\": \"/policy\", \"values\": [\"service\", \"backfill\", "
    "\"shortest\"]}, \"load\": {\"set\": \"/seed\", \"values\": [1, 2]}},\n"
    " \"baseline\": {\"policy\": \"service\"}}";

enum { RUNS = 20, POINTS = 6, METRICS = 5 };
static const char *const names[METRICS] = {
    "workloads.team.sizes.1.queue_s.mean", "workloads.team.sizes.8.queue_s.mean", "cost_usd.total",
    "workloads.team.sizes.1.waited_within(30m)", "workloads.team.sizes.8.waited_within(30m)"};

static Study *study_with_classes(void)
{
    Problems problems = problems_create(arena);
    memory_files_set(&files, "study.json", study_text, strlen(study_text));
    Study *study = study_read(arena, memory_files_source(&files), "study.json", &problems);
    ck_assert_msg(study != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    StudyMetric *metrics = ARENA_ARRAY(arena, StudyMetric, METRICS);
    for (int32_t m = 0; m < METRICS; m++)
        metrics[m] = (StudyMetric){.name = names[m],
                                   .unit = m < 2    ? "s"
                                           : m == 2 ? "USD"
                                                    : "1",
                                   .kind = m < 3 ? MEASURE_MEAN : MEASURE_SHARE};
    study->metrics = metrics;
    study->metric_count = METRICS;
    study_number_values(study, metrics);
    return study;
}

/* The value of a metric in replication r. Small jobs wait 600 s, and 60 s less with backfill; large
 * ones wait 3600 s, and 300 s more with it, at load 1, and 100 s more at load 2. With "shortest"
 * nothing differs but noise. All runs share noise, which pairs take away. */
static double value_of(int32_t policy, int32_t load, int32_t metric, int32_t r)
{
    const double noise = 50 * (r % 5), own = (r % 3 - 1) * 2;
    const double small = policy == 1 ? -60 : 0, large = policy == 1 ? (load == 0 ? 300 : 100) : 0;
    switch (metric) {
    case 0:
        return 600 + noise + small + (policy > 0 ? own : 0);
    case 1:
        return 3600 + noise + large + (policy > 0 ? own : 0);
    case 2:
        return 10;
    default:
        return metric == 3 ? 0.9 + (policy == 1 ? 0.05 : 0) : 0.5;
    }
}

static StudyFindings findings_of(const Study *study, int32_t bound_policy)
{
    Results *results = results_create(arena, study);
    int32_t *used = ARENA_ARRAY(arena, int32_t, POINTS);
    for (int32_t point = 0; point < POINTS; point++) {
        used[point] = RUNS;
        for (int32_t r = 0; r < RUNS; r++) {
            double *values = ARENA_ARRAY(arena, double, study->value_count);
            uint8_t *flags = ARENA_ARRAY(arena, uint8_t, study->value_count);
            for (int32_t m = 0; m < METRICS; m++)
                values[m] = value_of(point / 2, point % 2, m, r);
            if (point / 2 == bound_policy)
                flags[0] = flags[1] = RUN_VALUE_IS_LOWER_BOUND;
            results_put(results,
                        &(RunRecord){.point = point,
                                     .replication = r,
                                     .seed = 1 + (uint64_t)r,
                                     .values = values,
                                     .flags = flags},
                        -1);
        }
    }
    return (StudyFindings){study, results, used};
}

START_TEST(each_statistic_of_several_classes_is_a_table)
{
    const Study *study = study_with_classes();
    const StudyFindings findings = findings_of(study, -1);
    const ClassTables tables = class_tables(arena, &findings);
    ck_assert_int_eq(tables.count, 2); // the load has an order, the cost no classes
    const ClassTable *waits = &tables.items[0];
    ck_assert_str_eq(class_title(arena, study, waits),
                     "mean wait (min): policy compared with service (average over load)");
    ck_assert_int_eq(waits->class_count, 2);
    ck_assert_int_eq(waits->level_count, 2);
    ck_assert_str_eq(waits->classes[0].words, "team of size 1");
    ck_assert_double_eq_tol(waits->classes[0].baseline, 700, 1e-9); // 600 + 50 * mean of 0 to 4
    ck_assert(!waits->is_more_better);
    ck_assert_str_eq(tables.items[1].statistic, "waited_within(30m)");
    ck_assert(tables.items[1].is_more_better);
}
END_TEST

/* -60 s and own noise of -2, 0, 2 s (7, 7 and 6 times): s = 1.651, t = 2.093, half-width 0.7728. */
START_TEST(differences_are_paired_and_averaged_over_other_factors)
{
    const Study *study = study_with_classes();
    const StudyFindings findings = findings_of(study, -1);
    const ClassTable *waits = &class_tables(arena, &findings).items[0];
    const ClassCell *small = class_cell(waits, 0, 0), *large = class_cell(waits, 1, 0);
    ck_assert_double_eq_tol(small->difference, -60.1, 1e-9);
    ck_assert_double_eq_tol(small->half_width, 0.7728, 0.0001);
    ck_assert_int_eq(small->verdict, CLASS_WINS);
    ck_assert_double_eq_tol(large->difference, 199.9, 1e-9); // (300 + 100) / 2
    ck_assert_int_eq(large->verdict, CLASS_PAYS);
    ck_assert_int_eq(class_cell(waits, 0, 1)->verdict, CLASS_ALIKE);
    ck_assert_str_eq(
        class_level_words(arena, waits, 0),
        "team of size 1 wins 1.002 ± 0.013 min, team of size 8 pays 3.332 ± 0.013 min");
    ck_assert_str_eq(class_level_words(arena, waits, 1), "");
    ck_assert_str_eq(class_summary(arena, study, waits),
                     "With backfill some class wins and another one pays. With shortest no class "
                     "is shown to win or to pay.");
}
END_TEST

START_TEST(a_larger_share_of_jobs_in_time_wins)
{
    const Study *study = study_with_classes();
    const StudyFindings findings = findings_of(study, -1);
    const ClassTable *shares = &class_tables(arena, &findings).items[1];
    ck_assert_int_eq(class_cell(shares, 0, 0)->verdict, CLASS_WINS); // the same in all runs
    ck_assert_int_eq(class_cell(shares, 1, 0)->verdict, CLASS_ALIKE);
    ck_assert_str_eq(class_cell_words(arena, shares, class_cell(shares, 0, 0)), "+5");
}
END_TEST

/* Waits of backfill that have not ended may be longer: it can still be shown to lose, not to win.
 */
START_TEST(a_lower_bound_gives_no_verdict_that_it_may_change)
{
    const Study *study = study_with_classes();
    const StudyFindings findings = findings_of(study, 1);
    const ClassTable *waits = &class_tables(arena, &findings).items[0];
    ck_assert_int_eq(class_cell(waits, 0, 0)->verdict, CLASS_ALIKE);
    ck_assert_int_eq(class_cell(waits, 1, 0)->verdict, CLASS_PAYS);
    ck_assert_ptr_nonnull(
        strstr(class_cell_words(arena, waits, class_cell(waits, 1, 0)), "\xE2\x89\xA5 +3.332"));
    const StudyFindings baseline = findings_of(study, 0);
    waits = &class_tables(arena, &baseline).items[0];
    ck_assert_int_eq(class_cell(waits, 0, 0)->verdict, CLASS_WINS);
    ck_assert_int_eq(class_cell(waits, 1, 0)->verdict, CLASS_ALIKE);
}
END_TEST

START_TEST(a_study_without_a_baseline_compares_nothing)
{
    Study *study = study_with_classes();
    const StudyFindings findings = findings_of(study, -1);
    Text text = {0};
    study->has_baseline = false;
    class_tables_print(&findings, &text);
    ck_assert_uint_eq(text.length, 0);
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("class tables");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, each_statistic_of_several_classes_is_a_table);
    tcase_add_test(tests, differences_are_paired_and_averaged_over_other_factors);
    tcase_add_test(tests, a_larger_share_of_jobs_in_time_wins);
    tcase_add_test(tests, a_lower_bound_gives_no_verdict_that_it_may_change);
    tcase_add_test(tests, a_study_without_a_baseline_compares_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}

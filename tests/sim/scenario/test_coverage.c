#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/scenario/catalog/files.h"
#include "sim/scenario/coverage.h"
#include "tests/support/suite.h"

static Arena *arena;
static CoverageTrials trials;

static void set_up(void)
{
    static const char folder[] = TRAINYARD_SOURCE_DIR "/scenarios/catalog";
    arena = arena_create();
    Problems problems = problems_create(arena);
    const CatalogFile files[] = {{disk_files, arena_printf(arena, "%s/azure-2018.json", folder)},
                                 {disk_files, arena_printf(arena, "%s/throughput.json", folder)}};
    const Catalog *catalog = catalog_files_read(arena, files, 2, &problems);
    ck_assert_msg(catalog != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    trials = coverage_trials(arena, catalog_throughputs(catalog));
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* As stated in scenarios/SOURCES.md. */
START_TEST(estimates_of_each_case_are_within_the_stated_error)
{
    static const struct {
        int32_t count_least;
        double mean_most;
    } rows[COVERAGE_CASE_COUNT] = {
        [COVERAGE_SOFTWARE] = {90, 0.05},         [COVERAGE_NETWORK_ON_GPU] = {90, 0.10},
        [COVERAGE_NETWORK] = {90, 0.10},          [COVERAGE_GPU] = {90, 0.25},
        [COVERAGE_BATCH_OF_SEVERAL] = {60, 0.25}, [COVERAGE_BATCH_OF_ONE] = {60, 0.60}};
    for (CoverageCase left_out = 0; left_out < COVERAGE_CASE_COUNT; left_out++) {
        CoverageSum sum = {0};
        for (int32_t i = 0; i < trials.count; i++)
            if (trials.items[i].left_out == left_out)
                coverage_add(&sum, &trials.items[i]);
        printf("%s: %d of %d, mean error %.3f, at most %.3f\n", coverage_case_name(left_out),
               (int)sum.within, (int)sum.count, sum.error_mean, sum.error_most);
        ck_assert_int_ge(sum.count, rows[left_out].count_least);
        ck_assert_int_ge(20 * sum.within, 19 * sum.count);
        ck_assert_double_le(sum.error_mean, rows[left_out].mean_most);
    }
}
END_TEST

typedef const char *(*NameOf)(const CoverageTrial *trial);

static const char *gpu_of(const CoverageTrial *trial)
{
    return trial->row->gpu->name;
}

static const char *network_of(const CoverageTrial *trial)
{
    return trial->row->network->name;
}

static const char *framework_of(const CoverageTrial *trial)
{
    return trial->row->framework->name;
}

/* The promise holds for each GPU, each network and each software, not only for all together. */
START_TEST(estimates_of_each_group_are_within_the_stated_error)
{
    static const NameOf names[] = {gpu_of, network_of, framework_of};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        int32_t groups = 0;
        for (int32_t i = 0; i < trials.count; i++) {
            const char *name = names[k](&trials.items[i]);
            CoverageSum sum = {0};
            bool is_first = true;
            for (int32_t j = 0; j < trials.count; j++) {
                if (strcmp(names[k](&trials.items[j]), name) != 0)
                    continue;
                is_first = is_first && j >= i;
                coverage_add(&sum, &trials.items[j]);
            }
            groups += is_first;
            ck_assert_msg(20 * sum.within >= 19 * sum.count, "%s: %d of %d", name, (int)sum.within,
                          (int)sum.count);
        }
        ck_assert_int_ge(groups, 7);
    }
}
END_TEST

/* Worked out on paper. */
START_TEST(a_sum_counts_what_is_within_the_stated_error)
{
    static const CoverageTrial items[] = {{.error = 0.1, .stated = 0.2},
                                          {.error = 0.3, .stated = 0.3},
                                          {.error = 0.5, .stated = 0.4}};
    CoverageSum sum = {0};
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        coverage_add(&sum, &items[i]);
    ck_assert_int_eq(sum.count, 3);
    ck_assert_int_eq(sum.within, 2);
    ck_assert_double_eq_tol(sum.error_mean, 0.3, 1e-12);
    ck_assert_double_eq(sum.error_most, 0.5);
    ck_assert_double_eq(sum.stated_least, 0.2);
    ck_assert_double_eq(sum.stated_most, 0.4);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("coverage");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, estimates_of_each_case_are_within_the_stated_error);
    tcase_add_test(tests, estimates_of_each_group_are_within_the_stated_error);
    tcase_add_test(tests, a_sum_counts_what_is_within_the_stated_error);
    suite_add_tcase(suite, tests);
    return suite;
}

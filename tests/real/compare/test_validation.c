#include "real/compare/validation.h"

#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/scenario/catalog/files.h"
#include "tests/support/suite.h"

#define HEAD                                                                                       \
    "# trainyard validation 1\n"                                                                   \
    "machine\tdate\tcores\tbackend\tnetwork\tprecision\tbatch\tranks\tround\tsteps\tmin_ms\t"      \
    "median_ms\tmean_ms\tp90_ms\tload_ms\taugment_ms\tforward_ms\tbackward_ms\tnegotiate_ms\t"     \
    "allreduce_ms\tupdate_ms\n"
#define CELL "here\t2026-11-23\t2\tref\tkeras_cifar10_cnn\tfp32\t"
#define PHASES "\t1\t2\t3\t4\t0\t0.5\t6\n"

static Arena *arena;
static ValidationTable table;
static Status status;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

static bool parse(const char *text)
{
    return validation_parse("table", text, strlen(text), arena, &table, &status);
}

static void ck_parses(const char *text)
{
    ck_assert_msg(parse(text), "%d:%d: %s", (int)status.at.line, (int)status.at.column,
                  status.message);
}

START_TEST(times_are_read_to_the_nanosecond)
{
    ck_parses(HEAD CELL "8\t1\t1\t100\t9.5\t10.000001\t11\t12.25" PHASES);
    ck_assert_int_eq(table.row_count, 1);
    ck_assert_int_eq(table.cores, 2);
    ck_assert_str_eq(table.machine, "here");
    ck_assert_int_eq(table.rows[0].min_ns, 9500000);
    ck_assert_int_eq(table.rows[0].median_ns, 10000001);
    ck_assert_int_eq(table.rows[0].p90_ns, 12250000);
    ck_assert_int_eq(table.rows[0].phase_ns[VALIDATION_ALLREDUCE], 500000);
    ck_assert_int_eq(table.rows[0].precision, STEP_FP32);
}
END_TEST

START_TEST(a_malformed_table_is_refused_with_a_place)
{
    static const struct {
        const char *text;
        int line, column;
    } rows[] = {
        {"", 1, 1},
        {"# trainyard validation 2\n", 1, 1},
        {"# trainyard validation 1\nmachine\n", 2, 1},
        {HEAD, 3, 1},
        {HEAD CELL "8\t1\t1\t100\t9\t10\t11\t12\t1\t2\t3\t4\t0\t0\n", 3, 1},
        {HEAD CELL "0\t1\t1\t100\t9\t10\t11\t12" PHASES, 3, 46},
        {HEAD CELL "8\t70000\t1\t100\t9\t10\t11\t12" PHASES, 3, 48},
        {HEAD CELL "8\t1\t1\t100\t9\t0\t11\t12" PHASES, 3, 58},
        {HEAD CELL "8\t1\t1\t100\t9\t-1\t11\t12" PHASES, 3, 58},
        {HEAD CELL "8\t1\t1\t100\t9\t1.\t11\t12" PHASES, 3, 58},
        {HEAD CELL "8\t1\t1\t100\t9\t1.2345678\t11\t12" PHASES, 3, 58},
        {HEAD CELL "8\t1\t1\t100\t9\t1.2e3\t11\t12" PHASES, 3, 58},
        {HEAD CELL "8\t1\t1\t100\t9\t10\t11\t12" PHASES
                   "there\t2026-11-23\t2\tref\tnet\tfp32\t8\t1\t1\t100\t9\t10\t11\t12" PHASES,
         4, 1},
        {HEAD "he\x1bre\t2026-11-23\t2\tref\tnet\tfp32\t8\t1\t1\t100\t9\t10\t11\t12" PHASES, 3, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_msg(!parse(rows[i].text), "row %d", (int)i);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_msg(status.at.line == rows[i].line && status.at.column == rows[i].column,
                      "row %d: %d:%d: %s", (int)i, (int)status.at.line, (int)status.at.column,
                      status.message);
    }
}
END_TEST

/* The machine of tests/cli/compare/local.json: two cores of 92 Gflop/s, 2 ms of overhead a step. */
static const Catalog *catalog_of_test(void)
{
    Problems problems = problems_create(arena);
    const CatalogFile files[] = {
        {disk_files, TRAINYARD_SOURCE_DIR "/scenarios/catalog/azure-2018.json"},
        {disk_files, TRAINYARD_SOURCE_DIR "/tests/cli/compare/local.json"}};
    const Catalog *catalog = catalog_files_read(arena, files, 2, &problems);
    ck_assert_ptr_nonnull(catalog);
    return catalog;
}

START_TEST(cells_have_the_medians_of_rounds_and_predictions)
{
    Validation validation;
    ck_parses(HEAD CELL "8\t1\t1\t100\t9\t12\t11\t12" PHASES // rounds of one cell, out of order
                  CELL "16\t4\t1\t100\t9\t40\t11\t12" PHASES // two ranks a core
                      CELL "8\t1\t3\t100\t9\t20\t11\t12" PHASES CELL
                        "8\t1\t2\t100\t9\t13\t11\t12" PHASES);
    ck_assert_msg(validation_judge(arena, &table, catalog_of_test(), (Tolerance){0.12, 0.05},
                                   &validation, &status),
                  "%s", status.message);
    ck_assert_int_eq(validation.cell_count, 2);
    const ValidationCell *cell = &validation.cells[0];
    ck_assert_int_eq(cell->rounds, 3);
    ck_assert_double_eq(cell->measured_ms, 13);
    ck_assert_double_eq(cell->low_ms, 12);
    ck_assert_double_eq(cell->high_ms, 20);
    // 8 * 122,677,248 / 92e9 s = 10.6676 ms, 2 ms of overhead, 10 * 1,250,858 / 92e9 s = 0.136 ms.
    ck_assert_double_eq_tol(cell->predicted_ms, 12.8035, 1e-3);
    ck_assert_double_eq_tol(cell->error, 12.8035 / 13 - 1, 1e-4);
    ck_assert_int_eq(cell->cores, CORES_FREE);
    ck_assert_int_eq(validation.cells[1].cores, CORES_CROWDED);
    ck_assert_int_eq(validation.judged.count, 1);
    ck_assert_int_eq(validation.uses[CORES_CROWDED].count, 1);
    ck_assert(validation.is_inside); // the crowded cell's error does not count
}
END_TEST

START_TEST(ranks_wait_for_the_slowest)
{
    Validation validation;
    ck_parses(HEAD CELL "8\t2\t1\t100\t9\t12\t11\t12" PHASES);
    ck_assert(validation_judge(arena, &table, catalog_of_test(), (Tolerance){1, 1}, &validation,
                               &status));
    // The median of the slower of two ranks is the quantile sqrt(1/2) of one rank: 1 + 0.02 *
    // (0.7071 - 0.5) / 0.4. The step of one rank takes that much longer, and a sum of 5,003,432 B
    // follows.
    ck_assert_double_eq_tol(validation.cells[0].predicted_ms,
                            (10.6676 + 2) * 1.010355 + 0.136 + 1.25086, 1e-3);
}
END_TEST

START_TEST(crowded_cells_alone_are_not_inside)
{
    Validation validation;
    ck_parses(HEAD CELL "8\t4\t1\t100\t9\t22\t11\t12" PHASES);
    ck_assert(validation_judge(arena, &table, catalog_of_test(), (Tolerance){9, 9}, &validation,
                               &status));
    ck_assert(!validation.is_inside);
}
END_TEST

START_TEST(a_catalogue_without_this_machine_is_refused)
{
    Validation validation;
    Problems problems = problems_create(arena);
    const CatalogFile file = {disk_files,
                              TRAINYARD_SOURCE_DIR "/scenarios/catalog/azure-2018.json"};
    ck_parses(HEAD CELL "8\t1\t1\t100\t9\t12\t11\t12" PHASES);
    ck_assert(!validation_judge(arena, &table, catalog_files_read(arena, &file, 1, &problems),
                                (Tolerance){1, 1}, &validation, &status));
    ck_assert_ptr_nonnull(strstr(status.message, "vm_sizes/local"));
    ck_assert_ptr_nonnull(strstr(status.hint, "trainyard calibrate"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("validation");
    TCase *tests = tcase_create("validation");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, times_are_read_to_the_nanosecond);
    tcase_add_test(tests, a_malformed_table_is_refused_with_a_place);
    tcase_add_test(tests, cells_have_the_medians_of_rounds_and_predictions);
    tcase_add_test(tests, ranks_wait_for_the_slowest);
    tcase_add_test(tests, crowded_cells_alone_are_not_inside);
    tcase_add_test(tests, a_catalogue_without_this_machine_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

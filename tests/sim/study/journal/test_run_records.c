#include "sim/study/journal/run_records.h"

#include "tests/support/run_journal.h"
#include "tests/support/suite.h"

static RunCollection *collection;
static Arena *arena;
static Problems problems;

static void begin(void)
{
    arena = arena_create();
    problems = problems_create(arena);
    collection = run_collection_create(arena, TEST_METRICS);
}

static void end(void)
{
    arena_destroy(arena);
}

static void add(int32_t point, int32_t replication, int32_t line)
{
    TestRun run;
    run_collection_add(collection, test_run(&run, point, replication), place_in("a", line, 1));
}

START_TEST(records_are_ordered_by_point_and_replication_in_whatever_order_they_come)
{
    for (int32_t i = 0; i < 1000; i++) { // 7 and 1000 share no factor: each number once
        const int32_t number = 7 * i % 1000;
        add(number / 10, number % 10, i + 2);
    }
    RunRecords records;
    ck_assert(run_collection_finish(collection, &records, &problems));
    ck_assert_int_eq(records.count, 1000);
    ck_assert_int_eq(records.duplicate_count, 0);
    for (int32_t i = 0; i < 1000; i++) {
        TestRun run;
        ck_assert(run_record_is_same(&records.items[i], test_run(&run, i / 10, i % 10)));
    }
}
END_TEST

START_TEST(equal_records_of_a_run_are_counted_once)
{
    add(1, 0, 2);
    add(0, 2, 3); // its second value is unknown: unknown values are equal
    add(1, 0, 4);
    add(0, 2, 5);
    add(1, 0, 6);
    RunRecords records;
    ck_assert(run_collection_finish(collection, &records, &problems));
    ck_assert_int_eq(records.count, 2);
    ck_assert_int_eq(records.duplicate_count, 3);
}
END_TEST

/* Changes one part of a record; false after the last. */
static bool change(TestRun *run, int32_t part)
{
    switch (part) {
    case 0:
        run->record.seed++;
        return true;
    case 1:
        run->record.fingerprint ^= 1;
        return true;
    case 2:
        run->values[0] = -run->values[0];
        return true;
    case 3:
        run->values[1] = 0.0 * -1.0;
        return true;
    case 4:
        run->flags[1] ^= RUN_VALUE_IS_LOWER_BOUND;
        return true;
    default:
        return false;
    }
}

START_TEST(two_results_of_one_run_are_an_error_of_the_machine_with_both_places)
{
    TestRun run;
    int32_t part = 0;
    for (test_run(&run, 0, 0); change(&run, part); test_run(&run, 0, 0), part++) {
        RunCollection *pair = run_collection_create(arena, TEST_METRICS);
        Problems found = problems_create(arena);
        RunRecords records;
        TestRun right;
        run_collection_add(pair, test_run(&right, 0, 0), place_in("journal/0-0.log", 2, 1));
        run_collection_add(pair, &run.record, place_in("journal/1-0.log", 9, 1));
        ck_assert(!run_collection_finish(pair, &records, &found));
        ck_assert_int_eq(found.count, 1);
        ck_assert_int_eq(found.items[0].code, STATUS_MACHINE);
        ck_assert_str_eq(found.items[0].at.source, "journal/1-0.log");
        ck_assert_int_eq(found.items[0].at.line, 9);
        ck_assert_str_eq(found.items[0].message,
                         "point 0, replication 0 has another result than in journal/0-0.log:2");
    }
    ck_assert_int_eq(part, 5);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("run_records");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, records_are_ordered_by_point_and_replication_in_whatever_order_they_come);
    tcase_add_test(tests, equal_records_of_a_run_are_counted_once);
    tcase_add_test(tests, two_results_of_one_run_are_an_error_of_the_machine_with_both_places);
    suite_add_tcase(suite, tests);
    return suite;
}

#define _GNU_SOURCE // sched_setaffinity is Linux's
#include "trainer/comm/cores.h"

#include <sched.h>
#include <string.h>

#include "tests/support/suite.h"

START_TEST(a_process_bound_to_one_core_may_use_that_one)
{
    CoreSet before = cores_allowed();
    ck_assert_int_ge(cores_count(&before), 1);
    int32_t last = CORES_MAX - 1;
    while (!(before.bits[last / 64] >> (last % 64) & 1))
        last--;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)last, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    CoreSet after = cores_allowed();
    ck_assert_int_eq(cores_count(&after), 1);
    ck_assert(after.bits[last / 64] >> (last % 64) & 1);
}
END_TEST

START_TEST(every_core_of_a_set_is_counted)
{
    for (int32_t core = 0; core < CORES_MAX; core++) {
        CoreSet set = {{0}};
        set.bits[core / 64] = UINT64_C(1) << (core % 64);
        ck_assert_int_eq(cores_count(&set), 1);
    }
}
END_TEST

START_TEST(more_threads_than_cores_cause_a_warning)
{
    static const struct {
        int32_t ranks, threads, cores;
        const char *message, *hint; // NULL: no warning
    } rows[] = {
        {1, 1, 1, NULL, NULL},
        {2, 1, 2, NULL, NULL},
        {2, 4, 8, NULL, NULL},
        {4, 1, 2, "4 ranks on 2 cores: they take turns, and each step waits for the last",
         "mpirun -n 2 with one thread each gives every rank a separate core"},
        {2, 1, 1, "2 ranks on 1 core: they take turns, and each step waits for the last",
         "mpirun -n 1 with one thread each gives every rank a separate core"},
        {2, 4, 6,
         "2 ranks of 4 threads on 6 cores: they take turns, and each step waits for the last",
         "--threads 3 gives every thread a separate core"},
        {1, 2, 1,
         "1 rank of 2 threads on 1 core: they take turns, and each step waits for the last",
         "--threads 1 gives every thread a separate core"},
        {2000000000, 2000000000, 2,
         "2000000000 ranks of 2000000000 threads on 2 cores: they take turns, and each step waits "
         "for the last",
         "mpirun -n 2 with one thread each gives every rank a separate core"},
    };
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems warnings = problems_create(arena);
        cores_warn(&warnings, rows[i].ranks, rows[i].threads, rows[i].cores);
        ck_assert_int_eq(warnings.count, rows[i].message != NULL);
        if (rows[i].message) {
            ck_assert_str_eq(warnings.items[0].message, rows[i].message);
            ck_assert_str_eq(warnings.items[0].hint, rows[i].hint);
        }
    }
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cores");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_process_bound_to_one_core_may_use_that_one);
    tcase_add_test(tests, every_core_of_a_set_is_counted);
    tcase_add_test(tests, more_threads_than_cores_cause_a_warning);
    suite_add_tcase(suite, tests);
    return suite;
}

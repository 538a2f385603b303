#include "trainer/comm/comm.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cli/machine_clock.h"
#include "tests/support/suite.h"
#include "trainer/record/timeline.h"

static Arena *arena;
static Comm *comm;
static Status status;

static void setup(void)
{
    arena = arena_create();
    ck_assert(comm_open("local", arena, &comm, &status));
}

static void teardown(void)
{
    comm_close(comm);
    arena_destroy(arena);
}

START_TEST(one_process_is_rank_0_of_1)
{
    ck_assert_str_eq(comm_name(comm), "local");
    ck_assert_int_eq(comm_rank(comm), 0);
    ck_assert_int_eq(comm_size(comm), 1);
    ck_assert_int_eq(comm_local_rank(comm), 0);
    ck_assert_int_eq(comm_local_size(comm), 1);
    ck_assert_int_ge(comm_local_cores(comm), 1);
}
END_TEST

START_TEST(sums_and_broadcasts_of_one_process_change_nothing)
{
    float values[] = {1.5f, -2, 0.1f};
    const float same[] = {1.5f, -2, 0.1f};
    double more[] = {0.1, 7};
    const double same_more[] = {0.1, 7};
    int64_t smallest = -5;
    ck_assert(comm_sum(comm, values, 3, &status));
    ck_assert(comm_broadcast(comm, values, sizeof values, &status));
    ck_assert_mem_eq(values, same, sizeof same);
    ck_assert(comm_sum_doubles(comm, more, 2, &status));
    ck_assert_mem_eq(more, same_more, sizeof more);
    ck_assert(comm_min(comm, &smallest, &status));
    ck_assert_int_eq(smallest, -5);
    ck_assert(comm_barrier(comm, &status));
}
END_TEST

START_TEST(one_process_gathers_its_value)
{
    char all[4] = "";
    ck_assert(comm_gather(comm, "abc", 4, all, &status));
    ck_assert_str_eq(all, "abc");
}
END_TEST

static void never(void *listener, int64_t waited_ns, const int32_t *late, int32_t late_count)
{
    (void)listener, (void)waited_ns, (void)late, (void)late_count;
    ck_abort_msg("no rank is late");
}

START_TEST(one_process_is_ready_at_once)
{
    int64_t begin_ns = machine_clock_ns(), ready_ns = 0;
    comm_watch_stalls(comm, 0, never, NULL);
    ck_assert(comm_ready(comm, 3, &ready_ns, &status));
    ck_assert_int_ge(ready_ns, begin_ns);
    ck_assert_int_le(ready_ns, machine_clock_ns());
    ck_assert(comm_ready(comm, 4, NULL, &status));
}
END_TEST

START_TEST(comm_abort_ends_the_process_with_the_exit_code)
{
    comm_abort(comm, 42);
}
END_TEST

START_TEST(auto_is_local_without_a_launcher)
{
    Comm *opened;
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMI_SIZE");
    unsetenv("PMIX_RANK");
    ck_assert(comm_open("auto", arena, &opened, &status));
    ck_assert_str_eq(comm_name(opened), "local");
    comm_close(opened);
}
END_TEST

START_TEST(a_single_process_sums_on_a_gpu_only_on_request)
{
    ck_assert(!comm_sums_on_gpu(comm) && !comm_sums_in_graph(comm));
    ck_assert(comm_use_gpus(comm, false, &status));
    ck_assert(comm_use_gpus(comm, true, &status));
    ck_assert_str_eq(comm_name(comm), "local");
    ck_assert(comm_check(comm, 0, &status));
}
END_TEST

START_TEST(nccl_is_refused_if_it_or_a_gpu_is_missing)
{
    Comm *opened;
    if (comm_open("nccl", arena, &opened, &status)) {
        ck_assert(!comm_use_gpus(opened, false, &status));
        ck_assert_ptr_nonnull(strstr(status.message, "the ranks compute on processors"));
        comm_close(opened);
    } else {
        ck_assert_str_eq(status.message, "this build has no communication \"nccl\"");
        ck_assert_ptr_nonnull(strstr(status.hint, "libnccl-dev"));
    }
    ck_assert_int_eq(status.code, STATUS_MACHINE);
}
END_TEST

START_TEST(an_unknown_communication_is_refused)
{
    Comm *opened;
    ck_assert(!comm_open("pigeons", arena, &opened, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status.message, "\"pigeons\""));
    comm_close(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("comm");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, one_process_is_rank_0_of_1);
    tcase_add_test(tests, sums_and_broadcasts_of_one_process_change_nothing);
    tcase_add_test(tests, one_process_gathers_its_value);
    tcase_add_test(tests, one_process_is_ready_at_once);
    tcase_add_exit_test(tests, comm_abort_ends_the_process_with_the_exit_code, 42);
    tcase_add_test(tests, auto_is_local_without_a_launcher);
    tcase_add_test(tests, a_single_process_sums_on_a_gpu_only_on_request);
    tcase_add_test(tests, nccl_is_refused_if_it_or_a_gpu_is_missing);
    tcase_add_test(tests, an_unknown_communication_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

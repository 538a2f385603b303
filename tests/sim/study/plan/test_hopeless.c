/* Queues that are never empty against their closed forms, and the points that a plan does not
 * simulate. */
#include "sim/study/plan/hopeless.h"

#include <math.h>
#include <string.h>

#include "sim/cli/disk_files.h"
#include "tests/support/suite.h"
#include "tests/support/whole_studies.h"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static const Distribution exponential = {.kind = DISTRIBUTION_EXPONENTIAL, .scale = 1000000};

START_TEST(jobs_of_one_node_keep_all_nodes_busy)
{
    static const double chances[] = {1};
    static const int32_t nodes[] = {1};
    const JobMix mix = {1, chances, nodes, &exponential};
    for (int32_t count = 1; count <= 64; count *= 4) {
        const SaturatedQueue queue = saturated_queue(&mix, count);
        ck_assert_double_eq_tol(queue.gap_ns * count / 1e6, 1, .02);
        // Ends of exponential times are a Poisson process.
        ck_assert_double_eq_tol(queue.deviation_ns * count / 1e6, 1, .25);
    }
}
END_TEST

/* Two nodes, jobs of one and of two in equal parts, exponential times of mean 1. Between two wide
 * jobs there are k narrow ones with probability 2^-(k + 1). They take (k + 1) / 2 until both nodes
 * are free: the first two start at once, each further one after 1/2, and the last two end after 1/2
 * + 1; for one it is 1. A cycle takes 1 + sum over k >= 1 of 2^-(k + 1) (k + 1) / 2 = 1.75 and has
 * 2 jobs on average: 0.875 each. */
START_TEST(wide_jobs_leave_nodes_idle)
{
    static const double chances[] = {.5, .5};
    static const int32_t nodes[] = {1, 2};
    const Distribution times[] = {exponential, exponential};
    const JobMix mix = {2, chances, nodes, times};
    const SaturatedQueue queue = saturated_queue(&mix, 2);
    ck_assert_double_eq_tol(queue.gap_ns / 1e6, 0.875, .01);
    ck_assert(isinf(saturated_queue(&mix, 1).gap_ns));
}
END_TEST

static const char study_text[] =
    "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/coverage/queue.json\",\n"
    " \"factors\": {\"servers\": {\"values\": \"1..6\"}, \"rate\": {\"values\": [\"0.32/h\"]}},\n"
    " \"minimise\": \"cost_usd.total\",\n"
    " \"subject_to\": [{\"share\": \"workloads.all.waited_within(10h)\", \"at_least\": \"95%\"}]";

static int32_t hopeless_of(const char *text, const HopelessPoint **found)
{
    return hopeless_points_find(arena, whole_study_read(arena, text), disk_files, found);
}

START_TEST(a_queue_that_grows_for_ever_is_not_simulated)
{
    const HopelessPoint *found;
    const char *steady = arena_printf(arena,
                                      "%s, \"horizon\": {\"kind\": \"steady\", \"warm_up\": "
                                      "\"10d\", \"length\": \"100d\"}}",
                                      study_text);
    ck_assert_int_eq(hopeless_of(steady, &found), 3); // 1, 2 and 3 of 3.2
    ck_assert_int_eq(found[2].point, 2);
    ck_assert(!found[2].is_refused);
    ck_assert_ptr_nonnull(strstr(found[2].reason, "more work arrives than 3 nodes can do: 3.2"));
}
END_TEST

/* A queue with a limit cannot grow: with 2 nodes 45 % of the jobs find one free. */
START_TEST(a_queue_with_a_limit_is_simulated)
{
    const HopelessPoint *found;
    const char *text =
        "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/coverage/queue.json\",\n"
        " \"horizon\": {\"kind\": \"steady\", \"warm_up\": \"10d\", \"length\": \"100d\"},\n"
        " \"factors\": {\"servers\": {\"values\": \"1..6\"}, \"rate\": {\"values\": "
        "[\"0.32/h\"]},\n"
        " \"room\": {\"set\": \"/queue_limit\", \"values\": [0, 5]}},\n"
        " \"minimise\": \"workloads.all.rejected\"}";
    ck_assert_int_eq(hopeless_of(text, &found), 0);
}
END_TEST

/* With 1 or 2 nodes hardly any of 1000 jobs waits less than 10 hours. With 3 nodes the queue may be
 * short when the last one comes, so that point is simulated. */
START_TEST(a_queue_that_ends_is_simulated_unless_its_growth_is_sure_to_miss)
{
    const HopelessPoint *found;
    ck_assert_int_eq(hopeless_of(arena_printf(arena, "%s}", study_text), &found), 2);
    ck_assert_int_eq(found[1].point, 1);
}
END_TEST

START_TEST(a_combination_that_is_not_valid_is_refused)
{
    const HopelessPoint *found;
    const char *text =
        "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/coverage/queue.json\",\n"
        " \"factors\": {\"servers\": {\"values\": [8, 16]}, \"wide\": {\"set\": "
        "[\"/workloads/0/config/properties/nodeCount\"], \"values\": [1]},\n"
        " \"most\": {\"set\": \"/parameters/servers/range\", \"values\": [[1, 64], [1, 10]]}},\n"
        " \"minimise\": \"cost_usd.total\"}";
    ck_assert_int_eq(hopeless_of(text, &found), 1);
    ck_assert(found[0].is_refused);
    ck_assert_ptr_nonnull(strstr(found[0].reason, "16"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hopeless");
    TCase *cases = tcase_create("hopeless");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, jobs_of_one_node_keep_all_nodes_busy);
    tcase_add_test(cases, wide_jobs_leave_nodes_idle);
    tcase_add_test(cases, a_queue_that_grows_for_ever_is_not_simulated);
    tcase_add_test(cases, a_queue_with_a_limit_is_simulated);
    tcase_add_test(cases, a_queue_that_ends_is_simulated_unless_its_growth_is_sure_to_miss);
    tcase_add_test(cases, a_combination_that_is_not_valid_is_refused);
    suite_add_tcase(suite, cases);
    return suite;
}

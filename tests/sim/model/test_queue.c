#include <math.h>

#include "sim/model/queue.h"
#include "tests/support/suite.h"

static void close_to(double value, double expected)
{
    ck_assert_msg(fabs(value - expected) < 1e-6, "%.9f instead of %.9f", value, expected);
}

/* M/M/1 at load 0.5: half of the jobs wait, on average one service time. */
START_TEST(one_server)
{
    close_to(queue_wait_probability(1, 0.5), 0.5);
    close_to(queue_mean_wait(1, 0.5), 1);
    close_to(queue_wait_within(1, 0.5, 0), 0.5);
    close_to(queue_wait_within(1, 0.5, 2), 1 - 0.5 * exp(-1));
}
END_TEST

/* P(wait <= x) of M/M/c by other programs. */
START_TEST(many_servers)
{
    close_to(queue_wait_within(7, 3.2, 0.1), 0.965221);
    close_to(queue_wait_within(6, 3.2, 0.1), 0.903938);
    close_to(queue_wait_within(5, 3.2, 1), 0.952302);
    close_to(queue_wait_within(18, 12, 0.1), 0.958502);
    close_to(queue_wait_within(15, 12, 1), 0.984108);
    close_to(queue_wait_within(215, 200, 0.1), 0.953157);
    close_to(queue_wait_within(202, 200, 1), 0.886740);
}
END_TEST

/* Pollaczek and Khinchine: a constant service time halves the wait, a lognormal of sigma 0.8 at
 * load 0.8 has 3.792962. Lee and Longton's approximation of M/G/16 at 0.9 with cs2 = 4. */
START_TEST(general_service_times)
{
    close_to(queue_general_mean_wait(1, 0.8, 0), 2);
    close_to(queue_general_mean_wait(1, 0.8, exp(0.64) - 1), 3.792962);
    close_to(queue_general_mean_wait(16, 16 * 0.9, 4), 0.923974);
}
END_TEST

START_TEST(overload_has_no_mean)
{
    ck_assert(isinf(queue_mean_wait(2, 2)));
    close_to(queue_wait_probability(2, 3), 1);
    close_to(queue_wait_within(2, 2, 100), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("queue");
    TCase *all = tcase_create("queue");
    tcase_add_test(all, one_server);
    tcase_add_test(all, many_servers);
    tcase_add_test(all, general_service_times);
    tcase_add_test(all, overload_has_no_mean);
    suite_add_tcase(suite, all);
    return suite;
}

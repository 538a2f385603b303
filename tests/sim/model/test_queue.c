#include <math.h>

#include "sim/model/queue.h"
#include "tests/support/suite.h"

static void close_to(double value, double expected)
{
    ck_assert_msg(fabs(value - expected) < 1e-6, "%.9f instead of %.9f", value, expected);
}

/* P(wait <= x) in M/M/c: 1 - C exp(-(c - a) x). */
static double wait_within(int32_t servers, double load, double x)
{
    return 1 - queue_wait_probability(servers, load) * exp(-(servers - load) * x);
}

/* M/M/1 at load 0.5: half of the jobs wait, on average one service time. */
START_TEST(one_server)
{
    close_to(queue_wait_probability(1, 0.5), 0.5);
    close_to(queue_mean_wait(1, 0.5), 1);
    close_to(wait_within(1, 0.5, 0), 0.5);
    close_to(wait_within(1, 0.5, 2), 1 - 0.5 * exp(-1));
}
END_TEST

/* P(wait <= x) of M/M/c by other programs. */
START_TEST(many_servers)
{
    close_to(wait_within(7, 3.2, 0.1), 0.965221);
    close_to(wait_within(6, 3.2, 0.1), 0.903938);
    close_to(wait_within(5, 3.2, 1), 0.952302);
    close_to(wait_within(18, 12, 0.1), 0.958502);
    close_to(wait_within(15, 12, 1), 0.984108);
    close_to(wait_within(215, 200, 0.1), 0.953157);
    close_to(wait_within(202, 200, 1), 0.886740);
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
}
END_TEST

/* One server at load 1: each of its K + 1 numbers of jobs is as likely. Two servers without room at
 * load 1: 1, 1 and 1/2 of 5/2. One server with a place at load 2: 1, 2 and 4 of 7. A job waits in
 * 4/7 of the time, and 2 x 3/7 jobs a unit of time find room. */
START_TEST(jobs_that_find_no_room_are_lost)
{
    for (int32_t room = 0; room < 6; room++) {
        const QueueLoss loss = queue_limited(1, room, 1);
        close_to(loss.lost, 1.0 / (room + 2));
        close_to(loss.mean_wait, room / 2.0);
    }
    close_to(queue_limited(2, 0, 1).lost, 0.2);
    close_to(queue_limited(1, 1, 2).lost, 4.0 / 7);
    close_to(queue_limited(1, 1, 2).mean_wait, 4.0 / 7 / (2 * 3.0 / 7));
    close_to(queue_limited(7, 0, 3.2).lost, 0.028265); // a^7 / 7! of the sum of a^n / n!
    // With much room it is M/M/c; overloaded, the servers do what they can.
    close_to(queue_limited(7, 1000, 3.2).lost, 0);
    close_to(queue_limited(7, 1000, 3.2).mean_wait, queue_mean_wait(7, 3.2));
    close_to(queue_limited(4, 1000000, 5).lost, 0.2);
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
    tcase_add_test(all, jobs_that_find_no_room_are_lost);
    suite_add_tcase(suite, all);
    return suite;
}

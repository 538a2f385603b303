#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/model/exchange.h"
#include "tests/support/suite.h"

#define MB INT64_C(1000000)

/* Two ranks on two nodes: a buffer takes its bytes / (100 MB/s). */
static const Gang two = {.ranks = 2, .nodes = 2};
static const Exchange through_host = {.ring = {.between = {.bytes_per_s = 100 * MB}},
                                      .cycle_ns = 5 * NS_PER_MS,
                                      .sleeps_whole_cycle = true,
                                      .fusion_bytes = 64 * MB,
                                      .via_host = true,
                                      .host_link_bytes_per_s = 4000 * MB,
                                      .copy_bytes_per_s = 2000 * MB};
static const Exchange on_device = {.ring = {.between = {.bytes_per_s = 100 * MB}},
                                   .cycle_ns = 5 * NS_PER_MS,
                                   .sleeps_whole_cycle = true,
                                   .fusion_bytes = 64 * MB};

START_TEST(a_gradient_is_copied_to_the_host_waits_is_reduced_and_copied_back)
{
    // 8 MB off the device in 2 ms, 2.5 ms until the thread wakes, 4 ms from the tensor to where the
    // sum will be, 80 ms on the wire, 2 ms back.
    Gradient last = {.ready_ns = 10 * NS_PER_MS, .bytes = 8 * MB};
    ck_assert_int_eq(exchange_ns(&through_host, two, &last, 1, last.ready_ns),
                     INT64_C(90500) * NS_PER_US);
    // 3 ms of the backward pass are left.
    ck_assert_int_eq(exchange_ns(&through_host, two, &last, 1, 13 * NS_PER_MS),
                     INT64_C(87500) * NS_PER_US);
    ck_assert_int_eq(exchange_ns(&through_host, two, NULL, 0, 13 * NS_PER_MS), 0);
}
END_TEST

START_TEST(earlier_gradients_are_added_during_the_backward_pass)
{
    // The first as above: done between 98 and 103 ms. The second, 2 MB, is on the host at 201 ms, a
    // multiple of 5 ms later: 0.5 ms off, 2.5 ms of waiting, 1 ms, 20 ms on the wire, 0.5 ms back.
    Gradient gradients[] = {{10 * NS_PER_MS, 8 * MB}, {200500 * NS_PER_US, 2 * MB}};
    ck_assert_int_eq(exchange_ns(&through_host, two, gradients, 2, gradients[1].ready_ns),
                     INT64_C(24500) * NS_PER_US);
    // Without overlap both are copied off in 2.5 ms, with 0.5 ms between them. Depending on the
    // phase of the cycle, the first is announced alone or both together; both together for 15 of 16
    // phases. Then 10 ms of copies in and out, 100 ms on the wire, 2.5 ms back.
    gradients[0].ready_ns = gradients[1].ready_ns;
    int64_t together_ns = exchange_ns(&through_host, two, gradients, 2, gradients[1].ready_ns);
    ck_assert_int_gt(together_ns, 114 * NS_PER_MS);
    ck_assert_int_lt(together_ns, 118 * NS_PER_MS);
}
END_TEST

START_TEST(gradients_wait_for_a_busy_thread)
{
    // The second is on the host at 52.5 ms, when the first still is on the wire: that is done at
    // 14.5 + 4 + 80 = 98.5 ms in the mean; 5 ms of sleep, 1 ms, 20 ms, 0.5 ms back: 125 ms, 73 ms
    // after the end.
    Gradient gradients[] = {{10 * NS_PER_MS, 8 * MB}, {52 * NS_PER_MS, 2 * MB}};
    ck_assert_int_eq(exchange_ns(&through_host, two, gradients, 2, 52 * NS_PER_MS), 73 * NS_PER_MS);
    // A thread that sleeps only for the rest of its cycle continues at once: 5 ms less.
    Exchange later_version = through_host;
    later_version.sleeps_whole_cycle = false;
    ck_assert_int_eq(exchange_ns(&later_version, two, gradients, 2, 52 * NS_PER_MS),
                     68 * NS_PER_MS);
}
END_TEST

START_TEST(device_reductions_wait_for_the_data_only)
{
    // Both are announced at once, share a buffer and wait for the second: 100 ms after it.
    Gradient gradients[] = {{10 * NS_PER_MS, 8 * MB}, {200 * NS_PER_MS, 2 * MB}};
    ck_assert_int_eq(exchange_ns(&on_device, two, gradients, 2, 200 * NS_PER_MS), 100 * NS_PER_MS);
    // In a separate buffer the first is done by 90 ms: 20 ms for the second.
    Exchange small = on_device;
    small.fusion_bytes = 9 * MB;
    ck_assert_int_eq(exchange_ns(&small, two, gradients, 2, 200 * NS_PER_MS), 20 * NS_PER_MS);
    // If the second is ready before that, it waits for the first: 90 + 20 - 50 ms.
    gradients[1].ready_ns = 50 * NS_PER_MS;
    ck_assert_int_eq(exchange_ns(&small, two, gradients, 2, 50 * NS_PER_MS), 60 * NS_PER_MS);
}
END_TEST

START_TEST(a_gradient_that_the_host_queues_late_is_announced_late)
{
    // The host needs 30 ms to queue each computation: 30 ms for the forward pass, then 60 and 90 ms
    // for the gradients. The first is announced long after it was computed, is received alone 2.5
    // ms later and is done at 142.5 ms. After it the second takes 20 ms: 162.5 ms, 112.5 ms after
    // the end.
    Gradient gradients[] = {{10 * NS_PER_MS, 8 * MB}, {50 * NS_PER_MS, 2 * MB}};
    Exchange slow = on_device;
    slow.launch_ns = 30 * NS_PER_MS;
    ck_assert_int_eq(exchange_ns(&slow, two, gradients, 2, 50 * NS_PER_MS),
                     INT64_C(112500) * NS_PER_US);
}
END_TEST

START_TEST(negotiation_and_handing_over_are_added)
{
    // 8 ranks: 4 x 3 messages of 50 us and 8 x (1 + 10) requests of 2 us.
    Exchange exchange = on_device;
    exchange.message_ns = 50 * NS_PER_US;
    exchange.request_ns = 2 * NS_PER_US;
    ck_assert_int_eq(exchange_negotiation_ns(&exchange, (Gang){8, 2}, 10), 776 * NS_PER_US);
    ck_assert_int_eq(exchange_negotiation_ns(&exchange, (Gang){1, 1}, 0), 2 * NS_PER_US);
    // 2 tensors at 19 us and 7 ms once, on top of the 100 ms above.
    exchange = on_device;
    exchange.tensor_ns = 19 * NS_PER_US;
    exchange.hand_over_ns = 7 * NS_PER_MS;
    Gradient gradients[] = {{10 * NS_PER_MS, 8 * MB}, {200 * NS_PER_MS, 2 * MB}};
    ck_assert_int_eq(exchange_ns(&exchange, two, gradients, 2, 200 * NS_PER_MS),
                     INT64_C(107038) * NS_PER_US);
}
END_TEST

START_TEST(one_rank_copies_and_waits_but_reduces_nothing)
{
    // As in the first example without the wire.
    Gradient last = {.ready_ns = 10 * NS_PER_MS, .bytes = 8 * MB};
    ck_assert_int_eq(exchange_ns(&through_host, (Gang){1, 1}, &last, 1, last.ready_ns),
                     INT64_C(10500) * NS_PER_US);
    ck_assert_int_eq(exchange_ns(&on_device, (Gang){1, 1}, &last, 1, 20 * NS_PER_MS), 0);
}
END_TEST

enum { SEEDS = 200, TENSORS = 60 };

static uint64_t next_word(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* A backward pass of up to 100 ms with up to 120 MB of gradients. */
static int64_t random_pass(uint64_t *state, Gradient *gradients)
{
    int64_t at_ns = 20 * NS_PER_MS;
    int64_t most_ns = 1 + (int64_t)(next_word(state) % (2 * NS_PER_MS));
    for (int32_t i = 0; i < TENSORS; i++) {
        at_ns += (int64_t)next_word(state) % most_ns;
        gradients[i] = (Gradient){at_ns, 1 + (int64_t)(next_word(state) % (2 * MB))};
    }
    return at_ns;
}

static Exchange random_exchange(uint64_t *state)
{
    Exchange exchange = next_word(state) % 2 ? through_host : on_device;
    exchange.sleeps_whole_cycle = next_word(state) % 2;
    exchange.cycle_ns = (int64_t)(next_word(state) % 8) * NS_PER_MS;
    exchange.fusion_bytes = (int64_t)(next_word(state) % 4) * 20 * MB;
    exchange.message_ns = (int64_t)(next_word(state) % 50) * NS_PER_US;
    exchange.request_ns = (int64_t)(next_word(state) % 4) * NS_PER_US;
    exchange.launch_ns = (int64_t)(next_word(state) % 100) * NS_PER_US;
    exchange.ring.within.bytes_per_s = (500 + (int64_t)(next_word(state) % 8000)) * MB;
    exchange.ring.between.bytes_per_s = (100 + (int64_t)(next_word(state) % 8000)) * MB;
    exchange.ring.within.latency_ns = (int64_t)(next_word(state) % 10) * NS_PER_US;
    exchange.ring.between.latency_ns = (int64_t)(next_word(state) % 50) * NS_PER_US;
    return exchange;
}

/* The largest effect of one cycle more or less: slightly more speed may end a buffer just before
 * the next gradient is announced, which then waits for a whole cycle and a separate reduction. */
static int64_t cycle_slack_ns(const Exchange *exchange, Gang gang)
{
    return exchange->cycle_ns + exchange_negotiation_ns(exchange, gang, TENSORS) +
           allreduce_ns(0, gang, exchange->ring);
}

START_TEST(properties_hold_over_many_passes)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t state = seed;
        Gradient gradients[TENSORS], more[TENSORS], late[TENSORS];
        int64_t end_ns = random_pass(&state, gradients);
        Exchange exchange = random_exchange(&state);
        int32_t nodes = 1 + (int32_t)(next_word(&state) % 8);
        Gang gang = {.ranks = 2 + nodes * (int32_t)(next_word(&state) % 4), .nodes = nodes};
        gang.ranks = gang.ranks < nodes ? nodes : gang.ranks;
        int64_t now_ns = exchange_ns(&exchange, gang, gradients, TENSORS, end_ns);
        int64_t slack_ns = cycle_slack_ns(&exchange, gang);
        int64_t bytes = 0;
        for (int32_t i = 0; i < TENSORS; i++) {
            more[i] = late[i] = gradients[i];
            more[i].bytes += more[i].bytes / 3;
            late[i].ready_ns = end_ns;
            bytes += gradients[i].bytes;
        }
        // More bytes, fewer bytes a second, one rank more: never faster by more than a cycle.
        int64_t with_more_ns = exchange_ns(&exchange, gang, more, TENSORS, end_ns);
        ck_assert_msg(now_ns <= with_more_ns + slack_ns, "more bytes, seed %d", (int)seed);
        Exchange faster = exchange;
        faster.ring.within.bytes_per_s *= 2;
        faster.ring.between.bytes_per_s *= 2;
        faster.host_link_bytes_per_s *= 2;
        faster.copy_bytes_per_s *= 2;
        int64_t faster_ns = exchange_ns(&faster, gang, gradients, TENSORS, end_ns);
        ck_assert_msg(faster_ns <= now_ns + slack_ns, "faster links, seed %d", (int)seed);
        // Overlap costs a cycle at most: the thread may just have gone to sleep, or be at work.
        int64_t late_ns = exchange_ns(&exchange, gang, late, TENSORS, end_ns);
        ck_assert_msg(now_ns <= late_ns + slack_ns, "overlap, seed %d", (int)seed);
        // However much overlaps, all bytes cross the slowest link after the first is there.
        if (gang.ranks > 1) {
            int64_t rate = ring_bytes_per_s(exchange.ring, gang);
            int64_t bound_ns = bounded_at_rate_ns(allreduce_sent_bytes(bytes, gang), rate);
            ck_assert_msg(now_ns >= bound_ns - (end_ns - gradients[0].ready_ns), "bound, seed %d",
                          (int)seed);
            ck_assert_msg(late_ns >= bound_ns, "bound without overlap, seed %d", (int)seed);
        }
    }
}
END_TEST

START_TEST(a_longer_cycle_is_rarely_faster)
{
    // It can be faster, because gradients that are announced together are sent together, and it is
    // chance whether the thread is busy at the last gradients. Without latencies the difference is
    // a twentieth at most, and there is none between 1 and 16 ms.
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t state = seed;
        Gradient gradients[TENSORS];
        int64_t end_ns = random_pass(&state, gradients);
        Exchange exchange = through_host;
        exchange.sleeps_whole_cycle = seed % 2;
        exchange.ring.between.bytes_per_s = (500 + (int64_t)(next_word(&state) % 8000)) * MB;
        int64_t before_ns = 0, shortest_ns = INT64_MAX;
        for (int64_t cycle_ms = 1; cycle_ms <= 16; cycle_ms *= 2) {
            exchange.cycle_ns = cycle_ms * NS_PER_MS;
            int64_t now_ns = exchange_ns(&exchange, two, gradients, TENSORS, end_ns);
            ck_assert_msg(now_ns >= before_ns - before_ns / 20, "seed %d, %d ms", (int)seed,
                          (int)cycle_ms);
            before_ns = now_ns;
            shortest_ns = cycle_ms == 1 ? now_ns : shortest_ns;
        }
        ck_assert_msg(before_ns >= shortest_ns, "seed %d", (int)seed);
    }
}
END_TEST

START_TEST(an_exchange_that_never_ends_takes_the_longest_time)
{
    Exchange slow = through_host;
    slow.ring.between.bytes_per_s = 1;
    Gradient gradients[] = {{0, INT64_MAX / 2}, {0, INT64_MAX / 2}, {0, 1}};
    ck_assert_int_ge(exchange_ns(&slow, two, gradients, 3, 0), INT64_MAX - 16);
    slow.cycle_ns = 0;
    ck_assert_int_ge(exchange_ns(&slow, two, gradients, 3, 0), INT64_MAX - 16);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("exchange");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_gradient_is_copied_to_the_host_waits_is_reduced_and_copied_back);
    tcase_add_test(tests, earlier_gradients_are_added_during_the_backward_pass);
    tcase_add_test(tests, gradients_wait_for_a_busy_thread);
    tcase_add_test(tests, device_reductions_wait_for_the_data_only);
    tcase_add_test(tests, a_gradient_that_the_host_queues_late_is_announced_late);
    tcase_add_test(tests, negotiation_and_handing_over_are_added);
    tcase_add_test(tests, one_rank_copies_and_waits_but_reduces_nothing);
    tcase_add_test(tests, properties_hold_over_many_passes);
    tcase_add_test(tests, a_longer_cycle_is_rarely_faster);
    tcase_add_test(tests, an_exchange_that_never_ends_takes_the_longest_time);
    suite_add_tcase(suite, tests);
    return suite;
}

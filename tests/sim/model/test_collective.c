#include <inttypes.h>

#include "sim/base/units.h"
#include "sim/model/collective.h"
#include "tests/support/suite.h"

#define MB INT64_C(1000000)

static const Link wire = {.bytes_per_s = 100 * MB, .latency_ns = 50 * NS_PER_US};

START_TEST(a_ring_moves_each_byte_nearly_twice)
{
    // n = 4, 8 MB: 6 hops of 50 us and 2 MB / (100 MB/s) = 20 ms.
    ck_assert_int_eq(allreduce_ring_ns(8 * MB, 4, wire), 6 * (50 * NS_PER_US + 20 * NS_PER_MS));
    // n = 2, 8 MB: 2 hops of 50 us and 40 ms.
    ck_assert_int_eq(allreduce_ring_ns(8 * MB, 2, wire), 2 * (50 * NS_PER_US + 40 * NS_PER_MS));
    ck_assert_int_eq(allreduce_ring_ns(0, 3, wire), 200 * NS_PER_US);
}
END_TEST

START_TEST(one_rank_has_nothing_to_exchange)
{
    Exchange exchange = {.link = wire, .cycle_ns = 5 * NS_PER_MS, .negotiation_ns = NS_PER_MS};
    ck_assert_int_eq(allreduce_ring_ns(8 * MB, 1, wire), 0);
    ck_assert_int_eq(allreduce_add_ns(8 * MB, 1, 100 * MB), 0);
    ck_assert_int_eq(exchange_ns(&exchange, 8 * MB, 12, 1), 0);
}
END_TEST

START_TEST(many_ranks_tend_to_twice_the_bytes_over_the_rate)
{
    // Without latency: 2 (n-1)/n * 8 MB / (100 MB/s) goes to 160 ms; short by 160 ms / n.
    Link instant = {.bytes_per_s = 100 * MB, .latency_ns = 0};
    for (int32_t ranks = 2; ranks <= 1 << 16; ranks *= 2) {
        int64_t short_ns = 160 * NS_PER_MS - allreduce_ring_ns(8 * MB, ranks, instant);
        ck_assert_int_le(imaxabs(short_ns - 160 * NS_PER_MS / ranks), 10); // a byte is 10 ns
    }
}
END_TEST

START_TEST(an_exchange_is_wait_negotiation_copies_ring_and_additions)
{
    Exchange exchange = {.link = wire,
                         .cycle_ns = 5 * NS_PER_MS,
                         .negotiation_ns = 100 * NS_PER_US,
                         .fusion_bytes = 64 * MB,
                         .via_host = true,
                         .host_link_bytes_per_s = 4000 * MB,
                         .add_bytes_per_s = 2000 * MB};
    // 4 ranks, 8 MB in one buffer: 2.5 ms of waiting, 0.4 ms to hear four ranks, 2 ms off the
    // device, 120.3 ms of ring, 6 MB added in 3 ms, 2 ms back.
    ck_assert_int_eq(exchange_ns(&exchange, 8 * MB, 12, 4), INT64_C(130200) * NS_PER_US);
    // Sleeping the whole cycle makes the period 5.4 ms.
    exchange.sleeps_whole_cycle = true;
    ck_assert_int_eq(exchange_ns(&exchange, 8 * MB, 12, 4), INT64_C(130400) * NS_PER_US);
    // On the device: no copies, additions hidden by the wire.
    exchange.via_host = false;
    ck_assert_int_eq(exchange_ns(&exchange, 8 * MB, 12, 4), INT64_C(123400) * NS_PER_US);
}
END_TEST

START_TEST(gradients_fill_fusion_buffers)
{
    Exchange exchange = {.link = wire, .fusion_bytes = 64 * MB};
    ck_assert_int_eq(exchange_buffers(&exchange, 64 * MB, 12), 1);
    ck_assert_int_eq(exchange_buffers(&exchange, 64 * MB + 1, 12), 2);
    exchange.fusion_bytes = 0; // off: tensor by tensor, each paying its latency
    ck_assert_int_eq(exchange_buffers(&exchange, 64 * MB, 12), 12);
    // 2 ranks, 12 MB in 12 tensors: 12 * 2 * (50 us + 5 ms).
    ck_assert_int_eq(exchange_ns(&exchange, 12 * MB, 12, 2), INT64_C(121200) * NS_PER_US);
}
END_TEST

START_TEST(each_hop_carries_nearly_twice_the_bytes)
{
    Exchange exchange = {.link = wire, .fusion_bytes = 64 * MB};
    ck_assert_int_eq(exchange_wire_bytes(&exchange, 12 * MB, 12, 1), 0);
    ck_assert_int_eq(exchange_wire_bytes(&exchange, 0, 12, 4), 0);
    ck_assert_int_eq(exchange_wire_bytes(&exchange, 12 * MB, 12, 2), 12 * MB); // 2 * 1/2
    ck_assert_int_eq(exchange_wire_bytes(&exchange, 12 * MB, 12, 4), 18 * MB); // 2 * 3/4
    exchange.fusion_bytes = 0; // 10 bytes a tensor, 15 of them cross
    ck_assert_int_eq(exchange_wire_bytes(&exchange, 120, 12, 4), 12 * 15);
}
END_TEST

START_TEST(more_bytes_are_never_faster_and_more_bandwidth_never_slower)
{
    for (int32_t ranks = 2; ranks <= 64; ranks++) {
        for (int64_t bytes = 1; bytes < 400 * MB; bytes = bytes * 3 + ranks) {
            Exchange slow = {.link = wire,
                             .cycle_ns = NS_PER_MS,
                             .fusion_bytes = 5 * MB + ranks,
                             .via_host = ranks % 2 == 0,
                             .host_link_bytes_per_s = 3000 * MB,
                             .add_bytes_per_s = 1000 * MB};
            Exchange fast = slow;
            fast.link.bytes_per_s += ranks * MB;
            int64_t now_ns = exchange_ns(&slow, bytes, 12, ranks);
            ck_assert_int_le(now_ns, exchange_ns(&slow, bytes + 1, 12, ranks));
            ck_assert_int_le(now_ns, exchange_ns(&slow, bytes + ranks, 12, ranks));
            ck_assert_int_le(now_ns, exchange_ns(&slow, bytes, 12, ranks + 1));
            ck_assert_int_ge(now_ns, exchange_ns(&fast, bytes, 12, ranks));
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("collective");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_ring_moves_each_byte_nearly_twice);
    tcase_add_test(tests, one_rank_has_nothing_to_exchange);
    tcase_add_test(tests, many_ranks_tend_to_twice_the_bytes_over_the_rate);
    tcase_add_test(tests, an_exchange_is_wait_negotiation_copies_ring_and_additions);
    tcase_add_test(tests, gradients_fill_fusion_buffers);
    tcase_add_test(tests, each_hop_carries_nearly_twice_the_bytes);
    tcase_add_test(tests, more_bytes_are_never_faster_and_more_bandwidth_never_slower);
    suite_add_tcase(suite, tests);
    return suite;
}

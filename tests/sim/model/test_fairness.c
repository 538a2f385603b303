#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/engine/rng.h"
#include "sim/model/bounded.h"
#include "sim/model/fairness.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

#define ALL INT64_MAX
#define LINKS(...)                                                                                 \
    (int32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), (int32_t[]){__VA_ARGS__}, NULL

/* A flow of a table: its limit, the links that it crosses and its parts on each; NULL: one. */
typedef struct {
    int64_t most_bytes_per_s;
    int32_t link_count;
    const int32_t *links;
    const int64_t *parts_ppm;
} FlowRow;

static int64_t parts_of(const FlowRow *flow, int32_t crossing)
{
    return flow->parts_ppm != NULL ? flow->parts_ppm[crossing] : PPM;
}

/* A net of the links and flows, in `arena`. */
static FairNet *net_of(Arena *arena, int32_t link_count, const int64_t *links, int32_t flow_count,
                       const FlowRow *flows)
{
    FairNet *net = fair_net_create(arena);
    for (int32_t l = 0; l < link_count; l++)
        ck_assert_int_eq(fair_net_add_link(net, links[l]), l);
    for (int32_t f = 0; f < flow_count; f++) {
        fair_net_add_flow(net, flows[f].most_bytes_per_s);
        for (int32_t i = 0; i < flows[f].link_count; i++)
            fair_net_cross(net, flows[f].links[i], parts_of(&flows[f], i));
    }
    return net;
}

static void assert_rates(int32_t link_count, const int64_t *links, int32_t flow_count,
                         const FlowRow *flows, const int64_t *expected)
{
    Arena *arena = arena_create();
    FairNet *net = net_of(arena, link_count, links, flow_count, flows);
    const int64_t *rates = fair_net_rates(net);
    for (int32_t f = 0; f < flow_count; f++)
        ck_assert_msg(rates[f] == expected[f], "flow %d: %" PRId64 ", expected %" PRId64, (int)f,
                      rates[f], expected[f]);
    arena_destroy(arena);
}

START_TEST(flows_over_one_link_get_equal_parts)
{
    const FlowRow flows[] = {{ALL, LINKS(0)}, {ALL, LINKS(0)}, {ALL, LINKS(0)}};
    // 1 stays unused: less than one for each of three.
    assert_rates(1, (int64_t[]){100}, 3, flows, (int64_t[]){33, 33, 33});
}
END_TEST

START_TEST(a_flow_that_needs_less_leaves_more_for_the_others)
{
    // 100 for three flows: one needs only 10, so 90 for two.
    const FlowRow flows[] = {{ALL, LINKS(0)}, {10, LINKS(0)}, {ALL, LINKS(0)}};
    assert_rates(1, (int64_t[]){100}, 3, flows, (int64_t[]){45, 10, 45});
}
END_TEST

START_TEST(a_flow_without_links_gets_its_full_rate)
{
    const FlowRow flows[] = {{7, 0, NULL, NULL}, {0, 0, NULL, NULL}, {ALL, 0, NULL, NULL}};
    assert_rates(0, NULL, 3, flows, (int64_t[]){7, 0, ALL});
    assert_rates(0, NULL, 0, NULL, NULL);
}
END_TEST

START_TEST(capacity_that_a_limited_flow_leaves_goes_to_its_neighbours)
{
    // Link 0 of 6 carries three flows: 2 each. The third also crosses link 1 of 6 and leaves 4
    // there for the fourth, which leaves 8 of 12 on link 2 for the fifth.
    const FlowRow flows[] = {
        {ALL, LINKS(0)}, {ALL, LINKS(0)}, {ALL, LINKS(0, 1)}, {ALL, LINKS(1, 2)}, {ALL, LINKS(2)}};
    assert_rates(3, (int64_t[]){6, 6, 12}, 5, flows, (int64_t[]){2, 2, 2, 4, 8});
}
END_TEST

START_TEST(a_long_flow_is_limited_by_its_tightest_link)
{
    // Three racks of 100: A over 0 and 1, B over 1 and 2, C over 2 alone, which it would fill.
    // 50 each for A and B on rack 1; C gets what B leaves on rack 2: 50. With rack 1 at 40: 20, 20
    // and 80; A then has no more than 20 though rack 0 is empty.
    const FlowRow flows[] = {{ALL, LINKS(0, 1)}, {ALL, LINKS(1, 2)}, {ALL, LINKS(2)}};
    assert_rates(3, (int64_t[]){100, 100, 100}, 3, flows, (int64_t[]){50, 50, 50});
    assert_rates(3, (int64_t[]){100, 40, 100}, 3, flows, (int64_t[]){20, 20, 80});
}
END_TEST

START_TEST(links_are_fair_to_parts)
{
    // 100 for three parts of A and one of B: 25 each, 75 for A. On link 1, of which A's parts need
    // half of their rate, 60 would let them have 40 each.
    const FlowRow flows[] = {
        {ALL, 2, (int32_t[]){0, 1}, (int64_t[]){3 * PPM, 3 * PPM / 2}},
        {ALL, 1, (int32_t[]){0}, NULL},
    };
    assert_rates(2, (int64_t[]){100, 60}, 2, flows, (int64_t[]){25, 25});
    // With 30 there, A has 20 a part and leaves 40 for B.
    assert_rates(2, (int64_t[]){100, 30}, 2, flows, (int64_t[]){20, 40});
}
END_TEST

/* --- Properties over many seeds --- */

enum { MOST_FLOWS = 30, MOST_LINKS = 12 };

typedef struct {
    int32_t link_count, flow_count;
    int64_t links[MOST_LINKS];
    FlowRow flows[MOST_FLOWS];
    int32_t crossed[MOST_FLOWS][MOST_LINKS];
    int64_t parts_ppm[MOST_FLOWS][MOST_LINKS];
    int64_t rates[MOST_FLOWS];
} Net;

static uint64_t word(uint64_t seed, uint64_t *draw)
{
    return rng_word(seed, RNG_IDENTITY, 9, (*draw)++) >> 16;
}

static void random_net(Net *net, uint64_t seed)
{
    uint64_t draw = 0;
    memset(net, 0, sizeof *net);
    net->link_count = 1 + (int32_t)(word(seed, &draw) % MOST_LINKS);
    net->flow_count = 1 + (int32_t)(word(seed, &draw) % MOST_FLOWS);
    for (int32_t l = 0; l < net->link_count; l++)
        net->links[l] = (int64_t)(word(seed, &draw) % (UINT64_C(1) << word(seed, &draw) % 40));
    for (int32_t f = 0; f < net->flow_count; f++) {
        FlowRow *flow = &net->flows[f];
        flow->most_bytes_per_s =
            word(seed, &draw) % 3 ? ALL : (int64_t)(word(seed, &draw) % 1000000);
        flow->links = net->crossed[f];
        flow->parts_ppm = seed % 2 == 0 ? net->parts_ppm[f] : NULL;
        for (int32_t i = 0; i < net->link_count; i++)
            net->parts_ppm[f][i] = 1 + (int64_t)(word(seed, &draw) % (8 * PPM));
        for (int32_t l = 0; l < net->link_count; l++)
            if (word(seed, &draw) % 3 == 0)
                net->crossed[f][flow->link_count++] = l;
        if (flow->link_count == 0)
            net->crossed[f][flow->link_count++] = 0;
    }
    Arena *arena = arena_create();
    FairNet *made = net_of(arena, net->link_count, net->links, net->flow_count, net->flows);
    memcpy(net->rates, fair_net_rates(made), (size_t)net->flow_count * sizeof *net->rates);
    arena_destroy(arena);
}

/* The flow's parts on the link; 0: it does not cross it. */
static int64_t parts_on(const Net *net, int32_t flow, int32_t link)
{
    for (int32_t i = 0; i < net->flows[flow].link_count; i++)
        if (net->crossed[flow][i] == link)
            return net->flows[flow].parts_ppm != NULL ? net->parts_ppm[flow][i] : PPM;
    return 0;
}

/* The load of the flow on the link, rounded up. */
static int64_t load_on(const Net *net, int32_t flow, int32_t link)
{
    return mul_div_up(net->rates[flow], parts_on(net, flow, link), PPM);
}

/* Whether `link` limits `flow`: the link is full except for less than one byte for each part, and
 * for what rounding takes, and no flow on it has more, except by rounding. */
static bool is_bottleneck(const Net *net, int32_t flow, int32_t link)
{
    int64_t load = 0, parts_ppm = 0, count = 0;
    for (int32_t f = 0; f < net->flow_count; f++) {
        if (parts_on(net, f, link) == 0)
            continue;
        load += load_on(net, f, link);
        parts_ppm += parts_on(net, f, link);
        count++;
    }
    const int64_t rounding = net->flows[0].parts_ppm != NULL ? count : 0;
    // A fraction of a part may take all that rounding of whole bytes has left of the link.
    const int64_t share =
        net->flows[0].parts_ppm != NULL ? mul_div_up(count + 1, PPM, parts_on(net, flow, link)) : 0;
    for (int32_t f = 0; f < net->flow_count; f++)
        if (parts_on(net, f, link) > 0 && net->rates[f] > net->rates[flow] + share)
            return false;
    return net->links[link] - load < divide_up(parts_ppm, PPM) + rounding;
}

START_TEST(no_link_carries_more_than_its_capacity)
{
    static Net net;
    for (uint64_t seed = 1; seed <= (uint64_t)case_count(2000); seed++) {
        random_net(&net, seed);
        for (int32_t l = 0; l < net.link_count; l++) {
            int64_t load = 0, exact_ppm = 0;
            for (int32_t f = 0; f < net.flow_count; f++) {
                load += load_on(&net, f, l);
                exact_ppm += parts_on(&net, f, l) * (net.rates[f] % (INT64_C(1) << 30));
            }
            if (net.flows[0].parts_ppm == NULL)
                ck_assert_int_le(load, net.links[l]);
            // Rounded up for each flow, the load may be larger, but its exact value is not.
            if (load < INT64_C(1) << 30)
                ck_assert_int_le(exact_ppm / PPM, net.links[l]);
        }
    }
}
END_TEST

/* --- Progressive filling, round by round --- */

/* The rate at which growing flows (rates below 0) stop next. */
static int64_t next_level(const Net *net, const int64_t *left, const int64_t *growing_ppm,
                          const int64_t *rates)
{
    int64_t level = INT64_MAX;
    for (int32_t l = 0; l < net->link_count; l++)
        if (growing_ppm[l] > 0 && mul_div(left[l], PPM, growing_ppm[l]) < level)
            level = mul_div(left[l], PPM, growing_ppm[l]);
    for (int32_t f = 0; f < net->flow_count; f++)
        if (rates[f] < 0 && net->flows[f].most_bytes_per_s < level)
            level = net->flows[f].most_bytes_per_s;
    return level;
}

/* One round: all links and flows are looked at, as the definition has it. */
static void fill_round(const Net *net, int64_t *left, int64_t *growing_ppm, int64_t *rates)
{
    const int64_t level = next_level(net, left, growing_ppm, rates);
    bool stops[MOST_FLOWS] = {false};
    for (int32_t f = 0; f < net->flow_count; f++) {
        stops[f] = rates[f] < 0 && net->flows[f].most_bytes_per_s == level;
        for (int32_t i = 0; rates[f] < 0 && i < net->flows[f].link_count; i++) {
            const int32_t l = net->crossed[f][i];
            stops[f] |= mul_div(left[l], PPM, growing_ppm[l]) == level;
        }
    }
    for (int32_t f = 0; f < net->flow_count; f++) {
        for (int32_t i = 0; stops[f] && i < net->flows[f].link_count; i++) {
            const int32_t l = net->crossed[f][i];
            const int64_t taken = mul_div_up(level, parts_of(&net->flows[f], i), PPM);
            left[l] = taken < left[l] ? left[l] - taken : 0;
            growing_ppm[l] -= parts_of(&net->flows[f], i);
        }
        rates[f] = stops[f] ? level : rates[f];
    }
}

START_TEST(the_rates_are_those_of_filling_round_by_round)
{
    static Net net;
    for (uint64_t seed = 1; seed <= (uint64_t)case_count(4000); seed++) {
        int64_t left[MOST_LINKS], growing_ppm[MOST_LINKS] = {0}, rates[MOST_FLOWS];
        random_net(&net, seed);
        memcpy(left, net.links, sizeof left);
        for (int32_t f = 0; f < net.flow_count; f++) {
            rates[f] = -1;
            for (int32_t i = 0; i < net.flows[f].link_count; i++)
                growing_ppm[net.crossed[f][i]] += parts_of(&net.flows[f], i);
        }
        for (int32_t f = 0; f < net.flow_count; f++)
            while (rates[f] < 0)
                fill_round(&net, left, growing_ppm, rates);
        for (int32_t f = 0; f < net.flow_count; f++)
            ck_assert_msg(rates[f] == net.rates[f], "seed %" PRIu64 ", flow %d", seed, (int)f);
    }
}
END_TEST

START_TEST(every_flow_has_its_full_rate_or_a_bottleneck)
{
    static Net net;
    for (uint64_t seed = 1; seed <= (uint64_t)case_count(2000); seed++) {
        random_net(&net, seed);
        for (int32_t f = 0; f < net.flow_count; f++) {
            bool is_held = net.rates[f] == net.flows[f].most_bytes_per_s;
            ck_assert_int_le(net.rates[f], net.flows[f].most_bytes_per_s);
            for (int32_t i = 0; i < net.flows[f].link_count; i++)
                is_held |= is_bottleneck(&net, f, net.crossed[f][i]);
            ck_assert_msg(is_held, "seed %" PRIu64 ", flow %d", seed, (int)f);
        }
    }
}
END_TEST

START_TEST(the_order_of_flows_does_not_matter)
{
    static Net net;
    for (uint64_t seed = 1; seed <= (uint64_t)case_count(2000); seed++) {
        random_net(&net, seed);
        // A rotation, backwards.
        FlowRow turned[MOST_FLOWS];
        int32_t n = net.flow_count, by = (int32_t)(seed % (uint64_t)n);
        for (int32_t f = 0; f < n; f++)
            turned[(2 * n - 1 - f + by) % n] = net.flows[f];
        int64_t expected[MOST_FLOWS];
        for (int32_t f = 0; f < n; f++)
            expected[(2 * n - 1 - f + by) % n] = net.rates[f];
        assert_rates(net.link_count, net.links, n, turned, expected);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fairness");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, flows_over_one_link_get_equal_parts);
    tcase_add_test(tests, a_flow_that_needs_less_leaves_more_for_the_others);
    tcase_add_test(tests, a_flow_without_links_gets_its_full_rate);
    tcase_add_test(tests, capacity_that_a_limited_flow_leaves_goes_to_its_neighbours);
    tcase_add_test(tests, a_long_flow_is_limited_by_its_tightest_link);
    tcase_add_test(tests, links_are_fair_to_parts);
    tcase_add_test(tests, no_link_carries_more_than_its_capacity);
    tcase_add_test(tests, the_rates_are_those_of_filling_round_by_round);
    tcase_add_test(tests, every_flow_has_its_full_rate_or_a_bottleneck);
    tcase_add_test(tests, the_order_of_flows_does_not_matter);
    suite_add_tcase(suite, tests);
    return suite;
}

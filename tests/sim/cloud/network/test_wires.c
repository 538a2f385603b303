#include <inttypes.h>

#include "sim/base/units.h"
#include "sim/cloud/network/wires.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"

#define MB INT64_C(1000000)
#define BEGIN(owner, bytes, most, now_ns, ...)                                                     \
    wires_begin(wires, owner, bytes, most,                                                         \
                (int32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)),                   \
                (uint32_t[]){__VA_ARGS__}, now_ns)

static Arena *run;
static Wires *wires;

static void setup(void)
{
    run = arena_create();
    wires = wires_create(run);
    for (uint32_t l = 0; l < 3; l++)
        ck_assert_uint_eq(wires_add_link(wires, 100 * MB), l);
}

static void teardown(void)
{
    arena_destroy(run);
}

static void assert_next(uint32_t owner, int64_t at_ns)
{
    ck_assert_int_eq(wires_next_end_ns(wires), at_ns);
    ck_assert_uint_eq(wires_end_next(wires, at_ns), owner);
}

START_TEST(a_flow_alone_has_its_own_rate)
{
    ck_assert(wires_next_end_ns(wires) == INT64_MAX);
    BEGIN(1, 100 * MB, 50 * MB, 0, 0, 1);
    assert_next(1, 2 * NS_PER_S);
    BEGIN(2, 100 * MB, 500 * MB, 3 * NS_PER_S, 0, 1);
    assert_next(2, 4 * NS_PER_S);
    ck_assert_int_eq(wires_active(wires), 0);
}
END_TEST

START_TEST(two_jobs_over_one_uplink_slow_each_other_down)
{
    // A: 100 MB over racks 0 and 1 from 0 s. B: 100 MB over racks 1 and 2 from 0.5 s. A has 50 MB
    // left at 50 MB/s: 1.5 s. B has then 50 MB left, alone: 2 s.
    uint32_t a = BEGIN(1, 100 * MB, 125 * MB, 0, 0, 1);
    ck_assert_int_eq(wires_rate(wires, a), 100 * MB);
    uint32_t b = BEGIN(2, 100 * MB, 125 * MB, NS_PER_S / 2, 1, 2);
    ck_assert_int_eq(wires_rate(wires, a), 50 * MB);
    ck_assert_int_eq(wires_rate(wires, b), 50 * MB);
    ck_assert_int_eq(wires_link_load(wires, 1), 100 * MB);
    assert_next(1, 3 * NS_PER_S / 2);
    ck_assert_int_eq(wires_rate(wires, b), 100 * MB);
    assert_next(2, 2 * NS_PER_S);
}
END_TEST

START_TEST(jobs_in_other_racks_do_not_meet)
{
    BEGIN(1, 100 * MB, 100 * MB, 0, 0);
    BEGIN(2, 100 * MB, 100 * MB, 0, 1);
    BEGIN(3, 100 * MB, 100 * MB, 0, 2);
    for (uint32_t owner = 1; owner <= 3; owner++)
        assert_next(owner, NS_PER_S);
}
END_TEST

START_TEST(the_end_of_a_flow_changes_rates_two_racks_away)
{
    // A is on rack 0, B on 0 and 1, C on 1 and 2, and D, which needs 20, on 2. A and B get 50 each
    // on rack 0, so C gets 50 on rack 1 although rack 2 could give it 80. When B ends, A gets 100
    // and C gets 80.
    uint32_t a = BEGIN(1, 100 * MB, 100 * MB, 0, 0);
    uint32_t b = BEGIN(2, 100 * MB, 100 * MB, 0, 0, 1);
    uint32_t c = BEGIN(3, 100 * MB, 100 * MB, 0, 1, 2);
    uint32_t d = BEGIN(4, 100 * MB, 20 * MB, 0, 2);
    ck_assert_int_eq(wires_rate(wires, c), 50 * MB);
    ck_assert_int_eq(wires_rate(wires, d), 20 * MB);
    wires_cancel(wires, b, 0);
    ck_assert_int_eq(wires_rate(wires, a), 100 * MB);
    ck_assert_int_eq(wires_rate(wires, c), 80 * MB); // rack 2 minus D's 20
    assert_next(1, NS_PER_S);
    assert_next(3, 5 * NS_PER_S / 4);
    assert_next(4, 5 * NS_PER_S);
}
END_TEST

START_TEST(durations_round_up_and_bytes_are_exact)
{
    // 10 bytes at 3 bytes per second: 3.33.. s. After 1 s another comes: 7 bytes are left, at 1
    // byte/s (3 / 2, rounded down).
    Wires *thin = wires_create(run);
    uint32_t link[] = {wires_add_link(thin, 3)};
    wires_begin(thin, 1, 10, 100, 1, link, 0);
    ck_assert_int_eq(wires_next_end_ns(thin), INT64_C(3333333334));
    wires_begin(thin, 2, 2, 100, 1, link, NS_PER_S);
    ck_assert_int_eq(wires_next_end_ns(thin), 3 * NS_PER_S);
    ck_assert_uint_eq(wires_end_next(thin, 3 * NS_PER_S), 2);
    // 5 bytes left at 3 bytes per second from 3 s on.
    ck_assert_int_eq(wires_next_end_ns(thin), 3 * NS_PER_S + INT64_C(1666666667));
}
END_TEST

START_TEST(an_empty_flow_ends_at_once_and_a_huge_one_never)
{
    BEGIN(1, 0, 100 * MB, 5, 0);
    assert_next(1, 5);
    BEGIN(2, INT64_MAX, 1, 5, 0);
    ck_assert(wires_next_end_ns(wires) == INT64_MAX);
}
END_TEST

START_TEST(flows_that_end_together_end_in_the_order_in_which_they_began)
{
    for (uint32_t owner = 0; owner < 10; owner++)
        BEGIN(owner, 10 * MB, 100 * MB, 0, 0);
    for (uint32_t owner = 0; owner < 10; owner++)
        assert_next(owner, NS_PER_S);
}
END_TEST

/* --- Properties over many seeds --- */

enum { FLOWS = 40, LINKS = 5 };

typedef struct {
    int64_t begin_ns[FLOWS];
    int64_t bytes[FLOWS];
    uint32_t links[FLOWS][2];
} Load;

static Load random_load(uint64_t seed)
{
    Load load;
    int64_t at_ns = 0;
    for (uint64_t i = 0; i < FLOWS; i++) {
        uint64_t word = rng_word(seed, RNG_IDENTITY, 0, i);
        at_ns += (int64_t)(word % (NS_PER_S / 5));
        load.begin_ns[i] = at_ns;
        load.bytes[i] = (int64_t)(word >> 32) % (40 * MB);
        load.links[i][0] = (uint32_t)(word >> 20) % LINKS;
        load.links[i][1] = (load.links[i][0] + 1 + (uint32_t)(word >> 25) % (LINKS - 1)) % LINKS;
    }
    return load;
}

/* Runs the load to its end and checks that no link is ever overloaded. */
static void play(const Load *load, int64_t *end_ns, uint64_t seed)
{
    Arena *arena = arena_create();
    Wires *played = wires_create(arena);
    for (int32_t l = 0; l < LINKS; l++)
        wires_add_link(played, 100 * MB);
    for (uint32_t i = 0; i <= FLOWS; i++) {
        int64_t until_ns = i < FLOWS ? load->begin_ns[i] : INT64_MAX - 1;
        while (wires_next_end_ns(played) <= until_ns) {
            int64_t at_ns = wires_next_end_ns(played);
            end_ns[wires_end_next(played, at_ns)] = at_ns;
        }
        if (i < FLOWS)
            wires_begin(played, i, load->bytes[i], 125 * MB, 2, load->links[i], until_ns);
        for (uint32_t l = 0; l < LINKS; l++)
            ck_assert_msg(wires_link_load(played, l) <= 100 * MB, "seed %" PRIu64, seed);
    }
    ck_assert_int_eq(wires_active(played), 0);
    arena_destroy(arena);
}

START_TEST(no_flow_is_faster_than_alone_and_the_busiest_wire_sets_a_bound)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Load load = random_load(seed);
        int64_t end_ns[FLOWS], last_ns = 0, first_ns = INT64_MAX, on_link[LINKS] = {0};
        play(&load, end_ns, seed);
        for (int32_t i = 0; i < FLOWS; i++) {
            ck_assert_msg(end_ns[i] >= load.begin_ns[i] + load.bytes[i] * 10, // 100 MB/s
                          "seed %" PRIu64 ": flow %d is faster than alone", seed, (int)i);
            last_ns = end_ns[i] > last_ns ? end_ns[i] : last_ns;
            first_ns = load.begin_ns[i] < first_ns ? load.begin_ns[i] : first_ns;
            on_link[load.links[i][0]] += load.bytes[i] * 10;
            on_link[load.links[i][1]] += load.bytes[i] * 10;
        }
        for (int32_t l = 0; l < LINKS; l++)
            ck_assert_msg(last_ns - first_ns >= on_link[l], "seed %" PRIu64 ", link %d", seed,
                          (int)l);
    }
}
END_TEST

START_TEST(a_flow_with_more_bytes_never_ends_earlier)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Load load = random_load(seed);
        int64_t less_ns[FLOWS], more_ns[FLOWS];
        int32_t larger = (int32_t)(seed % FLOWS);
        play(&load, less_ns, seed);
        load.bytes[larger] += 3 * MB;
        play(&load, more_ns, seed);
        ck_assert_msg(more_ns[larger] > less_ns[larger], "seed %" PRIu64, seed);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("wires");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_flow_alone_has_its_own_rate);
    tcase_add_test(tests, two_jobs_over_one_uplink_slow_each_other_down);
    tcase_add_test(tests, jobs_in_other_racks_do_not_meet);
    tcase_add_test(tests, the_end_of_a_flow_changes_rates_two_racks_away);
    tcase_add_test(tests, durations_round_up_and_bytes_are_exact);
    tcase_add_test(tests, an_empty_flow_ends_at_once_and_a_huge_one_never);
    tcase_add_test(tests, flows_that_end_together_end_in_the_order_in_which_they_began);
    tcase_add_test(tests, no_flow_is_faster_than_alone_and_the_busiest_wire_sets_a_bound);
    tcase_add_test(tests, a_flow_with_more_bytes_never_ends_earlier);
    suite_add_tcase(suite, tests);
    return suite;
}

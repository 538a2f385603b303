#include <inttypes.h>

#include "sim/base/units.h"
#include "sim/core/rng.h"
#include "sim/core/share.h"
#include "tests/support/suite.h"

#define MB INT64_C(1000000)

/* 100 MB/s; requests never count. */
static const ShareTier plain = {.name = "plain",
                                .bytes_per_s = 100 * MB,
                                .requests_per_s = 1000000,
                                .read_latency_ns = 5 * NS_PER_MS,
                                .write_latency_ns = 8 * NS_PER_MS,
                                .request_bytes = 4 * MB,
                                .requests_in_flight = 4};

static Arena *run;
static Share *share;

static void setup(void)
{
    run = arena_create();
    share = share_create(run, (ShareId){3}, "account/share", &plain, 0);
}

static void teardown(void)
{
    arena_destroy(run);
}

/* Ends the next transfer when it is due; returns when that was. */
static int64_t end_next(Share *of, uint32_t *owner)
{
    int64_t at_ns = share_next_end_ns(of);
    *owner = share_end_next(of, at_ns);
    return at_ns;
}

static void assert_next(uint32_t owner, int64_t at_ns)
{
    uint32_t ended;
    ck_assert_int_eq(end_next(share, &ended), at_ns);
    ck_assert_uint_eq(ended, owner);
}

START_TEST(an_idle_share_has_no_next_end)
{
    ck_assert_uint_eq(share_id(share).index, 3);
    ck_assert_str_eq(share_name(share), "account/share");
    ck_assert_ptr_eq(share_tier(share), &plain);
    ck_assert(share_next_end_ns(share) == INT64_MAX);
    ck_assert_int_eq(share_active(share), 0);
}
END_TEST

START_TEST(two_readers_share_the_rate)
{
    // 100 MB/s: A reads 100 MB from t=0, B joins at 0.5 s. A has 50 MB left at 50 MB/s: ends at
    // 1.5 s. B has 50 MB left then, alone: ends at 2 s.
    share_join(share, 1, 100 * MB, 0);
    ck_assert_int_eq(share_next_end_ns(share), NS_PER_S);
    share_join(share, 2, 100 * MB, NS_PER_S / 2);
    ck_assert_int_eq(share_active(share), 2);
    assert_next(1, 3 * NS_PER_S / 2);
    assert_next(2, 2 * NS_PER_S);
    ck_assert_int_eq(share_bytes_moved(share), 200 * MB);
}
END_TEST

START_TEST(a_small_transfer_overtakes_a_large_one)
{
    // B's 10 MB join at 0.1 s and take 0.2 s at half the rate; A had 90 MB left, now 80.
    share_join(share, 1, 100 * MB, 0);
    share_join(share, 2, 10 * MB, NS_PER_S / 10);
    assert_next(2, 3 * NS_PER_S / 10);
    assert_next(1, 11 * NS_PER_S / 10);
}
END_TEST

START_TEST(equal_transfers_end_in_the_order_in_which_they_joined)
{
    for (uint32_t owner = 0; owner < 10; owner++)
        share_join(share, owner, 10 * MB, 0);
    for (uint32_t owner = 0; owner < 10; owner++)
        assert_next(owner, NS_PER_S); // 100 MB in all
}
END_TEST

START_TEST(who_leaves_gives_its_part_to_the_others)
{
    // After 1 s at 50 MB/s each has 50 MB left; A goes, B needs another 0.5 s.
    share_join(share, 1, 100 * MB, 0);
    share_join(share, 2, 100 * MB, 0);
    ck_assert(share_leave(share, 1, NS_PER_S));
    ck_assert(!share_leave(share, 1, NS_PER_S));
    ck_assert_int_eq(share_bytes_moved(share), 50 * MB);
    assert_next(2, 3 * NS_PER_S / 2);
    ck_assert_int_eq(share_bytes_moved(share), 150 * MB);
}
END_TEST

START_TEST(nothing_ends_at_once)
{
    share_join(share, 1, 100 * MB, 0);
    share_join(share, 2, 0, 7);
    assert_next(2, 7);
}
END_TEST

START_TEST(latency_and_work_are_those_of_the_tier)
{
    // 20 MB are 5 requests of 4 MB, so 2 rounds of 4 in flight.
    ck_assert_int_eq(share_latency_ns(&plain, TRANSFER_READ, 20 * MB), 10 * NS_PER_MS);
    ck_assert_int_eq(share_latency_ns(&plain, TRANSFER_WRITE, 20 * MB), 16 * NS_PER_MS);
    ck_assert_int_eq(share_work_ns(&plain, 20 * MB), NS_PER_S / 5);
}
END_TEST

/* --- Properties over many seeds --- */

enum { TRANSFERS = 40 };

typedef struct {
    int64_t join_ns[TRANSFERS]; /* rising */
    int64_t bytes[TRANSFERS];
    bool is_present[TRANSFERS];
} Load;

typedef struct {
    int64_t end_ns[TRANSFERS];
    int64_t busy_ns;
    int64_t bytes_moved;
} Outcome;

static Load random_load(uint64_t seed)
{
    Load load;
    int64_t at_ns = 0;
    for (uint64_t i = 0; i < TRANSFERS; i++) {
        at_ns += (int64_t)(rng_word(seed, RNG_IDENTITY, 0, i) % (NS_PER_S / 5));
        load.join_ns[i] = at_ns;
        // Every size as often, up to some 30 MB.
        uint64_t word = rng_word(seed, RNG_IDENTITY, 1, i);
        load.bytes[i] = (int64_t)((word >> 32) % (UINT64_C(1) << word % 26));
        load.is_present[i] = true;
    }
    return load;
}

static Outcome play(const Load *load)
{
    Arena *arena = arena_create();
    Share *played = share_create(arena, (ShareId){0}, "played", &plain, 0);
    Outcome outcome = {.busy_ns = 0};
    int64_t now_ns = 0;
    for (int32_t i = 0; i <= TRANSFERS; i++) {
        int64_t join_ns = i < TRANSFERS ? load->join_ns[i] : INT64_MAX;
        while (share_active(played) > 0 && share_next_end_ns(played) <= join_ns) {
            uint32_t owner;
            int64_t end_ns = end_next(played, &owner);
            ck_assert_int_ge(end_ns, now_ns);
            outcome.end_ns[owner] = end_ns;
            outcome.busy_ns += end_ns - now_ns;
            now_ns = end_ns;
        }
        if (i == TRANSFERS || !load->is_present[i])
            continue;
        outcome.busy_ns += share_active(played) > 0 ? join_ns - now_ns : 0;
        now_ns = join_ns;
        share_join(played, (uint32_t)i, load->bytes[i], join_ns);
    }
    outcome.bytes_moved = share_bytes_moved(played);
    arena_destroy(arena);
    return outcome;
}

/* Every end rounds up to a whole ns, which everyone then has waited. */
static void assert_not_earlier(const Outcome *more, const Outcome *less, int32_t except,
                               uint64_t seed)
{
    for (int32_t i = 0; i < TRANSFERS; i++)
        if (i != except)
            ck_assert_msg(more->end_ns[i] >= less->end_ns[i] - TRANSFERS,
                          "seed %" PRIu64 ": transfer %d ends earlier", seed, i);
}

START_TEST(bytes_in_are_bytes_out_and_work_is_conserved)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Load load = random_load(seed);
        Outcome outcome = play(&load);
        int64_t bytes = 0;
        int64_t work_ns = 0;
        for (int32_t i = 0; i < TRANSFERS; i++) {
            bytes += load.bytes[i];
            work_ns += share_work_ns(&plain, load.bytes[i]);
            ck_assert_msg(outcome.end_ns[i] >=
                              load.join_ns[i] + share_work_ns(&plain, load.bytes[i]),
                          "seed %" PRIu64 ": faster than alone", seed);
        }
        ck_assert_msg(outcome.bytes_moved == bytes, "seed %" PRIu64, seed);
        ck_assert_msg(imaxabs(outcome.busy_ns - work_ns) <= TRANSFERS,
                      "seed %" PRIu64 ": busy %" PRId64 ", work %" PRId64, seed, outcome.busy_ns,
                      work_ns);
    }
}
END_TEST

START_TEST(more_bytes_never_end_earlier)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Load load = random_load(seed);
        Outcome less = play(&load);
        int32_t larger = (int32_t)(seed % TRANSFERS);
        load.bytes[larger] += 3 * MB;
        Outcome more = play(&load);
        assert_not_earlier(&more, &less, -1, seed);
        ck_assert_int_gt(more.end_ns[larger], less.end_ns[larger]);
    }
}
END_TEST

START_TEST(who_joins_never_makes_others_faster)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Load load = random_load(seed);
        int32_t joiner = (int32_t)(seed % TRANSFERS);
        load.is_present[joiner] = false;
        Outcome without = play(&load);
        load.is_present[joiner] = true;
        Outcome with = play(&load);
        assert_not_earlier(&with, &without, joiner, seed);
    }
}
END_TEST

START_TEST(ten_thousand_transfers_end_together)
{
    // 10,000 of 10 kB are 100 MB: 1 s in all, in order of joining.
    enum { MANY = 10000 };
    for (uint32_t owner = 0; owner < MANY; owner++)
        share_join(share, owner, 10000, 0);
    for (uint32_t owner = 0; owner < MANY; owner++)
        assert_next(owner, NS_PER_S);
}
END_TEST

START_TEST(ten_thousand_sizes_end_in_order_of_size)
{
    // Sizes k * 1 kB with k = 1..10,000 in some order; the last end is the sum: 50,005 MB at
    // 100 MB/s, each of 10,000 ends rounding up by less than 1 ns.
    enum { MANY = 10000, STEP = 7919 }; // a prime, so that every k comes once
    for (uint32_t i = 0; i < MANY; i++)
        share_join(share, i, (int64_t)((uint64_t)i * STEP % MANY + 1) * 1000, 0);
    int64_t end_ns = 0;
    for (uint32_t k = 1; k <= MANY; k++) {
        uint32_t owner;
        end_ns = end_next(share, &owner);
        ck_assert_uint_eq((uint64_t)owner * STEP % MANY + 1, k);
    }
    const int64_t sum_ns = INT64_C(500050) * NS_PER_MS;
    ck_assert_int_ge(end_ns, sum_ns);
    ck_assert_int_le(end_ns, sum_ns + MANY);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("share");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, an_idle_share_has_no_next_end);
    tcase_add_test(tests, two_readers_share_the_rate);
    tcase_add_test(tests, a_small_transfer_overtakes_a_large_one);
    tcase_add_test(tests, equal_transfers_end_in_the_order_in_which_they_joined);
    tcase_add_test(tests, who_leaves_gives_its_part_to_the_others);
    tcase_add_test(tests, nothing_ends_at_once);
    tcase_add_test(tests, latency_and_work_are_those_of_the_tier);
    tcase_add_test(tests, bytes_in_are_bytes_out_and_work_is_conserved);
    tcase_add_test(tests, more_bytes_never_end_earlier);
    tcase_add_test(tests, who_joins_never_makes_others_faster);
    tcase_add_test(tests, ten_thousand_transfers_end_together);
    tcase_add_test(tests, ten_thousand_sizes_end_in_order_of_size);
    suite_add_tcase(suite, tests);
    return suite;
}

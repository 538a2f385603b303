#include <inttypes.h>

#include "sim/base/units.h"
#include "sim/cloud/storage/share.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"

#define MB INT64_C(1000000)

/* 100 MB/s to read, 50 MB/s to write, and no limit of requests. */
static const ShareTier plain = {.name = "plain",
                                .read_bytes_per_s = 100 * MB,
                                .write_bytes_per_s = 50 * MB,
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

static uint32_t join(Share *of, uint32_t owner, int64_t bytes, int64_t now_ns)
{
    return share_join(of, owner, TRANSFER_READ, bytes, 1, now_ns);
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
    join(share, 1, 100 * MB, 0);
    ck_assert_int_eq(share_next_end_ns(share), NS_PER_S);
    join(share, 2, 100 * MB, NS_PER_S / 2);
    ck_assert_int_eq(share_active(share), 2);
    assert_next(1, 3 * NS_PER_S / 2);
    assert_next(2, 2 * NS_PER_S);
    ck_assert_int_eq(share_bytes_moved(share), 200 * MB);
}
END_TEST

START_TEST(a_small_transfer_overtakes_a_large_one)
{
    // B's 10 MB join at 0.1 s and take 0.2 s at half the rate; A had 90 MB left, now 80.
    join(share, 1, 100 * MB, 0);
    join(share, 2, 10 * MB, NS_PER_S / 10);
    assert_next(2, 3 * NS_PER_S / 10);
    assert_next(1, 11 * NS_PER_S / 10);
}
END_TEST

START_TEST(equal_transfers_end_in_the_order_in_which_they_joined)
{
    for (uint32_t owner = 0; owner < 10; owner++)
        join(share, owner, 10 * MB, 0);
    for (uint32_t owner = 0; owner < 10; owner++)
        assert_next(owner, NS_PER_S); // 100 MB in all
}
END_TEST

START_TEST(a_transfer_that_leaves_gives_its_part_to_the_others)
{
    // After 1 s at 50 MB/s each has 50 MB left; A goes, B needs another 0.5 s.
    uint32_t first = join(share, 1, 100 * MB, 0);
    join(share, 2, 100 * MB, 0);
    share_leave(share, first, NS_PER_S);
    ck_assert_int_eq(share_active(share), 1);
    ck_assert_int_eq(share_bytes_moved(share), 50 * MB);
    assert_next(2, 3 * NS_PER_S / 2);
    ck_assert_int_eq(share_bytes_moved(share), 150 * MB);
}
END_TEST

START_TEST(the_place_of_a_transfer_that_has_ended_is_used_again)
{
    const uint32_t first = join(share, 1, 100 * MB, 0), second = join(share, 2, 300 * MB, 0);
    assert_next(1, 2 * NS_PER_S);
    ck_assert_uint_eq(join(share, 3, 100 * MB, 2 * NS_PER_S), first);
    share_leave(share, second, 2 * NS_PER_S);
    ck_assert_uint_eq(join(share, 4, 100 * MB, 2 * NS_PER_S), second);
}
END_TEST

START_TEST(an_empty_transfer_ends_at_once)
{
    join(share, 1, 100 * MB, 0);
    join(share, 2, 0, 7);
    assert_next(2, 7);
}
END_TEST

START_TEST(latency_and_work_are_those_of_the_tier)
{
    // 20 MB are 5 requests of 4 MB, so 2 rounds of 4 in flight.
    ck_assert_int_eq(share_latency_ns(&plain, TRANSFER_READ, 20 * MB), 10 * NS_PER_MS);
    ck_assert_int_eq(share_latency_ns(&plain, TRANSFER_WRITE, 20 * MB), 16 * NS_PER_MS);
    ck_assert_int_eq(share_work_ns(&plain, TRANSFER_READ, 20 * MB), NS_PER_S / 5);
}
END_TEST

START_TEST(reads_and_writes_have_their_own_limits_and_take_turns)
{
    // 50 MB are 0.5 s of reading, or 1 s of writing. Both advance at half speed: the read ends at
    // 1 s, the write has 0.5 s of work left then and ends at 1.5 s.
    ck_assert_int_eq(share_work_ns(&plain, TRANSFER_WRITE, 50 * MB), NS_PER_S);
    share_join(share, 1, TRANSFER_WRITE, 50 * MB, 1, 0);
    share_join(share, 2, TRANSFER_READ, 50 * MB, 1, 0);
    assert_next(2, NS_PER_S);
    assert_next(1, 3 * NS_PER_S / 2);
}
END_TEST

START_TEST(one_file_gets_no_more_than_its_limit)
{
    // A file at 40 MB/s: 2.5 files make the share's 100. One or two advance at 40 MB/s each, five
    // at 20. Writing, 50 / 20 is the same number.
    ShareTier tier = plain;
    tier.file_read_bytes_per_s = 40 * MB;
    tier.file_write_bytes_per_s = 20 * MB;
    Share *large = share_create(run, (ShareId){0}, "a/l", &tier, 0);
    join(large, 1, 100 * MB, 0);
    ck_assert_int_eq(share_next_end_ns(large), 5 * NS_PER_S / 2);
    join(large, 2, 40 * MB, 0);
    ck_assert_int_eq(share_next_end_ns(large), NS_PER_S);
    uint32_t owner;
    ck_assert_int_eq(end_next(large, &owner), NS_PER_S);
    for (uint32_t i = 3; i < 7; i++)
        join(large, i, 20 * MB, NS_PER_S); // 1 has 60 MB left, at 20 MB/s until these end at 2 s
    for (uint32_t i = 3; i < 7; i++)
        ck_assert_int_eq(end_next(large, &owner), 2 * NS_PER_S);
    ck_assert_int_eq(end_next(large, &owner), 3 * NS_PER_S);
    // Alone: one request of latency, and 40 MB at 40 MB/s; 4 requests at a time of 10.
    ck_assert_int_eq(share_alone_ns(&tier, TRANSFER_READ, 40 * MB, 1, 1, 1000 * MB),
                     NS_PER_S + 15 * NS_PER_MS);
    ck_assert_int_eq(share_alone_ns(&plain, TRANSFER_READ, 40 * MB, 1, 1, 1000 * MB),
                     2 * NS_PER_S / 5 + 15 * NS_PER_MS);
}
END_TEST

START_TEST(files_of_one_transfer_are_as_many_transfers)
{
    // Ten files of 4 MB at 100 MB/s; another one of 4 MB has an eleventh of the share.
    share_join(share, 1, TRANSFER_READ, 40 * MB, 10, 0);
    join(share, 2, 4 * MB, 0);
    assert_next(1, 44 * NS_PER_S / 100);
    assert_next(2, 44 * NS_PER_S / 100);
    ck_assert_int_eq(share_bytes_moved(share), 44 * MB);
    // Cancelled after half of its time, it has moved half of its bytes.
    const uint32_t ticket = share_join(share, 3, TRANSFER_READ, 40 * MB, 10, NS_PER_S);
    share_leave(share, ticket, NS_PER_S + NS_PER_S / 5);
    ck_assert_int_eq(share_bytes_moved(share), 64 * MB);
    ck_assert_int_eq(share_next_end_ns(share), INT64_MAX);
    // Alone: the latency of one file, and the larger of the share's and the files' limits. At 20
    // MB/s a file, 5 files reach the share's 100.
    ShareTier tier = plain;
    tier.file_read_bytes_per_s = 20 * MB;
    for (int32_t files = 1; files <= 10; files++)
        ck_assert_int_eq(
            share_alone_ns(&tier, TRANSFER_READ, files * 4 * MB, files, files, 1000 * MB),
            5 * NS_PER_MS + 40 * NS_PER_MS * (files > 5 ? files : 5));
    // Two of ten files on each node, whose links have 10 MB/s.
    ck_assert_int_eq(share_alone_ns(&tier, TRANSFER_READ, 40 * MB, 10, 2, 10 * MB),
                     5 * NS_PER_MS + 800 * NS_PER_MS);
}
END_TEST

START_TEST(overlapping_requests_hide_latency_behind_the_transfer_of_others)
{
    // 20 MB are 5 requests of 4 MB, each 40 ms of the share's 100 MB/s, 4 in flight. In rounds two
    // latencies are added. Overlapping, the first is paid; the others are hidden as long as each
    // is below 160 ms.
    ShareTier tier = plain;
    tier.requests_overlap = true;
    tier.read_latency_ns = 160 * NS_PER_MS;
    ck_assert_int_eq(share_alone_ns(&tier, TRANSFER_READ, 20 * MB, 1, 1, 1000 * MB),
                     360 * NS_PER_MS);
    // With 320 ms a file has 12.5 requests per second, half of the rate of the share.
    tier.read_latency_ns = 320 * NS_PER_MS;
    ck_assert_int_eq(share_alone_ns(&tier, TRANSFER_READ, 20 * MB, 1, 1, 1000 * MB),
                     320 * NS_PER_MS + 400 * NS_PER_MS);
    Share *of = share_create(run, (ShareId){0}, "a/o", &tier, 0);
    join(of, 1, 20 * MB, 0);
    ck_assert_int_eq(share_next_end_ns(of), 400 * NS_PER_MS);
    join(of, 2, 20 * MB, 0); // has the other half
    ck_assert_int_eq(share_next_end_ns(of), 400 * NS_PER_MS);
    tier.requests_overlap = false;
    ck_assert_int_eq(share_alone_ns(&tier, TRANSFER_READ, 20 * MB, 1, 1, 1000 * MB),
                     640 * NS_PER_MS + 200 * NS_PER_MS);
}
END_TEST

START_TEST(a_paused_transfer_leaves_its_part_and_keeps_its_work)
{
    // Both do 0.25 s of 1 s in 0.5 s. Then the first is alone for 0.5 s: 0.25 s left. With the
    // second back, which has 0.7 s left now, it ends 0.5 s later; the second, with 0.45 s left,
    // 0.45 s after that.
    join(share, 1, 100 * MB, 0);
    const uint32_t second = join(share, 2, 100 * MB, 0);
    ck_assert_int_eq(share_level_bytes_per_s(share), 50 * MB);
    ck_assert(share_pause(share, second, NS_PER_S / 2) == (ShareWork)(3 * NS_PER_S / 4)
                                                              << SHARE_WORK_BITS);
    ck_assert_int_eq(share_active(share), 2);
    ck_assert_int_eq(share_files(share), 2);
    ck_assert_int_eq(share_level_bytes_per_s(share), 50 * MB); // if it came back
    ck_assert_int_eq(share_next_end_ns(share), 5 * NS_PER_S / 4);
    share_resume(share, second, (ShareWork)(7 * NS_PER_S / 10) << SHARE_WORK_BITS, NS_PER_S);
    assert_next(1, 3 * NS_PER_S / 2);
    assert_next(2, 39 * NS_PER_S / 20);
    ck_assert_int_eq(share_bytes_moved(share), 200 * MB);
}
END_TEST

START_TEST(rates_count_bytes_as_if_all_were_read_in_large_requests)
{
    // Writing at half of the rate of reading takes the share for two bytes each; files of 1 kB at
    // 1,000 requests a second take 100 MB/s / 1 MB/s = 100.
    ShareTier tier = plain;
    tier.requests_per_s = 1000;
    Share *of = share_create(run, (ShareId){0}, "a/w", &tier, 0);
    ck_assert_int_eq(share_weight_ppm(of, TRANSFER_READ, 100 * MB, 1), PPM);
    ck_assert_int_eq(share_weight_ppm(of, TRANSFER_WRITE, 100 * MB, 1), PPM / 2);
    ck_assert_int_eq(share_weight_ppm(of, TRANSFER_READ, 1000, 1), PPM / 100);
    ck_assert_int_eq(share_weight_ppm(of, TRANSFER_READ, 3000, 3), PPM / 100);
    ck_assert_int_eq(share_weight_ppm(of, TRANSFER_READ, 0, 1), PPM);
    tier.file_read_bytes_per_s = 40 * MB;
    of = share_create(run, (ShareId){0}, "a/f", &tier, 0);
    share_set_speed(of, PPM / 2, 0);
    ck_assert_int_eq(share_rate_bytes_per_s(of), 50 * MB);
    ck_assert_int_eq(share_file_rate_bytes_per_s(of), 20 * MB);
    ck_assert_int_eq(share_file_rate_most_bytes_per_s(of), 40 * MB);
    ck_assert_int_eq(share_level_bytes_per_s(of), 20 * MB);
    share_join(of, 1, TRANSFER_READ, 40 * MB, 4, 0);
    ck_assert_int_eq(share_level_bytes_per_s(of), 50 * MB / 4);
}
END_TEST

START_TEST(limits_grow_with_the_provisioned_size)
{
    // Premium: 400 requests per second and 1 per GiB, at most 100,000; egress 60 MiB/s and 61.44
    // for each TiB (0.06 per GiB). 2.5 TiB: 400 + 2560; 60 + 153.6.
    const int64_t mib = INT64_C(1) << 20, tib = INT64_C(1) << 40;
    const ShareTier premium = {.name = "premium",
                               .read_bytes_per_s = 60 * mib,
                               .write_bytes_per_s = 40 * mib,
                               .requests_per_s = 400,
                               .read_bytes_per_s_per_tib = 6144 * mib / 100,
                               .write_bytes_per_s_per_tib = 4096 * mib / 100,
                               .requests_per_s_per_tib = 1024,
                               .requests_per_s_most = 100000,
                               .provisioned_bytes = tib};
    ShareTier of_size = share_tier_of_size(&premium, 5 * tib / 2);
    ck_assert_int_eq(of_size.requests_per_s, 2960);
    ck_assert_int_eq(of_size.read_bytes_per_s, 60 * mib + 6144 * mib / 100 * 5 / 2);
    ck_assert_int_eq(of_size.write_bytes_per_s, 40 * mib + 4096 * mib / 100 * 5 / 2);
    ck_assert_int_eq(of_size.provisioned_bytes, 5 * tib / 2);
    ck_assert_int_eq(share_tier_of_size(&premium, 0).requests_per_s, 1424); // as the tier says
    ck_assert_int_eq(share_tier_of_size(&premium, 100 * tib).requests_per_s, 100000);
    // What is added is added once.
    ck_assert(share_tier_grows(&premium) && !share_tier_grows(&of_size));
    const ShareTier again = share_tier_of_size(&of_size, 0);
    ck_assert_int_eq(again.requests_per_s, 2960);
    ck_assert_int_eq(again.read_bytes_per_s, of_size.read_bytes_per_s);
    ck_assert_int_eq(again.write_bytes_per_s, of_size.write_bytes_per_s);
}
END_TEST

START_TEST(an_outage_stops_the_clock_and_a_slow_share_stretches_it)
{
    // 0.5 s done, out for 2 s, then a quarter of the speed: 0.5 s of work takes 2 s.
    join(share, 1, 100 * MB, 0);
    share_set_speed(share, 0, NS_PER_S / 2);
    ck_assert(share_is_out(share));
    ck_assert(share_next_end_ns(share) == INT64_MAX);
    join(share, 2, 0, NS_PER_S); // nothing to transfer, but the share is out
    ck_assert(share_next_end_ns(share) == INT64_MAX);
    share_set_speed(share, PPM / 4, 5 * NS_PER_S / 2);
    ck_assert(!share_is_out(share));
    assert_next(2, 5 * NS_PER_S / 2);
    ck_assert_int_eq(share_next_end_ns(share), 9 * NS_PER_S / 2);
    share_set_speed(share, PPM, 7 * NS_PER_S / 2); // 0.25 s of work left
    assert_next(1, 15 * NS_PER_S / 4);
}
END_TEST

START_TEST(a_transfer_longer_than_all_time_never_ends)
{
    // 2^55 bytes at a millionth of 100 MB/s, together with a thousand others.
    share_set_speed(share, 1, 0);
    for (uint32_t i = 0; i < 1000; i++)
        join(share, i, INT64_C(1) << 55, 0);
    ck_assert(share_next_end_ns(share) == INT64_MAX);
    share_leave(share, 5, NS_PER_DAY);
    ck_assert_int_eq(share_bytes_moved(share), 8640); // 100 bytes per second, for 1000
}
END_TEST

/* --- Properties over many seeds --- */

enum { TRANSFERS = 40 };

typedef struct {
    int64_t join_ns[TRANSFERS]; /* rising */
    int64_t bytes[TRANSFERS];
    bool is_present[TRANSFERS];
    int64_t pause_ns; /* INT64_MAX: never */
    int64_t pause_length_ns;
} Load;

typedef struct {
    int64_t end_ns[TRANSFERS];
    int64_t busy_ns;
    int64_t bytes_moved;
} Outcome;

static Load random_load(uint64_t seed)
{
    Load load = {.pause_ns = INT64_MAX};
    int64_t at_ns = 0;
    for (uint64_t i = 0; i < TRANSFERS; i++) {
        at_ns += (int64_t)(rng_word(seed, RNG_IDENTITY, 0, i) % (NS_PER_S / 5));
        load.join_ns[i] = at_ns;
        // Every order of magnitude equally often, up to about 30 MB.
        uint64_t word = rng_word(seed, RNG_IDENTITY, 1, i);
        load.bytes[i] = (int64_t)((word >> 32) % (UINT64_C(1) << word % 26));
        load.is_present[i] = true;
    }
    return load;
}

/* A share under a load, and how much of the load has joined. */
typedef struct {
    const Load *load;
    Share *share;
    Outcome outcome;
    int64_t now_ns;
    int64_t shift_ns; /* added to each joining time of the load */
} Player;

static void pass_time(Player *player, int64_t now_ns)
{
    ck_assert_int_ge(now_ns, player->now_ns);
    if (share_active(player->share) > 0 && !share_is_out(player->share))
        player->outcome.busy_ns += now_ns - player->now_ns;
    player->now_ns = now_ns;
}

/* Ends all transfers that are due at or before `until_ns`. */
static void play_ends(Player *player, int64_t until_ns)
{
    while (share_active(player->share) > 0 && share_next_end_ns(player->share) <= until_ns) {
        uint32_t owner;
        pass_time(player, share_next_end_ns(player->share));
        end_next(player->share, &owner);
        player->outcome.end_ns[owner] = player->now_ns;
    }
}

static void play_pause(Player *player)
{
    play_ends(player, player->load->pause_ns - 1);
    pass_time(player, player->load->pause_ns);
    share_set_speed(player->share, 0, player->now_ns);
    player->shift_ns = player->load->pause_length_ns;
    pass_time(player, player->now_ns + player->shift_ns);
    share_set_speed(player->share, PPM, player->now_ns);
}

static Outcome play(const Load *load)
{
    Arena *arena = arena_create();
    Player player = {.load = load, .share = share_create(arena, (ShareId){0}, "played", &plain, 0)};
    for (int32_t i = 0; i <= TRANSFERS; i++) {
        int64_t join_ns = i < TRANSFERS ? load->join_ns[i] : INT64_MAX;
        if (player.shift_ns == 0 && load->pause_ns < join_ns)
            play_pause(&player);
        play_ends(&player, i < TRANSFERS ? join_ns + player.shift_ns : INT64_MAX - 1);
        if (i == TRANSFERS || !load->is_present[i])
            continue;
        pass_time(&player, join_ns + player.shift_ns);
        join(player.share, (uint32_t)i, load->bytes[i], player.now_ns);
    }
    player.outcome.bytes_moved = share_bytes_moved(player.share);
    arena_destroy(arena);
    return player.outcome;
}

/* Every end rounds up to a whole ns, which delays all the other transfers. */
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
            work_ns += share_work_ns(&plain, TRANSFER_READ, load.bytes[i]);
            ck_assert_msg(outcome.end_ns[i] >=
                              load.join_ns[i] + share_work_ns(&plain, TRANSFER_READ, load.bytes[i]),
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

START_TEST(a_joining_transfer_never_makes_others_faster)
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

START_TEST(a_pause_delays_all_later_ends_by_its_length)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Load load = random_load(seed);
        Outcome without = play(&load);
        load.pause_ns = (int64_t)(rng_word(seed, RNG_IDENTITY, 2, 0) % (6 * NS_PER_S));
        load.pause_length_ns = 1 + (int64_t)(rng_word(seed, RNG_IDENTITY, 2, 1) % NS_PER_S);
        Outcome with = play(&load);
        for (int32_t i = 0; i < TRANSFERS; i++) {
            bool is_before = without.end_ns[i] < load.pause_ns;
            ck_assert_msg(with.end_ns[i] ==
                              without.end_ns[i] + (is_before ? 0 : load.pause_length_ns),
                          "seed %" PRIu64 ": transfer %d", seed, (int)i);
        }
        ck_assert_msg(with.bytes_moved == without.bytes_moved, "seed %" PRIu64, seed);
        ck_assert_msg(with.busy_ns == without.busy_ns, "seed %" PRIu64, seed);
    }
}
END_TEST

START_TEST(transfers_that_leave_take_no_bytes_from_the_others)
{
    // Half of the transfers leave at random times. The bytes moved are at most the bytes of all
    // transfers, and at least those of the transfers that stayed.
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Arena *arena = arena_create();
        Share *of = share_create(arena, (ShareId){0}, "a/s", &plain, 0);
        uint32_t tickets[TRANSFERS], owner;
        int64_t all_bytes = 0, bytes_of_those_who_stay = 0;
        for (uint32_t i = 0; i < TRANSFERS; i++) {
            int64_t bytes = 1000 + (int64_t)(rng_word(seed, RNG_IDENTITY, 3, i) % (50 * MB));
            tickets[i] = join(of, i, bytes, 0);
            all_bytes += bytes;
            bytes_of_those_who_stay += i % 2 ? bytes : 0;
        }
        for (uint32_t i = 0; i < TRANSFERS; i += 2)
            share_leave(of, tickets[i], 1000); // 1 us: no transfer has ended
        ck_assert_int_eq(share_active(of), TRANSFERS / 2);
        while (share_active(of) > 0) {
            end_next(of, &owner);
            ck_assert_msg(owner % 2 == 1, "seed %" PRIu64 ": %u left and ended", seed, owner);
        }
        ck_assert_int_ge(share_bytes_moved(of), bytes_of_those_who_stay);
        ck_assert_int_le(share_bytes_moved(of), bytes_of_those_who_stay + 100); // 1 us: 100 bytes
        ck_assert_int_lt(share_bytes_moved(of), all_bytes);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(ten_thousand_transfers_end_together)
{
    // 10,000 of 10 kB are 100 MB: 1 s in all, in order of joining.
    enum { MANY = 10000 };
    for (uint32_t owner = 0; owner < MANY; owner++)
        join(share, owner, 10000, 0);
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
        join(share, i, (int64_t)((uint64_t)i * STEP % MANY + 1) * 1000, 0);
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
    tcase_add_test(tests, files_of_one_transfer_are_as_many_transfers);
    tcase_add_test(tests, a_small_transfer_overtakes_a_large_one);
    tcase_add_test(tests, equal_transfers_end_in_the_order_in_which_they_joined);
    tcase_add_test(tests, a_transfer_that_leaves_gives_its_part_to_the_others);
    tcase_add_test(tests, the_place_of_a_transfer_that_has_ended_is_used_again);
    tcase_add_test(tests, an_empty_transfer_ends_at_once);
    tcase_add_test(tests, latency_and_work_are_those_of_the_tier);
    tcase_add_test(tests, reads_and_writes_have_their_own_limits_and_take_turns);
    tcase_add_test(tests, one_file_gets_no_more_than_its_limit);
    tcase_add_test(tests, overlapping_requests_hide_latency_behind_the_transfer_of_others);
    tcase_add_test(tests, a_paused_transfer_leaves_its_part_and_keeps_its_work);
    tcase_add_test(tests, rates_count_bytes_as_if_all_were_read_in_large_requests);
    tcase_add_test(tests, limits_grow_with_the_provisioned_size);
    tcase_add_test(tests, an_outage_stops_the_clock_and_a_slow_share_stretches_it);
    tcase_add_test(tests, a_transfer_longer_than_all_time_never_ends);
    tcase_add_test(tests, a_pause_delays_all_later_ends_by_its_length);
    tcase_add_test(tests, transfers_that_leave_take_no_bytes_from_the_others);
    tcase_add_test(tests, bytes_in_are_bytes_out_and_work_is_conserved);
    tcase_add_test(tests, more_bytes_never_end_earlier);
    tcase_add_test(tests, a_joining_transfer_never_makes_others_faster);
    tcase_add_test(tests, ten_thousand_transfers_end_together);
    tcase_add_test(tests, ten_thousand_sizes_end_in_order_of_size);
    suite_add_tcase(suite, tests);
    return suite;
}

/* Transfers that the links of their nodes limit. */
#include <inttypes.h>
#include <math.h>

#include "sim/base/units.h"
#include "sim/cloud/storage/tables.h"
#include "sim/cloud/tables.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

#define MB INT64_C(1000000)
enum { ENDS_MAX = 4096 };

static World *world;
static TransferList under_way;
static int64_t ended_ns[ENDS_MAX]; /* [purpose] */
static int32_t started, ended;

/* Without latency; reading at `mb_per_s`, writing at half of it. */
static ShareId new_share(const char *name, int64_t mb_per_s)
{
    ShareTier *tier = ARENA_NEW(arena, ShareTier);
    *tier = (ShareTier){.name = "test",
                        .read_bytes_per_s = mb_per_s * MB,
                        .write_bytes_per_s = mb_per_s * MB / 2,
                        .requests_per_s = 1000000,
                        .request_bytes = 4 * MB,
                        .requests_in_flight = 8};
    return storage_add_share(world->storage, name, tier);
}

static NodeLink *new_link(int64_t mb_per_s)
{
    NodeLink *link = ARENA_NEW(arena, NodeLink);
    link->bytes_per_s = mb_per_s * MB;
    return link;
}

static void transfer_ended(void *client, const Transfer *transfer)
{
    (void)client;
    ended_ns[transfer->purpose] = world_now_ns(world);
    ended++;
}

static void begin_world(void)
{
    begin();
    world =
        world_create(arena, scenario_of(&list, 1), recording_sink(&recording, TRACE_LEVEL_EPOCHS));
    storage_connect(world->storage, (TransferClient){.transfer_done = transfer_ended});
    world_advance(world, 10 * NS_PER_S);
    under_way = (TransferList){0};
    started = ended = 0;
}

/* Starts a transfer; returns its number, the index of its end in ended_ns. */
static uint32_t move(ShareId share, TransferKind kind, int64_t bytes, int32_t files, int32_t ways,
                     const TransferWay *way)
{
    ck_assert_int_lt(started, ENDS_MAX);
    const uint32_t number = (uint32_t)started++;
    ended_ns[number] = INT64_MAX;
    transfer_start(world->storage, &under_way,
                   (Transfer){.share = share,
                              .kind = kind,
                              .bytes = bytes,
                              .files = files,
                              .cluster = {ID_NONE},
                              .job = {ID_NONE},
                              .node = {ID_NONE},
                              .purpose = number},
                   ways, way);
    world_advance(world, world_now_ns(world)); // no latency: it joins now
    return number;
}

static uint32_t read_file(ShareId share, int64_t mb, NodeLink *link)
{
    return move(share, TRANSFER_READ, mb * MB, 1, 1, &(TransferWay){link, 1});
}

static void run_until(int64_t after_ns)
{
    const int64_t until_ns = 10 * NS_PER_S + after_ns;
    while (world_next_event_ns(world) <= until_ns) {
        world_advance(world, world_next_event_ns(world));
        transfers_check(world->storage, started - ended);
    }
    world_advance(world, until_ns);
}

static void assert_ends(uint32_t number, int64_t after_ns)
{
    run_until(1000 * NS_PER_S);
    ck_assert_int_eq(ended_ns[number] - 10 * NS_PER_S, after_ns);
}

/* How long links limited the n-th transfer that they limited at all. */
static int64_t limited_ns(int32_t n)
{
    const TraceRecord *record = recording_find(&recording, TRACE_LINK_FULL, NULL, n);
    ck_assert_ptr_nonnull(record);
    return record->link_full.limited_ns;
}

/* --- On paper --- */

START_TEST(a_link_leaves_the_rest_of_its_part_to_the_others)
{
    // A share of 300 MB/s: 150 each, but A's link has 100 and so B gets 200. B ends after 1.5 s. A
    // still has 150 MB, for which its link takes 1.5 s.
    const ShareId share = new_share("a/x", 300);
    const uint32_t a = read_file(share, 300, new_link(100));
    const uint32_t b = read_file(share, 300, new_link(1000));
    assert_ends(b, 3 * NS_PER_S / 2);
    assert_ends(a, 3 * NS_PER_S);
    ck_assert_int_eq(recording_count(&recording, TRACE_LINK_FULL, "read"), 1);
    ck_assert_int_eq(limited_ns(0), 3 * NS_PER_S);
}
END_TEST

START_TEST(transfers_of_one_node_share_its_link)
{
    // A and B of one node get 50 MB/s each, C has 300. C ends its 300 MB after 1 s. A and B have 50
    // MB left, still at 50 MB/s each: 2 s.
    const ShareId share = new_share("a/x", 400);
    NodeLink *link = new_link(100);
    const uint32_t a = read_file(share, 100, link), b = read_file(share, 100, link);
    const uint32_t c = read_file(share, 300, new_link(1000));
    assert_ends(c, NS_PER_S);
    assert_ends(a, 2 * NS_PER_S);
    assert_ends(b, 2 * NS_PER_S);
}
END_TEST

START_TEST(a_link_matters_only_while_equal_parts_would_fill_it)
{
    // Four readers of a share of 300 MB/s have 75 each, as if no link were there. Three of them end
    // their 75 MB after 1 s; the fourth has 225 MB left and only 100 MB/s: 3.25 s.
    const ShareId share = new_share("a/x", 300);
    for (int32_t i = 0; i < 3; i++)
        read_file(share, 75, new_link(100));
    const uint32_t last = read_file(share, 300, new_link(100));
    run_until(NS_PER_S - 1);
    ck_assert_int_eq(ended, 0);
    ck_assert(!storage_share_row(world->storage, share)->is_limited);
    run_until(NS_PER_S);
    ck_assert_int_eq(ended, 3);
    ck_assert(storage_share_row(world->storage, share)->is_limited);
    assert_ends(last, 13 * NS_PER_S / 4);
    ck_assert_int_eq(limited_ns(0), 9 * NS_PER_S / 4);
    ck_assert(!storage_share_row(world->storage, share)->is_limited);
}
END_TEST

START_TEST(transfers_to_two_shares_have_equal_parts_of_a_link)
{
    // 50 MB/s each, although the one share has 80 MB/s and the other 250. B ends its 50 MB after 1
    // s, and A's share is then the limit: 80 MB left take another second.
    NodeLink *link = new_link(100);
    const uint32_t a = read_file(new_share("a/slow", 80), 130, link);
    const uint32_t b = read_file(new_share("a/fast", 250), 50, link);
    assert_ends(b, NS_PER_S);
    assert_ends(a, 2 * NS_PER_S);
    ck_assert_int_eq(limited_ns(0), NS_PER_S);
    ck_assert_int_eq(limited_ns(1), NS_PER_S);
}
END_TEST

START_TEST(files_of_one_transfer_cross_the_links_of_their_nodes)
{
    // Four files of 100 MB on two nodes: each link of 100 MB/s moves two of them in 2 s, though the
    // share could move all in 1 s. On three nodes the one with two files is the last.
    const ShareId share = new_share("a/x", 400);
    const TransferWay two[] = {{new_link(100), 2}, {new_link(100), 2}};
    assert_ends(move(share, TRANSFER_READ, 400 * MB, 4, 2, two), 2 * NS_PER_S);
    ck_assert_int_eq(limited_ns(0), 2 * NS_PER_S);
    const int64_t now_ns = world_now_ns(world) - 10 * NS_PER_S;
    const TransferWay three[] = {{new_link(100), 1}, {new_link(100), 2}, {new_link(100), 1}};
    const uint32_t on_three = move(share, TRANSFER_READ, 400 * MB, 4, 3, three);
    run_until(2000 * NS_PER_S);
    ck_assert_int_eq(ended_ns[on_three] - 10 * NS_PER_S, now_ns + 2 * NS_PER_S);
}
END_TEST

START_TEST(writing_crosses_a_link_with_the_bytes_that_it_has)
{
    // A share of 200 MB/s to read and 100 to write; the link has 60. A write alone moves 60 MB/s.
    // With a read of another node, which equal parts give 100 MB/s and the write 50, the link does
    // not matter: the read ends its 100 MB after 1 s, then the write has 60 MB left: 2 s.
    const ShareId share = new_share("a/x", 200);
    assert_ends(move(share, TRANSFER_WRITE, 60 * MB, 1, 1, &(TransferWay){new_link(60), 1}),
                NS_PER_S);
    const int64_t now_ns = world_now_ns(world);
    const uint32_t write =
        move(share, TRANSFER_WRITE, 110 * MB, 1, 1, &(TransferWay){new_link(60), 1});
    const uint32_t read = read_file(share, 100, new_link(1000));
    run_until(2000 * NS_PER_S);
    ck_assert_int_eq(ended_ns[read] - now_ns, NS_PER_S);
    ck_assert_int_eq(ended_ns[write] - now_ns, 2 * NS_PER_S);
}
END_TEST

START_TEST(a_share_that_slows_down_may_be_slower_than_the_link)
{
    // 400 MB: 1 s at the link's 100 MB/s, 1 s at an eighth of the share's 400, 1 s of an outage, 1
    // s at half of its rate, and then all of it: the link's 100 again. 250 MB take 2.5 s of these.
    const ShareId share = new_share("a/x", 400);
    const uint32_t a = read_file(share, 400, new_link(100));
    run_until(NS_PER_S);
    share_slows(world->storage, share, PPM / 8, 2 * NS_PER_S);
    ck_assert(!storage_share_row(world->storage, share)->is_limited);
    run_until(2 * NS_PER_S);
    share_slows(world->storage, share, 0, NS_PER_S);
    run_until(3 * NS_PER_S);
    share_slows(world->storage, share, PPM / 2, NS_PER_S);
    ck_assert(storage_share_row(world->storage, share)->is_limited);
    assert_ends(a, 11 * NS_PER_S / 2);
    ck_assert_int_eq(limited_ns(0), 7 * NS_PER_S / 2);
}
END_TEST

START_TEST(cancelled_transfers_leave_links_and_shares)
{
    // After 1 s A has moved 100 MB over its link, B 300.
    const ShareId share = new_share("a/x", 400);
    const uint32_t a = read_file(share, 400, new_link(100));
    const uint32_t b = read_file(share, 400, new_link(1000));
    run_until(NS_PER_S);
    transfers_cancel(world->storage, &under_way);
    ended += 2;
    transfers_check(world->storage, 0);
    ck_assert_int_eq(share_bytes_moved(storage_share(world->storage, share)), 400 * MB);
    ck_assert_int_eq(share_active(storage_share(world->storage, share)), 0);
    run_until(100 * NS_PER_S);
    ck_assert(ended_ns[a] == INT64_MAX && ended_ns[b] == INT64_MAX);
}
END_TEST

/* --- A slow reference --- */

enum { SHARES = 3, LINKS = 5, MOVES = 40, WAYS = 2 };

typedef struct {
    int64_t begin_ns, bytes;
    int32_t share, files, ways;
    int32_t link[WAYS], files_on[WAYS];
    TransferKind kind;
    double left, rate; /* of a file, in bytes as if read */
    double weight;
    double end_s;
    bool is_there, stops;
} Move;

typedef struct {
    double share_rate[SHARES], link_rate[LINKS];
    Move moves[MOVES];
} Load;

/* The part of a link or share that a file's rate takes with all files of the move. */
static double takes(const Move *move, int32_t of, bool is_link)
{
    double parts = 0;
    if (!is_link)
        return move->share == of ? move->files : 0;
    for (int32_t w = 0; w < move->ways; w++)
        parts += move->link[w] == of ? move->files_on[w] * move->weight : 0;
    return parts;
}

/* The rate that a link or share allows to the files that still grow, if all others keep theirs. */
static double allows(const Load *load, int32_t of, bool is_link)
{
    double left = is_link ? load->link_rate[of] : load->share_rate[of], parts = 0;
    for (int32_t m = 0; m < MOVES; m++) {
        const Move *move = &load->moves[m];
        if (move->is_there && move->stops)
            left -= move->rate * takes(move, of, is_link);
        else if (move->is_there)
            parts += takes(move, of, is_link);
    }
    return parts > 0 ? left / parts : INFINITY;
}

/* Progressive filling, one link or share at a time. */
static void set_rates(Load *load)
{
    for (int32_t m = 0; m < MOVES; m++)
        load->moves[m].stops = false;
    for (;;) {
        double least = INFINITY;
        int32_t at = -1;
        for (int32_t r = 0; r < SHARES + LINKS; r++) {
            const double level = allows(load, r < SHARES ? r : r - SHARES, r >= SHARES);
            at = level < least ? r : at;
            least = level < least ? level : least;
        }
        if (at < 0)
            return;
        for (int32_t m = 0; m < MOVES; m++) {
            Move *move = &load->moves[m];
            if (move->is_there && !move->stops &&
                takes(move, at < SHARES ? at : at - SHARES, at >= SHARES) > 0) {
                move->rate = least;
                move->stops = true;
            }
        }
    }
}

static void play_reference(Load *load)
{
    double now_s = 0;
    int32_t next = 0;
    for (;;) {
        double at_s = next < MOVES ? (double)load->moves[next].begin_ns / NS_PER_S : INFINITY;
        int32_t ends = -1;
        set_rates(load);
        for (int32_t m = 0; m < next; m++) {
            const Move *move = &load->moves[m];
            const double end_s = now_s + (move->is_there ? move->left / move->rate : INFINITY);
            ends = end_s < at_s ? m : ends;
            at_s = end_s < at_s ? end_s : at_s;
        }
        if (isinf(at_s))
            return;
        for (int32_t m = 0; m < next; m++)
            load->moves[m].left -=
                load->moves[m].is_there ? load->moves[m].rate * (at_s - now_s) : 0;
        now_s = at_s;
        if (ends >= 0) {
            load->moves[ends].is_there = false;
            load->moves[ends].end_s = at_s;
        } else {
            load->moves[next++].is_there = true;
        }
    }
}

static uint64_t draw(uint64_t seed, uint64_t *n, uint64_t below)
{
    return (rng_word(seed, RNG_IDENTITY, 11, (*n)++) >> 16) % below;
}

static void draw_load(Load *load, uint64_t seed, ShareId *shares, NodeLink **links)
{
    static const char *const names[SHARES] = {"a/0", "a/1", "a/2"};
    uint64_t n = 0;
    int64_t at_ns = 0;
    for (int32_t s = 0; s < SHARES; s++) {
        const int64_t rate = 40 + 2 * (int64_t)draw(seed, &n, 200);
        shares[s] = new_share(names[s], rate);
        load->share_rate[s] = (double)(rate * MB);
    }
    for (int32_t l = 0; l < LINKS; l++) {
        const int64_t rate = 20 + (int64_t)draw(seed, &n, 150);
        links[l] = new_link(rate);
        load->link_rate[l] = (double)(rate * MB);
    }
    for (int32_t m = 0; m < MOVES; m++) {
        Move *move = &load->moves[m];
        at_ns += (int64_t)draw(seed, &n, NS_PER_S);
        *move = (Move){.begin_ns = at_ns,
                       .share = (int32_t)draw(seed, &n, SHARES),
                       .ways = 1 + (int32_t)draw(seed, &n, WAYS),
                       .kind = draw(seed, &n, 3) == 0 ? TRANSFER_WRITE : TRANSFER_READ};
        for (int32_t w = 0; w < move->ways; w++) {
            move->link[w] = (int32_t)(m + w * (1 + (int32_t)draw(seed, &n, LINKS - 1))) % LINKS;
            move->files_on[w] = 1 + (int32_t)draw(seed, &n, 3);
            move->files += move->files_on[w];
        }
        const int64_t each = (1 + (int64_t)draw(seed, &n, 100)) * 8 * MB;
        move->bytes = each * move->files;
        move->weight = move->kind == TRANSFER_WRITE ? 0.5 : 1;
        move->left = (double)each / move->weight;
    }
}

START_TEST(ends_are_those_of_a_slow_reference)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        static Load load;
        ShareId shares[SHARES];
        NodeLink *links[LINKS];
        draw_load(&load, seed, shares, links);
        const int64_t from_ns = world_now_ns(world);
        const uint32_t first = (uint32_t)started;
        int32_t limited = recording_count(&recording, TRACE_LINK_FULL, NULL);
        for (int32_t m = 0; m < MOVES; m++) {
            const Move *of = &load.moves[m];
            TransferWay ways[WAYS];
            for (int32_t w = 0; w < of->ways; w++)
                ways[w] = (TransferWay){links[of->link[w]], of->files_on[w]};
            run_until(from_ns + of->begin_ns - 10 * NS_PER_S);
            move(shares[of->share], of->kind, of->bytes, of->files, of->ways, ways);
            transfers_check(world->storage, started - ended);
        }
        run_until(from_ns + 100000 * NS_PER_S);
        play_reference(&load);
        for (int32_t m = 0; m < MOVES; m++) {
            const double end_s = (double)(ended_ns[first + (uint32_t)m] - from_ns) / NS_PER_S;
            ck_assert_msg(fabs(end_s - load.moves[m].end_s) < 2e-6 * (1 + end_s),
                          "seed %" PRIu64 ", move %d: %.9f s, expected %.9f", seed, (int)m, end_s,
                          load.moves[m].end_s);
        }
        limited = recording_count(&recording, TRACE_LINK_FULL, NULL) - limited;
        ck_assert_int_gt(limited, 0); // else the test says nothing
    }
}
END_TEST

/* Moves that begin at one time may join in any order: in `round` 1 backwards. Fills `end_ns`. */
static void play_round(const Load *load, int32_t round, ShareId *shares, NodeLink **links,
                       int64_t *end_ns)
{
    const int64_t from_ns = world_now_ns(world);
    uint32_t number[MOVES];
    for (int32_t m = 0; m < MOVES;) {
        int32_t after = m;
        while (after < MOVES && load->moves[after].begin_ns == load->moves[m].begin_ns)
            after++;
        run_until(from_ns + load->moves[m].begin_ns - 10 * NS_PER_S);
        for (int32_t i = m; i < after; i++) {
            const int32_t at = round == 0 ? i : after - 1 - (i - m);
            const Move *of = &load->moves[at];
            TransferWay ways[WAYS];
            for (int32_t w = 0; w < of->ways; w++)
                ways[w] = (TransferWay){links[of->link[w]], of->files_on[w]};
            number[at] = move(shares[of->share], of->kind, of->bytes, of->files, of->ways, ways);
        }
        m = after;
    }
    run_until(from_ns + 100000 * NS_PER_S);
    for (int32_t m = 0; m < MOVES; m++)
        end_ns[m] = ended_ns[number[m]] - from_ns;
}

START_TEST(the_order_of_beginnings_at_one_time_does_not_matter)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static Load load;
        int64_t end_ns[2][MOVES];
        for (int32_t round = 0; round < 2; round++) {
            ShareId shares[SHARES];
            NodeLink *links[LINKS];
            draw_load(&load, seed, shares, links);
            for (int32_t m = 0; m < MOVES; m++)
                load.moves[m].begin_ns -= load.moves[m].begin_ns % (5 * NS_PER_S / 3);
            play_round(&load, round, shares, links, end_ns[round]);
        }
        for (int32_t m = 0; m < MOVES; m++)
            ck_assert_msg(end_ns[0][m] == end_ns[1][m],
                          "seed %" PRIu64 ", move %d: %" PRId64 " and %" PRId64 " ns", seed, (int)m,
                          end_ns[0][m], end_ns[1][m]);
    }
}
END_TEST

/* Wide links change no bit. */
START_TEST(links_that_are_never_full_change_nothing)
{
    static Load load;
    int64_t without_ns[MOVES];
    for (int32_t round = 0; round < 2; round++) {
        ShareId shares[SHARES];
        NodeLink *links[LINKS];
        draw_load(&load, 7, shares, links);
        for (int32_t l = 0; l < LINKS; l++)
            links[l]->bytes_per_s = 500 * MB;
        const int64_t from_ns = world_now_ns(world);
        const uint32_t first = (uint32_t)started;
        for (int32_t m = 0; m < MOVES; m++) {
            const Move *of = &load.moves[m];
            const TransferWay way = {links[of->link[0]], 1};
            run_until(from_ns + of->begin_ns - 10 * NS_PER_S);
            move(shares[of->share], of->kind, of->bytes, 1, round, &way);
        }
        run_until(from_ns + 100000 * NS_PER_S);
        for (int32_t m = 0; m < MOVES; m++) {
            const int64_t end_ns = ended_ns[first + (uint32_t)m] - from_ns;
            if (round == 0)
                without_ns[m] = end_ns;
            ck_assert_int_eq(end_ns, without_ns[m]);
        }
    }
    ck_assert_ptr_null(recording_find(&recording, TRACE_LINK_FULL, NULL, 0));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("links");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin_world, end);
    tcase_add_test(tests, a_link_leaves_the_rest_of_its_part_to_the_others);
    tcase_add_test(tests, transfers_of_one_node_share_its_link);
    tcase_add_test(tests, a_link_matters_only_while_equal_parts_would_fill_it);
    tcase_add_test(tests, transfers_to_two_shares_have_equal_parts_of_a_link);
    tcase_add_test(tests, files_of_one_transfer_cross_the_links_of_their_nodes);
    tcase_add_test(tests, writing_crosses_a_link_with_the_bytes_that_it_has);
    tcase_add_test(tests, a_share_that_slows_down_may_be_slower_than_the_link);
    tcase_add_test(tests, cancelled_transfers_leave_links_and_shares);
    tcase_add_test(tests, ends_are_those_of_a_slow_reference);
    tcase_add_test(tests, the_order_of_beginnings_at_one_time_does_not_matter);
    tcase_add_test(tests, links_that_are_never_full_change_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}

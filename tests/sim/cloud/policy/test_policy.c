/* Policies: examples on paper, random queues, and policies in simulated worlds. */
#include "sim/cloud/policy/policy.h"

#include "sim/base/units.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

/* --- On paper: seconds and small numbers --- */

static WaitingJob waits(uint32_t job, int32_t nodes, int64_t expected_s, uint32_t owner)
{
    return (WaitingJob){.job = {job},
                        .request = {.nodes = nodes},
                        .priority = PRIORITY_NORMAL,
                        .expected_ns = expected_s * NS_PER_S,
                        .owner = owner};
}

static RunningJob runs(int32_t nodes, int64_t end_s)
{
    return (RunningJob){
        .job = {900}, .request = {.nodes = nodes}, .expected_end_ns = end_s * NS_PER_S};
}

START_TEST(names_and_information_needs_match_the_table)
{
    ck_assert_str_eq(policy_of(POLICY_SERVICE)->name, "service");
    ck_assert_str_eq(policy_of(POLICY_FAIR_SHARE)->name, "fair-share");
    ck_assert_int_eq(policy_of(POLICY_SERVICE)->sight, POLICY_SEES_HEAD);
    ck_assert_int_eq(policy_of(POLICY_BACKFILL)->sight, POLICY_SEES_QUEUE);
}
END_TEST

START_TEST(the_service_starts_the_first_job_or_none)
{
    const WaitingJob waiting[] = {waits(1, 4, 60, 0), waits(2, 1, 60, 0)};
    Room room = {.idle_nodes = 4};
    PolicyView view = {.room = &room, .waiting_count = 2, .waiting = waiting};
    ck_assert_int_eq(policy_service(&view).job, 0);
    room.idle_nodes = 3;
    ck_assert_int_eq(policy_service(&view).job, POLICY_NONE);
    view.waiting_count = 0;
    ck_assert_int_eq(policy_service(&view).job, POLICY_NONE);
}
END_TEST

START_TEST(backfill_lets_a_job_pass_that_ends_before_the_reservation)
{
    // 10 nodes at t=100: A runs on 4 until 200, B on 4 until 300, 2 are idle. The head needs 6. At
    // 200 there are 2 + 4 = 6, so its reservation is at 200, with 6 - 6 = 0 nodes to spare. A job
    // of 2 nodes may pass if it ends by 200: with 100 s it may, with 101 s it may not.
    const RunningJob running[] = {runs(4, 200), runs(4, 300)};
    WaitingJob waiting[] = {waits(1, 6, 50, 0), waits(2, 2, 101, 0), waits(3, 2, 100, 0)};
    Room room = {.idle_nodes = 2, .most_nodes = 10};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 3,
                       .waiting = waiting,
                       .running_count = 2,
                       .running = running};
    ck_assert_int_eq(policy_backfill(&view).job, 2);
    view.waiting_count = 2;
    ck_assert_int_eq(policy_backfill(&view).job, POLICY_NONE);
    waiting[1].expected_ns = 10 * NS_PER_S;
    waiting[1].request.nodes = 3; // short enough, but it does not fit
    ck_assert_int_eq(policy_backfill(&view).job, POLICY_NONE);
    room.idle_nodes = 6; // the head fits, so no job passes it
    ck_assert_int_eq(policy_backfill(&view).job, 0);
}
END_TEST

START_TEST(backfill_lets_a_job_pass_that_needs_only_spare_nodes)
{
    // The same with a head of 5: at 200 one of the six is left over, for a job of any length.
    const RunningJob running[] = {runs(4, 200), runs(4, 300)};
    const WaitingJob waiting[] = {waits(1, 5, 50, 0), waits(2, 2, 500, 0), waits(3, 1, 500, 0)};
    Room room = {.idle_nodes = 2, .most_nodes = 10};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 3,
                       .waiting = waiting,
                       .running_count = 2,
                       .running = running};
    ck_assert_int_eq(policy_backfill(&view).job, 2);
}
END_TEST

START_TEST(backfill_lets_all_jobs_pass_one_that_can_never_fit)
{
    // The cluster has at most 2 nodes, so the job of 3 can never start. The next job in the queue,
    // of 2 nodes, is the first that can be delayed: it is promised 200, and a job of 100 s passes
    // it.
    const RunningJob running[] = {runs(1, 200)};
    const WaitingJob waiting[] = {waits(1, 3, 50, 0), waits(2, 2, 50, 0), waits(3, 1, 101, 0),
                                  waits(4, 1, 100, 0)};
    Room room = {.idle_nodes = 2, .most_nodes = 2};
    PolicyView view = {
        .now_ns = 100 * NS_PER_S, .room = &room, .waiting_count = 1, .waiting = waiting};
    ck_assert_int_eq(policy_backfill(&view).job, POLICY_NONE);
    view.waiting_count = 4;
    ck_assert_int_eq(policy_backfill(&view).job, 1);
    room.idle_nodes = 1;
    view.running_count = 1;
    view.running = running;
    ck_assert_int_eq(policy_backfill(&view).job, 3);
    room.most_nodes = 3; // the cluster may grow at any time, and then the job of 3 can start
                         // at 200 at the earliest
    ck_assert_int_eq(policy_backfill(&view).job, 3);
}
END_TEST

START_TEST(backfill_counts_future_nodes_for_the_reservation_but_never_as_spare)
{
    // 4 nodes at t=100: one is idle, two run until 200, one is in preparation. The head needs 4, so
    // it cannot start before 200 however soon that ends: 100 s may pass, 101 s may not. A
    // head of 2 may start as soon as the node is there; one of 1 + 2 nodes at 200, and leaves over
    // none of those that are there.
    const RunningJob running[] = {runs(2, 200)};
    WaitingJob waiting[] = {waits(1, 4, 50, 0), waits(2, 1, 101, 0), waits(3, 1, 100, 0)};
    Room room = {.idle_nodes = 1, .most_nodes = 4};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 3,
                       .waiting = waiting,
                       .running_count = 1,
                       .running = running};
    ck_assert_int_eq(policy_backfill(&view).job, 2);
    waiting[0].request.nodes = 2;
    ck_assert_int_eq(policy_backfill(&view).job, POLICY_NONE);
    waiting[0].request.nodes = 3;
    view.waiting_count = 2;
    ck_assert_int_eq(policy_backfill(&view).job, POLICY_NONE);
}
END_TEST

START_TEST(backfill_counts_all_that_end_at_the_promised_time)
{
    // Both end at 200: 2 + 4 + 4 = 10, so 10 - 6 = 4 are left over for the job of 2.
    const RunningJob running[] = {runs(4, 200), runs(4, 200)};
    const WaitingJob waiting[] = {waits(1, 6, 50, 0), waits(2, 2, 500, 0)};
    Room room = {.idle_nodes = 2, .most_nodes = 10};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 2,
                       .waiting = waiting,
                       .running_count = 2,
                       .running = running};
    ck_assert_int_eq(policy_backfill(&view).job, 1);
}
END_TEST

START_TEST(backfill_expects_overdue_jobs_to_end_at_any_time)
{
    // The running job should have ended at 50, so the head of 5 may start at any time, with one
    // node to spare. A job of 2 nodes and 1 s would delay it.
    const RunningJob running[] = {runs(4, 50)};
    WaitingJob waiting[] = {waits(1, 5, 50, 0), waits(2, 2, 1, 0)};
    Room room = {.idle_nodes = 2, .most_nodes = 10};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 2,
                       .waiting = waiting,
                       .running_count = 1,
                       .running = running};
    ck_assert_int_eq(policy_backfill(&view).job, POLICY_NONE);
    // A head of 8 also needs nodes that do not exist yet; they may be ready at any time, too.
    waiting[0].request.nodes = 8;
    waiting[1].request.nodes = 1;
    ck_assert_int_eq(policy_backfill(&view).job, POLICY_NONE);
}
END_TEST

/* Two kinds of three nodes, of which one is idle. The first job needs three nodes of one kind; the
 * second one node, for a long time. */
static PolicyChoice choice_of_kinds(const Policy *policy, int64_t first_end_s, int64_t second_end_s)
{
    RunningJob running[] = {runs(2, first_end_s), runs(2, second_end_s)};
    running[0].request.kinds = 1 << 0;
    running[1].request.kinds = 1 << 1;
    if (second_end_s < first_end_s) { // by expected end
        const RunningJob later = running[0];
        running[0] = running[1];
        running[1] = later;
    }
    const WaitingJob waiting[] = {waits(1, 3, 50, 0), waits(2, 1, 500, 0)};
    const Room second = {.kind = 1, .idle_nodes = 1, .most_nodes = 3};
    const Room first = {.idle_nodes = 1, .most_nodes = 3, .next = &second};
    PolicyStep steps[2 * 5];
    int32_t indices[64];
    return policy->choose(&(PolicyView){.now_ns = 100 * NS_PER_S,
                                        .room = &first,
                                        .waiting_count = 2,
                                        .waiting = waiting,
                                        .running_count = 2,
                                        .running = running,
                                        .steps = steps,
                                        .indices = indices});
}

/* The second job may pass the first one on the other kind alone. */
START_TEST(a_reservation_is_on_the_kind_that_is_free_earlier)
{
    static const PolicyKind kinds[] = {POLICY_BACKFILL, POLICY_CONSERVATIVE};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const Policy *policy = policy_of(kinds[i]);
        PolicyChoice choice = choice_of_kinds(policy, 300, 200);
        ck_assert_int_eq(choice.job, 1);
        ck_assert_int_eq(choice.kinds, kind_set_of(0));
        choice = choice_of_kinds(policy, 200, 300);
        ck_assert_int_eq(choice.job, 1);
        ck_assert_int_eq(choice.kinds, kind_set_of(1));
        // The first kind, of equals.
        choice = choice_of_kinds(policy, 200, 200);
        ck_assert_int_eq(choice.job, 1);
        ck_assert_int_eq(choice.kinds, kind_set_of(1));
    }
}
END_TEST

START_TEST(shortest_takes_the_shortest_job_and_the_earlier_of_equals)
{
    const WaitingJob waiting[] = {waits(1, 1, 60, 0), waits(2, 3, 20, 0), waits(3, 1, 20, 0)};
    Room room = {.idle_nodes = 3};
    PolicyView view = {.room = &room, .waiting_count = 3, .waiting = waiting};
    ck_assert_int_eq(policy_shortest(&view).job, 1);
    room.idle_nodes = 2; // the first job does not fit, and no job overtakes it
    ck_assert_int_eq(policy_shortest(&view).job, POLICY_NONE);
    view.waiting_count = 0;
    ck_assert_int_eq(policy_shortest(&view).job, POLICY_NONE);
}
END_TEST

START_TEST(fair_share_takes_the_first_job_of_the_experiment_that_used_least)
{
    const int64_t used_node_us[] = {500, 200, 200};
    const WaitingJob waiting[] = {waits(1, 1, 60, 0), waits(2, 2, 60, 2), waits(3, 1, 60, 1),
                                  waits(4, 1, 10, 2)};
    Room room = {.idle_nodes = 2, .most_nodes = 10};
    PolicyView view = {
        .room = &room, .waiting_count = 4, .waiting = waiting, .used_node_us = used_node_us};
    ck_assert_int_eq(policy_fair_share(&view).job,
                     1); // 1 and 2 used the same node time, so the order of submission decides
    room.idle_nodes = 1;
    ck_assert_int_eq(policy_fair_share(&view).job, POLICY_NONE);
    view.waiting_count = 0;
    ck_assert_int_eq(policy_fair_share(&view).job, POLICY_NONE);
}
END_TEST

START_TEST(conservative_lets_a_job_pass_that_delays_no_job_before_it)
{
    // 10 nodes at t=100: 8 run until 200, 2 are idle. B needs 6 for 50 s and has its reservation
    // from 200 to 250, C as well from 250 to 300. D needs 4 for 50 s: with B, from 200 to 250. E
    // needs 2 for 150 s: at 200 none of the 10 nodes is left for it, so it does not start now. With
    // 100 s it ends at 200 and may. EASY reserves only for B, so E may delay D.
    const RunningJob running[] = {runs(8, 200)};
    WaitingJob waiting[] = {waits(1, 6, 50, 0), waits(2, 6, 50, 0), waits(3, 4, 50, 0),
                            waits(4, 2, 150, 0)};
    PolicyStep steps[8];
    int32_t indices[64];
    Room room = {.idle_nodes = 2, .most_nodes = 10};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 4,
                       .waiting = waiting,
                       .running_count = 1,
                       .running = running,
                       .steps = steps,
                       .indices = indices};
    ck_assert_int_eq(policy_conservative(&view).job, POLICY_NONE);
    waiting[3].expected_ns = 100 * NS_PER_S; // it ends at 200
    ck_assert_int_eq(policy_conservative(&view).job, 3);
    waiting[3].expected_ns = 150 * NS_PER_S;
    ck_assert_int_eq(policy_backfill(&view).job, 3);
    room.idle_nodes = 10;
    view.running_count = 0;
    ck_assert_int_eq(policy_conservative(&view).job, 0);
}
END_TEST

START_TEST(conservative_gives_idle_nodes_to_the_first_job_that_may_need_them)
{
    // 4 nodes at t=100: one idle, two run until 200, one is in preparation and may come at any
    // time. A job of 2 may start as soon as it does, so the idle node is kept for it. One of 4
    // cannot start before 200: a job of 100 s may pass, one of 101 s may not. An overdue job may
    // end at any time, as a preparation.
    RunningJob running[] = {runs(2, 200)};
    WaitingJob waiting[] = {waits(1, 2, 50, 0), waits(2, 1, 101, 0), waits(3, 1, 100, 0)};
    PolicyStep steps[5];
    int32_t indices[64];
    Room room = {.idle_nodes = 1, .most_nodes = 4};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 3,
                       .waiting = waiting,
                       .running_count = 1,
                       .running = running,
                       .steps = steps,
                       .indices = indices};
    ck_assert_int_eq(policy_conservative(&view).job, POLICY_NONE);
    waiting[0].request.nodes = 4;
    ck_assert_int_eq(policy_conservative(&view).job, 2);
    waiting[0].request.nodes = 5; // it can never start, and has no promise
    ck_assert_int_eq(policy_conservative(&view).job, 1);
    waiting[0].request.nodes = 4;
    running[0].expected_end_ns = 50 * NS_PER_S;
    ck_assert_int_eq(policy_conservative(&view).job, POLICY_NONE);
}
END_TEST

START_TEST(jobs_pass_one_that_needs_unusable_nodes)
{
    // 5 nodes at t=100: two are idle, two run until 200, one is unusable. Until it is repaired, the
    // first job cannot have 5 nodes: it has no reservation, and the second is the first, which
    // needs the nodes that run until 200. So one node for 100 s may pass, and for 101 s may not.
    // When the node is prepared again, it may come at any time, and the first job starts at 200.
    RunningJob running[] = {runs(2, 200)};
    WaitingJob waiting[] = {waits(1, 5, 50, 0), waits(2, 4, 50, 0), waits(3, 1, 101, 0),
                            waits(4, 1, 100, 0)};
    PolicyStep steps[8];
    int32_t indices[64];
    Room room = {.idle_nodes = 2, .unusable_nodes = 1, .most_nodes = 5};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 4,
                       .waiting = waiting,
                       .running_count = 1,
                       .running = running,
                       .steps = steps,
                       .indices = indices};
    ck_assert_int_eq(policy_backfill(&view).job, 3);
    ck_assert_int_eq(policy_backfill_first(&view), 1);
    ck_assert_int_eq(policy_conservative(&view).job, 3);
    waiting[1].request.nodes = 2; // it fits
    ck_assert_int_eq(policy_backfill(&view).job, 1);
    ck_assert_int_eq(policy_conservative(&view).job, 1);
    room.unusable_nodes = 0;
    ck_assert_int_eq(policy_backfill_first(&view), 0);
    ck_assert_int_eq(policy_backfill(&view).job, 1); // it ends before 200
    view.running_count = 0;                          // now the prepared node alone is missing
    room.idle_nodes = 4;
    ck_assert_int_eq(policy_backfill(&view).job, POLICY_NONE);
    ck_assert_int_eq(policy_conservative(&view).job, POLICY_NONE);
    room.unusable_nodes = 1;
    ck_assert_int_eq(policy_backfill(&view).job, 1);
    ck_assert_int_eq(policy_conservative(&view).job, 1);
    view.limit = (SlotLimit){.is_set = true, .most = 4, .left = 4}; // a limit of the queue is less
    waiting[0].request.nodes = 4;
    ck_assert_int_eq(policy_backfill(&view).job, 0);
}
END_TEST

START_TEST(srtf_gives_nodes_to_the_jobs_with_the_least_time_left)
{
    // 6 nodes at t=100, all in use: A has 2 for 10 s more, B 4 for 60 s more. C needs 2 for 30 s, D
    // 4 for 40 s, E 2 for 50 s. In order of time: A gets 2, C 2, D is skipped with 2 left, E gets
    // 2, and B gets none: it is stopped. Then C and E start in this order.
    const RunningJob running[] = {runs(2, 110), runs(4, 160)};
    WaitingJob waiting[] = {waits(1, 2, 30, 0), waits(2, 4, 40, 0), waits(3, 2, 50, 0),
                            waits(4, 4, 67, 0)};
    Room room = {.most_nodes = 6};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 3,
                       .waiting = waiting,
                       .running_count = 2,
                       .running = running};
    ck_assert_int_eq(policy_srtf(&view).job, POLICY_NONE); // none fits yet
    ck_assert_int_eq(policy_srtf_victim(&view), 1);
    view.waiting_count = 4; // with B, and the cost of preemption
    view.running_count = 1;
    room.idle_nodes = 4;
    ck_assert_int_eq(policy_srtf_victim(&view), POLICY_NONE);
    ck_assert_int_eq(policy_srtf(&view).job, 0);
    view.waiting = waiting + 1;
    view.waiting_count = 3;
    room.idle_nodes = 2; // C has started: D does not fit, E does
    const RunningJob with_c[] = {runs(2, 110), runs(2, 130)};
    view.running = with_c;
    view.running_count = 2;
    ck_assert_int_eq(policy_srtf(&view).job, 1);
}
END_TEST

START_TEST(srtf_stops_no_job_for_one_with_as_much_time_left)
{
    const RunningJob running[] = {runs(2, 110)};
    const WaitingJob waiting[] = {waits(1, 2, 10, 0)};
    const Room room = {.idle_nodes = 0};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 1,
                       .waiting = waiting,
                       .running_count = 1,
                       .running = running};
    ck_assert_int_eq(policy_srtf_victim(&view), POLICY_NONE);
    view.now_ns -= 1; // now it has a nanosecond more
    ck_assert_int_eq(policy_srtf_victim(&view), 0);
}
END_TEST

/* A running job of one node. */
static RunningJob runs_with(uint32_t job, int32_t priority, int64_t started_s)
{
    RunningJob running = runs(1, 1000);
    running.job.index = job;
    running.priority = priority;
    running.started_ns = started_s * NS_PER_S;
    return running;
}

START_TEST(the_newest_job_of_lower_priority_is_stopped_first)
{
    // The head needs 2 nodes, and one is idle. Jobs 1, 3 and 4 have lower priority; 3 and 4 are the
    // newest of them, and 4 is the later one. Job 2 is newer, but as urgent as the head.
    const RunningJob running[] = {runs_with(1, 0, 10), runs_with(2, 5, 40), runs_with(3, 4, 30),
                                  runs_with(4, 0, 30)};
    WaitingJob waiting[] = {waits(9, 2, 50, 0)};
    waiting[0].priority = 5;
    Room room = {.idle_nodes = 1};
    PolicyView view = {.now_ns = 100 * NS_PER_S,
                       .room = &room,
                       .waiting_count = 1,
                       .waiting = waiting,
                       .running_count = 4,
                       .running = running};
    ck_assert_int_eq(policy_priority_victim(&view), 3);
    waiting[0].request.nodes = 1; // it fits
    ck_assert_int_eq(policy_priority_victim(&view), POLICY_NONE);
    waiting[0].request.nodes = 4; // the idle node and all three
    ck_assert_int_eq(policy_priority_victim(&view), 3);
    waiting[0].request.nodes = 5; // they are not enough
    ck_assert_int_eq(policy_priority_victim(&view), POLICY_NONE);
}
END_TEST

/* --- At random: no policy names a job that does not fit --- */

static int32_t roll(uint64_t seed, uint64_t *draw, int32_t sides)
{
    return (int32_t)(rng_word(seed, RNG_IDENTITY, 77, (*draw)++) >> 33) % sides;
}

START_TEST(no_policy_names_a_job_that_does_not_fit)
{
    enum { SEEDS = 3000, JOBS = 12 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t draw = 0;
        WaitingJob waiting[JOBS];
        RunningJob running[JOBS];
        PolicyStep steps[2 * JOBS + 1];
        int32_t indices[64];
        int64_t used_node_us[3], end_s = 0;
        for (int32_t i = 0; i < 3; i++)
            used_node_us[i] = roll(seed, &draw, 4);
        for (int32_t i = 0; i < JOBS; i++) {
            int32_t nodes = 1 + roll(seed, &draw, 8);
            int64_t expected_s = roll(seed, &draw, 100);
            waiting[i] = waits((uint32_t)i, nodes, expected_s, (uint32_t)roll(seed, &draw, 3));
            nodes = 1 + roll(seed, &draw, 4);
            running[i] = runs(nodes, end_s += roll(seed, &draw, 20));
        }
        Room room = {.idle_nodes = roll(seed, &draw, 9), .most_nodes = roll(seed, &draw, 9)};
        PolicyView view = {.now_ns = roll(seed, &draw, 60) * NS_PER_S,
                           .room = &room,
                           .waiting_count = roll(seed, &draw, JOBS + 1),
                           .waiting = waiting,
                           .running_count = roll(seed, &draw, JOBS + 1),
                           .running = running,
                           .used_node_us = used_node_us,
                           .steps = steps,
                           .indices = indices};
        for (PolicyKind kind = 0; kind < POLICY_COUNT; kind++) {
            int32_t chosen = policy_of(kind)->choose(&view).job;
            bool fits = chosen == POLICY_NONE || (chosen < view.waiting_count && chosen >= 0 &&
                                                  waiting[chosen].request.nodes <= room.idle_nodes);
            ck_assert_msg(fits, "seed %d, policy %s", (int)seed, policy_of(kind)->name);
            if (policy_of(kind)->victim == NULL)
                continue;
            const int32_t victim = policy_of(kind)->victim(&view);
            ck_assert(victim == POLICY_NONE || (victim >= 0 && victim < view.running_count));
        }
    }
}
END_TEST

/* --- In worlds --- */

/* A job on `nodes` nodes that takes `seconds` in all, one of them on the host, and states this
 * duration. */
static void add_job(const char *name, int64_t at_s, int32_t nodes, int64_t program_s)
{
    JobSpec *spec = plain_job(arena, nodes, plain_fixed_program(arena, program_s * NS_PER_S, 0));
    spec->expected_ns = (program_s + 1) * NS_PER_S;
    commands_create_job(&list, name, at_s * NS_PER_S, "c", spec);
}

static World *run(PolicyKind policy)
{
    Scenario *scenario = scenario_of(&list, 1);
    scenario->policy = policy;
    recording.count = 0;
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
    return world;
}

/* When the n-th job started, in seconds after the cluster of 4 nodes was ready (230 s). */
static int64_t started_s(const World *world, uint32_t job)
{
    return world_job(world, (JobId){job})->started_ns / NS_PER_S - 230;
}

/* On four nodes, all waiting when they come: A takes 3 for 100 s in all, B 4 for 50 s, C 1 for 90
 * s, D 1 for 200 s. */
static void four_jobs(void)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 4));
    add_job("a", 10, 3, 99);
    add_job("b", 11, 4, 49);
    add_job("c", 12, 1, 89);
    add_job("d", 13, 1, 199);
}

START_TEST(in_the_services_order_a_blocked_gang_keeps_nodes_idle)
{
    // A 0-100, B 100-150, then C and D at 150.
    four_jobs();
    const World *world = run(POLICY_SERVICE);
    const int64_t expected_s[] = {0, 100, 150, 150};
    for (uint32_t job = 0; job < 4; job++)
        ck_assert_int_eq(started_s(world, job), expected_s[job]);
}
END_TEST

START_TEST(backfill_fills_the_idle_node_and_keeps_its_promise)
{
    // A 0-100. B's reservation is at 100. C ends at 90 and may pass; D would end at 200 and waits.
    four_jobs();
    const World *world = run(POLICY_BACKFILL);
    const int64_t expected_s[] = {0, 100, 0, 150};
    for (uint32_t job = 0; job < 4; job++)
        ck_assert_int_eq(started_s(world, job), expected_s[job]);
}
END_TEST

START_TEST(shortest_first_reorders_the_queue)
{
    // B 0-50 alone; then C (90) and A (100) at 50; D (200) when C's node comes free at 140.
    four_jobs();
    const World *world = run(POLICY_SHORTEST);
    const int64_t expected_s[] = {50, 0, 50, 140};
    for (uint32_t job = 0; job < 4; job++)
        ck_assert_int_eq(started_s(world, job), expected_s[job]);
}
END_TEST

START_TEST(fair_share_lets_experiments_take_turns)
{
    // One node; e submits three jobs of 100 s, then f two. At 0 neither has used any time, so e is
    // first by submission. At 100 e has used 100 s and f nothing: f. At 200 both have used 100 s:
    // e, submitted first. At 300 e has used 200 s: f.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_add(&list, COMMAND_EXPERIMENT_CREATE, "f", 0);
    static const char *const names[] = {"e1", "e2", "e3", "f1", "f2"};
    for (int32_t j = 0; j < 5; j++) {
        add_job(names[j], 10 + j, 1, 99);
        if (j >= 3)
            list.items[list.count - 1].path.experiment = "f";
    }
    const World *world = run(POLICY_FAIR_SHARE);
    const int64_t expected_s[] = {0, 200, 400, 100, 300};
    for (uint32_t job = 0; job < 5; job++)
        ck_assert_int_eq(started_s(world, job), expected_s[job]);
}
END_TEST

START_TEST(with_a_half_life_old_use_counts_less)
{
    // One node, jobs of 400 s (e) and 200 s (f), then one of each. At 600 e has used 400 s and f
    // 200 s, so f is next. With a half-life of 100 s, e's use at 400 is 100 / ln 2 * (1 - 1/16) =
    // 135 s and at 600 a quarter of it, 34 s; f's is 100 / ln 2 * (1 - 1/4) = 108 s: e is next.
    for (int32_t decays = 0; decays <= 1; decays++) {
        list = commands_begin(arena);
        commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
        commands_add(&list, COMMAND_EXPERIMENT_CREATE, "f", 0);
        static const char *const names[] = {"e1", "f1", "e2", "f2"};
        for (int32_t j = 0; j < 4; j++) {
            add_job(names[j], 10 + j, 1, j == 0 ? 399 : 199);
            if (names[j][0] == 'f')
                list.items[list.count - 1].path.experiment = "f";
        }
        Scenario *scenario = scenario_of(&list, 1);
        scenario->policy = POLICY_FAIR_SHARE;
        scenario->fair_share_half_life_ns = decays ? 100 * NS_PER_S : 0;
        World *world = world_create(arena, scenario, (TraceSink){0});
        world_check_always(world);
        world_run(world);
        ck_assert_int_eq(started_s(world, 0), 0);
        ck_assert_int_eq(started_s(world, 1), 400);
        ck_assert_int_eq(started_s(world, 2), decays ? 600 : 800);
        ck_assert_int_eq(started_s(world, 3), decays ? 800 : 600);
    }
}
END_TEST

START_TEST(every_policy_keeps_every_invariant_in_random_worlds)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        Arena *own = arena_create();
        Scenario *scenario = random_scenario(own, seed);
        for (PolicyKind policy = 0; policy < POLICY_COUNT; policy++) {
            Recording records = recording_create(own);
            scenario->policy = policy;
            scenario->fair_share_half_life_ns = seed % 2 == 0 ? NS_PER_HOUR : 0;
            scenario->preemption_cost = (PreemptionCost){NS_PER_S, NS_PER_MIN, NS_PER_HOUR};
            World *world = world_create(own, scenario, recording_sink(&records, TRACE_LEVEL_JOBS));
            world_check_always(world);
            world_run(world);
        }
        arena_destroy(own);
    }
}
END_TEST

/* Jobs that state their exact durations, on a cluster that does not change, without those submitted
 * after `last_s`. */
static Scenario *exact_scenario(Arena *own, uint64_t seed, int64_t last_s)
{
    uint64_t draw = 0;
    CommandList commands = commands_begin(own);
    commands_create_cluster(&commands, "c", 0, plain_cluster(own, 6));
    for (int32_t j = 0; j < 25; j++) {
        int32_t nodes = 1 + roll(seed, &draw, 6);
        int64_t program_s = 1 + roll(seed, &draw, 300);
        JobSpec *spec = plain_job(own, nodes, plain_fixed_program(own, program_s * NS_PER_S, 0));
        spec->expected_ns = (program_s + 1) * NS_PER_S;
        const int64_t at_s = 230 + roll(seed, &draw, 1200);
        if (at_s <= last_s)
            commands_create_job(&commands, arena_printf(own, "j%d", (int)j), at_s * NS_PER_S, "c",
                                spec);
    }
    return scenario_of(&commands, seed);
}

static JobId first_waiting(const World *world)
{
    for (uint32_t j = 0; j < world_job_count(world); j++)
        if (world_job(world, (JobId){j})->is_waiting)
            return (JobId){j};
    return (JobId){ID_NONE};
}

/* The nodes of running jobs whose stated end is `end_ns`. */
static int32_t nodes_ending(const World *world, int64_t end_ns)
{
    int32_t nodes = 0;
    for (uint32_t j = 0; j < world_job_count(world); j++) {
        const Job *job = world_job(world, (JobId){j});
        if (job->state == JOB_RUNNING && job->started_ns + job->spec->expected_ns == end_ns)
            nodes += job->request.nodes;
    }
    return nodes;
}

/* When `job` starts if no other job starts before it: as soon as running jobs have freed enough
 * nodes. */
static int64_t start_without_overtaking_ns(const World *world, JobId job)
{
    int32_t free_nodes = world_cluster(world, (ClusterId){0})->node_count[NODE_IDLE];
    int64_t at_ns = world_now_ns(world);
    while (free_nodes < world_job(world, job)->request.nodes) {
        at_ns += NS_PER_S; // all jobs end on whole seconds
        free_nodes += nodes_ending(world, at_ns);
    }
    return at_ns;
}

START_TEST(backfill_with_exact_durations_never_delays_the_first_job)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Arena *own = arena_create();
        Scenario *scenario = exact_scenario(own, seed, INT64_MAX);
        scenario->policy = POLICY_BACKFILL;
        World *world = world_create(own, scenario, (TraceSink){0});
        JobId first = {ID_NONE};
        int64_t at_latest_ns = 0;
        while (world_next_event_ns(world) != INT64_MAX) {
            world_advance(world, world_next_event_ns(world));
            if (first.index != ID_NONE && world_job(world, first)->state != JOB_QUEUED) {
                ck_assert_msg(world_job(world, first)->started_ns <= at_latest_ns,
                              "seed %d, job %d", (int)seed, (int)first.index);
                first.index = ID_NONE;
            }
            if (first.index == ID_NONE && first_waiting(world).index != ID_NONE) {
                first = first_waiting(world);
                at_latest_ns = start_without_overtaking_ns(world, first);
            }
        }
        ck_assert_uint_eq(first.index, ID_NONE);
        arena_destroy(own);
    }
}
END_TEST

static World *run_conservative(Arena *own, uint64_t seed, int64_t last_s)
{
    Scenario *scenario = exact_scenario(own, seed, last_s);
    scenario->policy = POLICY_CONSERVATIVE;
    World *world = world_create(own, scenario, (TraceSink){0});
    world_run(world);
    return world;
}

START_TEST(conservative_with_exact_durations_lets_no_job_delay_an_earlier_one)
{
    // Without the later jobs each job starts at the same time.
    int32_t overtakes = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        Arena *own = arena_create();
        const World *all = run_conservative(own, seed, INT64_MAX);
        for (int64_t last_s = 400; last_s <= 1200; last_s += 400) {
            const World *early = run_conservative(own, seed, last_s);
            for (uint32_t j = 0; j < world_job_count(early); j++)
                ck_assert_msg(world_job(early, (JobId){j})->started_ns ==
                                  world_job(all, (JobId){j})->started_ns,
                              "seed %d, job %d of those until %d s", (int)seed, (int)j,
                              (int)last_s);
        }
        for (uint32_t j = 1; j < world_job_count(all); j++)
            overtakes +=
                world_job(all, (JobId){j})->started_ns < world_job(all, (JobId){j - 1})->started_ns;
        arena_destroy(own);
    }
    ck_assert_int_gt(overtakes, 100);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("policy");
    TCase *paper = tcase_create("paper");
    tcase_add_test(paper, names_and_information_needs_match_the_table);
    tcase_add_test(paper, the_service_starts_the_first_job_or_none);
    tcase_add_test(paper, backfill_lets_a_job_pass_that_ends_before_the_reservation);
    tcase_add_test(paper, backfill_lets_a_job_pass_that_needs_only_spare_nodes);
    tcase_add_test(paper, backfill_lets_all_jobs_pass_one_that_can_never_fit);
    tcase_add_test(paper, backfill_counts_future_nodes_for_the_reservation_but_never_as_spare);
    tcase_add_test(paper, backfill_counts_all_that_end_at_the_promised_time);
    tcase_add_test(paper, backfill_expects_overdue_jobs_to_end_at_any_time);
    tcase_add_test(paper, a_reservation_is_on_the_kind_that_is_free_earlier);
    tcase_add_test(paper, shortest_takes_the_shortest_job_and_the_earlier_of_equals);
    tcase_add_test(paper, fair_share_takes_the_first_job_of_the_experiment_that_used_least);
    tcase_add_test(paper, conservative_lets_a_job_pass_that_delays_no_job_before_it);
    tcase_add_test(paper, conservative_gives_idle_nodes_to_the_first_job_that_may_need_them);
    tcase_add_test(paper, jobs_pass_one_that_needs_unusable_nodes);
    tcase_add_test(paper, srtf_gives_nodes_to_the_jobs_with_the_least_time_left);
    tcase_add_test(paper, srtf_stops_no_job_for_one_with_as_much_time_left);
    tcase_add_test(paper, the_newest_job_of_lower_priority_is_stopped_first);
    tcase_add_test(paper, no_policy_names_a_job_that_does_not_fit);
    suite_add_tcase(suite, paper);
    TCase *worlds = tcase_create("worlds");
    tcase_add_checked_fixture(worlds, begin, end);
    tcase_add_test(worlds, in_the_services_order_a_blocked_gang_keeps_nodes_idle);
    tcase_add_test(worlds, backfill_fills_the_idle_node_and_keeps_its_promise);
    tcase_add_test(worlds, shortest_first_reorders_the_queue);
    tcase_add_test(worlds, fair_share_lets_experiments_take_turns);
    tcase_add_test(worlds, with_a_half_life_old_use_counts_less);
    tcase_add_test(worlds, every_policy_keeps_every_invariant_in_random_worlds);
    tcase_add_test(worlds, backfill_with_exact_durations_never_delays_the_first_job);
    tcase_add_test(worlds, conservative_with_exact_durations_lets_no_job_delay_an_earlier_one);
    suite_add_tcase(suite, worlds);
    return suite;
}

/* Which jobs share a wire, and the rate that each gets. */
#include "sim/base/units.h"
#include "sim/cloud/job/exchange.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

#define MB INT64_C(1000000)

static Arena *arena;
static CommandList list;

static void begin(void)
{
    arena = arena_create();
    list = commands_begin(arena);
}

static void end(void)
{
    arena_destroy(arena);
}

/* A cluster of `nodes`, two in a rack, whose uplink carries 100 MB/s. Steps are not simulated one
 * by one, so the wires carry only the exchanges that a test starts. */
static World *racks_of_two(int32_t nodes, const int32_t *jobs, int32_t job_count)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, nodes));
    for (int32_t j = 0; j < job_count; j++)
        commands_create_job(&list, arena_printf(arena, "j%d", (int)j), 0, "c",
                            plain_job(arena, jobs[j], plain_training_program(arena)));
    Scenario *scenario = scenario_of(&list, 1);
    scenario->fidelity = FIDELITY_JOB;
    scenario->network = (NetworkTopology){.nodes_per_rack = 2, .uplink_bytes_per_s = 100 * MB};
    World *world = world_create(arena, scenario, (TraceSink){0});
    world_check_always(world);
    return world;
}

/* Runs the world until all jobs train. */
static void let_them_train(World *world)
{
    for (uint32_t j = 0; j < world_job_count(world) || j == 0; j++)
        while (world_job_count(world) <= j || !job_is_training(world_job(world, (JobId){j})))
            world_advance(world, world_next_event_ns(world));
}

START_TEST(a_job_inside_one_rack_shares_no_wire)
{
    World *world = racks_of_two(6, (int32_t[]){2, 1, 3}, 3);
    ck_assert(!exchange_is_shared(world->jobs,
                                  &(Job){.spec = plain_job(arena, 3, NULL)})); // no nodes yet
    let_them_train(world);
    ck_assert(!exchange_is_shared(world->jobs, world_job(world, (JobId){0}))); // places 0 and 1
    ck_assert(!exchange_is_shared(world->jobs, world_job(world, (JobId){1}))); // 2
    ck_assert(exchange_is_shared(world->jobs, world_job(world, (JobId){2})));  // 3, 4, 5
    world_run(world);
}
END_TEST

START_TEST(without_racks_no_wire_is_shared)
{
    World *world = racks_of_two(4, (int32_t[]){4}, 1);
    ((Scenario *)world_scenario(world))->network = (NetworkTopology){0};
    let_them_train(world);
    ck_assert(!exchange_is_shared(world->jobs, world_job(world, (JobId){0})));
}
END_TEST

START_TEST(a_job_gets_its_part_of_the_tightest_uplink)
{
    // Own wires: 125 MB/s at 95 %. j0 on racks 0 and 1, j1 on 1 and 2, j2 on 3 and 4: the first two
    // share rack 1, the third has all of its racks.
    World *world = racks_of_two(10, (int32_t[]){3, 3, 4}, 3);
    let_them_train(world);
    ck_assert_int_eq(exchange_rate_bytes_per_s(world->jobs, world_job(world, (JobId){0})), 50 * MB);
    ck_assert_int_eq(exchange_rate_bytes_per_s(world->jobs, world_job(world, (JobId){1})), 50 * MB);
    ck_assert_int_eq(exchange_rate_bytes_per_s(world->jobs, world_job(world, (JobId){2})),
                     100 * MB);
}
END_TEST

START_TEST(own_wires_may_be_slower_than_the_uplink)
{
    World *world = racks_of_two(4, (int32_t[]){4}, 1);
    ((Scenario *)world_scenario(world))->network.uplink_bytes_per_s = 1000 * MB;
    let_them_train(world);
    ck_assert_int_eq(exchange_rate_bytes_per_s(world->jobs, world_job(world, (JobId){0})),
                     125 * MB * 95 / 100);
}
END_TEST

START_TEST(an_exchange_ends_when_its_bytes_are_across_and_can_be_taken_back)
{
    World *world = racks_of_two(6, (int32_t[]){3, 3}, 2);
    let_them_train(world);
    Job *first = job_row(world->jobs, (JobId){0});
    Job *second = job_row(world->jobs, (JobId){1});
    int64_t now_ns = world_now_ns(world), ended_ns;
    exchange_begin(world->jobs, first, 1000, 100 * MB); // 10 us: nothing else happens so soon
    ck_assert_int_eq(world_next_event_ns(world), now_ns + 10000);
    exchange_begin(world->jobs, second, 1000, 100 * MB);
    world_advance(world, now_ns + 10000); // at 50 MB/s half of it is across
    exchanges_check(world->jobs);
    exchange_cancel(world->jobs, second);
    exchange_cancel(world->jobs, second); // nothing left to take back
    ck_assert_int_eq(world_next_event_ns(world), now_ns + 15000);
    exchange_cancel(world->jobs, first);
    world_run(world);
    ended_ns = first->ended_ns;
    ck_assert_int_eq(first->state, JOB_SUCCEEDED);
    ck_assert_int_eq(second->state, JOB_SUCCEEDED);
    ck_assert_int_gt(ended_ns, now_ns);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("network");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_job_inside_one_rack_shares_no_wire);
    tcase_add_test(tests, without_racks_no_wire_is_shared);
    tcase_add_test(tests, a_job_gets_its_part_of_the_tightest_uplink);
    tcase_add_test(tests, own_wires_may_be_slower_than_the_uplink);
    tcase_add_test(tests, an_exchange_ends_when_its_bytes_are_across_and_can_be_taken_back);
    suite_add_tcase(suite, tests);
    return suite;
}

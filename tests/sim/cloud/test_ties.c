/* Events of one instant: the order of their phases, and that nothing else about their order
 * matters (Scenario.shuffle_seed). */
#include <string.h>

#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

/* Three nodes that are prepared at the same time, because durations are constant. */
static Scenario *three_nodes(Arena *arena, uint64_t shuffle_seed)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    Scenario *scenario = scenario_of(&list, 1);
    scenario->shuffle_seed = shuffle_seed;
    return scenario;
}

/* The order in which the nodes became idle, as digits. */
static int order_of_preparation(uint64_t shuffle_seed)
{
    Arena *arena = arena_create();
    Recording told = recording_create(arena);
    World *world = world_create(arena, three_nodes(arena, shuffle_seed),
                                recording_sink(&told, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
    int order = 0;
    for (int32_t n = 0; n < 3; n++) {
        const TraceRecord *idle = recording_find(&told, TRACE_NODE_STATE, "idle", n);
        ck_assert_int_eq(idle->at_ns, recording_find(&told, TRACE_NODE_STATE, "idle", 0)->at_ns);
        order = 10 * order + (int)idle->node.index;
    }
    arena_destroy(arena);
    return order;
}

START_TEST(without_a_shuffle_the_first_pushed_is_the_first)
{
    ck_assert_int_eq(order_of_preparation(0), 12); // nodes 0, 1, 2
}
END_TEST

/* 600 seeds: each of the 6 orders is expected 100 times, with a standard deviation of 9. */
START_TEST(a_shuffle_gives_every_order_about_equally_often)
{
    int seen[222] = {0};
    for (uint64_t seed = 1; seed <= 600; seed++)
        seen[order_of_preparation(seed)]++;
    const int orders[] = {12, 21, 102, 120, 201, 210};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        ck_assert_msg(seen[orders[i]] > 60 && seen[orders[i]] < 140, "%03d: %d times", orders[i],
                      seen[orders[i]]);
}
END_TEST

START_TEST(commands_of_one_time_keep_their_order)
{
    for (uint64_t seed = 0; seed <= 50; seed++) {
        Arena *arena = arena_create();
        Recording told = recording_create(arena);
        CommandList list = commands_begin(arena);
        commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
        for (int j = 0; j < 6; j++)
            commands_create_job(&list, arena_printf(arena, "j%d", j), NS_PER_MIN, "c",
                                plain_job(arena, 1, plain_fixed_program(arena, NS_PER_MIN, 0)));
        Scenario *scenario = scenario_of(&list, 1);
        scenario->shuffle_seed = seed;
        World *world = world_create(arena, scenario, recording_sink(&told, TRACE_LEVEL_JOBS));
        world_check_always(world);
        world_run(world);
        for (int32_t i = 0; i < scenario->command_count; i++)
            ck_assert_int_eq(
                recording_find(&told, TRACE_COMMAND_APPLIED, NULL, i)->command_applied.ordinal, i);
        for (uint32_t j = 1; j < world_job_count(world); j++)
            ck_assert_int_gt(world_job(world, (JobId){j})->started_ns,
                             world_job(world, (JobId){j - 1})->started_ns);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(the_same_shuffle_gives_the_same_records)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        Arena *arena = arena_create();
        uint64_t hash[2];
        for (int i = 0; i < 2; i++) {
            Recording told = recording_create(arena);
            Scenario *scenario = random_scenario(arena, seed);
            scenario->shuffle_seed = seed;
            world_run(world_create(arena, scenario, recording_sink(&told, TRACE_LEVEL_STEPS)));
            hash[i] = recording_hash(&told);
        }
        ck_assert_msg(hash[0] == hash[1], "seed %d", (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

/* --- Outcomes do not depend on the order --- */

/* How and when a job ended: the part of a run that its owner sees. */
static uint64_t outcome(const World *world)
{
    uint64_t hash = HASH_START;
    for (uint32_t j = 0; j < world_job_count(world); j++) {
        const Job *job = world_job(world, (JobId){j});
        const int64_t facts[] = {(int64_t)job->state, job->exit_code, job->starts, job->started_ns,
                                 job->ended_ns};
        hash = bytes_hash(hash, facts, sizeof facts);
    }
    int64_t held_ns = 0;
    for (uint32_t n = 0; n < world_node_count(world); n++) {
        const Node *node = world_node(world, (NodeId){n});
        held_ns += (node->released_ns == INT64_MAX ? world_now_ns(world) : node->released_ns) -
                   node->allocated_ns;
    }
    const int64_t whole[] = {held_ns, world_now_ns(world)};
    return bytes_hash(hash, whole, sizeof whole);
}

/* On links of `link_bytes_per_s`; 0: those of the scenario. */
static uint64_t outcome_of(Arena *arena, uint64_t seed, uint64_t shuffle_seed,
                           int64_t link_bytes_per_s)
{
    Scenario *scenario = random_scenario(arena, seed);
    if (link_bytes_per_s > 0)
        narrow_links(arena, scenario, link_bytes_per_s);
    scenario->shuffle_seed = shuffle_seed;
    World *world = world_create(arena, scenario, (TraceSink){0});
    world_check_always(world);
    world_run(world);
    return outcome(world);
}

START_TEST(outcomes_do_not_depend_on_the_order_of_ties)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Arena *arena = arena_create();
        // Of two readers 45 MB/s limit, of three the share of 100.
        const int64_t link_bytes_per_s = seed % 2 == 0 ? 45000000 : 0;
        uint64_t plain = outcome_of(arena, seed, 0, link_bytes_per_s);
        for (uint64_t shuffle = 1; shuffle <= 3; shuffle++)
            ck_assert_msg(outcome_of(arena, seed, shuffle, link_bytes_per_s) == plain,
                          "seed %d, shuffle %d", (int)seed, (int)shuffle);
        arena_destroy(arena);
    }
}
END_TEST

/* --- The end of an instant --- */

typedef struct {
    int64_t record_ns, instant_ns;
    int32_t instants;
    bool is_late; /* a record arrived for an instant that had ended */
} Instants;

static void hear_record(void *listener, const TraceRecord *record)
{
    Instants *instants = listener;
    instants->is_late |= record->at_ns == instants->instant_ns && record->kind != TRACE_RUN_ENDED &&
                         record->kind != TRACE_NODE_BILLED && record->kind != TRACE_COMMAND_SKIPPED;
    instants->record_ns = record->at_ns;
}

static void hear_instant(void *listener, int64_t at_ns)
{
    Instants *instants = listener;
    ck_assert_int_gt(at_ns, instants->instant_ns);
    instants->instant_ns = at_ns;
    instants->instants++;
}

/* Every instant with a record ends, and no record for it follows its end. */
START_TEST(every_instant_ends_once_after_all_that_happens_in_it)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Arena *arena = arena_create();
        Recording told = recording_create(arena);
        Scenario *scenario = random_scenario(arena, seed);
        world_run(world_create(arena, scenario, recording_sink(&told, TRACE_LEVEL_STEPS)));
        Instants instants = {.record_ns = -1, .instant_ns = -1};
        World *world = world_create(arena, scenario,
                                    (TraceSink){.listener = &instants,
                                                .level = TRACE_LEVEL_STEPS,
                                                .record = hear_record,
                                                .instant = hear_instant});
        world_run(world);
        int32_t times = 0;
        for (int32_t i = 0; i < told.count; i++)
            times += (i == 0 || told.items[i].at_ns > told.items[i - 1].at_ns) &&
                     told.items[i].at_ns < world_now_ns(world);
        ck_assert_msg(!instants.is_late, "seed %d", (int)seed);
        ck_assert_msg(instants.instants >= times, "seed %d: %d of %d", (int)seed,
                      (int)instants.instants, (int)times);
        arena_destroy(arena);
    }
}
END_TEST

static Scenario *timed_job(Arena *arena, int64_t max_wall_clock_ns)
{
    CommandList list = commands_begin(arena);
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, NS_PER_HOUR, 0));
    spec->max_wall_clock_ns = max_wall_clock_ns;
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", spec);
    return scenario_of(&list, 1);
}

static void seek_instant(void *listener, int64_t at_ns)
{
    int64_t *sought_ns = listener;
    if (at_ns == *sought_ns)
        *sought_ns = INT64_MAX; // found
}

/* A job ends exactly at its time limit. Its end is processed first, and the timer after it is
 * stale. */
START_TEST(an_instant_ends_also_when_its_last_event_is_stale)
{
    Arena *arena = arena_create();
    World *free_world = world_create(arena, timed_job(arena, NS_PER_DAY), (TraceSink){0});
    world_run(free_world);
    const Job *job = world_job(free_world, (JobId){0});
    int64_t sought_ns = job->ended_ns;
    World *world = world_create(arena, timed_job(arena, job->ended_ns - job->started_ns),
                                (TraceSink){.listener = &sought_ns, .instant = seek_instant});
    world_run(world);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_SUCCEEDED);
    ck_assert_int_eq(sought_ns, INT64_MAX);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ties");
    TCase *tests = tcase_create("ties");
    tcase_add_test(tests, without_a_shuffle_the_first_pushed_is_the_first);
    tcase_add_test(tests, a_shuffle_gives_every_order_about_equally_often);
    tcase_add_test(tests, commands_of_one_time_keep_their_order);
    tcase_add_test(tests, the_same_shuffle_gives_the_same_records);
    tcase_add_test(tests, outcomes_do_not_depend_on_the_order_of_ties);
    tcase_add_test(tests, every_instant_ends_once_after_all_that_happens_in_it);
    tcase_add_test(tests, an_instant_ends_also_when_its_last_event_is_stale);
    suite_add_tcase(suite, tests);
    return suite;
}

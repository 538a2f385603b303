/* Properties of any world, over many random scenarios; the seed that fails is printed. */
#include <string.h>

#include "sim/base/units.h"
#include "sim/core/rng.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

enum { SEEDS = 300 };

static uint64_t run_whole(Arena *arena, uint64_t seed, Recording *recording)
{
    World *world = world_create(arena, random_scenario(arena, seed),
                                recording_sink(recording, TRACE_LEVEL_STEPS));
    world_check_always(world);
    world_run(world);
    return recording_hash(recording);
}

START_TEST(every_invariant_holds_after_every_event_and_time_never_goes_back)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Arena *arena = arena_create();
        Recording recording = recording_create(arena);
        run_whole(arena, seed, &recording);
        int64_t before_ns = 0;
        for (int32_t i = 0; i < recording.count; i++) {
            const TraceRecord *record = &recording.items[i];
            ck_assert_msg(record->at_ns >= before_ns && record->since_ns <= record->at_ns,
                          "seed %d, record %d", (int)seed, (int)i);
            before_ns = record->at_ns;
        }
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(the_same_seed_gives_the_same_records)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Arena *arena = arena_create();
        Recording first = recording_create(arena), second = recording_create(arena);
        ck_assert_msg(run_whole(arena, seed, &first) == run_whole(arena, seed, &second), "seed %d",
                      (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

/* Without what world_run tells at the end of a run, at a time of its own. */
static uint64_t hash_of_life(Recording recording)
{
    for (;; recording.count--) {
        const TraceRecord *last = &recording.items[recording.count - 1];
        bool is_held = last->kind == TRACE_NODE_BILLED && strcmp(last->name, "held") == 0;
        if (last->kind != TRACE_RUN_ENDED && last->kind != TRACE_COMMAND_SKIPPED && !is_held)
            return recording_hash(&recording);
    }
}

START_TEST(a_world_advanced_in_slices_tells_the_same_as_one_that_runs)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Arena *arena = arena_create();
        Recording whole = recording_create(arena), sliced = recording_create(arena);
        Scenario *scenario = random_scenario(arena, seed);
        scenario->until_ns = 2 * NS_PER_HOUR;
        world_run(world_create(arena, scenario, recording_sink(&whole, TRACE_LEVEL_STEPS)));
        World *world = world_create(arena, scenario, recording_sink(&sliced, TRACE_LEVEL_STEPS));
        for (uint64_t slice = 0; world_now_ns(world) < scenario->until_ns; slice++) {
            int64_t step_ns =
                (int64_t)(rng_word(seed, RNG_IDENTITY, 0, slice) % (uint64_t)(10 * NS_PER_MIN));
            int64_t until_ns = world_now_ns(world) + step_ns;
            world_advance(world, until_ns < scenario->until_ns ? until_ns : scenario->until_ns);
            ck_assert_int_gt(world_next_event_ns(world), world_now_ns(world));
        }
        ck_assert_msg(hash_of_life(whole) == hash_of_life(sliced), "seed %d", (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(node_time_billed_is_node_time_held)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Arena *arena = arena_create();
        Recording recording = recording_create(arena);
        World *world = world_create(arena, random_scenario(arena, seed),
                                    recording_sink(&recording, TRACE_LEVEL_JOBS));
        world_run(world);
        int64_t held_ns = 0, billed_ns = 0, in_states_ns = 0;
        for (uint32_t n = 0; n < world_node_count(world); n++) {
            const Node *node = world_node(world, (NodeId){n});
            int64_t end_ns =
                node->released_ns == INT64_MAX ? world_now_ns(world) : node->released_ns;
            held_ns += end_ns - node->allocated_ns;
            if (node->released_ns == INT64_MAX)
                in_states_ns += world_now_ns(world) - node->state_since_ns;
        }
        for (int32_t i = 0; i < recording.count; i++) {
            const TraceRecord *record = &recording.items[i];
            if (record->kind == TRACE_NODE_BILLED) {
                billed_ns += record->at_ns - record->since_ns;
                ck_assert_int_le(record->value[0], record->at_ns - record->since_ns);
                ck_assert_int_gt(record->value[0] + NS_PER_MIN, record->at_ns - record->since_ns);
            }
            if (record->kind == TRACE_NODE_STATE)
                in_states_ns += record->at_ns - record->since_ns;
        }
        ck_assert_msg(billed_ns == held_ns && in_states_ns == held_ns, "seed %d", (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(a_job_added_to_another_cluster_changes_nobody_elses_luck)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        Arena *arena = arena_create();
        int64_t ended_ns[2];
        for (int32_t with = 0; with < 2; with++) {
            CommandList list = commands_begin(arena);
            if (with) {
                commands_create_cluster(&list, "other", 0, plain_cluster(arena, 3));
                commands_create_job(
                    &list, "noise", 0, "other",
                    plain_job(arena, 2, plain_fixed_program(arena, 77 * NS_PER_S, 0)));
            }
            commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
            commands_create_job(&list, "j", 0, "c",
                                plain_job(arena, 2, plain_training_program(arena)));
            World *world = world_create(arena, scenario_of(&list, seed), (TraceSink){0});
            world_run(world);
            ended_ns[with] = world_job(world, (JobId){world_job_count(world) - 1})->ended_ns;
        }
        ck_assert_msg(ended_ns[0] == ended_ns[1], "seed %d", (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("world_random");
    TCase *tests = tcase_create("properties");
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, every_invariant_holds_after_every_event_and_time_never_goes_back);
    tcase_add_test(tests, the_same_seed_gives_the_same_records);
    tcase_add_test(tests, a_world_advanced_in_slices_tells_the_same_as_one_that_runs);
    tcase_add_test(tests, node_time_billed_is_node_time_held);
    tcase_add_test(tests, a_job_added_to_another_cluster_changes_nobody_elses_luck);
    suite_add_tcase(suite, tests);
    return suite;
}

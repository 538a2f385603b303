/* Properties of worlds with failures, over many random scenarios; the seed that fails is printed.
 */
#include <string.h>

#include "sim/base/units.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"
#include "tests/support/worlds.h"

static uint64_t seeds(void)
{
    return (uint64_t)case_count(300);
}

static World *run_whole(Arena *arena, uint64_t seed, uint64_t shuffle_seed, Recording *recording)
{
    Scenario *scenario = rough_scenario(arena, seed);
    scenario->shuffle_seed = shuffle_seed;
    World *world = world_create(arena, scenario, recording_sink(recording, TRACE_LEVEL_STEPS));
    world_check_always(world);
    world_run(world);
    return world;
}

START_TEST(every_invariant_holds_after_every_event_and_time_never_goes_back)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        Arena *arena = arena_create();
        Recording recording = recording_create(arena);
        run_whole(arena, seed, 0, &recording);
        int64_t before_ns = 0;
        for (int32_t i = 0; i < recording.count; i++) {
            const TraceRecord *record = &recording.items[i];
            ck_assert_msg(record->at_ns >= before_ns && record->since_ns <= record->at_ns &&
                              record->since_ns >= 0,
                          "seed %d, record %d", (int)seed, (int)i);
            before_ns = record->at_ns;
        }
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(every_invariant_holds_for_every_order_of_ties)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++)
        for (uint64_t shuffle = 1; shuffle <= 3; shuffle++) {
            Arena *arena = arena_create();
            Recording recording = recording_create(arena);
            run_whole(arena, seed, shuffle, &recording);
            arena_destroy(arena);
        }
}
END_TEST

START_TEST(the_same_seed_gives_the_same_records)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        Arena *arena = arena_create();
        Recording first = recording_create(arena), second = recording_create(arena);
        run_whole(arena, seed, 0, &first);
        arena_alloc(arena, 4711);
        run_whole(arena, seed, 0, &second);
        ck_assert_msg(recording_hash(&first) == recording_hash(&second), "seed %d", (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

/* The hash of the records before `until_ns`, without those that world_run adds at the end of a run.
 */
static uint64_t hash_of_life(Recording recording, int64_t until_ns)
{
    while (recording.count > 0 && recording.items[recording.count - 1].at_ns >= until_ns)
        recording.count--;
    return recording_hash(&recording);
}

START_TEST(a_world_advanced_in_slices_gives_the_same_records_as_one_that_runs)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        Arena *arena = arena_create();
        Recording whole = recording_create(arena), sliced = recording_create(arena);
        Scenario *scenario = rough_scenario(arena, seed);
        World *run = world_create(arena, scenario, recording_sink(&whole, TRACE_LEVEL_STEPS));
        world_run(run);
        // Random failures continue after the last event of a run that ended without a limit.
        int64_t until_ns = world_now_ns(run);
        World *world = world_create(arena, scenario, recording_sink(&sliced, TRACE_LEVEL_STEPS));
        for (uint64_t slice = 0; world_now_ns(world) < until_ns; slice++) {
            int64_t next_ns =
                world_now_ns(world) +
                (int64_t)(rng_word(seed, RNG_IDENTITY, 0, slice) % (uint64_t)(10 * NS_PER_MIN));
            world_advance(world, next_ns < until_ns ? next_ns : until_ns);
        }
        ck_assert_msg(hash_of_life(whole, until_ns) == hash_of_life(sliced, until_ns), "seed %d",
                      (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

/* Each node is billed from its allocation to its release, and is in exactly one state at any time
 * in between. */
START_TEST(node_time_billed_is_node_time_held)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        Arena *arena = arena_create();
        Recording recording = recording_create(arena);
        World *world = run_whole(arena, seed, 0, &recording);
        int64_t held_ns = 0, billed_ns = 0, in_states_ns = 0;
        for (uint32_t n = 0; n < world_node_count(world); n++) {
            const Node *node = world_node(world, (NodeId){n});
            bool is_held = node->released_ns == INT64_MAX;
            held_ns += (is_held ? world_now_ns(world) : node->released_ns) - node->allocated_ns;
            if (is_held)
                in_states_ns += world_now_ns(world) - node->state_since_ns;
        }
        for (int32_t i = 0; i < recording.count; i++) {
            const TraceRecord *record = &recording.items[i];
            int64_t span_ns = record->at_ns - record->since_ns;
            billed_ns += record->kind == TRACE_NODE_BILLED ? span_ns : 0;
            in_states_ns += record->kind == TRACE_NODE_STATE ? span_ns : 0;
        }
        ck_assert_msg(billed_ns == held_ns && in_states_ns == held_ns, "seed %d", (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

/* The parts of an attempt's node time add up to its nodes times its span, and a job's attempts to
 * what its nodes spent running it. */
START_TEST(the_accounts_of_jobs_add_up)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        Arena *arena = arena_create();
        Recording recording = recording_create(arena);
        run_whole(arena, seed, 0, &recording);
        for (int32_t i = 0; i < recording.count; i++) {
            const TraceRecord *record = &recording.items[i];
            if (record->kind != TRACE_JOB_ATTEMPT)
                continue;
            ck_assert_msg(attempt_parts_ns(record) ==
                              record->job_attempt.nodes * (record->at_ns - record->since_ns),
                          "seed %d, record %d", (int)seed, (int)i);
        }
        arena_destroy(arena);
    }
}
END_TEST

/* A job that no command stopped and that ran to its end has one start more than requeues. */
START_TEST(a_job_starts_once_more_than_it_is_requeued)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        Arena *arena = arena_create();
        Recording recording = recording_create(arena);
        World *world = run_whole(arena, seed, 0, &recording);
        uint32_t jobs = world_job_count(world);
        int32_t *starts = ARENA_ARRAY(arena, int32_t, jobs);
        int32_t *queued = ARENA_ARRAY(arena, int32_t, jobs);
        for (int32_t i = 0; i < recording.count; i++) {
            const TraceRecord *record = &recording.items[i];
            if (record->kind != TRACE_JOB_STATE)
                continue;
            starts[record->job.index] += strcmp(record->name, "running") == 0;
            queued[record->job.index] += strcmp(record->name, "queued") == 0;
        }
        for (uint32_t j = 0; j < jobs; j++) {
            const Job *job = world_job(world, (JobId){j});
            ck_assert_msg(starts[j] == queued[j] || starts[j] == queued[j] - 1, "seed %d, job %u",
                          (int)seed, j);
            ck_assert_msg(job->state != JOB_SUCCEEDED || starts[j] == queued[j], "seed %d, job %u",
                          (int)seed, j);
            ck_assert_int_eq(job->starts, starts[j]);
        }
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("world_rough");
    TCase *tests = tcase_create("properties");
    tcase_add_test(tests, every_invariant_holds_after_every_event_and_time_never_goes_back);
    tcase_add_test(tests, every_invariant_holds_for_every_order_of_ties);
    tcase_add_test(tests, the_same_seed_gives_the_same_records);
    tcase_add_test(tests, a_world_advanced_in_slices_gives_the_same_records_as_one_that_runs);
    tcase_add_test(tests, node_time_billed_is_node_time_held);
    tcase_add_test(tests, the_accounts_of_jobs_add_up);
    tcase_add_test(tests, a_job_starts_once_more_than_it_is_requeued);
    suite_add_tcase(suite, tests);
    return suite;
}

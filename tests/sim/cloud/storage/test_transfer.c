/* Transfers of jobs on shares that are slow or out for a while. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/tables.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

enum { JOBS = 3 };

static Arena *arena;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

/* JOBS jobs of one node that each read 1 GB of data from a/s, which takes 10 s alone. */
static World *readers(Recording *recording)
{
    static const char *const names[JOBS] = {"j0", "j1", "j2"};
    CommandList list = commands_begin(arena);
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->downloads_data = false;
    program->data_share = "a/s";
    program->data_bytes = INT64_C(1000000000);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, JOBS));
    for (int32_t j = 0; j < JOBS; j++)
        commands_create_job(&list, names[j], 0, "c", plain_job(arena, 1, program));
    World *world =
        world_create(arena, scenario_of(&list, 1), recording_sink(recording, TRACE_LEVEL_EPOCHS));
    world_check_always(world);
    return world;
}

static const TraceRecord *read_of(const Recording *recording, uint32_t job)
{
    for (int32_t n = 0;; n++) {
        const TraceRecord *record = recording_find(recording, TRACE_TRANSFER, "read", n);
        if (!record || record->job.index == job)
            return record;
    }
}

/* Ends of the three reads, which begin together and so end together. */
static int64_t plain_end_ns(void)
{
    Recording recording = recording_create(arena);
    world_run(readers(&recording));
    return read_of(&recording, 0)->at_ns;
}

START_TEST(readers_of_one_share_slow_each_other)
{
    // 3 GB at 100 MB/s: 30 s, and latency: 1000 requests of 1 MB in 125 rounds of 10 ms.
    Recording recording = recording_create(arena);
    World *world = readers(&recording);
    world_run(world);
    for (uint32_t j = 0; j < JOBS; j++) {
        const TraceRecord *read = read_of(&recording, j);
        ck_assert_int_eq(read->at_ns - read->since_ns, 30 * NS_PER_S + 1250 * NS_PER_MS);
        ck_assert_int_eq(read->transfer.work_ns, 10 * NS_PER_S);
    }
    ck_assert_int_eq(share_bytes_moved(world_share(world, (ShareId){0})),
                     INT64_C(3000000000) + JOBS * INT64_C(10000000)); // and their models
}
END_TEST

START_TEST(an_outage_delays_every_end_by_its_length)
{
    int64_t plain_ns = plain_end_ns();
    Recording recording = recording_create(arena);
    World *world = readers(&recording);
    world_advance(world, plain_ns - 7 * NS_PER_S - 3);
    share_slows(world->storage, (ShareId){0}, 0, 100 * NS_PER_S);
    ck_assert(share_is_out(world_share(world, (ShareId){0})));
    world_run(world);
    for (uint32_t j = 0; j < JOBS; j++)
        ck_assert_int_eq(read_of(&recording, j)->at_ns, plain_ns + 100 * NS_PER_S);
    const TraceRecord *out = recording_find(&recording, TRACE_SHARE_STATE, "out", 0);
    const TraceRecord *up = recording_find(&recording, TRACE_SHARE_STATE, "up", 0);
    ck_assert_int_eq(out->at_ns, plain_ns - 7 * NS_PER_S - 3);
    ck_assert_int_eq(up->at_ns, out->at_ns + 100 * NS_PER_S);
    ck_assert_int_eq(out->share_state.speed_ppm, 0);
    ck_assert_int_eq(up->share_state.speed_ppm, PPM);
    ck_assert_int_eq(recording_count(&recording, TRACE_SHARE_STATE, NULL), 2);
}
END_TEST

START_TEST(the_slowest_of_overlapping_faults_counts)
{
    // From t on: half speed for 20 s. Within it, a quarter of the speed from 4 s on for 8 s. Within
    // that, an outage from 6 s on for 2 s. Work done in these 20 s: 4/2 + 2/4 + 0 + 4/4 + 8/2 = 7.5
    // s.
    int64_t plain_ns = plain_end_ns();
    Recording recording = recording_create(arena);
    World *world = readers(&recording);
    int64_t at_ns = plain_ns - 15 * NS_PER_S;
    world_advance(world, at_ns);
    share_slows(world->storage, (ShareId){0}, PPM / 2, 20 * NS_PER_S);
    world_advance(world, at_ns + 4 * NS_PER_S);
    share_slows(world->storage, (ShareId){0}, PPM / 4, 8 * NS_PER_S);
    world_advance(world, at_ns + 6 * NS_PER_S);
    share_slows(world->storage, (ShareId){0}, 0, 2 * NS_PER_S);
    share_slows(world->storage, (ShareId){0}, 3 * PPM, NS_PER_S); // does not make transfers faster
    world_run(world);
    ck_assert_int_eq(read_of(&recording, 0)->at_ns, plain_ns + 20 * NS_PER_S - 7500 * NS_PER_MS);
    static const int64_t speeds_ppm[] = {PPM / 2, PPM / 4, 0, PPM / 4, PPM / 2, PPM};
    static const char *const names[] = {"slow", "slow", "out", "slow", "slow", "up"};
    ck_assert_int_eq(recording_count(&recording, TRACE_SHARE_STATE, NULL), 6);
    for (int32_t n = 0; n < 6; n++) {
        const TraceRecord *state = recording_find(&recording, TRACE_SHARE_STATE, NULL, n);
        ck_assert_int_eq(state->share_state.speed_ppm, speeds_ppm[n]);
        ck_assert_str_eq(state->name, names[n]);
    }
}
END_TEST

START_TEST(an_outage_without_end_lasts_until_the_jobs_run_out_of_time)
{
    Recording recording = recording_create(arena);
    World *world = readers(&recording);
    world_advance(world, 240 * NS_PER_S);
    share_slows(world->storage, (ShareId){0}, 0, INT64_MAX);
    world_run(world);
    ck_assert_ptr_null(read_of(&recording, 0));
    for (uint32_t j = 0; j < JOBS; j++)
        ck_assert_int_eq(world_job(world, (JobId){j})->state, JOB_FAILED);
    ck_assert_int_eq(share_active(world_share(world, (ShareId){0})), 0);
}
END_TEST

START_TEST(a_stopped_job_leaves_its_part_to_the_others)
{
    // All read from t on. j1 is terminated 5 s after the reads began and leaves another 5 s later.
    // By then each has done a third of 10 s of work, and two jobs share the rest: 2 x 6.67 s.
    int64_t plain_ns = plain_end_ns();
    int64_t began_ns = plain_ns - 30 * NS_PER_S;
    Recording recording = recording_create(arena);
    World *world = readers(&recording);
    Status status = {0};
    world_advance(world, began_ns + 5 * NS_PER_S);
    ck_assert(job_terminate(world->jobs, job_row(world->jobs, (JobId){1}), &status));
    world_run(world);
    ck_assert_ptr_null(read_of(&recording, 1));
    int64_t expected_ns = began_ns + 10 * NS_PER_S + INT64_C(13333333334);
    for (uint32_t j = 0; j < JOBS; j += 2) {
        ck_assert_int_ge(read_of(&recording, j)->at_ns, expected_ns - 1);
        ck_assert_int_le(read_of(&recording, j)->at_ns, expected_ns + 1);
    }
}
END_TEST

/* Every invariant holds and every job ends under random faults and terminations. */
START_TEST(invariants_hold_under_random_faults)
{
    int32_t limited = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        Arena *own = arena_create();
        Scenario *scenario = random_scenario(own, seed);
        Recording records = recording_create(own);
        if (seed % 2 == 0)
            narrow_links(own, scenario, 45000000);
        scenario->until_ns = INT64_MAX;
        World *world = world_create(own, scenario, recording_sink(&records, TRACE_LEVEL_JOBS));
        world_check_always(world);
        for (uint64_t f = 0; f < 12; f++) {
            uint64_t word = rng_word(seed, RNG_IDENTITY, 5, f);
            world_advance(world, world_now_ns(world) + (int64_t)(word % 400) * NS_PER_S);
            if (world_share_count(world) > 0)
                share_slows(world->storage, (ShareId){0}, (int64_t)(word >> 20) % 4 * (PPM / 4),
                            (int64_t)(word >> 30) % 300 * NS_PER_S);
        }
        world_run(world);
        const Share *share = world_share(world, (ShareId){0});
        ck_assert_msg(share_speed_ppm(share) == PPM && share_active(share) == 0, "seed %" PRIu64,
                      seed);
        limited += recording_count(&records, TRACE_LINK_FULL, NULL);
        arena_destroy(own);
    }
    ck_assert_int_gt(limited, 0); // else narrow links say nothing
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transfer");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, readers_of_one_share_slow_each_other);
    tcase_add_test(tests, an_outage_delays_every_end_by_its_length);
    tcase_add_test(tests, the_slowest_of_overlapping_faults_counts);
    tcase_add_test(tests, an_outage_without_end_lasts_until_the_jobs_run_out_of_time);
    tcase_add_test(tests, a_stopped_job_leaves_its_part_to_the_others);
    tcase_add_test(tests, invariants_hold_under_random_faults);
    suite_add_tcase(suite, tests);
    return suite;
}

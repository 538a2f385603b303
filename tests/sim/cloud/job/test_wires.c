/* Jobs whose exchanges share the uplinks of racks. */
#include <stdlib.h>

#include "sim/base/units.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

static Arena *arena;
static Recording told;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

/* One second of compute a step, and 125 MB on each node's wire: 1 s at 125 MB/s alone. */
static Program *exchanging_program(void)
{
    static const QuantileKnot as_modelled = {0, PPM};
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    NetworkModel *network = ARENA_NEW(arena, NetworkModel);
    Framework *framework = ARENA_NEW(arena, Framework);
    ExchangeMethod *exchange = ARENA_NEW(arena, ExchangeMethod);
    *network = (NetworkModel){.name = "wide", .gradient_bytes = 125000000, .tensors = 1};
    *framework =
        (Framework){.name = "steady", .step_overhead_ns = NS_PER_S, .input_parallelism_ppm = PPM};
    *exchange = (ExchangeMethod){
        .name = "bare", .fusion_bytes = INT64_C(1) << 30, .network_efficiency_ppm = PPM};
    program->network = network;
    program->framework = framework;
    program->exchange = exchange;
    program->step_jitter_ppm = (Quantiles){.count = 1, .knots = &as_modelled};
    program->downloads_data = false;
    program->evaluate_samples = 0;
    program->evaluates_at_end = false;
    program->checkpoint_bytes = 0;
    program->model_bytes = 0;
    return program;
}

/* Two jobs of two nodes each; in racks of one node every ring crosses uplinks. */
static World *two_jobs(Fidelity fidelity, int64_t uplink_bytes_per_s, int32_t nodes_per_rack)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 4));
    commands_create_job(&list, "j", 0, "c", plain_job(arena, 2, exchanging_program()));
    commands_create_job(&list, "k", 0, "c", plain_job(arena, 2, exchanging_program()));
    Scenario *scenario = scenario_of(&list, 1);
    scenario->fidelity = fidelity;
    scenario->network = (NetworkTopology){.nodes_per_rack = nodes_per_rack,
                                          .uplink_bytes_per_s = uplink_bytes_per_s};
    told = recording_create(arena);
    World *world = world_create(arena, scenario, recording_sink(&told, TRACE_LEVEL_STEPS));
    world_check_always(world);
    world_run(world);
    return world;
}

static int64_t trained_ms(const World *world, uint32_t job)
{
    const JobAttempt *attempt = world_job(world, (JobId){job})->attempt;
    return (attempt->trained_ns - attempt->training_ns) / NS_PER_MS;
}

START_TEST(an_uplink_of_half_the_rate_doubles_the_time_on_the_wire)
{
    // 2 * 1/2 of 125 MB on each node's wire, and two latencies of 50 us.
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = two_jobs((Fidelity)fidelity, 62500000, 1);
        ck_assert_int_eq(trained_ms(world, 0), 40 * 3000 + 4);
        ck_assert_int_eq(trained_ms(world, 1), 40 * 3000 + 4);
        world = two_jobs((Fidelity)fidelity, INT64_C(10000000000), 1);
        ck_assert_int_eq(trained_ms(world, 0), 40 * 2000 + 4);
        world = two_jobs((Fidelity)fidelity, 62500000, 0);
        ck_assert_int_eq(trained_ms(world, 0), 40 * 2000 + 4);
    }
}
END_TEST

START_TEST(the_time_on_a_shared_wire_counts_as_exchange)
{
    World *world = two_jobs(FIDELITY_STEP, 62500000, 1);
    for (int32_t n = 0; n < 2; n++) {
        const TraceRecord *attempt = recording_find(&told, TRACE_JOB_ATTEMPT, NULL, n);
        ck_assert_int_eq(attempt->job_attempt.exchange_ns / NS_PER_MS, 2 * (40 * 2000 + 4));
        ck_assert_int_eq(attempt->job_attempt.gang_ns, 0);
    }
    const TraceRecord *step = recording_find(&told, TRACE_STEP, NULL, 5);
    ck_assert_int_eq(step->at_ns - step->since_ns, 3 * NS_PER_S + 100 * NS_PER_US);
    ck_assert_int_eq(step->step.parts.exchange_ns, 2 * NS_PER_S + 100 * NS_PER_US);
    // The logs have the recorded ends of these steps.
    const Job *job = world_job(world, (JobId){0});
    const int64_t *ends_ns = job_step_ends(job, 0);
    ck_assert_ptr_nonnull(ends_ns);
    ck_assert_int_eq(ends_ns[9], job_epoch_times(job, 0).end_ns);
}
END_TEST

START_TEST(a_stalled_job_releases_its_wires)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "j", 0, "c", plain_job(arena, 2, exchanging_program()));
    Scenario *scenario = scenario_of(&list, 1);
    scenario->network = (NetworkTopology){.nodes_per_rack = 1, .uplink_bytes_per_s = 62500000};
    for (int64_t at_ms = 0; at_ms < 3000; at_ms += 100) {
        told = recording_create(arena);
        World *world = world_create(arena, scenario, recording_sink(&told, TRACE_LEVEL_JOBS));
        world_check_always(world);
        world_advance(world, 250 * NS_PER_S + at_ms * NS_PER_MS);
        Job *job = job_row(world->jobs, (JobId){0});
        job_stalls(world->jobs, job, node_row(world->clusters, job->nodes[0]));
        world_advance(world, 300 * NS_PER_S);
        job_loses_nodes(world->jobs, job, NULL, DEALLOCATE_REQUEUE, CAUSE_CRASH);
        world_run(world);
        ck_assert_int_eq(job->state, JOB_SUCCEEDED);
        ck_assert_int_eq(trained_ms(world, 0), 40 * 3000 + 4);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job_wires");
    TCase *tests = tcase_create("wires");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, an_uplink_of_half_the_rate_doubles_the_time_on_the_wire);
    tcase_add_test(tests, the_time_on_a_shared_wire_counts_as_exchange);
    tcase_add_test(tests, a_stalled_job_releases_its_wires);
    suite_add_tcase(suite, tests);
    return suite;
}

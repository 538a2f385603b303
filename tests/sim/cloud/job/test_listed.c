/* Jobs of lists: examples on paper, and random lists against a second, plain replay. */
#include "sim/cloud/job/listed.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/policy/policy.h"
#include "sim/engine/rng.h"
#include "tests/support/replay_twin.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"
#include "tests/support/world_fixture.h"

enum { ROWS_MAX = 400, QUEUES_MAX = 4 };

/* A list in the making, and where its jobs run. */
typedef struct {
    int64_t submit_ns[ROWS_MAX], run_ns[ROWS_MAX], requested_ns[ROWS_MAX], after_job[ROWS_MAX],
        think_ns[ROWS_MAX];
    int32_t gpus[ROWS_MAX], queue[ROWS_MAX], priority[ROWS_MAX];
    JobList jobs;
    TwinCluster clusters[QUEUES_MAX];
    const char *names[QUEUES_MAX];
    ResourcePath paths[QUEUES_MAX];
    Workload workload;
    const JobSpec *spec;
    int64_t share;
} Listing;

static Listing *new_listing(int32_t queues)
{
    static const char *const names[] = {"c0", "c1", "c2", "c3"};
    Listing *listing = ARENA_NEW(arena, Listing);
    listing->jobs = (JobList){.submit_ns = listing->submit_ns,
                              .run_ns = listing->run_ns,
                              .gpus = listing->gpus,
                              .queue = listing->queue,
                              .queues = {.count = queues, .texts = names}};
    for (int32_t q = 0; q < queues; q++)
        listing->paths[q] = (ResourcePath){.group = "g", .workspace = "w", .name = names[q]};
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, 0, 0));
    spec->max_wall_clock_ns = INT64_MAX;
    spec->std_out_err = (OutputPlace){0};
    listing->spec = spec;
    listing->share = PPM;
    listing->workload = (Workload){.name = "trace",
                                   .path = {.group = "g", .workspace = "w", .experiment = "e"},
                                   .list = &listing->jobs,
                                   .cluster_of_row = listing->queue,
                                   .clusters = listing->paths,
                                   .cluster_count = queues,
                                   .spec_count = 1,
                                   .specs = &listing->spec,
                                   .probability_ppm = &listing->share};
    return listing;
}

static void add(Listing *listing, int64_t submit_s, int64_t run_s, int32_t gpus)
{
    const int64_t row = listing->jobs.count++;
    listing->submit_ns[row] = submit_s * NS_PER_S;
    listing->run_ns[row] = run_s * NS_PER_S;
    listing->gpus[row] = gpus;
    listing->after_job[row] = JOB_LIST_UNKNOWN;
    listing->requested_ns[row] = JOB_LIST_UNKNOWN;
}

static void add_cluster(Listing *listing, int32_t queue, int32_t nodes, int32_t gpus_per_node)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = (ClusterSpec){.vm_size = vm_size_of_gpus(arena, gpus_per_node),
                          .target_nodes = nodes,
                          .admin_user = "demo"};
    commands_create_cluster(&list, listing->paths[queue].name, 0, spec);
    listing->clusters[queue] = (TwinCluster){.nodes = nodes, .gpus_per_node = gpus_per_node};
}

static Scenario *scenario_with(const Listing *listing, PolicyKind policy)
{
    Scenario *scenario = scenario_of(&list, 1);
    scenario->service = ideal_service(arena);
    scenario->policy = policy;
    scenario->placement = PLACEMENT_CONSOLIDATE;
    scenario->workloads = &listing->workload;
    scenario->workload_count = 1;
    return scenario;
}

static World *run(const Scenario *scenario)
{
    recording.count = 0;
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_run(world);
    return world;
}

/* The start of each row; TWIN_NEVER: it has not started. */
static void starts_of(const World *world, int64_t *start_ns)
{
    for (int32_t row = 0; row < ROWS_MAX; row++)
        start_ns[row] = TWIN_NEVER;
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (record->kind == TRACE_JOB_STATE && strcmp(record->name, "running") == 0)
            start_ns[world_job(world, record->job)->row] = record->at_ns;
    }
}

/* --- On paper --- */

START_TEST(jobs_share_a_node_and_the_first_that_does_not_fit_blocks_the_queue)
{
    // One node of 4 GPUs. At 0 s: 3 GPUs for 100 s, then 2 GPUs for 10 s, then 1 GPU for 10 s. The
    // second waits for the first until 100 s, and the third, after it in the queue, too, although
    // one GPU is free.
    Listing *listing = new_listing(1);
    int64_t start_ns[ROWS_MAX];
    add_cluster(listing, 0, 1, 4);
    add(listing, 0, 100, 3);
    add(listing, 0, 10, 2);
    add(listing, 0, 10, 1);
    starts_of(run(scenario_with(listing, POLICY_SERVICE)), start_ns);
    ck_assert_int_eq(start_ns[0], 0);
    ck_assert_int_eq(start_ns[1], 100 * NS_PER_S);
    ck_assert_int_eq(start_ns[2], 100 * NS_PER_S);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_PLACED, NULL), 3);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "running"), 2);
}
END_TEST

START_TEST(columns_of_the_list_say_on_how_many_nodes_a_job_runs)
{
    // Three nodes of 4 GPUs: 6 GPUs on 3 nodes are 2 on each; 4 GPUs with at most one on a node
    // need four nodes; 2 GPUs on two nodes are one on each.
    static const int32_t nodes[] = {3, JOB_LIST_UNKNOWN, 2};
    static const int32_t most[] = {JOB_LIST_UNKNOWN, 1, JOB_LIST_UNKNOWN};
    Listing *listing = new_listing(1);
    add_cluster(listing, 0, 3, 4);
    add(listing, 0, 10, 6);
    add(listing, 20, 10, 4);
    add(listing, 20, 10, 2);
    listing->jobs.nodes = nodes;
    listing->jobs.gpus_per_node_max = most;
    Scenario *scenario = scenario_with(listing, POLICY_SERVICE);
    scenario->refuses_wide_jobs = true;
    run(scenario);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_PLACED, NULL), 3 + 2);
    for (int32_t i = 0; i < 5; i++)
        ck_assert_int_eq(recording_find(&recording, TRACE_JOB_PLACED, NULL, i)->job_placed.gpus,
                         i < 3 ? 2 : 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), 1);
}
END_TEST

START_TEST(a_job_that_lasts_no_time_ends_at_its_start)
{
    Listing *listing = new_listing(1);
    int64_t start_ns[ROWS_MAX];
    add_cluster(listing, 0, 1, 1);
    for (int32_t row = 0; row < 5; row++)
        add(listing, 7, 0, 1);
    const World *world = run(scenario_with(listing, POLICY_SERVICE));
    starts_of(world, start_ns);
    for (int32_t row = 0; row < 5; row++)
        ck_assert_int_eq(start_ns[row], 7 * NS_PER_S);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STATE, "succeeded"), 5);
    ck_assert_int_eq(world_now_ns(world), 7 * NS_PER_S);
}
END_TEST

START_TEST(a_job_wider_than_the_cluster_blocks_its_queue_or_is_refused)
{
    Listing *listing = new_listing(1);
    int64_t start_ns[ROWS_MAX];
    add_cluster(listing, 0, 2, 4);
    add(listing, 0, 10, 9);
    add(listing, 1, 10, 1);
    Scenario *scenario = scenario_with(listing, POLICY_SERVICE);
    starts_of(run(scenario), start_ns);
    ck_assert_int_eq(start_ns[1], TWIN_NEVER);
    scenario->refuses_wide_jobs = true;
    starts_of(run(scenario), start_ns);
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED,
                                     "job.create trace-1: the job needs 9 GPUs on 3 nodes, and "
                                     "cluster \"c0\" has at most 2 nodes of 4 GPUs"),
                     1);
    ck_assert_int_eq(start_ns[1], NS_PER_S);
}
END_TEST

START_TEST(a_row_that_is_due_after_the_end_of_time_never_arrives)
{
    // The list begins at 10 s, and the second row is submitted in its last second.
    Listing *listing = new_listing(1);
    add_cluster(listing, 0, 1, 1);
    add(listing, 0, 5, 1);
    add(listing, INT64_MAX / NS_PER_S, 5, 1);
    listing->workload.begin_ns = 10 * NS_PER_S;
    const World *world = run(scenario_with(listing, POLICY_SERVICE));
    ck_assert_uint_eq(world_job_count(world), 1);
}
END_TEST

START_TEST(a_row_that_follows_another_arrives_its_think_time_after_the_end)
{
    // The first runs from 10 to 30 s. The second thinks for 5 s, the third not at all.
    Listing *listing = new_listing(1);
    int64_t start_ns[ROWS_MAX];
    add_cluster(listing, 0, 1, 4);
    add(listing, 10, 20, 1);
    add(listing, 10, 3, 1);
    add(listing, 10, 3, 1);
    listing->after_job[1] = listing->after_job[2] = 0;
    listing->think_ns[1] = 5 * NS_PER_S;
    listing->think_ns[2] = JOB_LIST_UNKNOWN;
    listing->jobs.after_job = listing->after_job;
    listing->jobs.think_ns = listing->think_ns;
    starts_of(run(scenario_with(listing, POLICY_SERVICE)), start_ns);
    ck_assert_int_eq(start_ns[1], 35 * NS_PER_S);
    ck_assert_int_eq(start_ns[2], 30 * NS_PER_S);
}
END_TEST

START_TEST(a_run_that_is_cut_short_runs_none_of_the_later_events)
{
    // Both jobs end at 100 s, after the end of the run. Studies run worlds in parts, and then to
    // their end.
    Listing *listing = new_listing(1);
    add_cluster(listing, 0, 2, 4);
    add(listing, 0, 100, 4);
    add(listing, 0, 100, 4);
    Scenario *scenario = scenario_with(listing, POLICY_SERVICE);
    scenario->until_ns = 50 * NS_PER_S;
    recording.count = 0;
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    while (world_run_some(world, 1))
        ck_assert_int_le(world_now_ns(world), scenario->until_ns);
    world_run(world);
    ck_assert_int_eq(world_now_ns(world), scenario->until_ns);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STATE, "succeeded"), 0);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_ATTEMPT, "unfinished"), 2);
}
END_TEST

START_TEST(a_job_runs_longer_than_its_owner_asked_for_unless_the_workload_stops_it)
{
    Listing *listing = new_listing(1);
    add_cluster(listing, 0, 1, 4);
    add(listing, 0, 100, 1);
    listing->requested_ns[0] = 60 * NS_PER_S;
    listing->jobs.requested_ns = listing->requested_ns;
    const World *world = run(scenario_with(listing, POLICY_SERVICE));
    ck_assert_int_eq(world_job(world, (JobId){0})->ended_ns, 100 * NS_PER_S);
    listing->workload.stops_at_requested = true;
    world = run(scenario_with(listing, POLICY_SERVICE));
    ck_assert_int_eq(world_job(world, (JobId){0})->ended_ns, 60 * NS_PER_S);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_FAILED);
}
END_TEST

START_TEST(users_of_a_list_take_turns_under_fair_share)
{
    // One GPU. The first user's jobs have the numbers 1 to 4, the second user's job is the last: it
    // goes second, because its owner has used nothing.
    Listing *listing = new_listing(1);
    int32_t users[] = {0, 0, 0, 0, 1};
    int64_t start_ns[ROWS_MAX];
    add_cluster(listing, 0, 1, 1);
    for (int32_t row = 0; row < 5; row++)
        add(listing, 0, 100, 1);
    listing->jobs.user = users;
    listing->jobs.users.count = 2;
    starts_of(run(scenario_with(listing, POLICY_FAIR_SHARE)), start_ns);
    ck_assert_int_eq(start_ns[0], 0);
    ck_assert_int_eq(start_ns[4], 100 * NS_PER_S);
    ck_assert_int_eq(start_ns[1], 200 * NS_PER_S);
}
END_TEST

START_TEST(a_larger_priority_is_served_first)
{
    Listing *listing = new_listing(1);
    static const int32_t priorities[] = {5, JOB_LIST_UNKNOWN, 7, 1000, 7};
    static const int32_t order[] = {0, 3, 2, 4, 1}; // the first one starts before the others come
    int64_t start_ns[ROWS_MAX];
    add_cluster(listing, 0, 1, 1);
    for (int32_t row = 0; row < 5; row++)
        add(listing, row > 0, 100, 1);
    listing->jobs.priority = priorities;
    starts_of(run(scenario_with(listing, POLICY_SERVICE)), start_ns);
    for (int32_t i = 0; i < 5; i++)
        ck_assert_int_eq(start_ns[order[i]], i * 100 * NS_PER_S);
}
END_TEST

START_TEST(a_command_finds_a_job_of_a_list_by_its_name)
{
    Listing *listing = new_listing(1);
    add_cluster(listing, 0, 1, 4);
    add(listing, 0, 100, 1);
    add(listing, 0, 100, 1);
    commands_add(&list, COMMAND_JOB_TERMINATE, "trace-2", 30 * NS_PER_S);
    const World *world = run(scenario_with(listing, POLICY_SERVICE));
    ck_assert_int_eq(world_job(world, (JobId){0})->ended_ns, 100 * NS_PER_S);
    ck_assert_int_eq(world_job(world, (JobId){1})->ended_ns, 30 * NS_PER_S);
    ck_assert_str_eq(world_job(world, (JobId){1})->path.name, "trace-2");
}
END_TEST

/* --- At random --- */

static int32_t roll(uint64_t seed, uint64_t *draw, int32_t sides)
{
    return (int32_t)(rng_word(seed, RNG_WORKLOAD, 77, (*draw)++) % (uint64_t)sides);
}

/* Few GPUs and many ties, so that queues are long and nodes are fragmented. */
static Listing *random_listing(uint64_t seed)
{
    static const int32_t sizes[] = {1, 2, 4, 8, 3};
    uint64_t draw = 0;
    const int32_t queues = 1 + roll(seed, &draw, QUEUES_MAX);
    Listing *listing = new_listing(queues);
    const int32_t rows = 1 + roll(seed, &draw, ROWS_MAX), busy = 1 + roll(seed, &draw, 40);
    for (int32_t q = 0; q < queues; q++)
        add_cluster(listing, q, 1 + roll(seed, &draw, 6), sizes[roll(seed, &draw, 5)]);
    int64_t submit_s = 0;
    for (int32_t row = 0; row < rows; row++) {
        const int32_t queue = roll(seed, &draw, queues);
        const TwinCluster cluster = listing->clusters[queue];
        const int32_t all = cluster.nodes * cluster.gpus_per_node;
        const bool is_wide = roll(seed, &draw, 8) == 0;
        int32_t gpus = roll(seed, &draw, is_wide ? all + 1 : cluster.gpus_per_node + 1);
        gpus += roll(seed, &draw, 300) == 0 ? all : 0; // never fits
        listing->queue[row] = queue;
        add(listing, submit_s, roll(seed, &draw, busy), gpus);
        submit_s += roll(seed, &draw, 3) == 0 ? roll(seed, &draw, 10) : 0;
    }
    return listing;
}

/* The start and end of each row in a world. */
static void runs_of(const World *world, TwinRun *runs)
{
    for (int32_t row = 0; row < ROWS_MAX; row++)
        runs[row] = (TwinRun){.start_ns = TWIN_NEVER, .end_ns = TWIN_NEVER};
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (record->kind != TRACE_JOB_STATE)
            continue;
        TwinRun *run = &runs[world_job(world, record->job)->row];
        if (strcmp(record->name, "running") == 0 && run->starts++ == 0)
            run->start_ns = record->at_ns;
        if (strcmp(record->name, "succeeded") == 0)
            run->end_ns = record->at_ns;
    }
}

/* All jobs of the same size, so that nodes are never fragmented. */
static void make_sizes_equal(Listing *listing)
{
    for (int64_t row = 0; row < listing->jobs.count; row++)
        listing->gpus[row] = 1;
}

/* A stopped job keeps its work: the attempts of a job that has ended kept what its row takes, on
 * all its GPUs, and lost nothing. */
static void check_kept_work(const World *world, const Listing *listing)
{
    int64_t kept_ns[ROWS_MAX] = {0};
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (record->kind != TRACE_JOB_ATTEMPT)
            continue;
        kept_ns[world_job(world, record->job)->row] += record->job_attempt.kept_ns;
        ck_assert_int_eq(record->job_attempt.lost_ns, 0);
    }
    for (uint32_t j = 0; j < world_job_count(world); j++) {
        const Job *job = world_job(world, (JobId){j});
        if (job->state == JOB_SUCCEEDED)
            ck_assert_int_eq(kept_ns[job->row],
                             listing->run_ns[job->row] * listing->gpus[job->row]);
    }
}

static void check_against_twin(uint64_t seed, PolicyKind policy, TwinOrder order, bool is_equal)
{
    uint64_t draw = 1000000;
    TwinRun runs[ROWS_MAX], twins[ROWS_MAX];
    TwinRules rules = {.order = order};
    begin();
    Listing *listing = random_listing(seed);
    if (is_equal)
        make_sizes_equal(listing);
    Scenario *scenario = scenario_with(listing, policy);
    for (int32_t size = 0; size < 3; size++)
        rules.cost_ns[size] = roll(seed, &draw, 4) * roll(seed, &draw, 4) * NS_PER_S;
    scenario->preemption_cost = (PreemptionCost){
        .one_ns = rules.cost_ns[0], .eight_ns = rules.cost_ns[1], .more_ns = rules.cost_ns[2]};
    const World *world = run(scenario);
    runs_of(world, runs);
    check_kept_work(world, listing);
    replay_twin(arena, &listing->jobs, listing->clusters, rules, twins);
    for (int64_t row = 0; row < listing->jobs.count; row++) {
        const TwinRun *own = &runs[row], *twin = &twins[row];
        ck_assert_msg(own->start_ns == twin->start_ns && own->end_ns == twin->end_ns &&
                          own->starts == twin->starts,
                      "%s, seed %d, row %d: world starts %lld ends %lld ns in %d attempts, replay "
                      "%lld, %lld, %d",
                      policy_of(policy)->name, (int)seed, (int)row, (long long)own->start_ns,
                      (long long)own->end_ns, (int)own->starts, (long long)twin->start_ns,
                      (long long)twin->end_ns, (int)twin->starts);
    }
    end();
}

START_TEST(waits_are_those_of_a_plain_replay_to_the_nanosecond)
{
    for (uint64_t seed = 1; seed <= (uint64_t)case_count(400); seed++)
        check_against_twin(seed, POLICY_SERVICE, TWIN_FIFO, false);
    for (uint64_t seed = 1; seed <= (uint64_t)case_count(100); seed++) {
        check_against_twin(seed, POLICY_SHORTEST, TWIN_SJF, true);
        check_against_twin(seed, POLICY_SHORTEST, TWIN_SJF, false);
        check_against_twin(seed, POLICY_SRTF, TWIN_SRTF, true);
        check_against_twin(seed, POLICY_SRTF, TWIN_SRTF, false);
    }
}
END_TEST

START_TEST(forgetting_ended_jobs_changes_no_start)
{
    for (uint64_t seed = 1; seed <= (uint64_t)case_count(20); seed++) {
        int64_t sum_ns = 0, twin_sum_ns = 0;
        TwinRun twins[ROWS_MAX];
        arena_destroy(arena);
        begin();
        const Listing *listing = random_listing(seed);
        World *world = world_create(arena, scenario_with(listing, POLICY_SERVICE),
                                    recording_sink(&recording, TRACE_LEVEL_JOBS));
        world_forget_ended(world);
        if (seed <= 3)
            world_check_always(world);
        world_run(world);
        replay_twin(arena, &listing->jobs, listing->clusters, (TwinRules){0}, twins);
        for (int32_t i = 0; i < recording.count; i++) {
            const TraceRecord *record = &recording.items[i];
            if (record->kind == TRACE_JOB_STATE && strcmp(record->name, "running") == 0)
                sum_ns += record->at_ns;
        }
        for (int64_t row = 0; row < listing->jobs.count; row++)
            twin_sum_ns += twins[row].start_ns != TWIN_NEVER ? twins[row].start_ns : 0;
        ck_assert_int_eq(sum_ns, twin_sum_ns);
        for (uint32_t j = 0; j < world_job_count(world); j++) {
            const JobId id = {j};
            if (world_job(world, id) == NULL)
                ck_assert_int_lt(world_forgotten_job(world, id).row, listing->jobs.count);
        }
    }
}
END_TEST

START_TEST(every_policy_and_placement_keeps_the_invariants)
{
    for (uint64_t seed = 1; seed <= 48; seed++) {
        begin();
        Listing *listing = random_listing(seed);
        listing->jobs.count = listing->jobs.count > 40 ? 40 : listing->jobs.count;
        Scenario *scenario = scenario_with(listing, (PolicyKind)(seed % POLICY_COUNT));
        scenario->placement = (PlacementKind)(seed / POLICY_COUNT % PLACEMENT_COUNT);
        World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
        world_check_always(world);
        world_run(world);
        ck_assert_int_gt(recording_count(&recording, TRACE_JOB_STATE, "succeeded"), 0);
        end();
    }
}
END_TEST

/* --- Lists with and without checkpoints --- */

enum { LISTED = 60 };

static Listing *spot_listing(uint64_t seed, const char *name, WorkCheckpoints work)
{
    uint64_t draw = 0;
    Listing *listing = new_listing(1);
    Program *program = ARENA_NEW(arena, Program);
    JobSpec *spec = ARENA_NEW(arena, JobSpec);
    *program = *listing->spec->program;
    program->work = work;
    program->saves_on_notice = work.jobs_ppm > 0;
    *spec = *listing->spec;
    spec->program = program;
    listing->spec = spec;
    listing->workload.name = name;
    for (int32_t row = 0; row < LISTED; row++)
        add(listing, 20 * row, 1 + roll(seed, &draw, 1500), 1 + (int32_t)roll(seed, &draw, 8));
    return listing;
}

/* Runs two lists on low-priority nodes, of which one has checkpoints. */
static const World *run_spot(uint64_t seed, bool forgets)
{
    static const WorkCheckpoints usual = {100 * NS_PER_S, 5 * NS_PER_S, 20 * NS_PER_S, PPM};
    const Listing *listings[] = {spot_listing(seed, "writing", usual),
                                 spot_listing(seed + 1000, "plain", (WorkCheckpoints){0})};
    FailureModel *model = ARENA_NEW(arena, FailureModel);
    *model = (FailureModel){
        .name = "taken", .between = exponential_of(600 * NS_PER_S), .reason = "taken"};
    Workload *workloads = ARENA_ARRAY(arena, Workload, 2);
    ClusterSpec *cluster = ARENA_NEW(arena, ClusterSpec);
    *cluster = (ClusterSpec){.vm_size = vm_size_of_gpus(arena, 8),
                             .is_low_priority = true,
                             .target_nodes = 10,
                             .admin_user = "demo"};
    commands_create_cluster(&list, "c0", 0, cluster);
    for (int32_t i = 0; i < 2; i++)
        workloads[i] = listings[i]->workload;
    Scenario *scenario = scenario_with(listings[0], POLICY_SERVICE);
    scenario->workloads = workloads;
    scenario->workload_count = 2;
    scenario->until_ns = 200000 * NS_PER_S;
    scenario->service.attempts_max = INT32_MAX;
    scenario->service.preemption_notice_ns = 30 * NS_PER_S;
    scenario->failures.rate_ppm = PPM;
    scenario->failures.preemption = model;
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    if (seed == 1) // thousands of nodes come and go, and each check looks at all of them
        world_check_always(world);
    if (forgets)
        world_forget_ended(world);
    world_run(world);
    return world;
}

START_TEST(lists_with_and_without_checkpoints_share_the_memory_of_their_jobs)
{
    for (uint64_t seed = 1; seed <= (uint64_t)case_count(4); seed++) {
        int64_t kept_ns[2 * LISTED] = {0};
        int32_t losses[2] = {0};
        arena_destroy(arena);
        begin();
        const World *world = run_spot(seed, false);
        for (int32_t i = 0; i < recording.count; i++) {
            const TraceRecord *record = &recording.items[i];
            if (record->kind != TRACE_JOB_ATTEMPT)
                continue;
            kept_ns[record->job.index] += record->job_attempt.kept_ns;
            losses[world_job(world, record->job)->workload] += strcmp(record->name, "lost") == 0;
            ck_assert_int_ge(attempt_parts_ns(record), 0);
        }
        for (uint32_t j = 0; j < world_job_count(world); j++) {
            const Job *job = world_job(world, (JobId){j});
            const JobList *jobs = job_list_of(world_scenario(world), job);
            if (job->state == JOB_SUCCEEDED)
                ck_assert_int_eq(kept_ns[j], jobs->gpus[job->row] * jobs->run_ns[job->row]);
            ck_assert(job->workload == 1 || job->state == JOB_SUCCEEDED);
        }
        ck_assert_int_gt(losses[0], 0);
        ck_assert_int_gt(losses[1], losses[0]);
        ck_assert_int_gt(recording_count(&recording, TRACE_JOB_WORK_SAVED, NULL), 0);
        const uint64_t hash = recording_hash(&recording);
        arena_destroy(arena);
        begin();
        (void)run_spot(seed, true);
        ck_assert_uint_eq(recording_hash(&recording), hash);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("listed");
    TCase *paper = tcase_create("on paper");
    tcase_add_checked_fixture(paper, begin, end);
    tcase_add_test(paper, jobs_share_a_node_and_the_first_that_does_not_fit_blocks_the_queue);
    tcase_add_test(paper, columns_of_the_list_say_on_how_many_nodes_a_job_runs);
    tcase_add_test(paper, a_job_that_lasts_no_time_ends_at_its_start);
    tcase_add_test(paper, a_job_wider_than_the_cluster_blocks_its_queue_or_is_refused);
    tcase_add_test(paper, a_row_that_is_due_after_the_end_of_time_never_arrives);
    tcase_add_test(paper, a_row_that_follows_another_arrives_its_think_time_after_the_end);
    tcase_add_test(paper, a_run_that_is_cut_short_runs_none_of_the_later_events);
    tcase_add_test(paper, a_job_runs_longer_than_its_owner_asked_for_unless_the_workload_stops_it);
    tcase_add_test(paper, a_command_finds_a_job_of_a_list_by_its_name);
    tcase_add_test(paper, users_of_a_list_take_turns_under_fair_share);
    tcase_add_test(paper, a_larger_priority_is_served_first);
    tcase_add_test(paper, forgetting_ended_jobs_changes_no_start);
    tcase_add_test(paper, lists_with_and_without_checkpoints_share_the_memory_of_their_jobs);
    suite_add_tcase(suite, paper);
    TCase *random = tcase_create("at random");
    tcase_add_test(random, waits_are_those_of_a_plain_replay_to_the_nanosecond);
    tcase_add_test(random, every_policy_and_placement_keeps_the_invariants);
    suite_add_tcase(suite, random);
    return suite;
}

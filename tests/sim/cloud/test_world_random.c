/* Properties of any world, over many random scenarios; the seed that fails is printed. */
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
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
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
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        Arena *arena = arena_create();
        Recording first = recording_create(arena), second = recording_create(arena);
        ck_assert_msg(run_whole(arena, seed, &first) == run_whole(arena, seed, &second), "seed %d",
                      (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

/* The hash of a recording without the records that world_run adds at the end of a run, whose time
 * is another one. */
static uint64_t hash_of_life(Recording recording)
{
    for (;; recording.count--) {
        const TraceRecord *last = &recording.items[recording.count - 1];
        bool is_held = last->kind == TRACE_NODE_BILLED && strcmp(last->name, "held") == 0;
        if (last->kind != TRACE_RUN_ENDED && last->kind != TRACE_COMMAND_SKIPPED && !is_held)
            return recording_hash(&recording);
    }
}

START_TEST(a_world_advanced_in_slices_gives_the_same_records_as_one_that_runs)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
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
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
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
                ck_assert_int_le(record->node_billed.billed_ns, record->at_ns - record->since_ns);
                ck_assert_int_gt(record->node_billed.billed_ns + NS_PER_MIN,
                                 record->at_ns - record->since_ns);
            }
            if (record->kind == TRACE_NODE_STATE)
                in_states_ns += record->at_ns - record->since_ns;
        }
        ck_assert_msg(billed_ns == held_ns && in_states_ns == held_ns, "seed %d", (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(a_job_added_to_another_cluster_changes_no_other_draw)
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

/* --- Properties of the records --- */

/* A random world that has run to its end, with all its records. */
typedef struct {
    uint64_t seed;
    Arena *arena;
    World *world;
    Recording told;
} Told;

static void each_told_of(Scenario *(*make)(Arena *arena, uint64_t seed),
                         void (*check)(const Told *told))
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        Told told = {.seed = seed, .arena = arena_create()};
        told.told = recording_create(told.arena);
        told.world = world_create(told.arena, make(told.arena, seed),
                                  recording_sink(&told.told, TRACE_LEVEL_EPOCHS));
        world_check_always(told.world);
        world_run(told.world);
        check(&told);
        arena_destroy(told.arena);
    }
}

static void each_told(void (*check)(const Told *told))
{
    each_told_of(random_scenario, check);
}

static bool is_named(const TraceRecord *record, const char *name)
{
    return strcmp(record->name, name) == 0;
}

static void spans_of_states_tile(const Told *told)
{
    uint32_t nodes = world_node_count(told->world);
    int64_t *until_ns = ARENA_ARRAY(told->arena, int64_t, nodes);
    for (uint32_t n = 0; n < nodes; n++)
        until_ns[n] = world_node(told->world, (NodeId){n})->allocated_ns;
    for (int32_t i = 0; i < told->told.count; i++) {
        const TraceRecord *record = &told->told.items[i];
        if (record->kind != TRACE_NODE_STATE)
            continue;
        ck_assert_msg(record->since_ns == until_ns[record->node.index], "seed %d, node %u",
                      (int)told->seed, record->node.index);
        until_ns[record->node.index] = record->at_ns;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        const Node *node = world_node(told->world, (NodeId){n});
        bool is_gone = node->released_ns != INT64_MAX;
        ck_assert_msg(until_ns[n] == (is_gone ? node->released_ns : node->state_since_ns),
                      "seed %d, node %u", (int)told->seed, n);
    }
}

START_TEST(the_states_of_a_node_cover_its_life_without_gap_or_overlap)
{
    each_told(spans_of_states_tile);
}
END_TEST

/* The records of the nodes that a job takes follow the record of its start. */
static void starts_take_gangs(const Told *told)
{
    for (int32_t i = 0; i < told->told.count; i++) {
        const TraceRecord *start = &told->told.items[i];
        if (start->kind != TRACE_JOB_STATE || !is_named(start, "running"))
            continue;
        int32_t taken = 0;
        for (int32_t k = i + 1; k < told->told.count; k++) {
            const TraceRecord *record = &told->told.items[k];
            if (record->kind != TRACE_NODE_STATE || record->job.index != start->job.index ||
                !is_named(record, "running") || record->at_ns != start->at_ns)
                break;
            ck_assert(record->cluster.index == start->cluster.index);
            ck_assert_int_eq(record->node_state.was, NODE_IDLE);
            taken++;
        }
        const Job *job = world_job(told->world, start->job);
        ck_assert_msg(taken == job->request.nodes, "seed %d: job %s has %d nodes, wanted %d",
                      (int)told->seed, job->path.name, taken, job->request.nodes);
    }
}

START_TEST(a_job_starts_on_exactly_the_requested_number_of_idle_nodes)
{
    each_told(starts_take_gangs);
}
END_TEST

/* Queued jobs are known from the state records. Jobs that were submitted before a job that starts
 * enter the queue before it, the first time and after a requeue. */
static void starts_keep_order(const Told *told)
{
    uint32_t jobs = world_job_count(told->world);
    bool *is_queued = ARENA_ARRAY(told->arena, bool, jobs);
    for (int32_t i = 0; i < told->told.count; i++) {
        const TraceRecord *record = &told->told.items[i];
        if (record->kind != TRACE_JOB_STATE)
            continue;
        is_queued[record->job.index] = is_named(record, "queued");
        if (!is_named(record, "running"))
            continue;
        const Job *job = world_job(told->world, record->job);
        for (uint32_t before = 0; before < record->job.index; before++) {
            const Job *other = world_job(told->world, (JobId){before});
            bool overtakes = is_queued[before] && other->cluster.index == job->cluster.index &&
                             other->spec->priority >= job->spec->priority;
            ck_assert_msg(!overtakes, "seed %d: job %s started before %s", (int)told->seed,
                          job->path.name, other->path.name);
        }
    }
}

/* A queue on one cluster that is shrunk and grown while jobs run. */
static Scenario *crowded_scenario(Arena *arena, uint64_t seed)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    for (uint64_t j = 0; j < 12; j++) {
        uint64_t word = rng_word(seed, RNG_IDENTITY, 1, j);
        int64_t duration_ns = (30 + (int64_t)(word % 300)) * NS_PER_S;
        JobSpec *spec = plain_job(arena, 1 + (int32_t)(word >> 16 & 1),
                                  plain_fixed_program(arena, duration_ns, 0));
        spec->priority = (JobPriority)(word >> 20 & 1);
        commands_create_job(&list, arena_printf(arena, "j%d", (int)j), (int64_t)j * 20 * NS_PER_S,
                            "c", spec);
    }
    for (int64_t r = 1; r <= 6; r++)
        commands_resize(&list, "c", r * 400 * NS_PER_S,
                        (int32_t)(rng_word(seed, RNG_IDENTITY, 2, (uint64_t)r) >> 60 & 3));
    commands_resize(&list, "c", 3000 * NS_PER_S, 3);
    return scenario_of(&list, seed);
}

static void all_end_well(const Told *told)
{
    starts_keep_order(told);
    for (uint32_t j = 0; j < world_job_count(told->world); j++)
        ck_assert_msg(world_job(told->world, (JobId){j})->state == JOB_SUCCEEDED, "seed %d, job %u",
                      (int)told->seed, j);
}

START_TEST(no_job_overtakes_an_earlier_one_of_its_priority_even_after_a_requeue)
{
    each_told(starts_keep_order);
    each_told_of(crowded_scenario, all_end_well);
}
END_TEST

static void images_are_pulled_once(const Told *told)
{
    for (int32_t i = 0; i < told->told.count; i++) {
        const TraceRecord *pull = &told->told.items[i];
        if (pull->kind != TRACE_JOB_STAGE || !is_named(pull, "pull"))
            continue;
        const ContainerImage *image = world_job(told->world, pull->job)->spec->image;
        for (int32_t k = 0; k < i; k++) {
            const TraceRecord *earlier = &told->told.items[k];
            bool is_again = earlier->kind == TRACE_JOB_STAGE && is_named(earlier, "pull") &&
                            earlier->node.index == pull->node.index &&
                            world_job(told->world, earlier->job)->spec->image == image;
            ck_assert_msg(!is_again, "seed %d: node %u pulls %s again", (int)told->seed,
                          pull->node.index, image->name);
        }
    }
}

START_TEST(a_node_never_pulls_an_image_twice)
{
    each_told(images_are_pulled_once);
}
END_TEST

/* On each node a stage begins when the previous one ends. The first stage begins with the job, and
 * the first stage of the program begins at the same time on all nodes. */
static void stages_follow(const Told *told)
{
    uint32_t nodes = world_node_count(told->world), jobs = world_job_count(told->world);
    int64_t *node_until_ns = ARENA_ARRAY(told->arena, int64_t, nodes);
    int64_t *job_until_ns = ARENA_ARRAY(told->arena, int64_t, jobs); // the last stage on any node
    for (int32_t i = 0; i < told->told.count; i++) {
        const TraceRecord *record = &told->told.items[i];
        if (record->kind == TRACE_NODE_STATE)
            node_until_ns[record->node.index] = record->at_ns;
        if (record->kind != TRACE_JOB_STAGE)
            continue;
        bool is_program =
            is_named(record, "start") || is_named(record, "download") || is_named(record, "data");
        int64_t after_ns = node_until_ns[record->node.index];
        bool follows = record->since_ns == after_ns ||
                       (is_program && record->since_ns == job_until_ns[record->job.index]);
        ck_assert_msg(follows, "seed %d, record %d", (int)told->seed, (int)i);
        node_until_ns[record->node.index] = record->at_ns;
        if (!is_program)
            job_until_ns[record->job.index] = record->at_ns;
    }
}

START_TEST(the_stages_of_a_job_follow_each_other_on_every_node)
{
    each_told(stages_follow);
}
END_TEST

static int64_t bytes_moved(const Told *told, JobId job, const char *kind)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < told->told.count; i++) {
        const TraceRecord *record = &told->told.items[i];
        if (record->kind == TRACE_TRANSFER && record->job.index == job.index &&
            is_named(record, kind))
            bytes += record->bytes;
    }
    return bytes;
}

static void bytes_are_those_asked_for(const Told *told)
{
    for (uint32_t j = 0; j < world_job_count(told->world); j++) {
        const Job *job = world_job(told->world, (JobId){j});
        const Program *program = job->spec->program;
        bool is_whole = job->state == JOB_SUCCEEDED && job->starts == 1;
        if (!is_whole || program->kind != PROGRAM_TRAIN)
            continue;
        int64_t read = program->data_share ? job->request.nodes * program->data_bytes : 0;
        int64_t written = program->model_share ? program->model_bytes : 0;
        // At job fidelity a checkpoint is time, not a transfer.
        if (program->checkpoint_place == PLACE_SHARE &&
            world_scenario(told->world)->fidelity != FIDELITY_JOB)
            written += program->epochs * program->steps_per_epoch /
                       program_checkpoint_steps(program) * program->checkpoint_bytes;
        ck_assert_msg(bytes_moved(told, job->id, "read") == read &&
                          bytes_moved(told, job->id, "write") == written,
                      "seed %d, job %s", (int)told->seed, job->path.name);
    }
}

START_TEST(a_program_moves_exactly_the_bytes_it_requests)
{
    each_told(bytes_are_those_asked_for);
}
END_TEST

/* A requeued job keeps the results of its last attempt; the test checks these. */
static void epochs_follow(const Told *told)
{
    for (uint32_t j = 0; j < world_job_count(told->world); j++) {
        const Job *job = world_job(told->world, (JobId){j});
        const JobAttempt *attempt = job->attempt;
        const Training *training = attempt ? attempt->training : NULL;
        if (!training)
            continue;
        int64_t until_ns = attempt->training_ns;
        for (int64_t e = training->first_epoch; e < training->epoch; e++) {
            EpochTimes epoch = job_epoch_times(job, e);
            ck_assert_msg(epoch.begin_ns == until_ns && epoch.end_ns > epoch.begin_ns &&
                              epoch.evaluated_ns >= epoch.end_ns &&
                              epoch.checkpointed_ns >= epoch.evaluated_ns,
                          "seed %d, job %s, epoch %d", (int)told->seed, job->path.name, (int)e);
            until_ns = epoch.checkpointed_ns;
        }
        if (attempt->trained_ns != INT64_MAX)
            ck_assert_msg(until_ns == attempt->trained_ns &&
                              training->epoch == training->plan.epochs,
                          "seed %d, job %s", (int)told->seed, job->path.name);
    }
}

START_TEST(epochs_follow_each_other_at_every_fidelity)
{
    each_told(epochs_follow);
}
END_TEST

/* Each attempt accounts for all of its node time, and all attempts together have the time that
 * nodes ran. */
static void attempts_add_up(const Told *told)
{
    int64_t of_attempts_ns = 0, running_ns = 0;
    uint32_t jobs = world_job_count(told->world);
    int64_t *kept = ARENA_ARRAY(told->arena, int64_t, jobs);
    for (int32_t i = 0; i < told->told.count; i++) {
        const TraceRecord *record = &told->told.items[i];
        int64_t span_ns = record->at_ns - record->since_ns;
        if (record->kind == TRACE_NODE_STATE && record->node_state.was == NODE_RUNNING)
            running_ns += span_ns;
        if (record->kind != TRACE_JOB_ATTEMPT)
            continue;
        const int64_t sum_ns = attempt_parts_ns(record);
        ck_assert_msg(sum_ns == record->job_attempt.nodes * span_ns, "seed %d, record %d",
                      (int)told->seed, (int)i);
        of_attempts_ns += sum_ns;
        ck_assert_int_ge(record->job_attempt.epochs_kept, 0);
        kept[record->job.index] += record->job_attempt.epochs_kept;
    }
    for (uint32_t n = 0; n < world_node_count(told->world); n++) {
        const Node *node = world_node(told->world, (NodeId){n});
        if (node->state == NODE_RUNNING)
            running_ns += world_now_ns(told->world) - node->state_since_ns;
    }
    ck_assert_msg(of_attempts_ns == running_ns, "seed %d", (int)told->seed);
    for (uint32_t j = 0; j < jobs; j++) {
        const Job *job = world_job(told->world, (JobId){j});
        if (job->state == JOB_SUCCEEDED && job->spec->program->kind == PROGRAM_TRAIN)
            ck_assert_msg(kept[j] == job->spec->program->epochs, "seed %d, job %s", (int)told->seed,
                          job->path.name);
    }
}

START_TEST(attempts_account_for_all_time_of_running_nodes)
{
    each_told(attempts_add_up);
}
END_TEST

/* In any state of the job: it is gone soon, and its nodes and its name are free. */
START_TEST(a_job_can_be_deleted_at_any_time)
{
    for (int64_t at_s = 0; at_s < 330; at_s++) {
        Arena *arena = arena_create();
        CommandList list = commands_begin(arena);
        Program *program = ARENA_NEW(arena, Program);
        *program = *plain_training_program(arena);
        program->checkpoint_place = PLACE_SHARE;
        program->checkpoint_share = "a/s";
        program->checkpoint_bytes = 500000000;
        const JobSpec *spec = plain_job(arena, 2, program);
        commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
        commands_create_job(&list, "j", 0, "c", spec);
        commands_add(&list, COMMAND_JOB_DELETE, "j", at_s * NS_PER_S);
        commands_create_job(&list, "j", (at_s + 5) * NS_PER_S, "c", spec);
        World *world = world_create(arena, scenario_of(&list, 1), (TraceSink){0});
        world_check_always(world);
        world_run(world);
        ck_assert_msg(world_job_count(world) == 2, "deleted at %d s", (int)at_s);
        ck_assert_int_eq(world_job(world, (JobId){0})->provisioning, PROVISIONING_DELETED);
        ck_assert_int_eq(world_job(world, (JobId){1})->state, JOB_SUCCEEDED);
        ck_assert_int_eq(world_cluster(world, (ClusterId){0})->node_count[NODE_IDLE], 2);
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("world_random");
    TCase *tests = tcase_create("properties");
    tcase_add_test(tests, every_invariant_holds_after_every_event_and_time_never_goes_back);
    tcase_add_test(tests, the_same_seed_gives_the_same_records);
    tcase_add_test(tests, a_world_advanced_in_slices_gives_the_same_records_as_one_that_runs);
    tcase_add_test(tests, node_time_billed_is_node_time_held);
    tcase_add_test(tests, a_job_added_to_another_cluster_changes_no_other_draw);
    tcase_add_test(tests, the_states_of_a_node_cover_its_life_without_gap_or_overlap);
    tcase_add_test(tests, a_job_starts_on_exactly_the_requested_number_of_idle_nodes);
    tcase_add_test(tests, no_job_overtakes_an_earlier_one_of_its_priority_even_after_a_requeue);
    tcase_add_test(tests, a_node_never_pulls_an_image_twice);
    tcase_add_test(tests, the_stages_of_a_job_follow_each_other_on_every_node);
    tcase_add_test(tests, a_program_moves_exactly_the_bytes_it_requests);
    tcase_add_test(tests, epochs_follow_each_other_at_every_fidelity);
    tcase_add_test(tests, attempts_account_for_all_time_of_running_nodes);
    tcase_add_test(tests, a_job_can_be_deleted_at_any_time);
    suite_add_tcase(suite, tests);
    return suite;
}

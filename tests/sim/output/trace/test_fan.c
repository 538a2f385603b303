/* A world with all listeners at once: live records give the same results as the trace file. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/output/explain/narrator.h"
#include "sim/output/metrics/metrics.h"
#include "sim/output/summary/summary.h"
#include "sim/output/trace/fan.h"
#include "sim/output/trace/fingerprint.h"
#include "sim/output/trace/tsv.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

/* The results of one run. */
typedef struct {
    Arena *arena;
    char *trace;
    size_t trace_length;
    const RunMetrics *metrics;
    Fingerprint fingerprint;
} Made;

typedef struct {
    FILE *stream;
    TraceTsvWriter *writer;
    MetricsFold *fold;
} Makers;

static Makers makers_begin(Made *made, const TraceHeader *header)
{
    made->arena = arena_create();
    made->fingerprint = fingerprint_start();
    Makers makers = {.stream = open_memstream(&made->trace, &made->trace_length),
                     .fold = metrics_fold_create(made->arena)};
    makers.writer = trace_tsv_writer_create(made->arena, makers.stream, header);
    return makers;
}

static void makers_end(Made *made, Makers makers)
{
    trace_tsv_writer_finish(makers.writer);
    fclose(makers.stream);
    made->metrics = metrics_fold_result(makers.fold);
}

static void made_free(Made *made)
{
    free(made->trace);
    arena_destroy(made->arena);
}

static Made made_live(uint64_t seed, World **world)
{
    Made made;
    const TraceHeader header = {.level = TRACE_LEVEL_STEPS, .scenario = "random", .seed = seed};
    const Makers makers = makers_begin(&made, &header);
    TraceFan *fan = trace_fan_create(made.arena);
    trace_fan_join(fan, trace_tsv_writer_listener(makers.writer));
    trace_fan_join(fan, metrics_fold_listener(makers.fold, TRACE_LEVEL_STEPS));
    trace_fan_join(fan, fingerprint_listener(&made.fingerprint, TRACE_LEVEL_STEPS));
    *world = world_create(made.arena, random_scenario(made.arena, seed), trace_fan_sink(fan));
    trace_fan_watch(fan, *world);
    world_run(*world);
    makers_end(&made, makers);
    return made;
}

typedef struct {
    TraceListener listeners[3];
} Several;

static void tell_several(void *listener, const TraceRow *row)
{
    const Several *several = listener;
    for (int32_t i = 0; i < 3; i++)
        several->listeners[i].row(several->listeners[i].listener, row);
}

static Made made_from_file(const Made *live, uint64_t seed)
{
    Made made;
    const TraceHeader written = {.level = TRACE_LEVEL_STEPS, .scenario = "random", .seed = seed};
    const Makers makers = makers_begin(&made, &written);
    Several several = {{trace_tsv_writer_listener(makers.writer),
                        metrics_fold_listener(makers.fold, TRACE_LEVEL_STEPS),
                        fingerprint_listener(&made.fingerprint, TRACE_LEVEL_STEPS)}};
    Problems problems = problems_create(made.arena);
    TraceHeader header;
    const bool is_right = trace_tsv_read(
        made.arena, "trace.tsv", live->trace, live->trace_length, &header,
        (TraceListener){.listener = &several, .level = TRACE_LEVEL_STEPS, .row = tell_several},
        &problems);
    ck_assert_msg(is_right, "seed %llu: line %d: %s", (unsigned long long)seed,
                  problems.count > 0 ? problems.items[0].at.line : 0,
                  problems.count > 0 ? problems.items[0].message : "");
    makers_end(&made, makers);
    return made;
}

static const char *summary_text(const Made *made)
{
    Text text = {0};
    json_print(&text,
               summary_json(made->arena, summary_of_run(made->arena, NULL, made->metrics, NULL)),
               JSON_INDENTED);
    const char *copy = arena_strdup(made->arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* Each ns of a node has one use, and the bill is divided among the uses to the last micro-dollar.
 */
static void check_uses(const ClusterMetrics *cluster, bool has_attempts, uint64_t seed)
{
    Wide use_ns[USE_COUNT];
    int64_t use_micro_usd[USE_COUNT], sum_micro_usd = 0;
    ck_assert_msg(cluster_uses(cluster, use_ns), "seed %llu: uses are not what is held",
                  (unsigned long long)seed);
    attribution_divide(cluster->cost_micro_usd, use_ns, use_micro_usd);
    for (int use = 0; use < USE_COUNT; use++)
        sum_micro_usd += use_micro_usd[use];
    ck_assert_int_eq(sum_micro_usd, cluster->cost_micro_usd);
    ck_assert_msg(!has_attempts || use_ns[USE_UNATTRIBUTED] == 0,
                  "seed %llu: %lld ns of running nodes belong to no attempt",
                  (unsigned long long)seed, (long long)use_ns[USE_UNATTRIBUTED]);
}

/* Node time is conserved: by state, by use, by bill and by job it is the same time. */
static void check_sums(const RunMetrics *run, uint64_t seed)
{
    Wide running_ns = 0, job_ns = 0;
    int64_t attempts = 0;
    for (uint32_t i = 0; i < run->job_count; i++)
        attempts += run_job(run, i)->attempts;
    for (uint32_t i = 0; i < run->cluster_count; i++) {
        const ClusterMetrics *cluster = &run->clusters[i];
        Wide in_states_ns = 0;
        for (int state = 0; state < NODE_STATE_COUNT; state++)
            in_states_ns += cluster->state_ns[state];
        ck_assert_msg(in_states_ns == cluster->held_ns, "seed %llu: states are not what is held",
                      (unsigned long long)seed);
        ck_assert(cluster->billed_ns <= cluster->held_ns);
        check_uses(cluster, attempts > 0, seed);
        running_ns += cluster->state_ns[NODE_RUNNING];
    }
    for (uint32_t i = 0; i < run->job_count; i++)
        job_ns += run_job(run, i)->node_ns;
    ck_assert_msg(running_ns == job_ns, "seed %llu: nodes ran for %lld ns, jobs for %lld ns",
                  (unsigned long long)seed, (long long)running_ns, (long long)job_ns);
    ck_assert(run->is_ended);
}

/* The folded metrics agree with the final state of the world. */
static void check_world(const RunMetrics *run, const World *world, uint64_t seed)
{
    ck_assert_uint_eq(run->cluster_count, world_cluster_count(world));
    ck_assert_uint_eq(run->job_count, world_job_count(world));
    ck_assert_int_eq(run->events, world_events(world));
    for (uint32_t i = 0; i < run->cluster_count; i++)
        ck_assert_int_eq(run->clusters[i].nodes_now,
                         world_cluster(world, (ClusterId){i})->current_nodes);
    for (uint32_t i = 0; i < run->job_count; i++) {
        const Job *job = world_job(world, (JobId){i});
        ck_assert_msg(run_job(run, i)->state == job->state, "seed %llu: job %s",
                      (unsigned long long)seed, job->path.name);
        ck_assert_int_eq(run_job(run, i)->ended_ns, job->ended_ns);
        // A queued job has been requeued as often as started, so its last requeue has no later
        // start.
        bool may_wait_again = job->state == JOB_QUEUED || job->state == JOB_FAILED;
        int32_t later_starts = job->starts > 0 ? job->starts - 1 : 0;
        ck_assert_int_ge(run_job(run, i)->restarts, later_starts);
        ck_assert_int_le(run_job(run, i)->restarts, may_wait_again ? job->starts : later_starts);
    }
}

START_TEST(live_records_and_the_trace_file_give_the_same_results)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        World *world;
        Made live = made_live(seed, &world);
        Made read = made_from_file(&live, seed);
        ck_assert_str_eq(read.trace, live.trace);
        ck_assert_msg(memcmp(&read.fingerprint, &live.fingerprint, sizeof live.fingerprint) == 0,
                      "seed %llu", (unsigned long long)seed);
        ck_assert_str_eq(summary_text(&read), summary_text(&live));
        check_sums(live.metrics, seed);
        check_world(live.metrics, world, seed);
        made_free(&read);
        made_free(&live);
    }
}
END_TEST

static void count_row(void *listener, const TraceRow *row)
{
    (void)row;
    ++*(int32_t *)listener;
}

START_TEST(a_listener_receives_its_level_independently_of_the_others)
{
    int32_t counts[3] = {0};
    Arena *arena = arena_create();
    TraceFan *fan = trace_fan_create(arena);
    for (int i = 0; i < 3; i++)
        trace_fan_join(
            fan, (TraceListener){.listener = &counts[i], .level = (TraceLevel)i, .row = count_row});
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", plain_job(arena, 1, plain_training_program(arena)));
    World *world = world_create(arena, scenario_of(&list, 1), trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    world_run(world);
    ck_assert_int_gt(counts[TRACE_LEVEL_JOBS], 10);
    // 4 epochs of 10 steps by one rank; an epoch has at least one record.
    ck_assert_int_ge(counts[TRACE_LEVEL_EPOCHS], counts[TRACE_LEVEL_JOBS] + 4);
    ck_assert_int_eq(counts[TRACE_LEVEL_STEPS], counts[TRACE_LEVEL_EPOCHS] + 40);
    arena_destroy(arena);
}
END_TEST

START_TEST(the_narrator_prints_the_table_of_each_show_command)
{
    // Allocation takes 100 s, preparation 130 s (plain_service).
    Arena *arena = arena_create();
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    Narrator *narrator = narrator_create(arena, stream);
    TraceFan *fan = trace_fan_create(arena);
    trace_fan_join(fan, narrator_listener(narrator));
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "j", 0, "c",
                        plain_job(arena, 2, plain_fixed_program(arena, 60 * NS_PER_S, 3)));
    commands_add(&list, COMMAND_CLUSTER_SHOW, "c", 120 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_SHOW, "j", 120 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_FILES, "j", 120 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_SHOW, "j", 400 * NS_PER_S);
    Scenario *scenario = scenario_of(&list, 1);
    scenario->start_unix_ms = INT64_C(1531935900000);
    World *world = world_create(arena, scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    narrator_watch(narrator, world);
    world_run(world);
    fclose(stream);
    ck_assert_str_eq(
        text,
        "2018-07-18T17:47:00Z, after 2 min\n"
        "$ az batchai cluster show --name c --workspace w --resource-group g --output table\n"
        "Name    Resource Group    Workspace    VM Size       State      Idle    Running    "
        "Preparing    Leaving    Unusable\n"
        "------  ----------------  -----------  ------------  -------  ------  ---------  "
        "-----------  ---------  ----------\n"
        "c       g                 w            STANDARD_NC6  steady        0          0           "
        " "
        "2          0           0\n"
        "\n"
        "2018-07-18T17:47:00Z, after 2 min\n"
        "$ az batchai job show --experiment e --name j --resource-group g --workspace w --output "
        "table\n"
        "Name    Cluster    Cluster RG    Cluster Workspace    Tool      Nodes  State    Exit "
        "code\n"
        "------  ---------  ------------  -------------------  ------  -------  -------  "
        "-----------\n"
        "j       c          g             w                    custom        2  queued\n"
        "\n"
        "2018-07-18T17:47:00Z, after 2 min\n"
        "$ az batchai job file list --experiment e --job j --resource-group g --workspace w "
        "--output table\n"
        "\n"
        "2018-07-18T17:51:40Z, after 6 min 40 s\n"
        "$ az batchai job show --experiment e --name j --resource-group g --workspace w --output "
        "table\n"
        "Name    Cluster    Cluster RG    Cluster Workspace    Tool      Nodes  State      Exit "
        "code\n"
        "------  ---------  ------------  -------------------  ------  -------  -------  "
        "-----------\n"
        "j       c          g             w                    custom        2  failed             "
        "3\n"
        "\n");
    free(text);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("trace_fan");
    TCase *tests = tcase_create("trace_fan");
    tcase_add_test(tests, live_records_and_the_trace_file_give_the_same_results);
    tcase_add_test(tests, a_listener_receives_its_level_independently_of_the_others);
    tcase_add_test(tests, the_narrator_prints_the_table_of_each_show_command);
    suite_add_tcase(suite, tests);
    return suite;
}

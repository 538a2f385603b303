/* Little's law on finite runs, exactly: the time that jobs or nodes spend in a state, added up,
 * equals their number in the state, integrated over time. The records give the times; the world
 * between instants gives the numbers. A state that lasts at the end of a run counts up to the end.
 * (J. D. C. Little, "A proof for the queuing formula L = lambda W", 1961.) */
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/theory.h"

typedef struct {
    World *world;
    int64_t since_ns; /* the counts below hold since this time */
    int64_t job_count[JOB_STATE_COUNT];
    int64_t node_count[NODE_STATE_COUNT];
    int64_t seen_job_ns[JOB_STATE_COUNT]; /* from the world: counts times time */
    int64_t seen_node_ns[NODE_STATE_COUNT];
    int64_t recorded_job_ns[JOB_STATE_COUNT]; /* from the records: spans that end */
    int64_t recorded_node_ns[NODE_STATE_COUNT];
} Ledger;

static void add_up(Ledger *ledger, int64_t until_ns)
{
    for (int32_t s = 0; s < JOB_STATE_COUNT; s++)
        ledger->seen_job_ns[s] += ledger->job_count[s] * (until_ns - ledger->since_ns);
    for (int32_t s = 0; s < NODE_STATE_COUNT; s++)
        ledger->seen_node_ns[s] += ledger->node_count[s] * (until_ns - ledger->since_ns);
    ledger->since_ns = until_ns;
}

static void look(void *listener, int64_t at_ns)
{
    Ledger *ledger = listener;
    add_up(ledger, at_ns);
    memset(ledger->job_count, 0, sizeof ledger->job_count);
    memset(ledger->node_count, 0, sizeof ledger->node_count);
    for (uint32_t j = 0; j < world_job_count(ledger->world); j++)
        ledger->job_count[world_job(ledger->world, (JobId){j})->state]++;
    for (uint32_t n = 0; n < world_node_count(ledger->world); n++) {
        NodeState state = world_node(ledger->world, (NodeId){n})->state;
        if (state != NODE_STATE_COUNT)
            ledger->node_count[state]++;
    }
}

static int32_t job_state_named(const char *name)
{
    int32_t state = 0;
    while (strcmp(job_state_name((JobState)state), name) != 0)
        state++;
    return state;
}

/* A record of a change closes the span of the previous state. The record of a job does not name
 * that state, so `before` keeps it. */
static void hear(void *listener, const TraceRecord *record)
{
    static int32_t before[1000];
    Ledger *ledger = listener;
    int64_t span_ns = record->at_ns - record->since_ns;
    if (record->kind == TRACE_NODE_STATE && record->node_state.was < NODE_STATE_COUNT)
        ledger->recorded_node_ns[record->node_state.was] += span_ns;
    if (record->kind != TRACE_JOB_STATE)
        return;
    ck_assert_uint_lt(record->job.index, 1000);
    if (span_ns > 0) // a job has no state before its creation
        ledger->recorded_job_ns[before[record->job.index]] += span_ns;
    before[record->job.index] = job_state_named(record->name);
}

/* Adds the states at the end, which have no closing record. */
static void add_rest(Ledger *ledger)
{
    int64_t end_ns = world_now_ns(ledger->world);
    for (uint32_t j = 0; j < world_job_count(ledger->world); j++) {
        const Job *job = world_job(ledger->world, (JobId){j});
        ledger->recorded_job_ns[job->state] += end_ns - job->state_since_ns;
    }
    for (uint32_t n = 0; n < world_node_count(ledger->world); n++) {
        const Node *node = world_node(ledger->world, (NodeId){n});
        if (node->state != NODE_STATE_COUNT)
            ledger->recorded_node_ns[node->state] += end_ns - node->state_since_ns;
    }
}

static Ledger keep_ledger(Arena *arena, const Scenario *scenario)
{
    Ledger ledger = {0};
    const TraceSink sink = {
        .listener = &ledger, .level = TRACE_LEVEL_JOBS, .record = hear, .instant = look};
    ledger.world = world_create(arena, scenario, sink);
    world_run(ledger.world);
    add_up(&ledger, world_now_ns(ledger.world));
    add_rest(&ledger);
    return ledger;
}

START_TEST(time_in_states_is_the_integral_of_counts)
{
    int64_t jobs_ns = 0, nodes_ns = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Arena *arena = arena_create();
        const Ledger ledger = keep_ledger(arena, random_scenario(arena, seed));
        for (int32_t s = 0; s < JOB_STATE_COUNT; s++) {
            ck_assert_msg(ledger.recorded_job_ns[s] == ledger.seen_job_ns[s], "seed %d, jobs %s",
                          (int)seed, job_state_name((JobState)s));
            jobs_ns += ledger.recorded_job_ns[s];
        }
        for (int32_t s = 0; s < NODE_STATE_COUNT; s++) {
            ck_assert_msg(ledger.recorded_node_ns[s] == ledger.seen_node_ns[s], "seed %d, nodes %s",
                          (int)seed, node_state_name((NodeState)s));
            nodes_ns += ledger.recorded_node_ns[s];
        }
        arena_destroy(arena);
    }
    // An identity of two zeros would prove nothing.
    ck_assert_int_gt(jobs_ns, 0);
    ck_assert_int_gt(nodes_ns, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("little");
    TCase *tests = tcase_create("little");
    tcase_add_test(tests, time_in_states_is_the_integral_of_counts);
    suite_add_tcase(suite, tests);
    return suite;
}

/* Queues that take their guarantee back: examples on paper, and random worlds whose records are
 * checked by rules that are written down here once more. */
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/policy/queue_share.h"
#include "sim/cloud/tables.h"
#include "sim/engine/rng.h"
#include "tests/support/queue_fixture.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

enum { JOBS_MAX = 50 };

/* --- On paper --- */

START_TEST(a_queue_takes_its_guarantee_back_after_the_wait)
{
    // Four nodes of one GPU. b borrows all until 1000 s. At 10 s a waits for two of its three. At
    // 40 s the two newest of b stop; they return at 90 s, when a has ended.
    const QueueSpec queues[] = {reclaiming(3, 30), queue(1)};
    add_cluster(4, 1, queues, 2);
    for (int32_t i = 0; i < 4; i++)
        add_job(arena_printf(arena, "b%d", (int)i), 1 + i, 1, 1, 1000);
    add_job("a", 10, 0, 2, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(4, 0), 40);
    ck_assert_int_eq(start_s(0, 1), -1);
    ck_assert_int_eq(start_s(1, 1), -1);
    ck_assert_int_eq(start_s(2, 1), 90);
    ck_assert_int_eq(start_s(3, 1), 90);
    const TraceRecord *record = recording_find(&recording, TRACE_QUEUE_RECLAIMS, "a", 0);
    ck_assert_int_eq(record->since_ns, 10 * NS_PER_S);
    ck_assert_int_eq(record->queue_reclaims.jobs, 2);
    ck_assert_int_eq(record->queue_reclaims.slots, 2);
    ck_assert_int_eq(reclaims(), 1);
}
END_TEST

START_TEST(without_the_member_no_job_is_stopped)
{
    const QueueSpec queues[] = {queue(3), queue(1)};
    add_cluster(4, 1, queues, 2);
    add_job("b", 1, 1, 4, 1000);
    add_job("a", 10, 0, 2, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(1, 0), 1001);
    ck_assert_int_eq(reclaims(), 0);
}
END_TEST

START_TEST(a_guarantee_covers_jobs_by_priority_and_start)
{
    // Six GPUs; b is guaranteed 3. It runs b0 (2, normal), b1 (2, normal), b2 (1, low) and b3 (1,
    // high). Covered: b3 and b0, together 3. So b1 and b2 borrow, and b2 has the lower priority.
    const QueueSpec queues[] = {reclaiming(3, 0), queue(3)};
    add_cluster(6, 1, queues, 2);
    add_job("b0", 1, 1, 2, 1000);
    add_job("b1", 2, 1, 2, 1000);
    add_job("b2", 3, 1, 1, 1000)->priority = PRIORITY_LOW;
    add_job("b3", 4, 1, 1, 1000)->priority = PRIORITY_HIGH;
    add_job("a0", 10, 0, 1, 100);
    add_job("a1", 20, 0, 2, 100);
    add_job("a2", 30, 0, 1, 100); // beyond the guarantee of a: it waits
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(4, 0), 10);
    ck_assert_uint_eq(recording_find(&recording, TRACE_JOB_RECLAIMED, "b", 0)->job.index, 2);
    ck_assert_int_eq(start_s(5, 0), 20);
    ck_assert_int_eq(start_s(6, 0), 110);
    ck_assert_int_eq(reclaims(), 2);
    ck_assert_int_eq(start_s(0, 1), -1);
    ck_assert_int_eq(start_s(3, 1), -1);
}
END_TEST

START_TEST(no_more_jobs_are_stopped_than_are_needed)
{
    // The newest job that borrows has one GPU of the three that a needs, the next one has all.
    const QueueSpec queues[] = {reclaiming(3, 0), queue(0)};
    add_cluster(4, 1, queues, 2);
    add_job("b0", 1, 1, 3, 1000);
    add_job("b1", 2, 1, 1, 1000);
    add_job("a", 10, 0, 3, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(2, 0), 10);
    ck_assert_int_eq(start_s(0, 1), 60);
    ck_assert_int_eq(start_s(1, 1), -1);
}
END_TEST

START_TEST(no_job_is_stopped_in_vain)
{
    // Two nodes of four GPUs. x makes b1 start on the second node. From 5 s on the guarantee of b
    // covers b0 and b1, one on each node, and b2 and b3 borrow the rest. a needs a whole node: b2
    // and b3 have as many GPUs, but not on one node. At 1006 s the first node is free.
    const QueueSpec queues[] = {reclaiming(4, 0), queue(4)};
    add_cluster(2, 4, queues, 2);
    add_job("b0", 1, 1, 2, 1000);
    add_job("x", 2, 1, 2, 3);
    add_job("b1", 3, 1, 2, 1000);
    add_job("b2", 6, 1, 2, 1000);
    add_job("b3", 7, 1, 2, 1000);
    add_job("a", 10, 0, 4, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(5, 0), 1006);
    ck_assert_int_eq(reclaims(), 0);
}
END_TEST

START_TEST(a_job_larger_than_the_guarantee_of_its_queue_borrows)
{
    // Both queues are guaranteed half and reclaim it at once. b runs a job on all four GPUs. It is
    // stopped for a, and may not take a's GPUs back, because it is not within the guarantee of b.
    const QueueSpec queues[] = {reclaiming(2, 0), reclaiming(2, 0)};
    add_cluster(4, 1, queues, 2);
    add_job("b", 1, 1, 4, 100);
    add_job("a", 11, 0, 2, 50);
    const World *world = run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(1, 0), 11);
    ck_assert_int_eq(start_s(0, 1), 61);
    ck_assert_int_eq(world_job(world, (JobId){0})->ended_ns / NS_PER_S,
                     151); // 10 s of 100 are done
    ck_assert_int_eq(reclaims(), 1);
}
END_TEST

START_TEST(a_protected_queue_keeps_what_it_borrows)
{
    QueueSpec queues[] = {reclaiming(2, 0), queue(0), queue(0)};
    queues[2].is_protected = true;
    add_cluster(4, 1, queues, 3);
    add_job("c", 1, 2, 2, 1000);
    add_job("b", 2, 1, 2, 1000);
    add_job("a0", 10, 0, 1, 50);
    add_job("a1", 20, 0, 1, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(2, 0), 10);
    ck_assert_int_eq(start_s(3, 0), 20);
    ck_assert_int_eq(start_s(0, 1), -1);
    ck_assert_int_eq(reclaims(), 1); // a1 takes the second GPU of b's stopped job
}
END_TEST

START_TEST(the_queue_with_the_largest_part_of_its_guarantee_gives_first)
{
    // b has 4 of 2, c has 3 of 1: c gives first, although the job of b is newer. Then b has 4 / 2
    // and c 2 / 1, which is equal: the later queue gives. Then c has 1 / 1, and b gives.
    const QueueSpec queues[] = {reclaiming(4, 0), queue(2), queue(1)};
    add_cluster(7, 1, queues, 3);
    for (int32_t i = 0; i < 3; i++)
        add_job(arena_printf(arena, "c%d", (int)i), 1 + i, 2, 1, 1000);
    for (int32_t i = 0; i < 4; i++)
        add_job(arena_printf(arena, "b%d", (int)i), 4 + i, 1, 1, 1000);
    for (int32_t i = 0; i < 4; i++)
        add_job(arena_printf(arena, "a%d", (int)i), 10 + i, 0, 1, 100);
    static const uint32_t stopped[] = {2, 1, 6, 5};
    run_world(POLICY_SERVICE);
    for (int32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(start_s(7 + (uint32_t)i, 0), 10 + i);
        ck_assert_uint_eq(recording_find(&recording, TRACE_JOB_RECLAIMED, NULL, i)->job.index,
                          stopped[i]);
    }
    ck_assert_int_eq(reclaims(), 4);
}
END_TEST

/* When the second job of a starts: the first one is longer, and beyond the guarantee of a. */
static int64_t second_start_s(PolicyKind policy)
{
    const QueueSpec queues[] = {reclaiming(2, 0), queue(0)};
    add_cluster(4, 1, queues, 2);
    add_job("b", 1, 1, 4, 1000);
    add_job("long", 10, 0, 3, 500);
    add_job("short", 11, 0, 2, 50);
    run_world(policy);
    return start_s(2, 0);
}

START_TEST(the_claim_is_for_the_job_that_the_policy_starts_next)
{
    ck_assert_int_eq(second_start_s(POLICY_SHORTEST), 11);
}
END_TEST

START_TEST(a_job_beyond_the_guarantee_claims_nothing_for_those_after_it)
{
    ck_assert_int_eq(second_start_s(POLICY_SERVICE), 1501); // long from 1001 s on, on 3 of 4
}
END_TEST

START_TEST(a_claim_ends_with_the_wait)
{
    // a waits from 10 s on, and is terminated at 30 s. Its next job waits for another 40 s.
    const QueueSpec queues[] = {reclaiming(2, 40), queue(0)};
    add_cluster(2, 1, queues, 2);
    add_job("b", 1, 1, 2, 1000);
    add_job("a0", 10, 0, 1, 50);
    commands_add(&list, COMMAND_JOB_TERMINATE, "a0", 30 * NS_PER_S);
    add_job("a1", 35, 0, 1, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(2, 0), 75);
}
END_TEST

START_TEST(backfill_claims_for_its_first_job_and_lets_no_later_one_take_its_gpus)
{
    // a is guaranteed 3. Its first job needs 3, the second 1, which would fit if one job of b
    // stopped; but the policy starts the first one when all are free, so both jobs of b stop.
    const QueueSpec queues[] = {reclaiming(3, 20), queue(0)};
    add_cluster(3, 1, queues, 2);
    add_job("b0", 1, 1, 2, 1000);
    add_job("b1", 2, 1, 1, 1000);
    add_job("first", 10, 0, 3, 50);
    add_job("second", 11, 0, 1, 10);
    run_world(POLICY_BACKFILL);
    ck_assert_int_eq(start_s(2, 0), 30);
    ck_assert_int_eq(start_s(3, 0), 80);
    ck_assert_int_eq(reclaims(), 1);
}
END_TEST

/* --- At random --- */

typedef struct {
    int32_t queue, priority;
    int64_t slots, run_ns, ran_ns, started_ns;
    bool waits, runs;
} ModelJob;

/* A cluster of nodes of one GPU, as records show it. */
typedef struct {
    const QueueSpec *queues;
    ModelJob jobs[JOBS_MAX];
    int32_t count;
    int64_t nodes;
    int64_t owed_since_ns[QUEUES];
    uint64_t seed;
} Model;

static int64_t used(const Model *model, int32_t of_queue)
{
    int64_t slots = 0;
    for (int32_t i = 0; i < model->count; i++)
        if (model->jobs[i].runs && (of_queue < 0 || model->jobs[i].queue == of_queue))
            slots += model->jobs[i].slots;
    return slots;
}

/* Whether the guarantee covers `a` before `b`, of the same queue. */
static bool is_covered_first(const Model *model, int32_t a, int32_t b)
{
    const ModelJob *x = &model->jobs[a], *y = &model->jobs[b];
    if (x->priority != y->priority)
        return x->priority > y->priority;
    return x->started_ns != y->started_ns ? x->started_ns < y->started_ns : a < b;
}

static bool is_covered(const Model *model, int32_t wanted)
{
    bool is_done[JOBS_MAX] = {false};
    const int32_t of_queue = model->jobs[wanted].queue;
    int64_t left = model->queues[of_queue].guaranteed;
    for (;;) {
        int32_t next = -1;
        for (int32_t i = 0; i < model->count; i++)
            if (model->jobs[i].runs && model->jobs[i].queue == of_queue && !is_done[i] &&
                (next < 0 || is_covered_first(model, i, next)))
                next = i;
        const bool fits = model->jobs[next].slots <= left;
        if (next == wanted)
            return fits;
        is_done[next] = true;
        left -= fits ? model->jobs[next].slots : 0;
    }
}

/* The slots that could be taken for the queue. */
static int64_t borrowed(const Model *model, int32_t for_queue)
{
    int64_t slots = 0;
    for (int32_t i = 0; i < model->count; i++)
        if (model->jobs[i].runs && model->jobs[i].queue != for_queue &&
            !model->queues[model->jobs[i].queue].is_protected && !is_covered(model, i))
            slots += model->jobs[i].slots;
    return slots;
}

/* The first waiting job in the service's order; -1: none. */
static int32_t head(const Model *model, int32_t of_queue)
{
    int32_t first = -1;
    for (int32_t i = 0; i < model->count; i++)
        if (model->jobs[i].waits && model->jobs[i].queue == of_queue &&
            (first < 0 || model->jobs[i].priority > model->jobs[first].priority))
            first = i;
    return first;
}

/* The state lasts from now to `until_ns`: no queue waits for longer than it must while its
 * guarantee could be reclaimed. */
static void check_guarantees(Model *model, int64_t now_ns, int64_t until_ns)
{
    for (int32_t q = 0; q < QUEUES; q++) {
        const QueueSpec *spec = &model->queues[q];
        const int32_t first = head(model, q);
        const bool is_owed =
            first >= 0 && used(model, q) + model->jobs[first].slots <= spec->guaranteed;
        if (!is_owed) {
            model->owed_since_ns[q] = INT64_MAX;
            continue;
        }
        if (model->owed_since_ns[q] == INT64_MAX)
            model->owed_since_ns[q] = now_ns;
        const int64_t free = model->nodes - used(model, -1);
        ck_assert_msg(free < model->jobs[first].slots, "seed %d: job %d fits", (int)model->seed,
                      (int)first);
        if (spec->reclaims && until_ns > model->owed_since_ns[q] + spec->reclaim_after_ns)
            ck_assert_msg(free + borrowed(model, q) < model->jobs[first].slots,
                          "seed %d: queue %d has waited too long at %d s", (int)model->seed, (int)q,
                          (int)(until_ns / NS_PER_S));
    }
}

/* A queue reclaims at record `at`: the stopped jobs borrow, all are needed, and the job starts. */
static void check_reclaim(const Model *model, int32_t at)
{
    const TraceRecord *record = &recording.items[at];
    const int32_t job = (int32_t)record->job.index, of_queue = model->jobs[job].queue;
    const int64_t free = model->nodes - used(model, -1), needed = model->jobs[job].slots;
    int64_t slots = 0, least = INT64_MAX, count = 0;
    bool has_started = false;
    ck_assert(used(model, of_queue) + needed <= model->queues[of_queue].guaranteed);
    for (int32_t i = at + 1; recording.items[i].kind != TRACE_QUEUE_RECLAIMS && !has_started &&
                             recording.items[i].at_ns == record->at_ns;
         i++) {
        const TraceRecord *next = &recording.items[i];
        if (next->kind == TRACE_JOB_RECLAIMED) {
            const int64_t given = model->jobs[next->job.index].slots;
            ck_assert_msg(!is_covered(model, (int32_t)next->job.index), "seed %d: job %d",
                          (int)model->seed, (int)next->job.index);
            ck_assert(!model->queues[model->jobs[next->job.index].queue].is_protected);
            slots += given;
            least = given < least ? given : least;
            count++;
        }
        has_started = next->kind == TRACE_JOB_STATE && next->job.index == record->job.index &&
                      strcmp(next->name, "running") == 0;
    }
    ck_assert_msg(has_started, "seed %d: jobs were stopped in vain", (int)model->seed);
    ck_assert(count == record->queue_reclaims.jobs && slots == record->queue_reclaims.slots);
    ck_assert(free + slots >= needed);
    ck_assert_msg(free + slots - least < needed, "seed %d: a job was not needed", (int)model->seed);
}

static void follow(Model *model, const TraceRecord *record)
{
    if (record->kind != TRACE_JOB_STATE)
        return;
    ModelJob *job = &model->jobs[record->job.index];
    if (job->runs)
        job->ran_ns += record->at_ns - job->started_ns;
    job->waits = strcmp(record->name, "queued") == 0;
    job->runs = strcmp(record->name, "running") == 0;
    if (job->runs)
        job->started_ns = record->at_ns;
}

/* The guarantees of all queues are only promised under the service's order: other policies may
 * leave the first job out. */
static void check_records(Model *model, bool checks_guarantees)
{
    for (int32_t q = 0; q < QUEUES; q++)
        model->owed_since_ns[q] = INT64_MAX;
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (checks_guarantees && i > 0 && record->at_ns > recording.items[i - 1].at_ns &&
            recording.items[i - 1].at_ns > 0)
            check_guarantees(model, recording.items[i - 1].at_ns, record->at_ns);
        if (record->kind == TRACE_QUEUE_RECLAIMS)
            check_reclaim(model, i);
        follow(model, record);
    }
    for (int32_t i = 0; i < model->count; i++) // no work is lost, and none is done twice
        ck_assert_msg(model->jobs[i].ran_ns == model->jobs[i].run_ns, "seed %d, job %d",
                      (int)model->seed, (int)i);
}

static void draw_queues(uint64_t seed, int64_t slots, QueueSpec *queues)
{
    int64_t left = slots;
    for (int32_t q = 0; q < QUEUES; q++) {
        const uint64_t word = rng_word(seed, RNG_IDENTITY, 3, (uint64_t)q);
        queues[q] = queue((int64_t)(word % (uint64_t)(left + 1)));
        left -= queues[q].guaranteed; // the guarantees are within the cluster
        queues[q].reclaims = queues[q].guaranteed > 0 && (word >> 20) % 4 > 0;
        queues[q].reclaim_after_ns = (int64_t)((word >> 24) % 3 * 20) * NS_PER_S;
        queues[q].is_protected = (word >> 32) % 6 == 0;
    }
}

static void draw_jobs(uint64_t seed, uint64_t gpus_most, Model *model)
{
    int64_t at_s = 1;
    model->count = 5 + (int32_t)(rng_word(seed, RNG_IDENTITY, 1, 0) % (JOBS_MAX - 5));
    for (int32_t i = 0; i < model->count; i++) {
        const uint64_t word = rng_word(seed, RNG_IDENTITY, 2, (uint64_t)i);
        ModelJob *job = &model->jobs[i];
        at_s += (int64_t)(word % 30);
        *job = (ModelJob){.queue = (int32_t)((word >> 24) % QUEUES),
                          .priority = (int32_t)((word >> 32) % PRIORITY_COUNT),
                          .slots = 1 + (int64_t)((word >> 40) % gpus_most),
                          .run_ns = (1 + (int64_t)(word >> 8) % 200) * NS_PER_S};
        add_job(arena_printf(arena, "j%d", (int)i), at_s, job->queue, (int32_t)job->slots,
                job->run_ns / NS_PER_S)
            ->priority = (JobPriority)job->priority;
    }
}

START_TEST(random_guarantees_are_kept)
{
    int32_t count = 0;
    for (uint64_t seed = 0; seed < (uint64_t)case_count(560); seed++) {
        const PolicyKind policy = (PolicyKind)(seed % POLICY_COUNT);
        QueueSpec queues[QUEUES];
        Model model = {.queues = queues, .nodes = 8, .seed = seed};
        begin();
        draw_queues(seed, model.nodes, queues);
        add_cluster(8, 1, queues, QUEUES);
        draw_jobs(seed, 5, &model);
        run_world(policy);
        check_records(&model, policy == POLICY_SERVICE);
        count += reclaims();
        end();
    }
    ck_assert_int_gt(count, case_count(400));
}
END_TEST

/* On nodes of several GPUs a job may not find all that is free. */
START_TEST(random_gangs_on_shared_nodes_start_when_jobs_are_stopped_for_them)
{
    int32_t count = 0;
    for (uint64_t seed = 0; seed < (uint64_t)case_count(140); seed++) {
        QueueSpec queues[QUEUES];
        Model model = {.queues = queues, .nodes = 12, .seed = seed};
        begin();
        draw_queues(seed + 1000, model.nodes, queues);
        add_cluster(3, 4, queues, QUEUES);
        draw_jobs(seed + 1000, 7, &model);
        const World *world = run_world((PolicyKind)(seed % POLICY_COUNT));
        for (int32_t i = 0; i < model.count; i++)
            ck_assert_msg(world_job(world, (JobId){(uint32_t)i})->state == JOB_SUCCEEDED,
                          "seed %d, job %d", (int)seed, (int)i);
        count += reclaims();
        end();
    }
    ck_assert_int_gt(count, case_count(100));
}
END_TEST

/* Nodes of two kinds: two of four GPUs, and four of one GPU. */
static void add_kinds(const QueueSpec *queues)
{
    NodeKind *kinds = ARENA_ARRAY(arena, NodeKind, 2);
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    add_cluster(1, 1, queues, QUEUES);
    kinds[0] = (NodeKind){
        .name = "large", .vm_size = vm_size_of_gpus(arena, 4), .target_nodes = 2, .speed_ppm = PPM};
    kinds[1] = (NodeKind){
        .name = "small", .vm_size = vm_size_of_gpus(arena, 1), .target_nodes = 4, .speed_ppm = PPM};
    Command *create = &list.items[list.count - 1];
    *spec = *create->as.cluster_create;
    spec->vm_size = kinds[0].vm_size;
    spec->kind_count = 2;
    spec->kinds = kinds;
    spec->target_nodes = 6;
    create->as.cluster_create = spec;
}

/* Some jobs ask for whole nodes, for the same GPUs on each node, for cores, or for one kind of
 * nodes; some are terminated. */
static void vary(uint64_t seed, const Model *model)
{
    for (int32_t i = 0, j = 0; j < model->count; i++) {
        if (list.items[i].kind != COMMAND_JOB_CREATE)
            continue;
        const uint64_t word = rng_word(seed, RNG_IDENTITY, 4, (uint64_t)j++);
        JobSpec *spec = ARENA_NEW(arena, JobSpec);
        *spec = *list.items[i].as.job_create.spec;
        spec->asks_for = word % 4 == 0   ? REQUEST_NODES
                         : word % 4 == 1 ? REQUEST_GPUS_PER_NODE
                                         : REQUEST_GPUS;
        if (spec->asks_for == REQUEST_NODES)
            spec->gpus = 0;
        if (spec->asks_for == REQUEST_GPUS_PER_NODE)
            spec->gpus = 1 + (spec->gpus - 1) % 4;
        spec->nodes = spec->asks_for != REQUEST_GPUS ? 1 + (int32_t)((word >> 8) % 2) : 1;
        spec->cpus = spec->asks_for == REQUEST_GPUS && word % 3 == 0 ? spec->gpus : 0;
        spec->kinds = (word >> 16) % 4 == 0 ? kind_set_of((int32_t)((word >> 20) % 2)) : 0;
        list.items[i].as.job_create.spec = spec;
        const char *name = list.items[i].path.name;
        const int64_t end_ns =
            list.items[i].trigger.delay_ns + (int64_t)((word >> 24) % 300) * NS_PER_S;
        if ((word >> 40) % 4 == 0)
            commands_add(&list, COMMAND_JOB_TERMINATE, name, end_ns);
    }
}

/* Each job that is stopped is followed, at the same instant, by the start of the job for which a
 * queue reclaims. */
static void check_starts(uint64_t seed)
{
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        bool has_started = record->kind != TRACE_QUEUE_RECLAIMS;
        for (int32_t j = i + 1; !has_started && recording.items[j].at_ns == record->at_ns; j++)
            has_started = recording.items[j].kind == TRACE_JOB_STATE &&
                          recording.items[j].job.index == record->job.index &&
                          strcmp(recording.items[j].name, "running") == 0;
        ck_assert_msg(has_started, "seed %d", (int)seed);
    }
}

START_TEST(random_requests_on_two_kinds_of_nodes_start_when_jobs_are_stopped_for_them)
{
    int32_t count = 0;
    for (uint64_t seed = 0; seed < (uint64_t)case_count(280); seed++) {
        QueueSpec queues[QUEUES];
        Model model = {.queues = queues, .nodes = 12, .seed = seed};
        begin();
        draw_queues(seed + 2000, model.nodes, queues);
        add_kinds(queues);
        draw_jobs(seed + 2000, 7, &model);
        vary(seed, &model);
        Scenario *scenario = scenario_of(&list, 1);
        scenario->service = ideal_service(arena);
        scenario->service.job_terminate_ns = constant(arena, 7 * NS_PER_S);
        scenario->policy = (PolicyKind)(seed % POLICY_COUNT);
        scenario->placement = (PlacementKind)(seed / POLICY_COUNT % PLACEMENT_COUNT);
        scenario->until_ns = NS_PER_DAY;
        World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
        world_check_always(world);
        world_run(world);
        check_starts(seed);
        count += reclaims();
        end();
    }
    ck_assert_int_gt(count, case_count(100));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("reclaim");
    TCase *tests = tcase_create("reclaim");
    TCase *random = tcase_create("random");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_queue_takes_its_guarantee_back_after_the_wait);
    tcase_add_test(tests, without_the_member_no_job_is_stopped);
    tcase_add_test(tests, a_guarantee_covers_jobs_by_priority_and_start);
    tcase_add_test(tests, no_more_jobs_are_stopped_than_are_needed);
    tcase_add_test(tests, no_job_is_stopped_in_vain);
    tcase_add_test(tests, a_job_larger_than_the_guarantee_of_its_queue_borrows);
    tcase_add_test(tests, a_protected_queue_keeps_what_it_borrows);
    tcase_add_test(tests, the_queue_with_the_largest_part_of_its_guarantee_gives_first);
    tcase_add_test(tests, the_claim_is_for_the_job_that_the_policy_starts_next);
    tcase_add_test(tests, a_job_beyond_the_guarantee_claims_nothing_for_those_after_it);
    tcase_add_test(tests, a_claim_ends_with_the_wait);
    tcase_add_test(tests, backfill_claims_for_its_first_job_and_lets_no_later_one_take_its_gpus);
    suite_add_tcase(suite, tests);
    tcase_add_test(random, random_guarantees_are_kept);
    tcase_add_test(random, random_gangs_on_shared_nodes_start_when_jobs_are_stopped_for_them);
    tcase_add_test(random,
                   random_requests_on_two_kinds_of_nodes_start_when_jobs_are_stopped_for_them);
    suite_add_tcase(suite, random);
    return suite;
}

#include "tests/support/queues.h"

#include <check.h>
#include <string.h>

/* Words of the test's own random numbers, after those of the arrivals. */
enum { DRAWS_OF_SIZES = 1 << 30, DRAWS_OF_LENGTHS = 1 << 29 };

/* The size of a job, by a uniform word. */
static int32_t drawn_size(const Queue *queue, uint64_t word)
{
    double uniform = (double)(word >> 11) * 0x1p-53;
    int32_t size = 0;
    while (size + 1 < QUEUE_SIZES_MOST && uniform >= queue->chances[size] &&
           queue->sizes[size + 1] > 0)
        uniform -= queue->chances[size++];
    return size;
}

typedef struct {
    const Queue *queue;
    uint64_t seed;
    QueueJob *jobs;
    int32_t counted;
} Times;

static void hear(void *listener, const TraceRecord *record)
{
    Times *times = listener;
    const int32_t others = times->queue->setup > 0;
    const int32_t number = (int32_t)record->job.index - others - times->queue->warm_up;
    if (record->kind != TRACE_JOB_STATE || number < 0)
        return;
    QueueJob *job = &times->jobs[number];
    const double now = (double)record->at_ns / (double)QUEUE_UNIT_NS;
    if (strcmp(record->name, "queued") == 0 && job->size == 0) {
        const uint64_t word = theory_word(times->seed, DRAWS_OF_SIZES + record->job.index);
        job->size = times->queue->sizes[drawn_size(times->queue, word)];
        job->size = job->size > 0 ? job->size : 1;
        job->submitted = now;
    }
    if (strcmp(record->name, "running") == 0)
        job->wait = now - job->submitted;
    if (strcmp(record->name, "succeeded") == 0)
        job->stay = now - job->submitted;
    job->is_rejected = record->cause == CAUSE_FULL_QUEUE;
    times->counted += job->is_rejected || strcmp(record->name, "succeeded") == 0;
}

/* A job that takes a drawn time, which its owner states. */
static const JobSpec *job_of_known_length(Arena *arena, const Queue *queue, uint64_t word)
{
    const int64_t length_ns = distribution_at(queue->service, word);
    Program *program = ARENA_NEW(arena, Program);
    *program =
        (Program){.kind = PROGRAM_FIXED, .name = "job", .duration = constant_of(arena, length_ns)};
    JobSpec *spec = plain_job(arena, 1, program);
    spec->max_wall_clock_ns = INT64_MAX;
    spec->expected_ns = length_ns;
    return spec;
}

/* One specification for each size of job. */
static void sized_jobs(Arena *arena, const Queue *queue, const JobSpec *specs[QUEUE_SIZES_MOST])
{
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_FIXED, .name = "job", .duration = queue->service};
    for (int32_t s = 0; s < QUEUE_SIZES_MOST; s++) {
        JobSpec *spec = plain_job(arena, queue->sizes[s] > 0 ? queue->sizes[s] : 1, program);
        spec->max_wall_clock_ns = INT64_MAX;
        spec->queue = queue->setup > 0 ? "own" : NULL;
        specs[s] = spec;
    }
}

/* A cluster that the jobs share with another one, which has all of it while there are none. */
static const ClusterSpec *shared_cluster(Arena *arena, const Queue *queue)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    QueueSpec *queues = ARENA_ARRAY(arena, QueueSpec, 2);
    *spec = *plain_cluster(arena, queue->servers);
    queues[0] = (QueueSpec){.name = "own",
                            .guaranteed = queue->servers,
                            .most = INT64_MAX,
                            .reclaims = true,
                            .grace_ns = (int64_t)(queue->setup * (double)QUEUE_UNIT_NS)};
    queues[1] = (QueueSpec){.name = "rest", .most = INT64_MAX};
    spec->queue_count = 2;
    spec->queues = queues;
    return spec;
}

/* The job that has the cluster otherwise; it is longer than all others together. */
static void add_other(Arena *arena, const Queue *queue, CommandList *list)
{
    const int64_t run_ns = 10 * queue->jobs * QUEUE_UNIT_NS;
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, run_ns, 0));
    spec->max_wall_clock_ns = INT64_MAX;
    spec->queue = "rest";
    commands_create_job(list, "other", 0, "c", spec);
}

static const Scenario *scenario_of_queue(Arena *arena, const Queue *queue, uint64_t seed)
{
    const JobSpec *specs[QUEUE_SIZES_MOST];
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0,
                            queue->setup > 0 ? shared_cluster(arena, queue)
                                             : plain_cluster(arena, queue->servers));
    if (queue->setup > 0)
        add_other(arena, queue, &list);
    sized_jobs(arena, queue, specs);
    int64_t gap_ns = (int64_t)((double)QUEUE_UNIT_NS / queue->rate);
    int64_t at_ns = NS_PER_S;
    for (uint64_t i = 0; i < (uint64_t)queue->jobs; i++) {
        const JobSpec *spec =
            queue->policy == POLICY_SHORTEST || queue->policy == POLICY_SRTF
                ? job_of_known_length(arena, queue, theory_word(seed, DRAWS_OF_LENGTHS + i))
                : specs[drawn_size(queue, theory_word(seed, DRAWS_OF_SIZES + i))];
        at_ns = next_arrival_ns(seed, i, at_ns, gap_ns);
        commands_create_job(&list, arena_printf(arena, "j%d", (int)i), at_ns, "c", spec);
    }
    Scenario *scenario = scenario_of(&list, seed);
    scenario->service = idle_service(arena, queue->servers);
    scenario->policy = queue->policy;
    scenario->has_queue_limit = queue->loses; // of 0 jobs
    return scenario;
}

Queue queue_of(int32_t servers, double load, Distribution service, int32_t jobs)
{
    return (Queue){.servers = servers,
                   .rate = load * servers,
                   .service = service,
                   .jobs = jobs,
                   .warm_up = jobs / 10};
}

void queue_run(const Queue *queue, uint64_t seed, QueueJob *jobs)
{
    const int32_t count = queue->jobs - queue->warm_up;
    Arena *arena = arena_create();
    Times times = {.queue = queue, .seed = seed, .jobs = jobs};
    const TraceSink sink = {.listener = &times, .level = TRACE_LEVEL_JOBS, .record = hear};
    memset(jobs, 0, (size_t)count * sizeof *jobs);
    world_run(world_create(arena, scenario_of_queue(arena, queue, seed), sink));
    arena_destroy(arena);
    ck_assert_int_eq(times.counted, count);
}

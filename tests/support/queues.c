#include "tests/support/queues.h"

#include <check.h>
#include <string.h>

typedef struct {
    const Queue *queue;
    const char *until;     /* the state that ends the time */
    int64_t *submitted_ns; /* [job] */
    double *times;
    int32_t counted;
} Times;

static void hear(void *listener, const TraceRecord *record)
{
    Times *times = listener;
    const int32_t job = (int32_t)record->job.index - times->queue->warm_up;
    if (record->kind != TRACE_JOB_STATE || job < 0)
        return;
    if (strcmp(record->name, "queued") == 0 && times->submitted_ns[job] == 0)
        times->submitted_ns[job] = record->at_ns;
    if (strcmp(record->name, times->until) != 0)
        return;
    times->times[job] = (double)(record->at_ns - times->submitted_ns[job]) / (double)QUEUE_UNIT_NS;
    times->counted++;
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
        specs[s] = spec;
    }
}

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

static const Scenario *scenario_of_queue(Arena *arena, const Queue *queue, uint64_t seed)
{
    enum { DRAWS_OF_SIZES = 1 << 30, DRAWS_OF_LENGTHS = 1 << 29 };
    const JobSpec *specs[QUEUE_SIZES_MOST];
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, queue->servers));
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

static void run_queue(const Queue *queue, uint64_t seed, const char *until, double *times)
{
    Arena *arena = arena_create();
    Times heard = {.queue = queue,
                   .until = until,
                   .submitted_ns = ARENA_ARRAY(arena, int64_t, queue->jobs - queue->warm_up),
                   .times = times};
    const TraceSink sink = {.listener = &heard, .level = TRACE_LEVEL_JOBS, .record = hear};
    world_run(world_create(arena, scenario_of_queue(arena, queue, seed), sink));
    arena_destroy(arena);
    ck_assert_int_eq(heard.counted, queue->jobs - queue->warm_up);
}

void queue_waits(const Queue *queue, uint64_t seed, double *waits)
{
    run_queue(queue, seed, "running", waits);
}

void queue_stays(const Queue *queue, uint64_t seed, double *stays)
{
    run_queue(queue, seed, "succeeded", stays);
}

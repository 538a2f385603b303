/* Transfers on a share as an M/G/1 queue with processor sharing: for any distribution of sizes, a
 * transfer takes E[T] = E[S] / (1 - load) on average, and a transfer of size s takes s / (1 -
 * load). (L. Kleinrock, "Queueing Systems II", 1976, section 4.4.) */
#include <string.h>

#include "sim/base/units.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

enum { REPLICATIONS = 20, SIZES_MAX = 2, NODES = 400 };

/* Sizes as times on the idle share, and how many of 100 transfers have them. */
typedef struct {
    const char *what;
    int32_t count;
    int64_t alone_ns[SIZES_MAX];
    int32_t percent[SIZES_MAX];
    int32_t jobs;
    double error_most;
} Sizes;

static const double load = .7;
enum { WARM_UP = 500 };

typedef struct {
    const Sizes *sizes;
    int64_t took_ns[SIZES_MAX];
    int64_t counted[SIZES_MAX];
} Transfers;

/* 100 MB/s, and nothing else takes time. */
static const ShareTier tier = {.name = "ideal",
                               .read_bytes_per_s = 100000000,
                               .write_bytes_per_s = 100000000,
                               .requests_per_s = 1000000,
                               .request_bytes = INT64_C(1) << 40,
                               .requests_in_flight = 1};

static int64_t bytes_of(int64_t alone_ns)
{
    return alone_ns / 10; // at 10 ns a byte
}

static void hear(void *listener, const TraceRecord *record)
{
    Transfers *transfers = listener;
    if (record->kind != TRACE_TRANSFER || record->job.index < WARM_UP)
        return;
    for (int32_t s = 0; s < transfers->sizes->count; s++)
        if (record->bytes == bytes_of(transfers->sizes->alone_ns[s])) {
            transfers->took_ns[s] += record->at_ns - record->since_ns;
            transfers->counted[s]++;
        }
}

/* A job that reads from the share and then trains for no time to speak of. */
static const JobSpec *reader(Arena *arena, int64_t bytes)
{
    Framework *framework = ARENA_NEW(arena, Framework);
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    *framework = *program->framework;
    framework->start_ns = 0;
    program->framework = framework;
    program->epochs = program->steps_per_epoch = 1;
    program->downloads_data = program->evaluates_at_end = false;
    program->data_share = "a/ideal";
    program->data_bytes = bytes;
    program->evaluate_samples = program->checkpoint_bytes = program->model_bytes = 0;
    return plain_job(arena, 1, program);
}

static const Scenario *sharing_scenario(Arena *arena, const Sizes *sizes, int32_t jobs,
                                        uint64_t seed)
{
    CommandList list = commands_begin(arena);
    commands_add(&list, COMMAND_SHARE_CREATE, "a/ideal", 0)->as.share_create.tier = &tier;
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, NODES));
    const JobSpec *readers[SIZES_MAX];
    double mean_ns = 0;
    for (int32_t s = 0; s < sizes->count; s++) {
        readers[s] = reader(arena, bytes_of(sizes->alone_ns[s]));
        mean_ns += (double)sizes->alone_ns[s] * sizes->percent[s] / 100;
    }
    int64_t at_ns = NS_PER_S;
    for (uint64_t i = 0; i < (uint64_t)jobs; i++) {
        at_ns = next_arrival_ns(seed, 2 * i, at_ns, (int64_t)(mean_ns / load));
        bool is_second = theory_word(seed, 2 * i + 1) % 100 >= (uint64_t)sizes->percent[0];
        commands_create_job(&list, arena_printf(arena, "j%d", (int)i), at_ns, "c",
                            readers[is_second ? 1 : 0]);
    }
    Scenario *scenario = scenario_of(&list, seed);
    scenario->service = idle_service(arena, NODES);
    scenario->fidelity = FIDELITY_JOB;
    return scenario;
}

START_TEST(the_mean_size_sets_the_mean_time_of_transfers)
{
    static const Sizes rows[] = {
        {"M/G/1-PS, one size", 1, {100 * NS_PER_S}, {100}, 20000, .02},
        {"M/G/1-PS, one in ten 41 times as large",
         2,
         {20 * NS_PER_S, 820 * NS_PER_S},
         {90, 10},
         30000,
         .03},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Sizes *sizes = &rows[i];
        double mean[REPLICATIONS], slowed[SIZES_MAX][REPLICATIONS];
        for (uint64_t r = 0; r < REPLICATIONS; r++) {
            Arena *arena = arena_create();
            Transfers transfers = {.sizes = sizes};
            const TraceSink sink = {
                .listener = &transfers, .level = TRACE_LEVEL_EPOCHS, .record = hear};
            int32_t jobs = WARM_UP + theory_size(sizes->jobs);
            world_run(world_create(
                arena, sharing_scenario(arena, sizes, jobs, theory_seed(2000 + r)), sink));
            int64_t took_ns = 0, counted = 0;
            for (int32_t s = 0; s < sizes->count; s++) {
                took_ns += transfers.took_ns[s];
                counted += transfers.counted[s];
                slowed[s][r] = (double)transfers.took_ns[s] / (double)transfers.counted[s] /
                               (double)sizes->alone_ns[s];
            }
            ck_assert_int_eq(counted, jobs - WARM_UP);
            mean[r] = (double)took_ns / (double)counted / (double)NS_PER_S;
            arena_destroy(arena);
        }
        // 100 s in both cases: 0.9 * 20 + 0.1 * 820.
        check_mean(sizes->what, mean, REPLICATIONS, 100 / (1 - load), sizes->error_most);
        for (int32_t s = 0; s < sizes->count; s++)
            check_mean(s == 0 ? "    slowed down, first size" : "    slowed down, second size",
                       slowed[s], REPLICATIONS, 1 / (1 - load), sizes->error_most);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sharing");
    TCase *tests = tcase_create("sharing");
    tcase_add_test(tests, the_mean_size_sets_the_mean_time_of_transfers);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "tests/support/studies.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"
#include "tests/support/theory.h"

/* --- Random numbers: splitmix64, one sequence for each run of a study --- */

static uint64_t base_seed(void)
{
    const char *text = getenv("TRAINYARD_SEED");
    return text ? strtoull(text, NULL, 10) : 20180718;
}

bool studies_are_fresh(void)
{
    return getenv("TRAINYARD_SEED") != NULL;
}

/* A run with fixed seeds is part of each build and takes a third of the studies. */
int32_t studies_of(int32_t full)
{
    return studies_are_fresh() ? full : full / 3;
}

int32_t long_studies_of(int32_t full)
{
    return theory_size(studies_of(full));
}

static uint64_t next_word(Random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

Random random_of(uint64_t study, uint64_t run)
{
    Random mix = {base_seed() * UINT64_C(0xd1342543de82ef95) + study * 1000003 + run};
    return (Random){next_word(&mix)};
}

double random_uniform(Random *random)
{
    return ((double)(next_word(random) >> 11) + 0.5) * 0x1p-53;
}

double random_exponential(Random *random)
{
    return -log(random_uniform(random));
}

double random_standard_normal(Random *random)
{
    return normal_quantile(random_uniform(random));
}

/* --- Queues --- */

const StudyQueue mm1_5 = {"M/M/1 .5", .5, 1, 1, false, 0};
const StudyQueue mm1_8 = {"M/M/1 .8", .8, 4, 1, false, 0};
const StudyQueue mm1_9 = {"M/M/1 .9", .9, 9, 1, false, 0};
const StudyQueue mm1_95 = {"M/M/1 .95", .95, 19, 1, false, 0};
const StudyQueue mm4_7 = {"M/M/4 .7", .7, 0.3572119318604478, 4, false, 0};
const StudyQueue md4_9 = {"M/D/4 .9", .9, 0.9999658855636236, 4, true, 0};
/* 1 or 4 servers, rate 1.2: numerically exact (Markov chain). */
const StudyQueue gangs = {"gangs of 1 and 4", .525, 2.603230330123538, 4, false, .25};

static double arrival_rate(const StudyQueue *queue)
{
    double need = 1 - queue->wide_share + queue->servers * queue->wide_share;
    return queue->load * queue->servers / need;
}

/* free_at[]: when each server ends its last job, in rising order. The `need` earliest servers end
 * at `end`, which is not before any time of theirs. */
static void occupy(double *free_at, int32_t servers, int32_t need, double end)
{
    int32_t i = 0;
    for (; i + need < servers && free_at[i + need] < end; i++)
        free_at[i] = free_at[i + need];
    for (int32_t n = 0; n < need; n++)
        free_at[i + n] = end;
}

/* The waits of `count` jobs from an empty start (J. Kiefer, J. Wolfowitz, 1955; with one server D.
 * V. Lindley, 1952). No job overtakes. */
static void simulate_waits(const StudyQueue *queue, Random random, int64_t count, double *waits)
{
    double free_at[STUDY_SERVERS_MOST] = {0}, now = 0, last_start = 0;
    double gap = 1 / arrival_rate(queue);
    for (int64_t i = 0; i < count; i++) {
        now += gap * random_exponential(&random);
        double service = queue->is_constant ? 1 : random_exponential(&random);
        bool is_wide = queue->wide_share > 0 && random_uniform(&random) < queue->wide_share;
        int32_t need = is_wide ? queue->servers : 1;
        double start = fmax(fmax(now, last_start), free_at[need - 1]);
        occupy(free_at, queue->servers, need, start + service);
        last_start = start;
        waits[i] = start - now;
    }
}

/* --- Results --- */

void coverage_count(Coverage *coverage, double low, double high, double truth)
{
    coverage->studies++;
    coverage->covered += low <= truth && truth <= high;
    coverage->relative_width += (high - low) / 2 / truth;
}

void coverage_count_estimate(Coverage *coverage, const Estimate *estimate, double truth)
{
    Interval interval = estimate_interval(estimate);
    coverage_count(coverage, interval.low, interval.high, truth);
}

double luck_of_share(double share, int32_t studies)
{
    const double enough = 1000;
    return studies < enough ? 3 * sqrt(share * (1 - share)) * (1 / sqrt(studies) - 1 / sqrt(enough))
                            : 0;
}

/* The same for the mean half-width of 1000 studies: that of one study of 20 runs varies by about a
 * fifth, more if runs are skewed. */
static double luck_of_width(int32_t studies)
{
    const double enough = 1000;
    return studies < enough ? 1 + 3 * .2 * (1 / sqrt(studies) - 1 / sqrt(enough)) : 1;
}

void coverage_check(const char *method, const char *of, const Coverage *coverage, double least,
                    double most, double width)
{
    const double share = (double)coverage->covered / coverage->studies;
    const double mean_width = coverage->relative_width / coverage->studies;
    const double luck = luck_of_share(.95, coverage->studies);
    printf("  %-46s %-18s %.3f of %5" PRId32 ", half-width %4.1f %%\n", method, of, share,
           coverage->studies, 100 * mean_width);
    fflush(stdout);
    ck_assert_msg(share >= least - luck && share <= most + luck,
                  "%s, %s: coverage %.3f, expected %.3f to %.3f (TRAINYARD_SEED=%" PRIu64 ")",
                  method, of, share, least - luck, most + luck, base_seed());
    ck_assert_msg(
        mean_width <= width * luck_of_width(coverage->studies),
        "%s, %s: half-width %.3f of the truth, expected at most %.3f (TRAINYARD_SEED=%" PRIu64 ")",
        method, of, mean_width, width * luck_of_width(coverage->studies), base_seed());
}

/* --- Waits of the runs of one study --- */

StudyWaits study_create(Arena *arena, int32_t runs, int64_t jobs, int64_t deleted)
{
    return (StudyWaits){runs, jobs, deleted, ARENA_ARRAY(arena, double, runs *jobs)};
}

double *study_run(const StudyWaits *waits, int32_t run)
{
    return waits->waits + run * waits->jobs;
}

void study_rows(const StudyWaits *waits, const double **rows)
{
    for (int32_t r = 0; r < waits->runs; r++)
        rows[r] = study_run(waits, r);
}

void study_simulate_run(const StudyWaits *waits, const StudyQueue *queue, uint64_t study,
                        int32_t run)
{
    simulate_waits(queue, random_of(study, (uint64_t)run), waits->jobs,
                   study_run(waits, waits->runs == 1 ? 0 : run));
}

void study_simulate(const StudyWaits *waits, const StudyQueue *queue, uint64_t study)
{
    for (int32_t r = 0; r < waits->runs; r++)
        study_simulate_run(waits, queue, study, r);
}

void study_means(const StudyWaits *waits, double *means)
{
    for (int32_t r = 0; r < waits->runs; r++)
        means[r] = statistics_mean(study_run(waits, r) + waits->deleted,
                                   (int32_t)(waits->jobs - waits->deleted));
}

/* The rows of closed_forms.csv about queues: each system is simulated once, and each of its rows is
 * asserted by the function of its metric. A row of an unknown model or metric fails, so the table
 * and this test cannot part; `not_asserted` lists the rows that a world cannot show, with reasons.
 *
 * A quantile is tested as a share: of all jobs, 95 % wait at most the p95. Shares of runs are
 * unbiased; quantiles of runs are not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/study/statistics/estimate.h"
#include "sim/study/statistics/sample.h"
#include "tests/support/closed_forms.h"
#include "tests/support/erlang.h"
#include "tests/support/queues.h"
#include "tests/support/suite.h"

enum { REPLICATIONS = 20, ROWS_OF_A_SYSTEM_MAX = 16 };

/* --- Rows that are asserted elsewhere, or not at all --- */

static const struct {
    const char *model, *parameters, *metric; /* beginnings; "": all */
    const char *reason;
} not_asserted[] = {
    {"machine repair", "", "", "tests/theory/test_machines.c"},
    {"checkpoints", "", "", "tests/theory/test_checkpoints.c"},
    {"M/G/1-PS", "", "", "tests/theory/test_sharing.c: transfers of a share"},
    {"M/G/c", "", "", "an approximation: the truth is not known"},
    {"M/G/1", "lognormal sigma=1.9 rho=0.9", "",
     "10 % need about 20 M jobs: waits of 150,000 jobs depend on each other"},
    {"M/G/1", "lognormal sigma=1.9", "SD",
     "its estimate has a variance with the fifth moment of the service time, exp(45) of the mean"},
    {"M/G/infinity", "a=20.0", "P(N=0)", "happens in 2 of 10^9 units of time"},
    {"M/M/c sizing", "", "fewest servers",
     "the rows of P(Wq<=x) on both sides of the target say so"},
};

static const char *reason_not_to(const ClosedForm *row)
{
    for (size_t i = 0; i < sizeof not_asserted / sizeof not_asserted[0]; i++)
        if (strcmp(row->model, not_asserted[i].model) == 0 &&
            begins_with(row->parameters, not_asserted[i].parameters) &&
            begins_with(row->metric, not_asserted[i].metric))
            return not_asserted[i].reason;
    return NULL;
}

/* --- Systems --- */

/* Consecutive rows of one model with the same parameters. */
typedef struct {
    const ClosedForm *rows;
    int32_t count;
} System;

static const System *find_systems(Arena *arena, int32_t *count)
{
    int32_t rows;
    const ClosedForm *all = closed_forms_read(arena, &rows);
    System *systems = ARENA_ARRAY(arena, System, rows);
    *count = 0;
    for (int32_t i = 0; i < rows; i++) {
        System *last = *count > 0 ? &systems[*count - 1] : NULL;
        if (last != NULL && strcmp(last->rows->model, all[i].model) == 0 &&
            strcmp(last->rows->parameters, all[i].parameters) == 0)
            last->count++;
        else
            systems[(*count)++] = (System){&all[i], 1};
    }
    return systems;
}

/* The number after `name` in the parameters of a system, such as "rho=". */
static double parameter(const System *system, const char *name)
{
    const char *found = strstr(system->rows->parameters, name);
    ck_assert_msg(found != NULL, "%s has no %s", system->rows->parameters, name);
    return strtod(found + strlen(name), NULL);
}

/* The numbers in the parentheses after `name`. */
static int32_t parameter_list(const System *system, const char *name,
                              double values[QUEUE_SIZES_MOST])
{
    const char *found = strstr(system->rows->parameters, name);
    ck_assert(found != NULL);
    char *at = strchr(found, '(');
    int32_t count = 0;
    while (*at == '(' || *at == ',') {
        ck_assert_int_lt(count, QUEUE_SIZES_MOST);
        values[count++] = strtod(at + 1, &at);
    }
    return count;
}

/* --- Service times of mean 1 --- */

/* Erlang's distribution of two phases as a table of quantiles: F(x) = 1 - (1 + 2x) exp(-2x). */
static double erlang2_quantile(double p)
{
    double low = 0, high = 20;
    for (int i = 0; i < 60; i++) {
        const double x = (low + high) / 2;
        if (1 - (1 + 2 * x) * exp(-2 * x) < p)
            low = x;
        else
            high = x;
    }
    return low;
}

static Distribution erlang2(Arena *arena)
{
    // Every thousandth, and every hundred-thousandth of the longest hundredth. The last knot gives
    // the last piece its mean, 7.4, instead of the infinite end.
    enum { FIRST = 990, LAST = 1000 };
    QuantileKnot *knots = ARENA_ARRAY(arena, QuantileKnot, FIRST + LAST + 1);
    int32_t count = 0;
    for (int32_t i = 0; i < FIRST + LAST; i++) {
        const int64_t ppm = i < FIRST ? i * 1000 : 990000 + (i - FIRST) * 10;
        knots[count++] = (QuantileKnot){
            ppm, (int64_t)(erlang2_quantile((double)ppm / 1e6) * (double)QUEUE_UNIT_NS)};
    }
    knots[count] = (QuantileKnot){1000000, (int64_t)(7.4 * 2 * (double)QUEUE_UNIT_NS) -
                                               knots[count - 1].value};
    return (Distribution){.kind = DISTRIBUTION_QUANTILES,
                          .quantiles = {.count = count + 1, .knots = knots}};
}

typedef struct {
    Distribution times;
    double variation; /* squared coefficient: variance over the squared mean */
} Service;

/* Scales for the mean 1000 s: lognormal median = mean exp(-sigma^2 / 2), exp(-0.32) = 0.726149037,
 * exp(-1.805) = 0.164474456; Weibull scale = mean / gamma(1 + 1 / 0.7), gamma(2.428571429)
 * = 1.265823506. */
static Service service_of(Arena *arena, const char *name)
{
    static const QuantileKnot even[] = {{0, 0}, {1000000, 2 * QUEUE_UNIT_NS}};
    const struct {
        const char *name;
        Service service;
    } services[] = {
        {"M ", {exponential_of(QUEUE_UNIT_NS), 1}},
        {"D ", {constant_of(arena, QUEUE_UNIT_NS), 0}},
        {"E2 ", {erlang2(arena), .5}},
        {"U(0,2) ", {{.quantiles = {.count = 2, .knots = even}}, 1.0 / 3}},
        {"lognormal sigma=0.8",
         {{.kind = DISTRIBUTION_LOGNORMAL, .scale = INT64_C(726149037074), .shape_ppm = 800000},
          .8965}},
        {"lognormal sigma=1.9",
         {{.kind = DISTRIBUTION_LOGNORMAL, .scale = INT64_C(164474456577), .shape_ppm = 1900000},
          35.97}},
        {"Weibull shape=0.7",
         {{.kind = DISTRIBUTION_WEIBULL, .scale = INT64_C(789999707000), .shape_ppm = 700000},
          2.14}},
    };
    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++)
        if (begins_with(name, services[i].name))
            return services[i].service;
    ck_abort_msg("unknown service times: %s", name);
}

/* --- Simulated systems --- */

typedef struct {
    Queue queue;
    double load;
    int32_t count;      /* of jobs of a run that are counted */
    QueueJob *jobs;     /* [run * count + job] */
    bool is_heavy_tail; /* its interval corrects for skewness */
} Simulated;

static const QueueJob *jobs_of(const Simulated *simulated, int32_t run)
{
    return simulated->jobs + (int64_t)run * simulated->count;
}

/* The jobs of a run for an error of some percent: waits depend on each other over about
 * (1 + variation) / (1 - load)^2 jobs. */
static int32_t jobs_needed(double load, double variation)
{
    enum { LEAST = 10000, MOST = 150000 };
    const double needed = 150 * (1 + variation) / 2 / ((1 - load) * (1 - load));
    const int32_t whole = needed > MOST ? MOST : needed < LEAST ? LEAST : (int32_t)needed;
    return whole + whole / 10;
}

static Simulated simulate(Arena *arena, const Queue *full, double load, uint64_t base)
{
    Simulated simulated = {.queue = *full, .load = load, .count = full->jobs - full->warm_up};
    simulated.jobs = ARENA_ARRAY(arena, QueueJob, (int64_t)REPLICATIONS * simulated.count);
    for (int32_t r = 0; r < REPLICATIONS; r++)
        queue_run(&simulated.queue, theory_seed(base + (uint64_t)r),
                  simulated.jobs + (int64_t)r * simulated.count);
    return simulated;
}

/* Few jobs of many servers wait, so the mean wait varies more. */
static Queue queue_of_service(int32_t servers, double load, Service service)
{
    enum { MANY_SERVERS = 64, MOST = 150000 };
    const int32_t jobs = jobs_needed(load, service.variation) * (servers >= MANY_SERVERS ? 3 : 1);
    return queue_of(servers, load, service.times, jobs < MOST ? jobs : MOST);
}

static Queue servers_queue(const System *system, Arena *arena, double *load)
{
    const char *model = system->rows->model;
    const bool is_constant = begins_with(model, "M/D/");
    const bool has_servers = strstr(system->rows->parameters, "c=") != NULL;
    *load = parameter(system, "rho=");
    return queue_of_service(has_servers ? (int32_t)parameter(system, "c=") : 1, *load,
                            service_of(arena, is_constant ? "D " : "M "));
}

static Queue any_service_queue(const System *system, Arena *arena, double *load)
{
    *load = parameter(system, "rho=");
    return queue_of_service(1, *load, service_of(arena, system->rows->parameters));
}

static Queue sizing_queue(const System *system, Arena *arena, double *load)
{
    const int32_t servers = (int32_t)parameter(system, " c=");
    *load = parameter(system, "offered=") / servers;
    Queue queue = queue_of_service(servers, *load, service_of(arena, "M "));
    queue.warm_up = queue.jobs / 4; // large systems fill slowly
    return queue;
}

static Queue policy_queue(const System *system, Arena *arena, double *load)
{
    Queue queue = servers_queue(system, arena, load);
    const char *model = system->rows->model;
    queue.policy = strstr(model, "SRPT")  ? POLICY_SRTF
                   : strstr(model, "SJF") ? POLICY_SHORTEST
                                          : POLICY_SERVICE;
    return queue;
}

static Queue gang_queue(const System *system, Arena *arena, double *load)
{
    double sizes[QUEUE_SIZES_MOST];
    Queue queue = {.servers = (int32_t)parameter(system, "c="),
                   .rate = parameter(system, "lambda="),
                   .service = service_of(arena, "M ").times,
                   .jobs = 88000,
                   .warm_up = 8000};
    *load = parameter(system, "offered=");
    const int32_t count = parameter_list(system, "sizes=", sizes);
    parameter_list(system, "probs=", queue.chances);
    for (int32_t s = 0; s < count; s++)
        queue.sizes[s] = (int32_t)sizes[s];
    return queue;
}

/* "c=8 1:2.0 2:1.0 4:0.5": sizes and their offered loads. */
static Queue loss_queue(const System *system, Arena *arena, double *load)
{
    Queue queue = {.servers = (int32_t)parameter(system, "c="),
                   .service = service_of(arena, "M ").times,
                   .loses = true,
                   .jobs = 44000,
                   .warm_up = 4000};
    const char *at = strchr(system->rows->parameters, ' ');
    for (int32_t s = 0; at != NULL; s++, at = strchr(at + 1, ' ')) {
        char *end;
        queue.sizes[s] = (int32_t)strtol(at, &end, 10);
        queue.chances[s] = strtod(end + 1, NULL);
        queue.rate += queue.chances[s];
    }
    for (int32_t s = 0; s < QUEUE_SIZES_MOST; s++)
        queue.chances[s] /= queue.rate;
    *load = 0;
    return queue;
}

/* Servers enough for 10 standard deviations more than the mean. */
static Queue endless_queue(const System *system, Arena *arena, double *load)
{
    const double offered = parameter(system, "a=");
    const int32_t servers = (int32_t)(offered + 10 * sqrt(offered)) + 1;
    *load = offered / servers;
    return queue_of(servers, *load, service_of(arena, "lognormal sigma=0.8").times, 22000);
}

/* --- Metrics: the value of one run --- */

typedef double (*Measure)(const Simulated *simulated, int32_t run, double argument);

static double mean_wait(const Simulated *simulated, int32_t run, double argument)
{
    double sum = 0;
    (void)argument;
    for (int32_t i = 0; i < simulated->count; i++)
        sum += jobs_of(simulated, run)[i].wait;
    return sum / simulated->count;
}

static double mean_stay(const Simulated *simulated, int32_t run, double argument)
{
    double sum = 0;
    (void)argument;
    for (int32_t i = 0; i < simulated->count; i++)
        sum += jobs_of(simulated, run)[i].stay;
    return sum / simulated->count;
}

static double square_of_wait(const Simulated *simulated, int32_t run, double argument)
{
    double sum = 0;
    (void)argument;
    for (int32_t i = 0; i < simulated->count; i++)
        sum += jobs_of(simulated, run)[i].wait * jobs_of(simulated, run)[i].wait;
    return sum / simulated->count;
}

/* The share of jobs that wait at most `limit`. Times are rounded up to nanoseconds, so a job that
 * waits at all waits at least one. */
static double share_within(const Simulated *simulated, int32_t run, double limit)
{
    int32_t within = 0;
    for (int32_t i = 0; i < simulated->count; i++)
        within += jobs_of(simulated, run)[i].wait <= limit + 1e-9;
    return (double)within / simulated->count;
}

/* The time between the first and the last arrival that count. */
static double span_of(const Simulated *simulated, int32_t run)
{
    const QueueJob *jobs = jobs_of(simulated, run);
    return jobs[simulated->count - 1].submitted - jobs[0].submitted;
}

static double queue_length(const Simulated *simulated, int32_t run, double argument)
{
    return mean_wait(simulated, run, argument) * simulated->count / span_of(simulated, run);
}

static double utilisation(const Simulated *simulated, int32_t run, double argument)
{
    double busy = 0;
    (void)argument;
    for (int32_t i = 0; i < simulated->count; i++) {
        const QueueJob *job = &jobs_of(simulated, run)[i];
        busy += (job->stay - job->wait) * job->size;
    }
    return busy / span_of(simulated, run) / simulated->queue.servers;
}

static double share_rejected(const Simulated *simulated, int32_t run, double size)
{
    int32_t all = 0, rejected = 0;
    for (int32_t i = 0; i < simulated->count; i++) {
        const QueueJob *job = &jobs_of(simulated, run)[i];
        all += job->size == (int32_t)size;
        rejected += job->size == (int32_t)size && job->is_rejected;
    }
    return (double)rejected / all;
}

typedef struct {
    double at;
    int32_t change;
} Step;

static int by_time(const void *left, const void *right)
{
    const Step *a = left, *b = right;
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at) : a->change - b->change;
}

/* The mean over time of `of`(jobs in the system), from 20 mean service times after the first
 * arrival that counts, when earlier jobs have left, to the last. */
static double over_time(const Simulated *simulated, int32_t run, double (*of)(double jobs))
{
    const QueueJob *jobs = jobs_of(simulated, run);
    const double from = jobs[0].submitted + 20, until = jobs[simulated->count - 1].submitted;
    Arena *arena = arena_create();
    Step *steps = ARENA_ARRAY(arena, Step, 2 * simulated->count);
    double sum = 0, last = from;
    int32_t inside = 0;
    for (int32_t i = 0; i < simulated->count; i++) {
        steps[2 * i] = (Step){jobs[i].submitted, 1};
        steps[2 * i + 1] = (Step){jobs[i].submitted + jobs[i].stay, -1};
    }
    qsort(steps, 2 * (size_t)simulated->count, sizeof *steps, by_time);
    for (int32_t i = 0; i < 2 * simulated->count && steps[i].at < until; i++) {
        if (steps[i].at > last) {
            sum += of(inside) * (steps[i].at - last);
            last = steps[i].at;
        }
        inside += steps[i].change;
    }
    sum += of(inside) * (until - last);
    arena_destroy(arena);
    return sum / (until - from);
}

static double itself(double jobs)
{
    return jobs;
}

static double squared(double jobs)
{
    return jobs * jobs;
}

static double is_none(double jobs)
{
    return jobs == 0;
}

static double jobs_inside(const Simulated *simulated, int32_t run, double argument)
{
    (void)argument;
    return over_time(simulated, run, itself);
}

static double jobs_inside_squared(const Simulated *simulated, int32_t run, double argument)
{
    (void)argument;
    return over_time(simulated, run, squared);
}

static double nobody_inside(const Simulated *simulated, int32_t run, double argument)
{
    (void)argument;
    return over_time(simulated, run, is_none);
}

/* --- Rows --- */

/* Fails unless the mean over the runs agrees with the theory, as check_mean; with heavy tails by
 * the interval that corrects for skewness. */
static void check(const Simulated *simulated, const char *what, Measure measure, double argument,
                  double theory, double error_most)
{
    double values[REPLICATIONS];
    for (int32_t r = 0; r < REPLICATIONS; r++)
        values[r] = measure(simulated, r, argument);
    if (!simulated->is_heavy_tail) {
        check_mean(what, values, REPLICATIONS, theory, error_most);
        return;
    }
    const Interval interval = estimate_skewed_mean(values, REPLICATIONS, .997);
    printf("  %-44s theory %-10.6g simulated %-10.6g (%.6g to %.6g)\n", what, theory,
           interval.value, interval.low, interval.high);
    ck_assert_msg(interval.low <= theory && theory <= interval.high, "%s: %g to %g, theory says %g",
                  what, interval.low, interval.high, theory);
    ck_assert_double_le(statistics_standard_error(values, REPLICATIONS) / theory, 3 * error_most);
}

/* Errors are those of one standard error, relative. Means of waits vary by jobs_needed; shares vary
 * less, and second moments more. */
#define ERROR_OF_MEANS .08
#define ERROR_OF_SHARES .03
#define ERROR_OF_SIZES .05 /* 200 servers at 99 % */
#define ERROR_OF_SQUARES .25

static void check_quantile(const Simulated *simulated, const ClosedForm *row)
{
    const double p = strtod(row->metric + strlen("Wq p"), NULL) / 100;
    if (row->value > 0) {
        check(simulated, row->metric, share_within, row->value, p, ERROR_OF_SHARES);
        return;
    }
    double without[REPLICATIONS]; // at least the share does not wait
    for (int32_t r = 0; r < REPLICATIONS; r++)
        without[r] = share_within(simulated, r, 0);
    ck_assert_double_ge(statistics_mean(without, REPLICATIONS) +
                            3 * statistics_standard_error(without, REPLICATIONS),
                        p);
}

static void check_row(const Simulated *simulated, const ClosedForm *row, double mean)
{
    static const struct {
        const char *metric;
        Measure measure;
        double error_most;
    } plain[] = {
        {"E[Wq]", mean_wait, ERROR_OF_MEANS},       {"E[T]", mean_stay, ERROR_OF_MEANS},
        {"Lq", queue_length, ERROR_OF_MEANS},       {"utilisation", utilisation, ERROR_OF_SHARES},
        {"P(N=0)", nobody_inside, ERROR_OF_SHARES},
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(row->metric, plain[i].metric) == 0) {
            check(simulated, row->metric, plain[i].measure, 0, row->value, plain[i].error_most);
            return;
        }
    if (strcmp(row->metric, "P(wait)") == 0) {
        check(simulated, "P(no wait)", share_within, 0, 1 - row->value, 2 * ERROR_OF_SHARES);
    } else if (strcmp(row->metric, "P(Wq=0)") == 0) {
        check(simulated, row->metric, share_within, 0, row->value, ERROR_OF_SHARES);
    } else if (strcmp(row->metric, "SD[Wq]") == 0) {
        check(simulated, "second moment", square_of_wait, 0, row->value * row->value + mean * mean,
              ERROR_OF_SQUARES);
    } else if (strcmp(row->metric, "E[N]=Var[N]") == 0) {
        check(simulated, "E[N]", jobs_inside, 0, row->value, ERROR_OF_SHARES);
        check(simulated, "E[N^2]", jobs_inside_squared, 0, row->value + row->value * row->value,
              ERROR_OF_SHARES);
    } else if (begins_with(row->metric, "Wq p")) {
        check_quantile(simulated, row);
    } else if (begins_with(row->metric, "P(blocked) size ")) {
        check(simulated, row->metric, share_rejected,
              strtod(row->metric + strlen("P(blocked) size "), NULL), row->value, ERROR_OF_SHARES);
    } else {
        ck_assert_msg(strcmp(row->metric, "P(Wq<=x)") == 0, "%s is not asserted", row->metric);
        check(simulated, row->parameters, share_within,
              strtod(strstr(row->parameters, "x=") + 2, NULL), row->value, ERROR_OF_SIZES);
    }
}

/* Daley's variance, and the number of jobs that follows from it. */
static void check_jobs_needed(const ClosedForm *row, double load)
{
    const double found = row->metric[0] == 'n' ? daley_variance(load) : daley_jobs(load, .05);
    ck_assert_double_eq_tol(found / row->value, 1, 1e-4);
}

static const struct {
    const char *model;
    Queue (*queue)(const System *system, Arena *arena, double *load);
} models[] = {
    {"M/M/c", servers_queue},
    {"M/D/1", servers_queue},
    {"M/D/c", servers_queue},
    {"M/G/1", any_service_queue},
    {"M/M/1 FCFS", policy_queue},
    {"M/M/1 SRPT", policy_queue},
    {"M/M/1 SJF (no preemption)", policy_queue},
    {"gang queue FCFS (CTMC)", gang_queue},
    {"gang loss (Kaufman-Roberts)", loss_queue},
    {"M/G/infinity", endless_queue},
    {"M/M/c sizing", sizing_queue},
};

/* With less effort (theory.h) the systems number 0, stride, 2 * stride, ... of each model are
 * simulated. Shorter runs would not do: waits depend on each other over many jobs. */
static int32_t number_in_model(const System *systems, int32_t i)
{
    int32_t number = 0;
    for (int32_t before = 0; before < i; before++)
        number += strcmp(systems[before].rows->model, systems[i].rows->model) == 0;
    return number;
}

static bool is_simulated(const System *system)
{
    int32_t wanted = 0;
    for (int32_t i = 0; i < system->count; i++)
        wanted += reason_not_to(&system->rows[i]) == NULL;
    return wanted > 0;
}

static void check_system(const System *system, uint64_t base)
{
    Arena *arena = arena_create();
    double load, mean = 0;
    size_t m = 0;
    while (m < sizeof models / sizeof models[0] &&
           strcmp(models[m].model, system->rows->model) != 0)
        m++;
    ck_assert_msg(m < sizeof models / sizeof models[0], "model %s is unknown", system->rows->model);
    const Queue queue = models[m].queue(system, arena, &load);
    printf("%s, %s\n", system->rows->model, system->rows->parameters);
    Simulated simulated = simulate(arena, &queue, load, base);
    simulated.is_heavy_tail = begins_with(system->rows->parameters, "lognormal sigma=1.9");
    for (int32_t i = 0; i < system->count; i++) {
        const ClosedForm *row = &system->rows[i];
        if (strcmp(row->metric, "E[Wq]") == 0)
            mean = row->value;
        if (reason_not_to(row) == NULL)
            check_row(&simulated, row, mean);
    }
    arena_destroy(arena);
}

/* Each test takes the systems number _i, _i + PARTS, ... */
enum { PARTS = 16 };

START_TEST(rows_of_queues_are_reproduced)
{
    int32_t count;
    Arena *arena = arena_create();
    const System *systems = find_systems(arena, &count);
    const int32_t stride = (int32_t)ceil(1 / theory_effort());
    for (int32_t i = _i; i < count; i += PARTS) {
        if (!is_simulated(&systems[i]) || number_in_model(systems, i) % stride != 0)
            continue;
        if (strcmp(systems[i].rows->model, "M/M/1") == 0)
            for (int32_t r = 0; r < systems[i].count; r++)
                check_jobs_needed(&systems[i].rows[r], parameter(&systems[i], "rho="));
        else // each system has its own seeds: with common ones all rows would err to the same side
            check_system(&systems[i], 7000 + 50 * (uint64_t)i);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(the_fewest_servers_are_between_the_rows_of_their_shares)
{
    int32_t count;
    Arena *arena = arena_create();
    const ClosedForm *rows = closed_forms_read(arena, &count);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(rows[i].metric, "fewest servers") != 0)
            continue;
        // The two rows that follow are the shares with so many servers, and with one less.
        ck_assert_double_ge(rows[i + 1].value, .95);
        ck_assert_double_lt(rows[i + 2].value, .95);
        ck_assert_double_eq(strtod(strstr(rows[i + 1].parameters, "c=") + 2, NULL), rows[i].value);
        ck_assert_double_eq(strtod(strstr(rows[i + 2].parameters, "c=") + 2, NULL),
                            rows[i].value - 1);
    }
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("capacity");
    TCase *tests = tcase_create("capacity");
    tcase_add_loop_test(tests, rows_of_queues_are_reproduced, 0, PARTS);
    tcase_add_test(tests, the_fewest_servers_are_between_the_rows_of_their_shares);
    suite_add_tcase(suite, tests);
    return suite;
}

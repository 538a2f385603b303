#include "sim/study/fit/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/model/random_math.h"

/* Places at which distances are evaluated, and points of the sums of Weibull's likelihood: more
 * change neither by as much as the log's own chance. */
enum { PLACES_MAX = 4000 };

const char *const fit_kind_names[] = {
#define X(name, text) text,
    FIT_KINDS(X)
#undef X
};

static int ascending(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static double seconds_of(int64_t ns)
{
    return (double)(ns < NS_PER_S ? NS_PER_S : ns) / (double)NS_PER_S;
}

/* The value at share p of ascending values. */
static double quantile_of(const int64_t *sorted_ns, int64_t count, double p)
{
    int64_t index = (int64_t)(p * (double)count);
    index = index < 0 ? 0 : index >= count ? count - 1 : index;
    return seconds_of(sorted_ns[index]);
}

double fit_log_quantile_s(const WorkloadFit *fit, double p)
{
    return quantile_of(fit->run_ns, fit->jobs, p);
}

/* --- Formulas --- */

/* The share of a standard normal distribution below z, by bisection of its quantiles. */
static double normal_below(double z)
{
    double low = 0, high = 1;
    for (int32_t i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;
        if (middle <= 0 || middle >= 1)
            break;
        if (random_normal(middle) < z)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static double power(double x, double exponent)
{
    return random_exp(exponent * random_log(x));
}

/* Linear between the knots of the table. Several knots of one value are jobs of exactly that time,
 * which count only if `is_inclusive`. */
static double table_below(const WorkloadFit *fit, double s, bool is_inclusive)
{
    const double ns = s * (double)NS_PER_S;
    for (int32_t i = 1; i < fit->knot_count; i++) {
        const double low = (double)fit->knots[i - 1].value, high = (double)fit->knots[i].value;
        if (ns > high || (ns >= high && is_inclusive))
            continue;
        const double part = ns <= low ? 0 : (ns - low) / (high - low);
        const double from = (double)fit->knots[i - 1].probability_ppm;
        const double to = (double)fit->knots[i].probability_ppm;
        return (from + part * (to - from)) / (double)PPM;
    }
    return 1;
}

/* The share of the distribution below a time. */
static double share_below(const WorkloadFit *fit, FitKind kind, const Fit *of, double s,
                          bool is_inclusive)
{
    switch (kind) {
    case FIT_EXPONENTIAL:
        return 1 - random_exp(-s / of->scale_s);
    case FIT_LOGNORMAL:
        return normal_below((random_log(s) - random_log(of->scale_s)) / of->shape);
    case FIT_WEIBULL:
        return 1 - random_exp(-power(s / of->scale_s, of->shape));
    case FIT_QUANTILES:
        return table_below(fit, s, is_inclusive);
    case FIT_KIND_COUNT:
        break;
    }
    return 0;
}

static double table_quantile_ns(const WorkloadFit *fit, double p)
{
    int32_t i = 1;
    while (i < fit->knot_count - 1 && p * (double)PPM > (double)fit->knots[i].probability_ppm)
        i++;
    const QuantileKnot low = fit->knots[i - 1], high = fit->knots[i];
    const double range_ppm = (double)(high.probability_ppm - low.probability_ppm);
    const double part = (p * (double)PPM - (double)low.probability_ppm) / range_ppm;
    return (double)low.value + part * (double)(high.value - low.value);
}

double fit_quantile_s(const WorkloadFit *fit, FitKind kind, double p)
{
    const Fit *of = &fit->runs[kind];
    switch (kind) {
    case FIT_EXPONENTIAL:
        return -of->scale_s * random_log(1 - p);
    case FIT_LOGNORMAL:
        return of->scale_s * random_exp(of->shape * random_normal(p));
    case FIT_WEIBULL:
        return of->scale_s * power(-random_log(1 - p), 1 / of->shape);
    case FIT_QUANTILES:
        return table_quantile_ns(fit, p) / (double)NS_PER_S;
    case FIT_KIND_COUNT:
        break;
    }
    return 0;
}

/* The largest difference of shares, just below and at the values of the log. */
static double distance_of(const WorkloadFit *fit, FitKind kind, const Fit *of,
                          const int64_t *sorted_ns, int64_t count)
{
    const int64_t step = count / PLACES_MAX + 1;
    double largest = 0;
    for (int64_t i = 0; i < count; i += step) {
        int64_t below = i, upto = i; // equal values are one step of the log's distribution
        while (below > 0 && sorted_ns[below - 1] == sorted_ns[i])
            below--;
        while (upto + 1 < count && sorted_ns[upto + 1] == sorted_ns[i])
            upto++;
        const double s = seconds_of(sorted_ns[i]);
        const double under =
            fabs(share_below(fit, kind, of, s, false) - (double)below / (double)count);
        const double over =
            fabs(share_below(fit, kind, of, s, true) - (double)(upto + 1) / (double)count);
        largest = under > largest ? under : largest;
        largest = over > largest ? over : largest;
        i = upto > i ? upto : i;
    }
    return largest;
}

/* --- Run times --- */

static double limited(double shape)
{
    const double least = (double)DISTRIBUTION_SHAPE_LEAST_PPM / (double)PPM;
    const double most = (double)DISTRIBUTION_SHAPE_MOST_PPM / (double)PPM;
    return shape < least ? least : shape > most ? most : shape;
}

static double mean_of(const int64_t *values_ns, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += seconds_of(values_ns[i]);
    return sum / (double)count;
}

static Fit fit_lognormal(const WorkloadFit *fit)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < fit->jobs; i++)
        sum += random_log(seconds_of(fit->run_ns[i]));
    const double mean = sum / (double)fit->jobs;
    for (int64_t i = 0; i < fit->jobs; i++) {
        const double difference = random_log(seconds_of(fit->run_ns[i])) - mean;
        squares += difference * difference;
    }
    return (Fit){.scale_s = random_exp(mean), .shape = limited(sqrt(squares / (double)fit->jobs))};
}

/* The derivative of Weibull's log-likelihood by the shape k, in units of the number of jobs:
 * 1/k + mean(ln x) - sum(x^k ln x) / sum(x^k); it falls with k. Also the scale that belongs to k.
 */
static double weibull_slope(const double *logs, int32_t count, double k, double *log_scale)
{
    const double largest = logs[count - 1]; // x^k is divided by its largest value
    double sum = 0, weighted = 0, mean = 0;
    for (int32_t i = 0; i < count; i++) {
        const double weight = random_exp(k * (logs[i] - largest));
        sum += weight;
        weighted += weight * logs[i];
        mean += logs[i] / count;
    }
    *log_scale = largest + random_log(sum / count) / k;
    return 1 / k + mean - weighted / sum;
}

static Fit fit_weibull(Arena *arena, const WorkloadFit *fit)
{
    const int64_t step = fit->jobs / PLACES_MAX + 1;
    double *logs = ARENA_ARRAY(arena, double, fit->jobs / step + 1);
    int32_t count = 0;
    for (int64_t i = step / 2; i < fit->jobs; i += step)
        logs[count++] = random_log(seconds_of(fit->run_ns[i]));
    double low = limited(0), high = limited(1e9), log_scale = 0;
    for (int32_t i = 0; i < 40 && count > 0; i++) {
        const double middle = sqrt(low * high);
        if (weibull_slope(logs, count, middle, &log_scale) > 0)
            low = middle;
        else
            high = middle;
    }
    return (Fit){.scale_s = random_exp(log_scale), .shape = sqrt(low * high)};
}

/* A place of the log's distribution: a run time, and the share of jobs below it, or not above it.
 */
typedef struct {
    int64_t value_ns;
    double share, error; /* of the table at this place */
} LogPlace;

/* How many of the ascending values are below `value`, or not above it. */
static int64_t rank_of(const WorkloadFit *fit, int64_t value_ns, bool is_inclusive)
{
    int64_t low = 0, high = fit->jobs;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (fit->run_ns[middle] < value_ns || (is_inclusive && fit->run_ns[middle] == value_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static LogPlace place_at(const WorkloadFit *fit, int64_t value_ns, bool is_inclusive)
{
    const double share = (double)rank_of(fit, value_ns, is_inclusive) / (double)fit->jobs;
    const double of_table = table_below(fit, (double)value_ns / (double)NS_PER_S, is_inclusive);
    return (LogPlace){value_ns, share, fabs(share - of_table)};
}

/* Adds a knot, unless there is one at that share. */
static bool add_knot(WorkloadFit *fit, LogPlace place)
{
    const int64_t ppm = (int64_t)(place.share * (double)PPM + 0.5);
    int32_t next = 1;
    while (next < fit->knot_count && fit->knots[next].probability_ppm < ppm)
        next++;
    if (ppm <= 0 || ppm >= PPM || fit->knots[next].probability_ppm == ppm)
        return false;
    memmove(&fit->knots[next + 1], &fit->knots[next],
            (size_t)(fit->knot_count - next) * sizeof *fit->knots);
    fit->knots[next] = (QuantileKnot){ppm, place.value_ns};
    fit->knot_count++;
    return true;
}

/* Begins with the shortest and the longest job; the next knot is where the table is most wrong. */
static void set_knots(WorkloadFit *fit)
{
    const int64_t step = 2 * (fit->jobs / PLACES_MAX) + 1; // odd: both kinds of place
    fit->knots[0] = (QuantileKnot){0, fit->run_ns[0]};
    fit->knots[1] = (QuantileKnot){PPM, fit->run_ns[fit->jobs - 1]};
    fit->knot_count = 2;
    while (fit->knot_count < FIT_KNOTS_MAX) {
        LogPlace worst = {0};
        for (int64_t i = 0; i < 2 * fit->jobs; i += step) {
            const LogPlace place = place_at(fit, fit->run_ns[i / 2], i % 2 == 1);
            worst = place.error > worst.error ? place : worst;
        }
        if (worst.error <= 0 || !add_knot(fit, worst))
            break;
    }
}

static void fit_runs(Arena *arena, WorkloadFit *fit)
{
    fit->runs[FIT_EXPONENTIAL].scale_s = mean_of(fit->run_ns, fit->jobs);
    fit->runs[FIT_LOGNORMAL] = fit_lognormal(fit);
    fit->runs[FIT_WEIBULL] = fit_weibull(arena, fit);
    set_knots(fit);
    for (int32_t i = 0; i < FIT_KIND_COUNT; i++)
        fit->runs[i].distance = distance_of(fit, (FitKind)i, &fit->runs[i], fit->run_ns, fit->jobs);
    for (int32_t i = 1; i < FIT_QUANTILES; i++)
        if (fit->runs[i].distance < fit->runs[fit->best].distance)
            fit->best = (FitKind)i;
    if (fit->runs[fit->best].distance > FIT_DISTANCE_GOOD)
        fit->best = FIT_QUANTILES;
}

/* --- Arrivals --- */

enum { HOUR_S = 3600, DAY_S = 86400 };

/* Arrivals and time of each hour of the week, UTC. */
typedef struct {
    int64_t jobs[HOURS_A_WEEK];
    Wide s[HOURS_A_WEEK];
} Weekly;

static void count_arrivals(WorkloadFit *fit, const JobList *list, int64_t origin_s, Zone *zone,
                           Weekly *weekly)
{
    const int32_t monday = 4; // 1970-01-05, days after the epoch
    for (int64_t i = 0; i < list->count; i++) {
        const int64_t unix_s = origin_s + list->submit_ns[i] / NS_PER_S;
        const int64_t local_s = unix_s + (fit->has_calendar ? zone_offset_s(zone, unix_s) : 0);
        const int64_t day = local_s / DAY_S;
        fit->arrivals[(day + FIT_DAYS - (fit->has_calendar ? monday : 0)) % FIT_DAYS]
                     [local_s % DAY_S / HOUR_S]++;
        weekly->jobs[week_hour_at(unix_s * 1000)]++;
    }
}

/* Divides factors by their mean; all are 1 if they are all 0. */
static void make_mean_one(double *factors, int32_t count)
{
    double sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += factors[i];
    for (int32_t i = 0; i < count; i++)
        factors[i] = sum > 0 ? factors[i] * count / sum : 1;
}

static void fit_hours(WorkloadFit *fit, const Weekly *weekly)
{
    for (int32_t hour = 0; hour < FIT_HOURS; hour++) {
        double jobs = 0, s = 0;
        for (int32_t at = hour; at < HOURS_A_WEEK; at += FIT_HOURS) {
            jobs += (double)weekly->jobs[at];
            s += (double)weekly->s[at];
        }
        fit->hour_factors[hour] = s > 0 ? jobs / s : 0;
    }
    make_mean_one(fit->hour_factors, FIT_HOURS);
}

static void fit_weekdays(WorkloadFit *fit, const Weekly *weekly)
{
    for (int32_t day = 0; day < FIT_DAYS; day++) {
        double jobs = 0, weighted_s = 0;
        for (int32_t hour = 0; hour < FIT_HOURS; hour++) {
            const int32_t at = day * FIT_HOURS + hour;
            jobs += (double)weekly->jobs[at];
            weighted_s += (double)weekly->s[at] * fit->hour_factors[hour];
        }
        fit->weekday_factors[day] = !fit->has_weekdays ? 1 : weighted_s > 0 ? jobs / weighted_s : 0;
    }
    make_mean_one(fit->weekday_factors, FIT_DAYS);
}

/* Arrivals of days with one weekday. */
typedef struct {
    double days, sum, squares;
} DayCounts;

static void fit_weekday_errors(WorkloadFit *fit, const JobList *list, int64_t origin_s)
{
    DayCounts counts[FIT_DAYS] = {0};
    const int64_t first = (origin_s + DAY_S - 1) / DAY_S;             // the first whole day ...
    const int64_t end = (origin_s + fit->span_ns / NS_PER_S) / DAY_S; // ... and the one after all
    int64_t i = 0;
    for (int64_t day = first; day < end; day++) {
        double jobs = 0;
        for (; i < list->count && origin_s + list->submit_ns[i] / NS_PER_S < (day + 1) * DAY_S; i++)
            jobs += origin_s + list->submit_ns[i] / NS_PER_S >= day * DAY_S;
        DayCounts *of = &counts[week_hour_at(day * DAY_S * 1000) / FIT_HOURS];
        *of = (DayCounts){of->days + 1, of->sum + jobs, of->squares + jobs * jobs};
    }
    for (int32_t day = 0; day < FIT_DAYS; day++) {
        const DayCounts *of = &counts[day];
        const double variance = of->days < 2 ? 0
                                             : (of->squares - of->sum * of->sum / of->days) /
                                                   (of->days * (of->days - 1));
        if (variance > 0) // then the sum is, too
            fit->weekday_errors[day] =
                fit->weekday_factors[day] * sqrt(variance) * of->days / of->sum;
    }
}

static void fit_arrivals(WorkloadFit *fit, const JobList *list, int64_t origin_ns, Zone *zone)
{
    Weekly weekly = {0};
    const int64_t origin_s = fit->has_calendar ? origin_ns / NS_PER_S : 0;
    const int64_t last_ns = list->submit_ns[list->count - 1];
    fit->span_ns = last_ns < NS_PER_S ? NS_PER_S : last_ns;
    fit->per_day = (double)fit->jobs * (double)NS_PER_DAY / (double)fit->span_ns;
    fit->has_weekdays = fit->has_calendar && fit->span_ns >= (FIT_DAYS_LEAST - 1) * NS_PER_DAY;
    const int64_t span_s = fit->span_ns / NS_PER_S;
    count_arrivals(fit, list, origin_s, zone, &weekly);
    week_hours_spread(weekly.s, HOURS_A_WEEK, origin_s * 1000, 0, span_s * NS_PER_S, span_s);
    fit_hours(fit, &weekly);
    fit_weekdays(fit, &weekly);
    if (fit->has_weekdays)
        fit_weekday_errors(fit, list, origin_s);
    for (int32_t at = 0; at < HOURS_A_WEEK; at++)
        fit->factors_s += (double)weekly.s[at] * fit->hour_factors[at % FIT_HOURS] *
                          fit->weekday_factors[at / FIT_HOURS];
}

static void fit_gaps(Arena *arena, WorkloadFit *fit, const JobList *list)
{
    const int64_t count = list->count - 1;
    if (count < 1)
        return;
    int64_t *gaps_ns = ARENA_ARRAY(arena, int64_t, count);
    for (int64_t i = 0; i < count; i++)
        gaps_ns[i] = list->submit_ns[i + 1] - list->submit_ns[i];
    qsort(gaps_ns, (size_t)count, sizeof *gaps_ns, ascending);
    fit->gaps.scale_s = mean_of(gaps_ns, count);
    fit->gaps.distance = distance_of(fit, FIT_EXPONENTIAL, &fit->gaps, gaps_ns, count);
}

/* --- Sizes --- */

static int by_jobs(const void *left, const void *right)
{
    const FitSize *a = left, *b = right;
    return a->jobs != b->jobs ? (a->jobs < b->jobs ? 1 : -1)
                              : (a->gpus > b->gpus) - (a->gpus < b->gpus);
}

static int by_gpus(const void *left, const void *right)
{
    const FitSize *a = left, *b = right;
    return (a->gpus > b->gpus) - (a->gpus < b->gpus);
}

/* Shares in ppm that add up to 1,000,000: rounded down, the rest to the most frequent size. Sizes
 * are in the order of their frequency. */
static void set_shares(WorkloadFit *fit)
{
    int64_t kept = 0, given_ppm = 0;
    for (int32_t i = 0; i < fit->size_count; i++)
        kept += fit->sizes[i].jobs;
    for (int32_t i = 0; i < fit->size_count; i++) {
        fit->sizes[i].share_ppm = mul_div(fit->sizes[i].jobs, PPM, kept);
        given_ppm += fit->sizes[i].share_ppm;
    }
    fit->sizes[0].share_ppm += PPM - given_ppm;
    fit->sizes_left_out = fit->jobs - kept;
}

static void fit_sizes(Arena *arena, WorkloadFit *fit, const JobList *list)
{
    int64_t *gpus = ARENA_ARRAY(arena, int64_t, list->count);
    FitSize *sizes = ARENA_ARRAY(arena, FitSize, list->count);
    int64_t count = 0;
    for (int64_t i = 0; i < list->count; i++)
        gpus[i] = list->gpus[i];
    qsort(gpus, (size_t)list->count, sizeof *gpus, ascending);
    for (int64_t i = 0; i < list->count; i++) {
        if (i == 0 || gpus[i] != gpus[i - 1])
            sizes[count++].gpus = (int32_t)gpus[i];
        sizes[count - 1].jobs++;
    }
    qsort(sizes, (size_t)count, sizeof *sizes, by_jobs);
    fit->size_count = (int32_t)(count < FIT_SIZES_MAX ? count : FIT_SIZES_MAX);
    memcpy(fit->sizes, sizes, (size_t)fit->size_count * sizeof *sizes);
    set_shares(fit);
    qsort(fit->sizes, (size_t)fit->size_count, sizeof *fit->sizes, by_gpus);
}

const WorkloadFit *workload_fit(Arena *arena, const JobList *list, int64_t origin_ns,
                                bool has_calendar, Zone zone)
{
    WorkloadFit *fit = ARENA_NEW(arena, WorkloadFit);
    int64_t *run_ns = ARENA_ARRAY(arena, int64_t, list->count);
    fit->jobs = list->count;
    fit->has_calendar = has_calendar;
    memcpy(run_ns, list->run_ns, (size_t)list->count * sizeof *run_ns);
    qsort(run_ns, (size_t)list->count, sizeof *run_ns, ascending);
    fit->run_ns = run_ns;
    fit_runs(arena, fit);
    fit_arrivals(fit, list, origin_ns, &zone);
    fit_gaps(arena, fit, list);
    fit_sizes(arena, fit, list);
    return fit;
}

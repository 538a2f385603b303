/* Private to sim/output/summary: what runs keep of a metric, so that the values of many runs can be
 * put together (metric.h). */
#include <math.h>
#include <string.h>

#include "sim/output/summary/metric_path.h"
#include "sim/output/summary/percentile.h"

/* The percentile in parts of 10^-7 per cent; 0: no percentile. */
static int64_t percent_of(const Metric *metric)
{
    int64_t percent;
    if (metric->above != NULL)
        return 0;
    if (metric->what == METRIC_PERCENTILE)
        return metric->argument;
    return metric->what == METRIC_MEMBER && metric->is_in_spread &&
                   metric_read_percent(metric->field->name, &percent)
               ? percent
               : 0;
}

MeasureKind metric_kind(const Metric *metric)
{
    if (metric->above != NULL)
        return MEASURE_RATIO;
    if (metric->what == METRIC_WITHIN)
        return MEASURE_SHARE;
    const int64_t percent = percent_of(metric);
    if (percent > 0 && percent < 100 * PERCENT_PARTS)
        return MEASURE_PERCENTILE;
    const char *unit = metric_unit(metric);
    return unit != NULL && strcmp(unit, "1") == 0 ? MEASURE_FRACTION : MEASURE_MEAN;
}

int64_t metric_quantile_ppb(const Metric *metric)
{
    _Static_assert(100 * PERCENT_PARTS == 1000000000, "a percentage counts 10^-9 of the whole");
    return percent_of(metric);
}

static const struct {
    const char *name;
    int32_t part_count;
} measure_kinds[MEASURE_KIND_COUNT] = {
    [MEASURE_MEAN] = {"mean", 0},   [MEASURE_FRACTION] = {"fraction", 0},
    [MEASURE_SHARE] = {"share", 1}, [MEASURE_PERCENTILE] = {"percentile", METRIC_PARTS_MAX},
    [MEASURE_RATIO] = {"ratio", 2},
};

const char *measure_kind_name(MeasureKind kind)
{
    return measure_kinds[kind].name;
}

int32_t measure_part_count(MeasureKind kind)
{
    return measure_kinds[kind].part_count;
}

int64_t metric_order_rank(int32_t index, double quantile, int64_t count)
{
    // The part of the times above the rank, in per cent of the part above the percentile.
    static const int32_t above[METRIC_ORDER_RANKS] = {0,  1000, 500, 300, 200, 150, 125, 110, 100,
                                                      90, 80,   65,  50,  35,  20,  10,  0};
    if (index == 0)
        return 1;
    const double beyond = (1 - quantile) * (double)count * above[index] / 100;
    // A rank that is a whole number must not move by a rounding error.
    const int64_t rank = count - (int64_t)(beyond + 1e-6);
    return rank > 1 ? rank : 1;
}

static void order_parts(const Metric *metric, const SummarySpread *spread, double *parts)
{
    if (spread->jobs == NULL)
        return;
    Arena *scratch = arena_create();
    const int64_t *sorted;
    const double quantile = (double)metric_quantile_ppb(metric) / 1e9;
    const uint32_t count = spread_sorted(scratch, spread, &sorted);
    parts[0] = count;
    for (int32_t i = 0; i < METRIC_ORDER_RANKS && count > 0; i++)
        parts[1 + i] = metric_scaled(sorted[metric_order_rank(i, quantile, count) - 1], 9);
    arena_destroy(scratch);
}

static void parts_in(const Metric *metric, const void *item, double *parts)
{
    const SummarySpread *spread = at(item, metric->spread);
    if (metric_kind(metric) == MEASURE_PERCENTILE)
        order_parts(metric, spread, parts);
    else if (spread->jobs != NULL)
        parts[0] = (double)spread_within(spread, metric->argument).jobs;
}

static void put_known(MetricValue value, double *part)
{
    if (value.is_known)
        *part = value.value;
}

void metric_parts(const Metric *metric, const Summary *summary, double *parts)
{
    const int32_t count = measure_part_count(metric_kind(metric));
    for (int32_t i = 0; i < count; i++)
        parts[i] = (double)NAN;
    if (metric->above != NULL) {
        put_known(metric_of(metric->above, summary), &parts[0]);
        put_known(metric_of(metric->below, summary), &parts[1]);
        return;
    }
    const void *item = count > 0 ? metric_struct(metric, summary) : NULL;
    if (item == NULL)
        return;
    Arena *scratch = arena_create();
    SummaryClass class;
    if (!metric->is_of_class)
        parts_in(metric, item, parts);
    else if (metric_class(scratch, metric, item, &class))
        parts_in(metric, &class, parts);
    arena_destroy(scratch);
}

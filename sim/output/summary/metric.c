#include "sim/output/summary/metric.h"

#include <string.h>

#include "sim/output/summary/metric_path.h"

bool metric_is_of_waiting(const Metric *metric)
{
    return metric->above != NULL
               ? metric_is_of_waiting(metric->above) || metric_is_of_waiting(metric->below)
               : metric->is_of_waiting;
}

bool metric_is_text(const Metric *metric)
{
    return metric->above == NULL && metric->what == METRIC_MEMBER &&
           metric->field->kind == VALUE_TEXT;
}

/* The units of ratios that people ask for; others have none. */
static const char *unit_of_ratio(const Metric *metric)
{
    const char *above = metric_unit(metric->above), *below = metric_unit(metric->below);
    if (below == NULL)
        return above;
    return above != NULL && strcmp(above, below) == 0 ? "1" : NULL;
}

const char *metric_unit(const Metric *metric)
{
    if (metric->above != NULL)
        return unit_of_ratio(metric);
    switch (metric->what) {
    case METRIC_MEMBER:
        return metric->field->unit;
    case METRIC_PERCENTILE:
    case METRIC_COMPLETED:
        return "s";
    case METRIC_WITHIN:
        break;
    }
    return "1";
}

/* --- Evaluating --- */

/* NULL: the list has no item of this name. */
static const void *step_item(const Step *step, const void *base)
{
    const void *items = *(const void *const *)at(base, step->items);
    const uint32_t count = *(const uint32_t *)at(base, step->count);
    for (uint32_t i = 0; i < count; i++) {
        const void *item = at(items, i * step->item_bytes);
        if (strcmp(*(const char *const *)at(item, step->key), step->name) == 0)
            return item;
    }
    return NULL;
}

const void *metric_struct(const Metric *metric, const Summary *summary)
{
    const void *base = summary;
    for (int32_t i = 0; base != NULL && i < metric->step_count; i++)
        base = step_item(&metric->steps[i], base);
    return base;
}

double metric_scaled(Wide value, int32_t decimals)
{
    double unit = 1;
    for (int32_t i = 0; i < decimals; i++)
        unit *= 10;
    return (double)value / unit;
}

static bool is_hidden(const Field *field, const void *item)
{
    return field->shown_if != 0 && !*(const bool *)at(item, field->shown_if);
}

static MetricValue member_value(const Metric *metric, const void *item)
{
    const Field *field = metric->field;
    const void *member = at(item, metric->member);
    const Wide value =
        field->size == sizeof(Wide) ? *(const Wide *)member : *(const int64_t *)member;
    if (value == PLAIN_UNKNOWN || is_hidden(field, item))
        return (MetricValue){0};
    return (MetricValue){.value = metric_scaled(value, field->decimals),
                         .is_known = true,
                         .is_lower_bound =
                             metric->is_in_spread &&
                             spread_is_at_least(at(item, metric->spread), field->name)};
}

static MetricValue value_in(const Metric *metric, const void *item)
{
    const SummarySpread *spread = at(item, metric->spread);
    if (metric->what == METRIC_MEMBER)
        return member_value(metric, item);
    if (spread->jobs == NULL)
        return (MetricValue){0};
    if (metric->what == METRIC_PERCENTILE || metric->what == METRIC_COMPLETED) {
        const SpreadValue value = metric->what == METRIC_COMPLETED
                                      ? spread_mean_completed(spread)
                                      : spread_percentile(spread, metric->argument);
        if (value.value == SUMMARY_NEVER)
            return (MetricValue){0};
        return (MetricValue){metric_scaled(value.value, 9), true, value.is_lower_bound};
    }
    const SpreadShare share = spread_within(spread, metric->argument);
    if (share.jobs == 0)
        return (MetricValue){0};
    return (MetricValue){(double)share.within / (double)share.jobs, true, share.is_lower_bound};
}

static int32_t class_value_of(const JobTimes *job, JobClassKind kind)
{
    switch (kind) {
    case CLASS_OF_SIZE:
        return job->size;
    case CLASS_OF_USER:
        return job->user;
    case CLASS_OF_QUEUE:
        return job->queue;
    case JOB_CLASS_COUNT:
        break;
    }
    return -1;
}

bool metric_class(Arena *arena, const Metric *metric, const SummaryWorkload *workload,
                  SummaryClass *class)
{
    const SummarySpread *all = &workload->all.queue;
    if (all->jobs == NULL)
        return false;
    JobTimes *jobs = ARENA_ARRAY(arena, JobTimes, all->job_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->job_count; i++)
        if (class_value_of(&all->jobs[i], metric->class_kind) == metric->class_value)
            jobs[count++] = all->jobs[i];
    *class = summary_class(arena, jobs, count);
    return true;
}

static MetricValue ratio_value(const Metric *metric, const Summary *summary)
{
    const MetricValue above = metric_of(metric->above, summary);
    const MetricValue below = metric_of(metric->below, summary);
    if (!above.is_known || !below.is_known || below.value <= 0)
        return (MetricValue){0};
    return (MetricValue){above.value / below.value, true, above.is_lower_bound};
}

MetricValue metric_of(const Metric *metric, const Summary *summary)
{
    if (metric->above != NULL)
        return ratio_value(metric, summary);
    const void *item = metric_struct(metric, summary);
    if (item == NULL || metric_is_text(metric))
        return (MetricValue){0};
    if (!metric->is_of_class)
        return value_in(metric, item);
    Arena *scratch = arena_create();
    SummaryClass class;
    const MetricValue value =
        metric_class(scratch, metric, item, &class) ? value_in(metric, &class) : (MetricValue){0};
    arena_destroy(scratch);
    return value;
}

const char *metric_text_of(const Metric *metric, const Summary *summary)
{
    const void *item = metric->above == NULL ? metric_struct(metric, summary) : NULL;
    if (item == NULL || !metric_is_text(metric) || metric->is_of_class ||
        is_hidden(metric->field, item))
        return NULL;
    return *(const char *const *)at(item, metric->member);
}

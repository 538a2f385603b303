#include "sim/scenario/expect/bounds.h"

#include <math.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/schema/value.h"

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* Whether a metric is in seconds: "jobs.train.run_s", "workloads.day.queue_s.p95". */
static bool is_in_seconds(const char *metric)
{
    return ends_with(metric, "_s") || strstr(metric, "_s.") != NULL;
}

bool bounds_have_unit(const char *metric)
{
    return is_in_seconds(metric) || ends_with(metric, "bytes");
}

/* A limit of a metric: a number, or a quantity whose unit fits the metric's name. */
static double read_limit(const char *metric, const Json *node, Bounds *bounds, Problems *problems)
{
    Status status = {0};
    int64_t value = 0;
    if (node->kind == JSON_NUMBER)
        return node->number;
    if (node->kind != JSON_STRING) {
        problems_add(problems, STATUS_BAD_INPUT, node->at,
                     "a bound of \"%s\" is neither a number nor a quantity", metric);
        return 0;
    }
    const bool is_time = is_in_seconds(metric), is_size = ends_with(metric, "bytes");
    const bool is_share = !is_time && !is_size && ends_with(node->text, "%");
    bounds->has_share |= is_share;
    if (!is_time && !is_size && !is_share)
        problems_add(problems, STATUS_BAD_INPUT, node->at,
                     "metric \"%s\" is a plain number, not a duration or size", metric);
    else if (!value_parse(is_time   ? VALUE_DURATION
                          : is_size ? VALUE_BYTES
                                    : VALUE_RATIO,
                          node->text, node->at, &value, &status))
        problems_add_status(problems, &status);
    return is_time    ? (double)value / (double)NS_PER_S
           : is_share ? (double)value / (double)PPM
                      : (double)value;
}

static void read_between(const char *metric, const Json *between, Bounds *bounds,
                         Problems *problems)
{
    const int32_t before = problems->count;
    if (between->kind != JSON_ARRAY || between->count != 2) {
        problems_add(problems, STATUS_BAD_INPUT, between->at,
                     "between needs two values in an array");
        return;
    }
    bounds->low = read_limit(metric, between->first, bounds, problems);
    if (problems->count == before) // two wrong limits are one mistake
        bounds->high = read_limit(metric, between->last, bounds, problems);
}

Bounds bounds_read(const BoundsText *text, const char *metric, Problems *problems)
{
    const bool has_limits = text->at_least != NULL || text->at_most != NULL;
    const int32_t before = problems->count;
    Bounds bounds = {.low = -INFINITY, .high = INFINITY};
    if ((text->equals != NULL) + (text->between != NULL) + has_limits != 1) {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "an expected metric needs one way to compare"),
                    "\"equals\", \"between\", or \"at_least\" and \"at_most\"");
        return bounds;
    }
    if (text->equals != NULL)
        bounds.low = bounds.high = read_limit(metric, text->equals, &bounds, problems);
    if (text->between != NULL)
        read_between(metric, text->between, &bounds, problems);
    if (text->at_least != NULL)
        bounds.low = read_limit(metric, text->at_least, &bounds, problems);
    if (text->at_most != NULL)
        bounds.high = read_limit(metric, text->at_most, &bounds, problems);
    if (bounds.low > bounds.high && problems->count == before)
        problems_add(problems, STATUS_BAD_INPUT, json_at(text->node),
                     "the smallest allowed value is above the largest");
    return bounds;
}

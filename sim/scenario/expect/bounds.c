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

/* The unit of a metric by its name: "jobs.train.run_s", "workloads.day.queue_s.p95",
 * "cost_usd.total"; VALUE_TEXT: none. */
static ValueKind unit_of(const char *metric)
{
    return ends_with(metric, "_s") || strstr(metric, "_s.") != NULL ? VALUE_DURATION
           : ends_with(metric, "bytes")                             ? VALUE_BYTES
           : strstr(metric, "_usd") != NULL                         ? VALUE_MONEY
                                                                    : VALUE_TEXT;
}

bool bounds_have_unit(const char *metric)
{
    return unit_of(metric) != VALUE_TEXT;
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
    ValueKind unit = unit_of(metric);
    if ((unit == VALUE_TEXT || unit == VALUE_MONEY) && ends_with(node->text, "%"))
        unit = VALUE_RATIO; // whether the metric is one is checked with its name
    bounds->has_share |= unit == VALUE_RATIO;
    if (unit == VALUE_TEXT)
        problems_add(problems, STATUS_BAD_INPUT, node->at,
                     "metric \"%s\" is a plain number, not a duration, size or amount", metric);
    else if (!value_parse(unit, node->text, node->at, &value, &status))
        problems_add_status(problems, &status);
    return unit == VALUE_DURATION                       ? (double)value / (double)NS_PER_S
           : unit == VALUE_RATIO || unit == VALUE_MONEY ? (double)value / (double)PPM
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

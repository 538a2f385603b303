/* Private to sim/output/summary: a compiled metric, which is the path from the summary to a
 * number. */
#ifndef SIM_OUTPUT_SUMMARY_METRIC_PATH_H
#define SIM_OUTPUT_SUMMARY_METRIC_PATH_H

#include "sim/output/summary/making.h"
#include "sim/output/summary/metric.h"

/* From a struct to the item of one of its lists. */
typedef struct {
    size_t items, count, item_bytes, key; /* offsets: of the list and its count, of an item's key */
    const char *name;
} Step;

typedef enum {
    METRIC_MEMBER,
    METRIC_PERCENTILE,
    METRIC_COMPLETED, /* the mean of a spread whose open times were completed */
    METRIC_WITHIN
} MetricWhat;

#define METRIC_COMPLETED_KEY "mean_completed"

enum { STEPS_MAX = 2 };

struct Metric {
    const char *name;
    const Metric *above, *below; /* a ratio of these; else NULL, and all members below count */
    int32_t step_count;
    Step steps[STEPS_MAX]; /* from the summary to a struct ... */
    bool is_of_class;      /* ... and from a workload to the jobs of one class */
    JobClassKind class_kind;
    int32_t class_value;
    MetricWhat what;
    bool is_of_waiting; /* what jobs waited for */
    bool is_in_spread;
    size_t spread;      /* offset in the struct, if `is_in_spread` */
    size_t member;      /* METRIC_MEMBER: offset in the struct */
    const Field *field; /* METRIC_MEMBER */
    int64_t argument;   /* METRIC_PERCENTILE: as in percentile_place; METRIC_WITHIN: ns */
};

/* A function of the times of jobs. It belongs to each object that has a spread as its member
 * `spread`. */
typedef struct {
    const char *name, *spread, *example, *doc;
} MetricFunction;

enum { METRIC_FUNCTION_COUNT = 2 };
extern const MetricFunction metric_functions[METRIC_FUNCTION_COUNT];

/* The spread of objects of this type on which the function depends; NULL: it is not theirs. */
const Field *metric_function_spread(const ObjectType *type, int function);

/* The key of an item, and its first other member. */
const Field *metric_key_field(const ObjectType *type);
/* Whether the field is a list of items with metrics. The inputs of a run are lists of texts. */
bool metric_is_list(const Field *field);
/* Whether `rest` is a percentile: "p90", "p99.9". */
bool metric_read_percent(const char *rest, int64_t *percent);

static inline const void *at(const void *base, size_t offset)
{
    return (const char *)base + offset;
}

/* The struct that the metric is in, or the workload of its class. NULL: the run has none. */
const void *metric_struct(const Metric *metric, const Summary *summary);
/* The jobs of the metric's class. False: they are unknown. */
bool metric_class(Arena *arena, const Metric *metric, const SummaryWorkload *workload,
                  SummaryClass *class);
double metric_scaled(Wide value, int32_t decimals);

#endif

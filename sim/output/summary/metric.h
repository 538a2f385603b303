/* Metrics by name: "workloads.day.queue_s.p95", "cost_usd.total", "utilisation". */
#ifndef SIM_OUTPUT_METRIC_H
#define SIM_OUTPUT_METRIC_H

#include "sim/output/summary/summary.h"

typedef struct Metric Metric;

/* Compiles the name of a metric for runs of `scenario`. NULL with a problem at `at`. */
const Metric *metric_compile(Arena *arena, const Scenario *scenario, const char *name, Place at,
                             Problems *problems);

typedef struct {
    double value;
    bool is_known;
    bool is_lower_bound;
} MetricValue;

MetricValue metric_of(const Metric *metric, const Summary *summary);

#endif

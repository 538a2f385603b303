/* The tables of a study: results.csv, a row a run, and points.csv, a row a point. */
#ifndef SIM_STUDY_STUDY_TABLES_H
#define SIM_STUDY_STUDY_TABLES_H

#include "sim/base/byte_sink.h"
#include "sim/study/results.h"

/* The results of a study so far. */
typedef struct {
    const Study *study;
    const Results *results;
    const int32_t *used; /* [point_count]: the replications that count */
} StudyFindings;

/* Columns: point, the factors, seed, the metrics, and "lower_bounds": the names of the metrics
 * whose value in this run is only a lower bound, separated by spaces. Rows by point and seed. */
void results_table(const StudyFindings *findings, ByteSink out);

/* The same for the `counts` [point_count] replications of each point from `first` on, all known. */
void runs_table(const StudyFindings *findings, int32_t first, const int32_t *counts, ByteSink out);

/* Columns: point, the factors, n (runs), of a steady study warm_up_s and length_s (of the measured
 * part of each run), and for each metric M the members of MetricEstimate:
 * M.value, M.low, M.high (95 %), M.method, M.note, M.mean, M.half_width, M.min, M.p05, M.p50,
 * M.p95, M.max, M.runs, M.lower_bounds; with a baseline also M.difference, M.difference_half_width,
 * M.variance_reduction. */
void points_table(const StudyFindings *findings, ByteSink out);

/* Columns: point, seed, seconds. The only table that differs between machines. Runs that were
 * resumed have no time. */
void timing_table(const StudyFindings *findings, ByteSink out);

/* The reference of these tables as Markdown. */
void study_tables_reference(Text *out);

#endif

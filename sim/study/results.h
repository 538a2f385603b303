/* The results of a study's runs in memory, by point and replication. */
#ifndef SIM_STUDY_RESULTS_H
#define SIM_STUDY_RESULTS_H

#include "sim/study/journal/journal.h"
#include "sim/study/study.h"

/* Arrays are indexed by replication, values and flags by replication * value_count + value. */
typedef struct {
    int32_t capacity; /* of replications */
    int32_t prefix;   /* replications 0 to prefix - 1 are known */
    bool *is_known;
    double *values;
    uint8_t *flags;
    uint64_t *fingerprints;
    int64_t *took_ns; /* of this machine; -1: not measured */
    int64_t timed_ns; /* sum of the measured ones */
    int32_t timed_count;
} PointResults;

typedef struct {
    Arena *arena;
    const Study *study;
    int32_t value_count; /* of a record */
    int32_t point_count;
    PointResults *points;
    int64_t run_count;
    /* Sums over all runs that were measured. */
    int64_t timed_ns, timed_count;
    int64_t job_count, event_count;
} Results;

Results *results_create(Arena *arena, const Study *study);

/* False for a record of a point that the study lacks, or with a replication beyond all limits: such
 * a record did not come from this study, whatever its identity. */
bool results_can_have(const Results *results, const RunRecord *record);
/* Copies the record, which results_can_have; one that is known already is ignored. `took_ns` -1:
 * not measured. */
void results_put(Results *results, const RunRecord *record, int64_t took_ns);

/* Adds all records of the journals in `folder` that belong to `identity`; `*count` is their number.
 * False with problems, also for a record that the study cannot have. */
MUST_CHECK bool results_load(Results *results, const char *folder, const JournalIdentity *identity,
                             int64_t *count, Problems *problems);

bool results_have(const Results *results, int32_t point, int32_t replication);
/* The record of a known run; it borrows the results. */
RunRecord results_record(const Results *results, const Study *study, int32_t point,
                         int32_t replication);

/* Number `value` of a record: a metric or a part of one. NAN: unknown. */
static inline double results_value(const Results *results, int32_t point, int32_t value,
                                   int32_t replication)
{
    return results->points[point]
        .values[(size_t)replication * (size_t)results->value_count + (size_t)value];
}

/* The plan by which the known run was made; false: the study is not steady. */
bool results_plan(const Results *results, int32_t point, int32_t replication, SteadyPlan *plan);

/* The known values of a metric in replications 0 to `count` - 1, in their order, written to
 * `values`. Returns their number. `*lower_bounds` counts those that are lower bounds. */
int32_t results_values(const Results *results, int32_t point, int32_t metric, int32_t count,
                       double *values, int32_t *lower_bounds);

/* The mean time of a run of `point` here, or of all points if none of its runs was measured; 0:
 * unknown. */
int64_t results_mean_ns(const Results *results, int32_t point);

#endif

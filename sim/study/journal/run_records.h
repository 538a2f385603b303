/* Records of finished runs, collected from any number of journals: ordered, and each run once. */
#ifndef SIM_STUDY_JOURNAL_RUN_RECORDS_H
#define SIM_STUDY_JOURNAL_RUN_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/status.h"

/* Flags of a value. */
enum {
    RUN_VALUE_IS_LOWER_BOUND = 1
}; /* the value is at least this: jobs still waited at the end */

/* The result of one run, that is of one replication of a point. It contains no time, machine or
 * rank, so that the same run has the same record wherever it is repeated. */
typedef struct {
    int32_t point;       /* index in the expanded study, from 0 */
    int32_t replication; /* from 0 */
    uint64_t seed;
    uint32_t value_count;
    const double *values; /* in the order of the study's metrics; NAN: unknown */
    const uint8_t *flags; /* one byte for each value; an unknown value has no flags */
    uint64_t fingerprint; /* of the run's trace */
} RunRecord;

/* True if the two runs gave the same result in every bit. Two unknown values are equal. */
bool run_record_is_same(const RunRecord *a, const RunRecord *b);

typedef struct {
    const RunRecord *items; /* ordered by (point, replication); no pair occurs twice */
    int64_t count;
    int64_t duplicate_count; /* further records of these runs, which agreed */
    int32_t file_count;      /* journals that were read */
    int32_t torn_count;      /* journals whose last bytes were dropped, and those bytes */
    int64_t torn_bytes;
} RunRecords;

/* Collects records in any order. */
typedef struct RunCollection RunCollection;

RunCollection *run_collection_create(Arena *arena, uint32_t value_count);
/* Copies `record`, which has `value_count` values. `at` is the place of its line. */
void run_collection_add(RunCollection *collection, const RunRecord *record, Place at);
/* Orders the records and drops duplicates. Fills in items, count and duplicate_count. Two different
 * results of one run are a problem, STATUS_MACHINE, which names both places; returns false then.
 * The items live as long as the collection's arena. */
bool run_collection_finish(RunCollection *collection, RunRecords *out, Problems *problems);

#endif

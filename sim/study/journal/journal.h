/* The records of runs. (In memory, until the journal on disk takes this place.) */
#ifndef SIM_STUDY_JOURNAL_JOURNAL_H
#define SIM_STUDY_JOURNAL_JOURNAL_H

#include "sim/base/status.h"

typedef struct {
    int32_t point;
    int32_t replication;
    uint64_t seed;
    uint32_t value_count;
    const double *values; /* NAN: unknown */
    const uint8_t *flags; /* bit 0: a lower bound */
    uint64_t fingerprint;
} RunRecord;

enum { RUN_VALUE_IS_LOWER_BOUND = 1 };

/* What makes two studies the same. */
typedef struct {
    const char *text;
} JournalIdentity;

typedef struct {
    int32_t count;
    const RunRecord *items; /* sorted by point and replication */
} RunRecords;

typedef struct Journal Journal;

Journal *journal_open(Arena *arena, const char *folder, JournalIdentity identity, int32_t shard,
                      int32_t rank, Status *status);
MUST_CHECK bool journal_append(Journal *journal, const RunRecord *record, Status *status);
MUST_CHECK bool journal_scan(Arena *arena, const char *folder, JournalIdentity identity,
                             RunRecords *out, Problems *problems);
MUST_CHECK bool journal_close(Journal *journal, Status *status);

#endif

/* A small study for tests of journals: two metrics, and results that are a function of point and
 * replication. */
#ifndef TESTS_SUPPORT_RUN_JOURNAL_H
#define TESTS_SUPPORT_RUN_JOURNAL_H

#include "sim/study/journal/identity.h"
#include "sim/study/journal/run_records.h"

extern const JournalIdentity test_identity;

enum { TEST_METRICS = 2 };

/* A record with the values that it refers to. */
typedef struct {
    RunRecord record;
    double values[TEST_METRICS];
    uint8_t flags[TEST_METRICS];
} TestRun;

/* Fills in the run; every third is unknown in its second value, every fifth is a lower bound in its
 * first. Returns its record. */
const RunRecord *test_run(TestRun *run, int32_t point, int32_t replication);

#endif

#include "tests/support/run_journal.h"

#include <math.h>

static const char *const metrics[TEST_METRICS] = {"workloads.day.queue_s.mean", "cost_usd.total"};

const JournalIdentity test_identity = {.version = "0.1.0",
                                       .rng = "philox4x32-10",
                                       .study = "00112233445566778899aabbccddeeff",
                                       .scenario = "5ce7a610",
                                       .catalogue = "ca7a1096",
                                       .workloads = "",
                                       .metrics = metrics,
                                       .metric_count = TEST_METRICS};

const RunRecord *test_run(TestRun *run, int32_t point, int32_t replication)
{
    const int32_t mixed = 31 * point + replication;
    *run = (TestRun){.values = {1601.4 / (1 + mixed), mixed % 3 == 2 ? NAN : mixed / 8.0},
                     .flags = {mixed % 5 == 4 ? RUN_VALUE_IS_LOWER_BOUND : 0}};
    run->record = (RunRecord){.point = point,
                              .replication = replication,
                              .seed = (uint64_t)replication + 1,
                              .value_count = TEST_METRICS,
                              .values = run->values,
                              .flags = run->flags,
                              .fingerprint = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(mixed + 1)};
    return &run->record;
}

#include "tests/support/whole_studies.h"

#include <check.h>
#include <string.h>

#include "sim/cli/disk_files.h"
#include "tests/support/theory.h"

const Study *whole_study_read(Arena *arena, const char *text)
{
    Problems problems = problems_create(arena);
    const Json *root =
        json_parse(arena, "study", text, strlen(text), JSON_WITH_COMMENTS, &problems);
    ck_assert_msg(root != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    const Study *study =
        study_read_tree(arena, disk_files, TRAINYARD_SOURCE_DIR "/study.json", root, &problems);
    ck_assert_msg(study != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return study;
}

SweepOptions whole_sweep_options(void)
{
    return (SweepOptions){.version = "test",
                          .thread_count = 1,
                          .time_limit_ns = INT64_MAX,
                          .shard = {0, 1},
                          .is_quiet = true,
                          .run = sweep_on_threads};
}

Sweep whole_study_run(const Study *like, int32_t number, Arena *memory)
{
    enum { SEEDS_OF_A_STUDY = 100000 };
    Study *study = ARENA_NEW(memory, Study);
    *study = *like;
    study->seeds.first = theory_seed(1) % (UINT64_C(1) << 40) + (uint64_t)number * SEEDS_OF_A_STUDY;
    const SweepOptions options = whole_sweep_options();
    Sweep sweep;
    Problems problems = problems_create(memory);
    const bool has_run = sweep_run(memory, study, disk_files, &options, &sweep, &problems);
    ck_assert_msg(has_run, "%s", problems.count > 0 ? problems.items[0].message : "");
    return sweep;
}

MetricEstimate whole_study_estimate(const Sweep *sweep, int32_t metric)
{
    return metric_estimate(sweep->findings.results, metric, 0, sweep->findings.used[0], NO_POINT,
                           0);
}

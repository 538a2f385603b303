/* One run of a scenario file, wired: read, build the world, run it, listen, write. Shared by the
 * verbs that run scenarios. */
#ifndef SIM_VERBS_RUN_SCENARIO_H
#define SIM_VERBS_RUN_SCENARIO_H

#include <stdio.h>

#include "real/launch/real_run.h"
#include "sim/cli/files.h"
#include "sim/cloud/world.h"
#include "sim/json/json.h"
#include "sim/output/explain/row_watch.h"
#include "sim/output/summary/metrics.h"
#include "sim/scenario/read.h"
#include "tools/trainyard/expectations.h"

/* How a run knows the output folder of a run. */
extern const FolderMark run_mark;

typedef struct {
    ScenarioOverrides overrides; /* --set, --seed, --until, in the form of scenario_read.h */
    TraceLevel level;            /* of trace.tsv and of everything made from records */
    bool checks_always;          /* every invariant after every event */
    const char *output_folder;   /* where the files of a run go; NULL: none are written */
    bool shows_warnings;         /* on stderr, before the run */
    uint64_t shuffle_seed;       /* Scenario.shuffle_seed */
    RowWatch *row_watch;         /* listens too; or NULL */
    TraceListener listener;      /* likewise; all zero: none */
    FILE *narration;             /* where the tables appear as the run goes; NULL: silence */
    bool watches;                /* for the scenario's expectations */
    const char *why_job;         /* whose story is told; NULL: nobody's */
    const RealRunSettings *real; /* jobs of real execution run on this machine, its folder being
                                    the output's; NULL: a scenario with such is refused */
} RunOptions;

typedef struct RunResult {
    const ScenarioFile *file;
    WatchedExpectations watched; /* where that was asked for */
    World *world;                /* after its run */
    const RunMetrics *metrics;
    struct RunSummary *summary; /* for run_summary */
    int real_signal;            /* that ended jobs of real execution; 0 */
    const char *story;          /* of RunOptions.why_job; NULL without one, and ... */
    Status story_status;        /* ... where there was no such job */
} RunResult;

/* Everything lives in `arena`. False when the scenario is not right (STATUS_BAD_INPUT; nothing has
 * run then) or a file cannot be written (STATUS_MACHINE), with all that is wrong in `problems`. */
MUST_CHECK bool run_scenario(Arena *arena, const char *path, const RunOptions *options,
                             RunResult *result, Problems *problems);

/* The content of summary.json, made when it is first asked for: a run may have 100,000 jobs. */
const Json *run_summary(const RunResult *result);

/* The scenario of `file` once more with another seed, without a word and without files. */
void run_with_seed(Arena *arena, const ScenarioFile *file, uint64_t seed, RunResult *result);

#endif

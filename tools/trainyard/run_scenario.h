/* Runs a scenario file once: reads it, makes the world, runs it, and writes the output files.
 * Shared by the verbs that run scenarios. */
#ifndef TOOLS_TRAINYARD_RUN_SCENARIO_H
#define TOOLS_TRAINYARD_RUN_SCENARIO_H

#include <stdio.h>

#include "real/launch/real_run.h"
#include "sim/cli/files.h"
#include "sim/cloud/world.h"
#include "sim/json/json.h"
#include "sim/output/explain/row_watch.h"
#include "sim/output/metrics/metrics.h"
#include "sim/scenario/read.h"
#include "sim/study/check/expectations.h"

/* Recognises a folder that contains the output of an earlier run. */
extern const FolderMark run_mark;

typedef struct {
    ScenarioOverrides overrides; /* --set, --seed, --until, in the form of sim/scenario/read.h */
    TraceLevel level;            /* of trace.tsv, the timeline and the report */
    bool has_no_trace;           /* trace.tsv has only its header */
    bool has_no_timeline;        /* timeline.json is not written */
    bool has_no_share;           /* the files that jobs leave on shares are not written */
    bool checks_always;          /* check every invariant after every event */
    const char *output_folder;   /* for the files of the run; NULL: none are written */
    bool shows_warnings;         /* on stderr, before the run, and the progress during the run */
    struct PolicyFile *policy;   /* replaces that of the scenario; NULL: does not */
    uint64_t shuffle_seed;       /* Scenario.shuffle_seed */
    RowWatch *row_watch;         /* an additional listener; or NULL */
    TraceListener listener;      /* an additional listener; all zero: none */
    FILE *narration;             /* the tables are printed here during the run; NULL: not printed */
    bool watches;                /* evaluate the scenario's expectations */
    const char *why_job;         /* the job for RunResult.story; NULL: none */
    const RealRunSettings *real; /* jobs of real execution run on this machine with these settings,
                                    but in `output_folder`; NULL: a scenario with such jobs is
                                    refused */
} RunOptions;

typedef struct RunResult {
    const ScenarioFile *file;
    WatchedExpectations watched;   /* if RunOptions.watches; else empty */
    const Metric *const *expected; /* [expectation]: see expectations_metrics */
    const ExpectAnswer *answers;   /* [expectation], if RunOptions.watches; else NULL */
    World *world;                  /* in its state after the run */
    const RunMetrics *metrics;
    struct RunSummary *summary; /* for run_summary */
    int real_signal;            /* the signal that ended jobs of real execution; 0: none */
    const char *story;          /* of RunOptions.why_job; NULL: not asked for, or no such job */
    Status story_status;        /* the error if there was no such job */
} RunResult;

/* Runs the scenario file `path`; the result is in `arena`. Returns false with all errors in
 * `problems`: STATUS_BAD_INPUT for a scenario that is not valid, before anything runs,
 * STATUS_MACHINE for a file that cannot be written, or any error of a real run. */
MUST_CHECK bool run_scenario(Arena *arena, const char *path, const RunOptions *options,
                             RunResult *result, Problems *problems);

/* The summary, and the content of summary.json. Both are made on the first call, as a run may have
 * 100,000 jobs. They have the scenario's expectations if RunOptions.watches. */
const Summary *run_summary(const RunResult *result);
const Json *run_summary_json(const RunResult *result);

#endif

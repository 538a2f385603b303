/* One run of a scenario file, wired: read, build the world, run it, listen, write. Shared by the
 * verbs that run scenarios. */
#ifndef SIM_VERBS_RUN_SCENARIO_H
#define SIM_VERBS_RUN_SCENARIO_H

#include <stdio.h>

#include "sim/core/world.h"
#include "sim/json/json.h"
#include "sim/output/metrics.h"
#include "sim/scenario/scenario_read.h"

typedef struct {
    ScenarioOverrides overrides; /* --set, --seed, --until, in the form of scenario_read.h */
    TraceLevel level;            /* of trace.tsv and of everything made from records */
    bool checks_always;          /* every invariant after every event */
    const char *output_folder;   /* where the files of a run go; NULL: none are written */
    FILE *narration;             /* where the tables appear as the run goes; NULL: silence */
    const char *why_job;         /* whose story is told; NULL: nobody's */
} RunOptions;

typedef struct {
    ScenarioFile *file;
    World *world; /* after its run */
    const RunMetrics *metrics;
    Json *summary;
    const char *story;   /* of RunOptions.why_job; NULL without one, and ... */
    Status story_status; /* ... where there was no such job */
} RunResult;

/* Everything lives in `arena`. False when the scenario is not right (STATUS_BAD_INPUT; nothing has
 * run then) or a file cannot be written (STATUS_MACHINE), with all that is wrong in `problems`. */
MUST_CHECK bool run_scenario(Arena *arena, const char *path, const RunOptions *options,
                             RunResult *result, Problems *problems);

/* Files of a scenario come from the disk; reads at most 64 MiB of each. */
extern const FileSource disk_files;

#endif

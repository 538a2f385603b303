/* From a scenario file to everything a run starts from.
 *
 * A scenario file names others (job.json, cluster.json, catalogues, files for shares); all are read
 * through a FileSource, so that tests, fuzzers and the emulator can feed memory. Everything is
 * checked whole before anything is built: either there is a scenario that the world can run, or
 * there are problems, each with its place. The format is described by the tables in
 * sim/scenario/format/types.c and printed by `trainyard schema`. */
#ifndef SIM_SCENARIO_SCENARIO_READ_H
#define SIM_SCENARIO_SCENARIO_READ_H

#include "sim/base/file_source.h"
#include "sim/cloud/spec/scenario.h"
#include "sim/json/json.h"
#include "sim/scenario/command/read.h"
#include "sim/scenario/config/config_context.h"
#include "sim/scenario/expect/expectation.h"
#include "sim/schema/explanation.h"

typedef struct {
    Scenario scenario;
    int32_t expectation_count;
    const Expectation *expectations;
    Problems warnings;       /* what will run, but probably not as intended: beyond a quota, ... */
    Explanation explanation; /* every effective value and where it came from */
    const char *path;
    const Json *root;           /* the file, with those that it names in the place of their names */
    const char *resource_group; /* of commands that name none */
    CommandReader *reader;      /* for commands that follow those of the file */
} ScenarioFile;

/* Changes made to the file's values before they are checked, as `--set` takes them:
 * "/json/pointer=VALUE". VALUE is JSON, or else the text itself as a string; the pointer goes
 * through referenced files as if they replaced their names ("/commands/1/config/
 * properties/nodeCount=8"). `--seed 7` is "/seed=7", `--until 2h` is "/until=2h". `--failures 0`
 * is "/failures/scale=0", and also fits a scenario that has no "failures".
 *
 * `--real` lets each job of "commands" that does not say its "execution" be a "training". `--ran
 * FILE` does so for the jobs that FILE reports, and makes its commands the session of a scenario
 * that has none.
 *
 * `samples` are those of the set on which our trainer trains, in the place of the catalogue's. */
typedef struct {
    int32_t count;
    const char *const *items;
    const char *failures_scale; /* NULL: as the scenario says */
    bool trains_for_real;
    const char *ran_path; /* NULL: none */
    DataSamples samples;
} ScenarioOverrides;

/* The scenario in `path`, living in `arena`; NULL when there are problems. */
ScenarioFile *scenario_read(Arena *arena, FileSource files, const char *path,
                            ScenarioOverrides overrides, Problems *problems);

#endif

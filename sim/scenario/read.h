/* From a scenario file to the input of a run.
 *
 * A scenario file names others (job.json, cluster.json, catalogues, files for shares); all are read
 * through a FileSource, so that tests, fuzzers and the emulator can pass files in memory. All input
 * is checked before anything is built: the result is either a scenario that the world can run, or
 * problems, each with its place. The tables in sim/scenario/format/types.c define the format, and
 * `trainyard schema` prints it. */
#ifndef SIM_SCENARIO_SCENARIO_READ_H
#define SIM_SCENARIO_SCENARIO_READ_H

#include "sim/base/file_source.h"
#include "sim/cloud/spec/scenario.h"
#include "sim/json/json.h"
#include "sim/scenario/command/read.h"
#include "sim/scenario/config/config_context.h"
#include "sim/scenario/expect/expectation.h"
#include "sim/scenario/parameters.h"
#include "sim/schema/explanation.h"

typedef struct {
    Scenario scenario;
    int32_t expectation_count;
    const Expectation *expectations;
    Problems warnings;       /* mistakes that do not prevent a run: a target above a quota, ... */
    Explanation explanation; /* every effective value with its origin; empty unless asked for */
    int32_t parameter_count;
    const Parameter *parameters; /* in the order of the file */
    const char *path;
    const Json *root;           /* the file's tree; files that it names have replaced their names,
                                   and values the uses of parameters */
    const char *resource_group; /* of commands without a group */
    CommandReader *reader;      /* for commands that follow those of the file */
    const Catalog *catalog;     /* what the files in "catalog" say together ... */
    const char *catalog_key;    /* ... and the values on which it depends; NULL: unknown */
} ScenarioFile;

/* Changes to the file's values before they are checked, in the form of `--set`:
 * "/json/pointer=VALUE". VALUE is JSON; other text is a string. The pointer continues into named
 * files ("/commands/1/config/properties/nodeCount=8"). `--seed 7` is "/seed=7", `--until 2h` is
 * "/until=2h", `--failures 0` is "/failures/scale=0". A list or an object of the scenario that the
 * file lacks, such as "failures" or "faults", is made by the first change inside it.
 *
 * `params` are values of parameters, in the form of `--param`: "NAME=VALUE". "--set
 * /parameters/NAME/value=VALUE" changes the file's value; a param wins over it.
 *
 * `--real` sets the "execution" of each job of "commands" to "training", except of jobs that state
 * their own. `--ran FILE` does so for the jobs that FILE reports, and makes the commands in FILE
 * the session of the scenario, which must not have one.
 *
 * `samples` are the sizes of the set on which our trainer trains, instead of the catalogue's.
 *
 * `like` is the same file, read before with other changes, which is borrowed: its catalogue is used
 * again unless a change concerns it ("catalog", "assume", "quotas"). That saves most of the time.
 * The tree has the names of the catalogues. Not together with `explains`. */
typedef struct {
    int32_t count;
    const char *const *items;
    int32_t param_count;
    const char *const *params;
    const char *failures_scale; /* NULL: that of the scenario */
    bool trains_for_real;
    const char *ran_path; /* NULL: there is no such file */
    DataSamples samples;
    const ScenarioFile *like; /* NULL: everything is read */
    bool explains;            /* makes ScenarioFile.explanation */
} ScenarioOverrides;

/* The scenario in `path`, living in `arena`; NULL when there are problems. */
ScenarioFile *scenario_read(Arena *arena, FileSource files, const char *path,
                            ScenarioOverrides overrides, Problems *problems);

#endif

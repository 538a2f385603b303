/* The inputs of a run, recorded while a scenario is read. Private to sim/scenario. */
#ifndef SIM_SCENARIO_GIVEN_H
#define SIM_SCENARIO_GIVEN_H

#include "sim/cloud/spec/given.h"
#include "sim/scenario/read.h"

/* Files that a FileSource has read, with checksums of their contents. */
typedef struct FileRecorder FileRecorder;

/* A recorder of the files that are read from `from` for the scenario at `path`, except the file at
 * `ignored` (NULL: none). */
FileRecorder *file_recorder_create(Arena *arena, FileSource from, const char *path,
                                   const char *ignored);
/* Reads from the recorder's source; lives as long as the recorder. */
FileSource file_recorder_source(FileRecorder *recorder);

/* The inputs: each file once. Files in the scenario's folder, or in folders below it, have their
 * path from there, others the name of their folder and their own: names do not depend on the
 * folder in which the program runs. */
RunGiven scenario_given(Arena *arena, const FileRecorder *recorder,
                        const ScenarioOverrides *overrides, const Parameters *parameters);

#endif

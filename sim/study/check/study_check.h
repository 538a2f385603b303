/* Studies as regression tests: the sweep or the plan of a study in memory, and its expectations.
 * Studies that are only checked. */
#ifndef SIM_STUDY_CHECK_STUDY_CHECK_H
#define SIM_STUDY_CHECK_STUDY_CHECK_H

#include "sim/output/explain/test_report.h"
#include "sim/study/study_options.h"

typedef enum {
    TESTED_SCENARIO, /* also a file that cannot be read: its problems are those of a scenario */
    TESTED_STUDY,    /* also if its version is missing: a scenario has no factors */
    TESTED_FOLDER,   /* study.json of the folder of a sweep: a result, not a test */
} TestedKind;

/* The kind of the file `path`. */
TestedKind tested_kind(FileSource files, const char *path);

/* Reads the study in `options->path` and checks it without a run: the study with the options that
 * are given, what it expects, and the candidates of its plan if it has an objective. NULL with all
 * problems. */
const Study *study_validate(Arena *arena, FileSource files, const StudyOptions *options,
                            Problems *problems);

/* Runs the study in `path` with so many threads, if it expects something, and adds a case for the
 * study itself and one for each expectation; a case lives in `arena`. Adds problems only if it
 * cannot run. Returns 0, or SIGINT or SIGTERM if it ended the runs: then no case is added. */
int study_check(Arena *arena, FileSource files, const char *path, int32_t thread_count,
                const char *version, TestCaseSink sink, Problems *problems);

#endif

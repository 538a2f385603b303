/* Studies as regression tests: the sweep or the plan of a study in memory, and its
 * expectations. */
#ifndef TOOLS_TRAINYARD_STUDY_STUDY_CHECK_H
#define TOOLS_TRAINYARD_STUDY_STUDY_CHECK_H

#include "sim/output/explain/test_report.h"

typedef enum {
    TESTED_SCENARIO, /* also a file that cannot be read: its problems are those of a scenario */
    TESTED_STUDY,
    TESTED_FOLDER, /* study.json of the folder of a sweep: a result, not a test */
} TestedKind;

/* The kind of the file `path`. */
TestedKind tested_kind(const char *path);

/* Receives the cases of a study; a case lives in `arena` of study_check. */
typedef struct {
    void *to;
    void (*add)(void *to, TestCase test);
} TestCaseSink;

/* Runs the study in `path` on all processors, if it expects something, and adds a case for the
 * study itself and one for each expectation. Adds problems only if it cannot run. */
void study_check(Arena *arena, const char *path, TestCaseSink sink, Problems *problems);

#endif

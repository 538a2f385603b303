/* Scenarios as regression tests: one run and, for expectations over several seeds, as many runs as
 * they need, and the answers. */
#ifndef SIM_STUDY_CHECK_SCENARIO_CHECK_H
#define SIM_STUDY_CHECK_SCENARIO_CHECK_H

#include "sim/base/file_source.h"
#include "sim/output/explain/test_report.h"
#include "sim/scenario/read.h"

typedef struct {
    ScenarioOverrides overrides;
    int64_t seeds;       /* for expectations over several seeds; 0: the number that each names */
    bool checks_always;  /* every invariant after every event */
    bool is_quiet;       /* no progress on stderr */
    const char *version; /* of trainyard */
    /* Changes or refuses the scenario before it runs, with problems; NULL: does not. */
    void (*prepare)(void *owner, ScenarioFile *file, Problems *problems);
    void *owner;
} ScenarioCheck;

/* Runs the scenario in `path`, and adds a case for the run itself and one for each expectation; a
 * case lives in `arena`. Adds problems only if it cannot run; their places, the scenario and its
 * run live in `run_arena`. */
void scenario_check(Arena *arena, Arena *run_arena, FileSource files, const char *path,
                    const ScenarioCheck *check, TestCaseSink sink, Problems *problems);

#endif

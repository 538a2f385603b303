/* The real runs that `trainyard compare` compares with: DIR/run-1, DIR/run-2 and so on, each made
 * by `trainyard run SCENARIO --real`. */
#ifndef TOOLS_TRAINYARD_COMPARE_RUNS_H
#define TOOLS_TRAINYARD_COMPARE_RUNS_H

#include "tools/trainyard/options/scenario_options.h"

enum { COMPARE_RUNS_MAX = 100 };

typedef struct {
    const char *scenario; /* path */
    const ScenarioChanges *changes;
    const char *device;      /* value of --real */
    const char *data_folder; /* NULL: the trainer's own search */
    const char *folder;      /* DIR */
    int32_t repeat;          /* 1 to COMPARE_RUNS_MAX */
} CompareRuns;

/* Finds the folders of runs in `folder`; if there are none, `folder` itself is one. Returns their
 * number, at most COMPARE_RUNS_MAX. */
int32_t compare_runs_find(Arena *arena, const char *folder, const char **folders);

/* Runs the scenario `repeat` times, one run after the other. Removes earlier runs with higher
 * numbers, as compare_runs_find would count them with the new ones; a folder that is not of a run
 * stays, and is an error. `folders[COMPARE_RUNS_MAX]` are those of the complete runs, `*count`
 * their number, also after a failure. `*signal` is the signal that ended a run; 0: none. */
MUST_CHECK bool compare_runs_make(Arena *arena, const CompareRuns *runs, const char **folders,
                                  int32_t *count, int *signal, Status *status);

#endif

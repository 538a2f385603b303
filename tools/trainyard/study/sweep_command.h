/* `trainyard sweep` without its process: its options, its study, its run and output. The main
 * program runs a sweep on threads, trainyard-study-mpi on ranks. */
#ifndef TOOLS_TRAINYARD_STUDY_SWEEP_COMMAND_H
#define TOOLS_TRAINYARD_STUDY_SWEEP_COMMAND_H

#include "sim/cli/options.h"
#include "sim/study/sweep.h"
#include "tools/trainyard/options/scenario_options.h"

typedef struct {
    const char *output_folder;
    int64_t thread_count; /* 0: as many as processors */
    OptionTexts vary;
    ScenarioChanges changes; /* of all points */
    OptionTexts metrics;
    OptionTexts baseline;
    int64_t seeds;
    const char *precision;
    int64_t at_most;
    bool is_steady;
    int64_t time_limit_ns;
    const char *shard;
    const char *policy; /* path of a shared object; NULL: the scenario's policy */
    bool checks_determinism;
    bool writes_jobs;
    bool is_forecast;
    bool is_quiet;
} SweepArguments;

extern const OptionTable sweep_table;
/* The values of options that are absent. */
extern const SweepArguments sweep_defaults;

/* The study that the operand `path` and the options describe; NULL with problems. */
const Study *sweep_read_study(Arena *arena, const char *path, const SweepArguments *arguments,
                              Problems *problems);
/* A sweep on the threads of this process. False with a problem if an option is wrong. */
bool sweep_plan(const SweepArguments *arguments, SweepOptions *options, Problems *problems);

/* Runs the study, and prints the forecast or the results. Returns an exit code. */
int sweep_execute(Arena *arena, const Study *study, const SweepOptions *options,
                  Problems *problems);

#endif

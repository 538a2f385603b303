/* `trainyard plan` without its process: its options, its study, its run and output. The main
 * program runs a plan on threads, trainyard-study-mpi on ranks. */
#ifndef TOOLS_TRAINYARD_STUDY_PLAN_COMMAND_H
#define TOOLS_TRAINYARD_STUDY_PLAN_COMMAND_H

#include "sim/cli/options.h"
#include "sim/study/answer/plan_follow.h"
#include "tools/trainyard/options/scenario_options.h"

typedef struct {
    const char *output_folder;
    int64_t thread_count; /* 0: as many as processors */
    OptionTexts vary, slos, weather, metrics, baseline;
    ScenarioChanges changes; /* of all candidates */
    const char *minimise, *maximise, *confidence, *indifference;
    int64_t budget, seeds;
    int64_t time_limit_ns;
    const char *check_folder; /* of an earlier plan to compare with; NULL: none */
    const char *margin;       /* of --check */
    int sensitivity;          /* Sensitivity */
    const char *policy;       /* path of a shared object; NULL: the scenario's policy */
    bool checks_determinism;
    const char *growth; /* of the load in a month; NULL: not asked for */
    bool is_forecast;
    bool is_quiet;
} PlanArguments;

extern const OptionTable plan_table_of_options;
/* The values of options that are absent. */
extern const PlanArguments plan_defaults;

/* The study that the operand `path` and the options describe; `path` NULL: that of the plan that is
 * checked. NULL with problems. */
const Study *plan_read_study(Arena *arena, const char *path, const PlanArguments *arguments,
                             Problems *problems);
/* A plan on the threads of this process. */
SweepOptions plan_options(const PlanArguments *arguments);

/* Plans, prints the answer, and runs what follows it; with `check_folder` compares it. Returns an
 * exit code. */
int plan_execute(Arena *arena, const Study *study, const SweepOptions *options,
                 const PlanArguments *arguments, Problems *problems);

#endif

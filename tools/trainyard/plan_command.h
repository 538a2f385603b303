/* `trainyard plan` without its process: its options, its study, its run and output. The main
 * program runs a plan on threads, trainyard-plan-mpi on ranks. */
#ifndef TOOLS_TRAINYARD_PLAN_COMMAND_H
#define TOOLS_TRAINYARD_PLAN_COMMAND_H

#include "sim/cli/options.h"
#include "sim/study/sweep.h"

typedef struct {
    const char *output_folder;
    int64_t thread_count; /* 0: as many as processors */
    OptionTexts vary, slos, weather, metrics, baseline;
    const char *minimise, *maximise, *confidence, *indifference;
    int64_t budget, seeds;
    int64_t time_limit_ns;
    const char *check_folder;
    bool is_forecast;
    bool is_quiet;
} PlanArguments;

extern const OptionTable plan_table_of_options;
/* The values of options that are absent. */
extern const PlanArguments plan_defaults;

/* The study that the operand `path` and the options describe; NULL with problems. */
const Study *plan_read_study(Arena *arena, const char *path, const PlanArguments *arguments,
                             Problems *problems);
/* A plan on the threads of this process. */
SweepOptions plan_options(const PlanArguments *arguments);

/* Plans, and prints the answer. Returns an exit code. */
int plan_execute(Arena *arena, const Study *study, const SweepOptions *options, Problems *problems);

#endif

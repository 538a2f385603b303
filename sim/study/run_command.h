/* The command that repeats one run of a study: `trainyard run SCENARIO --seed N ...`. */
#ifndef SIM_STUDY_RUN_COMMAND_H
#define SIM_STUDY_RUN_COMMAND_H

#include "sim/study/study_json.h"

/* The words of a command after "trainyard", ended by NULL. */
typedef struct {
    char **items;
    int32_t count;
} CommandWords;

/* The command of a point with a seed; `output` is its folder, NULL: none. In `arena`. */
CommandWords run_command_words(Arena *arena, const StudyPoint *point, const char *seed,
                               const char *output);
/* The whole command, with words in quotes where a shell needs them. In `arena`. */
const char *run_command_text(Arena *arena, const CommandWords *words);

/* A point of `study`, as study_json_point reads it. In `arena`. */
StudyPoint run_command_point(Arena *arena, const Study *study, int32_t point);

/* Adds the options by which a run is that of a steady study with `plan`. In `arena`. */
void run_command_add_plan(Arena *arena, StudyPoint *point, const SteadyPlan *plan);

#endif

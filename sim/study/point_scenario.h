/* The scenario of a point: the study's scenario with the point's settings, and its metrics. It is
 * read once, and shared by all runs of the point, on any thread. */
#ifndef SIM_STUDY_POINT_SCENARIO_H
#define SIM_STUDY_POINT_SCENARIO_H

#include "sim/study/results.h"
#include "sim/study/study_json.h"

typedef struct {
    const ScenarioFile *file;
    struct StudyPolicy *policy;   /* from outside; NULL: the scenario's */
    const Metric *const *metrics; /* [metric_count], in the order of the study */
    int32_t metric_count;
    int32_t value_count; /* of the record of a run: Study.value_count */
    bool has_batches;    /* the record has batches before the parts of a steady study */
    bool needs_waiting;  /* a metric is about what jobs waited for */
} PointScenario;

/* Reads the scenario of `point`. Lives in `arena`. NULL with problems; a problem of a setting has
 * its place in the study. */
const PointScenario *point_scenario_read(Arena *arena, const Study *study, FileSource files,
                                         int32_t point, Problems *problems);

/* Whether the points of `study` say which of them use its policy from outside: levels set /policy
 * to "outside", a word that scenarios do not have. Without such a level all points use it. */
bool study_has_outside_level(const Study *study);

/* The scenario with these settings alone, in `arena`; NULL with problems. */
const ScenarioFile *point_scenario_with(Arena *arena, const Study *study, FileSource files,
                                        const Setting *settings, int32_t count, Problems *problems);

/* The scenario of `point` with its explanation and the trees of all files that it names. NULL with
 * problems. */
const ScenarioFile *point_scenario_whole(Arena *arena, const Study *study, FileSource files,
                                         int32_t point, Problems *problems);

/* The option of `trainyard run` that makes the same change: "--set" or "--param" ... */
const char *setting_option(const Setting *setting);
/* ... and its value: "/workloads/0/rate=\"6/h\"", "nodes=4". */
const char *setting_change(Arena *arena, const Setting *setting);

/* --- The command that repeats a run --- */

/* The words of a command after "trainyard", ended by NULL. */
typedef struct {
    char **items;
    int32_t count;
} CommandWords;

/* The command that repeats a run of `study`, also of a steady one if the run is in `results`.
 * `output` as below. In `arena`. */
CommandWords run_command_of(Arena *arena, const Study *study, const Results *results, int32_t point,
                            int32_t replication, const char *output);
/* The command of a point with a seed; `output` is its folder, NULL: none. In `arena`. */
CommandWords run_command_words(Arena *arena, const StudyPoint *point, const char *seed,
                               const char *output);
/* The whole command, with words in quotes where a shell needs them. In `arena`. */
const char *run_command_text(Arena *arena, const CommandWords *words);

/* Adds the options by which a run is that of a steady study with `plan`. In `arena`. */
void run_command_add_plan(Arena *arena, StudyPoint *point, const SteadyPlan *plan);

#endif

/* study.json: a study with every point spelled out. */
#ifndef SIM_STUDY_STUDY_JSON_H
#define SIM_STUDY_STUDY_JSON_H

#include "sim/study/idle_factors.h"
#include "sim/study/journal/identity.h"
#include "sim/study/study.h"

/* The facts on which the results of a run depend, in addition to point and seed: the points with
 * their settings, the scenario with all files in it, the metrics, the first seed, the version. More
 * seeds, other rules to stop and another description do not make another study. */
JournalIdentity study_identity(Arena *arena, const Study *study, const char *version);

/* The content of study.json. `idle` [idle_count] are the levels that did nothing, known
 * after the last run. */
Json *study_json(Arena *arena, const Study *study, const char *version, const IdleLevels *idle,
                 int32_t idle_count);

/* A point of a study.json. */
typedef struct {
    const char *scenario_path; /* as the study was started: relative to its working folder */
    const char *name;          /* "nodes=4 load=1.5" */
    int32_t option_count;
    const char *const *options; /* of `run`: "--set", "/workloads/0/jobs=30", "--param", ... */
} StudyPoint;

/* Reads point `point` of the study.json `root`. STATUS_BAD_INPUT if it is not such a file, or has
 * no such point. */
MUST_CHECK bool study_json_point(Arena *arena, const Json *root, int64_t point, StudyPoint *out,
                                 Status *status);

#endif

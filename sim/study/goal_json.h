/* The goal of a study as a part of study.json. */
#ifndef SIM_STUDY_GOAL_JSON_H
#define SIM_STUDY_GOAL_JSON_H

#include "sim/study/goal.h"

/* Adds "goal" to `root`, if the study has one. */
void goal_json_put(Arena *arena, Json *root, const Study *study);

/* Sets `study->goal`, whose metrics, factors and points are known, from the member "goal" of
 * `root`; NULL without it. False when it is wrong. */
bool goal_json_read(Arena *arena, const Json *root, Study *study);

#endif

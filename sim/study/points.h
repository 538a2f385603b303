/* From the factors of a study to its points; levels by the names of factors. For sim/study and the
 * folders in it. */
#ifndef SIM_STUDY_POINTS_H
#define SIM_STUDY_POINTS_H

#include "sim/study/study.h"
#include "sim/study/where.h"

/* Reads "zip", "where", "design" and "baseline" of `text`, and fills in the points and the baseline
 * of `study`, whose factors are known. False with problems. */
bool points_expand(Arena *arena, const StudyText *text, Study *study, Problems *problems);

/* The index of the factor called `name`; -1 with a problem at `at`. */
int32_t study_factor_named(Arena *arena, const Study *study, const char *name, Place at,
                           Problems *problems);

/* Reads `node`, the value of member `name`: an object of levels by factor. levels[f] is -1 for a
 * factor that is not named, and for all if `node` is NULL. False with problems. */
bool study_levels_read(Arena *arena, const Study *study, const Json *node, const char *name,
                       int32_t *levels, Problems *problems);

/* Whether `point` has the levels; -1: any. */
bool study_point_has(const Study *study, int32_t point, const int32_t *levels);

#endif

/* From the factors of a study to its points. Private to sim/study. */
#ifndef SIM_STUDY_POINTS_H
#define SIM_STUDY_POINTS_H

#include "sim/study/study.h"
#include "sim/study/where.h"

/* Reads "zip", "where", "design" and "baseline" of `text`, and fills in the points and the baseline
 * of `study`, whose factors are known. False with problems. */
bool points_expand(Arena *arena, const StudyText *text, Study *study, Problems *problems);

#endif

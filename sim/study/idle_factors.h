/* Factors that did nothing: levels of a factor with the same results, whatever the other factors
 * were. Usually a limit is reached, such as a quota of cores: more nodes are allowed and never
 * come.
 *
 * Two points that differ only in neighbouring levels have the same results if all runs with the
 * same seed took the same course, or if for each metric the mean difference and its 95 % interval
 * together are at most IDLE_PPM of the mean. Refused requests draw random numbers, so a limit that
 * binds may leave small differences. */
#ifndef SIM_STUDY_IDLE_FACTORS_H
#define SIM_STUDY_IDLE_FACTORS_H

#include "sim/study/study_tables.h"

enum { IDLE_PPM = 5000 };

typedef struct {
    int32_t factor;
    int32_t first_level, last_level; /* these levels and those between them */
    bool is_exact;                   /* all runs took the same course */
    const char *reason; /* the limit that was reached: a warning about the scenario, or an error of
                           its clusters that the first level does not have; NULL: unknown */
} IdleLevels;

/* The idle levels of all factors, in their order. Points without runs, and factors that change
 * together with others, are left out; so are factors whose values a random design has drawn. Reads
 * the scenarios of some points, and runs them, to find reasons. In `arena`; returns the number. */
int32_t idle_levels_find(Arena *arena, const StudyFindings *findings, FileSource files,
                         const char *version, const IdleLevels **out);

/* "nodes above 4 changed nothing: cluster "gpu": ..." */
void idle_levels_print(const Study *study, const IdleLevels *idle, Text *out);

#endif

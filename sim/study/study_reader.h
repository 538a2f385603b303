/* The parts of a study file that study_read_tree (study.h) puts together. Private to sim/study. */
#ifndef SIM_STUDY_STUDY_READER_H
#define SIM_STUDY_STUDY_READER_H

#include "sim/study/format/study_types.h"
#include "sim/study/study.h"

typedef struct {
    Arena *arena;
    FileSource files;
    const StudyText *text;
    Study *study; /* filled in part by part */
    Problems *problems;
} StudyReader;

/* All functions return false with problems. */

/* Needs the scenario and the metrics. */
bool study_read_horizon(const StudyReader *reader);

/* How many seeds, and when fewer are enough. Needs the metrics and the horizon. */
bool study_read_seeds(const StudyReader *reader);

/* A length of "auto" needs a half-width to reach. Needs the horizon and the seeds. */
bool study_check_length(const StudyReader *reader);

#endif

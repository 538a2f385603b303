/* Constraints that are written as text, as `--slo` and "subject_to" of a study have them:
 *
 *     "workloads.day.waited_within(20m) >= 95%"
 *
 * means {"metric": "workloads.day.waited_within(20m)", "at_least": "95%"}, and <= "at_most". */
#ifndef SIM_STUDY_FORMAT_CONSTRAINT_TEXT_H
#define SIM_STUDY_FORMAT_CONSTRAINT_TEXT_H

#include "sim/base/status.h"
#include "sim/json/json.h"

/* The object that the text means, with its members at `at`; NULL with a problem. */
Json *constraint_of_text(Arena *arena, const char *text, Place at, Problems *problems);

/* Replaces each text in "subject_to" of the study `root` by its object; returns `root` itself if
 * there is no text. A text that cannot be read as a constraint is a problem, and left out. */
const Json *constraints_as_objects(Arena *arena, const Json *root, Problems *problems);

#endif

/* Conditions as text: "cluster gpu idle >= 4 for 10m", "job train running". */
#ifndef SIM_SCENARIO_CONDITION_READ_H
#define SIM_SCENARIO_CONDITION_READ_H

#include "sim/base/status.h"
#include "sim/base/text.h"
#include "sim/cloud/spec/command.h"

/* The condition that `text` describes: "NOUN NAME QUANTITY [< <= == != >= > NUMBER] [for TIME]";
 * its subject is in `arena`. A quantity that is 0 or 1, such as a job's state, needs no comparison:
 * without it the condition is that the quantity is 1. The caller checks whether the subject exists:
 * see quantity_noun. */
MUST_CHECK bool condition_read(Arena *arena, const char *text, Place at, Condition *condition,
                               Status *status);

/* The same text again, whole: "job train running == 1 for 10 min". */
void condition_print(Text *text, Condition condition);

#endif

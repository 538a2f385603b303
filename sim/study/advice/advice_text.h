/* Advice in words: the changes to make with their intervals and commands, the others, and those
 * that were not tried. */
#ifndef SIM_STUDY_ADVICE_ADVICE_TEXT_H
#define SIM_STUDY_ADVICE_ADVICE_TEXT_H

#include "sim/base/text.h"
#include "sim/study/advice/advice.h"

/* For people. `scenario` is its path as given. */
void advice_print(Arena *arena, const Advice *advice, const char *scenario, Text *out);

/* The command that runs the changed scenario once. */
void advice_command_print(Arena *arena, const Advice *advice, const Change *change,
                          const char *scenario, Text *out);

#endif

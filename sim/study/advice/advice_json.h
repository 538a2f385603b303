/* The output of `trainyard advise --json`: one table writes it and describes it in `trainyard
 * schema advise-answer` and in scenarios/FORMAT.md. */
#ifndef SIM_STUDY_ADVICE_ADVICE_JSON_H
#define SIM_STUDY_ADVICE_ADVICE_JSON_H

#include "sim/schema/field.h"
#include "sim/study/advice/advice.h"

extern const ObjectType advice_file_type;

/* `scenario` is its path as given. In `arena`. */
Json *advice_json(Arena *arena, const Advice *advice, const char *scenario);

#endif

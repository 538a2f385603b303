/* Factors: what varies from point to point of a study, and the levels that it takes. */
#ifndef SIM_STUDY_FACTOR_H
#define SIM_STUDY_FACTOR_H

#include "sim/scenario/read.h"
#include "sim/study/format/level_values.h"
#include "sim/study/format/study_types.h"

/* One change of the scenario. */
typedef struct {
    const char *target; /* a JSON pointer, or the name of a parameter */
    bool is_parameter;
    const char *value; /* as the option of `run` has it: JSON after --set, a text after --param */
    Place at;          /* in the study */
} Setting;

typedef struct {
    const char *label; /* as tables show it: "4", "dedicated", "1.25" */
    int32_t setting_count;
    const Setting *settings;
    int64_t number;  /* number / divisor is the value of a label such as "4" or "1.25"; ... */
    int64_t divisor; /* ... 0: the label is not a number */
} Level;

typedef struct {
    const char *name;
    Place at;
    const FactorText *text;
    int32_t level_count;
    const Level *levels;
    const ValueSpan *span; /* of `between`; NULL: other factors */
    bool is_log;           /* the values of the span have equal ratios */
} Factor;

/* The factor `node`, a member of "factors". It sets parameters and values of `scenario`, without
 * any change, whose own values `scale` multiplies. Returns NULL with problems. */
const Factor *factor_read(Arena *arena, const Json *node, const ScenarioFile *scenario,
                          Problems *problems);

/* The same factor with these values of its span as its levels, without the levels that it had.
 * Values that are equal when they are rounded are one level; level_of[i] is that of value i. */
const Factor *factor_with_values(Arena *arena, const Factor *factor, const double *values,
                                 int32_t count, int32_t *level_of);

/* A level with this label, the number of the label included. */
Level level_create(const char *label, int32_t setting_count, const Setting *settings);

/* The level of `factor` called `label`, as a number or text; -1: no level has that label. */
int32_t factor_find_level(const Factor *factor, const char *label);

#endif

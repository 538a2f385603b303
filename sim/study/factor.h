/* Factors: what varies from point to point of a study, and the levels that it takes. */
#ifndef SIM_STUDY_FACTOR_H
#define SIM_STUDY_FACTOR_H

#include "sim/study/study_types.h"

/* One change of the scenario. */
typedef struct {
    const char *target; /* a JSON pointer, or the name of a parameter */
    bool is_parameter;
    const char *value; /* as JSON, or as a bare text if that is not JSON: 4, "6/h" */
    Place at;          /* in the study */
} Setting;

typedef struct {
    const char *label; /* as tables show it: "4", "dedicated", "1.25" */
    int32_t setting_count;
    const Setting *settings;
    bool is_whole; /* the label is an integer ... */
    int64_t whole; /* ... this one */
} Level;

typedef struct {
    const char *name;
    Place at;
    int32_t level_count;
    const Level *levels;
} Factor;

/* The factor `node`, a member of "factors". `scenario` is the tree of the scenario, for `scale`;
 * `parameters` are the names of its parameters. Returns NULL with problems. */
const Factor *factor_read(Arena *arena, const Json *node, const Json *scenario,
                          Problems *problems);

/* The level of `factor` called `label`, as a number or text; -1: there is none. */
int32_t factor_find_level(const Factor *factor, const char *label);

#endif

/* The parameters of a scenario file, and the texts that use them. Private to sim/scenario, except
 * for Parameter.
 *
 * A scenario with "parameters" is changed into the one that it stands for before anything else
 * reads it: each "${name}" in its tree is replaced by a value. In a scenario without "parameters"
 * the sign '$' has no meaning here. */
#ifndef SIM_SCENARIO_PARAMETERS_H
#define SIM_SCENARIO_PARAMETERS_H

#include "sim/json/json.h"
#include "sim/scenario/format/parameter_types.h"

typedef struct {
    const char *name;
    ParameterKind kind;
    const Json *value;       /* a number, boolean or string */
    const char *text;        /* the value as text */
    const Json *low, *high;  /* the range; NULL: none */
    const Json *choices;     /* CHOICE: an array of strings; otherwise NULL */
    const char *unit;        /* NULL: none */
    const char *description; /* NULL: none */
    Place origin;            /* in the file, or "--param NAME=VALUE" */
    uint32_t use_count;
    Place *uses; /* in the files */
    uint32_t use_capacity;
} Parameter;

typedef struct Parameters Parameters;

/* The parameters that `root`, a scenario, declares; `changes` ("NAME=VALUE") replace their values,
 * later ones before earlier ones. Parameters without a problem have a value in their range. */
Parameters *parameters_read(Arena *arena, const Json *root, int32_t change_count,
                            const char *const *changes, Problems *problems);

/* Replaces the uses of parameters in `tree`, except in its member "parameters". Returns the tree,
 * or the value that replaces it. */
Json *parameters_apply(Parameters *parameters, Json *tree);

/* Adds a problem for each parameter without a use. */
void parameters_check_used(Parameters *parameters);

int32_t parameters_count(const Parameters *parameters);
const Parameter *parameters_items(const Parameters *parameters);

/* The range or the choices as text: "1 to 64", "a, b"; NULL when any value of its kind will do. */
const char *parameter_limits(Arena *arena, const Parameter *parameter);

#endif

/* The parameters of a scenario while it is read. Private to sim/scenario/parameters.c and
 * parameter_uses.c. */
#ifndef SIM_SCENARIO_PARAMETER_SET_H
#define SIM_SCENARIO_PARAMETER_SET_H

#include "sim/scenario/parameters.h"

typedef enum { UNREAD, READING, READ, REFUSED } Progress;

/* The text and the change of one parameter. */
typedef struct {
    const ParameterText *text;
    const char *change; /* "6" of --param nodes=6; NULL: none */
    Place change_at;
    Progress progress;
} Source;

struct Parameters {
    Arena *arena;
    Problems *problems;
    const Json *root;
    int32_t count;
    Parameter *items;
    Source *sources;    /* [count] */
    const char **names; /* [count] */
};

/* The bytes at the start of `text` that a name may consist of. */
size_t parameter_name_length(const char *text);
/* Names have a small letter; variables of a shell usually have none. */
bool parameter_has_small_letter(const char *text, size_t length);
/* The index of the parameter called `name`; -1: there is none. */
int32_t parameter_find(const Parameters *all, const char *name, size_t length);
/* Reads the parameter unless that was done; its value may use others. */
void parameter_resolve(Parameters *all, int32_t index);
/* `tree` with values instead of uses. Counts the uses. */
Json *parameter_uses_replace(Parameters *all, Json *tree);
/* A value as it appears in texts. */
const char *parameter_value_text(const Json *value);

#endif

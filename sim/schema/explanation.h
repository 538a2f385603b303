/* Where every effective value of a scenario came from: a list that reading fills and
 * `trainyard explain` prints. */
#ifndef SIM_SCHEMA_EXPLANATION_H
#define SIM_SCHEMA_EXPLANATION_H

#include "sim/base/arena.h"
#include "sim/base/status.h"
#include "sim/base/text.h"

typedef struct {
    const char *name;   /* "seed", "cluster nc6cluster / vmSize" */
    const char *value;  /* as text: "20180718", "Standard_NC6" */
    const char *origin; /* "scenarios/x.json:4:11", "default", or a catalogue's source text */
} ExplainedValue;

typedef struct {
    Arena *arena;
    int32_t count;
    int32_t capacity;
    ExplainedValue *values;
} Explanation;

Explanation explanation_create(Arena *arena);
/* Adds one value; the texts are copied. */
void explain(Explanation *explanation, const char *name, const char *value, const char *origin);
/* Whether the origin has the mark "ASSUMED": the value has no published source. */
bool explained_is_assumed(const ExplainedValue *value);
/* "file:line:column" of a place. */
const char *place_text(Arena *arena, Place at);
/* Adds a line for each value: "name = value  # origin". */
void explanation_print(Text *text, const Explanation *explanation);

#endif

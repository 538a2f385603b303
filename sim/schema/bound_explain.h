/* The output of `trainyard explain` for a bound struct: each value and where it comes from. */
#ifndef SIM_SCHEMA_BOUND_EXPLAIN_H
#define SIM_SCHEMA_BOUND_EXPLAIN_H

#include "sim/schema/bind.h"
#include "sim/schema/explanation.h"

/* Explains every value of a bound struct: a value of the file with its place, any other as a
 * default. `name` precedes the names of the members: "cluster nc6". */
void bound_explain(Explanation *explanation, const char *name, const ObjectType *type,
                   const void *bound);

#endif

/* scenarios/FORMAT.md: the reference of scenario, cluster.json, job.json and catalogue files,
 * generated from the tables that read them. */
#ifndef SIM_SCENARIO_REFERENCE_H
#define SIM_SCENARIO_REFERENCE_H

#include "sim/base/text.h"
#include "sim/schema/reference.h"

/* The examples in it, ended by a NULL type. */
extern const ReferenceExample format_examples[];

/* Writes the whole document. */
void format_reference(Text *out);

#endif

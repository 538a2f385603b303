/* Values of the catalogue that a scenario replaces itself, by its members "assume" and "quotas".
 * Private to sim/scenario. */
#ifndef SIM_SCENARIO_ASSUMED_H
#define SIM_SCENARIO_ASSUMED_H

#include "sim/scenario/format/types.h"

/* A catalogue of these values alone, to be read after the catalogues `roots`; NULL when the
 * scenario replaces none. Each value has its place in the scenario and is marked as an assumption.
 * Names that `roots` do not have are problems. */
const Json *assumed_catalog(Arena *arena, const ScenarioText *text, const Json *const *roots,
                            int32_t count, Problems *problems);

#endif

/* The "expect" list of a scenario. Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_EXPECT_H
#define SIM_SCENARIO_SCENARIO_EXPECT_H

#include "sim/scenario/expectation.h"
#include "sim/scenario/scenario_commands.h"
#include "sim/scenario/scenario_types.h"

/* One Expectation for each ExpectText of `list`, in order; refused ones stay empty. What is
 * expected to be in a state must be created by one of `commands`. */
const Expectation *scenario_expect(Arena *arena, const BoundList *list,
                                   const ScenarioCommands *commands, Problems *problems);

#endif

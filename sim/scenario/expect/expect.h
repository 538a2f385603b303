/* The "expect" list of a scenario. Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_EXPECT_H
#define SIM_SCENARIO_SCENARIO_EXPECT_H

#include "sim/scenario/command/commands.h"
#include "sim/scenario/expect/expectation.h"
#include "sim/scenario/format/types.h"

/* One Expectation for each ExpectText of `text->expect`, in order; a refused one stays empty. One
 * of `commands` or a workload must create the subject of an expectation. */
const Expectation *scenario_expect(Arena *arena, const ScenarioText *text,
                                   const ScenarioCommands *commands, Problems *problems);

#endif

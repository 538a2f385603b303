/* Options that change a scenario before it is read, for all verbs that read one. */
#ifndef TOOLS_TRAINYARD_SCENARIO_OPTIONS_H
#define TOOLS_TRAINYARD_SCENARIO_OPTIONS_H

#include "sim/cli/options.h"
#include "sim/scenario/read.h"

typedef struct {
    OptionTexts sets;
    OptionTexts params;
} ScenarioChanges;

/* The rows of the options; `member` of OWNER is a ScenarioChanges. */
#define OPTIONS_OF_CHANGES(member)                                                                 \
    OPTION_TEXTS(0, "param", member.params, "NAME=VALUE", "set a parameter of the scenario"),      \
        OPTION_TEXTS(0, "set", member.sets, "/POINTER=VALUE",                                      \
                     "change a value of the scenario or of a file it names")

/* The changes in the form of sim/scenario/read.h; they are borrowed. */
static inline ScenarioOverrides scenario_overrides(const ScenarioChanges *changes)
{
    return (ScenarioOverrides){.count = changes->sets.count,
                               .items = changes->sets.items,
                               .param_count = changes->params.count,
                               .params = changes->params.items};
}

#endif

/* The shares that a scenario has. Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_SHARES_H
#define SIM_SCENARIO_SCENARIO_SHARES_H

#include "sim/scenario/config_context.h"

/* Gives `context` the shares that the scenario's storage and its share.create commands make, with
 * the files that lie on them or are uploaded, and the account that stands for the placeholder in
 * job files: the first one, those of the storage being there before any command. */
void scenario_shares(ConfigContext *context, const ScenarioText *text);

#endif

/* "faults" of a scenario. Private to sim/scenario. */
#ifndef SIM_SCENARIO_FAULTS_READ_H
#define SIM_SCENARIO_FAULTS_READ_H

#include "sim/scenario/failures_read.h"
#include "sim/scenario/scenario_commands.h"

/* Appends a command for each fault to `commands`, in the order of the file. */
void faults_read(const ConfigContext *context, const ScenarioText *text, const NodeGroups *groups,
                 ScenarioCommands *commands);

#endif

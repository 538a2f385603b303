/* "faults" of a scenario. Private to sim/scenario. */
#ifndef SIM_SCENARIO_FAULTS_READ_H
#define SIM_SCENARIO_FAULTS_READ_H

#include "sim/scenario/command/commands.h"
#include "sim/scenario/command/failures_read.h"

/* Appends a command for each fault to `commands`, in the order of the file. */
void faults_read(const CommandBinder *binder, const NodeGroups *groups, ScenarioCommands *commands);
/* Fills in the command for one fault of a known kind. */
void fault_bind(const CommandBinder *binder, const NodeGroups *groups, const FaultText *fault,
                Command *command);

#endif

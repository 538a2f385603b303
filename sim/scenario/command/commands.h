/* The commands of a scenario: from text to core Commands, with the clusters and jobs they create.
 * Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_COMMANDS_H
#define SIM_SCENARIO_SCENARIO_COMMANDS_H

#include "sim/scenario/command/bind.h"

typedef struct {
    int32_t count;
    int32_t implied_count; /* of them, in front */
    Command *items;        /* with room for the faults and the session of the file */
    /* By index of the creating command in the file; NULL for other commands. */
    ClusterConfig **clusters;
    JobConfig **jobs;
} ScenarioCommands;

/* All commands in the order of the file, after those that make the resources that the file
 * presupposes: storage, groups, workspaces and experiments that no command creates. Fills in
 * what `binder` knows of the creators. */
ScenarioCommands scenario_commands(CommandBinder *binder);

#endif

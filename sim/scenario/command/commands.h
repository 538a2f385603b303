/* The commands of a scenario: from text to core Commands, with the clusters and jobs they create.
 * Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_COMMANDS_H
#define SIM_SCENARIO_SCENARIO_COMMANDS_H

#include "sim/scenario/command/bind.h"

typedef struct {
    int32_t count;
    int32_t implied_count; /* implied commands, which come first */
    Command *items;        /* with room for the faults and the session of the file */
    /* By index of the creating command in the file; NULL for other commands. */
    ClusterConfig **clusters;
    JobConfig **jobs;
} ScenarioCommands;

/* All commands in the order of the file. The implied commands precede them: they make the storage,
 * groups, workspaces and experiments that the file needs and no command creates. Fills in the
 * creators of `binder`. */
ScenarioCommands scenario_commands(CommandBinder *binder);

#endif

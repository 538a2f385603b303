/* One command: from text to a core Command, with the resources that it may name. Private to
 * sim/scenario: commands.c binds all commands of a file, read.c the commands of a session one by
 * one. */
#ifndef SIM_SCENARIO_COMMAND_BIND_H
#define SIM_SCENARIO_COMMAND_BIND_H

#include "sim/scenario/command/creators.h"

/* --- Clusters --- */

/* The cluster that a command creates. Never NULL. */
ClusterConfig *cluster_bind_command(const CommandBinder *binder, const CommandText *command);
/* The most nodes that a command asks for. */
BoundInteger asked_nodes(const CommandText *command);
/* Records the new target of the cluster that a command resizes. */
void cluster_targets_note(const CommandBinder *binder, const CommandText *command);

/* --- Commands --- */

/* Lets a command or fault at a time repeat, if it has "every". Reports a period of no length, a
 * command that waits for something, and a scenario that never ends. */
void trigger_repeat(const CommandBinder *binder, BoundInteger every, Trigger *trigger);
/* The moment "after" which something happens. Reports a text that is not a moment, and a cluster or
 * job that no command creates. */
Trigger moment_bind(const CommandBinder *binder, BoundText after);
/* When the command is due. */
Trigger trigger_bind(const CommandBinder *binder, const CommandText *text);

typedef struct {
    ClusterConfig *cluster; /* input: the cluster of a cluster.create */
    JobConfig *job;         /* output: the job of a job.create; NULL: its config was not read */
} MadeByCommand;

/* Fills in `command`. False when there is no command, with the reason reported. The command's
 * values are whole if no problem was added. */
bool command_bind(const CommandBinder *binder, const CommandText *text, Trigger trigger,
                  MadeByCommand *made, Command *command);
#endif

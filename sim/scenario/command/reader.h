/* The reader of commands that follow a scenario. Private to sim/scenario. */
#ifndef SIM_SCENARIO_COMMAND_READER_H
#define SIM_SCENARIO_COMMAND_READER_H

#include "sim/scenario/command/faults_read.h"
#include "sim/scenario/command/read.h"

/* A reader of the commands that follow those that `binder` has bound. Copies `binder` and
 * `groups`. */
CommandReader *command_reader_create(const CommandBinder *binder, const NodeGroups *groups);
/* Appends the commands of the file's "session". */
void session_read(CommandReader *reader, const Json *session, ScenarioCommands *commands,
                  Problems *problems);

#endif

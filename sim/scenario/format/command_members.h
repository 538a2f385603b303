/* The members that each kind of command and fault needs and may have. */
#ifndef SIM_SCENARIO_FORMAT_COMMAND_MEMBERS_H
#define SIM_SCENARIO_FORMAT_COMMAND_MEMBERS_H

#include "sim/cloud/spec/command.h"

/* Names of members, separated and surrounded by spaces. */
typedef struct {
    const char *needed;
    const char *allowed; /* including those that are needed */
} CommandMembers;

const CommandMembers *command_members(CommandKind kind);
/* A command needs exactly one of these members, with spaces as above; "": it needs none of them. */
const char *command_one_of(CommandKind kind);
/* Whether commands of this kind may have the member `key`, apart from the members of all
 * commands. */
bool command_takes(CommandKind kind, const char *key);
/* The same for commands and faults with the members that all commands, or all faults, have. */
bool command_may_have(CommandKind kind, const char *key);

#endif

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

/* The additional members of every command and every fault. */
#define COMMAND_MEMBERS " do at after name "
#define FAULT_MEMBERS " do at after when "

#endif

/* Commands one after another, by the same tables, checks and messages as a whole scenario's:
 * those of its "session", and the requests to a running emulator.
 *
 *     const Command *command = command_read(file->reader, arena, entry, &problems);
 *     if (command != NULL && world_apply_at(world, command, at_ns, &status))
 *         command_accept(file->reader, arena, command);
 *
 * A command may name what the scenario and the accepted commands before it make. The world
 * decides whether it exists when the command is due. The files on a share are not known: a
 * missing script makes its job fail. A share that no command has made can be mounted, as the
 * service allowed: nodes and jobs that mount it fail. */
#ifndef SIM_SCENARIO_COMMAND_READ_H
#define SIM_SCENARIO_COMMAND_READ_H

#include "sim/cloud/spec/command.h"
#include "sim/json/json.h"

typedef struct CommandReader CommandReader;

/* `entry` is a member of a scenario's "commands" or "faults" with an "at" and no other trigger, and
 * with its config or content in it. The command lives as long as `arena` and the tree of `entry`.
 * NULL when there are problems. */
const Command *command_read(CommandReader *reader, Arena *arena, const Json *entry,
                            Problems *problems);
/* Notes what the command read last makes, for those after it; `arena` as above. */
void command_accept(CommandReader *reader, Arena *arena, const Command *command);
/* The VM size that commands may name so; NULL: none. */
const VmSize *command_vm_size(const CommandReader *reader, const char *name);
/* Whether `entry` is a fault, and no command. */
bool command_is_fault(const Json *entry);

#endif

/* Reads commands one after another: those of a scenario's "session", and the requests to a running
 * emulator. The tables, checks and messages are those of a scenario's "commands".
 *
 *     const Command *command = command_read(file->reader, arena, entry, &problems, &warnings);
 *     if (command != NULL && world_apply_at(world, command, at_ns, &status))
 *         command_accept(file->reader, arena, command);
 *
 * A command may name resources that the scenario or earlier accepted commands make. The world
 * decides whether they exist when the command is due. The files on a share are not known: a missing
 * script makes its job fail. A share that no command has made can be mounted, as the service
 * allowed: nodes and jobs that mount it fail. */
#ifndef SIM_SCENARIO_COMMAND_READ_H
#define SIM_SCENARIO_COMMAND_READ_H

#include "sim/cloud/spec/command.h"
#include "sim/json/json.h"

typedef struct CommandReader CommandReader;

/* `entry` is an item of a scenario's "commands" or "faults" with "at" and no other trigger; its
 * config or content must not name a file. The command lives as long as `arena` and the tree of
 * `entry`. NULL when there are problems. `warnings`, if not NULL, get what will probably not go as
 * intended. */
const Command *command_read(CommandReader *reader, Arena *arena, const Json *entry,
                            Problems *problems, Problems *warnings);
/* Records the resources that the command read last makes, for later commands; `arena` as above. */
void command_accept(CommandReader *reader, Arena *arena, const Command *command);
/* Whether from now on jobs are refused if nothing says what they do, or how large their image is.
 */
void command_be_strict(CommandReader *reader, bool is_strict);
/* The programs that commands have set, newest first: their number, and a program as in a scenario's
 * "programs". */
int32_t command_programs(const CommandReader *reader);
const Json *command_program(const CommandReader *reader, int32_t index);
/* The VM size that commands may call `name`; NULL: there is none. */
const VmSize *command_vm_size(const CommandReader *reader, const char *name);
/* Whether `entry` is a fault; otherwise it is a command. */
bool command_is_fault(const Json *entry);

#endif

/* What goes wrong on request. */
#include "sim/core/world_parts.h"

bool fault_apply(World *world, const Command *command, Status *status)
{
    (void)world;
    return status_fail(status, STATUS_BAD_INPUT, command_place(command), "%s is not built yet",
                       command_name(command->kind));
}

/* NFS servers: shares that somebody has to create. */
#include "sim/core/world_parts.h"

bool file_server_create(World *world, const Command *command, Status *status)
{
    (void)world;
    return status_fail(status, STATUS_BAD_INPUT, command_place(command), "%s is not built yet",
                       command_name(command->kind));
}

bool file_server_delete(World *world, const Command *command, Status *status)
{
    (void)world;
    return status_fail(status, STATUS_BAD_INPUT, command_place(command), "%s is not built yet",
                       command_name(command->kind));
}

void file_server_event(World *world, uint32_t file_server)
{
    (void)world;
    (void)file_server;
}

bool file_server_is_stale(const World *world, uint32_t file_server, uint32_t generation)
{
    (void)world;
    (void)file_server;
    (void)generation;
    return false;
}

void file_servers_bill(World *world)
{
    (void)world;
}

void file_servers_check(const World *world)
{
    (void)world;
}

/* What goes wrong by itself: random processes of nodes and groups of them. */
#include "sim/base/invariant.h"
#include "sim/core/world_parts.h"

void mishaps_prepare(World *world)
{
    (void)world;
}

void mishap_node_begins(World *world, Node *node)
{
    (void)world;
    (void)node;
}

void mishap_node_fails(World *world, Node *node)
{
    (void)world;
    (void)node;
}

void mishap_node_lifetime(World *world, Node *node)
{
    (void)world;
    (void)node;
}

void mishap_group_fails(World *world, uint32_t group)
{
    (void)world;
    (void)group;
}

void mishap_region_up(World *world)
{
    (void)world;
}

bool mishap_region_is_out(const World *world)
{
    (void)world;
    return false;
}

bool mishap_strikes(const World *world, int64_t chance_ppm, RngStream stream, uint64_t entity,
                    uint64_t draw)
{
    (void)world;
    (void)chance_ppm;
    (void)stream;
    (void)entity;
    (void)draw;
    return false;
}

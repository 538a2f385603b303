/* What the world holds, by row and by name. */
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/cloud/world_parts.h"
#include "sim/engine/rng.h"

/* --- Rows --- */

uint32_t row_table_add(Arena *arena, RowTable *table, void *row)
{
    if (table->count == table->capacity) {
        uint32_t capacity = table->capacity ? 2 * table->capacity : 16;
        void **rows = ARENA_ARRAY(arena, void *, capacity);
        if (table->count)
            memcpy(rows, table->rows, table->count * sizeof *rows);
        table->rows = rows;
        table->capacity = capacity;
    }
    table->rows[table->count] = row;
    return table->count++;
}

void *row_table_at(const RowTable *table, uint32_t index)
{
    invariant(index < table->count);
    return table->rows[index];
}

Cluster *world_cluster_row(World *world, ClusterId id)
{
    return row_table_at(&world->clusters, id.index);
}

Node *world_node_row(World *world, NodeId id)
{
    return row_table_at(&world->nodes, id.index);
}

Job *world_job_row(World *world, JobId id)
{
    return row_table_at(&world->jobs, id.index);
}

ShareRow *world_share_row(World *world, ShareId id)
{
    return row_table_at(&world->shares, id.index);
}

/* --- Names --- */

bool same_name(const char *a, const char *b)
{
    return a && b ? ascii_same(a, b) : a == b;
}

bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Room for `length` letters and a NUL. */
static void key_reserve(World *world, size_t kept, size_t length)
{
    if (length + 1 <= world->key_capacity)
        return;
    char *larger = ARENA_ARRAY(world->arena, char, 2 * (length + 1));
    if (kept > 0)
        memcpy(larger, world->key, kept);
    world->key = larger;
    world->key_capacity = 2 * (length + 1);
}

/* Appends `text` in small letters, for the service compares names without letter case (Resource
 * Manager's convention), and `end`. */
static size_t key_put(World *world, size_t length, const char *text, char end)
{
    size_t added = text ? strlen(text) : 0;
    key_reserve(world, length, length + added + 1);
    char *key = world->key + length;
    for (size_t i = 0; i < added; i++)
        key[i] = ascii_lower(text[i]);
    key[added] = end;
    return length + added + 1;
}

const char *resource_key(World *world, CommandKind made_by, ResourcePath path)
{
    if (made_by == COMMAND_STORAGE_CREATE)
        path.group = NULL; // account names are unique across all groups
    size_t length = key_put(world, 0, command_name(made_by), ':');
    length = key_put(world, length, path.group, '/');
    length = key_put(world, length, path.workspace, '/');
    length = key_put(world, length, path.experiment, '/');
    length = key_put(world, length, path.name, '\0');
    world->key_hash = bytes_hash(HASH_START, world->key, length - 1);
    return world->key;
}

const char *subject_key(World *world, CommandKind made_by, ResourcePath path)
{
    size_t length = key_put(world, 0, command_name(made_by), ':');
    if (path.workspace)
        length = key_put(world, length, path.workspace, '/');
    if (path.experiment && made_by == COMMAND_JOB_CREATE)
        length = key_put(world, length, path.experiment, '/');
    key_put(world, length, path.name, '\0');
    return world->key;
}

static bool find_row(World *world, CommandKind made_by, ResourcePath path, uint32_t *index)
{
    const char *key = resource_key(world, made_by, path);
    return name_table_find_hashed(world->names, key, world->key_hash, index);
}

uint32_t world_resource_index(World *world, CommandKind made_by, ResourcePath path)
{
    uint32_t index;
    return find_row(world, made_by, path, &index) ? index : ID_NONE;
}

Resource *world_find_resource(World *world, CommandKind made_by, ResourcePath path)
{
    uint32_t index = world_resource_index(world, made_by, path);
    return index != ID_NONE ? row_table_at(&world->resources, index) : NULL;
}

Cluster *world_find_cluster(World *world, ResourcePath path)
{
    uint32_t index;
    path.experiment = NULL;
    return find_row(world, COMMAND_CLUSTER_CREATE, path, &index)
               ? row_table_at(&world->clusters, index)
               : NULL;
}

Job *world_find_job(World *world, ResourcePath path)
{
    uint32_t index;
    return find_row(world, COMMAND_JOB_CREATE, path, &index) ? row_table_at(&world->jobs, index)
                                                             : NULL;
}

ShareId world_find_share(const World *world, const char *name)
{
    uint32_t index;
    // Looking changes nothing but the room for keys.
    if (find_row((World *)world, COMMAND_SHARE_CREATE, (ResourcePath){.name = name}, &index))
        return (ShareId){index};
    return (ShareId){ID_NONE};
}

ShareId world_add_share(World *world, const char *name, const ShareTier *tier)
{
    ShareRow *row = ARENA_NEW(world->arena, ShareRow);
    ShareId id = {row_table_add(world->arena, &world->shares, row)};
    row->share = share_create(world->arena, id, name, tier, world->now_ns);
    name_table_set(world->names,
                   resource_key(world, COMMAND_SHARE_CREATE, (ResourcePath){.name = name}),
                   id.index);
    return id;
}

bool world_share_is_gone(const World *world, ShareId share)
{
    const ShareRow *row = row_table_at(&world->shares, share.index);
    return row->is_gone;
}

int64_t world_share_existed_ns(const World *world, ShareId share)
{
    const ShareRow *row = row_table_at(&world->shares, share.index);
    return (row->is_gone ? row->gone_ns : world->now_ns) - share_created_ns(row->share);
}

bool world_share_exists(const World *world, const char *name)
{
    ShareId share = world_find_share(world, name);
    return share.index != ID_NONE && !world_share_is_gone(world, share);
}

void world_lose_share(World *world, ShareId share)
{
    world_share_row(world, share)->is_gone = true;
    world_share_row(world, share)->gone_ns = world->now_ns;
    share_slows(world, share, 0, INT64_MAX);
}

/* Keys come from resource_key, mostly the last one made. */
static uint64_t hash_of_key(const World *world, const char *key)
{
    return key == world->key ? world->key_hash : name_hash(key);
}

static uint32_t former_uses(const World *world, const char *key)
{
    uint32_t uses = 0;
    name_table_find_hashed(world->former_names, key, hash_of_key(world, key), &uses);
    return uses;
}

void world_forget(World *world, const char *key)
{
    world->names_lost++;
    name_table_remove(world->names, key);
    name_table_set(world->former_names, key, former_uses(world, key) + 1);
}

uint64_t world_new_address(World *world, const char *key)
{
    uint32_t uses = former_uses(world, key);
    uint64_t address = hash_of_key(world, key);
    return uses == 0 ? address : bytes_hash(address, &(uint8_t){(uint8_t)uses}, 1) + uses;
}

const char *world_guid(const Scenario *scenario, uint64_t address, uint64_t draw, Arena *arena)
{
    uint64_t high = rng_word(scenario->seed, RNG_IDENTITY, address, draw);
    uint64_t low = rng_word(scenario->seed, RNG_IDENTITY, address, draw + 1);
    // Version 4 and variant 1, as random GUIDs say of themselves (RFC 4122 section 4.4).
    high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x4000);
    low = (low & ~(UINT64_C(3) << 62)) | (UINT64_C(2) << 62);
    return arena_printf(arena, "%08x-%04x-%04x-%04x-%04x%08x", (unsigned)(high >> 32),
                        (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xffff),
                        (unsigned)(low >> 48), (unsigned)(low >> 32 & 0xffff),
                        (unsigned)(low & 0xffffffff));
}

#include "sim/cloud/resource/names.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/base/name_table.h"
#include "sim/engine/rng.h"

struct Names {
    Arena *arena;
    NameTable *rows;  /* key -> row of the resource that exists */
    uint32_t *former; /* [FORMER_KEYS] by key: how many resources with such keys are gone; NULL */
    DeletedRow *deleted;
    uint32_t deleted_count, deleted_capacity;
    uint64_t losses;
    char *key; /* room for a key */
    size_t key_capacity;
    uint64_t key_hash; /* of the last key of names_key */
};

Names *names_create(Arena *run)
{
    Names *names = ARENA_NEW(run, Names);
    names->arena = run;
    names->rows = name_table_create(run);
    return names;
}

bool same_name(const char *a, const char *b)
{
    return a && b ? ascii_same(a, b) : a == b;
}

/* --- Keys --- */

/* Room for `length` letters and a NUL. */
static void key_reserve(Names *names, size_t kept, size_t length)
{
    if (length + 1 <= names->key_capacity)
        return;
    char *larger = ARENA_ARRAY(names->arena, char, 2 * (length + 1));
    if (kept > 0)
        memcpy(larger, names->key, kept);
    names->key = larger;
    names->key_capacity = 2 * (length + 1);
}

/* Appends `text` in lower case and `end`; the service ignores the case of names (convention of
 * Resource Manager). Returns the new length. */
static size_t key_put(Names *names, size_t length, const char *text, char end)
{
    size_t added = text ? strlen(text) : 0;
    key_reserve(names, length, length + added + 1);
    char *key = names->key + length;
    for (size_t i = 0; i < added; i++)
        key[i] = ascii_lower(text[i]);
    key[added] = end;
    return length + added + 1;
}

const char *names_key(Names *names, CommandKind made_by, ResourcePath path)
{
    if (made_by == COMMAND_STORAGE_CREATE)
        path.group = NULL; // account names are unique across all groups
    size_t length = key_put(names, 0, command_name(made_by), ':');
    length = key_put(names, length, path.group, '/');
    length = key_put(names, length, path.workspace, '/');
    length = key_put(names, length, path.experiment, '/');
    length = key_put(names, length, path.name, '\0');
    names->key_hash = bytes_hash(HASH_START, names->key, length - 1);
    return names->key;
}

NamePrefix names_prefix(Names *names, CommandKind made_by, ResourcePath path)
{
    const char *key = names_key(names, made_by, path);
    return (NamePrefix){
        .text = arena_strdup(names->arena, key), .length = strlen(key), .hash = names->key_hash};
}

const char *names_key_after(Names *names, const NamePrefix *prefix, const char *rest)
{
    key_reserve(names, 0, prefix->length);
    memcpy(names->key, prefix->text, prefix->length);
    const size_t length = key_put(names, prefix->length, rest, '\0') - 1;
    names->key_hash =
        bytes_hash(prefix->hash, names->key + prefix->length, length - prefix->length);
    return names->key;
}

const char *names_subject_key(Names *names, CommandKind made_by, ResourcePath path)
{
    size_t length = key_put(names, 0, command_name(made_by), ':');
    if (path.workspace)
        length = key_put(names, length, path.workspace, '/');
    if (path.experiment && made_by == COMMAND_JOB_CREATE)
        length = key_put(names, length, path.experiment, '/');
    key_put(names, length, path.name, '\0');
    return names->key;
}

/* --- Rows --- */

/* The stored hash if `key` is the last one made, which is the usual case. */
static uint64_t hash_of_key(const Names *names, const char *key)
{
    return key == names->key ? names->key_hash : name_hash(key);
}

void names_set(Names *names, const char *key, uint32_t row)
{
    name_table_set_hashed(names->rows, key, hash_of_key(names, key), row);
}

bool names_row_of_key(const Names *names, const char *key, uint32_t *row)
{
    return name_table_find_hashed(names->rows, key, hash_of_key(names, key), row);
}

bool names_row(Names *names, CommandKind made_by, ResourcePath path, uint32_t *row)
{
    return names_row_of_key(names, names_key(names, made_by, path), row);
}

/* Keys with equal lowest bits of their hashes are counted together: so the memory for names that
 * are gone is bounded, and a key that is used again still has another number each time. */
enum { FORMER_KEYS = 1 << 14 };

static uint32_t former_uses(const Names *names, const char *key)
{
    return names->former ? names->former[hash_of_key(names, key) % FORMER_KEYS] : 0;
}

void names_forget(Names *names, CommandKind made_by, const char *key)
{
    uint32_t row;
    const bool has_row = names_row_of_key(names, key, &row); // not a job of a workload
    names->losses++;
    if (!names->former)
        names->former = ARENA_ARRAY(names->arena, uint32_t, FORMER_KEYS);
    names->former[hash_of_key(names, key) % FORMER_KEYS]++;
    name_table_remove(names->rows, key);
    if (!has_row)
        return;
    names->deleted = array_room(names->arena, names->deleted, names->deleted_count + 1,
                                &names->deleted_capacity, sizeof *names->deleted);
    names->deleted[names->deleted_count++] = (DeletedRow){.made_by = made_by, .row = row};
}

void names_drop(Names *names, CommandKind made_by, ResourcePath path)
{
    names->losses++;
    name_table_remove(names->rows, names_key(names, made_by, path));
}

DeletedRow *names_deleted(Names *names, uint32_t **count)
{
    *count = &names->deleted_count;
    return names->deleted;
}

uint64_t names_losses(const Names *names)
{
    return names->losses;
}

void names_note_loss(Names *names)
{
    names->losses++;
}

/* --- Addresses --- */

uint64_t names_new_address(Names *names, const char *key)
{
    uint32_t uses = former_uses(names, key);
    uint64_t address = hash_of_key(names, key);
    return uses == 0 ? address : bytes_hash(address, &(uint8_t){(uint8_t)uses}, 1) + uses;
}

const char *names_guid(const Scenario *scenario, uint64_t address, uint64_t draw, Arena *arena)
{
    uint64_t high = rng_word(scenario->seed, RNG_IDENTITY, address, draw);
    uint64_t low = rng_word(scenario->seed, RNG_IDENTITY, address, draw + 1);
    // The bits of version 4 and variant 1 mark a random GUID (RFC 4122 section 4.4).
    high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x4000);
    low = (low & ~(UINT64_C(3) << 62)) | (UINT64_C(2) << 62);
    return arena_printf(arena, "%08x-%04x-%04x-%04x-%04x%08x", (unsigned)(high >> 32),
                        (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xffff),
                        (unsigned)(low >> 48), (unsigned)(low >> 32 & 0xffff),
                        (unsigned)(low & 0xffffffff));
}

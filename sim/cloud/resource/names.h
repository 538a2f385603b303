/* Maps paths of resources to rows, and names to the addresses of random draws. */
#ifndef SIM_CLOUD_RESOURCE_NAMES_H
#define SIM_CLOUD_RESOURCE_NAMES_H

#include "sim/base/arena.h"
#include "sim/cloud/spec/command.h"
#include "sim/cloud/spec/scenario.h"

typedef struct Names Names;

/* Lives as long as `run`. */
Names *names_create(Arena *run);

/* The key of a resource; `made_by` is the kind of command that creates it. Valid until the next
 * call of names_key or names_subject_key. */
const char *names_key(Names *names, CommandKind made_by, ResourcePath path);
/* The keys of many resources whose paths begin alike cost less when their beginning is made once:
 * `path` has the beginning of their names. Lives as long as the names. */
typedef struct {
    const char *text;
    size_t length;
    uint64_t hash;
} NamePrefix;
NamePrefix names_prefix(Names *names, CommandKind made_by, ResourcePath path);
/* The key of the resource whose name continues with `rest`. Valid as above. */
const char *names_key_after(Names *names, const NamePrefix *prefix, const char *rest);
/* The key of a name in a condition: "workspace/experiment/name" without the parts that `path`
 * lacks. The resource group is ignored. Valid as the key above. */
const char *names_subject_key(Names *names, CommandKind made_by, ResourcePath path);

/* `key` belongs to the resource in `row` from now on. */
void names_set(Names *names, const char *key, uint32_t row);
/* Finds the row of the existing resource with that path; false: there is none. */
bool names_row(Names *names, CommandKind made_by, ResourcePath path, uint32_t *row);
bool names_row_of_key(const Names *names, const char *key, uint32_t *row);
/* Removes the deleted resource with that key; the name can be used again. Its row enters the list
 * of the deleted. */
void names_forget(Names *names, CommandKind made_by, const char *key);

/* Removes the key of a share, which has no random draws and is not in the list of the deleted. */
void names_drop(Names *names, CommandKind made_by, ResourcePath path);

/* A resource that was deleted. */
typedef struct {
    CommandKind made_by;
    uint32_t row;
} DeletedRow;

/* The deleted resources whose rows are still there, oldest first; NULL where there are none. The
 * caller may change the list, and sets its new length. */
DeletedRow *names_deleted(Names *names, uint32_t **count);

/* Counts names_forget and names_note_loss (a resource no longer accepts contents). While it does
 * not change, rows that were found stay valid. */
uint64_t names_losses(const Names *names);
void names_note_loss(Names *names);

/* A stable address for the random draws of a new resource: a hash of its key and of the number of
 * earlier resources with that key. */
uint64_t names_new_address(Names *names, const char *key);
/* A GUID from the draws `draw` and `draw` + 1 of RNG_IDENTITY at `address`. These draws decide
 * nothing and are not counted. In `arena`. */
const char *names_guid(const Scenario *scenario, uint64_t address, uint64_t draw, Arena *arena);

/* Compares as the service does: without letter case. NULL equals only NULL. */
bool same_name(const char *a, const char *b);

#endif

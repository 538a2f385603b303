/* From a name to a number. The table is only asked and never iterated over, so that no order of
 * a hash table can influence a run. */
#ifndef SIM_BASE_NAME_TABLE_H
#define SIM_BASE_NAME_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

typedef struct NameTable NameTable;

NameTable *name_table_create(Arena *arena);
/* Sets `name` (copied) to `value`, replacing an earlier value. */
void name_table_set(NameTable *table, const char *name, uint32_t value);
void name_table_remove(NameTable *table, const char *name);
/* Whether the table contains `name`; if so, stores its value in `*value`. `value` may be NULL. */
bool name_table_find(const NameTable *table, const char *name, uint32_t *value);

/* The same for a caller that already has the name's hash. */
void name_table_set_hashed(NameTable *table, const char *name, uint64_t hash, uint32_t value);
bool name_table_find_hashed(const NameTable *table, const char *name, uint64_t hash,
                            uint32_t *value);

/* FNV-1a, 64 bits: a stable address for a name on every machine. */
uint64_t name_hash(const char *name);
uint64_t bytes_hash(uint64_t hash, const void *bytes, uint64_t length); /* start with HASH_START */
#define HASH_START UINT64_C(0xcbf29ce484222325)

#endif

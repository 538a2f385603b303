/* The inside of a session, for the files emu/session*.c. */
#ifndef EMU_SESSION_PARTS_H
#define EMU_SESSION_PARTS_H

#include "emu/session/session.h"
#include "sim/base/name_table.h"
#include "sim/output/trace/fan.h"

/* Resources of one kind in one scope, in the order in which they were made. */
typedef struct {
    uint32_t first, last; /* rows; ID_NONE: none */
} RecordChain;

enum { SCOPE_DEPTHS = 4 }; /* all, of a group, of a workspace in it, of an experiment in that */

typedef struct {
    Record record;
    uint32_t next[SCOPE_DEPTHS]; /* row behind it in the chains that it is in; ID_NONE: none */
} RecordRow;

/* What there is and was, found by name and listed by scope without looking at anything else. Only
 * session_records.c changes it. */
typedef struct {
    Arena *arena;
    const World *world;
    const char *group; /* of storage accounts that are in none */
    RecordRow **rows;
    uint32_t count, capacity;
    NameTable *names;  /* kind and path -> newest row */
    NameTable *scopes; /* kind and scope -> chain */
    RecordChain *chains;
    uint32_t chain_count, chain_capacity;
    uint32_t resources_seen, clusters_seen, jobs_seen, file_servers_seen;
} Records;

void records_begin(Records *records, Arena *arena, const World *world, const char *group);
void records_end(Records *records); /* of what they own beside the arena */
/* Makes records of what has come into the world since it was called last. */
void records_catch_up(Records *records);
/* The newest of that path, gone or not; NULL. */
Record *records_newest(const Records *records, RecordKind kind, ResourcePath path);
Record *records_find(Records *records, RecordKind kind, ResourcePath path);
const Record *records_next(Records *records, RecordKind kind, ResourcePath scope, uint32_t *at);

struct Session {
    Arena *arena;
    Arena *commands; /* what is bound, and kept */
    Store *store;
    const ScenarioFile *base;
    TraceFan *fan;
    World *world;
    Records records;
    int64_t sequence; /* of the last entry */
    int64_t entry_ns; /* its instant; 0 before the first */
    int64_t noted_ns; /* where the store says that time stands */
    const char *tenant;
};

#endif

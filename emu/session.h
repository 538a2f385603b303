/* A session: one world that requests are asked of, its journal, and what the emulator remembers of
 * each resource beside what the world knows.
 *
 * Whatever changes is entered in the journal first (emu/store.h) and is then applied; the answer
 * goes out after the commit. Opening a session replays its journal, so there is no second form of
 * the state that could differ. An entry is a command as a scenario file has it, under an instant of
 * its own: no two entries, and no entry and an event before it, share a nanosecond. So
 * `trainyard export` writes entries out as a scenario, and its offline run tells the same trace. */
#ifndef EMU_SESSION_H
#define EMU_SESSION_H

#include "emu/store.h"
#include "sim/core/world.h"
#include "sim/json/json.h"
#include "sim/output/trace_row.h"
#include "sim/scenario/scenario_read.h"

typedef struct Session Session;

/* X(ENUM, type as ids have it) */
#define RECORD_KINDS(X)                                                                            \
    X(GROUP, "Microsoft.Resources/resourceGroups")                                                 \
    X(STORAGE, "Microsoft.Storage/storageAccounts")                                                \
    X(WORKSPACE, "Microsoft.BatchAI/workspaces")                                                   \
    X(EXPERIMENT, "Microsoft.BatchAI/workspaces/experiments")                                      \
    X(CLUSTER, "Microsoft.BatchAI/workspaces/clusters")                                            \
    X(JOB, "Microsoft.BatchAI/workspaces/experiments/jobs")                                        \
    X(FILE_SERVER, "Microsoft.BatchAI/workspaces/fileservers")

typedef enum {
#define X(name, type) RECORD_##name,
    RECORD_KINDS(X)
#undef X
        RECORD_KIND_COUNT
} RecordKind;

const char *record_type(RecordKind kind);

/* A resource as it was asked for. Lives as long as the session, also when the resource is gone. */
typedef struct {
    RecordKind kind;
    ResourcePath path;  /* as first written; a storage account has a group here too */
    int64_t created_ns; /* of the entry that made it */
    int64_t written_ns; /* of the last one that changed it: its ETag */
    int64_t sequence;   /* of the entry that made it */
    const Json *kept;   /* what its handlers want to know again; no secrets; NULL: nothing */
    ClusterId cluster;  /* of a cluster; ID_NONE */
    JobId job;          /* of a job */
    bool is_gone;
} Record;

/* Where state that is not in the journal hangs on what the world tells: the file store. Called also
 * while a session is opened. */
typedef struct {
    TraceListener listener; /* sim/output/trace_row.h */
} SessionListener;

/* The session of `store`, replayed; a new one begins with the world of `base` (its own commands
 * included), whose text the store keeps. `base` and `arena` outlive it. NULL with the problem. */
Session *session_open(Arena *arena, Store *store, const ScenarioFile *base,
                      const SessionListener *listeners, int32_t listener_count, Status *status);
/* Lets the world run to `until_ns`; nothing when it is there already. */
void session_advance(Session *session, int64_t until_ns);
int64_t session_now_ns(const Session *session);
World *session_world(Session *session);
const Scenario *session_scenario(const Session *session);

/* --- Changing --- */

/* Enters a command, as a scenario's "commands" or "faults" have it but without "at", and applies it
 * now. What it makes has `kept` as its record's; a command that makes nothing leaves `kept` alone,
 * unless it is not NULL. False with what is wrong, nothing being entered then. */
MUST_CHECK bool session_command(Session *session, const Json *command, const Json *kept,
                                Problems *problems);
/* Changes what is kept of a resource: tags, keys, all that the world need not know. */
void session_keep(Session *session, Record *record, const Json *kept);
/* The number of the last entry; they count from 1. */
int64_t session_sequence(const Session *session);

/* --- Looking --- */

/* The living resource of that path, names compared without case; NULL. Of a storage account only
 * the name counts: it is unique over all groups. */
Record *session_find(const Session *session, RecordKind kind, ResourcePath path);
/* The resource that the entry of that number made, also when it is gone; NULL. */
const Record *session_made_by(const Session *session, int64_t sequence);
/* Living resources of a kind below `scope` (members that are NULL count as any), in the order in
 * which they were made: `*at` begins as 0 and is moved on; NULL at the end. */
const Record *session_next(const Session *session, RecordKind kind, ResourcePath scope,
                           uint32_t *at);

/* A GUID that is the same each time for the same seed, purpose and number. */
enum { GUID_TEXT = 37 };
void session_guid(const Session *session, const char *purpose, uint64_t number,
                  char out[GUID_TEXT]);

/* The session as a scenario file (JSON text): the base's own text with the journal's entries behind
 * its commands, each with its time in nanoseconds. */
void session_export(const Session *session, Text *out);

#endif

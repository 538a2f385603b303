/* A session: one world that requests are asked of, its journal, and what the emulator remembers of
 * each resource beside what the world knows.
 *
 * Whatever changes is entered in the journal first (emu/state/store.h) and is then applied; the
 * answer goes out after the commit. Opening a session replays its journal, so there is no second
 * form of the state that could differ. An entry is a command as a scenario file has it, under an
 * instant of its own: no two entries, and no entry and an event before it, share a nanosecond. So
 * `trainyard export` writes entries out as a scenario's "session", and its offline run tells the
 * same trace.
 *
 * Time goes on between entries. A session that is opened again stands where session_note_time was
 * called last, or at its last entry: what happened after that happens again, in the same way. */
#ifndef EMU_SESSION_H
#define EMU_SESSION_H

#include "emu/state/store.h"
#include "sim/cloud/world.h"
#include "sim/json/json.h"
#include "sim/output/trace/row.h"
#include "sim/scenario/read.h"

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
    ResourcePath path;  /* as first written; a storage account that was made without a resource
                           group is in that of the scenario */
    int64_t created_ns; /* of the entry that made it */
    int64_t written_ns; /* of the last one that changed it: its ETag */
    int64_t sequence;   /* of the entry that made it; 0: the scenario did */
    const Json *kept;   /* what its handlers want to know again; no secrets; NULL: nothing */
    Arena *note;        /* in which `kept` lies; NULL: where its command does */
    ClusterId cluster;  /* of a cluster; ID_NONE */
    JobId job;          /* of a job */
    uint32_t row;       /* world_resource, world_cluster, world_job or world_file_server */
    bool is_gone;       /* as of the last look at it by what follows */
} Record;

/* How far the world has come with it. */
ProvisioningState record_provisioning(const World *world, const Record *record);

/* Where state that is not in the journal hangs on what the world tells: the file store. Called also
 * while a session is opened. */
typedef struct {
    TraceListener listener;                            /* sim/output/trace/row.h */
    void (*watch)(void *listener, const World *world); /* told of its world before it hears of it;
                                                          may be NULL */
} SessionListener;

/* The session of `store`, replayed; a new one begins with the world of `base` (its own commands
 * included), whose text the store keeps. `base` and `arena` outlive it. NULL with the problem. */
Session *session_open(Arena *arena, Store *store, const ScenarioFile *base,
                      const SessionListener *listeners, int32_t listener_count, Status *status);
void session_close(Session *session); /* NULL is fine */
/* Lets the world run to `until_ns`; nothing when it is there already. */
void session_advance(Session *session, int64_t until_ns);
/* Notes in the store where time stands: after a jump, and when the program ends. */
MUST_CHECK bool session_note_time(Session *session, Status *status);
int64_t session_now_ns(const Session *session);
World *session_world(Session *session);
const Scenario *session_scenario(const Session *session);
const char *session_subscription(const Session *session); /* a GUID: the scenario's */
const char *session_tenant(const Session *session);       /* a GUID: of the session's seed */
int64_t session_unix_ms(const Session *session);          /* simulated time on the calendar */
/* That of the catalogue, letter case ignored; NULL: there is none of that name. */
const VmSize *session_vm_size(const Session *session, const char *name);

/* --- Changing --- */

/* Enters a command, as a scenario's "commands" or "faults" have it but without "at", and applies it
 * now. What it makes has `kept` as its record's, or where that is NULL the properties of its
 * config; a command that makes nothing leaves a record's `kept` alone, unless `kept` is not NULL.
 * Both are copied, without their secrets (sim/scenario/config/secrets.h): nobody else need think of
 * them. False with what is wrong, nothing being entered then: STATUS_MACHINE for the disk,
 * STATUS_CONFLICT after the last instant of time, else what the binder or the world refuses. */
MUST_CHECK bool session_command(Session *session, const Json *command, const Json *kept,
                                Problems *problems);
/* Changes what is kept of a resource: tags, keys, all that the world need not know. Nothing happens
 * when it says what was kept before. STATUS_MACHINE for the disk, STATUS_CONFLICT after the last
 * instant; nothing is changed then. */
MUST_CHECK bool session_keep(Session *session, Record *record, const Json *kept, Status *status);
/* {"do", "name", "resource_group", "workspace", "experiment"}: as far as `path` has them. */
Json *session_command_about(Arena *arena, CommandKind kind, ResourcePath path);
/* The number of the last entry; they count from 1. */
int64_t session_sequence(const Session *session);

/* --- Looking --- */

/* The living resource of that path, names compared without case; NULL. */
Record *session_find(const Session *session, RecordKind kind, ResourcePath path);
/* Living resources of a kind in `scope`: its group, workspace and experiment, of which those that
 * are NULL, and all behind the first such, count as any. In the order in which they were made:
 * `*at` begins as 0 and is moved on; NULL at the end, and where `*at` is of no such resource. */
const Record *session_next(const Session *session, RecordKind kind, ResourcePath scope,
                           uint32_t *at);

/* A GUID that is the same each time for the same seed, purpose and number. */
enum { GUID_TEXT = 37 };
void session_guid(const Session *session, const char *purpose, uint64_t number,
                  char out[GUID_TEXT]);

/* The session as a scenario file (JSON text) that needs no other: the base's own with the journal's
 * commands and faults as its "session", up to now. */
MUST_CHECK bool session_export(Session *session, Text *out, Status *status);

#endif

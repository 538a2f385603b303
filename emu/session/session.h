/* A session: one world with its journal, and the properties of each resource that the world does
 * not need.
 *
 * Each change is entered in the journal first (emu/state/store.h) and then applied; its answer is
 * sent after the commit. Opening a session replays its journal, so there is no second form of the
 * state that could differ. An entry is a command as in a scenario file, and has a separate instant:
 * no two entries, and no entry and an event, share a nanosecond. So `trainyard export` writes the
 * entries as a scenario's "session", whose offline run has the same trace.
 *
 * Time continues between entries. A session that is opened again is at the time of the last
 * session_note_time, or of its last entry: later events happen again, in the same way. */
#ifndef EMU_SESSION_H
#define EMU_SESSION_H

#include "emu/session/records.h"
#include "emu/state/store.h"
#include "sim/output/trace/row.h"
#include "sim/scenario/read.h"

typedef struct Session Session;

/* A listener whose own state depends on the world's records: the file store. Also called while the
 * journal is replayed. */
typedef struct {
    TraceListener listener; /* sim/output/trace/row.h */
    void (*watch)(void *listener,
                  World *world); /* gets the world before its first record; may be NULL */
    void (*warn)(void *listener, int64_t at_ns, const char *subject,
                 const Status *warning); /* gets what will probably not go as its sender means, of a
                                            command about `subject`; may be NULL */
} SessionListener;

/* The session of `store`, replayed; a new one begins with the world of `base` (its own commands
 * included), whose text the store keeps. `base` and `arena` outlive it. NULL with the problem. */
Session *session_open(Arena *arena, Store *store, const ScenarioFile *base,
                      const SessionListener *listeners, int32_t listener_count, Status *status);
void session_close(Session *session); /* NULL is fine */
/* The time at which the session of the store is opened, unless an entry of its journal is later.
 * The second sets it, as part of the next commit. */
int64_t session_stored_ns(Store *store);
MUST_CHECK bool session_store_ns(Store *store, int64_t at_ns, Status *status);
/* A session in a heap (emu/session/session_memory.h) can be continued by a later process that has
 * its memory: it is detached from the store, and attached to it again, which replays the entries
 * since. Between the two only session_forget may be called. */
void session_detach(Session *session);
MUST_CHECK bool session_attach(Session *session, Store *store, Status *status);
/* Lets the world run to `until_ns`, unless it is already there. */
void session_advance(Session *session, int64_t until_ns);
/* Records the present time in the store: after a jump, and when the program ends. */
MUST_CHECK bool session_note_time(Session *session, Status *status);
/* Forgets what is deleted (world_forget_deleted): afterwards nothing refers to its memory. To be
 * called between requests: a Record may be gone. */
void session_forget(Session *session);
int64_t session_now_ns(const Session *session);
World *session_world(Session *session);
Store *session_store(const Session *session);
const ScenarioFile *session_base(const Session *session); /* its scenario */
const Scenario *session_scenario(const Session *session);
const char *session_subscription(const Session *session); /* a GUID: the scenario's */
const char *session_tenant(const Session *session);       /* a GUID: of the session's seed */
int64_t session_unix_ms(const Session *session);          /* simulated time on the calendar */
/* Returns the VM size of that name in any letter case; NULL if the catalogue has none. */
const VmSize *session_vm_size(const Session *session, const char *name);

/* --- Changing --- */

/* Enters a command, as in a scenario's "commands" or "faults" but without "at", and applies it now.
 * A resource that it creates gets `kept` as its kept properties, or if that is NULL the properties
 * of its config; other commands replace the kept properties unless `kept` is NULL. Both are copied
 * without their secrets (sim/scenario/config/secrets.h). False with the problems if the command is
 * not entered: STATUS_MACHINE for the disk, STATUS_CONFLICT after the last instant of time, else
 * the problems of the reader or the world. */
MUST_CHECK bool session_command(Session *session, const Json *command, const Json *kept,
                                Problems *problems);
/* Replaces the kept properties of a resource: tags, keys, everything that the world does not need.
 * Equal properties change nothing. STATUS_MACHINE for the disk, STATUS_CONFLICT after the last
 * instant; then nothing is changed. */
MUST_CHECK bool session_keep(Session *session, Record *record, const Json *kept, Status *status);
/* Returns {"do", "name", "resource_group", "workspace", "experiment"} with the parts that `path`
 * has. */
Json *session_command_about(Arena *arena, CommandKind kind, ResourcePath path);
/* "job.create train": what a command of the journal does, for messages. */
const char *session_command_words(Arena *arena, const Json *command);
/* The number of the last entry; they count from 1. */
int64_t session_sequence(const Session *session);

/* --- Looking --- */

/* Returns the existing resource of that path, names compared without case; NULL if there is none.
 */
Record *session_find(const Session *session, RecordKind kind, ResourcePath path);
/* Returns the next existing resource of a kind in `scope`, in the order of their creation. A part
 * of `scope` that is NULL means any, and so do all parts after it. `*at` begins as 0 and is moved
 * on. NULL at the end, and if `*at` is not the position of such a resource. */
const Record *session_next(const Session *session, RecordKind kind, ResourcePath scope,
                           uint32_t *at);

/* A GUID that is the same each time for the same seed, purpose and number. */
enum { GUID_TEXT = 37 };
void session_guid(const Session *session, const char *purpose, uint64_t number,
                  char out[GUID_TEXT]);

#endif

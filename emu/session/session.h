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

#include "emu/session/records.h"
#include "emu/state/store.h"
#include "sim/output/trace/row.h"
#include "sim/scenario/read.h"

typedef struct Session Session;

/* Where state that is not in the journal hangs on what the world tells: the file store. Called also
 * while a session is opened. */
typedef struct {
    TraceListener listener;                      /* sim/output/trace/row.h */
    void (*watch)(void *listener, World *world); /* told of its world before it hears of it;
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
Store *session_store(const Session *session);
const ScenarioFile *session_base(const Session *session); /* what it began with */
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

#endif

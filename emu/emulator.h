/* The emulator: one session, its files, its clock; a request goes in, an answer comes out. No
 * sockets here: tests call it as the server does. */
#ifndef EMU_EMULATOR_H
#define EMU_EMULATOR_H

#include "emu/arm/arm.h"
#include "emu/batchai/batchai.h"
#include "emu/control/control.h"
#include "emu/files/auth/azure_files.h"
#include "emu/http/server.h"
#include "emu/jobs/runs.h"
#include "emu/kept.h"
#include "emu/session/session_memory.h"
#include "emu/snapshots.h"
#include "emu/state/state_folder.h"
#include "sim/scenario/read.h"

typedef struct {
    const char *storage_suffix; /* "core.windows.net" */
    HttpAddresses addresses;    /* may be set after emulator_open, before the first request */
    bool is_files_only;         /* Azure Files alone */
    bool recovers;              /* a damaged state: continues with the whole part */
    RequestCounts *counts;      /* counts what the server answers; borrowed; NULL: none does */
    const char *version;        /* of the program; NULL: "" */
    bool is_strict;             /* refuses jobs of which nothing says what they do */
    int64_t snapshot_entries; /* entries of the journal between two snapshots; 0: emu/snapshots.c */
    RunsSettings runs;
} EmulatorSettings;

/* The emulator owns the state of each part. */
typedef struct Emulator {
    EmulatorSettings settings;
    SessionMemory memory; /* of everything below that lives as long */
    Kept *kept;
    Snapshots snapshots;
    Store *store;
    StateBefore before; /* it was opened */
    Session *session;
    FileStore *files;
    Pace pace;
    Arm arm;
    AzureFiles azure_files;
    Batchai batchai;
    Control control;
    Runs *runs;
    uint64_t starts; /* before this one, that changed the state */
    bool is_start_counted;
    bool is_over;  /* the session went back (emu/undo.h): the memory is that of the dropped part */
    bool is_ahead; /* a commit has failed: memory includes writes that are lost */
    int64_t written_ns;     /* the last commit, on the machine's clock */
    uint64_t noted_changes; /* kept->changes at the last commit of the time at which they were */
    uint64_t requests;      /* number of this one, of no other since the state began: makes ids */
} Emulator;

/* The session in `folder`, or a new one there that begins with the scenario at `scenario_path` as
 * base_open reads it (emu/session/base.h). NULL with the problems; `warnings` may come either way.
 */
Emulator *emulator_open(Arena *arena, const char *folder, const char *scenario_path,
                        ScenarioOverrides overrides, const EmulatorSettings *settings, Clock clock,
                        Problems *problems, Problems *warnings);
/* Commits all writes together with the present time: an emulator that is opened again continues
 * from there. The first request after a state of a cluster or job has changed is a write of that
 * time, so that no client has seen a state that is lost. After a failure the emulator must be
 * closed, because its memory includes writes that are lost (emu/state/store.h). */
MUST_CHECK bool emulator_commit(Emulator *emulator, Status *status);
/* After that commit the emulator must be opened again, because its session went back in time
 * (emu/undo.h). Until then requests are refused, and time stands still. */
bool emulator_is_over(const Emulator *emulator);
/* emulator_commit before an orderly end: reports all files that clients have written to the world
 * first, and makes a snapshot (emu/snapshots.h). */
MUST_CHECK bool emulator_rest(Emulator *emulator, Status *status);
void emulator_close(Emulator *emulator); /* NULL is fine */
/* The same instead, where the program cannot start after all: if its session is new, all that was
 * made of it is removed. NULL is fine. */
void emulator_withdraw(Emulator *emulator);

/* Forgets what is deleted, and makes its memory free. No request is being handled, and no answer
 * refers to the session's memory: also called by emulator_tick, once there is enough to free. */
void emulator_tidy(Emulator *emulator);

/* Lets the world run up to what its clock says at `machine_ns`. */
void emulator_tick(Emulator *emulator, int64_t machine_ns, int64_t real_unix_ms);
/* Lets the world run to `until_ns`. False if jobs that run for real hold it back before that
 * (emu/jobs/runs.h). Every jump in time must use this function. */
bool emulator_advance(Emulator *emulator, int64_t until_ns);
/* When the next event is due, by the machine's clock; INT64_MAX: never. */
int64_t emulator_next_ns(const Emulator *emulator);
/* Answers a request as of the last tick. The answer must not go out before the store's next commit
 * while the store is dirty. */
void emulator_handle(Emulator *emulator, const HttpRequest *request, HttpResponse *response);
/* Answers after a failed commit: 507 in the form of the service that was called. */
void emulator_refuse(Emulator *emulator, const HttpRequest *request, HttpResponse *response);
/* The emulator as the handler of a server. */
ServerHandler emulator_handler(Emulator *emulator);

#endif

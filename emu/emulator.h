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
#include "emu/state/state_folder.h"
#include "sim/scenario/read.h"

typedef struct {
    const char *storage_suffix; /* "core.windows.net" */
    HttpAddresses addresses;    /* may be set after emulator_open, before the first request */
    bool is_files_only;         /* Azure Files alone */
    RunsSettings runs;
} EmulatorSettings;

/* Each part has what it works with in a struct of its own; the emulator owns them all. */
typedef struct Emulator {
    EmulatorSettings settings;
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
    uint64_t requests; /* number of this one, of no other since the state began: makes ids */
    uint64_t changes;  /* of states that clients can see */
} Emulator;

/* The session in `folder`, or a new one there that begins with the scenario at `scenario_path` as
 * base_open reads it (emu/session/base.h). NULL with the problems; `warnings` may come either way.
 */
Emulator *emulator_open(Arena *arena, const char *folder, const char *scenario_path,
                        ScenarioOverrides overrides, const EmulatorSettings *settings, Clock clock,
                        Problems *problems, Problems *warnings);
/* Makes lasting what was written, and this moment with it: an emulator that is opened again goes on
 * from there, so that nothing that it has told lies in its future. After a failure it must be
 * closed: it knows of writes that are gone (emu/state/store.h). */
MUST_CHECK bool emulator_commit(Emulator *emulator, Status *status);
/* The same before an orderly end: the world then knows all that clients have written. */
MUST_CHECK bool emulator_rest(Emulator *emulator, Status *status);
void emulator_close(Emulator *emulator); /* NULL is fine */
/* The same instead, where the program cannot start after all: if its session is new, all that was
 * made of it is removed. NULL is fine. */
void emulator_withdraw(Emulator *emulator);

/* Lets the world run up to what its clock says at `machine_ns`. */
void emulator_tick(Emulator *emulator, int64_t machine_ns, int64_t real_unix_ms);
/* Lets the world run to `until_ns`, or as far as jobs that run for real let it (emu/jobs/runs.h):
 * false then. What jumps in time must go by this. */
bool emulator_advance(Emulator *emulator, int64_t until_ns);
/* When something happens next by itself, by the machine's clock; INT64_MAX: never. */
int64_t emulator_next_ns(const Emulator *emulator);
/* Answers a request as of the last tick. The answer must not go out before the store's next commit
 * while the store is dirty. */
void emulator_handle(Emulator *emulator, const HttpRequest *request, HttpResponse *response);
/* The emulator behind a server. */
ServerHandler emulator_handler(Emulator *emulator);
/* The answer instead, after a commit has failed: 507, as the one who was asked says it. */
void emulator_refuse(Emulator *emulator, const HttpRequest *request, HttpResponse *response);

#endif

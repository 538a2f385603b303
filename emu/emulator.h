/* The emulator: one session, its files, its clock; a request goes in, an answer comes out. No
 * sockets here: tests call it as the server does. */
#ifndef EMU_EMULATOR_H
#define EMU_EMULATOR_H

#include "emu/api_faults.h"
#include "emu/clock.h"
#include "emu/events.h"
#include "emu/file_store.h"
#include "emu/http.h"
#include "emu/session.h"
#include "emu/tally.h"
#include "sim/scenario/scenario_read.h"

/* Where clients find it, for absolute URLs; "127.0.0.1:8443". */
typedef struct {
    const char *tls;      /* Resource Manager, login */
    const char *plain;    /* files by path, tokens, dashboard */
    const char *userinfo; /* "" without that listener */
} EmulatorAddresses;

typedef struct {
    const char *subscription;    /* GUIDs, by emulator_open: the scenario's ... */
    const char *tenant;          /* ... and the session's */
    const char *storage_suffix;  /* "core.windows.net" */
    EmulatorAddresses addresses; /* may be told after emulator_open, before the first request */
    bool is_files_only;          /* Azure Files alone */
    bool runs_jobs;              /* --run-jobs */
} EmulatorSettings;

typedef struct {
    EmulatorSettings settings;
    Store *store;
    Session *session;
    FileStore *files;
    Events *events; /* its listener is one of the session's */
    Tally *tally;   /* so is this one's */
    ApiFaults *api_faults;
    Clock clock;
    int64_t machine_ns;   /* the machine's monotonic clock at this request */
    int64_t real_unix_ms; /* its calendar: what signatures' and tokens' times are compared with */
    uint64_t requests;    /* so far: addresses request ids */
    uint64_t changes;     /* of states that clients can see */
    bool is_polled;       /* emulator_polled, since the last tick */
    char
        storage_secret[65]; /* of the store; "" until somebody asks for a key (emu/arm_storage.h) */
} Emulator;

/* The session in `folder`, or a new one there that begins with the scenario at `scenario_path` as
 * base_open reads it (emu/base.h). NULL with the problems; `warnings` may come either way. */
Emulator *emulator_open(Arena *arena, const char *folder, const char *scenario_path,
                        ScenarioOverrides overrides, const EmulatorSettings *settings, Clock clock,
                        Problems *problems, Problems *warnings);
/* Before an orderly end: it goes on from this moment when it is opened again. */
MUST_CHECK bool emulator_rest(Emulator *emulator, Status *status);
void emulator_close(Emulator *emulator); /* NULL is fine */

/* Lets the world run up to what its clock says at `machine_ns`. */
void emulator_tick(Emulator *emulator, int64_t machine_ns, int64_t real_unix_ms);
/* When something happens next by itself, by the machine's clock; INT64_MAX: never. */
int64_t emulator_next_ns(const Emulator *emulator);
/* A client has asked for something that is not finished: with CLOCK_AUTO time jumps, after the
 * answer, to where the state of a cluster, node or job changes next: at most a day, or to the next
 * event where there is none for a day. */
void emulator_polled(Emulator *emulator);

/* Answers a request as of the last tick. The answer must not go out before the store's next commit
 * while the store is dirty. */
void emulator_handle(Emulator *emulator, const HttpRequest *request, HttpResponse *response);

/* Simulated time on the calendar. */
int64_t emulator_unix_ms(const Emulator *emulator);

#endif

/* The emulator: one session, its files, its clock; a request goes in, an answer comes out. No
 * sockets here: tests call it as the server does. */
#ifndef EMU_EMULATOR_H
#define EMU_EMULATOR_H

#include "emu/control/api_faults.h"
#include "emu/control/events.h"
#include "emu/control/tally.h"
#include "emu/files/store/file_store.h"
#include "emu/http/http.h"
#include "emu/jobs/runs.h"
#include "emu/session/clock.h"
#include "emu/session/session.h"
#include "emu/state/state_folder.h"
#include "real/launch/hand_off.h"
#include "sim/scenario/read.h"

/* Where clients find it, for absolute URLs; "127.0.0.1:8443". */
typedef struct {
    const char *tls;      /* Resource Manager, login */
    const char *plain;    /* files by path, tokens, dashboard */
    const char *userinfo; /* "" without that listener */
} EmulatorAddresses;

typedef struct {
    const char *subscription;       /* GUIDs, by emulator_open: the scenario's ... */
    const char *tenant;             /* ... and the session's */
    const char *storage_suffix;     /* "core.windows.net" */
    EmulatorAddresses addresses;    /* may be told after emulator_open, before the first request */
    bool is_files_only;             /* Azure Files alone */
    bool runs_jobs;                 /* --run-jobs: jobs submitted from now on run for real, ... */
    bool hands_off;                 /* --real: trainings submitted from now on are handed off ... */
    HandOffBackend backend;         /* ... to the trainer, which computes there ... */
    const char *trainer;            /* ... and is this program; ... */
    const char *data_folder;        /* ... CIFAR-10, absolute; NULL: where the job says */
    int64_t job_time_limit_ns;      /* whatever runs for real takes no longer than that, ... */
    int64_t job_output_limit_bytes; /* ... and each of their commands writes no more */
} EmulatorSettings;

typedef struct Emulator {
    EmulatorSettings settings;
    Store *store;
    StateBefore before; /* it was opened */
    Session *session;
    FileStore *files;
    Events *events; /* its listener is one of the session's */
    Tally *tally;   /* so is this one's */
    ApiFaults *api_faults;
    Runs *runs;
    Clock clock;
    int64_t machine_ns;    /* the machine's monotonic clock at this request */
    int64_t clock_told_ns; /* when the clock was told what to do last (emu/control/control.h), or
                              this process began: what had come then is told without delay */
    int64_t real_unix_ms;  /* its calendar: what signatures' and tokens' times are compared with */
    uint64_t starts;       /* before this one, that changed the state */
    bool is_start_counted;
    uint64_t requests;   /* number of this one, of no other since the state began: makes ids */
    int64_t writes;      /* requests so far that change something in the Resource Manager, ... */
    int64_t deletes;     /* ... and those that delete, which are counted apart */
    uint64_t changes;    /* of states that clients can see */
    bool is_polled;      /* emulator_polled, since the last tick */
    int64_t events_most; /* that one jump in time may run through: some seconds' work */
    char
        storage_secret[65]; /* of the store; "" until somebody asks for a key (emu/arm/storage.h) */
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
/* A client has asked for something that is not finished: with CLOCK_AUTO time jumps, after the
 * answer, to where a state that clients can see changes next: at most a day, or to the next
 * event where there is none for a day. */
void emulator_polled(Emulator *emulator);

/* Answers a request as of the last tick. The answer must not go out before the store's next commit
 * while the store is dirty. */
void emulator_handle(Emulator *emulator, const HttpRequest *request, HttpResponse *response);
/* The answer instead, after a commit has failed: 507, as the one who was asked says it. */
void emulator_refuse(Emulator *emulator, const HttpRequest *request, HttpResponse *response);

/* Simulated time on the calendar. */
int64_t emulator_unix_ms(const Emulator *emulator);

#endif

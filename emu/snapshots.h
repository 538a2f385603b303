/* Snapshots of the session: images of its memory (emu/session/session_image.h), so that a start
 * repeats only those entries of the journal that follow the newest one.
 *
 * The journal stays the state. A snapshot that is damaged, of another build, or cannot be used at
 * its address is not used, and the journal is replayed. The store names the snapshot that is used,
 * by its number, length and checksum; the next one is written to the other of two files, and used
 * from the commit on that names it. So at any moment a crash leaves a snapshot and a journal that
 * fit.
 *
 * A child process (fork) writes its copy of the memory while this one serves. */
#ifndef EMU_SNAPSHOTS_H
#define EMU_SNAPSHOTS_H

#include <sys/types.h>

#include "emu/session/session_image.h"
#include "emu/state/store.h"

struct Emulator;

/* A snapshot as the store names it. */
typedef struct {
    int slot;         /* which of the two files */
    int64_t sequence; /* the last entry that is in it; 0 and no bytes: there is no snapshot */
    int64_t at_ns;    /* its simulated time; INT64_MAX: unknown */
    ImageFacts image;
} Snapshot;

/* All zero, with the writer -1, before the store is open. */
typedef struct {
    Snapshot used;      /* the newest that the store names */
    Snapshot made;      /* that the child writes */
    int64_t events;     /* of the world, in the snapshot used or at the start */
    int writer;         /* the child reports here; -1: there is none */
    pid_t process;      /* the child */
    bool has_other;     /* the file that is not used may be there */
    bool is_impossible; /* it failed in this process, and was reported */
    bool has_warned;    /* that the disk has no room for one */
} Snapshots;

/* Reads the snapshot that the store names into the memory of the emulator, which is reserved. False
 * if there is none; also if it cannot be used, with a warning. */
MUST_CHECK bool snapshots_restore(struct Emulator *emulator, Problems *warnings);

/* Whether the disk has room for a snapshot of the present session. The first time that it has not,
 * this is a warning on stderr: a user can free room before the end, when the snapshot is wanted. */
bool snapshots_have_room(struct Emulator *emulator);

/* For a session that goes back to `at_ns`, after which the entries after `sequence` are gone: the
 * store does not name a later snapshot any more, as part of the next commit. */
MUST_CHECK bool snapshots_go_back(Store *store, int64_t sequence, int64_t at_ns, Status *status);

/* Begins a snapshot once enough has happened since the last one, and ends it once it is written;
 * called at every tick while the store is clean. */
void snapshots_work(struct Emulator *emulator);
/* When it must be called next, by the machine's clock; INT64_MAX: with the next tick. */
int64_t snapshots_next_ns(const struct Emulator *emulator);
/* At an orderly end, after the last commit: makes a snapshot, unless little has happened since the
 * last one. `is_forced`: in any case. A failure is a warning on stderr. */
void snapshots_rest(struct Emulator *emulator, bool is_forced);
/* Ends the child, whose snapshot is not used. */
void snapshots_close(struct Emulator *emulator);

#endif

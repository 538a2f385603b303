/* The state folder: all names that the emulator creates in it, and whether the folder is the
 * emulator's.
 *
 * Files with these names are replaced or removed without asking. So a folder is only used if it
 * contains none of them, or also the database, which is always made first. */
#ifndef EMU_STATE_FOLDER_H
#define EMU_STATE_FOLDER_H

#include "sim/base/arena.h"
#include "sim/base/status.h"

/* X(ENUM, name) */
#define STATE_NAMES(X)                                                                             \
    X(DATABASE, "state.sqlite")                                                                    \
    X(DATABASE_LOG, "state.sqlite-wal")                                                            \
    X(DATABASE_JOURNAL, "state.sqlite-journal")                                                    \
    X(WITNESS, "state.sqlite-witness")                                                             \
    X(SNAPSHOT, "snapshot-0")                                                                      \
    X(OTHER_SNAPSHOT, "snapshot-1")                                                                \
    X(RESERVE, "reserve")                                                                          \
    X(LOST, "lost")                                                                                \
    X(UNDONE, "undone")                                                                            \
    X(COPIES, "copies")                                                                            \
    X(CONTENTS, "contents")                                                                        \
    X(RUNS, "runs")                                                                                \
    X(KEY, "tls-key.pem")                                                                          \
    X(CERTIFICATE, "ca.pem")                                                                       \
    X(BUNDLE, "ca-bundle.pem")                                                                     \
    X(READY, "serve.json")                                                                         \
    X(AZ, "az")                                                                                    \
    X(AZ_NO_PROXY, "az-no-proxy")

typedef enum {
#define X(name, text) STATE_##name,
    STATE_NAMES(X)
#undef X
        STATE_NAME_COUNT
} StateName;

/* "state.sqlite" */
const char *state_name(StateName name);
/* "FOLDER/NAME" */
const char *state_path(Arena *arena, const char *folder, StateName name);

/* Whether the emulator may keep its state in `folder`, which need not exist; else STATUS_BAD_INPUT.
 * Called before anything in it is changed. */
MUST_CHECK bool state_folder_is_ours(const char *folder, Status *status);

/* The state before a start: the length of the part of `folder` that exists, and whether the
 * database does. */
typedef struct {
    size_t length;
    bool has_database;
} StateBefore;

StateBefore state_folder_before(const char *folder);
/* Removes what a start has made in `folder` that had no database before, and the new folders, if
 * they are empty. The caller has the database open, so that no other process can have started with
 * it. */
void state_folder_withdraw(const char *folder, StateBefore before);

#endif

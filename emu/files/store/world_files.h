/* Entries that jobs of the world wrote on shares: files, logs that grow with simulated time,
 * checkpoints and models. They are not stored: their contents are generated when they are read. */
#ifndef EMU_FILES_WORLD_FILES_H
#define EMU_FILES_WORLD_FILES_H

#include "emu/files/store/blobs.h"
#include "emu/files/store/tables.h"
#include "sim/cloud/world.h"
#include "sim/output/share/log_folder.h"
#include "sim/output/share/written_file.h"
#include "sim/output/trace/row.h"

/* A directory of clients, of the world, or of both. */
typedef struct {
    int64_t share;       /* row of the share */
    int64_t world_share; /* FILES_NONE: the world has no such share */
    int64_t client;      /* id of the clients' directory, or FILES_NONE */
    int64_t world;       /* id of the world's directory, or FILES_NONE */
    int64_t since_ns;    /* what the world wrote below it up to this time is hidden */
} Directory;

/* Recently generated contents, in a file without a name. */
typedef struct {
    int64_t share, id;
    uint64_t etag;
    int descriptor; /* -1: none */
    int64_t bytes;
    uint64_t used; /* WorldFiles.uses at the last use */
} MadeFile;

enum { MADE_FILES = 8, MODEL_SIZES = 16 };

typedef struct {
    const char *network;
    int32_t ranks;
    int64_t bytes;
} ModelSize;

/* The set-up tasks of a cluster, which the trace does not report. */
typedef struct {
    ClusterId cluster;
    uint32_t begun; /* whose logs are known */
} SetUp;

typedef struct {
    Arena *arena;
    Tables *tables;
    Blobs *blobs;
    const World *world;   /* NULL before file_store_watch */
    WrittenFile *written; /* from the trace; the first `written_shown` are in the table */
    uint32_t written_count, written_capacity, written_shown;
    uint32_t written_by_jobs; /* of them */
    LogFolder *logging;       /* where a log may have begun, and which are not in the table yet */
    uint32_t logging_count, logging_capacity;
    SetUp *set_ups; /* of all clusters */
    uint32_t set_up_count, set_up_capacity;
    MadeFile made[MADE_FILES];
    uint64_t uses;
    ModelSize sizes[MODEL_SIZES];
    int32_t size_count;
} WorldFiles;

void world_files_open(WorldFiles *files, Arena *arena, Tables *tables, Blobs *blobs);
void world_files_close(WorldFiles *files);
/* The table is lost with the process: all that the world has is new to the next one. */
void world_files_detach(WorldFiles *files);
void world_files_record(WorldFiles *files, const TraceRow *row);

/* Puts what the world reported since the last call into the table. */
void world_catch_up(WorldFiles *files);
/* Index of the share in the world, or FILES_NONE. */
int64_t world_share_of(const WorldFiles *files, Arena *arena, ShareName name);
bool world_share_exists(const WorldFiles *files, Arena *arena, ShareName name);
/* Whether the scenario creates the share, so that it exists without a client. */
bool world_has_share(const WorldFiles *files, Arena *arena, ShareName share);
WorldRow world_row(sqlite3_stmt *row, Arena *arena);
/* Updates the list of logs in a directory. */
void world_enter(WorldFiles *files, const Directory *above, const WorldRow *directory);
/* Measures a file whose size is not known yet. */
void world_measure(WorldFiles *files, const Directory *above, WorldRow *row);
uint64_t world_etag(const Directory *above, const WorldRow *row);
FilesReader *world_reader(WorldFiles *files, const Directory *above, const WorldRow *row);

#endif

/* A file that a run left on a share: what the trace tells of it (TRACE_FILE_WRITTEN: uploads,
 * checkpoints, saved models), where it lies and what is in it. Contents are functions of the world;
 * whoever shows them makes them when they are asked for. */
#ifndef SIM_OUTPUT_WRITTEN_FILE_H
#define SIM_OUTPUT_WRITTEN_FILE_H

#include "sim/base/byte_sink.h"
#include "sim/cloud/world.h"
#include "sim/output/share/keras_model.h"
#include "sim/output/trace/row.h"

/* Strings live as long as the row's. */
typedef struct {
    const char *share; /* "account/share" */
    ShareId share_id;
    const char *path; /* as it was written; sim/base/share_path.h makes it one to be trusted */
    JobId job;        /* ID_NONE: uploaded */
    uint32_t file;    /* world_file; FILE_NONE: the trace tells of another world */
    int64_t bytes;
    int64_t at_ns;
} WrittenFile;

/* False when the row tells of something else. */
bool written_file_of(const TraceRow *row, WrittenFile *file);

/* The command of the scenario that uploaded `file`; NULL for what jobs write, and when it was
 * uploaded otherwise. */
const Command *written_file_upload(const World *world, const WrittenFile *file);

typedef enum {
    CONTENTS_LOCAL,  /* a copy of a file of this machine */
    CONTENTS_MODEL,  /* the model or checkpoint of a Keras network whose layers are known */
    CONTENTS_PARTS,  /* known piece by piece: what simple commands wrote */
    CONTENTS_UNKNOWN /* a line that says so, then zeros up to the file's size */
} WrittenKind;

enum { NOTICE_TEXT = 120 };

typedef struct {
    WrittenKind kind;
    const char *local_path;   /* CONTENTS_LOCAL */
    KerasModel model;         /* CONTENTS_MODEL: for keras_model_write */
    const StoredFile *parts;  /* CONTENTS_PARTS: see written_bytes */
    char notice[NOTICE_TEXT]; /* CONTENTS_UNKNOWN: the line, already cut to the file's size */
} WrittenContents;

/* Of a record of `world`. */
WrittenContents written_file_contents(const World *world, const WrittenFile *file);

/* Writes a file of CONTENTS_PARTS, as many bytes as it has. Of a piece whose contents are not
 * modelled it writes the line that says so, then zeros. False when a file of this machine cannot be
 * read. */
MUST_CHECK bool written_bytes(const World *world, uint32_t file, ByteSink sink, Status *status);
/* Writes a file as a command prints it: where contents are not modelled, the line alone. */
MUST_CHECK bool written_text(const World *world, uint32_t file, ByteSink sink, Status *status);

#endif

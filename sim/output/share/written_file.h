/* A file that a run left on a share (TRACE_FILE_WRITTEN: uploads, checkpoints, saved models):
 * its place and its contents. Contents are functions of the world and are made when they are
 * needed. */
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
    const char *path; /* as written; sim/base/share_path.h turns it into a safe path */
    JobId job;        /* ID_NONE: uploaded */
    uint32_t file;    /* world_file; FILE_NONE: the trace is of another world */
    int64_t bytes;
    int64_t at_ns;
} WrittenFile;

/* False when the row is not about a written file. */
bool written_file_of(const TraceRow *row, WrittenFile *file);

/* The scenario's command that uploaded `file`; NULL for files of jobs and files uploaded
 * otherwise. */
const Command *written_file_upload(const World *world, const WrittenFile *file);

typedef enum {
    CONTENTS_LOCAL,  /* a copy of a file of this machine */
    CONTENTS_MODEL,  /* the model or checkpoint of a Keras network whose layers are known */
    CONTENTS_PARTS,  /* known piece by piece: written by simple commands */
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

/* The contents of a file that `world` recorded. */
WrittenContents written_file_contents(const World *world, const WrittenFile *file);

/* Writes all bytes of a file of CONTENTS_PARTS. A piece whose contents are not modelled becomes
 * the line that says so, then zeros. False when a file of this machine cannot be read. */
MUST_CHECK bool written_bytes(const World *world, uint32_t file, ByteSink sink, Status *status);
/* Writes a file as a command prints it: a piece whose contents are not modelled becomes the line
 * only. */
MUST_CHECK bool written_text(const World *world, uint32_t file, ByteSink sink, Status *status);

#endif

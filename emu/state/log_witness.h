/* Whether the database's log (SQLite's WAL, sqlite.org/walformat.html) has all commits that were
 * acknowledged.
 *
 * SQLite uses the log up to the first frame with a wrong checksum. After a kill in the middle of a
 * commit this is right, because that commit was not acknowledged. After damage, or without the log,
 * it would lose acknowledged commits silently. So after each commit a witness, a separate file,
 * records the identity and the length of the log; the next start compares. The witness is removed
 * before an orderly end, after which there is no log. It is not synced: after a crash of the
 * machine it may be older than the log, which says nothing against the log. */
#ifndef EMU_LOG_WITNESS_H
#define EMU_LOG_WITNESS_H

#include "sim/base/arena.h"
#include "sim/base/status.h"

/* The number of four bytes, highest first, as in SQLite's files. */
uint32_t big_endian(const unsigned char *bytes);

typedef struct {
    uint32_t salts[2];     /* of the log's header: the first counts up each time that the log begins
                              again */
    uint32_t frames;       /* of whole commits */
    uint32_t pages;        /* of the database after the last of them */
    uint32_t lost;         /* frames in commits after a wrong checksum */
    uint32_t lost_commits; /* their number. Each commit is synced before the next begins, so a power
                              cut leaves one at most */
    bool has_header;
} LogFacts;

/* Reads the log at `path`; no file is an empty log. `in_log` (may be NULL) gets for each page
 * number below `in_log_count` whether a whole commit has the page. False if it cannot be read. */
MUST_CHECK bool log_read(const char *path, bool *in_log, uint32_t in_log_count, LogFacts *facts);

typedef struct {
    int descriptor, log; /* -1: none */
    uint32_t salts[2];   /* of the log ... */
    bool knows_log;      /* ... unless it may have begun again */
    const char *path, *log_path;
} LogWitness;

/* Compares the log with the witness at `path`, which need not exist. False with a sentence about
 * what is missing, in `arena`. */
MUST_CHECK bool log_is_whole(Arena *arena, const char *path, const LogFacts *log,
                             const char **problem);

LogWitness log_witness_open(const char *path, const char *log_path);
/* Records that all commits are in the first `frames` frames of the log; 0: the database has them.
 */
void log_witness_write(LogWitness *witness, uint32_t frames);
/* After a checkpoint, with which the log begins again. */
void log_witness_forget(LogWitness *witness);
/* At an orderly end, once the log is in the database. */
void log_witness_remove(LogWitness *witness);
void log_witness_close(LogWitness *witness); /* the witness stays */

#endif

/* Clients of the emulator, and what they know: the requests of a life, and their effect on files
 * and groups. */
#ifndef TESTS_EMU_FAULTS_CLIENTS_H
#define TESTS_EMU_FAULTS_CLIENTS_H

#include "emu/emulator.h"

enum { FILES = 4, GROUPS = 3, JUMPS = 8, BYTES_MAX = 50000, VERSIONS = 512 };
enum { OBJECTS = FILES + GROUPS };             /* files first */
#define CLIENTS_UNIX_MS INT64_C(1795194020000) /* the machine's calendar */

typedef struct {
    bool is_there;
    int32_t length;
    char bytes[BYTES_MAX];
} KnownFile;

/* A jump of the clock, and what was there before it. */
typedef struct {
    bool groups[GROUPS];
    int64_t at_ns; /* the time before it */
    bool is_final; /* something that cannot be undone has happened since */
} KnownJump;

typedef struct {
    KnownFile files[FILES];
    bool groups[GROUPS];
    KnownJump jumps[JUMPS];
    int32_t jump_count; /* -1: unknown, because a disk has lost writes */
} Known;

typedef enum { DISK_CUTS, DISK_FAILS, DISK_LIES, DISK_FLIPS, DISK_KINDS } DiskKind;

typedef struct {
    uint64_t seed;
    bool is_verbose;
    DiskKind kind;
    bool has_lied;       /* acknowledged writes may be lost from here on */
    bool may_be_damaged; /* the disk has lied and lost power: pages of the database may be old */
    bool is_damaged;     /* a commit has shown it */
    Arena *arena, *request;
    const char *root;
    int64_t snapshot_entries; /* a snapshot after so many entries of the journal; 0: at the end */
    Emulator *emulator;
    int64_t machine_ns;
    Known known, doubt; /* acknowledged; and with the round under way */
    bool is_doubtful;
    uint64_t versions[FILES][VERSIONS]; /* checksums of all that a file has ever had */
    int version_count[FILES];
    Text *plan; /* requests are written to it instead, as a client sends them, and succeed; NULL */
    bool has_failed;
    char failure[600];
} Life;

/* The present life; there is one at a time. */
extern Life life;

/* The life has failed; the first reason is kept. */
void life_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a line if the life is verbose. */
void life_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One request drawn from the seed. Its effect on `after` is applied if it is acknowledged. */
void clients_ask(Known *after);
/* Adds a request about one object to `request`, as a client sends it, and its effect to `after`. */
void clients_plan(Known *after, int object, Text *request);
/* A number for each state of an object: of a file, for its contents; 0: it is not there. */
uint64_t clients_digest(const Known *known, int object);
uint64_t clients_digest_of(const char *bytes, size_t length);
/* Reads the object into `known`; its digest. Fails the life if it cannot be read. */
uint64_t clients_look(Known *known, int object);
/* Whether all files and groups, and the last jump of the clock, are as known. Fails the life if
 * not, unless `is_quiet`. */
bool clients_check(const Known *known, bool is_quiet);
/* Whether both know the same jumps of the clock. */
bool clients_agree_on_jumps(const Known *a, const Known *b);
/* Deletes files that cannot be read and whose last requests may have happened or not. */
void clients_settle(void);
/* Adds all that the emulator answers about its session: the journal, the world, the events. */
void clients_describe(Text *out);
/* After a disk has lost writes, its state is the one that clients know. A damaged file is deleted.
 */
void clients_adopt(void);

#endif

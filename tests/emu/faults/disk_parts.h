/* Private to tests/emu/faults: what the disk is made of, for the functions that it replaces. */
#ifndef TESTS_EMU_FAULTS_DISK_PARTS_H
#define TESTS_EMU_FAULTS_DISK_PARTS_H

#include <dirent.h>
#include <limits.h>
#include <sys/types.h>

#include "tests/emu/faults/disk.h"

enum { SECTOR = 512, FILES_MAX = 1024, DESCRIPTORS = 1024, CHANGES_MAX = 1 << 14, NAME_ROOM = 128 };

/* --- What is there --- */

typedef enum { CHANGE_WRITE, CHANGE_LENGTH, CHANGE_HOLE } ChangeKind;

/* A change of a file since its last fsync. */
typedef struct Change Change;
struct Change {
    Change *next;
    ChangeKind kind;
    int64_t at, length;
    char bytes[];
};

typedef struct {
    bool is_directory;
    ino_t number;
    char *durable;
    int64_t bytes;
    Change *first, **last;
} File;

typedef struct {
    char path[NAME_ROOM]; /* below the root */
    int file;
} Name;

/* A change of names since the last fsync of their directory. */
typedef struct {
    bool is_removal;
    Name name;
} NameChange;

typedef struct {
    char root[PATH_MAX];
    size_t root_length;
    bool is_on, is_cut;
    uint64_t random, history;
    DiskFaults faults;
    int64_t changes;
    File files[FILES_MAX];
    int file_count;
    Name *names; /* durable */
    int name_count;
    NameChange *renamed;
    int renamed_count;
    Name left[FILES_MAX]; /* after the cut */
    char *left_bytes[FILES_MAX];
    int64_t left_length[FILES_MAX];
    int left_count;
} Disk;

/* In memory that a child process of the emulator shares, which writes snapshots. */
extern Disk *disk;
/* The file of each open descriptor of this process: 1 + index; 0: not on the disk. */
extern int disk_open_file[DESCRIPTORS];

/* Shared memory (disk_memory.c). */
void *disk_allocate(size_t bytes);
void *disk_grow(void *memory, size_t bytes); /* NULL is fine */
void disk_free(void *memory);                /* NULL is fine */

/* --- The real functions --- */

typedef struct {
    int (*openat)(int, const char *, int, ...);
    int (*close)(int);
    int (*closedir)(DIR *);
    int (*dup)(int);
    ssize_t (*pread)(int, void *, size_t, off_t);
    ssize_t (*pwrite)(int, const void *, size_t, off_t);
    ssize_t (*write)(int, const void *, size_t);
    int (*ftruncate)(int, off_t);
    int (*fallocate)(int, int, off_t, off_t);
    int (*unlinkat)(int, const char *, int);
    int (*renameat2)(int, const char *, int, const char *, unsigned);
    int (*mkdir)(const char *, mode_t);
} RealFunctions;

/* The functions of the C library. */
const RealFunctions *disk_real(void);

void disk_note(uint64_t value); /* adds to the history */
/* The index of a new file, or of a known one; -1. */
int disk_add(ino_t number, bool is_directory);
int disk_find(ino_t number);
/* All changes of the file are kept by a power cut; of the names in a directory, all in it (NULL: in
 * all directories). */
void disk_make_durable(File *file);
void disk_make_names_durable(const char *folder);
void disk_change_name(const char *path, int file, bool is_removal);

#endif

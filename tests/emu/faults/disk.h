/* A disk that fails as disks do, for a process without threads.
 *
 * Files below the root are real files in memory, so that every reader (SQLite, the C library) sees
 * what a page cache would show. The functions of the C library that change files are replaced for
 * the whole process, SQLite included. They record what is durable: the bytes of a file at its last
 * fsync, the names of a directory at its last fsync, and all changes since. A power cut keeps any
 * part of these changes: each write alone, sector by sector, in any order; of the names of a
 * directory an early part. All that happens is drawn from a seed. */
#ifndef TESTS_EMU_FAULTS_DISK_H
#define TESTS_EMU_FAULTS_DISK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double errors;  /* the probability that a call fails: EIO or ENOSPC; a part is done before */
    double shorts;  /* that it reads or writes less */
    double lies;    /* that fsync returns without having synced */
    int64_t cut_at; /* the power is cut at this change from now on; 0: never */
} DiskFaults;

/* `root`: an existing folder, which is the disk. All that is there is durable. */
void disk_begin(const char *root, uint64_t seed);
void disk_set(DiskFaults faults);
/* Whether the power was cut. Changes of the process since then are lost. */
bool disk_is_cut(void);
/* Cuts the power, if it was not cut. */
void disk_cut(void);
/* Makes the files those that the power cut has left. No file is open. */
void disk_restart(void);
/* From here on the process has an ordinary disk again. */
void disk_end(void);
/* Everything is durable. */
void disk_settle(void);
/* Flips a bit of a random byte of a file whose path contains `part`; false if there is none. */
bool disk_flip(const char *part);
/* A checksum of all calls so far: equal for equal seeds. */
uint64_t disk_history(void);
uint64_t disk_draw(uint64_t count); /* below `count`, from the seed */
bool disk_chance(double probability);

#endif

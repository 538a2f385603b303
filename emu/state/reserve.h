/* A file without contents that keeps some space of a disk, so that something can be deleted, and
 * the emulator started, where other programs have filled the disk to its last byte. */
#ifndef EMU_RESERVE_H
#define EMU_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#define RESERVE_BYTES (INT64_C(4) << 20)

typedef struct {
    const char *path;
    bool is_there;
    bool cannot_be; /* the file system does not allocate in advance */
} Reserve;

/* The reserve at `path`, as an earlier process left it. */
Reserve reserve_find(const char *path);
/* Takes the space from the disk, if it has that much; a failure changes nothing. */
void reserve_take(Reserve *reserve);
/* Gives the space back to the disk. */
void reserve_release(Reserve *reserve);

#endif

/* Extents: where the ranges of a file are stored. */
#ifndef EMU_FILES_EXTENTS_H
#define EMU_FILES_EXTENTS_H

#include "emu/files/store/blobs.h"

/* An extent in the blob FILES_CLEARED_BLOB is a cleared range, whose bytes are zeros. Its position
 * is its first byte, so that adjacent ones are joined like other extents. */
typedef struct {
    int64_t first, length;
    int64_t blob, position;
} Extent;

/* The nearest multiple of `unit` that is not more, or not less. */
static inline int64_t round_down(int64_t at, int64_t unit)
{
    return at / unit * unit;
}

static inline int64_t round_up(int64_t at, int64_t unit)
{
    return round_down(at + unit - 1, unit);
}

/* The extents in [first, end) and the one before; in `arena`. */
Extent *extents_of(Blobs *blobs, Arena *arena, int64_t contents, int64_t first, int64_t end,
                   int32_t *count);
/* Removes [from, to) from all extents. */
void extents_cut(Blobs *blobs, int64_t contents, int64_t from, int64_t to);
/* Adds an extent. It is joined with the one before if both are adjacent, as after appending. */
void extent_add(Blobs *blobs, int64_t contents, Extent extent);

#endif

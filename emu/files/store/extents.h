/* Extents: where the ranges of a file are stored, and their checksums.
 *
 * A file is divided into units of SUM_UNIT bytes. An extent has a checksum for each unit in which
 * it has bytes; it covers the bytes of the unit that are in the extent. Checksums are in the row of
 * their extent. So they change in the transaction that begins to use the bytes, before which the
 * bytes are synced: a crash leaves both or neither. A range that begins or ends within a unit
 * divides the unit of an older extent, and the rest of it is read, compared and summed again. */
#ifndef EMU_FILES_EXTENTS_H
#define EMU_FILES_EXTENTS_H

#include "emu/files/store/blobs.h"

enum { SUM_UNIT = 16 << 10 };

/* An extent in the blob FILES_CLEARED_BLOB is a cleared range, whose bytes are zeros. Its position
 * is its first byte, so that adjacent ones are joined like other extents. */
typedef struct {
    int64_t first, length;
    int64_t blob, position;
    uint64_t *sums; /* of its units, in order (checksum_wide); NULL: it is a cleared range, or
                       was written by a trainyard without checksums */
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

static inline int64_t extent_end(const Extent *extent)
{
    return extent->first + extent->length;
}

/* The extents in [first, end) and the one before; in `arena`. */
Extent *extents_of(Blobs *blobs, Arena *arena, int64_t contents, int64_t first, int64_t end,
                   int32_t *count);
/* Removes [from, to) from all extents. */
void extents_cut(Blobs *blobs, int64_t contents, int64_t from, int64_t to);
/* Adds an extent with these bytes; NULL: a cleared range. It is joined with the one before if both
 * are adjacent, as after appending. */
void extent_add(Blobs *blobs, int64_t contents, Extent extent, const char *bytes);

/* The bytes of the extent in the unit of byte `at`, which is in the extent. */
FilesRange extent_unit(const Extent *extent, int64_t at);
/* Reads a range of the extent from its blob's descriptor. The range has whole units of the extent,
 * or the extent has no checksums. FILES_MACHINE, or FILES_DAMAGED with the unit. */
FilesFailure extent_read(const Extent *extent, int descriptor, FilesRange range, char *room,
                         FilesRange *damaged);

#endif

/* Names on a share: which are valid, and which are equal.
 *
 * Rules: Microsoft, "Naming and referencing shares, directories, files, and metadata" (Azure Files
 * REST API). Names keep their letters and are compared without case as in NTFS: by the upper case
 * of each single character. Names are never paths of this machine. */
#ifndef EMU_FILE_NAMES_H
#define EMU_FILE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* Characters are counted in units of UTF-16, as in NTFS. */
enum { FILE_NAME_MAX = 255, FILE_PATH_MAX = 2048, FILE_DEPTH_MAX = 250 };

typedef struct {
    const char *name;   /* as received */
    const char *folded; /* equal for equal names; orders names */
} FileName;

/* The upper case, character by character; bytes that are not UTF-8 are unchanged. In `arena`. */
const char *file_name_fold(Arena *arena, const char *name);

/* Whether a path is short enough and not too deep. */
bool file_path_fits(const char *path);

/* The path without dots at the ends of its names: the service drops them, unless a request asks to
 * keep them. A name of dots alone ("..") keeps them. In `arena`. */
const char *file_path_without_dots(Arena *arena, const char *path);

/* The names of a path that fits, "a/b/c.txt"; empty names are dropped, and "" has none. In `arena`.
 * False if a name is invalid: dots alone ("." and ".."), too long, reserved (also with dots after
 * it), with a character that is not allowed, or not UTF-8. */
bool file_path_split(Arena *arena, const char *path, FileName **names, int32_t *count);

/* 3 to 63 small letters, digits and single hyphens between them. */
bool share_name_is_valid(const char *name);

#endif

/* Names on a share: which there may be, and which are the same.
 *
 * Rules: Microsoft, "Naming and referencing shares, directories, files, and metadata" (Azure Files
 * REST API). Names keep their letters and are compared without case as NTFS does: by the upper case
 * of each character alone. Names are never paths of this machine. */
#ifndef EMU_FILE_NAMES_H
#define EMU_FILE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* Characters are counted as NTFS counts them, in units of UTF-16. */
enum { FILE_NAME_MAX = 255, FILE_PATH_MAX = 2048, FILE_DEPTH_MAX = 250 };

typedef struct {
    const char *name;   /* as the client wrote it */
    const char *folded; /* equal for equal names; in order of names */
} FileName;

/* Upper case, character by character; what is no UTF-8 stays. In `arena`. */
const char *file_name_fold(Arena *arena, const char *name);

/* Whether a path is short enough, and leads through few enough directories. */
bool file_path_fits(const char *path);

/* The path without dots at the ends of its names: the service drops them, unless a request asks for
 * names as they are. What has nothing but dots ("..") keeps them. In `arena`. */
const char *file_path_without_dots(Arena *arena, const char *path);

/* The parts of a path that fits, "a/b/c.txt"; empty ones are dropped. "" has none. In `arena`.
 * False when one of them is no name: of dots alone ("." and ".."), too long, reserved (also with
 * dots behind it), with a character that is not allowed, or no UTF-8. */
bool file_path_split(Arena *arena, const char *path, FileName **names, int32_t *count);

/* 3 to 63 small letters, digits and single hyphens between them. */
bool share_name_is_valid(const char *name);

#endif

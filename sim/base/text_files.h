/* Files whose contents are texts in memory: compiled in, or made by a program. */
#ifndef SIM_BASE_TEXT_FILES_H
#define SIM_BASE_TEXT_FILES_H

#include "sim/base/file_source.h"

typedef struct {
    const void *context;
    /* The contents of a file, ended by NUL; NULL: there is none of that path. */
    const char *(*text_of)(const void *context, const char *path);
    const FileSource *others; /* has all others; NULL: there are none */
} TextFiles;

/* `files` is borrowed. */
FileSource text_files(const TextFiles *files);

#endif

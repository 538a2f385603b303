/* Files that exist only in a test: a FileSource for sim/scenario over a table of paths and texts.
 */
#ifndef TESTS_SUPPORT_MEMORY_FILES_H
#define TESTS_SUPPORT_MEMORY_FILES_H

#include "sim/scenario/read.h"

typedef struct {
    const char *path;
    const char *text;
    size_t length;
} MemoryFile;

enum { MEMORY_FILES_MAX = 16 };

typedef struct {
    int32_t count;
    MemoryFile items[MEMORY_FILES_MAX];
} MemoryFiles;

/* Adds a file, or gives an existing one another text; both are borrowed. */
void memory_files_set(MemoryFiles *files, const char *path, const char *text, size_t length);
FileSource memory_files_source(MemoryFiles *files);

/* Adds the shipped catalogue to a folder ("catalog/"): azure-2018.json and what it includes. */
void memory_files_set_catalog(MemoryFiles *files, Arena *arena, const char *folder);
/* Adds the catalogues of transformers and their software. */
void memory_files_set_transformers(MemoryFiles *files, Arena *arena, const char *folder);
/* The tree of the shipped catalogue. */
Json *shipped_catalog(Arena *arena);

/* A small whole scenario in memory: "scenario.json" with its cluster.json and job.json and the
 * catalogue as above. One job of Horovod on a cluster of two NC6 nodes trains for two epochs. */
MemoryFiles small_scenario(Arena *arena);
extern const char small_scenario_text[], small_cluster_text[], small_job_text[];

/* `text` with the first `old` replaced by `new`; fails the test when there is no `old`. */
const char *with_change(Arena *arena, const char *text, const char *old, const char *new);

#endif

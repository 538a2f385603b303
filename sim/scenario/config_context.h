/* What surrounds a cluster.json or job.json while it is turned into a spec: the catalogue, the
 * shares that exist, the scenario's programs. Shared by the config readers; built by
 * scenario_read.c, by the emulator and by tests. */
#ifndef SIM_SCENARIO_CONFIG_CONTEXT_H
#define SIM_SCENARIO_CONFIG_CONTEXT_H

#include "sim/core/command.h"
#include "sim/scenario/catalog_read.h"
#include "sim/scenario/scenario_types.h"

/* A file share or blob container that exists when the cluster or job is created. */
typedef struct {
    const char *name; /* "account/share" */
    const ShareTier *tier;
    bool is_listed; /* its files are known, so that a missing script can be noticed */
    int32_t file_count;
    const char **files; /* paths inside the share */
} KnownShare;

/* A program of the scenario; one with problems of its own is matched, but not built. */
typedef struct {
    const ProgramText *text;
    bool is_sound;
} KnownProgram;

typedef struct {
    Arena *arena;
    Problems *problems;
    bool is_alone; /* a file is checked without a scenario: no catalogue, any share may exist */
    const Catalog *catalog;
    const char *account; /* stands for <AZURE_BATCHAI_STORAGE_ACCOUNT>; NULL when there is none */
    int32_t share_count;
    const KnownShare *shares;
    int32_t program_count;
    const KnownProgram *programs;
    int32_t preparation_count;
    PreparationText *const *preparations;
} ConfigContext;

/* NULL when there is none of that name. */
const KnownShare *config_share(const ConfigContext *context, const char *name);
/* The problem that there is no such share ("file share", "blob container"), naming those there are.
 */
void config_unknown_share(const ConfigContext *context, const char *kind, const char *name,
                          Place at);

#endif

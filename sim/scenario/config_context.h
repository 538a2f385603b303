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

typedef struct {
    Arena *arena;
    Problems *problems;
    const Catalog *catalog;
    const char *account; /* stands for <AZURE_BATCHAI_STORAGE_ACCOUNT>; NULL when there is none */
    int32_t share_count;
    const KnownShare *shares;
    int32_t program_count;
    ProgramText *const *programs;
    int32_t preparation_count;
    PreparationText *const *preparations;
} ConfigContext;

/* NULL when there is none of that name. */
const KnownShare *config_share(const ConfigContext *context, const char *name);


#endif

/* What surrounds a cluster.json or job.json while it is turned into a spec: the catalogue, the
 * shares that exist, the scenario's programs. Shared by the config readers; built by
 * scenario_read.c, by the emulator and by tests. */
#ifndef SIM_SCENARIO_CONFIG_CONTEXT_H
#define SIM_SCENARIO_CONFIG_CONTEXT_H

#include "sim/cloud/spec/command.h"
#include "sim/scenario/catalog/read.h"
#include "sim/scenario/format/types.h"

/* A file share, blob container or file server that exists when the cluster or job is created. */
typedef struct {
    const char *name;      /* "account/share", or of a file server file_server_share */
    ResourcePath server;   /* the file server's own; without a name: it is none */
    const ShareTier *tier; /* of one that is there before any command */
    bool is_listed;        /* its files are known, so that a missing script can be noticed */
    bool is_of_session;    /* made empty by one: the world knows all that came to be on it */
    bool has_uploads; /* of the session: whoever fills a share elsewhere puts nothing on it here */
    int32_t file_count;
    const char **files; /* paths inside the share */
} KnownShare;

/* A program of the scenario; of one with problems of its own only the paths are checked. */
typedef struct {
    const ProgramText *text;
    bool is_sound;
} KnownProgram;

/* How many images trainings find. Both 0: as many as the catalogue's data set has. */
typedef struct {
    int64_t train, test;
} DataSamples;

typedef struct {
    Arena *arena;
    Problems *problems;
    Problems *warnings;     /* what will run, but hardly as it was meant; NULL: nobody listens */
    DataSamples samples;    /* of whatever trains a network that our trainer knows */
    const Catalog *catalog; /* NULL: it could not be read, or a file is checked without one */
    ResourcePath scope;     /* the scenario's own group and workspace */
    const char *account; /* stands for <AZURE_BATCHAI_STORAGE_ACCOUNT>; NULL when there is none */
    /* Some that exist are not listed below: they could not be read, or a file is checked without
     * its scenario. What is not listed is then no problem. */
    struct {
        bool shares, programs, preparations, setups;
    } unlisted;
    /* Asked of the emulator: what the service took is taken, also a mount of a share that is not
     * there, over which nodes and jobs fail, and output to where nobody finds it. In a scenario of
     * one's own these are slips of the pen. */
    bool is_of_session;
    bool has_no_end; /* the scenario says no "until": it runs until all jobs are over */
    int32_t share_count;
    const KnownShare *shares;
    int32_t program_count;
    const KnownProgram *programs;
    const OtherText *other_programs; /* of every other command; NULL: there is none */
    int32_t preparation_count;
    PreparationText *const *preparations; /* with their patterns */
    int32_t setup_count;
    SetupText *const *setups; /* as preparations */
} ConfigContext;

/* Where warnings go. Never NULL. */
Problems *config_warnings(const ConfigContext *context);

/* NULL when there is none of that name. */
const KnownShare *config_share(const ConfigContext *context, const char *name);
/* Refuses a share ("file share", "blob container") that does not exist, naming those that do. */
void config_check_share(const ConfigContext *context, const char *kind, const char *name, Place at);

/* The name of a file server's share: short in the scenario's own workspace, so that a file can
 * speak of it, and else with group and workspace, which may have one of the same name. */
const char *file_server_share(const ConfigContext *context, ResourcePath path);
/* NULL when there is no file server at `path`; names are compared without case. */
const KnownShare *config_file_server(const ConfigContext *context, ResourcePath path);

/* What always takes the same time. In `arena`. */
Quantiles quantiles_always(Arena *arena, int64_t ns);

/* The problem that `name` is no entry of the catalogue's `section`; `kind` as in "VM size". */
void config_unknown_entry(const ConfigContext *context, CatalogSection section, const char *kind,
                          BoundText name);

#endif

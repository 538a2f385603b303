/* The context in which a cluster.json or job.json is turned into a spec: the catalogue, the
 * shares that exist, the scenario's programs. The readers of configs share it;
 * sim/scenario/read.c, the emulator and tests make it. */
#ifndef SIM_SCENARIO_CONFIG_CONTEXT_H
#define SIM_SCENARIO_CONFIG_CONTEXT_H

#include "sim/cloud/spec/command.h"
#include "sim/scenario/catalog/read.h"
#include "sim/scenario/format/types.h"

/* A file share, blob container or file server that exists when the cluster or job is created. */
typedef struct {
    const char *name;      /* "account/share", or of a file server file_server_share */
    ResourcePath server;   /* the file server's own path; without a name: it is not a file server */
    const ShareTier *tier; /* of one that is there before any command */
    bool is_listed;        /* its files are known, so that a missing script can be noticed */
    bool is_of_session;    /* a session made it empty: the world knows all its files */
    bool has_uploads;      /* of the session: clients have put files on it through the emulator */
    int32_t file_count;
    const char **files; /* paths inside the share */
} KnownShare;

/* A program of the scenario; of a program with problems only the paths are checked. */
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
    Problems *warnings;     /* what will run, but probably not as intended; NULL: not wanted */
    DataSamples samples;    /* of whatever trains a network that our trainer knows */
    const Catalog *catalog; /* NULL: it could not be read, or a file is checked without one */
    ResourcePath scope;     /* the scenario's own group and workspace */
    const char *account; /* stands for <AZURE_BATCHAI_STORAGE_ACCOUNT>; NULL when there is none */
    /* Some that exist are not listed below: they could not be read, or a file is checked without
     * its scenario. Names that are not listed are then accepted. */
    struct {
        bool shares, programs, preparations, setups;
    } unlisted;
    /* Asked of the emulator: what the service took is taken, also a mount of a share that does
     * not exist, which makes nodes and jobs fail, and output to a path that is lost with the
     * node. In a scenario these are mistakes. */
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

/* A duration that is always the same. In `arena`. */
Quantiles quantiles_always(Arena *arena, int64_t ns);

/* Adds the problem that `name` is not an entry of the catalogue's `section`; `kind` as in "VM
 * size". */
void config_unknown_entry(const ConfigContext *context, CatalogSection section, const char *kind,
                          BoundText name);

#endif

/* The context in which a cluster.json or job.json is turned into a spec: the catalogue, the
 * existing shares, the scenario's programs. All readers of configs use it. sim/scenario/read.c, the
 * emulator and tests create it. */
#ifndef SIM_SCENARIO_CONFIG_CONTEXT_H
#define SIM_SCENARIO_CONFIG_CONTEXT_H

#include "sim/cloud/spec/command.h"
#include "sim/scenario/catalog/read.h"
#include "sim/scenario/format/types.h"

/* A file share, blob container or file server that exists when the cluster or job is created. */
typedef struct {
    const char *name;      /* "account/share"; for a file server, file_server_share */
    ResourcePath server;   /* the file server's own path; without a name: it is not a file server */
    const ShareTier *tier; /* of a share that exists at the start */
    bool is_listed;        /* its files are known, so that a missing script can be noticed */
    bool is_of_session;    /* a session made it empty: the world knows all its files */
    bool has_uploads;      /* clients of the session have uploaded files to it */
    bool is_deleted;       /* by a command of the session; it is forgotten after many others */
    int32_t file_count;
    const char **files; /* paths inside the share */
} KnownShare;

/* A program of the scenario. If it has problems, only its paths are checked. */
typedef struct {
    const ProgramText *text;
    const Program *fixed; /* what it is for every job, if it only takes time; or NULL */
    bool is_sound;
} KnownProgram;

/* How many images trainings have. Both 0: as many as the catalogue's data set. */
typedef struct {
    int64_t train, test;
} DataSamples;

typedef struct {
    Arena *arena;
    Problems *problems;
    Problems *warnings;     /* what will run, but probably not as intended; NULL: not wanted */
    DataSamples samples;    /* for programs whose network our trainer knows */
    const Catalog *catalog; /* NULL: it could not be read, or a file is checked without one */
    ResourcePath scope;     /* the scenario's own group and workspace */
    const char *account;    /* replaces <AZURE_BATCHAI_STORAGE_ACCOUNT>; NULL: there is none */
    /* True if more exist than are listed below, because some could not be read or a file is checked
     * without its scenario. Names that are not listed are then accepted. */
    struct {
        bool shares, programs, preparations, setups;
    } unlisted;
    /* A request to the emulator. It accepts what the service accepted: mounts of shares that do not
     * exist, which make nodes and jobs fail, and output to paths that are lost with the node. In a
     * scenario these are mistakes. */
    bool is_of_session;
    const JobSpec *earlier_job; /* of a session: equal parts of the next job use its memory; NULL */
    bool is_strict;             /* a session refuses jobs of which nothing says what they do */
    bool has_no_end;            /* the scenario has no "until": it runs until all jobs have ended */
    int32_t share_count;
    const KnownShare *shares;
    int32_t program_count;
    const KnownProgram *programs;
    const OtherText *other_programs; /* the program of all other commands; NULL: there is none */
    int32_t preparation_count;
    PreparationText *const *preparations; /* all of them have patterns */
    int32_t setup_count;
    SetupText *const *setups; /* like preparations */
} ConfigContext;

/* The list that warnings are added to. Never NULL. */
Problems *config_warnings(const ConfigContext *context);

/* NULL when there is no share of that name. */
const KnownShare *config_share(const ConfigContext *context, const char *name);
/* Refuses a share ("file share", "blob container") that does not exist, naming those that do. */
void config_check_share(const ConfigContext *context, const char *kind, const char *name, Place at);

/* The name of a file server's share. It is short in the scenario's own workspace, so that files can
 * name it. In other workspaces, which may have a file server of the same name, it contains group
 * and workspace. */
const char *file_server_share(const ConfigContext *context, ResourcePath path);
/* NULL when there is no file server at `path`; names are compared without case. */
const KnownShare *config_file_server(const ConfigContext *context, ResourcePath path);

/* A duration that is always the same. In `arena`. */
Quantiles quantiles_always(Arena *arena, int64_t ns);

/* Adds the problem that `name` is not an entry of the catalogue's `section`; `kind` as in "VM
 * size". */
void config_unknown_entry(const ConfigContext *context, CatalogSection section, const char *kind,
                          BoundText name);

/* The VM size called `name`. NULL, with a problem, where the catalogue does not have it; NULL where
 * the catalogue is not known or the name was refused. */
const VmSize *config_vm_size(const ConfigContext *context, BoundText name);

#endif

/* The mounts of nodes, and where a path on a node therefore leads. */
#ifndef SIM_SCENARIO_MOUNTS_H
#define SIM_SCENARIO_MOUNTS_H

#include "sim/cloud/spec/spec.h"
#include "sim/scenario/config/config_context.h"
#include "sim/scenario/format/batchai_types.h"

/* Cluster mounts appear under this folder on every node. Source: environment variables in the Batch
 * AI documentation, "AZ_BATCHAI_MOUNT_ROOT". */
#define CLUSTER_MOUNT_ROOT "/mnt/batch/tasks/shared/LS_root/mounts"
#define CLUSTER_MOUNT_VARIABLE "$AZ_BATCHAI_MOUNT_ROOT"
/* Those of a job under {this}/{workspace}/{experiment}/{job}/mounts. */
#define JOB_ROOT "/mnt/batch/tasks/shared/LS_root/jobs"

typedef struct {
    const char *path;        /* on the node, absolute: "{root}/myshare" */
    const char *variable;    /* the same as people write it: "$AZ_BATCHAI_JOB_MOUNT_ROOT/myshare" */
    const KnownShare *share; /* NULL: an unmanaged file system */
    bool is_blob;            /* a blob container */
    const char *folder;      /* of the share, that is mounted: "" for all of it */
    bool is_unread; /* its content is not known: its share was refused, or, at a mount root, the
                       path of a mount under that root */
} Mount;

typedef struct {
    int32_t count;
    Mount *items;
} Mounts;

/* One unread mount at `root`: anything may be mounted there. */
Mounts mounts_unread(Arena *arena, const char *root, const char *variable);

/* The mounts of `volumes` (NULL: none) under `root`, whose variable is `variable` ("$AZ_..."),
 * after those of `outer` (NULL: none). Refuses paths that are absolute or lead out, two mounts
 * at one path, ill-formed URLs, and file servers and shares that no command creates, unless the
 * context allows them. */
Mounts mounts_read(const ConfigContext *context, const MountVolumesText *volumes, const char *root,
                   const char *variable, const Mounts *outer);

/* The names ("account/share", "fileserver/…") of those mounts that are shares, in order, and which
 * of them are blob containers. */
const char *const *mounts_shares(Arena *arena, const Mounts *mounts, int32_t first, int32_t *count,
                                 const bool **is_blob);

/* Those of the mounts that are shares, as scripts and programs see them. */
const ShellMount *mounts_shell(Arena *arena, const Mounts *mounts, int32_t *count);

/* A path without doubled slashes, "." parts after a slash, and a slash at its end. */
const char *path_tidy(Arena *arena, const char *path);

/* Where the absolute `path`, a tidy one, leads: NULL when under no mount, else the mount, with
 * `*inside` the rest of the path without slashes around it. */
const Mount *mounts_find(const Mounts *mounts, const char *path, const char **inside);

/* Whether `path` is how that of some mount begins: a folder above it, or a part of its name. */
bool mounts_begin(const Mounts *mounts, const char *path);

/* Adds as hint to `problem` which mounts there are. */
void mounts_hint(Status *problem, const Mounts *mounts);

#endif

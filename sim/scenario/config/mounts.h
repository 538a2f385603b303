/* The mounts of nodes, and the places on shares to which paths on nodes lead. */
#ifndef SIM_SCENARIO_MOUNTS_H
#define SIM_SCENARIO_MOUNTS_H

#include "sim/cloud/spec/spec.h"
#include "sim/scenario/config/config_context.h"
#include "sim/scenario/format/batchai_types.h"

#define CLUSTER_MOUNT_VARIABLE "$AZ_BATCHAI_MOUNT_ROOT" /* CLUSTER_MOUNT_ROOT */

typedef struct {
    const char *path;        /* on the node, absolute: "{root}/myshare" */
    const char *variable;    /* the same with a variable: "$AZ_BATCHAI_JOB_MOUNT_ROOT/myshare" */
    const KnownShare *share; /* NULL: an unmanaged file system */
    bool is_blob;            /* a blob container */
    const char *folder;      /* the mounted folder of the share; "": the whole share */
    bool is_unread; /* its content is not known, because its share was refused or, for a mount at a
                       mount root, because the path of a mount under that root was refused */
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

/* The names ("account/share", "fileserver/…") of the shares among the mounts from index `first` on,
 * in order, and which of them are blob containers. */
const char *const *mounts_shares(Arena *arena, const Mounts *mounts, int32_t first, int32_t *count,
                                 const bool **is_blob);

/* The shares among the mounts, in the form that scripts and programs need. */
const ShellMount *mounts_shell(Arena *arena, const Mounts *mounts, int32_t *count);

/* `path` without doubled slashes, "." parts after a slash, and a slash at the end. In `arena`. */
const char *path_tidy(Arena *arena, const char *path);

/* The mount that the absolute `path`, a result of path_tidy, leads to. `*inside` becomes the rest
 * of the path, without slashes around it. NULL when the path is not under a mount. */
const Mount *mounts_find(const Mounts *mounts, const char *path, const char **inside);

/* Whether the path of a mount begins with `path`: a folder above the mount, or part of its name. */
bool mounts_begin(const Mounts *mounts, const char *path);

/* Adds a list of the mounts to `problem` as its hint. */
void mounts_hint(Status *problem, const Mounts *mounts);

#endif

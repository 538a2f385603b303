/* Resource groups, workspaces, experiments and storage accounts: resources that contain others.
 *
 * Deleting a container begins to delete all its contents. Meanwhile it accepts no new contents and
 * keeps its name, until its contents are deleted and its own deletion time has passed. Therefore
 * every resource has an existing container, and a container that is created again under the same
 * name is empty. Storage accounts and their shares are deleted at once. */
#ifndef SIM_CLOUD_RESOURCE_RESOURCE_H
#define SIM_CLOUD_RESOURCE_RESOURCE_H

#include "sim/base/status.h"
#include "sim/cloud/record/recorder.h"
#include "sim/cloud/resource/names.h"
#include "sim/cloud/resource/provisioning.h"

typedef struct Resources Resources;

/* The functions that are called when a container is deleted; filled in by the world. */
typedef struct {
    void *owner;
    /* The storage account is deleted: deletes its shares. */
    void (*account_deleted)(void *owner, const char *account);
} ResourceOwner;

/* Lives as long as `run`. */
Resources *resources_create(Arena *run, Engine *engine, TraceRecorder *recorder,
                            const Scenario *scenario, Names *names, ResourceOwner owner);

/* The public state of a container. */
typedef struct {
    CommandKind made_by;
    ResourcePath path;
    int64_t created_ns;
    ProvisioningState provisioning; /* succeeded; deleting, until all of its contents are gone;
                                       deleted */
    int64_t provisioning_since_ns;
} WorldResource;

/* Containers, deleted ones included, in the order of their creation. A container that was forgotten
 * has no path, and is deleted. */
uint32_t resource_count(const Resources *resources);
WorldResource resource_at(const Resources *resources, uint32_t index);
/* The row of the existing container with that path; ID_NONE: there is none. */
uint32_t resource_index(Resources *resources, CommandKind made_by, ResourcePath path);

/* --- Commands --- */

MUST_CHECK bool resource_create(Resources *resources, const Command *command, Status *status);
/* Checks that the container that `command` deletes exists and is not being deleted. `*scope` is
 * then the path of its contents. `made_by` is the kind of command that creates it. */
MUST_CHECK bool resource_can_delete(Resources *resources, const Command *command,
                                    CommandKind made_by, ResourcePath *scope, Status *status);
/* Begins to delete the container itself, and all containers in it. */
void resource_delete(Resources *resources, const Command *command, CommandKind made_by);
/* Event: the deletion time of a container has passed. It is deleted now if it is empty, otherwise
 * when it has become empty. */
void resource_due(Resources *resources, uint32_t resource);
/* Whether `path` is inside the container whose contents have the path `scope`. */
bool path_is_inside(ResourcePath path, ResourcePath scope);

/* --- Contents --- */

/* Checks that every container of the resource that `command` creates exists and is not being
 * deleted. */
MUST_CHECK bool container_check_open(Resources *resources, const Command *command, Status *status);
/* Adds a resource of that path to the count of its container, or removes it. `made_by` is the kind
 * of command that creates it. */
void container_gains(Resources *resources, CommandKind made_by, ResourcePath path);
void container_loses(Resources *resources, CommandKind made_by, ResourcePath path);
/* The same for many jobs in the container `index` (resource_index): `jobs` more or, if it is
 * negative, fewer. */
void container_counts_jobs(Resources *resources, uint32_t index, int64_t jobs);
/* Emits TRACE_RESOURCE_CREATED or TRACE_RESOURCE_DELETED, for example for "workspace w". */
void resource_emit(Resources *resources, TraceKind kind, const char *noun, const char *name);

/* Forgets a deleted container, to which no event belongs. */
void resource_forget(Resources *resources, uint32_t index);

/* Checks the invariants of all containers; returns the number of their contents that are not
 * containers. */
int64_t resources_check(const Resources *resources);
/* Checks that the container of a resource is not being deleted, unless the resource is too. Returns
 * 1 if a container counts the resource, else 0. */
int64_t container_check(const Resources *resources, ResourcePath path,
                        ProvisioningState provisioning);

#endif

/* Resource groups, workspaces, experiments and storage accounts: resources that contain others.
 *
 * Deleting one begins to delete everything in it. It is then being deleted itself, accepts nothing
 * new and keeps its name until the last resource in it is gone and the time has passed that its own
 * deletion takes. So no resource is ever without its container, and a container that is created
 * again under the same name begins empty. Storage accounts and their shares are gone at once. */
#ifndef SIM_CLOUD_RESOURCE_RESOURCE_H
#define SIM_CLOUD_RESOURCE_RESOURCE_H

#include "sim/base/status.h"
#include "sim/cloud/record/recorder.h"
#include "sim/cloud/resource/names.h"
#include "sim/cloud/resource/provisioning.h"

typedef struct Resources Resources;

/* The functions that a deleted container calls; filled in by the world. */
typedef struct {
    void *owner;
    /* The storage account is gone, and its shares with it. */
    void (*account_deleted)(void *owner, const char *account);
} ResourceOwner;

/* Lives as long as `run`. */
Resources *resources_create(Arena *run, Engine *engine, TraceRecorder *recorder,
                            const Scenario *scenario, Names *names, ResourceOwner owner);

/* A container, as others see it. */
typedef struct {
    CommandKind made_by;
    ResourcePath path;
    int64_t created_ns;
    ProvisioningState provisioning; /* succeeded; deleting, until all of its contents are gone;
                                       deleted */
    int64_t provisioning_since_ns;
} WorldResource;

/* All that there ever were, in the order of their creation. */
uint32_t resource_count(const Resources *resources);
WorldResource resource_at(const Resources *resources, uint32_t index);
/* The row of the existing container with that path; ID_NONE: there is none. */
uint32_t resource_index(Resources *resources, CommandKind made_by, ResourcePath path);

/* --- Commands --- */

MUST_CHECK bool resource_create(Resources *resources, const Command *command, Status *status);
/* Whether the container that `command` deletes exists and is not being deleted yet; `*scope` is
 * then the path of everything in it. `made_by` is the kind of command that creates it. */
MUST_CHECK bool resource_can_delete(Resources *resources, const Command *command,
                                    CommandKind made_by, ResourcePath *scope, Status *status);
/* Begins to delete the container itself, and all containers in it. */
void resource_delete(Resources *resources, const Command *command, CommandKind made_by);
/* The deletion of an empty container takes no longer; its contents may. */
void resource_due(Resources *resources, uint32_t resource);
/* Whether `path` is inside the container whose contents have the path `scope`. */
bool path_is_inside(ResourcePath path, ResourcePath scope);

/* --- Contents --- */

/* Whether every container that `command` creates a resource in exists and is not being deleted. */
MUST_CHECK bool container_check_open(Resources *resources, const Command *command, Status *status);
/* A resource of that path, created by a command of kind `made_by`, exists from now on, or is gone:
 * its container counts it. */
void container_gains(Resources *resources, CommandKind made_by, ResourcePath path);
void container_loses(Resources *resources, CommandKind made_by, ResourcePath path);
/* Emits TRACE_RESOURCE_CREATED or _DELETED for "workspace w", say. */
void resource_emit(Resources *resources, TraceKind kind, const char *noun, const char *name);

/* Checks the invariants of all containers; returns how many contents they have, without containers.
 */
int64_t resources_check(const Resources *resources);
/* Checks that the container of a resource of that path counts on being its container. Returns 1 if
 * the container counts the resource, else 0. */
int64_t container_check(const Resources *resources, ResourcePath path,
                        ProvisioningState provisioning);

#endif

/* NFS servers: virtual machines whose disks are mounted as a share.
 *
 * When deletion begins the share is gone: it can no longer be mounted, and clients that have
 * mounted it hang, as with any NFS server that does not answer. The machine is billed from the
 * request to the end of the deletion, or to its failure. Only file_server.c changes one. */
#ifndef SIM_CLOUD_STORAGE_FILE_SERVER_H
#define SIM_CLOUD_STORAGE_FILE_SERVER_H

#include "sim/cloud/storage/storage.h"
#include "sim/model/price.h"

typedef struct {
    ResourcePath path;
    const char *share_name;
    const VmSize *vm_size;
    ShareTier tier; /* of its share: limited by its disks and its network */
    uint64_t address;
    ProvisioningState provisioning;
    int64_t provisioning_since_ns;
    int64_t created_ns;
    int64_t recorded_ns; /* its creation was over, well or not; INT64_MAX before */
    int64_t gone_ns;     /* billing ends: deleted, or failed; INT64_MAX before */
    uint32_t generation; /* grows when the event under way becomes stale */
    ShareId share;       /* ID_NONE until it has succeeded */
} FileServer;

/* The name of the share that a file server is while it exists: "fileserver/GROUP/WORKSPACE/NAME",
 * without group or workspace "fileserver/NAME"; in `arena`. */
const char *file_server_share_name(Arena *arena, ResourcePath path);
/* Whether `share` is such a name. */
bool file_server_is_share(const char *share);

uint32_t file_server_count(const Storage *storage); /* deleted ones included */
const FileServer *file_server_at(const Storage *storage, uint32_t index);
/* Until it was given back, else as if it were given back now. */
Bill file_server_bill(const Storage *storage, const FileServer *server);

/* --- Commands --- */

MUST_CHECK bool file_server_create(Storage *storage, const Command *command, Status *status);
MUST_CHECK bool file_server_delete(Storage *storage, const Command *command, Status *status);
/* Begins to delete all file servers inside a container that is deleted. */
void file_servers_delete_inside(Storage *storage, ResourcePath scope);

/* --- Events --- */

/* The creation or the deletion is over. */
void file_server_event(Storage *storage, uint32_t file_server);
uint32_t file_server_generation(const Storage *storage, uint32_t file_server);

/* Bills the file servers that exist when a run ends. */
void file_servers_bill(Storage *storage);
/* Checks the invariants of all file servers; returns how many are counted by containers. */
int64_t file_servers_check(const Storage *storage);

#endif

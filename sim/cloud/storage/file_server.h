/* NFS servers: virtual machines whose disks are mounted as a share.
 *
 * When deletion begins, the share can no longer be mounted, and clients that have mounted it hang,
 * as with any NFS server that does not answer. The machine is billed from the request to the end of
 * the deletion, or to its failure. Only file_server.c changes a file server. */
#ifndef SIM_CLOUD_STORAGE_FILE_SERVER_H
#define SIM_CLOUD_STORAGE_FILE_SERVER_H

#include "sim/cloud/storage/storage.h"
#include "sim/model/price.h"

typedef struct {
    ResourcePath path;
    const char *share_name;
    const VmSize *vm_size;
    ShareTier tier; /* of its share, limited by the disks and the network of the machine */
    uint64_t address;
    ProvisioningState provisioning;
    int64_t provisioning_since_ns;
    int64_t created_ns;
    int64_t recorded_ns; /* the creation succeeded or failed; INT64_MAX before */
    int64_t gone_ns;     /* the end of billing: deleted or failed; INT64_MAX before */
    uint32_t generation; /* grows when the pending event becomes stale */
    ShareId share;       /* ID_NONE until it has succeeded */
} FileServer;

/* The name of a file server's share: "fileserver/GROUP/WORKSPACE/NAME", without group or workspace
 * "fileserver/NAME"; in `arena`. */
const char *file_server_share_name(Arena *arena, ResourcePath path);
/* Whether `share` is the name of a file server's share. */
bool file_server_is_share(const char *share);

uint32_t file_server_count(const Storage *storage); /* deleted ones included */
/* The index of the first file server from `index` on that is not forgotten; file_server_count:
 * there is none. */
uint32_t file_server_next(const Storage *storage, uint32_t index);
/* Forgets a deleted file server. */
void file_server_forget(Storage *storage, uint32_t index);
/* NULL: it is forgotten. */
const FileServer *file_server_at(const Storage *storage, uint32_t index);
/* The bill up to the deletion or failure, or up to now while the file server exists. */
Bill file_server_bill(const Storage *storage, const FileServer *server);

/* --- Commands --- */

MUST_CHECK bool file_server_create(Storage *storage, const Command *command, Status *status);
MUST_CHECK bool file_server_delete(Storage *storage, const Command *command, Status *status);
/* Begins to delete all file servers inside a container that is deleted. */
void file_servers_delete_inside(Storage *storage, ResourcePath scope);

/* --- Events --- */

/* Ends the creation or the deletion. */
void file_server_event(Storage *storage, uint32_t file_server);
uint32_t file_server_generation(const Storage *storage, uint32_t file_server);

/* At the end of a run: bills the file servers that exist. */
void file_servers_bill(Storage *storage);
/* Checks the invariants of all file servers; returns the number that containers count. */
int64_t file_servers_check(const Storage *storage);

#endif

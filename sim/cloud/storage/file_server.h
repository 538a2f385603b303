/* NFS servers: virtual machines whose disks are mounted as a share. Only file_server.c changes one.
 */
#ifndef SIM_CORE_FILE_SERVER_H
#define SIM_CORE_FILE_SERVER_H

#include "sim/cloud/cluster/cluster.h"

typedef struct {
    ResourcePath path;
    const char *share_name;
    const VmSize *vm_size;
    ShareTier tier; /* of its share: what both its disks and its network can do */
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

#endif

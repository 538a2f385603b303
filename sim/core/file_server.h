/* NFS servers: virtual machines whose disks are mounted as the share "fileserver/NAME". Only
 * file_server.c changes one. */
#ifndef SIM_CORE_FILE_SERVER_H
#define SIM_CORE_FILE_SERVER_H

#include "sim/core/cluster.h"

typedef struct {
    ResourcePath path;
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

#endif

/* File servers: NFS, each on its own virtual machine. */
#ifndef EMU_BATCHAI_FILE_SERVER_H
#define EMU_BATCHAI_FILE_SERVER_H

#include "emu/arm/resource.h"
#include "sim/scenario/format/batchai_types.h"

ArmHandler file_servers_list, file_servers_create, file_servers_get, file_servers_delete;
ArmShow file_server_show;

/* Whether every file server that `mounts` (may be NULL) of `body` names exists. False after
 * answering the error about the first that does not. */
bool batchai_has_file_servers(const ArmCall *call, const MountVolumesText *mounts,
                              const Json *body);
/* Returns {"id"} of the network of the first file server that `mounts` (may be NULL) names; NULL if
 * there is none. */
Json *batchai_mounted_subnet(const ArmCall *call, const Json *mounts);

#endif

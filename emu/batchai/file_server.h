/* File servers: NFS on a virtual machine of their own. */
#ifndef EMU_BATCHAI_FILE_SERVER_H
#define EMU_BATCHAI_FILE_SERVER_H

#include "emu/arm/resource.h"
#include "sim/scenario/format/batchai_types.h"

ArmHandler file_servers_list, file_servers_create, file_servers_get, file_servers_delete;
ArmShow file_server_show;

/* Whether every file server that `mounts` (NULL: none) of `body` names is there; false after
 * answering what is wrong with the first that is not. */
bool batchai_has_file_servers(const ArmCall *call, const MountVolumesText *mounts,
                              const Json *body);
/* {"id"} of the network of the first file server that `mounts` (NULL: none) names; NULL. */
Json *batchai_mounted_subnet(const ArmCall *call, const Json *mounts);

#endif

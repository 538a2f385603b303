/* Clusters. Bodies are checked by the tables of cluster.json. Answers combine the requested
 * properties with the present state of the world. */
#ifndef EMU_BATCHAI_CLUSTER_H
#define EMU_BATCHAI_CLUSTER_H

#include "emu/arm/resource.h"

ArmHandler clusters_list, clusters_create, clusters_get, clusters_update, clusters_delete;
ArmHandler clusters_list_logins;
ArmShow cluster_show;

#endif

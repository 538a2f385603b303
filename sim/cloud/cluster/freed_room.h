/* The nodes of a cluster that would take jobs if some of its jobs gave their nodes back: a question
 * about the cluster, which does not change. */
#ifndef SIM_CLOUD_CLUSTER_FREED_ROOM_H
#define SIM_CLOUD_CLUSTER_FREED_ROOM_H

#include "sim/cloud/cluster/cluster.h"

/* Copies of the rooms of a cluster. All zero: none yet; its memory is used again for the same
 * cluster. */
typedef struct {
    Room rooms[NODE_KINDS_MAX];
    PlaceSet *places[NODE_KINDS_MAX]; /* [kind][free GPUs] */
    NodeShare *free;                  /* [place] */
    int32_t *jobs;                    /* [place] on the node there */
    uint32_t free_capacity, job_capacity;
    ClusterId cluster;
} FreedRoom;

/* The nodes that take jobs now. The cluster must not change while the room is in use. */
void freed_room_begin(Arena *arena, const Clusters *clusters, const Cluster *cluster,
                      FreedRoom *room);
/* The room of the first kind of nodes. */
const Room *freed_room(const FreedRoom *room);
/* A job of the cluster gives back the nodes that it has (`nodes`, as cluster_take lists them); or
 * takes them again. */
void freed_room_give(const Clusters *clusters, FreedRoom *room, JobRequest request,
                     const NodeId *nodes);
void freed_room_take(const Clusters *clusters, FreedRoom *room, JobRequest request,
                     const NodeId *nodes);

#endif

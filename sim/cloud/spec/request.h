/* The nodes and GPUs that a job asks for.
 *
 * A job asks for whole nodes, which it shares with no other job (as in the service); for GPUs in
 * total; or for GPUs on each of several nodes. Jobs that ask for GPUs share nodes. A job of at most
 * as many GPUs as a node has runs on one node. A larger one takes whole free nodes, and the
 * remainder of its GPUs from one further node. No other job is split, unless its shape says so.
 * A job that shares nodes may ask for cores and main memory too, in total; each of its nodes gives
 * them in proportion to the GPUs that it gives, rounded up, or in equal parts to a job without
 * GPUs.
 *
 * A cluster may have nodes of several kinds. A job runs on nodes of one kind, any of those that it
 * allows, so its GPUs are divided again for each kind.
 *
 * A slot is one GPU of a node; a node without GPUs is one slot. */
#ifndef SIM_CLOUD_SPEC_REQUEST_H
#define SIM_CLOUD_SPEC_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cloud/record/trace_record.h"
#include "sim/engine/place_set.h"

typedef enum { REQUEST_NODES, REQUEST_GPUS, REQUEST_GPUS_PER_NODE } RequestKind;

/* Kinds of nodes of a cluster: bit k is its kind k. */
typedef uint32_t KindSet;
enum { NODE_KINDS_MAX = 24 };
#define KIND_SET_ALL (((KindSet)1 << NODE_KINDS_MAX) - 1)

static inline KindSet kind_set_of(int32_t kind)
{
    return (KindSet)1 << kind;
}

/* How fast a job runs a stated time on each kind of nodes, instead of the kind's own speed; 0: as
 * the kind says. */
typedef struct {
    int32_t ppm[NODE_KINDS_MAX]; /* 1,000,000: as stated */
} KindSpeeds;

/* How GPUs in total are divided; a member of 0 states nothing. */
typedef struct {
    int32_t gpus_per_node_max; /* the job takes no more on a node */
    int32_t nodes; /* over which its GPUs are divided as evenly as whole GPUs allow; more nodes if
                      so many have not enough GPUs */
} RequestShape;

typedef struct {
    RequestKind kind : 8;
    /* On a cluster of several kinds: those that the job allows; the only one once it runs. 0: the
     * cluster has one kind. */
    KindSet kinds : NODE_KINDS_MAX;
    int32_t nodes; /* on which the job runs; REQUEST_GPUS: as request_of_gpus counts them */
    int32_t gpus;  /* GPUS: in total; GPUS_PER_NODE: on each node; NODES: 0. From 0: a job without
                      GPUs runs on a node that others may have filled */
    /* GPUS: the first `large_nodes` nodes give `large_gpus` each, the others equal parts of the
     * rest, which are not larger. */
    int32_t large_nodes, large_gpus;
    int32_t cpus, memory_mib; /* in total; 0: it asks for none. Not for whole nodes, which it has */
    RequestShape shape;       /* GPUS */
} JobRequest;

/* A part of a node. */
typedef struct {
    int32_t gpus, cpus, memory_mib;
} NodeShare;

enum { MEMORY_NEVER_BINDS = INT32_MAX }; /* memory_mib of a node whose memory is not known */

/* A request for `gpus` in total on nodes of `gpus_per_node` GPUs. */
JobRequest request_of_gpus(int32_t gpus, int32_t gpus_per_node);
JobRequest request_of_shape(int32_t gpus, RequestShape shape, int32_t gpus_per_node);
/* The request on nodes of another kind, with `gpus_per_node`. */
JobRequest request_on(JobRequest request, int32_t gpus_per_node);
/* Whether the job may run on nodes of the kind. */
static inline bool request_allows(JobRequest request, int32_t kind)
{
    return request.kinds == 0 || (request.kinds >> kind & 1) != 0;
}
/* The first kind that the job allows; of a running job, its kind. */
int32_t request_kind(JobRequest request);
/* The GPUs of the job on its `index`-th node: large parts first. */
int32_t request_part(JobRequest request, int32_t index, int32_t gpus_per_node);
/* The GPUs of all nodes together; of whole nodes all of them. */
int64_t request_gpus(JobRequest request, int32_t gpus_per_node);
int64_t request_slots(JobRequest request, int32_t gpus_per_node);
/* All that the job takes of its `index`-th node, if it does not ask for whole nodes. */
NodeShare request_share(JobRequest request, int32_t index, int32_t gpus_per_node);
/* Whether the job could run on `nodes` nodes that have `whole` and run nothing else. */
bool request_is_possible(JobRequest request, int32_t nodes, NodeShare whole);

/* Whether a node with `free` can give `need`. */
static inline bool share_fits(NodeShare need, NodeShare free)
{
    return need.gpus <= free.gpus && need.cpus <= free.cpus && need.memory_mib <= free.memory_mib;
}

/* The slots of a queue. */
typedef struct {
    bool is_set;        /* false: there is no limit */
    int64_t most, left; /* that its jobs may have, and that they do not have yet */
} SlotLimit;

/* The nodes of a cluster that take jobs now. Members are about the nodes of one kind. */
typedef struct Room {
    int32_t kind;       /* its index in the cluster */
    int32_t most_nodes; /* the most that the cluster may have now: the target, or the maximum of
                           automatic scaling */
    int32_t gpus_per_node;
    int32_t idle_nodes;     /* that run no job */
    int32_t unusable_nodes; /* that failed or are drained, until they are repaired or replaced */
    const PlaceSet *places; /* [free GPUs, 0 to gpus_per_node]: the places of the nodes that have so
                               many, idle ones included */
    const NodeShare *free;  /* [place] of those nodes; NULL: cores and memory are not known */
    int32_t cpus_per_node, memory_mib_per_node;
    int64_t speed_ppm;       /* of programs that take a stated time; 0 or 1,000,000: as stated */
    bool closes;             /* maintenance of these nodes is planned or under way ... */
    int64_t closes_ns;       /* ... and begins, or has begun, at this time */
    const struct Room *next; /* the nodes of the next kind; NULL for the last kind */
} Room;

/* A whole node. */
static inline NodeShare room_whole(const Room *kind)
{
    return (NodeShare){kind->gpus_per_node, kind->cpus_per_node, kind->memory_mib_per_node};
}

/* The speed at which a job (`own` NULL: its speeds are those of the kinds) runs a stated time on
 * nodes of a kind whose own speed is `kind_ppm`. */
static inline int64_t kind_speed_ppm(const KindSpeeds *own, int32_t kind, int64_t kind_ppm)
{
    return own != NULL && own->ppm[kind] > 0 ? own->ppm[kind] : kind_ppm;
}

/* Whether maintenance of any kind of nodes is planned or under way. */
static inline bool room_closes(const Room *room)
{
    bool closes = false;
    for (const Room *kind = room; kind != NULL && !closes; kind = kind->next)
        closes = kind->closes;
    return closes;
}

/* The lowest place from `from` on among the nodes with `free` free GPUs that can give `need`; -1:
 * there is none. */
int32_t room_place(const Room *kind, int32_t free, NodeShare need, int32_t from);

/* The free slots of nodes of one kind, regardless of a limit. */
int64_t room_slots_of_kind(const Room *kind);
/* The slots of so many whole nodes of one kind. */
int64_t room_slots_of_nodes(const Room *kind, int32_t nodes);
/* The slots of the job on nodes of one kind. */
static inline int64_t request_slots_on(JobRequest request, const Room *kind)
{
    return request_slots(request, kind->gpus_per_node);
}
/* The slots of the job on the kind that it allows on which it has fewest. */
int64_t request_least_slots(JobRequest request, const Room *room);

/* The following functions are asked for each start, so they take pointers. `limit` is that of the
 * job's queue, for all kinds of nodes together; `room` is that of the first kind. */

/* Whether the job could start now. This does not depend on the placement policy. */
bool request_fits(const JobRequest *request, const SlotLimit *limit, const Room *room);
/* Whether it could start now on nodes of one kind. */
bool request_fits_on(const JobRequest *request, const SlotLimit *limit, const Room *kind);
/* Whether the job could ever start: on an empty cluster that has all nodes, within the limit. */
bool request_may_start(const JobRequest *request, const SlotLimit *limit, const Room *room);
bool request_may_start_on(const JobRequest *request, const SlotLimit *limit, const Room *kind);
/* The shortage of a job that does not fit. */
Shortage request_shortage(const JobRequest *request, const SlotLimit *limit, const Room *room);

#endif

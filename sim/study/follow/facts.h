/* DIR/follow.json: facts about what follows a plan that are not in its studies, because they come
 * from the scenario. With them everything about a plan can be read from its folder alone. */
#ifndef SIM_STUDY_FOLLOW_FACTS_H
#define SIM_STUDY_FOLLOW_FACTS_H

#include "sim/study/follow/assumption.h"
#include "sim/study/follow/closed_form.h"

/* A cluster of a point, or its nodes of one kind. */
typedef struct {
    const char *name;                        /* as metrics have it: "lab", or "lab.kinds.v100" */
    const char *vm_size, *family, *priority; /* "dedicated" or "lowpriority" */
    /* The path in the catalogue of its price an hour; "lab.kinds.v100/price_per_hour" if the kind
     * has its own. */
    const char *price;
    int64_t micro_usd_per_hour; /* that price; 0: unknown */
    int64_t vcpus;              /* of a node */
    int64_t quota_vcpus;        /* of the family; PLAIN_UNKNOWN: no limit */
    int64_t total_vcpus;        /* of all families; PLAIN_UNKNOWN: no limit */
} FollowCluster;

/* The name of the nodes of a kind of a cluster; that of the cluster if it has one kind. In `arena`.
 */
const char *follow_kind_name(Arena *arena, const char *cluster, const ClusterSpec *spec,
                             int32_t kind);

/* A point of DIR/why: a level of its factor "candidate". */
typedef struct {
    int32_t point; /* of the plan */
    FollowCluster *clusters;
    uint32_t cluster_count;
} FollowPoint;

typedef struct {
    const char *region;
    FollowPoint *points; /* the winner first, then the next best */
    uint32_t point_count;
    bool has_next_best;
    Assumption *assumptions; /* in the order of the levels of DIR/assumptions */
    uint32_t assumption_count;
    const char *no_headroom; /* why there is no DIR/headroom; NULL */
    const char **left_out;   /* [left_out_count] studies that could not be made, and why */
    uint32_t left_out_count;
    ClosedForm closed_form; /* of the winner */
    int64_t growth_ppm;     /* of the load in a month; 0: not asked for */
} FollowFacts;

extern const ObjectType follow_facts_type;

/* The clusters that the scenario creates. In `arena`. */
FollowPoint follow_point_of(Arena *arena, const Scenario *scenario, int32_t point);

#endif

/* The world as JSON, for the dashboard. Times are seconds since the start, null for what has not
 * happened; ids are those of the world and never change.
 *
 *     {"event": 812, "files_only": false, "scenario": {"name", "seed", "region", "start"},
 *      "clock": as GET /trainyard/clock,
 *      "totals": {"clusters": 1, "shares": 2, "nodes": {"preparing": 0, "idle": 4, ...},
 *                 "jobs": {"queued": 0, "running": 1, ...}},
 *      "cost": {"total_usd": 3.54, "clusters_usd": 3.5, "file_servers_usd": 0.04,
 *               "usd_per_hour": 0.9},
 *      "clusters": [...], "jobs": [...], "shares": [...],
 *      "next": {"clusters": null, "jobs": 17, "shares": null}}
 *
 * Clusters and shares are in the order of their creation, jobs have the newest first. "next" is the
 * id after which the next page begins. Deleted resources are left out, but not their cost: the bill
 * of nodes and file servers if they were released now. Storage is billed by the month and is not in
 * it. "event" is the last event of /trainyard/events that this state includes.
 *
 * "places" of a cluster has a letter for each place of a node, up to STATE_PLACES: p i r l u for
 * its state, '.' for an empty place. A capital marks a node that is silent, slow, or about to be
 * preempted. */
#ifndef EMU_STATE_JSON_H
#define EMU_STATE_JSON_H

#include "emu/control/control.h"

enum {
    STATE_PLACES = 1000,    /* of each cluster in the overview */
    STATE_PAGE_NODES = 500, /* in the state of one cluster */
    STATE_EPOCHS = 500,     /* in the state of one job */
};

typedef struct {
    int32_t limit;           /* of each list */
    ClusterId after_cluster; /* {ID_NONE}: from the first on; `after_share` likewise */
    ShareId after_share;
    JobId before_job; /* {ID_NONE}: from the newest on */
    JobState jobs;    /* only those; JOB_STATE_COUNT: all */
} StatePage;

typedef struct {
    int64_t micro_usd;          /* so far */
    int64_t micro_usd_per_hour; /* from now on */
} StateCost;

/* Returns the cost of all clusters and file servers that ever existed. */
StateCost state_cost(const Control *control);

Json *state_overview(const Control *control, Arena *arena, const StatePage *page);
/* {"cluster": {...}, "nodes": [...], "next": null}: nodes from `place` (0 is the first) on; "next"
 * is the `place` of the next page. The nodes' own places are numbered from 1, as in faults. */
Json *state_cluster(const Control *control, Arena *arena, const Cluster *cluster, int32_t place);
/* {"job": {...}, "command", "node_names": [...], "outputs": [{"id", "share", "path"}, ...],
 * "epochs": [[1, 0.41, 0.38, 1.61], ...]}: number, validation and training accuracy, validation
 * loss; of more than STATE_EPOCHS every second, third, ... and the last. */
Json *state_job(const Control *control, Arena *arena, const Job *job);

#endif

/* Points whose answer is known before they are simulated: the scenario is not valid there, or more
 * work arrives than the nodes can do.
 *
 * Work that arrives is the sum over workloads of rate, nodes and mean time of a job. Nodes can do
 * less than their number when jobs need several at once and no job overtakes: the first one in the
 * queue waits for its nodes while others idle. Their capacity is the throughput of a queue that
 * never empties, found by a recursion over many jobs (saturated_queue).
 *
 * A point of a steady study is hopeless when at least 2 % more jobs arrive than that. In a study of
 * something that ends such a queue may not have grown long yet: there, and only under the service's
 * policy, the growth less four standard deviations bounds the share of jobs that can wait at most a
 * time. Scenarios whose work is not known (trainings, lists of jobs, failures, several clusters)
 * are never hopeless, nor are queues with a limit, which cannot grow, nor are points where
 * constraints hold on average over the weathers. */
#ifndef SIM_STUDY_PLAN_HOPELESS_H
#define SIM_STUDY_PLAN_HOPELESS_H

#include "sim/study/plan/plan.h"

/* Jobs that arrive at random, each with nodes and a time. */
typedef struct {
    int32_t kind_count;
    const double *chances;        /* [kind_count], sum 1 */
    const int32_t *nodes;         /* [kind_count] */
    const Distribution *times_ns; /* [kind_count] */
} JobMix;

/* How fast a queue moves that is never empty. */
typedef struct {
    double gap_ns;       /* mean time from the start of one job to the start of the next */
    double deviation_ns; /* of one gap, as far as many of them together show */
} SaturatedQueue;

/* The gaps of jobs of `mix` on `node_count` nodes, first come, first served; an estimate from many
 * jobs with fixed random numbers. gap_ns is INFINITY if a job does not fit. */
SaturatedQueue saturated_queue(const JobMix *mix, int32_t node_count);

/* The hopeless points of a study with a goal, by point. In `arena`; returns their number. */
int32_t hopeless_points_find(Arena *arena, const Study *study, FileSource files,
                             const HopelessPoint **out);

#endif

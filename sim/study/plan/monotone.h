/* Candidates that differ in a number of nodes alone, where a theorem orders them: with more nodes
 * no job waits longer. A plan bisects over such candidates (selection.h) and checks both
 * neighbours.
 *
 * The theorem. First come, first served, jobs of one node each, times that belong to the jobs: the
 * vector of the times at which the nodes become free, in rising order, is the workload vector of
 * J. Kiefer, J. Wolfowitz, "On the theory of queues with many servers", Transactions of the
 * American Mathematical Society 78, 1955. Its recursion is monotone in each component, and a
 * further node adds one, so each job starts no later, for the same arrivals and times (G/G/c, run
 * by run: common random numbers). Shares of jobs that wait at most a time do not fall, and means
 * and quantiles of waits do not rise. A run ends no later, so no node is held longer: its costs
 * divided by the number of nodes do not rise.
 *
 * It is granted when, in every weather,
 *   - one cluster is created, with a fixed number of dedicated nodes, no queues and no planned
 *     maintenance; no command changes it or creates jobs;
 *   - jobs come from workloads, not from lists, ask for one node each, have equal priorities, and
 *     run a program of a random time on the host, without preparation;
 *   - the policy is the service's, the queue has no limit, and no node fails;
 *   - the candidates' scenarios are equal but for the number of nodes;
 *   - every constraint is a share of jobs that wait at most a time, or a wait that shall be at most
 *     a time;
 *   - the objective, minimised, is a cost, or the most nodes; the price of a kWh does not change
 *     with the hour, because jobs that start earlier may then cost more;
 *   - the horizon has a stated length, if it is steady.
 * Several nodes a job, backfill, shortest jobs first, priorities, failures and automatic scaling
 * break it: R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on Applied
 * Mathematics 17, 1969. The seconds in which a node starts a job are drawn for the node, so runs
 * may differ from the theorem by as much. */
#ifndef SIM_STUDY_PLAN_MONOTONE_H
#define SIM_STUDY_PLAN_MONOTONE_H

#include "sim/study/plan/plan.h"

enum { LADDER_LEAST = 6 }; /* with fewer rungs a bisection saves nothing */

/* Sets `*ladder` [point_count], numbered from 0 by first points, or -1 for points that no theorem
 * orders, and `*nodes` [point_count]. In `arena`. Returns the number of ladders, each with at least
 * LADDER_LEAST rungs. */
int32_t monotone_ladders_find(Arena *arena, const PlanGrid *grid, FileSource files,
                              const int32_t **ladder, const int32_t **nodes);

#endif

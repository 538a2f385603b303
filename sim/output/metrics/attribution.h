/* Where node time and money went. Each ns of a node from allocation to release belongs to one use,
 * and a cluster's bill is divided among the uses so that the parts add up to it exactly.
 *
 * Preparing, leaving and unusable nodes are separate uses; so are nodes that are unusable because
 * they are drained (TRACE_NODE_DRAINED), not because they failed. Until its jobs have ended a
 * drained node counts as any other; its free GPUs are idle, or stranded while a job waits. An idle
 * node is unused (GANG) while a job waits in its cluster's queue (the job needs more nodes, or
 * other jobs are ahead of it); otherwise it has nothing to do. On a cluster whose jobs ask for GPUs
 * (TRACE_JOB_PLACED) each GPU is counted like a node: while a job waits the free GPUs of idle and
 * of shared nodes are stranded, otherwise they are idle. If the first jobs of all queues wait only
 * because of limits and guarantees of queues (TRACE_JOB_WAITS), the free GPUs or nodes are limited;
 * if they lack only cores or memory, the GPUs are short of these; if planned maintenance defers all
 * waiting jobs (TRACE_JOB_DEFERRED), free GPUs or nodes belong to the maintenance. A GPU's time is
 * its part of the node's. The time of nodes that run a job is divided by the values of the job's
 * attempts (TRACE_JOB_ATTEMPT). Time that no attempt accounts for is `unattributed`, which is 0 in
 * every simulated run that reached its end.
 */
#ifndef SIM_OUTPUT_ATTRIBUTION_H
#define SIM_OUTPUT_ATTRIBUTION_H

#include <stdbool.h>

#include "sim/base/wide.h"

/* X(ENUM, name, for people). The first ones are values of TRACE_JOB_ATTEMPT. */
#define NODE_USES(X)                                                                               \
    X(USEFUL, "useful", "computation that was kept")                                               \
    X(EXCHANGE, "exchange", "exchange of gradients")                                               \
    X(INPUT, "input", "waiting for input")                                                         \
    X(GANG, "gang", "unused while jobs waited")                                                    \
    X(STARTUP, "startup", "starting jobs")                                                         \
    X(CHECKPOINT, "checkpoint", "checkpoints")                                                     \
    X(LOST, "lost", "work that was lost")                                                          \
    X(PROVISIONING, "provisioning", "preparing nodes")                                             \
    X(IDLE, "idle", "idle nodes")                                                                  \
    X(STRANDED, "stranded", "free GPUs while jobs waited")                                         \
    X(SHORT_CORES, "short_cores", "free GPUs of nodes without enough free cores")                  \
    X(SHORT_MEMORY, "short_memory", "free GPUs of nodes without enough free memory")               \
    X(LIMITED, "limited", "free GPUs that limits and guarantees of queues kept free")              \
    X(MAINTENANCE, "maintenance", "nodes that maintenance kept free while jobs waited")            \
    X(LEAVING, "leaving", "leaving nodes")                                                         \
    X(DRAINED, "drained", "drained nodes, once their jobs had ended")                              \
    X(UNUSABLE, "unusable", "unusable nodes")                                                      \
    X(UNATTRIBUTED, "unattributed", "unattributed")

typedef enum {
#define X(name, text, words) USE_##name,
    NODE_USES(X)
#undef X
        USE_COUNT,
    USE_OF_ATTEMPTS = USE_LOST + 1 /* the number of uses that attempts report */
} NodeUse;

const char *node_use_name(NodeUse use);  /* "useful" */
const char *node_use_words(NodeUse use); /* "computation that was kept" */
/* Whether the nodes, or the free GPUs of nodes, run no job. */
bool node_use_is_without_job(NodeUse use);

/* Divides `amount` >= 0 in proportion to weight[0 .. USE_COUNT), where a negative weight counts
 * as 0. Parts are rounded down, and the remaining units go to the largest remainders (the first
 * among equals), so that the parts add up to `amount`. If all weights are 0, the whole amount is
 * unattributed. */
void attribution_divide(int64_t amount, const Wide *weight, int64_t *part);

/* The share of attempts' node time (USE_OF_ATTEMPTS parts) that advanced the job: computation that
 * was kept, exchange, input and checkpoints. INT64_MAX when there was no node time. */
int64_t uses_goodput_ppm(const Wide *use_ns);

#endif

/* Where node time and money went: each ns of a node, from its allocation to its release, belongs to
 * one use, and a cluster's bill is divided among them so that the parts add up to it exactly.
 *
 * A node that prepares itself, leaves or is unusable says so by its state. An idle node waits for
 * its gang while a job waits in its cluster's queue (the job needs more nodes, or other jobs stand
 * before it), and has nothing to do otherwise. The time of nodes that run a job is what the job's
 * attempts say of it (TRACE_JOB_ATTEMPT); what no attempt speaks for is `unattributed`, which is 0
 * in every run of the world that went to its end. */
#ifndef SIM_OUTPUT_ATTRIBUTION_H
#define SIM_OUTPUT_ATTRIBUTION_H

#include "sim/output/summary/wide.h"

/* X(ENUM, name, for people). The first ones are values of TRACE_JOB_ATTEMPT. */
#define NODE_USES(X)                                                                               \
    X(USEFUL, "useful", "work that was kept")                                                      \
    X(EXCHANGE, "exchange", "exchange of gradients")                                               \
    X(INPUT, "input", "waiting for input")                                                         \
    X(GANG, "gang", "waiting for other nodes")                                                     \
    X(STARTUP, "startup", "starting jobs")                                                         \
    X(CHECKPOINT, "checkpoint", "checkpoints")                                                     \
    X(LOST, "lost", "work that was lost")                                                          \
    X(PROVISIONING, "provisioning", "preparing nodes")                                             \
    X(IDLE, "idle", "idle nodes")                                                                  \
    X(LEAVING, "leaving", "leaving nodes")                                                         \
    X(UNUSABLE, "unusable", "unusable nodes")                                                      \
    X(UNATTRIBUTED, "unattributed", "unattributed")

typedef enum {
#define X(name, text, words) USE_##name,
    NODE_USES(X)
#undef X
        USE_COUNT,
    USE_OF_ATTEMPTS = USE_LOST + 1 /* so many are told by attempts */
} NodeUse;

const char *node_use_name(NodeUse use);  /* "useful" */
const char *node_use_words(NodeUse use); /* "work that was kept" */

/* Divides `amount` >= 0 in proportion to weight[0 .. USE_COUNT), of which what is
 * below 0 counts as 0, rounded down, and what is
 * left one by one to the largest remainders, of equal ones to the first: the parts add up to
 * `amount`. Without any weight all of it is unattributed. */
void attribution_divide(int64_t amount, const Wide *weight, int64_t *part);

/* The share of an attempt's node time (USE_OF_ATTEMPTS parts) that brought the job on: useful work,
 * exchange, input and checkpoints. INT64_MAX when there was no node time. */
int64_t uses_goodput_ppm(const Wide *use_ns);

#endif

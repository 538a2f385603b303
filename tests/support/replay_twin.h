/* A second, plain replay of a job list, which shares no code with the world: first come, first
 * served, with GPUs of nodes placed by the rules of "consolidate".
 *
 * At each instant: completions, then arrivals, then the queue in the order of the list until the
 * first job that does not fit. A job of at most G GPUs goes to the fullest node on which it fits,
 * the lowest index among equals. A larger one takes whole free nodes, lowest index first, and its
 * remainder goes to the next node by descending free GPUs. Every queue has a separate cluster. */
#ifndef TESTS_SUPPORT_REPLAY_TWIN_H
#define TESTS_SUPPORT_REPLAY_TWIN_H

#include "sim/base/arena.h"
#include "sim/cloud/spec/job_list.h"

typedef struct {
    int32_t nodes, gpus_per_node;
} TwinCluster;

#define TWIN_NEVER INT64_MAX

/* Fills in the start of each row; TWIN_NEVER: it never starts. `clusters` [list->queues.count]; one
 * cluster if the list has no queues. */
void replay_twin(Arena *arena, const JobList *list, const TwinCluster *clusters, int64_t *start_ns);

#endif

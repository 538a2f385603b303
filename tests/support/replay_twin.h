/* A second, plain replay of a job list, which shares no code with the world, with GPUs of nodes
 * placed by the rules of "consolidate".
 *
 * At each instant: completions, then arrivals, then the queue by one of the rules of TwinOrder. A
 * job of at most G GPUs goes to the fullest node on which it fits, the lowest index among equals. A
 * larger one takes whole free nodes, lowest index first, and its remainder goes to the next node by
 * descending free GPUs. Every queue has a separate cluster. */
#ifndef TESTS_SUPPORT_REPLAY_TWIN_H
#define TESTS_SUPPORT_REPLAY_TWIN_H

#include "sim/base/arena.h"
#include "sim/cloud/spec/job_list.h"

typedef struct {
    int32_t nodes, gpus_per_node;
} TwinCluster;

typedef enum {
    TWIN_FIFO, /* in the order of the list, until the first job that does not fit */
    TWIN_SJF,  /* by true duration, until the first job that does not fit */
    TWIN_SRTF, /* jobs by remaining time get GPUs, counted, while they last; those that do not fit
                  are skipped. Running jobs without GPUs are stopped, waiting ones with GPUs start
                  if nodes have room. Among equals running jobs come first, then the list's order */
} TwinOrder;

typedef struct {
    TwinOrder order;
    int64_t cost_ns[3]; /* SRTF: added to the remaining time of a stopped job of at most 1, at most
                           8, and more GPUs */
} TwinRules;

/* The start and end of a row. */
typedef struct {
    int64_t start_ns; /* the first; TWIN_NEVER: it never started */
    int64_t end_ns;   /* TWIN_NEVER: it never ended */
    int32_t starts;
} TwinRun;

#define TWIN_NEVER INT64_MAX

/* Fills in `runs` [list->count]. `clusters` [list->queues.count]; one cluster if the list has no
 * queues. */
void replay_twin(Arena *arena, const JobList *list, const TwinCluster *clusters, TwinRules rules,
                 TwinRun *runs);

#endif

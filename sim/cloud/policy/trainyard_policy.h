/* A scheduling policy from outside: a shared object with one pure function, for
 * `trainyard run SCENARIO --policy ./mine.so`, `sweep` and `plan`, or a function given to
 * libtrainyard (trainyard_request.policy). This header needs nothing else of trainyard.
 *
 *     #include <trainyard_policy.h>
 *
 *     // The first job that fits.
 *     TRAINYARD_POLICY(view)
 *     {
 *         for (int32_t i = 0; i < view->waiting_count; i++)
 *             if (view->waiting[i].fits)
 *                 return i;
 *         return TRAINYARD_POLICY_NONE;
 *     }
 *
 *     cc -std=c11 -O2 -shared -fPIC -o mine.so mine.c
 *
 * The function chooses one of the waiting jobs of a cluster's queue, or none. It is called when
 * jobs are submitted or nodes become free; the chosen job starts, and the function is called again
 * until it chooses none. A job takes all that it asks for at one instant, so only a job with
 * `fits` may be chosen; any other answer ends the run with an error.
 *
 * Instead it may stop a running job, TRAINYARD_POLICY_STOP(i) for `running[i]`, and is called
 * again. The job returns to its place in the queue; the scenario says what the work so far is
 * worth, and what it costs to continue. A job cannot be stopped at the instant of its start. While
 * a job takes time to stop, the same answer is fine.
 *
 * In a cluster whose queues take their guarantees back it is also asked what it would start if some
 * more GPUs were free. The answer depends on the view alone: no clock, no random numbers, no
 * variable that outlives a call. Otherwise the same scenario and seed would have two results; `run
 * --check-determinism` runs twice and names the first record that differs. A study calls it on
 * several threads at once. Only + - * / on integers, and comparisons that end in the index, give
 * the same answer on every machine.
 *
 * The function runs inside the program that calls it, with its memory, and nothing limits its time.
 * It returns: it does not end the process or the thread, and no exception or longjmp leaves it. If
 * it crashes or calls exit(), `trainyard` names it, and ends with the signal, or with exit code 2.
 * What it prints appears on the standard error of `trainyard`, also what it prints on its standard
 * output, so that `--json` prints JSON alone; libtrainyard leaves the streams of its program alone.
 *
 * A slot is one GPU of a node; a node without GPUs is one slot. In a cluster of several kinds of
 * nodes a job's slots are those on the first kind that it may run on, free slots are those of all
 * kinds, and the expected time is that on the kind on which it runs fastest. Times are nanoseconds
 * of simulated time. */
#ifndef TRAINYARD_POLICY_H
#define TRAINYARD_POLICY_H

#include <stdint.h>

/* The version of this header's structs. */
#define TRAINYARD_POLICY_ABI 1

#define TRAINYARD_POLICY_NONE (-1)          /* no job starts now */
#define TRAINYARD_POLICY_STOP(i) (-2 - (i)) /* running[i] stops */

typedef struct {
    int64_t number;      /* differs for each job of a run */
    int64_t expected_ns; /* the run time that its owner states, which may be wrong */
    int64_t slots;       /* that it asks for */
    int32_t nodes;       /* on which it would run */
    int32_t priority;    /* the larger is more urgent */
    uint32_t owner;      /* index in trainyard_policy_view.used_node_us */
    int32_t fits;        /* 1: it could start now; 0: not */
} trainyard_waiting_job;

typedef struct {
    int64_t number;
    int64_t started_ns;      /* its present attempt */
    int64_t expected_end_ns; /* if it is in the past, the job can end at any time */
    int64_t slots;           /* that it has */
    int32_t nodes;
    int32_t priority;
} trainyard_running_job;

/* All memory belongs to trainyard and is valid during the call. */
typedef struct trainyard_policy_view {
    int64_t now_ns;
    int64_t free_slots;                   /* that the queue's jobs may take now */
    int64_t most_slots;                   /* that they may have at once */
    const trainyard_waiting_job *waiting; /* by priority, then in the order of submission; without
                                             those that would run into planned maintenance */
    const trainyard_running_job *running; /* of this queue, by expected end */
    const int64_t *used_node_us;          /* [owner] node time used so far, microseconds */
    int32_t waiting_count, running_count;
} trainyard_policy_view;

/* Returns an index in `view->waiting`, TRAINYARD_POLICY_NONE or TRAINYARD_POLICY_STOP. */
typedef int32_t trainyard_policy_function(const trainyard_policy_view *view);

#ifdef __cplusplus
#define TRAINYARD_POLICY_C extern "C"
#else
#define TRAINYARD_POLICY_C extern
#endif

/* Defines both names that trainyard looks for: the version, and the head of the function. */
#define TRAINYARD_POLICY(view)                                                                     \
    TRAINYARD_POLICY_C const uint32_t trainyard_policy_abi;                                        \
    TRAINYARD_POLICY_C trainyard_policy_function trainyard_policy_choose;                          \
    const uint32_t trainyard_policy_abi = TRAINYARD_POLICY_ABI;                                    \
    int32_t trainyard_policy_choose(const trainyard_policy_view *view)

#endif

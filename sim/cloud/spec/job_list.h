/* The jobs of a workload file, in columns: what the log of a real cluster states about each job.
 *
 * Rows are in the order of submission; rows of equal time are in the order of the file. A column
 * that the file does not have is NULL. Borrowed by the scenario and unchanged while it lives. */
#ifndef SIM_CLOUD_SPEC_JOB_LIST_H
#define SIM_CLOUD_SPEC_JOB_LIST_H

#include <stdint.h>

#include "sim/cloud/spec/request.h"

/* Unknown values of columns that the file has. */
#define JOB_LIST_UNKNOWN (-1)

typedef struct {
    int32_t count; /* texts */
    const char *const *texts;
} JobListWords;

typedef struct {
    int64_t count;            /* rows */
    const char *const *names; /* [row] as the log calls the job; NULL: its number from 1 */
    const int64_t *submit_ns; /* since the begin of the workload, ascending, from 0 */
    const int64_t *run_ns;    /* how long its program runs, from 0 */
    const int32_t *gpus;      /* in total, over all of its nodes; from 0 */
    const int32_t *gpus_per_node_max;
    const int32_t *nodes;
    const int32_t *cpus;
    const int64_t *memory_bytes;
    const int32_t *priority;         /* larger is more urgent */
    const int64_t *requested_ns;     /* the run time that its owner asked for */
    const int64_t *recorded_wait_ns; /* in the real cluster, for comparison only */
    const int64_t *after_job;        /* row of the job that must end first ... */
    const int64_t *think_ns;         /* ... and the time from its end to this submission */
    const int32_t *queue, *user, *gpu_type, *speeds, *state; /* indices in the words below */
    JobListWords queues, users, gpu_types, speed_words, states;
} JobList;

/* A number of a column; 0 if it is not known. */
static inline int64_t job_list_known(int64_t number)
{
    return number != JOB_LIST_UNKNOWN ? number : 0;
}

/* Sets the cores and the memory that a row asks for. */
static inline void job_list_add_cores(const JobList *list, int64_t row, JobRequest *request)
{
    const int64_t mib = list->memory_bytes != NULL
                            ? (job_list_known(list->memory_bytes[row]) >> 20) +
                                  ((job_list_known(list->memory_bytes[row]) & ((1 << 20) - 1)) > 0)
                            : 0;
    request->memory_mib = mib < INT32_MAX ? (int32_t)mib : INT32_MAX;
    if (list->cpus != NULL)
        request->cpus = (int32_t)job_list_known(list->cpus[row]);
}

/* The request of a row for GPUs on nodes of `gpus_per_node`, divided as its columns state. */
static inline JobRequest job_list_request(const JobList *list, int64_t row, int32_t gpus_per_node)
{
    RequestShape shape = {0};
    if (list->gpus_per_node_max != NULL && list->gpus_per_node_max[row] != JOB_LIST_UNKNOWN)
        shape.gpus_per_node_max = list->gpus_per_node_max[row];
    if (list->nodes != NULL && list->nodes[row] != JOB_LIST_UNKNOWN)
        shape.nodes = list->nodes[row];
    return request_of_shape(list->gpus[row], shape, gpus_per_node);
}

#endif

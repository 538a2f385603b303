/* The second half of an import: which jobs of a log become a workload, and in what order.
 *
 * Jobs are sorted by submission and, among those of one instant, by their order in the log. Time 0
 * of the workload is the begin of the window if it is given, else the first submission. */
#ifndef SIM_STUDY_IMPORT_SELECTION_H
#define SIM_STUDY_IMPORT_SELECTION_H

#include "sim/study/import/import_log.h"

typedef struct {
    JobList list;                 /* in the arena of the log */
    const ImportJob *const *jobs; /* [list.count] of its rows */
    int64_t origin_ns;            /* time 0 of the list, as an instant or time of the log */
    int64_t gpu_s;                /* GPUs times run time, rounded down */
    int64_t end_ns;               /* the last submission plus run time, since `origin_ns` */
    int32_t gpus_most;
    /* Jobs that had not ended when the log was taken, whose run times are lower bounds: */
    int64_t open_jobs, open_gpu_s;
    int64_t open_longest; /* row of the one that ran longest, or JOB_LIST_UNKNOWN */
    int32_t queue_count;  /* queues with jobs */
} ImportSelection;

/* Applies the options of the log to its jobs. */
ImportSelection import_select(ImportLog *log);

#endif

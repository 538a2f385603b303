/* A job's transfers to and from shares, what happens when one ends, and the files that it leaves.
 */
#ifndef SIM_CLOUD_JOB_TRANSFERS_H
#define SIM_CLOUD_JOB_TRANSFERS_H

#include "sim/cloud/job/job.h"

typedef enum {
    TRANSFER_FOR_DATA, /* reads the data set: STAGE_DATA */
    TRANSFER_FOR_CHECKPOINT,
    TRANSFER_FOR_MODEL,
    TRANSFER_FOR_RESUME, /* reads the last checkpoint */
} TransferPurpose;

/* The job's `node`-th node begins to read or write `bytes` on a share. */
void job_transfer(Jobs *jobs, Job *job, int32_t node, TransferPurpose purpose, const char *share,
                  int64_t bytes);
/* The time to write a file to a node's own disk. */
int64_t job_local_write_ns(const Jobs *jobs, int64_t bytes);
/* Writes a file of the job to `share`; NULL: to a node, with which it is lost. */
void job_write_file(Jobs *jobs, const Job *job, const char *share, const char *path, int64_t bytes);

#endif

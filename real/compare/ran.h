/* Reads the files of a job's real run (`trainyard run SCENARIO --real`):
 *
 *     FOLDER/real/JOB/attempt-1/ranks.json            {"backend": "onednn", "precision": "fp32",
 *                                                      "device": null,
 *                                                      "network": "keras_cifar10_cnn", "ranks": 2,
 *                                                      "batch": 32, "train_samples": 50000,
 *                                                      "test_samples": 10000,
 *                                                      "took_ns": 8123456789,
 *                                                      "exit_code": 0, ...}
 *     FOLDER/real/JOB/attempt-1/timeline.rank0.tsv    see trainer/record/timeline.h
 *     FOLDER/real/JOB/attempt-2/...                   after a fault
 *     FOLDER/ran.json                                 the commands that the run applied
 * (real/launch/real_run.h)
 *
 * An attempt that failed may have no timelines: killed ranks write none. */
#ifndef REAL_RAN_H
#define REAL_RAN_H

#include "sim/scenario/config/config_context.h"
#include "trainer/record/timeline.h"

typedef struct {
    const char *source;              /* path of its ranks.json */
    const char *backend, *precision; /* NULL: the ranks ended before they printed it */
    const char *network;
    int32_t ranks;
    int64_t batch;
    DataSamples
        samples; /* of the set that it found; both 0: the ranks ended before they printed it */
    int64_t took_ns;
    int32_t exit_code;
    const TimelineFile *files; /* [ranks]; NULL: there are no timelines */
} RanAttempt;

typedef struct {
    int32_t attempt_count;
    const RanAttempt *attempts; /* in order */
    int64_t reached_step; /* counted over all epochs: the last step at which FOLDER/ran.json records
                             a fault; -1: no fault */
} RanJob;

/* Reads a job of `folder`, which is FOLDER above. STATUS_BAD_INPUT with its place if the job has no
 * attempt, if a file is broken, or if files are not of one training. STATUS_NOT_FOUND if a file is
 * missing. */
MUST_CHECK bool ran_job_read(Arena *arena, const char *folder, const char *job, RanJob *ran,
                             Status *status);

/* The facts that all jobs of a folder share. A member is 0 or NULL if a job does not state it, if
 * jobs differ, or if there are no jobs. */
typedef struct {
    DataSamples samples; /* of the set that they found */
    const char *backend;
} RanCommon;

/* Reads the first attempts of the jobs in `folder`. Fails like ran_job_read, but not if there are
 * no jobs. */
MUST_CHECK bool ran_common_read(Arena *arena, const char *folder, RanCommon *common,
                                Status *status);

/* Parses the text of one ranks.json, without its timelines: `files` stays NULL. `source` names the
 * text in messages. */
MUST_CHECK bool ran_attempt_parse(Arena *arena, const char *source, const char *text, size_t length,
                                  RanAttempt *attempt, Status *status);

#endif

/* What a real run of a job left behind (`trainyard run SCENARIO --real`), read back:
 *
 *     FOLDER/real/JOB/attempt-1/ranks.json            {"backend": "onednn", "precision": "fp32",
 *                                                      "network": "keras_cifar10_cnn", "ranks": 2,
 *                                                      "batch": 32, "train_samples": 50000,
 *                                                      "test_samples": 10000,
 *                                                      "took_ns": 8123456789,
 *                                                      "exit_code": 0, ...}
 *     FOLDER/real/JOB/attempt-1/timeline.rank0.tsv    as trainer/record/timeline.h has it
 *     FOLDER/real/JOB/attempt-2/...                   after a fault
 *     FOLDER/ran.json                                 what the world was told
 * (real/launch/real_run.h)
 *
 * An attempt that failed may have no timelines: killed ranks write none. */
#ifndef REAL_RAN_H
#define REAL_RAN_H

#include "sim/scenario/config/config_context.h"
#include "trainer/record/timeline.h"

typedef struct {
    const char *source;              /* path of its ranks.json */
    const char *backend, *precision; /* NULL: the ranks ended before they said so */
    const char *network;
    int32_t ranks;
    int64_t batch;
    DataSamples samples; /* of the set that it found; both 0: the ranks ended before they said so */
    int64_t took_ns;
    int32_t exit_code;
    const TimelineFile *files; /* [ranks]; NULL: none */
} RanAttempt;

typedef struct {
    int32_t attempt_count;
    const RanAttempt *attempts; /* in order */
    int64_t reached_step; /* of all epochs, the last of which FOLDER/ran.json tells: where a fault
                             struck; -1: of none */
} RanJob;

/* `folder` as above. With its place, STATUS_BAD_INPUT for a job without an attempt and for whatever
 * is broken or not of one training, STATUS_NOT_FOUND for a file that is missing. */
MUST_CHECK bool ran_job_read(Arena *arena, const char *folder, const char *job, RanJob *ran,
                             Status *status);

/* The set that all jobs in `folder` found; both 0 where they do not say, or not the same. Fails as
 * ran_job_read, but for a folder without jobs. */
MUST_CHECK bool ran_samples_read(Arena *arena, const char *folder, DataSamples *samples,
                                 Status *status);

/* The text of one ranks.json; `source` names it in messages. `files` is not filled. */
MUST_CHECK bool ran_attempt_parse(Arena *arena, const char *source, const char *text, size_t length,
                                  RanAttempt *attempt, Status *status);

#endif

/* Reports what ranks did to the world. Each entry is applied, and kept for the session that replays
 * the run. */
#ifndef REAL_REAL_REPORT_H
#define REAL_REAL_REPORT_H

#include "real/launch/real_state.h"

/* Returns the entry {"do": KIND} of the job, without a time. */
Json *real_report_entry(RealRun *run, CommandKind kind, const Job *job);

/* Applies the entry at an instant without other events, as a replay does. It is read from JSON, as
 * a replay reads it. */
MUST_CHECK bool real_report(RealRun *run, Json *entry, Status *status);

/* The end of an attempt. `reason` may be NULL. */
MUST_CHECK bool real_report_ran(RealRun *run, const RealJob *real, const RanksEnd *end,
                                int64_t took_ns, const RealTraining *training, const char *reason,
                                Status *status);

/* A step, counted from 1 over all epochs. `kept` is the point of a new checkpoint at that step; 0:
 * there is no new checkpoint. */
MUST_CHECK bool real_report_reached(RealRun *run, const RealJob *real, int64_t step,
                                    int64_t took_ns, CheckpointPoint kept, Status *status);

/* When the ranks wrote each checkpoint: if the attempt is lost, the next one resumes from the
 * latest. */
MUST_CHECK bool real_report_checkpoints(RealRun *run, const RealJob *real, Status *status);

/* When the ranks reached each step that a command waits for. `folder` has their timelines. A
 * timeline starts when all ranks are ready, and the world's attempt when they are started. Their
 * ends are taken as equal. */
MUST_CHECK bool real_report_steps(RealRun *run, const RealJob *real, const char *folder,
                                  Status *status);

#endif

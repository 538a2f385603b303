/* The state of a real run, for the modules real_*.c only. */
#ifndef REAL_REAL_STATE_H
#define REAL_REAL_STATE_H

#include <signal.h>

#include "real/launch/ranks.h"
#include "real/launch/real_run.h"

/* A job of real execution, and its last attempt that was handed off. */
typedef struct {
    JobId job;
    int32_t attempt;         /* Job.starts; 0: none yet */
    int64_t since_ns;        /* start of the program in simulated time */
    int64_t took_ns;         /* how long its ranks ran */
    int64_t started_unix_ns; /* start of the ranks by the machine's clock */
    int64_t steps_per_epoch; /* of the ranks, for the images that they found */
    const char *log_folder;
    bool is_killed;          /* by a fault of the scenario; the world must lose the attempt, too */
    bool is_lost;            /* the world lost the attempt before its ranks had ended ... */
    int64_t lost_after_ns;   /* ... this long after its start */
    int64_t terminate_at_ns; /* INT64_MAX: never */
} RealJob;

typedef struct {
    Arena *arena;
    RealRunSettings settings;
    const char *folder; /* absolute */
    const char *trainer;
    World *world;
    CommandReader *reader;
    const ShareTree *tree;
    RanksMachine machine;
    const char *ran_path; /* the session to replay, which hands off no job; or NULL */
    RealJob *jobs;        /* the jobs that have not ended */
    uint32_t job_count, job_capacity, jobs_seen;
    RealRunResult *result;
} RealRun;

static inline const Job *real_job_of(const RealRun *run, const RealJob *real)
{
    return world_job(run->world, real->job);
}

/* The exit code that a shell returns after SIGKILL. */
enum { KILLED_EXIT = 128 + SIGKILL };

#endif

/* Runs the units of a study on threads of this process, and records the results. */
#ifndef SIM_STUDY_RUNNER_H
#define SIM_STUDY_RUNNER_H

#include "sim/cli/signal_wait.h"
#include "sim/study/results.h"
#include "sim/study/units.h"

typedef enum {
    RUNNER_FINISHED, /* the source has no more units */
    RUNNER_SIGNALLED,
    RUNNER_LATE,   /* the time limit */
    RUNNER_FAILED, /* with problems */
} RunnerEnd;

/* Where records of finished runs are kept, apart from the results in memory. */
typedef struct {
    void *to;
    /* NULL: nowhere. Called by one thread at a time; the record is borrowed for the call. */
    bool (*append)(void *to, const RunRecord *record, Status *status);
} RunSink;

typedef struct {
    const Study *study;
    FileSource files;
    const char *version; /* of trainyard */
    Results *results;    /* results are added here and to the sink */
    RunSink sink;
    UnitSource source;
    int32_t thread_count;
    bool repeats;              /* each run is repeated, and a different result is a problem */
    const SignalWait *signals; /* begun by the caller; NULL: the runner begins and ends it */
    int64_t time_limit_ns;     /* of real time; INT64_MAX: none */
    /* Called about ten times a second, and with `is_asked` after SIGUSR1, while no thread changes
     * the results. NULL: no caller watches. */
    void (*watch)(void *watcher, bool is_asked);
    void *watcher;
} RunnerPlan;

/* Runs until the source is finished, or until SIGINT or SIGTERM (`*signal` is its number), the
 * time limit or a failure ends the work. Runs that have not finished then are given up; the results
 * of all others are recorded. Each thread has one arena for its runs. */
RunnerEnd runner_run(const RunnerPlan *plan, int *signal, Problems *problems);

#endif

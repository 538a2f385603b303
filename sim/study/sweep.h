/* A sweep: all runs of a study, from the study to the files of its folder.
 *
 *     DIR/study.json    the study with every point spelled out, its hashes and version
 *     DIR/journal/      the records of finished runs, from which everything else is made
 *     DIR/results.csv   a row a run
 *     DIR/points.csv    a row a point
 *     DIR/jobs.csv      a row a job, if asked for
 *     DIR/report.html   all of it as a page (reports/study/report.h), and DIR/plots: by the caller
 *     DIR/timing.csv    the time of each run: the only file that differs between machines
 *
 * A folder of the same study is continued, one of another study is refused. The files have the same
 * bytes for any number of threads, shards and ranks, and after any interruptions. */
#ifndef SIM_STUDY_SWEEP_H
#define SIM_STUDY_SWEEP_H

#include "sim/study/idle_factors.h"
#include "sim/study/outcome.h"
#include "sim/study/runner.h"
#include "sim/study/study_tables.h"
#include "sim/study/waves.h"

/* The part that decides which runs there are, in place of the study's waves: a plan has rounds. */
typedef struct {
    void *decider;
    /* Called when the known runs of the folder are in `results`. */
    StudyWork (*begin)(void *decider, Arena *arena, const Results *results);
    /* [point_count] how many replications of each point the tables have. In `arena`. */
    const int32_t *(*used)(void *decider, Arena *arena);
} SweepDecider;

typedef struct {
    const char *folder;  /* NULL: no files */
    const char *version; /* of trainyard */
    int32_t thread_count;
    int64_t time_limit_ns;       /* INT64_MAX: none */
    Shard shard;                 /* 0 of 1: the whole study. A shard writes no tables */
    bool is_quiet;               /* no progress on stderr */
    bool is_forecast;            /* only the pilot's runs */
    bool writes_jobs;            /* jobs.csv too, after the last run */
    bool repeats;                /* RunnerPlan.repeats */
    const SweepDecider *decider; /* NULL: the waves of the study */
    /* Runs the units, as runner_run does with threads of this process. */
    RunnerEnd (*run)(void *runner, const RunnerPlan *plan, int *signal, Problems *problems);
    void *runner;
} SweepOptions;

typedef struct {
    const Study *study;
    Waves *waves; /* NULL with a decider */
    StudyWork work;
    StudyFindings findings;
    JournalIdentity identity;
    int32_t idle_count;
    const IdleLevels *idle; /* of a study without an interruption */
    RunnerEnd end;
    int signal;            /* RUNNER_SIGNALLED */
    int64_t resumed_count; /* runs of earlier sweeps of this folder */
    int64_t took_ns;
    int32_t thread_count;
    Shard shard;
    const SignalWait *signals; /* while it runs */
} Sweep;

/* The outcome of a sweep that is not one of several shards. */
StudyOutcome sweep_outcome(const Sweep *sweep);

/* The `run` of a sweep on threads of this process; `runner` is not used. */
RunnerEnd sweep_on_threads(void *runner, const RunnerPlan *plan, int *signal, Problems *problems);

/* Runs the study and writes its files, also after an interruption. Lives in `arena`. False with
 * problems if the folder or a file cannot be used, or a run failed. */
MUST_CHECK bool sweep_run(Arena *arena, const Study *study, FileSource files,
                          const SweepOptions *options, Sweep *sweep, Problems *problems);

#endif

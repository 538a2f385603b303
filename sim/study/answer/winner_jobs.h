/* The jobs of the recommended candidate in its fresh runs: how long they waited, and how many
 * waited at a time. The plan writes them to DIR/winner-jobs.csv, in the columns of jobs.csv
 * (jobs_table.h), so that the report can be made from the folder alone. */
#ifndef SIM_STUDY_ANSWER_WINNER_JOBS_H
#define SIM_STUDY_ANSWER_WINNER_JOBS_H

#include "sim/study/jobs_table.h"
#include "sim/study/plan/plan_outcome.h"

#define WINNER_JOBS_FILE "winner-jobs.csv"
enum { WINNER_RUNS_MAX = 40, WAIT_CLASSES_MAX = 6 };

/* Repeats the fresh runs of the winner, at most WINNER_RUNS_MAX, in the weather in which its first
 * constraint has the smallest margin, and writes `folder`/winner-jobs.csv. Nothing without a winner
 * that has fresh runs. False with problems. */
MUST_CHECK bool winner_jobs_write(Arena *arena, const PlanOutcome *outcome, const char *folder,
                                  FileSource files, const char *version, Problems *problems);

typedef struct {
    int32_t run; /* from 0, in the order of the file */
    int64_t size;
    double submitted_s, queue_s; /* queue_s: at least so much if it waits */
    bool is_waiting;             /* at the end of the run */
} WinnerJob;

typedef struct {
    int32_t point;
    int64_t first_seed;
    int32_t run_count;
    int64_t count;
    const WinnerJob *jobs;
} WinnerJobs;

/* The jobs in the text of a winner-jobs.csv; `source` names it in messages. False with problems. In
 * `arena`. */
MUST_CHECK bool winner_jobs_parse(Arena *arena, const char *source, const char *text, size_t length,
                                  WinnerJobs *jobs, Problems *problems);
/* Those of a folder; `*jobs` has no runs if there is no such file. False with problems. */
MUST_CHECK bool winner_jobs_read(Arena *arena, FileSource files, const char *folder,
                                 WinnerJobs *jobs, Problems *problems);

/* --- Waits --- */

/* The share of the jobs that waited at most x, for rising x. */
typedef struct {
    const char *name; /* "all jobs", "size 8" */
    int64_t job_count;
    int32_t count;
    const double *x_s;        /* [count] */
    const double *shares;     /* [count] of all runs together */
    const double *low, *high; /* [count] 95 % intervals from run to run; NAN: unknown */
} WaitCurve;

/* All jobs first, then the sizes with most jobs, if there are several; at most WAIT_CLASSES_MAX.
 * Returns their number. In `arena`. */
int32_t winner_wait_curves(Arena *arena, const WinnerJobs *jobs, WaitCurve *curves);

/* --- The queue --- */

typedef struct {
    int32_t count;
    const double *t_s;  /* [count] middles of equal parts of the run, from its start */
    const double *mean; /* [count] jobs that wait then, as a mean over time and over the runs */
    const double *p95;  /* [count] in 95 % of the runs at most so many, by nearest rank */
} QueueCurve;

/* The parts divide `period_s`, or the time until the last job starts, if that is longer. Each job
 * waits in one piece from its submission on: later waits after a restart are counted there too. In
 * `arena`; `count` 0 without jobs. */
QueueCurve winner_queue(Arena *arena, const WinnerJobs *jobs, double period_s, int32_t bins);

#endif

/* The report of a plan: DIR/report.html and DIR/plots, for the person who pays. */
#ifndef REPORTS_PLAN_REPORT_H
#define REPORTS_PLAN_REPORT_H

#include "sim/study/answer/winner_jobs.h"
#include "sim/study/follow/follow_outcome.h"
#include "sim/study/plan/plan_outcome.h"

/* The sources of a page of a plan. */
typedef struct {
    const PlanOutcome *outcome;
    const WinnerJobs *jobs;      /* NULL: unknown */
    const FollowOutcome *follow; /* NULL: nothing has followed */
    bool has_worst;              /* `folder`/worst has the report of the worst run */
} PlanKnown;

/* Reads what `folder` has in addition to `outcome`. Lives in `arena`, borrows the outcome. False
 * with problems. */
MUST_CHECK bool plan_known_read(Arena *arena, FileSource files, const char *folder,
                                const PlanOutcome *outcome, PlanKnown *known, Problems *problems);

/* Writes `folder`/report.html, one self-contained page, and the same plots as files in
 * `folder`/plots. The same outcome gives the same bytes (with the same gnuplot); it may be that of
 * an unfinished plan, which the page then says. `no_plots` and errors as
 * study_report_write. */
MUST_CHECK bool plan_report_write(Arena *arena, const char *folder, const PlanKnown *known,
                                  Status *no_plots, Status *status);

#endif

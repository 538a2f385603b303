/* What was predicted beside what was measured, and what to make of the difference.
 *
 * An error is predicted / measured - 1: positive where the prediction is too long. A quantity is
 * inside when its error is within the tolerance, which is declared before anything runs. Only whole
 * durations are judged (a step, an epoch, the training, images per second): the share of a part may
 * be far off and count for nothing, which is why parts have no verdict but the blame. */
#ifndef REAL_COMPARE_H
#define REAL_COMPARE_H

#include "real/compare/estimate.h"
#include "real/compare/predicted.h"
#include "sim/json/json.h"

/* Shares of one: 0.12 is 12 %. */
typedef struct {
    double worst; /* every judged error is at most so large */
    double mean;  /* and those of steps are so large in the mean */
} Tolerance;

typedef enum { UNIT_MS, UNIT_S, UNIT_IMAGES_PER_S, UNIT_COUNT } CompareUnit;
extern const char *const compare_units[]; /* "ms", ... */

/* One quantity. */
typedef struct {
    const char *what; /* "step", "forward", ... */
    CompareUnit unit;
    bool is_part; /* of the step above */
    bool is_judged;
    int32_t rank; /* whose it is; -1: of rank 0, or of all */
    bool is_predicted;
    double predicted; /* >= 0 */
    Estimate measured;
} CompareRow;

/* Both known, and something was measured: there is an error. */
bool compare_row_has_error(const CompareRow *row);
double compare_row_error(const CompareRow *row);
/* Between what the interval of the measurement allows. */
double compare_row_error_low(const CompareRow *row);
double compare_row_error_high(const CompareRow *row);
/* A duration of so many ns in the unit. */
double compare_in_unit(int64_t ns, CompareUnit unit);

/* Which model is most to blame for the error of a step. */
typedef struct {
    const char *part;  /* the row's name; NULL: nothing is, or nobody knows */
    const char *words; /* "compute of the backward pass" */
    double error_ms;   /* of this part, signed */
    double share;      /* of the errors of all parts, each without its sign */
} Blame;

/* What faults have cost. */
typedef struct {
    int32_t attempts;   /* the most that a run needed; 0: nobody knows */
    int64_t steps_lost; /* done in an attempt and once more in the next; -1: nobody knows */
} Recovery;

/* One job, and the runs that were measured of it. */
typedef struct {
    const PredictedJob *prediction;
    int32_t run_count; /* >= 1, each of at least one step */
    const MeasuredRun *runs;
    const TimelineFile *const *files; /* [run][rank]: what they were made from */
    int64_t first_warmup;             /* steps of the first run that do not count */
    MeasuredRun predicted;            /* as many steps as the longest of them */
    const TimelineFile *predicted_files;
    int32_t row_count;
    const CompareRow *rows; /* the step first */
    Blame blame;
    Recovery recovery; /* filled by whoever knows */
} CompareJob;

/* Files of one run: `ranks` of them. */
typedef struct {
    const TimelineFile *files;
    int32_t ranks;
} MeasuredFiles;

/* `prediction` beside `run_count` runs on as many ranks. False when none of them has a step that
 * all ranks noted. Borrows what it is given; everything else lives in `arena`. */
MUST_CHECK bool compare_job(Arena *arena, const PredictedJob *prediction, const MeasuredFiles *runs,
                            int32_t run_count, CompareJob *job);

/* Parts of a step by name, for those who compare without timelines. */
enum { COMPARE_PART_COUNT = 8 };
typedef struct {
    const char *what;
    const char *words;
    uint32_t spent; /* a bit for each Spent that it is the sum of */
} ComparePart;
extern const ComparePart compare_parts[COMPARE_PART_COUNT];
/* From errors in ms of those parts. Of a pass through `network` the words say which of its layers
 * do most of it; in `arena`. */
Blame compare_blame(Arena *arena, const NetworkModel *network, const double *errors_ms);

/* All jobs together. */
typedef struct {
    Tolerance tolerance;
    int32_t job_count;
    const CompareJob *jobs;
    int32_t judged;     /* quantities */
    double mean_error;  /* of the steps of those jobs that have an error, without signs */
    double worst_error; /* of all that is judged, without sign */
    bool is_inside;
} Comparison;

Comparison compare_sum_up(Tolerance tolerance, const CompareJob *jobs, int32_t job_count);

#endif

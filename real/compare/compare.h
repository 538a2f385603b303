/* Compares predictions with measurements and judges the differences.
 *
 * An error is predicted / measured - 1. It is positive if the prediction is too long. A quantity is
 * inside if its error is within the tolerance, which is declared before anything runs. Only whole
 * durations are judged (a step, an epoch, the training, images per second). Parts of a step are not
 * judged, because a small part may have a large error that does not matter; they have only the
 * blame. */
#ifndef REAL_COMPARE_H
#define REAL_COMPARE_H

#include "real/compare/estimate.h"
#include "real/compare/predicted.h"
#include "sim/json/json.h"

/* Shares of one: 0.12 is 12 %. */
typedef struct {
    double worst; /* the limit of every judged error */
    double mean;  /* the limit of the mean error of steps */
} Tolerance;

typedef enum { UNIT_MS, UNIT_S, UNIT_IMAGES_PER_S, UNIT_COUNT } CompareUnit;
extern const char *const compare_units[]; /* "ms", ... */

/* One quantity. */
typedef struct {
    const char *what; /* "step", "forward", ... */
    CompareUnit unit;
    bool is_part; /* of the step above */
    bool is_judged;
    int32_t rank; /* of this rank; -1: of rank 0, or of all ranks */
    bool is_predicted;
    double predicted; /* >= 0 */
    Estimate measured;
} CompareRow;

/* Whether the row has an error: a prediction, and a measurement greater than 0. */
bool compare_row_has_error(const CompareRow *row);
double compare_row_error(const CompareRow *row);
/* The bounds of the error, from the interval of the measurement. */
double compare_row_error_low(const CompareRow *row);
double compare_row_error_high(const CompareRow *row);
/* Converts a duration from ns to the unit. */
double compare_in_unit(int64_t ns, CompareUnit unit);

/* The part whose model contributes most to the error of a step. */
typedef struct {
    const char *part;  /* the row's name; NULL: no part has an error, or the parts are unknown */
    const char *words; /* "compute of the backward pass" */
    double error_ms;   /* of this part, signed */
    double share;      /* of the sum of all parts' absolute errors */
} Blame;

/* The cost of faults. */
typedef struct {
    int32_t attempts;   /* the largest number of a run; 0: unknown */
    int64_t steps_lost; /* done in an attempt and repeated in the next; -1: unknown */
} Recovery;

/* One job and its measured runs. */
typedef struct {
    const PredictedJob *prediction;
    int32_t run_count; /* >= 1, each of at least one step */
    const MeasuredRun *runs;
    const TimelineFile *const *files; /* [run][rank]: the timelines of the runs */
    int64_t first_warmup;             /* steps of the first run that are left out */
    MeasuredRun predicted;            /* with the number of steps of the longest run */
    const TimelineFile *predicted_files;
    int32_t row_count;
    const CompareRow *rows; /* the step first */
    Blame blame;
    Recovery recovery; /* the caller fills it in, if it is known */
} CompareJob;

/* The timelines of one run, one for each rank. */
typedef struct {
    const TimelineFile *files;
    int32_t ranks;
} MeasuredFiles;

/* Compares `prediction` with `run_count` runs on the same number of ranks. False if no run has a
 * step that all ranks recorded. Borrows the arguments; the rest of the result is in `arena`. */
MUST_CHECK bool compare_job(Arena *arena, const PredictedJob *prediction, const MeasuredFiles *runs,
                            int32_t run_count, CompareJob *job);

/* Parts of a step by name, for comparisons without timelines. */
enum { COMPARE_PART_COUNT = 8 };
typedef struct {
    const char *what;
    const char *words;
    uint32_t spent; /* a bit for each Spent in the sum */
} ComparePart;
extern const ComparePart compare_parts[COMPARE_PART_COUNT];
/* Finds the part to blame from the errors of the parts in ms. For a pass through `network` the
 * words name the kind of layers with most of the arithmetic. They are in `arena`. */
Blame compare_blame(Arena *arena, const NetworkModel *network, const double *errors_ms);

/* The comparison of all jobs. */
typedef struct {
    Tolerance tolerance;
    int32_t job_count;
    const CompareJob *jobs;
    int32_t judged;     /* quantities */
    double mean_error;  /* mean absolute error of the steps of all jobs that have an error */
    double worst_error; /* largest absolute error of the judged quantities */
    bool is_inside;
    double other_cores; /* that other programs kept busy during the runs; -1: unknown */
    int32_t cores;      /* of the machine; 0: unknown */
} Comparison;

Comparison compare_sum_up(Tolerance tolerance, const CompareJob *jobs, int32_t job_count);

#endif

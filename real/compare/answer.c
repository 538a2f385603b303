#include "real/compare/answer.h"

#include <math.h>

#include "real/compare/print.h"
#include "real/compare/validation_print.h"
#include "sim/cloud/training/layer_rates.h"
#include "sim/schema/plain.h"

/* Shares become percent. */
#define PERCENT 100

/* --- A comparison --- */

typedef struct {
    const char *quantity;
    int64_t rank; /* PLAIN_UNKNOWN: of rank 0, or of all ranks */
    const char *unit;
    double predicted, measured, low, high, effective; /* NaN: unknown */
    double error_pct, error_low_pct, error_high_pct;
    bool is_inside, is_judged, is_measured, has_error;
} QuantityAnswer;

#define OWNER QuantityAnswer
#define IF(member) NULLABLE, .shown_if = offsetof(OWNER, member)
static const Field quantity_fields[] = {
    PLAIN_TEXT("quantity", quantity, "step, a part of it, or a time of the job"),
    FIELD_COUNT("rank", rank, "of this rank; without key: of rank 0, or of all ranks"),
    PLAIN_TEXT("unit", unit, "ms, s, images/s, or nothing for a count"),
    FIELD_ROUNDED("predicted", predicted, 6, "by the simulator"),
    FIELD_ROUNDED("measured", measured, 6, "the median of the runs"),
    FIELD_ROUNDED("low", low, 6, "the lower end of its interval", IF(is_measured)),
    FIELD_ROUNDED("high", high, 6, "the upper end", IF(is_measured)),
    FIELD_ROUNDED("effective", effective, 1, "independent measurements that are worth as much",
                  IF(is_measured)),
    FIELD_ROUNDED("error_pct", error_pct, 3, "predicted against measured"),
    FIELD_ROUNDED("error_low_pct", error_low_pct, 3, "its lower end", IF(has_error)),
    FIELD_ROUNDED("error_high_pct", error_high_pct, 3, "its upper end", IF(has_error)),
    FIELD_ROW(BOOLEAN, "is_inside", is_inside, .shown_if = offsetof(OWNER, is_judged),
              .doc = "whether the error is allowed, if it is judged"),
    {0},
};
static const ObjectType quantity_type =
    OBJECT_TYPE("Compared quantity", "A quantity of a job.", quantity_fields);
#undef OWNER

typedef struct {
    const char *part, *words;
    double error_ms, share_pct;
} BlameAnswer;

#define OWNER BlameAnswer
static const Field blame_fields[] = {
    PLAIN_TEXT("part", part, "the quantity; null: no part has an error", NULLABLE),
    PLAIN_TEXT("words", words, "the same in words"),
    FIELD_ROUNDED("error_ms", error_ms, 6, "its error with its sign", NULLABLE),
    FIELD_ROUNDED("share_pct", share_pct, 3, "of the errors of all parts", NULLABLE),
    {0},
};
static const ObjectType blame_type =
    OBJECT_TYPE("Blame", "The part that contributes most to the error of a step.", blame_fields);
#undef OWNER

typedef struct {
    const char *job, *network;
    int64_t batch, ranks, runs, steps, warmup_steps;
    QuantityAnswer *quantities;
    uint32_t quantity_count;
    BlameAnswer blame;
    int64_t restarts_predicted, restarts_measured, steps_lost_predicted, steps_lost_measured;
} JobAnswer;

#define OWNER JobAnswer
static const Field job_fields[] = {
    PLAIN_TEXT("job", job, "its name"),
    PLAIN_TEXT("network", network, "the network that it trains"),
    FIELD_ROW(INTEGER, "batch", batch, .doc = "images of a step of a rank"),
    FIELD_ROW(INTEGER, "ranks", ranks, .doc = "how many"),
    FIELD_ROW(INTEGER, "runs", runs, .doc = "measured runs"),
    FIELD_ROW(INTEGER, "steps", steps, .doc = "measured steps"),
    FIELD_ROW(INTEGER, "warmup_steps", warmup_steps, .doc = "steps that were left out"),
    FIELD_LIST(OBJECTS, "quantities", quantities, quantity_count, &quantity_type, "the step first"),
    FIELD_OBJECT("blame", blame, blame_type, "what contributes most to the error of the step"),
    FIELD_ROW(INTEGER, "restarts_predicted", restarts_predicted, .doc = "after losses"),
    FIELD_ROW(INTEGER, "restarts_measured", restarts_measured, .doc = "after losses"),
    FIELD_ROW(INTEGER, "steps_lost_predicted", steps_lost_predicted, .doc = "that were done twice"),
    FIELD_COUNT("steps_lost_measured", steps_lost_measured, "likewise", NULLABLE),
    {0},
};
static const ObjectType job_type = OBJECT_TYPE("Compared job", "A job.", job_fields);
#undef OWNER

typedef struct {
    double tolerance_pct, mean_pct;
    bool is_inside;
    double worst_error_pct, mean_error_pct, other_cores;
    JobAnswer *jobs;
    uint32_t job_count;
} CompareAnswer;

#define TOLERANCE_ROWS                                                                             \
    FIELD_ROUNDED("tolerance_pct", tolerance_pct, 3, "the limit of each judged error"),            \
        FIELD_ROUNDED("mean_pct", mean_pct, 3, "the limit of the mean error of steps"),            \
        FIELD_BOOLEAN("is_inside", is_inside, NULL, "whether both limits are kept")

#define OWNER CompareAnswer
static const Field compare_fields[] = {
    TOLERANCE_ROWS,
    FIELD_ROUNDED("worst_error_pct", worst_error_pct, 3, "the largest judged error", NULLABLE),
    FIELD_ROUNDED("mean_error_pct", mean_error_pct, 3, "the mean error of steps", NULLABLE),
    FIELD_ROUNDED("other_cores", other_cores, 2, "cores that other programs kept busy", NULLABLE),
    FIELD_LIST(OBJECTS, "jobs", jobs, job_count, &job_type, "the jobs in their order"),
    {0},
};
const ObjectType compare_answer_type =
    OBJECT_TYPE("Compare answer", "The output of `trainyard compare --json`, and compare.json.",
                compare_fields);
#undef OWNER

static QuantityAnswer quantity_answer(const CompareRow *row, Tolerance tolerance)
{
    const double unknown = (double)NAN;
    const bool is_measured = row->measured.runs > 0, has_error = compare_row_has_error(row);
    return (QuantityAnswer){
        .quantity = row->what,
        .rank = row->rank >= 0 ? row->rank : PLAIN_UNKNOWN,
        .unit = compare_units[row->unit],
        .predicted = row->is_predicted ? row->predicted : unknown,
        .measured = is_measured ? row->measured.median : unknown,
        .low = row->measured.low,
        .high = row->measured.high,
        .effective = row->measured.effective,
        .error_pct = has_error ? PERCENT * compare_row_error(row) : unknown,
        .error_low_pct = has_error ? PERCENT * compare_row_error_low(row) : unknown,
        .error_high_pct = has_error ? PERCENT * compare_row_error_high(row) : unknown,
        .is_measured = is_measured,
        .has_error = has_error,
        .is_judged = row->is_judged && has_error,
        .is_inside = has_error && fabs(compare_row_error(row)) <= tolerance.worst};
}

static JobAnswer job_answer(Arena *arena, const CompareJob *job, Tolerance tolerance)
{
    const PredictedJob *prediction = job->prediction;
    const Recovery *recovery = &job->recovery;
    JobAnswer answer = {.job = prediction->job,
                        .network = prediction->program->network->name,
                        .batch = prediction->program->batch_per_rank,
                        .ranks = prediction->plan.ranks,
                        .runs = job->run_count,
                        .steps = job->rows[0].measured.count,
                        .warmup_steps = job->rows[0].measured.warmup,
                        .quantities = ARENA_ARRAY(arena, QuantityAnswer, job->row_count),
                        .blame = {job->blame.part, job->blame.words, job->blame.error_ms,
                                  PERCENT * job->blame.share},
                        .restarts_predicted = prediction->restarts,
                        .restarts_measured = recovery->attempts > 0 ? recovery->attempts - 1 : 0,
                        .steps_lost_predicted = prediction->steps_lost,
                        .steps_lost_measured =
                            recovery->steps_lost >= 0 ? recovery->steps_lost : PLAIN_UNKNOWN};
    for (int32_t i = 0; i < job->row_count; i++)
        answer.quantities[answer.quantity_count++] = quantity_answer(&job->rows[i], tolerance);
    return answer;
}

Json *compare_json(Arena *arena, const Comparison *comparison)
{
    CompareAnswer answer = {.tolerance_pct = PERCENT * comparison->tolerance.worst,
                            .mean_pct = PERCENT * comparison->tolerance.mean,
                            .is_inside = comparison->is_inside,
                            .worst_error_pct = PERCENT * comparison->worst_error,
                            .mean_error_pct = PERCENT * comparison->mean_error,
                            .other_cores = comparison->other_cores >= 0 ? comparison->other_cores
                                                                        : (double)NAN,
                            .jobs = ARENA_ARRAY(arena, JobAnswer, comparison->job_count)};
    for (int32_t i = 0; i < comparison->job_count; i++)
        answer.jobs[answer.job_count++] =
            job_answer(arena, &comparison->jobs[i], comparison->tolerance);
    return plain_write(arena, &compare_answer_type, &answer);
}

/* --- A table of measured steps --- */

typedef struct {
    int64_t cells;
    double mean_error_pct, mean_signed_error_pct, worst_error_pct;
} SummaryAnswer;

#define OWNER SummaryAnswer
static const Field summary_fields[] = {
    FIELD_ROW(INTEGER, "cells", cells, .doc = "how many"),
    FIELD_ROUNDED("mean_error_pct", mean_error_pct, 3, "mean of their errors without signs"),
    FIELD_ROUNDED("mean_signed_error_pct", mean_signed_error_pct, 3, "mean with signs"),
    FIELD_ROUNDED("worst_error_pct", worst_error_pct, 3, "the largest error"),
    {0},
};
static const ObjectType summary_type =
    OBJECT_TYPE("Validation summary", "The errors of some cells.", summary_fields);
#undef OWNER

typedef struct {
    const char *network, *precision;
    int64_t batch, ranks;
    bool is_judged;
    int64_t rounds;
    double predicted_ms, measured_ms, low_ms, high_ms, error_pct;
    const char *blame;
    double blame_share_pct;
} CellAnswer;

#define OWNER CellAnswer
static const Field cell_fields[] = {
    PLAIN_TEXT("network", network, "the network"),
    PLAIN_TEXT("precision", precision, "of the products"),
    FIELD_ROW(INTEGER, "batch", batch, .doc = "images of a step of a rank"),
    FIELD_ROW(INTEGER, "ranks", ranks, .doc = "how many"),
    FIELD_BOOLEAN("is_judged", is_judged, NULL, "whether each rank had a core"),
    FIELD_ROW(INTEGER, "rounds", rounds, .doc = "measurements"),
    FIELD_ROUNDED("predicted_ms", predicted_ms, 6, "a step"),
    FIELD_ROUNDED("measured_ms", measured_ms, 6, "the median of the rounds' medians"),
    FIELD_ROUNDED("low_ms", low_ms, 6, "the smallest of them"),
    FIELD_ROUNDED("high_ms", high_ms, 6, "the largest"),
    FIELD_ROUNDED("error_pct", error_pct, 3, "predicted against measured"),
    PLAIN_TEXT("blame", blame, "the part with the largest error; null: none", NULLABLE),
    FIELD_ROUNDED("blame_share_pct", blame_share_pct, 3, "of the errors of all parts", NULLABLE),
    {0},
};
static const ObjectType cell_type = OBJECT_TYPE(
    "Validation cell", "A network, precision, batch size and number of ranks.", cell_fields);
#undef OWNER

typedef struct {
    const char *machine, *date;
    int64_t cores;
    double tolerance_pct, mean_pct;
    bool is_inside;
    SummaryAnswer judged, cores_free, cores_taken, crowded;
    CellAnswer *cells;
    uint32_t cell_count;
} ValidationAnswer;

#define OWNER ValidationAnswer
static const Field validation_fields[] = {
    PLAIN_TEXT("machine", machine, "where the steps were measured"),
    PLAIN_TEXT("date", date, "when"),
    FIELD_ROW(INTEGER, "cores", cores, .doc = "of the machine"),
    TOLERANCE_ROWS,
    FIELD_OBJECT("judged", judged, summary_type, "cells with a core for each rank"),
    FIELD_OBJECT("cores_free", cores_free, summary_type, "of these, with a core left"),
    FIELD_OBJECT("cores_taken", cores_taken, summary_type, "of these, with no core left"),
    FIELD_OBJECT("crowded", crowded, summary_type, "cells with more ranks than cores"),
    FIELD_LIST(OBJECTS, "cells", cells, cell_count, &cell_type,
               "by network, precision, ranks and batch"),
    {0},
};
const ObjectType validation_answer_type = OBJECT_TYPE(
    "Compare table answer",
    "The output of `trainyard compare --json` of a table of measured steps.", validation_fields);
#undef OWNER

static SummaryAnswer summary_answer(const ValidationSummary *summary)
{
    return (SummaryAnswer){summary->count, PERCENT * summary->mean, PERCENT * summary->bias,
                           PERCENT * summary->worst};
}

static CellAnswer cell_answer(const ValidationCell *cell)
{
    const ValidationRow *settings = cell->settings;
    return (CellAnswer){.network = settings->network,
                        .precision = step_precision_word(settings->precision),
                        .batch = settings->batch,
                        .ranks = settings->ranks,
                        .is_judged = cell->cores != CORES_CROWDED,
                        .rounds = cell->rounds,
                        .predicted_ms = cell->predicted_ms,
                        .measured_ms = cell->measured_ms,
                        .low_ms = cell->low_ms,
                        .high_ms = cell->high_ms,
                        .error_pct = PERCENT * cell->error,
                        .blame = cell->blame.part,
                        .blame_share_pct = PERCENT * cell->blame.share};
}

Json *validation_json(Arena *arena, const Validation *validation)
{
    ValidationAnswer answer = {.machine = validation->table->machine,
                               .date = validation->table->date,
                               .cores = validation->table->cores,
                               .tolerance_pct = PERCENT * validation->tolerance.worst,
                               .mean_pct = PERCENT * validation->tolerance.mean,
                               .is_inside = validation->is_inside,
                               .judged = summary_answer(&validation->judged),
                               .cores_free = summary_answer(&validation->uses[CORES_FREE]),
                               .cores_taken = summary_answer(&validation->uses[CORES_TAKEN]),
                               .crowded = summary_answer(&validation->uses[CORES_CROWDED]),
                               .cells = ARENA_ARRAY(arena, CellAnswer, validation->cell_count)};
    for (int32_t i = 0; i < validation->cell_count; i++)
        answer.cells[answer.cell_count++] = cell_answer(&validation->cells[i]);
    return plain_write(arena, &validation_answer_type, &answer);
}

#include "real/compare/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "real/compare/device.h"
#include "sim/base/units.h"
#include "sim/cloud/training/step_compute.h"
#include "sim/cloud/training/step_exchange.h"
#include "sim/model/compute.h"
#include "sim/study/statistics/sample.h"

/* --- Cells --- */

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Orders rows by cell. Rows of the same cell compare as equal. */
static int by_cell(const ValidationRow *a, const ValidationRow *b)
{
    int order = strcmp(a->network, b->network);
    order = order != 0 ? order : compare(a->precision, b->precision);
    order = order != 0 ? order : compare(a->ranks, b->ranks);
    return order != 0 ? order : compare(a->batch, b->batch);
}

static int by_cell_and_line(const void *left, const void *right)
{
    const ValidationRow *const *a = left, *const *b = right;
    const int order = by_cell(*a, *b);
    return order != 0 ? order : compare((*a)->at.line, (*b)->at.line);
}

/* The median, the least and the largest of one value in the rows of a cell, in ms. */
static double median_ms(Arena *arena, const ValidationRow *const *rows, int32_t count,
                        int64_t (*value_ns)(const ValidationRow *row, int32_t which), int32_t which,
                        double *low, double *high)
{
    double *values = ARENA_ARRAY(arena, double, count);
    for (int32_t i = 0; i < count; i++)
        values[i] = compare_in_unit(value_ns(rows[i], which), UNIT_MS);
    statistics_sort(values, count);
    *low = values[0];
    *high = values[count - 1];
    return statistics_median(values, count);
}

static int64_t step_ns(const ValidationRow *row, int32_t which)
{
    (void)which;
    return row->median_ns;
}

static int64_t phase_ns(const ValidationRow *row, int32_t which)
{
    return row->phase_ns[which];
}

/* --- Predicting --- */

/* The inputs of a prediction that are the same for all cells. */
typedef struct {
    const Catalog *catalog;
    const VmSize *vm_size;
    const Framework *framework;
    const ExchangeMethod *exchange;
    const Quantiles *jitter;
} Predictor;

static bool names_find(const Catalog *catalog, Predictor *predictor, Status *status)
{
    const Place at = place_in("--catalog", 0, 0);
    *predictor = (Predictor){.catalog = catalog,
                             .vm_size = catalog_vm_size(catalog, VALIDATION_VM_SIZE),
                             .framework = catalog_framework(catalog, VALIDATION_FRAMEWORK),
                             .exchange = catalog_exchange(catalog, VALIDATION_EXCHANGE),
                             .jitter = catalog_jitter(catalog, VALIDATION_JITTER)};
    if (!predictor->exchange)
        predictor->exchange = catalog_exchange(catalog, VALIDATION_EXCHANGE_OF_GPUS);
    const char *missing = !predictor->vm_size || !predictor->vm_size->gpu
                              ? "vm_sizes/" VALIDATION_VM_SIZE " with a gpu"
                          : !predictor->framework ? "frameworks/" VALIDATION_FRAMEWORK
                          : !predictor->exchange  ? "exchanges/" VALIDATION_EXCHANGE
                          : !predictor->jitter    ? "jitters/" VALIDATION_JITTER
                                                  : NULL;
    if (missing == NULL)
        return true;
    status_fail(status, STATUS_BAD_INPUT, at, "has no %s", missing);
    return status_hint(status, "\"trainyard calibrate\" creates a catalogue that has it");
}

/* The median of the slowest rank's factor, without random draws; it applies to all ranks. */
static Quantiles slowest_of(Arena *arena, const Quantiles *jitter, int32_t ranks)
{
    QuantileKnot *knot = ARENA_NEW(arena, QuantileKnot);
    const double probability = pow(0.5, 1.0 / ranks);
    knot->value = quantiles_at(*jitter, (uint64_t)(probability * 0x1p64));
    return (Quantiles){.count = 1, .knots = knot};
}

static bool program_find(Arena *arena, const Predictor *predictor, const ValidationRow *row,
                         const Program **program, Status *status)
{
    static const DataSet no_data = {.name = "none"};
    static const LearningCurve nothing_learned = {.name = "nothing"};
    Program *made = ARENA_NEW(arena, Program);
    *made = (Program){.kind = PROGRAM_TRAIN,
                      .name = row->network,
                      .precision = row->precision,
                      .network = catalog_network(predictor->catalog, row->network),
                      .data_set = &no_data,
                      .framework = predictor->framework,
                      .exchange = predictor->exchange,
                      .learning = &nothing_learned,
                      .step_jitter_ppm = slowest_of(arena, predictor->jitter, row->ranks),
                      .batch_per_rank = row->batch,
                      .epochs = 1,
                      .steps_per_epoch = row->steps};
    *program = made;
    if (made->network == NULL)
        return status_fail(status, STATUS_BAD_INPUT, row->at, "the catalogue has no network \"%s\"",
                           row->network);
    const StepCompute compute =
        step_compute(made, predictor->vm_size, busiest_share(row->ranks, 1));
    return step_compute_check(&compute, row->at, status) &&
           step_exchange_check(made, 1, row->ranks, row->at, status);
}

/* One step is enough, because all steps are predicted equal. */
static MeasuredStep predicted_step(Arena *arena, const Predictor *predictor,
                                   const ValidationRow *row, const Program *program)
{
    const PredictedJob job = predicted_program(program, predictor->vm_size, 1, row->ranks);
    return measured_run(arena, predicted_timeline(arena, &job, 1), row->ranks).steps[0][0];
}

/* --- A cell --- */

/* The part of a step to which each phase of the table belongs. */
static const Spent spent_of_phase[VALIDATION_PHASE_COUNT] = {
    [VALIDATION_LOAD] = SPENT_LOAD,       [VALIDATION_AUGMENT] = SPENT_AUGMENT,
    [VALIDATION_FORWARD] = SPENT_FORWARD, [VALIDATION_BACKWARD] = SPENT_BACKWARD,
    [VALIDATION_NEGOTIATE] = SPENT_WAIT,  [VALIDATION_ALLREDUCE] = SPENT_EXCHANGE,
    [VALIDATION_UPDATE] = SPENT_UPDATE,
};

static Blame blame_of(Arena *arena, const ValidationRow *const *rows, int32_t count,
                      const MeasuredStep *predicted, double measured_ms,
                      const NetworkModel *network)
{
    double spent_ms[SPENT_COUNT] = {0}, errors_ms[COMPARE_PART_COUNT] = {0}, low, high;
    spent_ms[SPENT_REST] = measured_ms;
    for (int32_t phase = 0; phase < VALIDATION_PHASE_COUNT; phase++) {
        const double ms = median_ms(arena, rows, count, phase_ns, phase, &low, &high);
        spent_ms[spent_of_phase[phase]] = ms;
        spent_ms[SPENT_REST] -= ms;
    }
    for (int32_t part = 0; part < COMPARE_PART_COUNT; part++)
        for (int32_t spent = 0; spent < SPENT_COUNT; spent++)
            if (compare_parts[part].spent >> spent & 1)
                errors_ms[part] +=
                    compare_in_unit(predicted->spent_ns[spent], UNIT_MS) - spent_ms[spent];
    return compare_blame(arena, network, errors_ms);
}

static CoreUse use_of(int32_t ranks, int32_t cores)
{
    return ranks < cores ? CORES_FREE : ranks == cores ? CORES_TAKEN : CORES_CROWDED;
}

static bool cell_make(Arena *arena, const Predictor *predictor, const ValidationRow *const *rows,
                      int32_t count, int32_t cores, ValidationCell *cell, Status *status)
{
    const Program *program;
    if (!program_find(arena, predictor, rows[0], &program, status))
        return false;
    const MeasuredStep predicted = predicted_step(arena, predictor, rows[0], program);
    *cell = (ValidationCell){.settings = rows[0],
                             .rounds = count,
                             .cores = use_of(rows[0]->ranks, cores),
                             .predicted_ms =
                                 compare_in_unit(predicted.end_ns - predicted.begin_ns, UNIT_MS)};
    cell->measured_ms = median_ms(arena, rows, count, step_ns, 0, &cell->low_ms, &cell->high_ms);
    cell->error = cell->predicted_ms / cell->measured_ms - 1;
    cell->blame = blame_of(arena, rows, count, &predicted, cell->measured_ms, program->network);
    return true;
}

/* --- All cells --- */

/* Summarizes the cells with a use from `first` to `last`. */
static ValidationSummary sum_up(const Validation *validation, CoreUse first, CoreUse last)
{
    ValidationSummary summary = {0};
    for (int32_t i = 0; i < validation->cell_count; i++) {
        const ValidationCell *cell = &validation->cells[i];
        if (cell->cores < first || cell->cores > last)
            continue;
        summary.count++;
        summary.mean += fabs(cell->error);
        summary.bias += cell->error;
        summary.worst = fmax(summary.worst, fabs(cell->error));
    }
    if (summary.count > 0) {
        summary.mean /= summary.count;
        summary.bias /= summary.count;
    }
    return summary;
}

static const ValidationRow **sorted_rows(Arena *arena, const ValidationTable *table)
{
    const ValidationRow **rows = ARENA_ARRAY(arena, const ValidationRow *, table->row_count);
    for (int32_t i = 0; i < table->row_count; i++)
        rows[i] = &table->rows[i];
    qsort(rows, (size_t)table->row_count, sizeof *rows, by_cell_and_line);
    return rows;
}

bool validation_judge(Arena *arena, const ValidationTable *table, const Catalog *catalog,
                      Tolerance tolerance, Validation *validation, Status *status)
{
    Predictor predictor;
    const Place first_row = table->rows[0].at;
    if (!names_find(catalog, &predictor, status) ||
        !device_check("this training", predictor.vm_size, device_of_backend(table->backend),
                      first_row, status))
        return false;
    const ValidationRow **rows = sorted_rows(arena, table);
    ValidationCell *cells = ARENA_ARRAY(arena, ValidationCell, table->row_count);
    *validation = (Validation){.table = table, .tolerance = tolerance, .cells = cells};
    for (int32_t first = 0, end; first < table->row_count; first = end) {
        for (end = first + 1; end < table->row_count && by_cell(rows[first], rows[end]) == 0;)
            end++;
        if (!cell_make(arena, &predictor, rows + first, end - first, table->cores,
                       &cells[validation->cell_count], status))
            return false;
        validation->cell_count++;
    }
    for (CoreUse use = CORES_FREE; use < CORE_USE_COUNT; use++)
        validation->uses[use] = sum_up(validation, use, use);
    validation->judged = sum_up(validation, CORES_FREE, CORES_TAKEN);
    validation->is_inside = validation->judged.count > 0 &&
                            validation->judged.mean <= tolerance.mean &&
                            validation->judged.worst <= tolerance.worst;
    return true;
}

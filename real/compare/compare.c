#include "real/compare/compare.h"

#include <inttypes.h>
#include <math.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"

const char *const compare_units[] = {"ms", "s", "images/s", ""};
_Static_assert(sizeof compare_units / sizeof compare_units[0] == UNIT_COUNT + 1, "a name each");

#define BIT(spent) (1U << (spent))
const ComparePart compare_parts[COMPARE_PART_COUNT] = {
    {"input", "the input pipeline", BIT(SPENT_LOAD) | BIT(SPENT_AUGMENT)},
    {"forward", "compute of the forward pass", BIT(SPENT_FORWARD)},
    {"backward", "compute of the backward pass", BIT(SPENT_BACKWARD)},
    {"wait", "waiting for the slowest rank", BIT(SPENT_WAIT)},
    {"all-reduce", "the all-reduce", BIT(SPENT_EXCHANGE)},
    {"update", "the update of weights", BIT(SPENT_UPDATE)},
    {"whole", "the step as a whole: no phases were measured", BIT(SPENT_WHOLE)},
    {"rest", "the time between the phases", BIT(SPENT_REST)},
};

/* --- Rows --- */

bool compare_row_has_error(const CompareRow *row)
{
    return row->is_predicted && row->measured.runs > 0 && row->measured.median > 0;
}

double compare_row_error(const CompareRow *row)
{
    return row->predicted / row->measured.median - 1;
}

/* The upper bound of the measurement gives the lower bound of the error. */
double compare_row_error_low(const CompareRow *row)
{
    return row->predicted / row->measured.high - 1;
}

double compare_row_error_high(const CompareRow *row)
{
    return row->measured.low > 0 ? row->predicted / row->measured.low - 1 : INFINITY;
}

double compare_in_unit(int64_t ns, CompareUnit unit)
{
    return (double)ns / (double)(unit == UNIT_S ? NS_PER_S : NS_PER_MS);
}

/* --- Series --- */

/* The state of one job's comparison. */
typedef struct {
    Arena *arena;
    CompareJob *job;
    int64_t *warmups; /* [run] */
    CompareRow *rows;
    int32_t count;
} Comparer;

/* A quantity of each step of a rank: the sum of some parts, or with 0 the whole step. */
typedef struct {
    int32_t rank;
    uint32_t spent;
} StepQuantity;

static double quantity_at(const MeasuredRun *run, StepQuantity what, int64_t index)
{
    const MeasuredStep *step = &run->steps[what.rank][index];
    int64_t sum_ns = 0;
    for (int32_t spent = 0; spent < SPENT_COUNT; spent++)
        if (what.spent >> spent & 1)
            sum_ns += step->spent_ns[spent];
    return compare_in_unit(what.spent ? sum_ns : step->end_ns - step->begin_ns, UNIT_MS);
}

static const double *series_of(Arena *arena, const MeasuredRun *run, StepQuantity what)
{
    double *values = ARENA_ARRAY(arena, double, run->step_count);
    for (int64_t i = 0; i < run->step_count; i++)
        values[i] = quantity_at(run, what, i);
    return values;
}

static Estimate steps_estimate(const Comparer *comparer, StepQuantity what)
{
    Estimate *runs = ARENA_ARRAY(comparer->arena, Estimate, comparer->job->run_count);
    for (int32_t i = 0; i < comparer->job->run_count; i++) {
        const MeasuredRun *run = &comparer->job->runs[i];
        runs[i] = estimate_series(comparer->arena, series_of(comparer->arena, run, what),
                                  run->step_count, comparer->warmups[i]);
    }
    return estimate_runs(comparer->arena, runs, comparer->job->run_count);
}

/* The median of the predicted steps, because the measured steps are summarized by their median. */
static double steps_predicted(const Comparer *comparer, StepQuantity what)
{
    const MeasuredRun *predicted = &comparer->job->predicted;
    return estimate_series(comparer->arena, series_of(comparer->arena, predicted, what),
                           predicted->step_count, 0)
        .median;
}

static CompareRow *row_add(Comparer *comparer, const char *what, CompareUnit unit)
{
    CompareRow *row = &comparer->rows[comparer->count++];
    *row = (CompareRow){.what = what, .unit = unit, .rank = -1};
    return row;
}

static CompareRow *steps_row(Comparer *comparer, const char *what, StepQuantity quantity)
{
    CompareRow *row = row_add(comparer, what, UNIT_MS);
    row->is_predicted = true;
    row->predicted = steps_predicted(comparer, quantity);
    row->measured = steps_estimate(comparer, quantity);
    return row;
}

/* --- A step, its parts, each rank's --- */

static bool shows_phases(const MeasuredRun *run)
{
    return run->steps[0][0].spent_ns[SPENT_WHOLE] == 0;
}

/* Adds the two parts of the input, which a prediction has only as one. */
static void add_input_details(Comparer *comparer)
{
    static const Spent details[] = {SPENT_LOAD, SPENT_AUGMENT};
    for (size_t i = 0; i < sizeof details / sizeof details[0]; i++) {
        CompareRow *row = row_add(comparer, spent_names[details[i]], UNIT_MS);
        row->is_part = true;
        row->measured = steps_estimate(comparer, (StepQuantity){0, BIT(details[i])});
    }
}

static void add_parts(Comparer *comparer)
{
    double errors_ms[COMPARE_PART_COUNT] = {0};
    if (!shows_phases(&comparer->job->runs[0])) {
        comparer->job->blame = (Blame){.words = "unknown, because no phases were measured"};
        return;
    }
    for (int32_t i = 0; i < COMPARE_PART_COUNT; i++) {
        const ComparePart *part = &compare_parts[i];
        CompareRow *row = steps_row(comparer, part->what, (StepQuantity){0, part->spent});
        row->is_part = true;
        errors_ms[i] = row->predicted - row->measured.median;
        if (row->predicted == 0 && row->measured.median == 0)
            comparer->count--; // one rank does not exchange
        else if (i == 0)
            add_input_details(comparer);
    }
    comparer->job->blame =
        compare_blame(comparer->arena, comparer->job->prediction->program->network, errors_ms);
}

/* The kind of layers with the most multiply-adds, and its share of them; NETWORK_LAYER_KIND_COUNT
 * if the layers are not known. */
static NetworkLayerKind busiest_kind(const NetworkModel *network, int64_t *percent)
{
    int64_t macs[NETWORK_LAYER_KIND_COUNT] = {0}, all = 0;
    int32_t busiest = 0;
    for (int32_t i = 0; i < network->layer_count; i++) {
        macs[network->layers[i].kind] += network->layers[i].forward_macs;
        all += network->layers[i].forward_macs;
    }
    for (int32_t kind = 1; kind < NETWORK_LAYER_KIND_COUNT; kind++)
        if (macs[kind] > macs[busiest])
            busiest = kind;
    *percent = all > 0 ? mul_div(100, macs[busiest], all) : 0;
    return all > 0 ? (NetworkLayerKind)busiest : NETWORK_LAYER_KIND_COUNT;
}

/* "compute of the backward pass, 94 % of whose arithmetic is in convolution layers" */
static const char *words_of(Arena *arena, const NetworkModel *network, const ComparePart *part)
{
    static const char *const kinds[] = {
#define X(name, text) text,
        NETWORK_LAYER_KINDS(X)
#undef X
    };
    int64_t percent;
    const NetworkLayerKind kind = busiest_kind(network, &percent);
    if ((part->spent & (BIT(SPENT_FORWARD) | BIT(SPENT_BACKWARD))) == 0 ||
        kind == NETWORK_LAYER_KIND_COUNT)
        return part->words;
    return arena_printf(arena, "%s, %" PRId64 " %% of whose arithmetic is in %s layers",
                        part->words, percent, kinds[kind]);
}

Blame compare_blame(Arena *arena, const NetworkModel *network, const double *errors_ms)
{
    int32_t worst = 0;
    double all_ms = 0;
    for (int32_t i = 0; i < COMPARE_PART_COUNT; i++) {
        all_ms += fabs(errors_ms[i]);
        if (fabs(errors_ms[i]) > fabs(errors_ms[worst]))
            worst = i;
    }
    if (all_ms == 0)
        return (Blame){.words = "no part, because no part has an error"};
    return (Blame){.part = compare_parts[worst].what,
                   .words = words_of(arena, network, &compare_parts[worst]),
                   .error_ms = errors_ms[worst],
                   .share = fabs(errors_ms[worst]) / all_ms};
}

static void add_ranks(Comparer *comparer)
{
    static const struct {
        const char *what;
        uint32_t spent;
    } of_each[] = {{"step", 0},
                   {"compute", BIT(SPENT_FORWARD) | BIT(SPENT_BACKWARD)},
                   {"wait", BIT(SPENT_WAIT)}};
    for (int32_t rank = 0; rank < comparer->job->predicted.ranks; rank++)
        for (size_t i = 0; i < sizeof of_each / sizeof of_each[0]; i++)
            steps_row(comparer, of_each[i].what, (StepQuantity){rank, of_each[i].spent})->rank =
                rank;
}

/* --- Quantities of many steps --- */

/* Images of all ranks in the time of a step. */
static void add_throughput(Comparer *comparer)
{
    const PredictedJob *prediction = comparer->job->prediction;
    const double images =
        (double)prediction->plan.ranks * (double)prediction->program->batch_per_rank;
    const CompareRow *step = &comparer->rows[0];
    CompareRow *row = row_add(comparer, "throughput", UNIT_IMAGES_PER_S);
    row->is_judged = row->is_predicted = step->predicted > 0;
    row->predicted = step->predicted > 0 ? 1e3 * images / step->predicted : 0;
    row->measured = step->measured;
    row->measured.median = 1e3 * images / step->measured.median;
    row->measured.low = 1e3 * images / step->measured.high;
    row->measured.high = 1e3 * images / step->measured.low;
}

/* The duration with number `index` in a run; false after the last. */
typedef bool DurationAt(const MeasuredRun *run, const StepPlan *plan, int64_t index,
                        int64_t *took_ns);

static bool epoch_at(const MeasuredRun *run, const StepPlan *plan, int64_t index, int64_t *took_ns)
{
    return measured_epoch_ns(run, plan->steps_per_epoch, index, took_ns);
}

static bool evaluation_at(const MeasuredRun *run, const StepPlan *plan, int64_t index,
                          int64_t *took_ns)
{
    (void)plan;
    *took_ns = index < run->evaluate_count ? run->evaluate_ns[index] : 0;
    return index < run->evaluate_count;
}

static bool checkpoint_at(const MeasuredRun *run, const StepPlan *plan, int64_t index,
                          int64_t *took_ns)
{
    (void)plan;
    *took_ns = index < run->checkpoint_count ? run->checkpoint_ns[index] : 0;
    return index < run->checkpoint_count;
}

/* The duration of all epochs, if the run has all of them. */
static bool training_at(const MeasuredRun *run, const StepPlan *plan, int64_t index,
                        int64_t *took_ns)
{
    *took_ns = run->ended_ns - run->began_ns;
    return index == 0 && run->step_count == plan->epochs * plan->steps_per_epoch;
}

static Estimate duration_estimate(const Comparer *comparer, const MeasuredRun *run, DurationAt *at,
                                  CompareUnit unit)
{
    const StepPlan *plan = &comparer->job->prediction->plan;
    double *values = ARENA_ARRAY(comparer->arena, double, run->step_count + 1);
    int64_t count = 0, took_ns;
    // A resumed run lacks the first epochs.
    for (int64_t index = 0; index < plan->epochs && count <= run->step_count; index++)
        if (at(run, plan, index, &took_ns))
            values[count++] = compare_in_unit(took_ns, unit);
    return estimate_series(comparer->arena, values, count, 0);
}

static Estimate durations_estimate(const Comparer *comparer, DurationAt *at, CompareUnit unit)
{
    Estimate *runs = ARENA_ARRAY(comparer->arena, Estimate, comparer->job->run_count);
    for (int32_t i = 0; i < comparer->job->run_count; i++)
        runs[i] = duration_estimate(comparer, &comparer->job->runs[i], at, unit);
    return estimate_runs(comparer->arena, runs, comparer->job->run_count);
}

/* Adds a row unless no such duration was measured. `predicted` is in the unit; 0: unknown. */
static void duration_row(Comparer *comparer, const char *what, CompareUnit unit, DurationAt *at,
                         double predicted, bool is_judged)
{
    const Estimate measured = durations_estimate(comparer, at, unit);
    if (measured.runs == 0)
        return;
    CompareRow *row = row_add(comparer, what, unit);
    row->is_predicted = predicted > 0;
    row->is_judged = is_judged && row->is_predicted;
    row->predicted = predicted;
    row->measured = measured;
}

static void add_durations(Comparer *comparer)
{
    const PredictedJob *prediction = comparer->job->prediction;
    const MeasuredRun *predicted = &comparer->job->predicted;
    duration_row(comparer, "epoch", UNIT_S, epoch_at,
                 duration_estimate(comparer, predicted, epoch_at, UNIT_S).median, true);
    duration_row(comparer, "evaluation", UNIT_MS, evaluation_at,
                 compare_in_unit(prediction->plan.evaluate_ns, UNIT_MS), false);
    duration_row(comparer, "checkpoint", UNIT_MS, checkpoint_at,
                 compare_in_unit(prediction->checkpoint_ns, UNIT_MS), false);
    duration_row(comparer, "training", UNIT_S, training_at,
                 duration_estimate(comparer, predicted, training_at, UNIT_S).median,
                 !prediction->guesses_samples);
}

/* --- A job --- */

/* Adds the runs that have steps. */
static void measure(Arena *arena, CompareJob *job, const MeasuredFiles *files, int32_t count)
{
    MeasuredRun *runs = ARENA_ARRAY(arena, MeasuredRun, count);
    const TimelineFile **each = ARENA_ARRAY(arena, const TimelineFile *, count);
    for (int32_t i = 0; i < count; i++) {
        invariant(files[i].ranks == job->prediction->plan.ranks);
        const MeasuredRun run = measured_run(arena, files[i].files, files[i].ranks);
        if (run.step_count == 0)
            continue;
        each[job->run_count] = files[i].files;
        runs[job->run_count++] = run;
    }
    job->runs = runs;
    job->files = each;
}

static void predict(Arena *arena, CompareJob *job)
{
    int64_t steps = 0;
    for (int32_t i = 0; i < job->run_count; i++)
        steps = job->runs[i].step_count > steps ? job->runs[i].step_count : steps;
    job->predicted_files = predicted_timeline(arena, job->prediction, steps);
    job->predicted = measured_run(arena, job->predicted_files, job->prediction->plan.ranks);
}

static void compare_all(Comparer *comparer)
{
    CompareJob *job = comparer->job;
    for (int32_t i = 0; i < job->run_count; i++)
        comparer->warmups[i] =
            estimate_warmup(series_of(comparer->arena, &job->runs[i], (StepQuantity){0, 0}),
                            job->runs[i].step_count);
    steps_row(comparer, "step", (StepQuantity){0, 0})->is_judged = true;
    add_parts(comparer);
    add_throughput(comparer);
    add_durations(comparer);
    if (job->predicted.ranks > 1)
        add_ranks(comparer);
    job->first_warmup = comparer->warmups[0];
    job->rows = comparer->rows;
    job->row_count = comparer->count;
}

bool compare_job(Arena *arena, const PredictedJob *prediction, const MeasuredFiles *runs,
                 int32_t run_count, CompareJob *job)
{
    enum { ROWS_OF_ALL = 24, ROWS_OF_RANK = 3 };
    *job = (CompareJob){.prediction = prediction, .recovery = {.steps_lost = -1}};
    measure(arena, job, runs, run_count);
    if (job->run_count == 0)
        return false;
    predict(arena, job);
    Comparer comparer = {.arena = arena,
                         .job = job,
                         .warmups = ARENA_ARRAY(arena, int64_t, job->run_count),
                         .rows = ARENA_ARRAY(arena, CompareRow,
                                             ROWS_OF_ALL + ROWS_OF_RANK * prediction->plan.ranks)};
    compare_all(&comparer);
    return true;
}

/* --- All jobs --- */

Comparison compare_sum_up(Tolerance tolerance, const CompareJob *jobs, int32_t job_count)
{
    Comparison all = {
        .tolerance = tolerance, .jobs = jobs, .job_count = job_count, .other_cores = -1};
    double step_errors = 0;
    int32_t steps = 0;
    for (int32_t i = 0; i < job_count; i++) {
        for (int32_t r = 0; r < jobs[i].row_count; r++) {
            const CompareRow *row = &jobs[i].rows[r];
            if (!row->is_judged || !compare_row_has_error(row))
                continue;
            all.judged++;
            all.worst_error = fmax(all.worst_error, fabs(compare_row_error(row)));
        }
        if (compare_row_has_error(&jobs[i].rows[0])) {
            step_errors += fabs(compare_row_error(&jobs[i].rows[0]));
            steps++;
        }
    }
    all.mean_error = steps > 0 ? step_errors / steps : 0;
    all.is_inside =
        all.judged > 0 && all.worst_error <= tolerance.worst && all.mean_error <= tolerance.mean;
    return all;
}

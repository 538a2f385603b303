#include "sim/cloud/training/training.h"

#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"
#include "sim/engine/rng.h"
#include "sim/model/bounded.h"
#include "sim/model/learning.h"
#include "sim/model/random_math.h"

int64_t step_parts_sum(StepParts parts)
{
    int64_t own_ns = bounded_add(bounded_add(parts.input_ns, parts.compute_ns), parts.wait_ns);
    return bounded_add(own_ns, bounded_add(parts.exchange_ns, parts.update_ns));
}

StepParts step_parts_add(StepParts a, StepParts b)
{
    return (StepParts){.input_ns = bounded_add(a.input_ns, b.input_ns),
                       .compute_ns = bounded_add(a.compute_ns, b.compute_ns),
                       .wait_ns = bounded_add(a.wait_ns, b.wait_ns),
                       .exchange_ns = bounded_add(a.exchange_ns, b.exchange_ns),
                       .update_ns = bounded_add(a.update_ns, b.update_ns)};
}

StepParts step_parts_times(StepParts parts, int64_t count)
{
    return (StepParts){.input_ns = bounded_times(parts.input_ns, count),
                       .compute_ns = bounded_times(parts.compute_ns, count),
                       .wait_ns = bounded_times(parts.wait_ns, count),
                       .exchange_ns = bounded_times(parts.exchange_ns, count),
                       .update_ns = bounded_times(parts.update_ns, count)};
}

/* --- Node time --- */

int64_t node_time_sum(NodeTime time)
{
    int64_t sum_ns = bounded_add(time.kept_ns, time.exchange_ns);
    sum_ns = bounded_add(sum_ns, bounded_add(time.input_ns, time.gang_ns));
    return bounded_add(sum_ns, bounded_add(time.startup_ns, time.checkpoint_ns));
}

NodeTime node_time_add(NodeTime a, NodeTime b)
{
    return (NodeTime){.kept_ns = bounded_add(a.kept_ns, b.kept_ns),
                      .exchange_ns = bounded_add(a.exchange_ns, b.exchange_ns),
                      .input_ns = bounded_add(a.input_ns, b.input_ns),
                      .gang_ns = bounded_add(a.gang_ns, b.gang_ns),
                      .startup_ns = bounded_add(a.startup_ns, b.startup_ns),
                      .checkpoint_ns = bounded_add(a.checkpoint_ns, b.checkpoint_ns)};
}

NodeTime node_time_times(NodeTime time, int64_t count)
{
    return (NodeTime){.kept_ns = bounded_times(time.kept_ns, count),
                      .exchange_ns = bounded_times(time.exchange_ns, count),
                      .input_ns = bounded_times(time.input_ns, count),
                      .gang_ns = bounded_times(time.gang_ns, count),
                      .startup_ns = bounded_times(time.startup_ns, count),
                      .checkpoint_ns = bounded_times(time.checkpoint_ns, count)};
}

/* amount * numerator / denominator, rounded down, INT64_MAX at most: slow nodes and crowded wires
 * can make it larger. */
static int64_t part_of(int64_t amount, int64_t numerator, int64_t denominator)
{
    invariant(amount >= 0);
    invariant(numerator >= 0);
    invariant(denominator > 0);
    const WideUnsigned part =
        wide_quotient((WideUnsigned)amount * (WideUnsigned)numerator, (uint64_t)denominator);
    return part > INT64_MAX ? INT64_MAX : (int64_t)part;
}

NodeTime node_time_part(NodeTime time, int64_t numerator, int64_t denominator)
{
    return (NodeTime){.kept_ns = part_of(time.kept_ns, numerator, denominator),
                      .exchange_ns = part_of(time.exchange_ns, numerator, denominator),
                      .input_ns = part_of(time.input_ns, numerator, denominator),
                      .gang_ns = part_of(time.gang_ns, numerator, denominator),
                      .startup_ns = part_of(time.startup_ns, numerator, denominator),
                      .checkpoint_ns = part_of(time.checkpoint_ns, numerator, denominator)};
}

int32_t training_node_of_rank(int32_t rank, int32_t ranks, int32_t nodes)
{
    return (int32_t)((int64_t)rank * nodes / ranks);
}

/* The first rank on `node`, if there are at least as many ranks as nodes. */
static int32_t first_rank(int32_t node, int32_t ranks, int32_t nodes)
{
    return (int32_t)divide_up((int64_t)node * ranks, nodes);
}

NodeTime training_node_time(const StepParts *parts, StepParts all, int32_t ranks, int32_t nodes)
{
    int32_t busy_nodes = ranks < nodes ? ranks : nodes;
    StepParts sum = {0};
    if (!parts)
        sum = step_parts_times(all, busy_nodes);
    for (int32_t n = 0; parts && n < busy_nodes; n++)
        sum = step_parts_add(sum, parts[ranks <= nodes ? n : first_rank(n, ranks, nodes)]);
    int64_t span_ns = step_parts_sum(parts ? parts[0] : all);
    int64_t idle_ns = bounded_times(nodes - busy_nodes, span_ns);
    return (NodeTime){.kept_ns = bounded_add(sum.compute_ns, sum.update_ns),
                      .exchange_ns = sum.exchange_ns,
                      .input_ns = sum.input_ns,
                      .gang_ns = bounded_add(sum.wait_ns, idle_ns)};
}

/* --- A step --- */

static uint64_t jitter_word(uint64_t seed, uint64_t address, int64_t step, int32_t rank)
{
    return rng_word(seed, RNG_STEP, address, (uint64_t)step << 16 | (uint64_t)rank);
}

/* The parts of a rank with this factor, without the wait for the slowest rank. */
static StepParts own_parts(const StepPlan *plan, int64_t factor_ppm)
{
    StepParts parts = {.compute_ns = bounded_part(plan->compute_ns, factor_ppm, PPM),
                       .wait_ns = plan->bubble_ns,
                       .exchange_ns = plan->exchange_ns,
                       .update_ns = plan->update_ns};
    int64_t excess_ns = bounded_part(plan->input_ns, factor_ppm, PPM) - step_parts_sum(parts);
    parts.input_ns = excess_ns > 0 ? excess_ns : 0;
    return parts;
}

/* Own parts grow with the factor, and the factor grows with the word, so the slowest rank has the
 * largest word. */
static int64_t duration_at_word_ns(const StepPlan *plan, uint64_t largest)
{
    return step_parts_sum(own_parts(plan, quantiles_at(plan->jitter_ppm, largest)));
}

int64_t training_steps_until(const Training *training, int64_t epochs_done)
{
    const int64_t steps = plan_steps(&training->plan, training->first_epoch, epochs_done);
    return epochs_done > training->first_epoch ? steps - training->first_step : 0;
}

int64_t step_duration_ns(const StepPlan *plan, uint64_t seed, uint64_t address, int64_t step)
{
    uint64_t largest = 0;
    const bool is_constant = plan->jitter_ppm.count == 1;
    for (int32_t rank = 0; rank < plan->ranks && !is_constant; rank++) {
        uint64_t word = jitter_word(seed, address, step, rank);
        largest = word > largest ? word : largest;
    }
    return duration_at_word_ns(plan, largest);
}

/* Sets the waits of all ranks for the slowest. Returns the duration of the step. */
static int64_t wait_for_slowest(StepParts *parts, int32_t ranks)
{
    int64_t slowest_ns = 0;
    for (int32_t rank = 0; rank < ranks; rank++) {
        int64_t own_ns = step_parts_sum(parts[rank]);
        parts[rank].wait_ns -= own_ns;
        slowest_ns = own_ns > slowest_ns ? own_ns : slowest_ns;
    }
    for (int32_t rank = 0; rank < ranks; rank++)
        parts[rank].wait_ns += slowest_ns;
    return slowest_ns;
}

int64_t step_parts_of_ranks(const StepPlan *plan, uint64_t seed, uint64_t address, int64_t step,
                            const int64_t *speed_ppm, StepParts *parts)
{
    for (int32_t rank = 0; rank < plan->ranks; rank++) {
        int64_t factor_ppm = quantiles_at(plan->jitter_ppm, jitter_word(seed, address, step, rank));
        if (speed_ppm)
            factor_ppm = bounded_part(factor_ppm, PPM, speed_ppm[rank]);
        parts[rank] = own_parts(plan, factor_ppm);
    }
    return wait_for_slowest(parts, plan->ranks);
}

/* The mean of max(0, f input - (f compute + rest)), where f is the largest of `draws` factors: with
 * slope = input - compute, it is slope times the mean excess of f over rest / slope. */
static int64_t mean_input_ns(const StepPlan *plan, int32_t draws)
{
    int64_t slope_ns = plan->input_ns - plan->compute_ns;
    if (slope_ns <= 0)
        return 0;
    int64_t rest_ns = bounded_add(plan->bubble_ns, bounded_add(plan->exchange_ns, plan->update_ns));
    int64_t threshold_ppm = part_of(rest_ns, PPM, slope_ns);
    return part_of(slope_ns, quantiles_mean_excess(plan->jitter_ppm, draws, threshold_ppm), PPM);
}

static StepParts mean_own_parts(const StepPlan *plan, int32_t draws)
{
    int64_t factor_ppm = quantiles_mean_of_max(plan->jitter_ppm, draws);
    return (StepParts){.input_ns = mean_input_ns(plan, draws),
                       .compute_ns = part_of(plan->compute_ns, factor_ppm, PPM),
                       .wait_ns = plan->bubble_ns,
                       .exchange_ns = plan->exchange_ns,
                       .update_ns = plan->update_ns};
}

StepParts step_parts_mean(const StepPlan *plan)
{
    int64_t step_ns = step_parts_sum(mean_own_parts(plan, plan->ranks));
    StepParts parts = mean_own_parts(plan, 1);
    parts.wait_ns += step_ns - step_parts_sum(parts);
    return parts;
}

/* The plan of a rank on a node of that speed. */
static StepPlan plan_at_speed(const StepPlan *plan, int64_t speed_ppm)
{
    StepPlan slower = *plan;
    slower.compute_ns = bounded_part(plan->compute_ns, PPM, speed_ppm);
    slower.input_ns = bounded_part(plan->input_ns, PPM, speed_ppm);
    return slower;
}

/* The probability that a factor is at most `value`. */
static double part_below(Quantiles factors, double value)
{
    const QuantileKnot *knots = factors.knots;
    int32_t last = factors.count - 1, upper = 0;
    while (upper <= last && value >= (double)knots[upper].value)
        upper++;
    if (upper == 0)
        return 0;
    if (upper > last)
        return 1;
    const QuantileKnot *low = &knots[upper - 1], *high = &knots[upper];
    double way = (value - (double)low->value) / (double)(high->value - low->value);
    double rise = (double)(high->probability_ppm - low->probability_ppm);
    return ((double)low->probability_ppm + way * rise) / (double)PPM;
}

/* The probability that no rank's factor, divided by its speed, is more than `value`. */
static double part_all_below(const StepPlan *plan, const int64_t *speed_ppm, double value)
{
    double part = 1;
    for (int32_t rank = 0, next; rank < plan->ranks && part > 0; rank = next) {
        for (next = rank + 1; next < plan->ranks && speed_ppm[next] == speed_ppm[rank];)
            next++;
        double factor = value * (double)speed_ppm[rank] / (double)PPM;
        part *= random_power(part_below(plan->jitter_ppm, factor), next - rank);
    }
    return part;
}

enum { PACE_KNOTS = 257 };

/* The distribution of the largest factor of all ranks, each divided by its rank's speed, as a table
 * in `knots`. Own parts grow with the factor, so the largest sets the pace of all. */
static Quantiles pace_quantiles(const StepPlan *plan, const int64_t *speed_ppm, QuantileKnot *knots)
{
    const QuantileKnot *factors = plan->jitter_ppm.knots;
    int64_t slowest_ppm = speed_ppm[0];
    for (int32_t rank = 1; rank < plan->ranks; rank++)
        slowest_ppm = speed_ppm[rank] < slowest_ppm ? speed_ppm[rank] : slowest_ppm;
    int64_t least = bounded_part(factors[0].value, PPM, slowest_ppm);
    int64_t most = bounded_part(factors[plan->jitter_ppm.count - 1].value, PPM, slowest_ppm);
    knots[0] = (QuantileKnot){.probability_ppm = 0, .value = least};
    if (least == most)
        return (Quantiles){.count = 1, .knots = knots};
    for (int32_t i = 1; i < PACE_KNOTS - 1; i++) {
        int64_t value = least + part_of(most - least, i, PACE_KNOTS - 1);
        double part = part_all_below(plan, speed_ppm, (double)value);
        knots[i] = (QuantileKnot){(int64_t)(part * (double)PPM + 0.5), value};
    }
    knots[PACE_KNOTS - 1] = (QuantileKnot){.probability_ppm = PPM, .value = most};
    return (Quantiles){.count = PACE_KNOTS, .knots = knots};
}

void step_parts_mean_of_ranks(const StepPlan *plan, const int64_t *speed_ppm, StepParts *parts)
{
    QuantileKnot knots[PACE_KNOTS];
    StepPlan pace = *plan;
    pace.jitter_ppm = pace_quantiles(plan, speed_ppm, knots);
    int64_t step_ns = step_parts_sum(mean_own_parts(&pace, 1));
    for (int32_t rank = 0; rank < plan->ranks; rank++) {
        StepPlan slower = plan_at_speed(plan, speed_ppm[rank]);
        parts[rank] = mean_own_parts(&slower, 1);
        int64_t own_ns = step_parts_sum(parts[rank]); // exceeds step_ns only by rounding
        step_ns = own_ns > step_ns ? own_ns : step_ns;
    }
    for (int32_t rank = 0; rank < plan->ranks; rank++)
        parts[rank].wait_ns += step_ns - step_parts_sum(parts[rank]);
}

uint64_t training_step_address(uint64_t address, int32_t attempt)
{
    uint8_t number[] = {(uint8_t)attempt, (uint8_t)(attempt >> 8), (uint8_t)(attempt >> 16),
                        (uint8_t)(attempt >> 24)};
    return attempt <= 1 ? address : bytes_hash(address, number, sizeof number);
}

/* --- Learning --- */

/* Validation accuracy without noise after `steps` steps; a curve of one knot is flat. */
static int64_t mean_accuracy_ppm(const Program *program, const StepPlan *plan, int64_t steps)
{
    const LearningCurve *curve = program->learning;
    const LearningKnot *knots = curve->knots;
    if (curve->count == 1)
        return knots[0].accuracy_ppm;
    int64_t epochs_milli =
        mul_div(steps, program->batch_per_rank * 1000, program->data_set->train_samples);
    int32_t high = 1;
    while (high < curve->count - 1 && epochs_milli > knots[high].epochs_milli)
        high++;
    LearningPoint from = {knots[high - 1].epochs_milli, knots[high - 1].accuracy_ppm};
    LearningPoint to = {knots[high].epochs_milli, knots[high].accuracy_ppm};
    int64_t accuracy_ppm =
        learning_accuracy_ppm(from, to, epochs_milli) -
        learning_ranks_loss_ppm(plan->ranks, curve->accuracy_loss_per_doubling_ppm);
    // The first knot is the accuracy of a guess, the lower bound.
    return accuracy_ppm > knots[0].accuracy_ppm ? accuracy_ppm : knots[0].accuracy_ppm;
}

static int64_t loss_at(const LearningCurve *curve, int64_t accuracy_ppm)
{
    LossLine line = {.chance_ppm = curve->knots[0].accuracy_ppm,
                     .at_chance_micro = curve->loss_at_chance_micro,
                     .final_micro = curve->final_loss_micro};
    return learning_loss_micro(line, accuracy_ppm);
}

enum { EPOCH_SHIFT = 24, RANK_SHIFT = 8 };

static uint64_t learning_word(uint64_t seed, uint64_t address, int64_t epoch, int32_t rank,
                              int32_t which)
{
    uint64_t draw = (uint64_t)epoch << EPOCH_SHIFT | (uint64_t)rank << RANK_SHIFT | (uint64_t)which;
    return rng_word(seed, RNG_LEARNING, address, draw);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The accuracy rounded down to a whole number of hits among `samples`. */
static int64_t whole_hits_ppm(int64_t accuracy_ppm, int64_t samples)
{
    int64_t hits = mul_div(clamp(accuracy_ppm, 0, PPM), samples, PPM);
    return mul_div(hits, PPM, samples);
}

/* The validation accuracy after the epoch, with a deviation of at most noise_ppm either way. */
static int64_t evaluation_ppm(const Program *program, const StepPlan *plan, uint64_t seed,
                              uint64_t address, int64_t epochs_done)
{
    uint64_t word = learning_word(seed, address, epochs_done - 1, 0, 0);
    int64_t noise_ppm = program->learning->noise_ppm;
    int64_t deviation_ppm =
        mul_div((int64_t)(word >> 32), 2 * noise_ppm + 1, INT64_C(1) << 32) - noise_ppm;
    int64_t mean_ppm = mean_accuracy_ppm(program, plan, epochs_done * plan->steps_per_epoch);
    return whole_hits_ppm(mean_ppm + deviation_ppm, program->data_set->test_samples);
}

static int64_t train_accuracy_ppm(const Program *program, const StepPlan *plan, int64_t steps)
{
    const LearningCurve *curve = program->learning;
    return clamp(mean_accuracy_ppm(program, plan, steps) - curve->train_gap_ppm,
                 curve->knots[0].accuracy_ppm, PPM);
}

/* The deviation for one stretch of steps, from -255 to 255, with standard deviation 209 / 2: the
 * sum of two bytes of the word, a triangular distribution in place of the normal one. A word is
 * used for four stretches. */
static int64_t deviation_of(uint64_t word, int32_t stretch)
{
    uint64_t bits = word >> (stretch % 4 * 16);
    return (int64_t)(bits & 255) + (int64_t)(bits >> 8 & 255) - 255;
}

/* The hits after `steps_done` steps, in millionths. The first step, the second, the next two, four,
 * eight, ... are stretches, each with its own deviation. A stretch under way counts in proportion
 * to its steps that are done. */
static int64_t micro_hits(const Program *program, int64_t mean_ppm, int64_t steps_done,
                          uint64_t seed, uint64_t address, int64_t epoch, int32_t rank)
{
    int64_t batch = program->batch_per_rank;
    // A stretch four times as long deviates twice as much, so two square roots are enough.
    int64_t spread_micro = 1000 * learning_hits_spread_milli(batch, mean_ppm);
    int64_t next_spread_micro = 1000 * learning_hits_spread_milli(2 * batch, mean_ppm);
    int64_t hits = 0;
    uint64_t word = 0;
    int64_t steps = 1;
    for (int64_t done = 0, stretch = 0; done < steps_done; done += steps, stretch++) {
        if (stretch % 4 == 0)
            word = learning_word(seed, address, epoch, rank, 1 + (int32_t)stretch / 4);
        if (stretch > 1) {
            steps *= 2;
            int64_t spread_before = spread_micro;
            spread_micro = next_spread_micro;
            next_spread_micro = 2 * spread_before;
        }
        int64_t of_stretch = steps * batch * mean_ppm +
                             deviation_of(word, (int32_t)stretch) * spread_micro * 2 / 209;
        of_stretch = clamp(of_stretch, 0, steps * batch * PPM);
        int64_t left = steps_done - done;
        hits += left < steps ? of_stretch / steps * left : of_stretch;
    }
    return hits;
}

void training_progress(const Program *program, const StepPlan *plan, uint64_t seed,
                       uint64_t address, int64_t epoch, int64_t steps_done, int32_t rank,
                       int64_t *accuracy_ppm, int64_t *loss_micro)
{
    invariant(steps_done >= 1);
    // The curve is smooth: its value at half of the steps is close to the mean over the steps done.
    int64_t mean_ppm =
        train_accuracy_ppm(program, plan, epoch * plan->steps_per_epoch + steps_done / 2);
    int64_t hits = micro_hits(program, mean_ppm, steps_done, seed, address, epoch, rank) / PPM;
    *accuracy_ppm = hits * PPM / (steps_done * program->batch_per_rank);
    // Loss is less noisy than hits, because an untrained network is as unsure of its hits as of its
    // misses. It has a quarter of the deviation.
    *loss_micro = loss_at(program->learning, (3 * mean_ppm + *accuracy_ppm) / 4);
}

EpochResult training_results(const Program *program, const StepPlan *plan, uint64_t seed,
                             uint64_t address, int64_t epochs_done)
{
    invariant(epochs_done >= 1);
    EpochResult result = {0};
    if (program->learning == NULL)
        return result;
    training_progress(program, plan, seed, address, epochs_done - 1, plan->steps_per_epoch, 0,
                      &result.train_accuracy_ppm, &result.train_loss_micro);
    result.accuracy_ppm = evaluation_ppm(program, plan, seed, address, epochs_done);
    result.loss_micro = loss_at(program->learning, result.accuracy_ppm);
    return result;
}

#include "sim/model/learning.h"

#include <math.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"

static double flattened(int64_t epochs_milli)
{
    return 1 / (1 + sqrt((double)epochs_milli / 1000));
}

int64_t learning_accuracy_ppm(LearningPoint low, LearningPoint high, int64_t epochs_milli)
{
    invariant(epochs_milli >= 0);
    invariant(low.epochs_milli < high.epochs_milli);
    double from = flattened(low.epochs_milli);
    double way = (from - flattened(epochs_milli)) / (from - flattened(high.epochs_milli));
    double accuracy =
        (double)low.accuracy_ppm + way * (double)(high.accuracy_ppm - low.accuracy_ppm);
    if (accuracy <= 0)
        return 0;
    return accuracy >= PPM ? PPM : (int64_t)(accuracy + 0.5);
}

int64_t learning_loss_micro(LossLine line, int64_t accuracy_ppm)
{
    invariant(line.chance_ppm < PPM);
    invariant(accuracy_ppm <= PPM);
    return line.final_micro + mul_div(line.at_chance_micro - line.final_micro, PPM - accuracy_ppm,
                                      PPM - line.chance_ppm);
}

int64_t learning_ranks_loss_ppm(int32_t ranks, int64_t per_doubling_ppm)
{
    invariant(ranks >= 1);
    int64_t doublings = 0;
    int64_t power = 1;
    for (; power * 2 <= ranks; power *= 2)
        doublings++;
    return doublings * per_doubling_ppm + mul_div(ranks - power, per_doubling_ppm, power);
}

int64_t learning_hits_spread_milli(int64_t samples, int64_t accuracy_ppm)
{
    double hit = (double)accuracy_ppm / PPM;
    return (int64_t)(1000 * sqrt((double)samples * hit * (1 - hit)));
}

#include "sim/study/statistics/stopping.h"

#include "sim/base/invariant.h"

/* Half as many again, at least one more. */
static int32_t longer(int32_t total, int32_t most)
{
    int64_t next = (int64_t)total + total / 2;
    if (next == total)
        next++;
    return next < most ? (int32_t)next : most;
}

int32_t stopping_wave(const StoppingRule *rule, int32_t wave)
{
    invariant(rule->at_most >= 1);
    invariant(wave >= 0);
    int32_t total = rule->at_least < 1 ? 1 : rule->at_least;
    total = total < rule->at_most ? total : rule->at_most;
    for (int32_t i = 0; i < wave && total < rule->at_most; i++)
        total = longer(total, rule->at_most);
    return total;
}

int32_t stopping_next(const StoppingRule *rule, int32_t done)
{
    int32_t total = stopping_wave(rule, 0);
    while (total <= done && total < rule->at_most)
        total = longer(total, rule->at_most);
    return total > done ? total : done;
}

StoppingLook stopping_look(const StoppingRule *rule, const Estimate *estimate)
{
    const bool has_wish = rule->relative_half_width > 0 || rule->half_width > 0;
    const bool may_stop = estimate->count >= STOPPING_FIRST_LOOK || !has_wish;
    const bool is_relative_met =
        rule->relative_half_width <= 0 ||
        estimate_relative_half_width(estimate) <= rule->relative_half_width;
    const bool is_absolute_met = rule->half_width <= 0 || estimate->half_width <= rule->half_width;
    if (may_stop && is_relative_met && is_absolute_met)
        return STOPPING_MET;
    return estimate->count >= rule->at_most ? STOPPING_EXHAUSTED : STOPPING_GO_ON;
}

#include "sim/output/metrics/attribution.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"

static const struct {
    const char *name;
    const char *words;
} uses[] = {
#define X(name, text, words) {text, words},
    NODE_USES(X)
#undef X
};
_Static_assert(sizeof uses / sizeof uses[0] == USE_COUNT, "one row per use");

const char *node_use_name(NodeUse use)
{
    return uses[use].name;
}

const char *node_use_words(NodeUse use)
{
    return uses[use].words;
}

bool node_use_is_without_job(NodeUse use)
{
    return use == USE_GANG || (use >= USE_OF_ATTEMPTS && use != USE_UNATTRIBUTED);
}

/* Halves the weights until their sum fits: 292 years of nodes are divided to the ns. */
static int64_t weights_fit(const Wide *weight, int64_t *fitting)
{
    for (int shift = 0;; shift++) {
        Wide sum = 0;
        for (int use = 0; use < USE_COUNT; use++)
            sum += weight[use] > 0 ? weight[use] >> shift : 0;
        if (sum > INT64_MAX)
            continue;
        for (int use = 0; use < USE_COUNT; use++)
            fitting[use] = weight[use] > 0 ? (int64_t)(weight[use] >> shift) : 0;
        return (int64_t)sum;
    }
}

/* a * b % c, as mul_div(a, b, c) leaves it. */
static int64_t remainder_of(int64_t a, int64_t b, int64_t c, int64_t quotient)
{
    // The difference is less than c, so it is right although both products may wrap.
    return (int64_t)((uint64_t)a * (uint64_t)b - (uint64_t)quotient * (uint64_t)c);
}

void attribution_divide(int64_t amount, const Wide *weight, int64_t *part)
{
    int64_t fitting[USE_COUNT], left[USE_COUNT];
    const int64_t sum = weights_fit(weight, fitting);
    int64_t rest = amount;
    for (int use = 0; use < USE_COUNT; use++) {
        part[use] = sum > 0 ? mul_div(amount, fitting[use], sum) : 0;
        left[use] = sum > 0 ? remainder_of(amount, fitting[use], sum, part[use]) : 0;
        rest -= part[use];
    }
    if (sum == 0) {
        part[USE_UNATTRIBUTED] = rest;
        return;
    }
    invariant(rest >= 0 && rest < USE_COUNT);
    for (; rest > 0; rest--) {
        int largest = 0;
        for (int use = 1; use < USE_COUNT; use++)
            if (left[use] > left[largest])
                largest = use;
        part[largest]++;
        left[largest] = -1;
    }
}

int64_t uses_goodput_ppm(const Wide *use_ns)
{
    Wide sum_ns = 0;
    for (int use = 0; use < USE_OF_ATTEMPTS; use++)
        sum_ns += use_ns[use];
    const Wide forward_ns =
        use_ns[USE_USEFUL] + use_ns[USE_EXCHANGE] + use_ns[USE_INPUT] + use_ns[USE_CHECKPOINT];
    return sum_ns > 0 ? wide_proportion(forward_ns, PPM, sum_ns) : INT64_MAX;
}

#include "sim/model/arrival_count.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"
#include "sim/model/week_hours.h"

/* Part of a period with one factor: an hour, or less at the ends. */
typedef struct {
    int64_t begin_ns; /* since the begin of the period */
    int64_t length_ns;
    int64_t factor;
} Stretch;

static Stretch stretch_at(const ArrivalPeriod *period, int64_t since_ns)
{
    Stretch stretch = {since_ns, period->length_ns - since_ns, 1};
    if (period->factors == NULL)
        return stretch;
    const Wide clock_ns = (Wide)week_start_ns(period->start_unix_ms) + period->begin_ns + since_ns;
    const int64_t left_ns = NS_PER_HOUR - (int64_t)(clock_ns % NS_PER_HOUR);
    stretch.factor = period->factors[(int32_t)(clock_ns / NS_PER_HOUR % HOURS_A_WEEK)];
    if (left_ns < stretch.length_ns)
        stretch.length_ns = left_ns;
    return stretch;
}

static Wide weight_of(Stretch stretch)
{
    return (Wide)stretch.length_ns * stretch.factor;
}

static Wide whole_weight(const ArrivalPeriod *period)
{
    Wide sum = 0;
    for (int64_t since_ns = 0; since_ns < period->length_ns;) {
        const Stretch stretch = stretch_at(period, since_ns);
        sum += weight_of(stretch);
        since_ns += stretch.length_ns;
    }
    return sum;
}

/* Restores the order of the heap below `top`: no word is larger than the one above it. */
static void sift_down(uint32_t *words, int64_t top, int64_t count)
{
    const uint32_t word = words[top];
    for (int64_t below = 2 * top + 1; below < count; below = 2 * top + 1) {
        if (below + 1 < count && words[below + 1] > words[below])
            below++;
        if (words[below] <= word)
            break;
        words[top] = words[below];
        top = below;
    }
    words[top] = word;
}

/* Heapsort. The world imports no qsort (tools/core_imports.sh). */
static void sort(uint32_t *words, int64_t count)
{
    for (int64_t top = count / 2 - 1; top >= 0; top--)
        sift_down(words, top, count);
    for (int64_t end = count - 1; end > 0; end--) {
        const uint32_t largest = words[0];
        words[0] = words[end];
        words[end] = largest;
        sift_down(words, 0, end);
    }
}

void arrival_count_times(const ArrivalPeriod *period, uint32_t *words, int64_t count,
                         int64_t *times_ns)
{
    const Wide whole = whole_weight(period);
    Stretch stretch = stretch_at(period, 0);
    Wide before = 0; // weight of all stretches before this one
    invariant(whole > 0);
    sort(words, count);
    for (int64_t i = 0; i < count; i++) {
        // whole * words[i] >> 32, without overflow; it is below `whole`
        const Wide at = (whole >> 32) * words[i] + ((whole & UINT32_MAX) * words[i] >> 32);
        while (at - before >= weight_of(stretch)) {
            before += weight_of(stretch);
            stretch = stretch_at(period, stretch.begin_ns + stretch.length_ns);
        }
        times_ns[i] =
            period->begin_ns + stretch.begin_ns + (int64_t)((at - before) / stretch.factor);
    }
}

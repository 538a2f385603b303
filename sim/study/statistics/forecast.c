#include "sim/study/statistics/forecast.h"

#include <inttypes.h>
#include <math.h>

#include "sim/base/invariant.h"
#include "sim/study/statistics/distribution.h"

double forecast_runs(const Estimate *pilot, double relative)
{
    invariant(relative > 0);
    if (pilot->half_width == 0)
        return pilot->count;
    if (pilot->count < 2 || pilot->mean == 0)
        return INFINITY;
    const double level = 1 - (1 - pilot->confidence) / 2;
    const double deviation =
        pilot->half_width / student_quantile(level, pilot->count - 1) * sqrt(pilot->count);
    const double ratio = deviation / (relative * fabs(pilot->mean));
    // t exceeds z, so the solution is above the normal's: a few steps for small n, one for large n,
    // where t hardly changes.
    const double z = normal_quantile(level) * ratio;
    double n = fmax(2, ceil(z * z));
    for (;;) {
        const double t = student_quantile(level, n - 1) * ratio;
        if (t * t <= n)
            return n;
        n = n < 1000 ? n + 1 : ceil(t * t);
    }
}

void forecast_count_print(Text *text, double count)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
    if (!(count < 1e15)) {
        text_add(text, "more than 10^15");
        return;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (count >= units[i].unit * 0.9995) {
            double scaled = count / units[i].unit;
            text_printf(text, "about %.*f%s", scaled < 9.95 ? 1 : 0, scaled, units[i].name);
            return;
        }
    text_printf(text, "about %.0f", ceil(count));
}

void forecast_too_short_print(Text *text, double jobs, const char *unit)
{
    text_add(text, "run too short: needs ");
    forecast_count_print(text, jobs);
    text_printf(text, " %s", unit);
}

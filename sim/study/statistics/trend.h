/* Whether amounts that follow one another grow, such as the GPU-hours of the weeks of a log.
 *
 * The growth from one amount to the next is the median of the slopes of all pairs of their
 * logarithms, with the interval that Kendall's tau gives it (P. K. Sen, "Estimates of the
 * regression coefficient based on Kendall's tau", JASA 63, 1968). It holds for amounts of any
 * distribution, and a few unusual weeks hardly move it. It supposes that amounts do not depend on
 * one another: where a busy week follows a busy one, less is known than the interval says. */
#ifndef SIM_STUDY_STATISTICS_TREND_H
#define SIM_STUDY_STATISTICS_TREND_H

#include "sim/base/text.h"
#include "sim/cloud/spec/job_list.h"
#include "sim/study/statistics/estimate.h"

/* Fewer amounts than the least have no interval by the normal distribution of tau; more than the
 * most would take long, as all pairs do. */
enum { TREND_LEAST = 10, TREND_MOST = 2000 };

/* The logarithm of the growth from one amount to the next, with its 95 % interval. Amounts of 0 are
 * left out, but keep their places. The value is NAN if it is not known: `count` or the number of
 * amounts above 0 is out of range. */
Interval trend_of(const double *amounts, int32_t count);
/* That of the GPU time that the jobs of each piece of a list ask for (sim/cloud/spec/resample.h).
 */
Interval trend_of_jobs(const JobList *list, int64_t piece_ns);

static inline bool trend_is_known(const Interval *trend)
{
    return trend->count > 0;
}
/* Whether the interval is all on one side. */
static inline bool trend_is_sure(const Interval *trend)
{
    return trend->low > 0 || trend->high < 0;
}

/* "3.8 % a month (95 %: -5.0 to 11.4 %)", for amounts of `step_ns` each. Known. */
void trend_print(Text *out, const Interval *trend, int64_t step_ns);
/* The amount at the end of `steps` steps of steady growth, as a multiple of their mean. Known. */
double trend_end(const Interval *trend, double steps);

#endif

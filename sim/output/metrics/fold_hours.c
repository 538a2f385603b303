/* Private to sim/output/metrics: node time by hour of the day. */
#include "sim/output/metrics/fold.h"

static HourMetrics *hours_of(const MetricsFold *fold, ClusterMetrics *account)
{
    if (account->hours == NULL)
        account->hours = ARENA_NEW(fold->arena, HourMetrics);
    return account->hours;
}

void fold_held_hours(const MetricsFold *fold, ClusterMetrics *account, const TraceRecord *billed)
{
    day_hours_spread(hours_of(fold, account)->held_ns, fold->start_unix_ms, billed->since_ns,
                     billed->at_ns, billed->at_ns - billed->since_ns);
}

void fold_attempt_hours(const MetricsFold *fold, ClusterMetrics *account,
                        const TraceRecord *attempt, int32_t slots)
{
    const Wide compute_ns = (Wide)attempt->job_attempt.kept_ns + attempt->job_attempt.lost_ns;
    HourMetrics *hours = hours_of(fold, account);
    day_hours_spread(hours->compute_ns, fold->start_unix_ms, attempt->since_ns, attempt->at_ns,
                     compute_ns * slots);
    day_hours_spread(hours->exchange_ns, fold->start_unix_ms, attempt->since_ns, attempt->at_ns,
                     (Wide)attempt->job_attempt.exchange_ns * slots);
}

void fold_hours_of_gpus(ClusterMetrics *account, int32_t gpus_per_node)
{
    for (int hour = 0; account->hours != NULL && hour < HOURS_A_DAY; hour++) {
        account->hours->compute_ns[hour] *= gpus_per_node;
        account->hours->exchange_ns[hour] *= gpus_per_node;
    }
}

/* Private to sim/output/metrics: node time by hour of the day or of the week. */
#include "sim/output/metrics/fold.h"

static HourMetrics *hours_of(const MetricsFold *fold, ClusterMetrics *account)
{
    if (account->hours == NULL)
        account->hours = ARENA_NEW(fold->arena, HourMetrics);
    return account->hours;
}

static void spread(const MetricsFold *fold, Wide *by_hour, const TraceRecord *span, Wide ns)
{
    week_hours_spread(by_hour, fold->cycle_hours, fold->start_unix_ms, span->since_ns, span->at_ns,
                      ns);
}

void fold_held_hours(const MetricsFold *fold, ClusterMetrics *account, const TraceRecord *billed)
{
    spread(fold, hours_of(fold, account)->held_ns, billed, billed->at_ns - billed->since_ns);
}

void fold_attempt_hours(const MetricsFold *fold, ClusterMetrics *account,
                        const TraceRecord *attempt, int32_t slots)
{
    const Wide compute_ns = (Wide)attempt->job_attempt.kept_ns + attempt->job_attempt.lost_ns;
    HourMetrics *hours = hours_of(fold, account);
    spread(fold, hours->compute_ns, attempt, compute_ns * slots);
    spread(fold, hours->exchange_ns, attempt, (Wide)attempt->job_attempt.exchange_ns * slots);
}

void fold_hours_of_gpus(ClusterMetrics *account, int32_t gpus_per_node)
{
    for (int hour = 0; account->hours != NULL && hour < HOURS_A_WEEK; hour++) {
        account->hours->compute_ns[hour] *= gpus_per_node;
        account->hours->exchange_ns[hour] *= gpus_per_node;
    }
}

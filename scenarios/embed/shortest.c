/* The scheduling policy "shortest" from outside: the job with the shortest stated run time goes
 * first, and no job overtakes it.
 *
 *     cc -std=c11 -O2 -shared -fPIC -o shortest.so shortest.c
 *     trainyard run scenarios/scheduling/backfill --policy ./shortest.so --check-determinism */
#include <trainyard_policy.h>

TRAINYARD_POLICY(view)
{
    int32_t shortest = TRAINYARD_POLICY_NONE;
    for (int32_t i = 0; i < view->waiting_count; i++)
        if (shortest == TRAINYARD_POLICY_NONE ||
            view->waiting[i].expected_ns < view->waiting[shortest].expected_ns)
            shortest = i;
    if (shortest != TRAINYARD_POLICY_NONE && !view->waiting[shortest].fits)
        shortest = TRAINYARD_POLICY_NONE;
    return shortest;
}

#include "sim/cloud/cluster/region.h"

#include "sim/cloud/cluster/tables.h"

void region_goes_out(Clusters *clusters, int64_t duration_ns)
{
    int64_t up_ns = duration_ns < INT64_MAX - clusters->engine->now_ns
                        ? clusters->engine->now_ns + duration_ns
                        : INT64_MAX;
    if (up_ns <= clusters->region_up_ns)
        return;
    clusters->region_up_ns = up_ns;
    engine_push(clusters->engine, duration_ns, EVENT_REGION_UP, 0, 0, 0);
}

/* Clusters retry automatically. The event makes a run without a set end wait for the region. */
void region_up(Clusters *clusters)
{
    if (!region_is_out(clusters))
        clusters->region_up_ns = 0;
}

bool region_is_out(const Clusters *clusters)
{
    return clusters->engine->now_ns < clusters->region_up_ns;
}

int64_t region_up_ns(const Clusters *clusters)
{
    return region_is_out(clusters) ? clusters->region_up_ns : clusters->engine->now_ns;
}

#include "sim/model/fairness.h"

#include <stdbool.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"

enum { WAITING = -1 };

static int64_t parts_ppm(const FairFlow *flow, int32_t crossing)
{
    return flow->parts_ppm != NULL ? flow->parts_ppm[crossing] : PPM;
}

/* The rate at which the growing flows are stopped next, by the tightest link or by a flow's limit.
 */
static int64_t next_level(int32_t link_count, FairLink *links, int32_t flow_count,
                          const FairFlow *flows, const int64_t *rates)
{
    int64_t level = INT64_MAX;
    for (int32_t i = 0; i < link_count; i++) {
        FairLink *link = &links[i];
        link->level_bytes_per_s = link->waiting_ppm > 0
                                      ? mul_div(link->left_bytes_per_s, PPM, link->waiting_ppm)
                                      : INT64_MAX;
        if (link->level_bytes_per_s < level)
            level = link->level_bytes_per_s;
    }
    for (int32_t f = 0; f < flow_count; f++)
        if (rates[f] == WAITING && flows[f].most_bytes_per_s < level)
            level = flows[f].most_bytes_per_s;
    return level;
}

static bool is_stopped(const FairFlow *flow, const FairLink *links, int64_t level)
{
    if (flow->most_bytes_per_s == level)
        return true;
    for (int32_t i = 0; i < flow->link_count; i++)
        if (links[flow->links[i]].level_bytes_per_s == level)
            return true;
    return false;
}

/* Marks the flows that stop at `level` by a rate below WAITING, and returns how many there are. All
 * are found before any takes its part, so the result does not depend on their order. */
static int32_t stop_flows(const FairLink *links, int32_t flow_count, const FairFlow *flows,
                          int64_t level, int64_t *rates)
{
    int32_t stopped = 0;
    for (int32_t f = 0; f < flow_count; f++)
        if (rates[f] == WAITING && is_stopped(&flows[f], links, level)) {
            rates[f] = WAITING - 1;
            stopped++;
        }
    return stopped;
}

static void take_parts(FairLink *links, int32_t flow_count, const FairFlow *flows, int64_t level,
                       int64_t *rates)
{
    for (int32_t f = 0; f < flow_count; f++) {
        if (rates[f] != WAITING - 1)
            continue;
        rates[f] = level;
        for (int32_t i = 0; i < flows[f].link_count; i++) {
            FairLink *link = &links[flows[f].links[i]];
            const int64_t parts = parts_ppm(&flows[f], i);
            const int64_t taken = mul_div_up(level, parts, PPM);
            const int64_t left = link->left_bytes_per_s;
            link->left_bytes_per_s = taken < left ? left - taken : 0; // fractions round up
            link->waiting_ppm -= parts;
        }
    }
}

void fair_rates(int32_t link_count, FairLink *links, int32_t flow_count, const FairFlow *flows,
                int64_t *rates)
{
    for (int32_t i = 0; i < link_count; i++) {
        invariant(links[i].bytes_per_s >= 0);
        links[i].left_bytes_per_s = links[i].bytes_per_s;
        links[i].waiting_ppm = 0;
    }
    for (int32_t f = 0; f < flow_count; f++) {
        invariant(flows[f].most_bytes_per_s >= 0);
        rates[f] = WAITING;
        for (int32_t i = 0; i < flows[f].link_count; i++) {
            invariant(flows[f].links[i] < link_count);
            links[flows[f].links[i]].waiting_ppm += parts_ppm(&flows[f], i);
        }
    }
    for (int32_t waiting = flow_count; waiting > 0;) {
        int64_t level = next_level(link_count, links, flow_count, flows, rates);
        int32_t stopped = stop_flows(links, flow_count, flows, level, rates);
        invariant(stopped > 0);
        take_parts(links, flow_count, flows, level, rates);
        waiting -= stopped;
    }
}

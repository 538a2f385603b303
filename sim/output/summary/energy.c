/* Private to sim/output/summary: the energy that nodes draw. */
#include "sim/model/energy.h"
#include "sim/base/capped.h"
#include "sim/base/units.h"
#include "sim/output/summary/making.h"

enum { MICRO_KWH_PER_KWH = 1000000 };

/* The energy of nodes of one kind; SUMMARY_NEVER if their power is not known. */
static int64_t kind_micro_kwh(const ClusterMetrics *kind, const NodePower *power,
                              const EnergyTerms *terms)
{
    Wide ns[USE_COUNT], held_ns = 0;
    if (power == NULL)
        return SUMMARY_NEVER;
    (void)cluster_uses(kind, ns); // a contradiction is one of the problems
    for (int use = 0; use < USE_COUNT; use++) {
        ns[use] = ns[use] > 0 ? ns[use] : 0;
        held_ns += ns[use];
    }
    const Wide busy_ns =
        ns[USE_USEFUL] + ns[USE_LOST] + ns[USE_EXCHANGE] * terms->exchange_load_ppm / PPM;
    return energy_micro_kwh(power->idle_mw, power->busy_mw, held_ns, busy_ns);
}

static int64_t sum_of_known(int64_t a, int64_t b)
{
    return a == SUMMARY_NEVER || b == SUMMARY_NEVER ? SUMMARY_NEVER : capped_sum(a, b);
}

/* The power of the most nodes that were held at one time, all busy. */
static int64_t peak_mw(const NodePower *power, int64_t nodes_max)
{
    return power == NULL ? SUMMARY_NEVER : wide_capped((Wide)power->busy_mw * nodes_max);
}

void making_add_energy_of(const Making *making, uint32_t id, SummaryCluster *cluster)
{
    const ClusterMetrics *metrics = &making->run->clusters[id];
    const ClusterFacts *facts = &making->facts->clusters[id];
    const EnergyTerms *terms = &making->facts->energy;
    SummaryEnergy *all = &making->summary->energy;
    cluster->micro_kwh = 0;
    if (metrics->kind_count == 0) { // all nodes are of one kind
        cluster->micro_kwh = kind_micro_kwh(metrics, facts->power, terms);
        all->peak_mw = sum_of_known(all->peak_mw, peak_mw(facts->power, metrics->nodes_max));
    }
    for (uint32_t k = 0; k < metrics->kind_count; k++) {
        const ClusterMetrics *kind = &metrics->kinds[k];
        const NodePower *power = k < facts->kind_count ? facts->kinds[k].power : NULL;
        cluster->kinds[k].micro_kwh = kind_micro_kwh(kind, power, terms);
        cluster->micro_kwh = sum_of_known(cluster->micro_kwh, cluster->kinds[k].micro_kwh);
        all->peak_mw = sum_of_known(all->peak_mw, peak_mw(power, kind->nodes_max));
    }
    all->nodes_micro_kwh = sum_of_known(all->nodes_micro_kwh, cluster->micro_kwh);
}

/* `amount` of all nodes, and what their site needs for cooling and losses. */
static int64_t of_site(int64_t amount, const EnergyTerms *terms)
{
    return amount == SUMMARY_NEVER ? SUMMARY_NEVER : wide_proportion(amount, terms->pue_ppm, PPM);
}

void making_add_energy(Making *making)
{
    SummaryEnergy *all = &making->summary->energy;
    if (making->facts == NULL || making->summary->cluster_count == 0)
        all->nodes_micro_kwh = all->peak_mw = SUMMARY_NEVER;
    const EnergyTerms terms = making->facts != NULL ? making->facts->energy : (EnergyTerms){0};
    all->micro_kwh = of_site(all->nodes_micro_kwh, &terms);
    all->peak_mw = of_site(all->peak_mw, &terms);
    const bool is_known = all->micro_kwh != SUMMARY_NEVER;
    all->carbon_mg = is_known && terms.carbon_g_per_kwh > 0
                         ? carbon_mg(all->micro_kwh, terms.carbon_g_per_kwh)
                         : SUMMARY_NEVER;
    all->micro_usd =
        is_known && terms.micro_usd_per_kwh > 0
            ? wide_proportion(all->micro_kwh, terms.micro_usd_per_kwh, MICRO_KWH_PER_KWH)
            : SUMMARY_NEVER;
}

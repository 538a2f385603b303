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

/* Energy of nodes of one kind, by hour times the factors of the hours. */
typedef struct {
    int64_t priced, emitting;
} WeightedEnergy;

static WeightedEnergy weigh_kind(const ClusterMetrics *kind, const NodePower *power,
                                 const EnergyTerms *terms)
{
    const HourMetrics *hours = kind->hours;
    const int32_t slots = kind->gpus_per_node > 0 ? kind->gpus_per_node : 1;
    Wide priced = 0, emitting = 0;
    if (power == NULL || (hours == NULL && kind->held_ns > 0))
        return (WeightedEnergy){SUMMARY_NEVER, SUMMARY_NEVER};
    for (int hour = 0; hours != NULL && hour < HOURS_A_WEEK; hour++) {
        const Wide busy_ns =
            (hours->compute_ns[hour] + hours->exchange_ns[hour] * terms->exchange_load_ppm / PPM) /
            slots;
        const Wide held_ns = hours->held_ns[hour];
        // An attempt whose work is not spread evenly may have more in an hour than its nodes had.
        const Wide micro_kwh = energy_micro_kwh(power->idle_mw, power->busy_mw, held_ns,
                                                busy_ns < held_ns ? busy_ns : held_ns);
        priced += micro_kwh * terms->price_hour_ppm[hour];
        emitting += micro_kwh * terms->carbon_hour_ppm[hour];
    }
    return (WeightedEnergy){wide_capped(priced / PPM), wide_capped(emitting / PPM)};
}

static void add_weighted(const ClusterMetrics *kind, const NodePower *power,
                         const EnergyTerms *terms, SummaryEnergy *all)
{
    if (terms->cycle_hours == 0)
        return;
    const WeightedEnergy weighted = weigh_kind(kind, power, terms);
    all->priced_micro_kwh = sum_of_known(all->priced_micro_kwh, weighted.priced);
    all->emitting_micro_kwh = sum_of_known(all->emitting_micro_kwh, weighted.emitting);
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
        add_weighted(metrics, facts->power, terms, all);
        all->peak_mw = sum_of_known(all->peak_mw, peak_mw(facts->power, metrics->nodes_max));
    }
    for (uint32_t k = 0; k < metrics->kind_count; k++) {
        const ClusterMetrics *kind = &metrics->kinds[k];
        const NodePower *power = k < facts->kind_count ? facts->kinds[k].power : NULL;
        cluster->kinds[k].micro_kwh = kind_micro_kwh(kind, power, terms);
        add_weighted(kind, power, terms, all);
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
    if (terms.cycle_hours == 0 || all->nodes_micro_kwh == SUMMARY_NEVER)
        all->priced_micro_kwh = all->emitting_micro_kwh = all->nodes_micro_kwh;
    all->micro_kwh = of_site(all->nodes_micro_kwh, &terms);
    all->peak_mw = of_site(all->peak_mw, &terms);
    const int64_t priced = of_site(all->priced_micro_kwh, &terms),
                  emitting = of_site(all->emitting_micro_kwh, &terms);
    all->carbon_mg = emitting != SUMMARY_NEVER && terms.carbon_g_per_kwh > 0
                         ? carbon_mg(emitting, terms.carbon_g_per_kwh)
                         : SUMMARY_NEVER;
    all->micro_usd = priced != SUMMARY_NEVER && terms.micro_usd_per_kwh > 0
                         ? wide_proportion(priced, terms.micro_usd_per_kwh, MICRO_KWH_PER_KWH)
                         : SUMMARY_NEVER;
}

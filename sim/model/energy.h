/* Energy that nodes draw. Power is in mW, energy in millionths of a kWh, which are 3.6 J. */
#ifndef SIM_MODEL_ENERGY_H
#define SIM_MODEL_ENERGY_H

#include "sim/base/wide.h"

/* The energy of nodes that draw `idle_mw` each, and `busy_mw` while their GPUs compute. They were
 * held for `held_ns` together, and computed for `busy_ns` of it. Rounded down. Power grows in
 * proportion to the GPUs that compute, as Cloud Carbon Footprint assumes of processors and GPUs
 * (its methodology, 2022). */
int64_t energy_micro_kwh(int64_t idle_mw, int64_t busy_mw, Wide held_ns, Wide busy_ns);

/* A mass of CO2e in mg, rounded down. */
int64_t carbon_mg(int64_t micro_kwh, int64_t g_per_kwh);

#endif

/* The time that the exchange of gradients adds to a step: the method of the catalogue, over the
 * links of a VM size. Pure. */
#ifndef SIM_CLOUD_TRAINING_STEP_EXCHANGE_H
#define SIM_CLOUD_TRAINING_STEP_EXCHANGE_H

#include "sim/cloud/training/step_compute.h"
#include "sim/cloud/training/training.h"
#include "sim/model/exchange.h"

/* The parameters of a method for the model of the exchange, on nodes of a size, the fullest of
 * which has `ranks_on_node`: all of these share one adapter. */
Exchange step_exchange_model(const ExchangeMethod *method, const VmSize *vm_size, Gang gang,
                             int32_t ranks_on_node);

/* Whether the exchange of so many ranks can be reckoned with: one that was measured, on one
 * machine, was so for as many ranks. STATUS_BAD_INPUT at `at`, with a hint. */
MUST_CHECK bool step_exchange_check(const Program *program, int32_t nodes, int32_t ranks, Place at,
                                    Status *status);

/* Fills the exchange of a plan whose ranks are known: the part that remains after the backward
 * pass, which is 0 for one rank; and the part of it that others on the same wires can slow down.
 * InfiniBand is a separate fabric, which jobs do not share. */
void step_exchange(const StepCompute *compute, const VmSize *vm_size, int32_t nodes,
                   StepPlan *plan);

#endif

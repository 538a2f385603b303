/* The time that the exchange of gradients adds to a step: the method of the catalogue, over the
 * links of a VM size. Pure. */
#ifndef SIM_CLOUD_TRAINING_STEP_EXCHANGE_H
#define SIM_CLOUD_TRAINING_STEP_EXCHANGE_H

#include "sim/cloud/training/step_compute.h"
#include "sim/cloud/training/training.h"
#include "sim/model/exchange.h"

/* The parameters of the exchange model for a method on nodes of a size. The fullest node has
 * `ranks_on_node` ranks, which share one adapter. */
Exchange step_exchange_model(const ExchangeMethod *method, const VmSize *vm_size, Gang gang,
                             int32_t ranks_on_node);

/* Checks that the exchange of `ranks` ranks can be computed. A measured method covers one machine
 * and the measured numbers of ranks. If it does not, STATUS_BAD_INPUT at `at`. */
MUST_CHECK bool step_exchange_check(const Program *program, int32_t nodes, int32_t ranks, Place at,
                                    Status *status);

/* Fills in the exchange of a plan whose ranks are known: the part that remains after the backward
 * pass (0 for one rank), and the part of it that other jobs on the same wires can slow down. Jobs
 * do not share InfiniBand, which is a separate fabric. */
void step_exchange(const StepCompute *compute, const VmSize *vm_size, int32_t nodes,
                   StepPlan *plan);

#endif

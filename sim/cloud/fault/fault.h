/* Faults on request. */
#ifndef SIM_CLOUD_FAULT_FAULT_H
#define SIM_CLOUD_FAULT_FAULT_H

#include "sim/cloud/fault/mishap.h"

/* Applies a command of FAULT_KINDS. If the fault cannot happen, returns false with a status and
 * changes nothing. */
MUST_CHECK bool fault_apply(Faults *faults, const Command *command, Status *status);

#endif

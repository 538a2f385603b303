/* Faults on request. A fault that cannot happen is refused before anything changes. */
#ifndef SIM_CLOUD_FAULT_FAULT_H
#define SIM_CLOUD_FAULT_FAULT_H

#include "sim/cloud/fault/mishap.h"

/* A command of FAULT_KINDS. */
MUST_CHECK bool fault_apply(Faults *faults, const Command *command, Status *status);

#endif

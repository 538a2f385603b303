/* Policies from outside: functions with the interface of trainyard_policy.h, with the check of
 * their answers. `Scenario.outside` has one if `Scenario.policy` is POLICY_OUTSIDE. */
#ifndef SIM_CLOUD_POLICY_OUTSIDE_H
#define SIM_CLOUD_POLICY_OUTSIDE_H

#include "sim/base/arena.h"
#include "sim/base/text.h"
#include "sim/cloud/policy/policy.h"
#include "sim/cloud/policy/trainyard_policy.h"

/* The first answer that is not allowed. From then on no job starts. */
typedef struct {
    bool is_set;
    int64_t at_ns; /* simulated time */
    int32_t answer;
    int32_t waiting_count, running_count;
} PolicyFault;

struct PolicyOutside {
    trainyard_policy_function *choose;
    Arena *arena;                   /* of `waiting` and `running`; outlives the runs */
    trainyard_waiting_job *waiting; /* memory of the view */
    trainyard_running_job *running;
    uint32_t waiting_capacity, running_capacity;
    PolicyFault fault;
};

/* A policy with this function; its memory is in `arena`. One run at a time may use it. */
PolicyOutside policy_outside_of(Arena *arena, trainyard_policy_function *choose);

/* Ask `view->outside`: the job that starts, and the job that stops. The row of POLICY_OUTSIDE. */
PolicyChoice policy_outside(const PolicyView *view);
int32_t policy_outside_victim(const PolicyView *view);

/* Adds a sentence about a fault, without a full stop. */
void policy_fault_print(Text *out, const PolicyFault *fault);
/* Refuses the run with that sentence: STATUS_BAD_INPUT at `path`. Returns false. */
bool policy_fault_refuse(const PolicyFault *fault, const char *path, Status *status);

#endif

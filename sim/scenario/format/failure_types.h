/* Groups, failures and faults of a scenario. */
#ifndef SIM_SCENARIO_FORMAT_FAILURE_TYPES_H
#define SIM_SCENARIO_FORMAT_FAILURE_TYPES_H

#include "sim/cloud/spec/command.h"
#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundText name;
    BoundText cluster;
    BoundText nodes;      /* places in the cluster: "1-4" */
    const Json *clusters; /* instead of `cluster`: all nodes of these clusters */
} GroupText;

typedef struct {
    const Json *node;
    BoundText group;
    BoundText model;
} GroupFailureText;

typedef struct {
    const Json *node;
    const Json *scale; /* factor on all rates and chances: "1", 0.5, 0 */
    BoundText nodes;   /* failure models of the catalogue */
    BoundText preemption;
    BoundList groups;     /* GroupFailureText */
    BoundText allocation; /* chances: "1%" */
    BoundText preparation, setup, mount, container, file_server;
    BoundText slow_nodes;
    BoundText slow_node_speed;
    BoundText detected;
    BoundInteger warning;
    BoundInteger crews;
} FailuresText;

typedef struct {
    const Json *node;
    BoundInteger action; /* index in FAULT_KINDS: see fault_kind */
    BoundInteger at;
    BoundInteger every;
    BoundText after;
    BoundText when; /* a condition */
    BoundText cluster, job, share, group;
    BoundInteger place;    /* of the node: "node" */
    BoundInteger recovery; /* NodeRecovery */
    BoundInteger duration;
    BoundText speed;
    BoundInteger count;
    BoundInteger exit_code;
    BoundText family;
    BoundInteger vcpus;
    BoundInteger priority; /* VmPriority */
    BoundText queue;
    BoundInteger gpus, gpus_max;
    BoundInteger seed;
    BoundInteger policy; /* PolicyKind */
    BoundText reason;
} FaultText;

#define PREEMPTION_BY_FAMILY "by-family" /* FailuresText.preemption */
bool failures_are_by_family(const FailuresText *failures);

extern const ObjectType group_type;
extern const ObjectType failures_type;
extern const ObjectType fault_type;

/* The command that performs an accepted fault. */
CommandKind fault_kind(const FaultText *fault);

#endif

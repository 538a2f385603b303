/* The scenario format, version 1: the members that a scenario file may have, in the form in
 * which they are read. The tables in the .c files of this folder define the format; `trainyard
 * schema` and scenarios/FORMAT.md are generated from them. */
#ifndef SIM_SCENARIO_FORMAT_TYPES_H
#define SIM_SCENARIO_FORMAT_TYPES_H

#include "sim/cloud/spec/scenario.h"
#include "sim/scenario/format/command_types.h"
#include "sim/scenario/format/failure_types.h"
#include "sim/scenario/format/kind_types.h"
#include "sim/scenario/format/maintenance_types.h"
#include "sim/scenario/format/network_types.h"
#include "sim/scenario/format/parameter_types.h"
#include "sim/scenario/format/program_types.h"
#include "sim/scenario/format/queue_types.h"
#include "sim/scenario/format/quota_types.h"
#include "sim/scenario/format/workload_types.h"

typedef struct {
    const Json *node;
    BoundText name;
    BoundText tier;
    BoundInteger kind; /* ShareKind */
    BoundInteger provisioned;
    const Json *files; /* path -> local file, or {"bytes": ...} */
} ShareText;

typedef enum { SHARE_FILE, SHARE_BLOB } ShareKind;

typedef struct {
    const Json *node;
    BoundText account;
    BoundList shares; /* ShareText */
} StorageText;

typedef struct {
    const Json *node;
    BoundText job;
    BoundText cluster;
    BoundText state;
    BoundText metric;
    BoundText files;
    const Json *equals;
    const Json *between;
    const Json *at_least;
    const Json *at_most;
    const Json *count;
    BoundText always, never, sometimes; /* conditions: "cluster gpu nodes <= 4" */
    BoundText eventually;               /* a condition ... */
    BoundInteger within;                /* ... that holds within this time ... */
    BoundText of;                       /* ... of a moment, "job train submitted", or the start */
    BoundText before;                   /* a moment that comes before `then` */
    BoundText then;
    const Json *order;      /* moments, one after the other */
    BoundInteger exit_code; /* of a job */
    BoundText error;        /* code, of a job or cluster */
    BoundInteger seeds;     /* metric: number of runs, each with a different seed */
    BoundText statistic;    /* of their values: "mean" (the default), "p50", "p95", ... */
    BoundText confidence;   /* "95%" */
} ExpectText;

typedef struct {
    const Json *node;
    BoundInteger from;
    BoundInteger until;
    BoundInteger steady;
} MeasureText;

typedef struct {
    const Json *node;
    BoundInteger one_gpu, to_8_gpus, more_gpus;
} PreemptionCostText;

typedef struct {
    const Json *node;
    BoundText schema;
    BoundInteger version;
    BoundText description;
    BoundInteger seed;
    BoundInteger start;
    BoundText region;
    BoundText subscription;
    BoundText resource_group;
    BoundText workspace;
    BoundText experiment;
    BoundInteger until;
    MeasureText *measure;
    BoundInteger wait_target;
    BoundInteger fidelity;  /* Fidelity */
    const Json *parameters; /* by name; read by sim/scenario/parameters.h */
    const Json *catalog;
    const Json *quotas; /* "unlimited", or by family; this and the next: sim/scenario/assumed.h */
    const Json *assume; /* "vm_sizes/Standard_NC6/vcpus": 6 */
    BoundList storage;  /* StorageText */
    BoundList programs; /* ProgramText */
    OtherText *other_programs;
    BoundList preparations; /* PreparationText */
    BoundList setups;       /* SetupText */
    BoundList groups;       /* GroupText */
    FailuresText *failures;
    BoundList faults;     /* FaultText */
    BoundList api_faults; /* ApiFaultText */
    NetworkText *network;
    BoundInteger policy; /* PolicyKind */
    PreemptionCostText *preemption_cost;
    BoundInteger fair_share_half_life;
    BoundInteger placement;   /* PlacementKind */
    BoundInteger kind_choice; /* KindChoice */
    BoundInteger wide_jobs;   /* whether they are refused */
    BoundInteger queue_limit;
    BoundList workloads; /* WorkloadText */
    BoundList commands;  /* CommandText */
    const Json *session; /* array of commands and faults, in order: command/read.h */
    BoundList expect;    /* ExpectText */
} ScenarioText;

enum { WIDE_JOBS_WAIT, WIDE_JOBS_REFUSED }; /* ScenarioText.wide_jobs */

extern const char *const policy_words[]; /* [PolicyKind], then NULL */
extern const ObjectType scenario_type;
extern const ObjectType preemption_cost_type;
extern const ObjectType storage_type;
extern const ObjectType expect_type;

const CommandText *scenario_command(const ScenarioText *text, int32_t index);
/* The path of a resource that may state its own group, workspace and experiment. Parts that it does
 * not state are the scenario's. The name is NULL. */
ResourcePath scenario_scope(const ScenarioText *text, BoundText group, BoundText workspace,
                            BoundText experiment);

#endif

/* The scenario format, version 1: what a scenario file may say. The tables in scenario_types.c are
 * the format's definition; `trainyard schema` prints them. */
#ifndef SIM_SCENARIO_SCENARIO_TYPES_H
#define SIM_SCENARIO_SCENARIO_TYPES_H

#include "sim/cloud/spec/scenario.h"
#include "sim/schema/bind.h"

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
    BoundText path;
    BoundInteger bytes;
    BoundInteger every;
    BoundInteger resume;
} SaveText;

typedef struct {
    const Json *node;
    BoundText path;
    BoundInteger bytes;
} DataText;

typedef struct {
    const Json *node;
    BoundText match;
    BoundText name;
    const Json *duration; /* a program that only takes time: a distribution */
    BoundInteger exit_code;
    BoundText model; /* a program that trains; names of catalogue entries */
    BoundText data_set;
    BoundText framework;
    BoundText exchange;
    BoundText learning;
    BoundText jitter;
    BoundInteger precision; /* StepPrecision */
    BoundInteger batch_per_rank;
    const Json *epochs; /* integer or expression */
    const Json *steps_per_epoch;
    const Json *evaluate_samples;
    BoundInteger evaluates_at_end;
    DataText *data;
    SaveText *checkpoint;
    SaveText *save;
    BoundInteger output; /* ProgramOutput */
} ProgramText;

typedef enum { OUTPUT_PLAIN, OUTPUT_KERAS } ProgramOutput;

typedef struct {
    const Json *node;
    BoundText match;
    BoundInteger duration;
    BoundInteger exit_code;
} PreparationText;

/* Every command that nothing else describes. */
typedef struct {
    const Json *node;
    const Json *duration; /* a distribution */
    BoundInteger exit_code;
} OtherText;

/* A set-up task of clusters, as PreparationText is a preparation of jobs. */
typedef PreparationText SetupText;

/* What becomes of a job's commands. X(ENUM, word) */
#define JOB_EXECUTIONS(X)                                                                          \
    X(EMULATED, "emulated")                                                                        \
    X(REAL, "real")         /* they run outside of the world (PROGRAM_REAL): a training whose      \
                               network the trainer knows as that, any other as it stands */        \
    X(COMMAND, "command")   /* likewise, each as it stands */                                      \
    X(TRAINING, "training") /* such a training does, any other is modelled */

typedef enum {
#define X(name, text) EXECUTION_##name,
    JOB_EXECUTIONS(X)
#undef X
} JobExecution;

const char *job_execution_word(JobExecution execution); /* "real" */

typedef struct {
    const Json *node;
    BoundInteger action; /* CommandKind */
    BoundInteger at;
    BoundText after;
    BoundText name;
    BoundText cluster;
    BoundText workspace;
    BoundText experiment;
    BoundText resource_group;
    const Json *config; /* the file's content, or its name where it could not be read */
    BoundInteger target;
    BoundInteger deallocation; /* DeallocationOption */
    BoundInteger query;        /* ShowQuery */
    BoundInteger minimum;      /* cluster.autoscale */
    BoundInteger maximum;
    BoundInteger expected;  /* job.create: how long its owner says it runs */
    BoundInteger execution; /* job.create: JobExecution */
    BoundInteger place;     /* job.ran: whose preparation, from 1 */
    BoundInteger took;
    BoundInteger exit_code;
    BoundText reason, ran_as;
    BoundInteger epochs, steps; /* job.ran: what a training came to */
    const Json *val_accuracy, *val_loss;
    BoundInteger step; /* job.reached */
    BoundInteger kept; /* job.reached */
    BoundText vm_size; /* fileserver.create */
    BoundText share;
    BoundText tier;
    BoundText file;
    const Json *content;
} CommandText;

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
    BoundInteger within;                /* ... that holds so long at the latest after ... */
    BoundText of;                       /* ... a moment: "job train submitted"; the start */
    BoundText before;                   /* a moment that comes before `then` */
    BoundText then;
    const Json *order;      /* moments, one after the other */
    BoundInteger exit_code; /* of a job */
    BoundText error;        /* code, of a job or cluster */
    BoundInteger seeds;     /* metric: over so many runs with other seeds ... */
    BoundText statistic;    /* ... "mean" (the default), "p50", "p95", ... */
    BoundText confidence;   /* ... and so sure: "95%" */
} ExpectText;

/* --- What goes wrong (failure_types.c) --- */

typedef struct {
    const Json *node;
    BoundText name;
    BoundText cluster; /* with `nodes`: places "1-4" of it */
    BoundText nodes;
    const Json *clusters; /* all nodes of these */
} GroupText;

typedef struct {
    const Json *node;
    BoundText group;
    BoundText model;
} GroupFailureText;

typedef struct {
    const Json *node;
    const Json *scale; /* "1", 0.5, 0: of all rates and chances */
    BoundText nodes;   /* failure models of the catalogue */
    BoundText preemption;
    BoundList groups;     /* GroupFailureText */
    BoundText allocation; /* chances: "1%" */
    BoundText preparation, setup, mount, container, file_server;
    BoundText slow_nodes;
    BoundText slow_node_speed;
} FailuresText;

typedef struct {
    const Json *node;
    BoundInteger action; /* index in FAULT_KINDS: see fault_kind */
    BoundInteger at;
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
    BoundText reason;
} FaultText;

/* --- The network (network_types.c) --- */

typedef struct {
    const Json *node;
    BoundInteger rack_nodes;
    BoundText rack_uplink_rate;
} NetworkText;

/* --- Jobs that come by themselves (workload_types.c) --- */

typedef struct {
    const Json *node;
    BoundText name;
    BoundText cluster;
    BoundText experiment, workspace, resource_group;
    const Json *config; /* job.json or its content */
    BoundInteger begin; /* durations since the start */
    BoundInteger end;
    BoundInteger jobs;
    BoundInteger arrivals; /* ArrivalKind */
    BoundText rate;        /* "12/h", "100/day" */
    const Json *hours;     /* diurnal: 24 factors */
    BoundInteger burst;
    const Json *nodes; /* {"1": "70%", "4": "30%"}: overrides the config's nodeCount */
    BoundInteger expected;
} WorkloadText;

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
    BoundInteger fidelity; /* Fidelity */
    const Json *catalog;
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
    BoundList workloads; /* WorkloadText */
    BoundList commands;  /* CommandText */
    const Json *session; /* array of both, in order: command_read.h */
    BoundList expect;    /* ExpectText */
} ScenarioText;

extern const ObjectType scenario_type;
extern const ObjectType program_type;
extern const ObjectType command_type;
extern const ObjectType expect_type;
extern const ObjectType group_type; /* failure_types.c */
extern const ObjectType failures_type;
extern const ObjectType fault_type;
extern const ObjectType network_type;  /* network_types.c */
extern const ObjectType workload_type; /* workload_types.c */

/* The wires that `text` (NULL: none) describes. */
NetworkTopology network_read(const NetworkText *text, Problems *problems);

/* What an accepted fault does. */
CommandKind fault_kind(const FaultText *fault);
const CommandText *scenario_command(const ScenarioText *text, int32_t index);
/* Where something lies that may say so itself: what it leaves open is the scenario's. No name. */
ResourcePath scenario_scope(const ScenarioText *text, BoundText group, BoundText workspace,
                            BoundText experiment);
/* Whether it is a command of `kind`; a refused one is of none. */
bool command_is(const CommandText *command, CommandKind kind);

#endif

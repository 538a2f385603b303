/* The scenario format, version 1: the members that a scenario file may have, in the form in
 * which they are read. The tables in the .c files of this folder define the format; `trainyard
 * schema` and scenarios/FORMAT.md are generated from them. */
#ifndef SIM_SCENARIO_FORMAT_TYPES_H
#define SIM_SCENARIO_FORMAT_TYPES_H

#include "sim/cloud/spec/scenario.h"
#include "sim/scenario/format/checkpoint_types.h"
#include "sim/scenario/format/failure_types.h"
#include "sim/scenario/format/kind_types.h"
#include "sim/scenario/format/maintenance_types.h"
#include "sim/scenario/format/network_types.h"
#include "sim/scenario/format/parameter_types.h"
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
    BoundText path;
    BoundInteger bytes;
} SaveText;

typedef struct {
    const Json *node;
    BoundText path;
    BoundInteger bytes;
} DataText;

typedef struct {
    const Json *node;
    BoundText path;
    const Json *every; /* steps, or a duration */
    BoundInteger blocks;
    BoundInteger on_notice;
} StateText;

typedef struct {
    const Json *node;
    const Json *model; /* a name of the catalogue, or a shape */
    BoundText layout;
    BoundText software;
    BoundInteger sequence;
    BoundInteger global_batch;
    const Json *tokens; /* an integer, or "1T" */
    BoundInteger steps;
    BoundInteger start;
    StateText *checkpoint;
} TransformerText;

typedef struct {
    const Json *node;
    BoundText match;
    BoundText name;
    const Json *duration; /* a program that only takes time: a distribution */
    const Json *speeds;   /* ... on each kind of nodes */
    BoundInteger exit_code;
    BoundText script; /* a program that is simple commands */
    TransformerText *transformer;
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
    CheckpointText *checkpoint;
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

/* The program of every command that no other rule describes. */
typedef struct {
    const Json *node;
    const Json *duration; /* a distribution; NULL: the catalogue's */
    BoundInteger exit_code;
} OtherText;

/* A set-up task of clusters, as PreparationText is a preparation of jobs. */
typedef PreparationText SetupText;

/* How a job's commands run. X(ENUM, word) */
#define JOB_EXECUTIONS(X)                                                                          \
    X(EMULATED, "emulated")                                                                        \
    X(REAL, "real")         /* outside of the world (PROGRAM_REAL): the trainer runs a training    \
                               whose network it knows; other commands run unchanged */             \
    X(COMMAND, "command")   /* outside of the world, all commands unchanged */                     \
    X(TRAINING, "training") /* a training whose network the trainer knows runs outside of the      \
                               world; other commands are modelled */

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
    BoundInteger every;
    BoundText after;
    BoundText name;
    BoundText cluster;
    BoundText workspace;
    BoundText experiment;
    BoundText resource_group;
    const Json *config; /* the file's content; its name if it could not be read */
    BoundInteger target;
    BoundInteger deallocation; /* DeallocationOption */
    BoundInteger query;        /* ShowQuery */
    BoundInteger minimum;      /* cluster.autoscale */
    BoundInteger maximum;
    BoundInteger expected;      /* job.create: the run time that the owner states */
    BoundInteger gpus;          /* job.create: in total, instead of whole nodes ... */
    BoundInteger gpus_per_node; /* ... or on each node */
    BoundInteger cpus, memory;  /* job.create: in total, with one of the two above */
    BoundText queue;            /* job.create */
    const Json *node_kind;      /* job.create: names; cluster.resize: a name */
    BoundList node_kinds;       /* cluster.create: KindText */
    const Json *speeds;         /* job.create: on kinds of nodes */
    BoundList queues;           /* cluster.create: QueueText */
    BoundList maintenance;      /* cluster.create: MaintenanceText */
    ProgramText *program;       /* program.set */
    BoundInteger execution;     /* job.create: JobExecution */
    BoundInteger place;         /* job.ran: the node whose preparation ran, from 1 */
    BoundInteger took;
    BoundInteger exit_code;
    BoundText reason, ran_as;
    BoundInteger epochs, steps; /* job.ran: the totals of a training */
    const Json *val_accuracy, *val_loss;
    BoundInteger step;             /* job.reached */
    BoundInteger kept, kept_steps; /* job.reached */
    BoundText vm_size;             /* fileserver.create */
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
extern const ObjectType program_type;
extern const ObjectType command_type;
extern const ObjectType expect_type;

const CommandText *scenario_command(const ScenarioText *text, int32_t index);
/* The path of a resource that may state its own group, workspace and experiment. Parts that it does
 * not state are the scenario's. The name is NULL. */
ResourcePath scenario_scope(const ScenarioText *text, BoundText group, BoundText workspace,
                            BoundText experiment);
/* Whether it is a command of `kind`; false if its kind was refused. */
bool command_is(const CommandText *command, CommandKind kind);

#endif

/* Commands of a scenario: requests to the service. */
#ifndef SIM_SCENARIO_FORMAT_COMMAND_TYPES_H
#define SIM_SCENARIO_FORMAT_COMMAND_TYPES_H

#include "sim/cloud/spec/scenario.h"
#include "sim/scenario/format/kind_types.h"
#include "sim/scenario/format/maintenance_types.h"
#include "sim/scenario/format/program_types.h"
#include "sim/scenario/format/queue_types.h"

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

extern const ObjectType command_type;

/* Whether it is a command of `kind`; false if its kind was refused. */
bool command_is(const CommandText *command, CommandKind kind);

#endif

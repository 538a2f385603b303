/* Requested clusters, jobs and programs: the contents of a cluster.json or job.json with all paths,
 * variables and defaults resolved. Filled by sim/scenario or the emulator; borrowed and unchanged
 * while the world lives. */
#ifndef SIM_CLOUD_SPEC_SPEC_H
#define SIM_CLOUD_SPEC_SPEC_H

#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/spec/catalog.h"
#include "sim/cloud/spec/request.h"
#include "sim/cloud/spec/script.h"

typedef enum {
    PLACE_LOCAL, /* the node's own disk: lost with the job's container */
    PLACE_SHARE,
} StoragePlace;

typedef enum {
    PROGRAM_TRAIN, /* data-parallel training in steps */
    PROGRAM_FIXED, /* a command that takes a time and ends with an exit code */
    PROGRAM_SHELL, /* simple commands, as a shell would run them */
    PROGRAM_REAL,  /* runs outside of the world; COMMAND_JOB_RAN reports its end. The job's
                      preparation too, unless `training` is set */
} ProgramKind;

/* The training of a transformer, planned for the nodes of one VM size: the layout, and the time of
 * a step by sim/model/transformer/step.h. An epoch of such a program is the steps from one
 * checkpoint to the next. */
typedef struct {
    const char *model;     /* "llama3-8b" */
    const char *layout;    /* with every choice: "dp=16,tp=2,..." */
    const char *software;  /* of "transformer_software" */
    const char *fabric;    /* of "transformer_fabrics"; NULL: one node */
    const char *routing;   /* of "transformer_routing"; NULL: a dense model */
    bool is_of_catalog;    /* `model` is the name of an entry */
    const VmSize *vm_size; /* it is planned for */
    int32_t gpus;          /* likewise */
    int64_t steps;
    int64_t tokens_per_step;
    int64_t flops_per_token;  /* of the model, attention as computed */
    int64_t peak_flops_per_s; /* of a GPU, dense, in the precision of the layout */
    int64_t memory_bytes;     /* of the rank with the most */
    int64_t start_ns;         /* from the start of the program until it reads the checkpoint */
    /* Parts of a step; their sum is its duration. */
    int64_t compute_ns;  /* matmuls, attention, recomputation, waiting for the host */
    int64_t bubble_ns;   /* ranks of a pipeline wait for one another */
    int64_t exchange_ns; /* exposed communication */
    int64_t update_ns;
} TransformerTraining;

static inline int64_t transformer_step_ns(const TransformerTraining *planned)
{
    return planned->compute_ns + planned->bubble_ns + planned->exchange_ns + planned->update_ns;
}

/* Checkpoints of a program that only takes time. */
typedef struct {
    int64_t every_ns;   /* work from one to the next; 0: none but on notice (saves_on_notice) */
    int64_t takes_ns;   /* the program stops for so long while it writes one */
    int64_t restart_ns; /* an attempt that continues from one needs this time before it works */
    int64_t jobs_ppm;   /* the part of the jobs that write them, drawn for each job; 0: none */
} WorkCheckpoints;

/* The program of a job's command line, resolved for the job (epochs counted, files located). */
typedef struct Program Program;
struct Program {
    ProgramKind kind;
    const char *name; /* as matched in the scenario, for reports */

    /* PROGRAM_FIXED */
    Distribution duration; /* ns */
    int32_t exit_code;
    bool is_other;        /* its effect is unknown, which its output states */
    WorkCheckpoints work; /* jobs_ppm 0: it writes none */

    /* PROGRAM_SHELL */
    const ShellScript *script;

    /* PROGRAM_REAL */
    int32_t mount_count; /* where it runs */
    const ShellMount *mounts;
    const Program *training; /* its model, a PROGRAM_TRAIN: the launcher can hand it to a trainer
                                (real/launch/hand_off.h), and its preparation is modelled; NULL: no
                                model of the command line is known */

    /* PROGRAM_TRAIN */
    const TransformerTraining *transformer; /* NULL: a network of the catalogue, and then the
                                               pointers of the next members are never NULL */
    const NetworkModel *network;
    const DataSet *data_set;
    const Framework *framework;
    const ExchangeMethod *exchange;
    const LearningCurve *learning;
    Throughputs throughputs;   /* measured rates of one GPU, with any software */
    Quantiles step_jitter_ppm; /* factor on a rank's compute and input: 1,000,000 = as modelled */
    StepPrecision precision;
    int64_t batch_per_rank;
    int64_t epochs;
    int64_t steps_per_epoch;  /* per rank */
    int64_t missing_steps;    /* that the last epoch lacks, fewer than steps_per_epoch */
    bool downloads_data;      /* from the internet, by every node; otherwise read from data_share */
    const char *data_share;   /* "account/share" or NULL */
    const char *data_path;    /* the directory in the share, or on the node */
    int64_t data_bytes;       /* read from data_share by every node */
    int64_t evaluate_samples; /* after every epoch, by every rank; 0: never */
    bool evaluates_at_end;
    int64_t checkpoint_bytes; /* 0: never */
    int32_t checkpoint_files; /* ranks that each write an equal part of it; 0: rank 0 writes all */
    int64_t checkpoint_every; /* epochs from one checkpoint to the next, or */
    int64_t checkpoint_steps; /* steps, over all epochs; 0: after epochs. Needs missing_steps 0 */
    bool writes_behind;       /* a checkpoint is written during the next steps; the one after the
                                 last step is not. Needs a share, and checkpoint_every 1 */
    int64_t checkpoint_blocks_ns; /* if so: how long all ranks wait for it */
    bool resumes;                 /* a new attempt reads the last checkpoint on a share */
    bool saves_on_notice; /* writes one more on notice (sim/cloud/job/notice.h); needs `resumes`
                             and a share. Also of PROGRAM_FIXED, which needs neither */
    StoragePlace checkpoint_place;
    const char *checkpoint_share; /* "account/share" when on a share */
    const char *checkpoint_path;  /* in the share or on the node; "{epoch}" stands for the epoch */
    int64_t model_bytes;          /* saved by rank 0 at the end; 0: nothing */
    const char *model_share;      /* "account/share", or NULL: local */
    const char *model_path;       /* in the share, or on the node */
    const char *model_shown_path; /* as the script prints it: /mnt/batch/... */
    bool is_keras;                /* prints Keras' progress lines */
};

/* Whether jobs of the program write checkpoints although it only takes time. */
static inline bool program_saves_work(const Program *program)
{
    return program->kind == PROGRAM_FIXED && program->work.jobs_ppm > 0;
}

/* A training's time from the start of its program to its first step or its checkpoint. */
static inline int64_t program_start_ns(const Program *program)
{
    return program->transformer != NULL ? program->transformer->start_ns
                                        : program->framework->start_ns;
}

/* The ranks that write a checkpoint at the same time. */
static inline int32_t program_checkpoint_files(const Program *program)
{
    return program->checkpoint_files > 0 ? program->checkpoint_files : 1;
}

typedef enum {
    DEALLOCATE_REQUEUE,
    DEALLOCATE_TERMINATE,
    DEALLOCATE_WAIT_FOR_JOB
} DeallocationOption;
typedef enum { PRIORITY_LOW, PRIORITY_NORMAL, PRIORITY_HIGH, PRIORITY_COUNT } JobPriority;

/* The mark in paths and command lines of a job that job_fill_in replaces by the output segment of
 * the job. */
#define JOB_SEGMENT_MARK "{segment}"

/* Cluster mounts appear under this folder on every node. Source: environment variables in the Batch
 * AI documentation, "AZ_BATCHAI_MOUNT_ROOT". */
#define CLUSTER_MOUNT_ROOT "/mnt/batch/tasks/shared/LS_root/mounts"
/* Mounts of a job appear under JOB_ROOT/{workspace}/{experiment}/{job}/mounts. */
#define JOB_ROOT "/mnt/batch/tasks/shared/LS_root/jobs"

/* The place of an output. */
typedef struct {
    const char *share;     /* "account/share"; NULL: on the node only */
    const char *directory; /* inside the share, without the output segment; "" is the root */
} OutputPlace;

struct ShellRun;

/* A queue of a cluster. Sizes are slots (sim/cloud/spec/request.h). */
typedef struct {
    const char *name;
    int64_t guaranteed;       /* its jobs get so many before other queues get more than their own */
    int64_t most;             /* its jobs never have more; INT64_MAX: no limit */
    bool reclaims;            /* jobs that borrow are stopped for its guarantee ... */
    int64_t reclaim_after_ns; /* ... after it has waited for it so long */
    int64_t grace_ns;  /* a running job gets such notice before it is stopped for this queue */
    bool is_protected; /* its own jobs are not stopped for another queue's guarantee */
} QueueSpec;

/* Maintenance of nodes that is planned (sim/cloud/cluster/maintenance.h). */
typedef struct {
    int64_t begin_ns;      /* of the first one, from the start of the scenario */
    int64_t takes_ns;      /* more than 0; of a rolling one, for each node */
    int64_t every_ns;      /* from one begin to the next, more than takes_ns; 0: only one */
    KindSet kinds;         /* of the nodes; 0: all of the cluster */
    int32_t nodes_at_once; /* more than 0: it is rolling */
} MaintenanceSpec;

/* Nodes of one kind. */
typedef struct {
    const char *name;
    const char *gpu; /* what jobs call its GPUs; NULL: they have no name */
    const VmSize *vm_size;
    bool is_low_priority;
    int32_t target_nodes;
    int64_t speed_ppm;          /* of programs that take a stated time, unless the job has its own
                                   (KindSpeeds); 1,000,000: as stated. Trainings run as fast as the VM size
                                   says */
    bool has_price;             /* a node of the kind has its own price, instead of its VM size's */
    int64_t micro_usd_per_hour; /* that price */
} NodeKind;

typedef struct {
    const VmSize *vm_size; /* of several kinds: the first one's, as is_low_priority */
    bool is_low_priority;
    int32_t kind_count;    /* 0: all nodes are of one kind, which the other members state */
    const NodeKind *kinds; /* at most NODE_KINDS_MAX, with different names; target_nodes below is
                              their sum */
    bool is_automatic;     /* the nodes of one kind scale automatically between the two limits */
    int32_t scaling_kind;  /* this one; its target_nodes are the initial number. 0 in a cluster of
                              one kind */
    int32_t minimum_nodes;
    int32_t maximum_nodes;
    int32_t target_nodes; /* manual: the target; automatic: the initial number */
    DeallocationOption deallocation;
    const char *admin_user;
    int32_t mount_count;       /* of the cluster itself */
    const char *const *mounts; /* "account/share", in order */
    const bool *is_blob_mount; /* [mount_count] mounts a blob container; NULL: no mount does */
    const char *setup_command; /* or NULL; runs on every node after allocation and reboot */
    Quantiles setup_ns;        /* the duration of setup_command */
    int32_t setup_exit_code;
    const struct ShellRun *setup_run; /* its output, with begin 0; NULL: unknown */
    OutputPlace setup_std_out_err;
    int32_t queue_count; /* 0: all jobs wait in one queue without a name or limits */
    const QueueSpec *queues;
    int32_t maintenance_count; /* of a cluster that does not scale automatically */
    const MaintenanceSpec *maintenance;
} ClusterSpec;

/* The number of kinds of nodes, at least 1; and one of them. */
static inline int32_t cluster_spec_kind_count(const ClusterSpec *spec)
{
    return spec->kind_count > 0 ? spec->kind_count : 1;
}

static inline NodeKind cluster_spec_kind(const ClusterSpec *spec, int32_t kind)
{
    return spec->kind_count > 0 ? spec->kinds[kind]
                                : (NodeKind){.name = spec->vm_size->name,
                                             .vm_size = spec->vm_size,
                                             .is_low_priority = spec->is_low_priority,
                                             .target_nodes = spec->target_nodes,
                                             .speed_ppm = PPM};
}

/* The price of a node for an hour in micro-USD, as VmSize has it. */
static inline int64_t node_kind_price(NodeKind kind)
{
    return kind.has_price         ? kind.micro_usd_per_hour
           : kind.is_low_priority ? kind.vm_size->low_priority_micro_usd_per_hour
                                  : kind.vm_size->dedicated_micro_usd_per_hour;
}

/* All kinds of the cluster as a JobRequest has them. */
static inline KindSet cluster_spec_all_kinds(const ClusterSpec *spec)
{
    return spec->kind_count > 0 ? ((KindSet)1 << spec->kind_count) - 1 : 0;
}

enum { QUEUE_UNKNOWN = -1 };

/* The index of the queue `name` (NULL: no queue is stated). QUEUE_UNKNOWN: the cluster has queues,
 * but not this one. A cluster without queues has one, 0, for any name. */
static inline int32_t cluster_spec_queue(const ClusterSpec *spec, const char *name)
{
    for (int32_t i = 0; i < spec->queue_count; i++)
        if (name != NULL && strcmp(spec->queues[i].name, name) == 0)
            return i;
    return spec->queue_count == 0 ? 0 : QUEUE_UNKNOWN;
}

typedef struct {
    const char *id;
    OutputPlace place;
    const char *suffix; /* or "" */
} OutputDirectory;

typedef struct {
    const char *name;
    const char *value; /* NULL: secret */
    const char
        *secret; /* its value then, for what commands print and nothing else; NULL: unknown */
} EnvironmentVariable;

/* The value that a command sees; "(secret)" in a world that was not given the value of a secret,
 * such as an exported session. */
static inline const char *environment_value(const EnvironmentVariable *variable)
{
    return variable->value != NULL    ? variable->value
           : variable->secret != NULL ? variable->secret
                                      : "(secret)";
}

typedef struct {
    RequestKind asks_for; /* with the next four as in JobRequest */
    int32_t nodes;
    int32_t gpus;
    int32_t cpus, memory_mib;
    int32_t processes; /* number of ranks; the service's default is one per node */
    JobPriority priority;
    const char *tool; /* "horovod", "tensorflow", "custom", ... as the service's toolType */
    const ContainerImage *image; /* NULL: runs on the host */
    const char *command;         /* as shown to people */
    OutputPlace script;          /* the interpreter's script, if all files of its share are known;
                                    otherwise `share` is NULL */
    const char *script_path;     /* the path of the script on a node */
    bool has_preparation;
    const char *preparation_command;
    Quantiles preparation_ns;
    int32_t preparation_exit_code;
    const ShellScript *preparation_script; /* runs after preparation_ns, and its exit code replaces
                                              preparation_exit_code; or NULL */
    int32_t mount_count;                   /* of the job itself */
    const char *const *mounts;
    const bool *is_blob_mount; /* as in ClusterSpec */
    OutputPlace std_out_err;
    int32_t output_count;
    const OutputDirectory *outputs;
    int32_t environment_count;
    const EnvironmentVariable *environment; /* AZ_BATCHAI_ variables first, then the job's own */
    bool lacks_folders; /* the first of them, which follow from the job's path, are left out: see
                           job_environment */
    int64_t max_wall_clock_ns;
    int64_t expected_ns;      /* the run time that the owner states, for policies that plan ahead;
                                 max_wall_clock_ns if none is stated */
    const char *queue;        /* of its cluster, if that has queues; NULL: none is stated */
    KindSet kinds;            /* of its cluster's nodes that it allows; 0: all of them */
    const KindSpeeds *speeds; /* on its cluster's nodes, of a program that takes a stated time;
                                 NULL: as the kinds say */
    const Program *program;
} JobSpec;

/* A whole node of that size. */
static inline NodeShare vm_size_share(const VmSize *size)
{
    const int64_t mib = size->memory_bytes >> 20;
    return (NodeShare){.gpus = size->gpus,
                       .cpus = size->vcpus,
                       .memory_mib =
                           mib > 0 && mib < MEMORY_NEVER_BINDS ? (int32_t)mib : MEMORY_NEVER_BINDS};
}

/* The request of the job on a cluster whose nodes have `gpus_per_node` GPUs. */
static inline JobRequest job_spec_request(const JobSpec *spec, int32_t gpus_per_node)
{
    JobRequest request = {.kind = spec->asks_for, .nodes = spec->nodes, .gpus = spec->gpus};
    if (spec->asks_for == REQUEST_GPUS)
        request = request_of_gpus(spec->gpus, gpus_per_node);
    request.cpus = spec->cpus;
    request.memory_mib = spec->memory_mib;
    return request;
}

#endif

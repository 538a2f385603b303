/* The contents of job.json and cluster.json as the service published them (Azure Batch AI REST
 * API 2018-05-01, JSON schemas of job.json and cluster.json in the Azure/BatchAI repository),
 * bound by the tables in batchai_types.c.
 *
 * Members that the `az` client fills in before it sends a file may be absent: a job's `cluster`,
 * the `accountName` and `credentials` of a mount, a cluster's `userAccountSettings`, `vmSize`
 * and `scaleSettings` come from options there. */
#ifndef SIM_SCENARIO_BATCHAI_TYPES_H
#define SIM_SCENARIO_BATCHAI_TYPES_H

#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundText id;
} ResourceIdText;

typedef struct {
    const Json *node;
    ResourceIdText *source_vault;
    BoundText secret_url;
} SecretReferenceText;

typedef struct {
    const Json *node;
    BoundText account_key;
    SecretReferenceText *account_key_reference;
} StorageCredentialsText;

typedef struct {
    const Json *node;
    BoundText account_name;
    BoundText url;
    StorageCredentialsText *credentials;
    BoundText relative_mount_path;
    BoundText file_mode;
    BoundText directory_mode;
} FileShareMountText;

typedef struct {
    const Json *node;
    BoundText account_name;
    BoundText container_name;
    StorageCredentialsText *credentials;
    BoundText relative_mount_path;
    BoundText mount_options;
} BlobMountText;

typedef struct {
    const Json *node;
    ResourceIdText *file_server;
    BoundText source_directory;
    BoundText relative_mount_path;
    BoundText mount_options;
} FileServerMountText;

typedef struct {
    const Json *node;
    BoundText mount_command;
    BoundText relative_mount_path;
} UnmanagedMountText;

typedef struct {
    const Json *node;
    BoundList file_shares;  /* FileShareMountText */
    BoundList blobs;        /* BlobMountText */
    BoundList file_servers; /* FileServerMountText */
    BoundList unmanaged;    /* UnmanagedMountText */
} MountVolumesText;

typedef struct {
    const Json *node;
    BoundText name;
    BoundText value;
    SecretReferenceText *value_reference; /* secrets only */
} VariableText;

/* --- cluster.json --- */

typedef struct {
    const Json *node;
    BoundInteger target;
    BoundInteger deallocation; /* DeallocationOption */
} ManualScaleText;

typedef struct {
    const Json *node;
    BoundInteger minimum;
    BoundInteger maximum;
    BoundInteger initial;
} AutoScaleText;

typedef struct {
    const Json *node;
    ManualScaleText *manual;
    AutoScaleText *automatic;
} ScaleSettingsText;

typedef struct {
    const Json *node;
    BoundText publisher, offer, sku, version, image_id;
} ImageReferenceText;

typedef struct {
    const Json *node;
    ImageReferenceText *image;
} VirtualMachineText;

typedef struct {
    const Json *node;
    BoundText command_line;
    BoundList environment; /* VariableText */
    BoundList secrets;     /* VariableText */
    BoundText std_out_err_prefix;
} SetupTaskText;

typedef struct {
    const Json *node;
    ResourceIdText *component;
    BoundText instrumentation_key;
    SecretReferenceText *instrumentation_key_reference;
} AppInsightsText;

typedef struct {
    const Json *node;
    AppInsightsText *app_insights;
} PerformanceCountersText;

typedef struct {
    const Json *node;
    SetupTaskText *setup_task;
    MountVolumesText *mounts;
    PerformanceCountersText *counters;
} NodeSetupText;

typedef struct {
    const Json *node;
    BoundText admin_user, public_key, password;
} UserAccountText;

typedef struct {
    const Json *node;
    BoundText schema;
    BoundText vm_size;
    BoundInteger priority; /* VmPriority */
    ScaleSettingsText *scale;
    VirtualMachineText *machine;
    NodeSetupText *setup;
    UserAccountText *user;
    ResourceIdText *subnet;
} ClusterText;

typedef enum { VM_DEDICATED, VM_LOW_PRIORITY } VmPriority;
extern const char *const vm_priority_words[]; /* "dedicated", "lowpriority", NULL */

/* --- job.json --- */

typedef enum {
    TOOLKIT_CNTK,
    TOOLKIT_PYTORCH,
    TOOLKIT_TENSORFLOW,
    TOOLKIT_CAFFE,
    TOOLKIT_CAFFE2,
    TOOLKIT_CHAINER,
    TOOLKIT_CUSTOM,
    TOOLKIT_CUSTOM_MPI,
    TOOLKIT_HOROVOD,
    TOOLKIT_COUNT
} Toolkit;

/* One struct for all toolkits: each has some of these members. */
typedef struct {
    const Json *node;
    BoundText language;
    BoundText config_file;
    BoundText script;
    BoundText interpreter;
    BoundText arguments;
    BoundText worker_arguments;
    BoundText parameter_server_arguments;
    BoundText command_line;
    BoundText backend;
    BoundInteger processes;
    BoundInteger workers;
    BoundInteger parameter_servers;
} ToolkitText;

typedef struct {
    const Json *node;
    BoundText user_name, password;
    SecretReferenceText *password_reference;
} RegistryCredentialsText;

typedef struct {
    const Json *node;
    BoundText server_url;
    BoundText image;
    RegistryCredentialsText *credentials;
} RegistryText;

typedef struct {
    const Json *node;
    RegistryText *registry;
    BoundText shm_size;
} ContainerText;

typedef struct {
    const Json *node;
    BoundText command_line;
} JobPreparationText;

typedef struct {
    const Json *node;
    BoundText id;
    BoundText path;
} InputDirectoryText;

typedef struct {
    const Json *node;
    BoundText id;
    BoundText path_prefix;
    BoundText path_suffix;
} OutputDirectoryText;

typedef struct {
    const Json *node;
    BoundInteger max_wall_clock; /* ns; its node is NULL when the service's default holds */
} ConstraintsText;

typedef struct {
    const Json *node;
    BoundText schema;
    BoundInteger priority; /* JobPriority */
    ResourceIdText *cluster;
    MountVolumesText *mounts;
    BoundInteger nodes;
    ContainerText *container;
    ToolkitText *toolkits[TOOLKIT_COUNT]; /* NULL where absent */
    JobPreparationText *preparation;
    BoundText std_out_err_prefix;
    BoundList inputs;      /* InputDirectoryText */
    BoundList outputs;     /* OutputDirectoryText */
    BoundList environment; /* VariableText */
    BoundList secrets;     /* VariableText */
    ConstraintsText *constraints;
    /* Not in job.json: the command or workload asks for GPUs instead of `nodes` whole nodes. */
    BoundInteger gpus;
    BoundInteger gpus_per_node; /* on each of `nodes` nodes */
    BoundInteger cpus, memory;  /* in total, with one of the two above */
    BoundText queue;            /* of its cluster */
    const Json *node_kind;      /* names of kinds of nodes of its cluster */
    const Json *speeds;         /* on kinds of nodes of its cluster */
} JobText;

/* The words of nodeDeallocationOption, in the order of DeallocationOption, ended by NULL. */
extern const char *const deallocation_words[];

extern const ObjectType scale_settings_type; /* what can be changed of a cluster */
extern const ObjectType job_type;
extern const ObjectType cluster_type;
/* The same in {"properties": ...}, as the files have it. */
extern const ObjectType job_file_type;
extern const ObjectType cluster_file_type;

/* The file's name for a toolkit ("horovodSettings") and the service's ("horovod"). */
const char *toolkit_key(Toolkit toolkit);
const char *toolkit_name(Toolkit toolkit);

/* Bind a file's tree: the properties themselves, or {"properties": ...} around them as in a
 * resource. Refused as bind_object, never NULL. */
JobText *job_bind(Arena *arena, const Json *root, Problems *problems);
ClusterText *cluster_bind(Arena *arena, const Json *root, Problems *problems);

#endif

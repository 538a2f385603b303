#include "sim/scenario/format/batchai_types.h"

#define MAX_COUNT INT32_MAX

/* --- Shared --- */

#define OWNER ResourceIdText
static const Field resource_id_fields[] = {
    NEEDED_TEXT("id", id, "id of the resource"),
    {0},
};
static const ObjectType resource_id_type = {"ResourceId", "A resource by its id.", sizeof(OWNER),
                                            resource_id_fields};
#undef OWNER

#define OWNER SecretReferenceText
static const Field secret_reference_fields[] = {
    NEEDED_OBJECT("sourceVault", source_vault, resource_id_type, "the key vault"),
    NEEDED_TEXT("secretUrl", secret_url, "URL of the secret in it"),
    {0},
};
static const ObjectType secret_reference_type = {"KeyVaultSecretReference",
                                                 "A secret kept in a key vault.", sizeof(OWNER),
                                                 secret_reference_fields};
#undef OWNER

#define OWNER StorageCredentialsText
static const Field storage_credentials_fields[] = {
    FIELD_SECRET("accountKey", account_key, "key of the storage account"),
    FIELD_OBJECT("accountKeySecretReference", account_key_reference, secret_reference_type,
                 "where the key is kept"),
    {0},
};
static const ObjectType storage_credentials_type = {
    "AzureStorageCredentialsInfo", "How to get at a storage account; the az client fills it in.",
    sizeof(OWNER), storage_credentials_fields};
#undef OWNER

#define OWNER FileShareMountText
static const Field file_share_fields[] = {
    FIELD_TEXT("accountName", account_name, NULL,
               "the storage account; default: first label of azureFileUrl"),
    NEEDED_TEXT("azureFileUrl", url, "https://ACCOUNT.file.core.windows.net/SHARE"),
    FIELD_OBJECT("credentials", credentials, storage_credentials_type, "how to get at the account"),
    NEEDED_TEXT("relativeMountPath", relative_mount_path, "where it appears under the mount root"),
    FIELD_TEXT("fileMode", file_mode, NULL, "mode of files, 0777 by default"),
    FIELD_TEXT("directoryMode", directory_mode, NULL, "mode of directories, 0777 by default"),
    {0},
};
static const ObjectType file_share_type = {
    "AzureFileShareReference", "A mounted Azure Files share.", sizeof(OWNER), file_share_fields};
#undef OWNER

#define OWNER BlobMountText
static const Field blob_fields[] = {
    NEEDED_TEXT("accountName", account_name, "the storage account"),
    NEEDED_TEXT("containerName", container_name, "the blob container"),
    FIELD_OBJECT("credentials", credentials, storage_credentials_type, "how to get at the account"),
    NEEDED_TEXT("relativeMountPath", relative_mount_path, "where it appears under the mount root"),
    FIELD_TEXT("mountOptions", mount_options, NULL, "options for blobfuse"),
    {0},
};
static const ObjectType blob_type = {"AzureBlobFileSystemReference", "A mounted blob container.",
                                     sizeof(OWNER), blob_fields};
#undef OWNER

#define OWNER FileServerMountText
static const Field file_server_fields[] = {
    NEEDED_OBJECT("fileServer", file_server, resource_id_type, "the file server"),
    FIELD_TEXT("sourceDirectory", source_directory, NULL,
               "folder on the server; the whole disk by default"),
    NEEDED_TEXT("relativeMountPath", relative_mount_path, "where it appears under the mount root"),
    FIELD_TEXT("mountOptions", mount_options, NULL, "options for mount"),
    {0},
};
static const ObjectType file_server_type = {"FileServerReference", "A mounted file server.",
                                            sizeof(OWNER), file_server_fields};
#undef OWNER

#define OWNER UnmanagedMountText
static const Field unmanaged_fields[] = {
    NEEDED_TEXT("mountCommand", mount_command, "mount command; the mount path is appended"),
    NEEDED_TEXT("relativeMountPath", relative_mount_path, "where it appears under the mount root"),
    {0},
};
static const ObjectType unmanaged_type = {"UnmanagedFileSystemReference", "Any other file system.",
                                          sizeof(OWNER), unmanaged_fields};
#undef OWNER

#define OWNER MountVolumesText
static const Field mount_volumes_fields[] = {
    FIELD_OBJECTS("azureFileShares", file_shares, file_share_type, "Azure Files shares"),
    FIELD_OBJECTS("azureBlobFileSystems", blobs, blob_type, "blob containers"),
    FIELD_OBJECTS("fileServers", file_servers, file_server_type, "file servers"),
    FIELD_OBJECTS("unmanagedFileSystems", unmanaged, unmanaged_type, "any other file systems"),
    {0},
};
static const ObjectType mount_volumes_type = {"MountVolumes", "The mounts of each node.",
                                              sizeof(OWNER), mount_volumes_fields};
#undef OWNER

#define OWNER VariableText
static const Field variable_fields[] = {
    NEEDED_NAME("name", name, "name of the variable"),
    NEEDED_TEXT("value", value, "its value"),
    {0},
};
static const ObjectType variable_type = {"EnvironmentVariable", "An environment variable.",
                                         sizeof(OWNER), variable_fields};

static const Field secret_fields[] = {
    NEEDED_NAME("name", name, "name of the variable"),
    FIELD_SECRET("value", value, "its value, never reported back"),
    FIELD_OBJECT("valueSecretReference", value_reference, secret_reference_type,
                 "where the value is kept"),
    {0},
};
static const ObjectType secret_type = {"EnvironmentVariableWithSecretValue",
                                       "An environment variable with a secret value.",
                                       sizeof(OWNER), secret_fields};
#undef OWNER

/* --- cluster.json --- */

const char *const deallocation_words[] = {"requeue", "terminate", "waitforjobcompletion", NULL};
const char *const vm_priority_words[] = {"dedicated", "lowpriority", NULL};

#define OWNER ManualScaleText
static const Field manual_fields[] = {
    NEEDED_INTEGER("targetNodeCount", target, 0, MAX_COUNT, "how many nodes"),
    FIELD_CHOICE("nodeDeallocationOption", deallocation, deallocation_words, "requeue",
                 "what happens to a job on a node that goes"),
    {0},
};
static const ObjectType manual_type = {"ManualScaleSettings", "A fixed number of nodes.",
                                       sizeof(OWNER), manual_fields};
#undef OWNER

#define OWNER AutoScaleText
static const Field automatic_fields[] = {
    NEEDED_INTEGER("minimumNodeCount", minimum, 0, MAX_COUNT, "fewest nodes"),
    NEEDED_INTEGER("maximumNodeCount", maximum, 0, MAX_COUNT, "most nodes"),
    FIELD_INTEGER("initialNodeCount", initial, 0, MAX_COUNT, "0", "nodes at creation"),
    {0},
};
static const ObjectType automatic_type = {"AutoScaleSettings", "As many nodes as the jobs need.",
                                          sizeof(OWNER), automatic_fields};
#undef OWNER

#define OWNER ScaleSettingsText
static const Field scale_settings_fields[] = {
    FIELD_OBJECT("manual", manual, manual_type, "a fixed number of nodes"),
    FIELD_OBJECT("autoScale", automatic, automatic_type, "as many nodes as the jobs need"),
    {0},
};
#undef OWNER
const ObjectType scale_settings_type = {"ScaleSettings", "How many nodes; exactly one of the two.",
                                        sizeof(ScaleSettingsText), scale_settings_fields};

#define OWNER ImageReferenceText
static const Field image_reference_fields[] = {
    NEEDED_TEXT("publisher", publisher, "who publishes the image"),
    NEEDED_TEXT("offer", offer, "such as \"UbuntuServer\""),
    NEEDED_TEXT("sku", sku, "such as \"16.04-LTS\""),
    FIELD_TEXT("version", version, NULL, "\"latest\" by default"),
    FIELD_TEXT("virtualMachineImageId", image_id, NULL, "a custom image instead"),
    {0},
};
static const ObjectType image_reference_type = {
    "ImageReference", "The operating system of the nodes.", sizeof(OWNER), image_reference_fields};
#undef OWNER

#define OWNER VirtualMachineText
static const Field machine_fields[] = {
    FIELD_OBJECT("imageReference", image, image_reference_type, "the operating system"),
    {0},
};
static const ObjectType machine_type = {"VirtualMachineConfiguration",
                                        "The operating system of the nodes.", sizeof(OWNER),
                                        machine_fields};
#undef OWNER

#define OWNER SetupTaskText
static const Field setup_task_fields[] = {
    NEEDED_TEXT("commandLine", command_line, "runs as root on each node once it is allocated"),
    FIELD_OBJECTS("environmentVariables", environment, variable_type, "its environment"),
    FIELD_OBJECTS("secrets", secrets, secret_type, "its secret environment"),
    NEEDED_TEXT("stdOutErrPathPrefix", std_out_err_prefix, "where its output goes"),
    {0},
};
static const ObjectType setup_task_type = {"SetupTask", "A command that prepares each node.",
                                           sizeof(OWNER), setup_task_fields};
#undef OWNER

#define OWNER AppInsightsText
static const Field app_insights_fields[] = {
    NEEDED_OBJECT("component", component, resource_id_type, "the component"),
    FIELD_SECRET("instrumentationKey", instrumentation_key, "its key"),
    FIELD_OBJECT("instrumentationKeySecretReference", instrumentation_key_reference,
                 secret_reference_type, "where the key is kept"),
    {0},
};
static const ObjectType app_insights_type = {"AppInsightsReference",
                                             "Where performance counters are reported.",
                                             sizeof(OWNER), app_insights_fields};
#undef OWNER

#define OWNER PerformanceCountersText
static const Field counters_fields[] = {
    NEEDED_OBJECT("appInsightsReference", app_insights, app_insights_type, "where they go"),
    {0},
};
static const ObjectType counters_type = {"PerformanceCountersSettings",
                                         "Reporting of performance counters; not simulated.",
                                         sizeof(OWNER), counters_fields};
#undef OWNER

#define OWNER NodeSetupText
static const Field node_setup_fields[] = {
    FIELD_OBJECT("setupTask", setup_task, setup_task_type, "what prepares each node"),
    FIELD_OBJECT("mountVolumes", mounts, mount_volumes_type, "under $AZ_BATCHAI_MOUNT_ROOT"),
    FIELD_OBJECT("performanceCountersSettings", counters, counters_type, "performance counters"),
    {0},
};
static const ObjectType node_setup_type = {"NodeSetup", "The set-up of each node before jobs.",
                                           sizeof(OWNER), node_setup_fields};
#undef OWNER

#define OWNER UserAccountText
static const Field user_account_fields[] = {
    NEEDED_NAME("adminUserName", admin_user, "the administrator on each node"),
    FIELD_TEXT("adminUserSshPublicKey", public_key, NULL, "the administrator's public key"),
    FIELD_SECRET("adminUserPassword", password, "the administrator's password"),
    {0},
};
static const ObjectType user_account_type = {"UserAccountSettings",
                                             "The user who can log in to the nodes.", sizeof(OWNER),
                                             user_account_fields};
#undef OWNER

#define OWNER ClusterText
static const Field cluster_fields[] = {
    FIELD_TEXT("$schema", schema, NULL, "for editors; not read"),
    FIELD_TEXT("vmSize", vm_size, NULL,
               "VM size of every node; needed, unless cluster.create of a scenario has node_kinds"),
    FIELD_CHOICE("vmPriority", priority, vm_priority_words, "dedicated",
                 "low-priority nodes cost less and can be taken away"),
    FIELD_OBJECT("scaleSettings", scale, scale_settings_type, "how many nodes; none by default"),
    FIELD_OBJECT("virtualMachineConfiguration", machine, machine_type, "what the nodes run"),
    FIELD_OBJECT("nodeSetup", setup, node_setup_type, "mounts and preparation of each node"),
    FIELD_OBJECT("userAccountSettings", user, user_account_type, "who can log in to the nodes"),
    FIELD_OBJECT("subnet", subnet, resource_id_type, "the nodes' network"),
    {0},
};
#undef OWNER
const ObjectType cluster_type = {"Cluster", "A cluster's properties.", sizeof(ClusterText),
                                 cluster_fields};

/* --- Toolkits --- */

#define OWNER ToolkitText
#define SCRIPT NEEDED_TEXT("pythonScriptFilePath", script, "the Python script")
#define SCRIPT_OR_CONFIG                                                                           \
    FIELD_TEXT("pythonScriptFilePath", script, NULL, "the Python script, or configFilePath")
#define CONFIG                                                                                     \
    FIELD_TEXT("configFilePath", config_file, NULL, "the configuration file, or a script")
#define INTERPRETER FIELD_TEXT("pythonInterpreterPath", interpreter, NULL, "the Python interpreter")
#define ARGUMENTS FIELD_TEXT("commandLineArgs", arguments, NULL, "arguments of the script")
#define PROCESSES                                                                                  \
    FIELD_INTEGER("processCount", processes, 1, MAX_COUNT, NULL,                                   \
                  "processes over all nodes; default nodeCount")

static const Field cntk_fields[] = {
    FIELD_TEXT("languageType", language, NULL, "BrainScript or Python"),
    CONFIG,
    SCRIPT_OR_CONFIG,
    INTERPRETER,
    ARGUMENTS,
    PROCESSES,
    {0},
};
static const ObjectType cntk_type = {"CNTKsettings", "A CNTK job.", sizeof(OWNER), cntk_fields};

static const Field pytorch_fields[] = {
    SCRIPT,
    INTERPRETER,
    ARGUMENTS,
    PROCESSES,
    FIELD_TEXT("communicationBackend", backend, NULL, "TCP, Gloo or MPI"),
    {0},
};
static const ObjectType pytorch_type = {"PyTorchSettings", "A PyTorch job.", sizeof(OWNER),
                                        pytorch_fields};

static const Field tensorflow_fields[] = {
    SCRIPT,
    INTERPRETER,
    FIELD_TEXT("masterCommandLineArgs", arguments, NULL, "arguments of the master"),
    FIELD_TEXT("workerCommandLineArgs", worker_arguments, NULL, "arguments of the workers"),
    FIELD_TEXT("parameterServerCommandLineArgs", parameter_server_arguments, NULL,
               "arguments of the parameter servers"),
    FIELD_INTEGER("workerCount", workers, 1, MAX_COUNT, NULL,
                  "workers; default nodeCount, at most nodeCount x GPUs"),
    FIELD_INTEGER("parameterServerCount", parameter_servers, 0, MAX_COUNT, NULL,
                  "parameter servers; default 1 when distributed, at most nodeCount"),
    {0},
};
static const ObjectType tensorflow_type = {"TensorFlowSettings", "A TensorFlow job.", sizeof(OWNER),
                                           tensorflow_fields};

static const Field caffe_fields[] = {
    CONFIG, SCRIPT_OR_CONFIG, INTERPRETER, ARGUMENTS, PROCESSES, {0},
};
static const ObjectType caffe_type = {"CaffeSettings", "A Caffe job.", sizeof(OWNER), caffe_fields};

static const Field caffe2_fields[] = {SCRIPT, INTERPRETER, ARGUMENTS, {0}};
static const ObjectType caffe2_type = {"Caffe2Settings", "A Caffe2 job.", sizeof(OWNER),
                                       caffe2_fields};

static const Field chainer_fields[] = {SCRIPT, INTERPRETER, ARGUMENTS, PROCESSES, {0}};
static const ObjectType chainer_type = {"ChainerSettings", "A Chainer job.", sizeof(OWNER),
                                        chainer_fields};

static const Field custom_fields[] = {
    NEEDED_TEXT("commandLine", command_line, "the command to run"),
    {0},
};
static const ObjectType custom_type = {"CustomToolkitSettings", "Any command, run on one node.",
                                       sizeof(OWNER), custom_fields};

static const Field custom_mpi_fields[] = {
    NEEDED_TEXT("commandLine", command_line, "the command to run under mpirun"),
    PROCESSES,
    {0},
};
static const ObjectType custom_mpi_type = {"CustomMpiSettings", "Any command under MPI.",
                                           sizeof(OWNER), custom_mpi_fields};

static const Field horovod_fields[] = {SCRIPT, INTERPRETER, ARGUMENTS, PROCESSES, {0}};
static const ObjectType horovod_type = {"HorovodSettings", "A Horovod job.", sizeof(OWNER),
                                        horovod_fields};
#undef OWNER

/* X(TOOLKIT, key in job.json, the service's toolType, type). The API's document says "mpi" for
 * custommpi; both SDKs, which are newer, do not. */
#define TOOLKITS(X)                                                                                \
    X(CNTK, "cntkSettings", "cntk", cntk_type)                                                     \
    X(PYTORCH, "pyTorchSettings", "pytorch", pytorch_type)                                         \
    X(TENSORFLOW, "tensorFlowSettings", "tensorflow", tensorflow_type)                             \
    X(CAFFE, "caffeSettings", "caffe", caffe_type)                                                 \
    X(CAFFE2, "caffe2Settings", "caffe2", caffe2_type)                                             \
    X(CHAINER, "chainerSettings", "chainer", chainer_type)                                         \
    X(CUSTOM, "customToolkitSettings", "custom", custom_type)                                      \
    X(CUSTOM_MPI, "customMpiSettings", "custommpi", custom_mpi_type)                               \
    X(HOROVOD, "horovodSettings", "horovod", horovod_type)

const char *toolkit_key(Toolkit toolkit)
{
    static const char *const keys[] = {
#define X(name, key, service_name, type) [TOOLKIT_##name] = key,
        TOOLKITS(X)
#undef X
    };
    return keys[toolkit];
}

const char *toolkit_name(Toolkit toolkit)
{
    static const char *const names[] = {
#define X(name, key, service_name, type) [TOOLKIT_##name] = service_name,
        TOOLKITS(X)
#undef X
    };
    return names[toolkit];
}

/* --- job.json --- */

static const char *const priority_words[] = {"low", "normal", "high", NULL};

#define OWNER RegistryCredentialsText
static const Field registry_credentials_fields[] = {
    NEEDED_TEXT("username", user_name, "user of the registry"),
    FIELD_SECRET("password", password, "its password"),
    FIELD_OBJECT("passwordSecretReference", password_reference, secret_reference_type,
                 "where the password is kept"),
    {0},
};
static const ObjectType registry_credentials_type = {"PrivateRegistryCredentials",
                                                     "How to get at a private registry.",
                                                     sizeof(OWNER), registry_credentials_fields};
#undef OWNER

#define OWNER RegistryText
static const Field registry_fields[] = {
    FIELD_TEXT("serverUrl", server_url, NULL, "the registry; Docker Hub by default"),
    NEEDED_TEXT("image", image, "name of the image"),
    FIELD_OBJECT("credentials", credentials, registry_credentials_type,
                 "how to get at the registry"),
    {0},
};
static const ObjectType registry_type = {
    "ImageSourceRegistry", "Where the container image comes from.", sizeof(OWNER), registry_fields};
#undef OWNER

#define OWNER ContainerText
static const Field container_fields[] = {
    NEEDED_OBJECT("imageSourceRegistry", registry, registry_type, "where the image comes from"),
    FIELD_TEXT("shmSize", shm_size, NULL, "size of /dev/shm"),
    {0},
};
static const ObjectType container_type = {
    "ContainerSettings", "The container that the job runs in.", sizeof(OWNER), container_fields};
#undef OWNER

#define OWNER JobPreparationText
static const Field job_preparation_fields[] = {
    NEEDED_TEXT("commandLine", command_line, "runs on each node before the toolkit"),
    {0},
};
static const ObjectType job_preparation_type = {"JobPreparation", "A command before the toolkit.",
                                                sizeof(OWNER), job_preparation_fields};
#undef OWNER

#define OWNER InputDirectoryText
static const Field input_directory_fields[] = {
    NEEDED_NAME("id", id, "$AZ_BATCHAI_INPUT_id has the path"),
    NEEDED_TEXT("path", path, "the folder"),
    {0},
};
static const ObjectType input_directory_type = {"InputDirectory", "A folder that the job reads.",
                                                sizeof(OWNER), input_directory_fields};
#undef OWNER

#define OWNER OutputDirectoryText
static const Field output_directory_fields[] = {
    NEEDED_NAME("id", id, "$AZ_BATCHAI_OUTPUT_id has the path"),
    NEEDED_TEXT("pathPrefix", path_prefix, "the part before the job's own path"),
    FIELD_TEXT("pathSuffix", path_suffix, NULL, "the part after it"),
    {0},
};
static const ObjectType output_directory_type = {"OutputDirectory", "A folder that the job writes.",
                                                 sizeof(OWNER), output_directory_fields};
#undef OWNER

#define OWNER ConstraintsText
static const Field constraints_fields[] = {
    FIELD_ISO_DURATION("maxWallClockTime", max_wall_clock, NULL,
                       "longest time that the job may run"),
    {0},
};
static const ObjectType constraints_type = {"JobConstraints", "Limits of the job.", sizeof(OWNER),
                                            constraints_fields};
#undef OWNER

#define OWNER JobText
static const Field job_fields[] = {
    FIELD_TEXT("$schema", schema, NULL, "for editors; not read"),
    FIELD_CHOICE("schedulingPriority", priority, priority_words, "normal",
                 "its rank in the cluster's queue"),
    FIELD_OBJECT("cluster", cluster, resource_id_type, "where it runs"),
    FIELD_OBJECT("mountVolumes", mounts, mount_volumes_type, "under $AZ_BATCHAI_JOB_MOUNT_ROOT"),
    NEEDED_INTEGER("nodeCount", nodes, 1, MAX_COUNT, "how many nodes, all at once"),
    FIELD_OBJECT("containerSettings", container, container_type,
                 "without them it runs on the host"),
#define X(toolkit, key, service_name, toolkit_type)                                                \
    FIELD_OBJECT(key, toolkits[TOOLKIT_##toolkit], toolkit_type, "how the program is started"),
    TOOLKITS(X)
#undef X
        FIELD_OBJECT("jobPreparation", preparation, job_preparation_type,
                     "a command before the toolkit"),
    NEEDED_TEXT("stdOutErrPathPrefix", std_out_err_prefix, "where standard output and logs go"),
    FIELD_OBJECTS("inputDirectories", inputs, input_directory_type, "folders that the job reads"),
    FIELD_OBJECTS("outputDirectories", outputs, output_directory_type,
                  "folders that the job writes"),
    FIELD_OBJECTS("environmentVariables", environment, variable_type, "its environment"),
    FIELD_OBJECTS("secrets", secrets, secret_type, "its secret environment"),
    FIELD_OBJECT("constraints", constraints, constraints_type, "its limits"),
    {0},
};
#undef OWNER
const ObjectType job_type = {"Job", "A job's properties.", sizeof(JobText), job_fields};

/* --- The wrapper --- */

typedef struct {
    const Json *node;
    BoundText schema;
    void *properties;
} ResourceText;

#define OWNER ResourceText
static const Field job_file_fields[] = {
    FIELD_TEXT("$schema", schema, NULL, "for editors; not read"),
    NEEDED_OBJECT("properties", properties, job_type, "the job"),
    {0},
};

static const Field cluster_file_fields[] = {
    FIELD_TEXT("$schema", schema, NULL, "for editors; not read"),
    NEEDED_OBJECT("properties", properties, cluster_type, "the cluster"),
    {0},
};

#undef OWNER

const ObjectType job_file_type = {"job file", "A job.json: a Batch AI job (2018-05-01).",
                                  sizeof(ResourceText), job_file_fields};
const ObjectType cluster_file_type = {"cluster file",
                                      "A cluster.json: a Batch AI cluster (2018-05-01).",
                                      sizeof(ResourceText), cluster_file_fields};

static void *bind_wrapped(Arena *arena, const Json *root, const ObjectType *wrapper,
                          const ObjectType *type, Problems *problems)
{
    const Json *properties = json_member(root, "properties");
    if (properties == NULL)
        return bind_object(arena, root, type, problems);
    const ResourceText *resource = bind_object(arena, root, wrapper, problems);
    return resource->properties;
}

JobText *job_bind(Arena *arena, const Json *root, Problems *problems)
{
    return bind_wrapped(arena, root, &job_file_type, &job_type, problems);
}

ClusterText *cluster_bind(Arena *arena, const Json *root, Problems *problems)
{
    return bind_wrapped(arena, root, &cluster_file_type, &cluster_type, problems);
}

#include "sim/scenario/config/batchai_types.h"

#define MAX_COUNT INT32_MAX

/* Rows of the tables below: OWNER is the struct at hand. */
#define TEXT(key, member, text)                                                                    \
    {                                                                                              \
        .name = key, .kind = FIELD_TEXT, .offset = offsetof(OWNER, member), .doc = text            \
    }
#define NEEDED_TEXT(key, member, text)                                                             \
    {                                                                                              \
        .name = key, .kind = FIELD_TEXT, .offset = offsetof(OWNER, member), .is_required = true,   \
        .doc = text                                                                                \
    }
#define NAME(key, member, text)                                                                    \
    {                                                                                              \
        .name = key, .kind = FIELD_TEXT, .offset = offsetof(OWNER, member), .is_required = true,   \
        .is_filled = true, .doc = text                                                             \
    }
#define SECRET(key, member, text)                                                                  \
    {                                                                                              \
        .name = key, .kind = FIELD_TEXT, .offset = offsetof(OWNER, member), .is_secret = true,     \
        .doc = text                                                                                \
    }
#define OBJECT(key, member, object_type, text)                                                     \
    {                                                                                              \
        .name = key, .kind = FIELD_OBJECT, .offset = offsetof(OWNER, member),                      \
        .type = &(object_type), .doc = text                                                        \
    }
#define NEEDED_OBJECT(key, member, object_type, text)                                              \
    {                                                                                              \
        .name = key, .kind = FIELD_OBJECT, .offset = offsetof(OWNER, member), .is_required = true, \
        .type = &(object_type), .doc = text                                                        \
    }
#define OBJECTS(key, member, object_type, text)                                                    \
    {                                                                                              \
        .name = key, .kind = FIELD_OBJECTS, .offset = offsetof(OWNER, member),                     \
        .type = &(object_type), .doc = text                                                        \
    }
#define COUNT(key, member, least, text)                                                            \
    {                                                                                              \
        .name = key, .kind = FIELD_INTEGER, .offset = offsetof(OWNER, member), .minimum = least,   \
        .maximum = MAX_COUNT, .doc = text                                                          \
    }
#define TYPE(variable, title, text)                                                                \
    static const ObjectType variable##_type = {title, text, sizeof(OWNER), variable##_fields};

/* --- Shared --- */

#define OWNER ResourceIdText
static const Field resource_id_fields[] = {
    NEEDED_TEXT("id", id, "id of the resource"),
    {0},
};
TYPE(resource_id, "ResourceId", "A resource by its id.")
#undef OWNER

#define OWNER SecretReferenceText
static const Field secret_reference_fields[] = {
    NEEDED_OBJECT("sourceVault", source_vault, resource_id_type, "the key vault"),
    NEEDED_TEXT("secretUrl", secret_url, "URL of the secret in it"),
    {0},
};
TYPE(secret_reference, "KeyVaultSecretReference", "A secret kept in a key vault.")
#undef OWNER

#define OWNER StorageCredentialsText
static const Field storage_credentials_fields[] = {
    SECRET("accountKey", account_key, "key of the storage account"),
    OBJECT("accountKeySecretReference", account_key_reference, secret_reference_type,
           "where the key is kept"),
    {0},
};
TYPE(storage_credentials, "AzureStorageCredentialsInfo",
     "How to get at a storage account; the az client fills it in.")
#undef OWNER

#define OWNER FileShareMountText
static const Field file_share_fields[] = {
    TEXT("accountName", account_name, "the storage account; default: first label of azureFileUrl"),
    NEEDED_TEXT("azureFileUrl", url, "https://ACCOUNT.file.core.windows.net/SHARE"),
    OBJECT("credentials", credentials, storage_credentials_type, "how to get at the account"),
    NEEDED_TEXT("relativeMountPath", relative_mount_path, "where it appears under the mount root"),
    TEXT("fileMode", file_mode, "mode of files, 0777 by default"),
    TEXT("directoryMode", directory_mode, "mode of directories, 0777 by default"),
    {0},
};
TYPE(file_share, "AzureFileShareReference", "A mounted Azure Files share.")
#undef OWNER

#define OWNER BlobMountText
static const Field blob_fields[] = {
    NEEDED_TEXT("accountName", account_name, "the storage account"),
    NEEDED_TEXT("containerName", container_name, "the blob container"),
    OBJECT("credentials", credentials, storage_credentials_type, "how to get at the account"),
    NEEDED_TEXT("relativeMountPath", relative_mount_path, "where it appears under the mount root"),
    TEXT("mountOptions", mount_options, "options for blobfuse"),
    {0},
};
TYPE(blob, "AzureBlobFileSystemReference", "A mounted blob container.")
#undef OWNER

#define OWNER FileServerMountText
static const Field file_server_fields[] = {
    NEEDED_OBJECT("fileServer", file_server, resource_id_type, "the file server"),
    TEXT("sourceDirectory", source_directory, "folder on the server; the whole disk by default"),
    NEEDED_TEXT("relativeMountPath", relative_mount_path, "where it appears under the mount root"),
    TEXT("mountOptions", mount_options, "options for mount"),
    {0},
};
TYPE(file_server, "FileServerReference", "A mounted file server.")
#undef OWNER

#define OWNER UnmanagedMountText
static const Field unmanaged_fields[] = {
    NEEDED_TEXT("mountCommand", mount_command, "mount command; the mount path is appended"),
    NEEDED_TEXT("relativeMountPath", relative_mount_path, "where it appears under the mount root"),
    {0},
};
TYPE(unmanaged, "UnmanagedFileSystemReference", "Any other file system.")
#undef OWNER

#define OWNER MountVolumesText
static const Field mount_volumes_fields[] = {
    OBJECTS("azureFileShares", file_shares, file_share_type, "Azure Files shares"),
    OBJECTS("azureBlobFileSystems", blobs, blob_type, "blob containers"),
    OBJECTS("fileServers", file_servers, file_server_type, "file servers"),
    OBJECTS("unmanagedFileSystems", unmanaged, unmanaged_type, "any other file systems"),
    {0},
};
TYPE(mount_volumes, "MountVolumes", "What is mounted on each node.")
#undef OWNER

#define OWNER VariableText
static const Field variable_fields[] = {
    NAME("name", name, "name of the variable"),
    NEEDED_TEXT("value", value, "its value"),
    {0},
};
TYPE(variable, "EnvironmentVariable", "An environment variable.")

static const Field secret_fields[] = {
    NAME("name", name, "name of the variable"),
    SECRET("value", value, "its value, never reported back"),
    OBJECT("valueSecretReference", value_reference, secret_reference_type,
           "where the value is kept"),
    {0},
};
TYPE(secret, "EnvironmentVariableWithSecretValue", "An environment variable with a secret value.")
#undef OWNER

/* --- cluster.json --- */

const char *const deallocation_words[] = {"requeue", "terminate", "waitforjobcompletion", NULL};
const char *const vm_priority_words[] = {"dedicated", "lowpriority", NULL};

#define OWNER ManualScaleText
static const Field manual_fields[] = {
    {.name = "targetNodeCount",
     .kind = FIELD_INTEGER,
     .offset = offsetof(ManualScaleText, target),
     .is_required = true,
     .maximum = MAX_COUNT,
     .doc = "how many nodes"},
    {.name = "nodeDeallocationOption",
     .kind = FIELD_CHOICE,
     .offset = offsetof(ManualScaleText, deallocation),
     .choices = deallocation_words,
     .fallback = "requeue",
     .doc = "what happens to a job on a node that goes"},
    {0},
};
TYPE(manual, "ManualScaleSettings", "A fixed number of nodes.")
#undef OWNER

#define OWNER AutoScaleText
static const Field automatic_fields[] = {
    {.name = "minimumNodeCount",
     .kind = FIELD_INTEGER,
     .offset = offsetof(AutoScaleText, minimum),
     .is_required = true,
     .maximum = MAX_COUNT,
     .doc = "fewest nodes"},
    {.name = "maximumNodeCount",
     .kind = FIELD_INTEGER,
     .offset = offsetof(AutoScaleText, maximum),
     .is_required = true,
     .maximum = MAX_COUNT,
     .doc = "most nodes"},
    {.name = "initialNodeCount",
     .kind = FIELD_INTEGER,
     .offset = offsetof(AutoScaleText, initial),
     .maximum = MAX_COUNT,
     .fallback = "0",
     .doc = "nodes at creation"},
    {0},
};
TYPE(automatic, "AutoScaleSettings", "As many nodes as the jobs need.")
#undef OWNER

#define OWNER ScaleSettingsText
static const Field scale_settings_fields[] = {
    OBJECT("manual", manual, manual_type, "a fixed number of nodes"),
    OBJECT("autoScale", automatic, automatic_type, "as many nodes as the jobs need"),
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
    TEXT("version", version, "\"latest\" by default"),
    TEXT("virtualMachineImageId", image_id, "a custom image instead"),
    {0},
};
TYPE(image_reference, "ImageReference", "The operating system of the nodes.")
#undef OWNER

#define OWNER VirtualMachineText
static const Field machine_fields[] = {
    OBJECT("imageReference", image, image_reference_type, "the operating system"),
    {0},
};
TYPE(machine, "VirtualMachineConfiguration", "What the nodes run.")
#undef OWNER

#define OWNER SetupTaskText
static const Field setup_task_fields[] = {
    NEEDED_TEXT("commandLine", command_line, "runs as root on each node once it is allocated"),
    OBJECTS("environmentVariables", environment, variable_type, "its environment"),
    OBJECTS("secrets", secrets, secret_type, "its secret environment"),
    NEEDED_TEXT("stdOutErrPathPrefix", std_out_err_prefix, "where its output goes"),
    {0},
};
TYPE(setup_task, "SetupTask", "What prepares each node.")
#undef OWNER

#define OWNER AppInsightsText
static const Field app_insights_fields[] = {
    NEEDED_OBJECT("component", component, resource_id_type, "the component"),
    SECRET("instrumentationKey", instrumentation_key, "its key"),
    OBJECT("instrumentationKeySecretReference", instrumentation_key_reference,
           secret_reference_type, "where the key is kept"),
    {0},
};
TYPE(app_insights, "AppInsightsReference", "Where performance counters are reported.")
#undef OWNER

#define OWNER PerformanceCountersText
static const Field counters_fields[] = {
    NEEDED_OBJECT("appInsightsReference", app_insights, app_insights_type, "where they go"),
    {0},
};
TYPE(counters, "PerformanceCountersSettings", "Reporting of performance counters; not simulated.")
#undef OWNER

#define OWNER NodeSetupText
static const Field node_setup_fields[] = {
    OBJECT("setupTask", setup_task, setup_task_type, "what prepares each node"),
    OBJECT("mountVolumes", mounts, mount_volumes_type, "under $AZ_BATCHAI_MOUNT_ROOT"),
    OBJECT("performanceCountersSettings", counters, counters_type, "performance counters"),
    {0},
};
TYPE(node_setup, "NodeSetup", "What each node gets before jobs.")
#undef OWNER

#define OWNER UserAccountText
static const Field user_account_fields[] = {
    NAME("adminUserName", admin_user, "the administrator on each node"),
    TEXT("adminUserSshPublicKey", public_key, "the administrator's public key"),
    SECRET("adminUserPassword", password, "the administrator's password"),
    {0},
};
TYPE(user_account, "UserAccountSettings", "Who can log in to the nodes.")
#undef OWNER

#define OWNER ClusterText
static const Field cluster_fields[] = {
    TEXT("$schema", schema, "for editors; not read"),
    NEEDED_TEXT("vmSize", vm_size, "VM size of every node"),
    {.name = "vmPriority",
     .kind = FIELD_CHOICE,
     .offset = offsetof(ClusterText, priority),
     .choices = vm_priority_words,
     .fallback = "dedicated",
     .doc = "low-priority nodes cost less and can be taken away"},
    OBJECT("scaleSettings", scale, scale_settings_type, "how many nodes; none by default"),
    OBJECT("virtualMachineConfiguration", machine, machine_type, "what the nodes run"),
    OBJECT("nodeSetup", setup, node_setup_type, "mounts and preparation of each node"),
    OBJECT("userAccountSettings", user, user_account_type, "who can log in to the nodes"),
    OBJECT("subnet", subnet, resource_id_type, "the nodes' network"),
    {0},
};
#undef OWNER
const ObjectType cluster_type = {"Cluster", "A cluster's properties.", sizeof(ClusterText),
                                 cluster_fields};

/* --- Toolkits --- */

#define OWNER ToolkitText
#define SCRIPT NEEDED_TEXT("pythonScriptFilePath", script, "the Python script")
#define SCRIPT_OR_CONFIG                                                                           \
    TEXT("pythonScriptFilePath", script, "the Python script, or configFilePath")
#define CONFIG TEXT("configFilePath", config_file, "the configuration file, or a script")
#define INTERPRETER TEXT("pythonInterpreterPath", interpreter, "the Python interpreter")
#define ARGUMENTS TEXT("commandLineArgs", arguments, "arguments of the script")
#define PROCESSES COUNT("processCount", processes, 1, "processes over all nodes; default nodeCount")

static const Field cntk_fields[] = {
    TEXT("languageType", language, "BrainScript or Python"),
    CONFIG,
    SCRIPT_OR_CONFIG,
    INTERPRETER,
    ARGUMENTS,
    PROCESSES,
    {0},
};
TYPE(cntk, "CNTKsettings", "A CNTK job.")

static const Field pytorch_fields[] = {
    SCRIPT,
    INTERPRETER,
    ARGUMENTS,
    PROCESSES,
    TEXT("communicationBackend", backend, "TCP, Gloo or MPI"),
    {0},
};
TYPE(pytorch, "PyTorchSettings", "A PyTorch job.")

static const Field tensorflow_fields[] = {
    SCRIPT,
    INTERPRETER,
    TEXT("masterCommandLineArgs", arguments, "arguments of the master"),
    TEXT("workerCommandLineArgs", worker_arguments, "arguments of the workers"),
    TEXT("parameterServerCommandLineArgs", parameter_server_arguments,
         "arguments of the parameter servers"),
    COUNT("workerCount", workers, 1, "workers; default nodeCount, at most nodeCount x GPUs"),
    COUNT("parameterServerCount", parameter_servers, 0,
          "parameter servers; default 1 when distributed, at most nodeCount"),
    {0},
};
TYPE(tensorflow, "TensorFlowSettings", "A TensorFlow job.")

static const Field caffe_fields[] = {
    CONFIG, SCRIPT_OR_CONFIG, INTERPRETER, ARGUMENTS, PROCESSES, {0},
};
TYPE(caffe, "CaffeSettings", "A Caffe job.")

static const Field caffe2_fields[] = {SCRIPT, INTERPRETER, ARGUMENTS, {0}};
TYPE(caffe2, "Caffe2Settings", "A Caffe2 job.")

static const Field chainer_fields[] = {SCRIPT, INTERPRETER, ARGUMENTS, PROCESSES, {0}};
TYPE(chainer, "ChainerSettings", "A Chainer job.")

static const Field custom_fields[] = {
    NEEDED_TEXT("commandLine", command_line, "the command to run"),
    {0},
};
TYPE(custom, "CustomToolkitSettings", "Any command, run on one node.")

static const Field custom_mpi_fields[] = {
    NEEDED_TEXT("commandLine", command_line, "the command to run under mpirun"),
    PROCESSES,
    {0},
};
TYPE(custom_mpi, "CustomMpiSettings", "Any command under MPI.")

static const Field horovod_fields[] = {SCRIPT, INTERPRETER, ARGUMENTS, PROCESSES, {0}};
TYPE(horovod, "HorovodSettings", "A Horovod job.")
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
    SECRET("password", password, "its password"),
    OBJECT("passwordSecretReference", password_reference, secret_reference_type,
           "where the password is kept"),
    {0},
};
TYPE(registry_credentials, "PrivateRegistryCredentials", "How to get at a private registry.")
#undef OWNER

#define OWNER RegistryText
static const Field registry_fields[] = {
    TEXT("serverUrl", server_url, "the registry; Docker Hub by default"),
    NEEDED_TEXT("image", image, "name of the image"),
    OBJECT("credentials", credentials, registry_credentials_type, "how to get at the registry"),
    {0},
};
TYPE(registry, "ImageSourceRegistry", "Where the container image comes from.")
#undef OWNER

#define OWNER ContainerText
static const Field container_fields[] = {
    NEEDED_OBJECT("imageSourceRegistry", registry, registry_type, "where the image comes from"),
    TEXT("shmSize", shm_size, "size of /dev/shm"),
    {0},
};
TYPE(container, "ContainerSettings", "The container that the job runs in.")
#undef OWNER

#define OWNER JobPreparationText
static const Field job_preparation_fields[] = {
    NEEDED_TEXT("commandLine", command_line, "runs on each node before the toolkit"),
    {0},
};
TYPE(job_preparation, "JobPreparation", "A command before the toolkit.")
#undef OWNER

#define OWNER InputDirectoryText
static const Field input_directory_fields[] = {
    NAME("id", id, "$AZ_BATCHAI_INPUT_id has the path"),
    NEEDED_TEXT("path", path, "the folder"),
    {0},
};
TYPE(input_directory, "InputDirectory", "A folder that the job reads.")
#undef OWNER

#define OWNER OutputDirectoryText
static const Field output_directory_fields[] = {
    NAME("id", id, "$AZ_BATCHAI_OUTPUT_id has the path"),
    NEEDED_TEXT("pathPrefix", path_prefix, "what stands before the job's own path"),
    TEXT("pathSuffix", path_suffix, "what stands behind it"),
    {0},
};
TYPE(output_directory, "OutputDirectory", "A folder that the job writes.")
#undef OWNER

#define OWNER ConstraintsText
static const Field constraints_fields[] = {
    {.name = "maxWallClockTime",
     .kind = FIELD_ISO_DURATION,
     .offset = offsetof(ConstraintsText, max_wall_clock),
     .doc = "longest time that the job may run"},
    {0},
};
TYPE(constraints, "JobConstraints", "Limits of the job.")
#undef OWNER

#define OWNER JobText
static const Field job_fields[] = {
    TEXT("$schema", schema, "for editors; not read"),
    {.name = "schedulingPriority",
     .kind = FIELD_CHOICE,
     .offset = offsetof(JobText, priority),
     .choices = priority_words,
     .fallback = "normal",
     .doc = "its rank in the cluster's queue"},
    OBJECT("cluster", cluster, resource_id_type, "where it runs"),
    OBJECT("mountVolumes", mounts, mount_volumes_type, "under $AZ_BATCHAI_JOB_MOUNT_ROOT"),
    {.name = "nodeCount",
     .kind = FIELD_INTEGER,
     .offset = offsetof(JobText, nodes),
     .is_required = true,
     .minimum = 1,
     .maximum = MAX_COUNT,
     .doc = "how many nodes, all at once"},
    OBJECT("containerSettings", container, container_type, "without them it runs on the host"),
#define X(toolkit, key, service_name, toolkit_type)                                                \
    OBJECT(key, toolkits[TOOLKIT_##toolkit], toolkit_type, "how the program is started"),
    TOOLKITS(X)
#undef X
        OBJECT("jobPreparation", preparation, job_preparation_type, "a command before the toolkit"),
    NEEDED_TEXT("stdOutErrPathPrefix", std_out_err_prefix, "where standard output and logs go"),
    OBJECTS("inputDirectories", inputs, input_directory_type, "folders that the job reads"),
    OBJECTS("outputDirectories", outputs, output_directory_type, "folders that the job writes"),
    OBJECTS("environmentVariables", environment, variable_type, "its environment"),
    OBJECTS("secrets", secrets, secret_type, "its secret environment"),
    OBJECT("constraints", constraints, constraints_type, "its limits"),
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
    TEXT("$schema", schema, "for editors; not read"),
    NEEDED_OBJECT("properties", properties, job_type, "the job"),
    {0},
};

static const Field cluster_file_fields[] = {
    TEXT("$schema", schema, "for editors; not read"),
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

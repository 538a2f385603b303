#include "sim/scenario/config/job_variables.h"

#include <string.h>

#include "sim/cloud/job/environment.h"

/* Nodes have the addresses 10.0.0.4, 10.0.0.5, ... in the order of their numbers: the first four of
 * a subnet belong to Azure. Ports as in the documentation: 2222, and 2223 for a worker that shares
 * its node with a parameter server. */
enum { FIRST_ADDRESS = 4, ADDRESSES_PER_BYTE = 256, TASK_PORT = 2222, SHARED_NODE_PORT = 2223 };

static void add_address(Text *text, int32_t node)
{
    int32_t address = FIRST_ADDRESS + node;
    text_printf(text, "%s10.0.%d.%d", node > 0 ? "," : "", (int)(address / ADDRESSES_PER_BYTE),
                (int)(address % ADDRESSES_PER_BYTE));
}

/* "10.0.0.4:2222,10.0.0.5:2222"; the first `shared` nodes get the other port. */
static const char *host_list(Arena *arena, int32_t nodes, int32_t shared, bool has_ports)
{
    Text text = {0};
    for (int32_t node = 0; node < nodes; node++) {
        add_address(&text, node);
        if (has_ports)
            text_printf(&text, ":%d", node < shared ? SHARED_NODE_PORT : TASK_PORT);
    }
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static void add_folders(Variables *variables, const JobSurroundings *job)
{
    EnvironmentVariable folders[JOB_FOLDERS];
    job_folders(variables->arena, job->path, folders);
    for (int32_t i = 0; i < JOB_FOLDERS; i++)
        variables_add(variables, "", folders[i].name, folders[i].value);
    if (job->vm_size != NULL)
        variables_add(variables, "", "AZ_BATCHAI_NUM_GPUS",
                      arena_printf(variables->arena, "%" PRId32, job->vm_size->gpus));
    else
        variables_add_unread(variables, "AZ_BATCHAI_", "NUM_GPUS");
}

static void refuse_repeated(const Variables *variables, const char *prefix, BoundText id)
{
    for (int32_t i = 0; i < variables->count; i++) {
        const char *name = variables->items[i].name;
        if (strncmp(name, prefix, strlen(prefix)) == 0 &&
            strcmp(name + strlen(prefix), id.value) == 0)
            problems_add(variables->problems, STATUS_BAD_INPUT, json_at(id.node),
                         "%s%s is declared twice", prefix, id.value);
    }
}

/* Adds the variable of a directory. Its value is `path`, expanded with the earlier variables, and
 * `below`. */
static void add_directory(Variables *variables, const char *prefix, BoundText id, BoundText path,
                          const char *below)
{
    const char *expanded = variables_expand(variables, path);
    if (id.value != NULL)
        refuse_repeated(variables, prefix, id);
    if (id.value == NULL || expanded == NULL)
        variables_add_unread(variables, prefix, id.value != NULL ? id.value : "*");
    else
        variables_add(
            variables, prefix, id.value,
            path_tidy(variables->arena, arena_printf(variables->arena, "%s%s", expanded, below)));
}

/* The folder for standard output comes last: its path may lead through any of the others. */
static void add_directories(Variables *variables, const JobText *text)
{
    static const char input[] = "AZ_BATCHAI_INPUT_", output[] = "AZ_BATCHAI_OUTPUT_";
    if (text->inputs.is_refused)
        variables_add_unread(variables, input, "*");
    if (text->outputs.is_refused)
        variables_add_unread(variables, output, "*");
    for (int32_t i = 0; i < text->inputs.count; i++) {
        const InputDirectoryText *directory = text->inputs.items[i];
        add_directory(variables, input, directory->id, directory->path, "");
    }
    for (int32_t i = 0; i < text->outputs.count; i++) {
        const OutputDirectoryText *directory = text->outputs.items[i];
        const char *suffix =
            directory->path_suffix.value != NULL ? directory->path_suffix.value : "";
        add_directory(variables, output, directory->id, directory->path_prefix,
                      arena_printf(variables->arena, "/" JOB_SEGMENT_MARK "/outputs/%s", suffix));
    }
    add_directory(variables, "AZ_BATCHAI_", (BoundText){.value = "STDOUTERR_DIR"},
                  text->std_out_err_prefix, "/" JOB_SEGMENT_MARK "/stdouterr");
}

static Json *host_array(Arena *arena, const char *list)
{
    Json *hosts = json_array(arena);
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        json_add(hosts, json_string(arena, arena_strndup(arena, list, length)));
        list += length + (list[length] == ',');
    }
    return hosts;
}

/* TF_CONFIG of the first worker, as the documentation shows it. */
static const char *tensorflow_config(Arena *arena, const char *servers, const char *workers)
{
    Json *config = json_object(arena);
    Json *cluster = json_put_object(arena, config, "cluster");
    json_set(arena, cluster, "ps", host_array(arena, servers));
    json_set(arena, cluster, "worker", host_array(arena, workers));
    Json *task = json_put_object(arena, config, "task");
    json_put_text(arena, task, "type", "worker");
    json_put_integer(arena, task, "index", 0);
    json_put_text(arena, config, "environment", "cloud");
    return json_text(arena, config);
}

static void add_tensorflow(Variables *variables, const JobText *text, int32_t nodes)
{
    const ToolkitText *settings = text->toolkits[TOOLKIT_TENSORFLOW];
    int32_t servers = settings->parameter_servers.node != NULL
                          ? (int32_t)settings->parameter_servers.value
                          : nodes > 1;
    if (servers > nodes)
        servers = nodes; // refused elsewhere
    const char *server_hosts = host_list(variables->arena, servers, 0, true);
    const char *worker_hosts = host_list(variables->arena, nodes, servers, true);
    variables_add(variables, "", "AZ_BATCHAI_PS_HOSTS", server_hosts);
    variables_add(variables, "", "AZ_BATCHAI_WORKER_HOSTS", worker_hosts);
    variables_add(variables, "", "TF_CONFIG",
                  tensorflow_config(variables->arena, server_hosts, worker_hosts));
}

/* The variables are documented, but not their values. The port is assumed to be that of the
 * examples in PyTorch's documentation. */
static void add_pytorch(Variables *variables, const JobText *text)
{
    BoundText backend = text->toolkits[TOOLKIT_PYTORCH]->backend;
    variables_add(variables, "", "AZ_BATCHAI_PYTORCH_INIT_METHOD", "tcp://10.0.0.4:23456");
    if (backend.is_refused)
        variables_add_unread(variables, "AZ_BATCHAI_", "PYTORCH_BACKEND");
    else if (backend.value != NULL)
        variables_add(variables, "", "AZ_BATCHAI_PYTORCH_BACKEND", backend.value);
}

static void add_toolkit(Variables *variables, const JobSurroundings *job)
{
    if (job->toolkit == TOOLKIT_TENSORFLOW)
        add_tensorflow(variables, job->text, job->nodes);
    if (job->toolkit == TOOLKIT_PYTORCH)
        add_pytorch(variables, job->text);
    if (job->toolkit == TOOLKIT_TENSORFLOW || job->toolkit == TOOLKIT_CAFFE2 ||
        job->toolkit == TOOLKIT_PYTORCH)
        variables_add(variables, "", "AZ_BATCHAI_TASK_INDEX", "0");
    variables_add(variables, "", "AZ_BATCH_HOST_LIST",
                  host_list(variables->arena, job->nodes, 0, false));
}

void job_variables_own(Variables *variables, const BoundList *list, bool is_secret)
{
    for (int32_t i = 0; i < list->count; i++) {
        const VariableText *variable = list->items[i];
        if (variable->name.value == NULL)
            continue; // refused
        refuse_repeated(variables, "", variable->name);
        if (strpbrk(variable->name.value, " \t\r\n=") != NULL)
            problems_add(variables->problems, STATUS_BAD_INPUT, json_at(variable->name.node),
                         "\"%s\" is not a name of a variable", variable->name.value);
        variables_add(variables, "", variable->name.value,
                      is_secret ? NULL : variable->value.value);
        if (is_secret)
            variables->items[variables->count - 1].secret = variable->value.value;
    }
}

Variables job_variables(const ConfigContext *context, const Mounts *mounts,
                        const JobSurroundings *job)
{
    Variables variables = variables_create(context, mounts);
    add_folders(&variables, job);
    add_directories(&variables, job->text);
    add_toolkit(&variables, job);
    job_variables_own(&variables, &job->text->environment, false);
    job_variables_own(&variables, &job->text->secrets, true);
    return variables;
}

#include "sim/scenario/job_config.h"

#include <string.h>

#include "sim/scenario/glob.h"
#include "sim/scenario/job_variables.h"
#include "sim/scenario/program_config.h"

_Static_assert((int)PRIORITY_LOW == 0 && (int)PRIORITY_NORMAL == 1 && (int)PRIORITY_HIGH == 2,
               "the words of schedulingPriority stand in the order of the enum");

/* GPU workers or MPI processes per node. Source: Batch AI documentation, "Service quotas and
 * limits". */
enum { PROCESSES_PER_NODE_MAX = 4 };

/* --- Toolkits --- */

/* The one toolkit of the job; TOOLKIT_COUNT and a problem when there is none or more than one. */
static Toolkit only_toolkit(const ConfigContext *context, const JobText *text)
{
    Toolkit found = TOOLKIT_COUNT;
    for (Toolkit toolkit = 0; toolkit < TOOLKIT_COUNT; toolkit++) {
        if (text->toolkits[toolkit] == NULL)
            continue;
        if (found != TOOLKIT_COUNT) {
            problems_add(context->problems, STATUS_BAD_INPUT,
                         json_at(text->toolkits[toolkit]->node),
                         "a job has one toolkit, and \"%s\" stands beside \"%s\"",
                         toolkit_key(toolkit), toolkit_key(found));
            return TOOLKIT_COUNT;
        }
        found = toolkit;
    }
    if (found == TOOLKIT_COUNT)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "the job has no toolkit"),
                    "one of %s, %s, %s, %s, ...", toolkit_key(TOOLKIT_HOROVOD),
                    toolkit_key(TOOLKIT_TENSORFLOW), toolkit_key(TOOLKIT_PYTORCH),
                    toolkit_key(TOOLKIT_CUSTOM));
    return found;
}

static void check_script_or_config(const ConfigContext *context, Toolkit toolkit,
                                   const ToolkitText *text)
{
    bool has_choice = toolkit == TOOLKIT_CNTK || toolkit == TOOLKIT_CAFFE;
    if (has_choice && (text->script.value == NULL) == (text->config_file.value == NULL))
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->node),
                     "%s has %s of \"pythonScriptFilePath\" and \"configFilePath\", expected one",
                     toolkit_key(toolkit), text->script.value == NULL ? "neither" : "both");
    if (text->interpreter.value != NULL && text->script.value == NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->interpreter.node),
                     "pythonInterpreterPath without pythonScriptFilePath");
}

/* The command as the toolkit starts it on one rank. */
static const char *command_line(Arena *arena, Toolkit toolkit, const ToolkitText *text)
{
    const char *space = text->arguments.value != NULL ? " " : "";
    const char *arguments = text->arguments.value != NULL ? text->arguments.value : "";
    if (text->command_line.value != NULL)
        return text->command_line.value;
    if (text->script.value != NULL)
        return arena_printf(arena, "%s %s%s%s",
                            text->interpreter.value != NULL ? text->interpreter.value : "python",
                            text->script.value, space, arguments);
    return arena_printf(arena, "%s%s%s%s",
                        toolkit == TOOLKIT_CAFFE ? "caffe train -solver " : "cntk configFile=",
                        text->config_file.value, space, arguments);
}

static void check_count(const ConfigContext *context, BoundInteger count, const char *key,
                        int64_t limit, const char *why)
{
    if (count.node != NULL && count.value > limit)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(count.node),
                     "%s is %" PRId64 ", at most %" PRId64 " fit: %s", key, count.value, limit,
                     why);
}

/* How many processes (ranks) the toolkit starts over all nodes. */
static int32_t process_count(const ConfigContext *context, const ToolkitText *text, int64_t nodes,
                             const VmSize *vm)
{
    int64_t workers_max = vm->gpus > 0 ? nodes * vm->gpus : nodes;
    check_count(context, text->processes, "processCount", nodes * PROCESSES_PER_NODE_MAX,
                "4 on each node");
    check_count(context, text->workers, "workerCount", workers_max, "one on each GPU");
    check_count(context, text->parameter_servers, "parameterServerCount", nodes,
                "one on each node");
    if (text->workers.node != NULL)
        return (int32_t)text->workers.value;
    return (int32_t)(text->processes.node != NULL ? text->processes.value : nodes);
}

/* --- Files and images --- */

/* A script on a share whose files are known must be among them. */
static void check_file(const ConfigContext *context, const Variables *variables, BoundText path)
{
    if (path.value == NULL)
        return;
    OutputPlace place = variables_place(variables, path.value, json_at(path.node));
    const KnownShare *share = place.share != NULL ? config_share(context, place.share) : NULL;
    if (share == NULL || !share->is_listed)
        return;
    for (int32_t i = 0; i < share->file_count; i++)
        if (strcmp(share->files[i], place.directory) == 0)
            return;
    bind_unknown_name(context->problems, json_at(path.node),
                      arena_printf(context->arena, "file on share \"%s\":", share->name),
                      place.directory, share->files, share->file_count);
}

static const ContainerImage *find_image(const ConfigContext *context, const ContainerText *text)
{
    if (text == NULL)
        return NULL;
    BoundText name = text->registry->image;
    const ContainerImage *image = catalog_image(context->catalog, name.value);
    if (image == NULL) {
        int32_t count;
        const char *const *names = catalog_names(context->catalog, CATALOG_IMAGES, &count);
        bind_unknown_name(context->problems, json_at(name.node), "container image", name.value,
                          names, count);
    }
    return image;
}

/* --- Preparation --- */

static void read_preparation(const ConfigContext *context, const JobPreparationText *text,
                             JobSpec *spec)
{
    if (text == NULL)
        return;
    const char *command = text->command_line.value;
    spec->has_preparation = true;
    spec->preparation_command = command;
    for (int32_t i = 0; i < context->preparation_count; i++) {
        const PreparationText *preparation = context->preparations[i];
        if (!glob_matches(preparation->match.value, command))
            continue;
        QuantileKnot *knot = ARENA_NEW(context->arena, QuantileKnot);
        knot->value = preparation->duration.value;
        spec->preparation_ns = (Quantiles){.count = 1, .knots = knot};
        spec->preparation_exit_code = (int32_t)preparation->exit_code.value;
        return;
    }
    const Quantiles *known = catalog_preparation(context->catalog, command, NULL);
    if (known == NULL)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT,
                                 json_at(text->command_line.node),
                                 "nobody says how long this preparation takes"),
                    "add {\"match\": \"...\", \"duration\": \"30s\"} to the scenario's "
                    "\"preparations\"");
    else
        spec->preparation_ns = *known;
}

/* --- Outputs --- */

/* What the job leaves behind must be on a share. */
static OutputPlace read_output(const Variables *variables, const char *key, BoundText path)
{
    int32_t problems_before = variables->problems->count;
    OutputPlace place = variables_place(variables, path.value, json_at(path.node));
    if (place.share == NULL && variables->problems->count == problems_before)
        mounts_hint(problems_add(variables->problems, STATUS_BAD_INPUT, json_at(path.node),
                                 "%s \"%s\" is on no mounted share", key, path.value),
                    variables->mounts);
    return place;
}

static void read_outputs(const JobText *text, const Variables *variables, JobSpec *spec)
{
    spec->std_out_err = read_output(variables, "stdOutErrPathPrefix", text->std_out_err_prefix);
    OutputDirectory *outputs = ARENA_ARRAY(variables->arena, OutputDirectory, text->outputs.count);
    for (int32_t i = 0; i < text->outputs.count; i++) {
        const OutputDirectoryText *output = text->outputs.items[i];
        outputs[i] = (OutputDirectory){
            .id = output->id.value,
            .place = read_output(variables, "pathPrefix", output->path_prefix),
            .suffix = output->path_suffix.value != NULL ? output->path_suffix.value : "",
        };
    }
    spec->output_count = text->outputs.count;
    spec->outputs = outputs;
}

/* --- The job --- */

static void check_nodes(const ConfigContext *context, const JobText *text,
                        const ClusterConfig *cluster)
{
    if (text->nodes.value > cluster->nodes_max)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->nodes.node),
                                 "nodeCount is %" PRId64 ", but cluster \"%s\" never has more than "
                                 "%" PRId32 ": the job would wait for ever",
                                 text->nodes.value, cluster->name, cluster->nodes_max),
                    "raise the cluster's targetNodeCount or lower nodeCount");
}

static void read_program(const ConfigContext *context, const ToolkitText *toolkit,
                         const Variables *variables, JobShape shape, JobSpec *spec)
{
    const KnownProgram *program = program_find(context, spec->command, toolkit->script.value);
    if (program != NULL) {
        if (program->is_sound)
            spec->program = program_build(context, program->text, shape, variables);
        return;
    }
    const char *name = toolkit->script.value != NULL ? toolkit->script.value : spec->command;
    const char *slash = strrchr(name, '/');
    status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(toolkit->node),
                             "nobody says what this job does: no program matches \"%s\"",
                             spec->command),
                "add {\"match\": \"%s%s\", \"duration\": \"10m\"} to the scenario's \"programs\"",
                slash != NULL ? "*/" : "", slash != NULL ? slash + 1 : name);
}

/* Variables in all that is only passed on to the program. */
static void check_arguments(const Variables *variables, const ToolkitText *toolkit)
{
    const BoundText texts[] = {toolkit->arguments, toolkit->worker_arguments,
                               toolkit->parameter_server_arguments, toolkit->command_line};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (texts[i].value != NULL)
            variables_expand(variables, texts[i].value, json_at(texts[i].node));
}

/* What needs neither catalogue nor programs: mounts, variables, every path. */
static Variables read_places(const ConfigContext *context, const JobText *text, Toolkit toolkit,
                             ResourcePath path, const ClusterConfig *cluster, JobSpec *spec)
{
    const ToolkitText *settings = text->toolkits[toolkit];
    const VmSize *vm = cluster->spec->vm_size;
    const char *mount_root = arena_printf(context->arena, JOB_ROOT "/%s/%s/%s/mounts",
                                          path.workspace, path.experiment, path.name);
    Mounts *mounts = ARENA_NEW(context->arena, Mounts);
    *mounts = mounts_read(context, text->mounts, mount_root, "$AZ_BATCHAI_JOB_MOUNT_ROOT",
                          &cluster->mounts);
    // More nodes than the cluster has are refused; the rest is checked for those it has.
    bool fits = text->nodes.value <= cluster->nodes_max;
    spec->nodes = fits ? (int32_t)text->nodes.value : cluster->nodes_max;
    spec->processes = process_count(context, settings, text->nodes.value, vm);
    spec->priority = (JobPriority)text->priority.value;
    spec->tool = toolkit_name(toolkit);
    spec->command = command_line(context->arena, toolkit, settings);
    spec->mounts = mounts_shares(context->arena, mounts, cluster->mounts.count, &spec->mount_count);

    JobSurroundings surroundings = {.text = text,
                                    .toolkit = toolkit,
                                    .nodes = spec->nodes,
                                    .path = path,
                                    .mount_root = mount_root,
                                    .vm_size = vm};
    Variables variables = job_variables(context, mounts, &surroundings);
    spec->environment_count = variables.count;
    spec->environment = variables.items;
    read_outputs(text, &variables, spec);
    check_file(context, &variables, settings->script);
    check_file(context, &variables, settings->config_file);
    check_arguments(&variables, settings);
    if (text->preparation != NULL)
        variables_expand(&variables, text->preparation->command_line.value,
                         json_at(text->preparation->command_line.node));
    return variables;
}

/* Binds the file and finds its toolkit; TOOLKIT_COUNT when it was refused. */
static Toolkit bind_job(const ConfigContext *context, const Json *root, JobConfig *job)
{
    job->text = job_bind(context->arena, root, context->problems);
    if (job->text == NULL)
        return TOOLKIT_COUNT;
    int32_t problems_before = context->problems->count;
    Toolkit toolkit = only_toolkit(context, job->text);
    if (toolkit != TOOLKIT_COUNT)
        check_script_or_config(context, toolkit, job->text->toolkits[toolkit]);
    return context->problems->count > problems_before ? TOOLKIT_COUNT : toolkit;
}

JobConfig *job_config_read(const ConfigContext *context, const Json *root, ResourcePath path,
                           const ClusterConfig *cluster)
{
    JobConfig *job = ARENA_NEW(context->arena, JobConfig);
    Toolkit toolkit = bind_job(context, root, job);
    if (toolkit == TOOLKIT_COUNT || cluster->spec == NULL)
        return job; // a cluster that was refused has its own problems
    const JobText *text = job->text;
    JobSpec *spec = job->spec = ARENA_NEW(context->arena, JobSpec);
    check_nodes(context, text, cluster);
    Variables variables = read_places(context, text, toolkit, path, cluster, spec);
    spec->image = find_image(context, text->container);
    read_preparation(context, text->preparation, spec);
    bool has_limit = text->constraints != NULL && text->constraints->max_wall_clock.node != NULL;
    spec->max_wall_clock_ns = has_limit
                                  ? text->constraints->max_wall_clock.value
                                  : catalog_service(context->catalog)->default_max_wall_clock_ns;
    JobShape shape = {
        .nodes = spec->nodes, .processes = spec->processes, .vm_size = cluster->spec->vm_size};
    read_program(context, text->toolkits[toolkit], &variables, shape, spec);
    return job;
}

void job_config_check(const ConfigContext *context, const Json *root)
{
    // Any cluster: as many GPUs as may be used, and whatever is mounted under its root.
    KnownShare *any_share = ARENA_NEW(context->arena, KnownShare);
    any_share->name = "cluster/mount";
    Mount any_mount = {
        .path = CLUSTER_MOUNT_ROOT, .variable = CLUSTER_MOUNT_VARIABLE, .share = any_share};
    VmSize any_vm = {.name = "any", .gpus = PROCESSES_PER_NODE_MAX};
    ClusterSpec any_spec = {.vm_size = &any_vm};
    ClusterConfig any_cluster = {.name = "any",
                                 .spec = &any_spec,
                                 .mounts = {.count = 1, .items = &any_mount},
                                 .nodes_max = 1};
    ResourcePath path = {.workspace = "workspace", .experiment = "experiment", .name = "job"};
    JobConfig job = {0};
    JobSpec spec = {0};
    Toolkit toolkit = bind_job(context, root, &job);
    if (toolkit != TOOLKIT_COUNT)
        read_places(context, job.text, toolkit, path, &any_cluster, &spec);
}

const char *job_config_cluster(const Json *root)
{
    const Json *properties = json_member(root, "properties");
    const Json *id =
        json_member(json_member(properties != NULL ? properties : root, "cluster"), "id");
    if (id == NULL || id->kind != JSON_STRING)
        return NULL;
    const char *slash = strrchr(id->text, '/');
    return slash != NULL ? slash + 1 : id->text;
}

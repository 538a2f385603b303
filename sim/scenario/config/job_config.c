#include "sim/scenario/config/job_config.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/job/environment.h"
#include "sim/cloud/spec/reuse.h"
#include "sim/cloud/training/step_plan.h"
#include "sim/scenario/config/job_program.h"
#include "sim/scenario/config/job_request.h"
#include "sim/scenario/config/job_toolkit.h"
#include "sim/scenario/config/job_variables.h"
#include "sim/scenario/config/kind_config.h"
#include "sim/scenario/config/shell_read.h"
#include "sim/scenario/config/speed_config.h"
#include "sim/schema/glob.h"

_Static_assert((int)PRIORITY_LOW == 0 && (int)PRIORITY_NORMAL == 1 && (int)PRIORITY_HIGH == 2,
               "the words of schedulingPriority are in the order of the enum");

/* --- Values --- */

/* Whether Docker accepts `text`: a number above 0, with or without a fraction, and a unit. */
static bool is_docker_size(const char *text)
{
    static const char digits[] = "0123456789";
    size_t length = strspn(text, digits);
    if (length > 0 && text[length] == '.' && ascii_is_digit(text[length + 1]))
        length += 1 + strspn(text + length + 1, digits);
    bool is_zero = strcspn(text, "123456789") >= length;
    const char *unit = text + length;
    unit += *unit == ' ';
    unit += *unit != '\0' && strchr("kmgtp", ascii_lower(*unit)) != NULL;
    unit += ascii_lower(*unit) == 'i';
    unit += ascii_lower(*unit) == 'b';
    return !is_zero && *unit == '\0';
}

/* Checks values beyond their types. */
static void check_values(const ConfigContext *context, const JobText *text)
{
    BoundText size = text->container != NULL ? text->container->shm_size : (BoundText){0};
    if (size.value != NULL && !is_docker_size(size.value))
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(size.node),
                                 "shmSize is \"%s\", expected a size as Docker takes it",
                                 size.value),
                    "such as \"64m\" or \"2g\"");
    const BoundInteger *longest =
        text->constraints != NULL ? &text->constraints->max_wall_clock : NULL;
    if (longest != NULL && longest->node != NULL && !longest->is_refused && longest->value <= 0)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(longest->node),
                     "maxWallClockTime is \"%s\", expected more than 0", longest->node->text);
    for (int32_t i = 0; i < text->outputs.count; i++) {
        const OutputDirectoryText *output = text->outputs.items[i];
        if (output->id.value != NULL && ascii_same(output->id.value, "stdouterr"))
            status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(output->id.node),
                                     "output directory id \"%s\" is reserved by the service",
                                     output->id.value),
                        "it is the id of the folder below stdOutErrPathPrefix");
    }
}

/* --- Files and images --- */

/* Checks that a script exists if the files on its share are known. */
static void check_file(const ConfigContext *context, const Variables *variables, BoundText path)
{
    OutputPlace place = variables_place(variables, path);
    const KnownShare *share = place.share != NULL ? config_share(context, place.share) : NULL;
    if (share == NULL || !share->is_listed || context->is_of_session)
        return;
    for (int32_t i = 0; i < share->file_count; i++)
        if (strcmp(share->files[i], place.directory) == 0)
            return;
    bind_unknown_name(context->problems, json_at(path.node),
                      arena_printf(context->arena, "file on share \"%s\":", share->name),
                      place.directory, share->files, share->file_count);
}

/* In a session a script may be uploaded later, so the world checks it when the program begins. If
 * no client has uploaded files to a share, the files that it is meant to contain are not known and
 * the script is not checked. */
static void note_script(const ConfigContext *context, const Variables *variables, BoundText path,
                        JobSpec *spec)
{
    OutputPlace place = variables_place(variables, path);
    const KnownShare *share = place.share != NULL ? config_share(context, place.share) : NULL;
    if (!context->is_of_session || share == NULL || !(share->is_listed || share->has_uploads))
        return;
    spec->script = place;
    spec->script_path = variables_expand(variables, path);
}

/* The service took an image of any name, so one that the catalogue does not list is accepted. */
static void mention_image(const ConfigContext *context, BoundText name, const ContainerImage *image)
{
    Text size = {0};
    bytes_print(&size, image->compressed_bytes);
    status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(name.node),
                             "the catalogue does not list container image \"%s\": its size is "
                             "ASSUMED to be %s compressed",
                             name.value, text_string(&size)),
                "a catalogue with it in \"images\" states its size");
    text_free(&size);
}

static const ContainerImage *find_image(const ConfigContext *context, const ContainerText *text)
{
    if (text == NULL || text->registry->image.is_refused || context->catalog == NULL)
        return NULL;
    BoundText name = text->registry->image;
    bool is_listed;
    const ContainerImage *image =
        catalog_image(context->arena, context->catalog, name.value, &is_listed);
    if (image == NULL || (!is_listed && context->is_of_session && context->is_strict))
        config_unknown_entry(context, CATALOG_IMAGES, "container image", name);
    else if (!is_listed)
        mention_image(context, name, image);
    return image;
}

/* --- Preparation --- */

static void read_preparation(const ConfigContext *context, const JobPreparationText *text,
                             const Variables *variables, JobSpec *spec)
{
    if (text == NULL || text->command_line.is_refused)
        return;
    const char *command = text->command_line.value;
    spec->has_preparation = true;
    spec->preparation_command = command;
    for (int32_t i = 0; i < context->preparation_count; i++) {
        const PreparationText *preparation = context->preparations[i];
        if (!glob_matches(preparation->match.value, command))
            continue;
        spec->preparation_ns = quantiles_always(context->arena, preparation->duration.value);
        spec->preparation_exit_code = (int32_t)preparation->exit_code.value;
        return;
    }
    const char *pattern = "*";
    const Quantiles *known =
        context->catalog != NULL ? catalog_preparation(context->catalog, command, &pattern) : NULL;
    if (known != NULL)
        spec->preparation_ns = *known;
    // The commands are read only if no pattern other than "*" gives a time.
    if (strcmp(pattern, "*") == 0)
        spec->preparation_script = shell_read(context->arena, command, variables->count,
                                              variables->items, variables->mounts, NULL);
    if (known == NULL && spec->preparation_script == NULL && context->catalog != NULL &&
        !context->unlisted.preparations)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT,
                                 json_at(text->command_line.node),
                                 "the scenario does not say how long this preparation takes"),
                    "add {\"match\": \"...\", \"duration\": \"30s\"} to the scenario's "
                    "\"preparations\"");
}

/* --- Outputs --- */

/* Reads a path for output, which must be on a share: elsewhere it is lost with the node. */
static OutputPlace read_output(const ConfigContext *context, const Variables *quiet,
                               const char *key, BoundText path)
{
    OutputPlace place = variables_output(quiet, context->problems, key, path);
    if (place.share == NULL && place.directory != NULL && !context->is_of_session)
        mounts_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(path.node),
                                 "%s \"%s\" is not on a mounted share", key, path.value),
                    quiet->mounts);
    return place;
}

/* The part after the job's own folder; "" when it is refused. */
static const char *read_suffix(const ConfigContext *context, BoundText suffix)
{
    return suffix.value != NULL &&
                   output_path_check(context->problems, "pathSuffix", suffix, suffix.value)
               ? suffix.value
               : "";
}

static void read_outputs(const ConfigContext *context, const JobText *text,
                         const Variables *variables, JobSpec *spec)
{
    // Problems inside these paths were reported when their variables were made.
    Problems discarded = problems_create(context->arena);
    Variables quiet = *variables;
    quiet.problems = &discarded;
    spec->std_out_err =
        read_output(context, &quiet, "stdOutErrPathPrefix", text->std_out_err_prefix);
    OutputDirectory *outputs = ARENA_ARRAY(context->arena, OutputDirectory, text->outputs.count);
    for (int32_t i = 0; i < text->outputs.count; i++) {
        const OutputDirectoryText *output = text->outputs.items[i];
        outputs[i] = (OutputDirectory){
            .id = output->id.value,
            .place = read_output(context, &quiet, "pathPrefix", output->path_prefix),
            .suffix = read_suffix(context, output->path_suffix),
        };
    }
    spec->output_count = text->outputs.count;
    spec->outputs = outputs;
}

/* Checks the variables in texts that are only passed on to programs. */
static void check_commands(const Variables *variables, const JobText *text,
                           const ToolkitText *toolkit)
{
    const BoundText texts[] = {toolkit->arguments, toolkit->worker_arguments,
                               toolkit->parameter_server_arguments, toolkit->command_line};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        variables_check_command(variables, texts[i]);
    if (text->preparation != NULL)
        variables_check_command(variables, text->preparation->command_line);
}

/* Reads the mounts, variables and paths of the job. */
static Variables read_places(const ConfigContext *context, const JobText *text, Toolkit toolkit,
                             const ToolkitText *settings, ResourcePath path,
                             const ClusterConfig *cluster, JobSpec *spec)
{
    Mounts *mounts = ARENA_NEW(context->arena, Mounts);
    *mounts = mounts_read(context, text->mounts, job_mount_root(context->arena, path),
                          "$AZ_BATCHAI_JOB_MOUNT_ROOT", &cluster->mounts);
    spec->mounts = mounts_shares(context->arena, mounts, cluster->mounts.count, &spec->mount_count,
                                 &spec->is_blob_mount);

    JobSurroundings surroundings = {.text = text,
                                    .toolkit = toolkit,
                                    .nodes = spec->nodes,
                                    .path = path,
                                    .vm_size = kinds_first_size(cluster, spec->kinds)};
    Variables variables = job_variables(context, mounts, &surroundings);
    spec->environment_count = variables.count;
    spec->environment = variables.items;
    read_outputs(context, text, &variables, spec);
    check_file(context, &variables, settings->script);
    check_file(context, &variables, settings->config_file);
    return variables;
}

/* The job is trained outside of the world, by as many processes as it asks for. Its preparation,
 * which the trainer does not need, is modelled. */
static void read_trained(const ConfigContext *context, const JobText *text, const Program *training,
                         const Variables *variables, JobSpec *spec)
{
    read_preparation(context, text->preparation, variables, spec);
    spec->program = program_real(context->arena, variables->mounts, training);
}

/* The job's commands run outside of the world, each as one process. */
static void read_real(const ConfigContext *context, const JobText *text, Toolkit toolkit,
                      const ToolkitText *settings, const Variables *variables, JobSpec *spec)
{
    if (text->preparation != NULL && !text->preparation->command_line.is_refused) {
        spec->has_preparation = true;
        spec->preparation_command = text->preparation->command_line.value;
    }
    if (toolkit != TOOLKIT_CUSTOM && spec->processes > 1)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(settings->node),
                                 "a job of real execution runs as one process, and %s asks for "
                                 "%" PRId32,
                                 toolkit_key(toolkit), spec->processes),
                    "customToolkitSettings with a commandLine that starts them");
    spec->program = program_real(context->arena, variables->mounts, NULL);
}

static int64_t wall_clock_max_ns(const ConfigContext *context, const ConstraintsText *text)
{
    if (text != NULL && text->max_wall_clock.node != NULL)
        return text->max_wall_clock.value;
    return context->catalog != NULL ? catalog_service(context->catalog)->default_max_wall_clock_ns
                                    : 0;
}

/* Whether all nodes on which the job may run are low-priority. */
static bool is_on_low_priority(const ClusterConfig *cluster, KindSet kinds)
{
    for (int32_t k = 0; k < cluster_spec_kind_count(&cluster->spec); k++)
        if ((kinds == 0 || (kinds >> k & 1) != 0) &&
            !cluster_spec_kind(&cluster->spec, k).is_low_priority)
            return false;
    return true;
}

/* Low-priority nodes are taken from a job after a time. A job that takes longer and keeps no
 * checkpoint starts again each time, so a run without "until" never ends. */
static void warn_of_endless(const ConfigContext *context, const JobText *text,
                            const ClusterConfig *cluster, const JobSpec *spec)
{
    if (!context->has_no_end || !is_on_low_priority(cluster, spec->kinds) ||
        context->catalog == NULL)
        return;
    const ServiceModel *service = catalog_service(context->catalog);
    const int64_t most_ns = service->low_priority_run_max_ns;
    const int64_t least_ns = program_least_ns(spec, kinds_first_size(cluster, spec->kinds));
    const bool is_ended = spec->max_wall_clock_ns <= most_ns || service->preemption_fails_jobs ||
                          service->attempts_max < LOST_ATTEMPTS_MAX;
    const bool keeps_work = program_can_resume(spec->program) || spec->program->work.every_ns > 0;
    if (least_ns <= most_ns || is_ended || keeps_work)
        return;
    Text least = {0}, most = {0};
    duration_print(&least, least_ns);
    duration_print(&most, most_ns);
    status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(text->node),
                             "the job takes %s, but runs %s at most on low-priority nodes and does "
                             "not resume: it never ends",
                             text_string(&least), text_string(&most)),
                "use dedicated nodes, a checkpoint (of a training with \"resume\": true), or "
                "\"until\"");
    text_free(&least);
    text_free(&most);
}

/* The commands of the job are modelled. */
static void read_modelled(const ConfigContext *context, const JobText *text, bool is_custom,
                          const ToolkitText *settings, JobShape shape, const Variables *variables,
                          JobSpec *spec)
{
    read_preparation(context, text->preparation, variables, spec);
    note_script(context, variables, settings->script, spec);
    if (spec->command != NULL)
        job_program_find(context, text, settings, is_custom, shape, variables, spec);
}

static void read_speeds(const ConfigContext *context, const JobText *text,
                        const ClusterConfig *cluster, JobSpec *spec)
{
    const Program *program = spec->program;
    const bool takes_time = program != NULL && program->kind == PROGRAM_FIXED;
    if (text->speeds != NULL && program != NULL && !takes_time) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->speeds),
                                 "\"speeds\" is for a job whose program takes a stated time"),
                    "a training runs as fast as the VM size of its nodes says");
        return;
    }
    spec->speeds = speeds_of_job(context, cluster, text->speeds,
                                 takes_time ? program_speeds(context, program) : NULL);
}

/* The nodes, processes and parts of nodes that the job asks for. A job of unknown shape is refused;
 * the rest of it is checked as if it had one node. */
static JobShape read_shape(const ConfigContext *context, const JobText *text,
                           const ToolkitText *settings, const ClusterConfig *cluster, JobSpec *spec)
{
    spec->kinds = kinds_of_job(context, cluster, text->node_kind);
    const BoundInteger nodes = job_request_read(context, text, cluster, spec);
    job_request_check(context, text, cluster, nodes);
    bool is_known = cluster->spec.vm_size != NULL && cluster->nodes_max != NODES_UNKNOWN &&
                    !nodes.is_refused && nodes.value <= cluster_nodes_limit(context) &&
                    !settings->processes.is_refused && !settings->workers.is_refused;
    spec->nodes = is_known ? (int32_t)nodes.value : 1;
    job_request_read_rest(context, text, cluster, is_known, spec);
    spec->processes = job_toolkit_processes(context, settings, nodes, spec, cluster);
    return (JobShape){.is_known = is_known,
                      .nodes = spec->nodes,
                      .processes = spec->processes,
                      .states_processes = settings->processes.node != NULL ||
                                          settings->workers.node != NULL ||
                                          spec->asks_for != REQUEST_NODES,
                      .vm_size = kinds_first_size(cluster, spec->kinds)};
}

/* The job's program. Returns whether its commands are modelled, and not run for real. */
static bool read_program(const ConfigContext *context, const JobText *text, Toolkit toolkit,
                         const ToolkitText *settings, JobShape shape, JobExecution execution,
                         const Variables *variables, JobSpec *spec)
{
    const bool may_be_real = execution == EXECUTION_REAL || execution == EXECUTION_COMMAND;
    const Program *training = execution == EXECUTION_REAL || execution == EXECUTION_TRAINING
                                  ? job_program_training(context, settings, shape, variables, spec)
                                  : NULL;
    check_commands(variables, text, settings);
    spec->image = find_image(context, text->container);
    if (training != NULL)
        read_trained(context, text, training, variables, spec);
    else if (may_be_real)
        read_real(context, text, toolkit, settings, variables, spec);
    else
        read_modelled(context, text, toolkit == TOOLKIT_CUSTOM, settings, shape, variables, spec);
    return training == NULL && !may_be_real;
}

JobConfig *job_config_read(const ConfigContext *context, const JobText *text, ResourcePath path,
                           const ClusterConfig *cluster, JobExecution execution)
{
    static const ToolkitText no_settings;
    const int32_t problems_before = context->problems->count;
    JobConfig *job = ARENA_NEW(context->arena, JobConfig);
    JobSpec *spec = &job->spec;
    job->text = text;
    job->cluster = cluster;
    if (text->node == NULL)
        return job;
    Toolkit toolkit = job_toolkit(context, text);
    bool has_toolkit = toolkit != TOOLKIT_COUNT;
    const ToolkitText *settings = has_toolkit ? text->toolkits[toolkit] : &no_settings;
    job_toolkit_check(context, toolkit, settings);
    check_values(context, text);
    const JobShape shape = read_shape(context, text, settings, cluster, spec);
    spec->priority = (JobPriority)text->priority.value;
    spec->tool = has_toolkit ? toolkit_name(toolkit) : NULL;
    spec->command = job_toolkit_command(context->arena, toolkit, settings);
    spec->max_wall_clock_ns = wall_clock_max_ns(context, text->constraints);
    spec->expected_ns = spec->max_wall_clock_ns; // unless its owner says more
    const Variables variables = read_places(context, text, toolkit, settings, path, cluster, spec);
    const bool is_modelled =
        read_program(context, text, toolkit, settings, shape, execution, &variables, spec);
    read_speeds(context, text, cluster, spec);
    if (is_modelled && shape.is_known && spec->program != NULL &&
        job_program_is_whole(spec->program) && context->problems->count == problems_before)
        warn_of_endless(context, text, cluster, spec);
    return job;
}

const JobSpec *job_config_spec(const ConfigContext *context, const JobConfig *job)
{
    JobSpec *spec = ARENA_NEW(context->arena, JobSpec);
    *spec = job->spec;
    if (context->is_of_session && spec->environment_count > 0)
        job_spec_leave_folders_out(context->arena, spec);
    return context->earlier_job != NULL ? job_spec_reuse(spec, context->earlier_job) : spec;
}

const char *job_config_cluster(const JobText *text)
{
    const char *id = text->cluster != NULL ? text->cluster->id.value : NULL;
    const char *slash = id != NULL ? strrchr(id, '/') : NULL;
    return slash != NULL ? slash + 1 : id;
}

/* The part of an id after "/{key}/", whose letter case is ignored; NULL when there is none. */
static const char *id_part(Arena *arena, const char *id, const char *key)
{
    size_t length = strlen(key);
    for (const char *slash = strchr(id, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        const char *value = slash + length + 2;
        if (ascii_same_start(slash + 1, key, length) && slash[length + 1] == '/' && *value != '\0')
            return arena_strndup(arena, value, strcspn(value, "/"));
    }
    return NULL;
}

ResourcePath job_config_cluster_path(Arena *arena, const JobText *text)
{
    ResourcePath path = {.name = job_config_cluster(text)};
    if (path.name == NULL)
        return path;
    const char *group = id_part(arena, text->cluster->id.value, "resourceGroups");
    const char *workspace = id_part(arena, text->cluster->id.value, "workspaces");
    if (group != NULL && workspace != NULL) {
        path.group = group;
        path.workspace = workspace;
    }
    return path;
}

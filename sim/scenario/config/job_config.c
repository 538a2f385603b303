#include "sim/scenario/config/job_config.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/training/training.h"
#include "sim/formats/keras_network.h"
#include "sim/scenario/config/job_variables.h"
#include "sim/scenario/config/kind_config.h"
#include "sim/scenario/config/program_config.h"
#include "sim/scenario/config/queue_config.h"
#include "sim/scenario/config/shell_read.h"
#include "sim/scenario/config/unknown_program.h"
#include "sim/schema/glob.h"

_Static_assert((int)PRIORITY_LOW == 0 && (int)PRIORITY_NORMAL == 1 && (int)PRIORITY_HIGH == 2,
               "the words of schedulingPriority are in the order of the enum");

/* GPU workers or MPI processes per node, or one on each GPU where a node has more. Source: Batch AI
 * documentation, "Service quotas and limits"; its largest nodes had 4 GPUs. */
enum { PROCESSES_PER_NODE_MAX = 4 };

/* --- Toolkits --- */

/* The toolkit of the job. It is a problem if there are several, when the first is returned, or
 * none, when TOOLKIT_COUNT is returned. */
static Toolkit only_toolkit(const ConfigContext *context, const JobText *text)
{
    Toolkit found = TOOLKIT_COUNT;
    for (Toolkit toolkit = 0; toolkit < TOOLKIT_COUNT; toolkit++) {
        if (text->toolkits[toolkit] == NULL)
            continue;
        if (found != TOOLKIT_COUNT) {
            problems_add(context->problems, STATUS_BAD_INPUT,
                         json_at(text->toolkits[toolkit]->node),
                         "a job has one toolkit, and there are \"%s\" and \"%s\"",
                         toolkit_key(toolkit), toolkit_key(found));
            return found;
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

/* Checks a value whose words are listed only in the text of the API's document. Clients sent them
 * in any letter case. */
static void check_word(const ConfigContext *context, const char *key, BoundText text,
                       const char *const *words, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (text.value == NULL || ascii_same(text.value, words[i]))
            return;
    bind_unknown_name(context->problems, json_at(text.node), key, text.value, words, count);
}

static void check_words(const ConfigContext *context, const ToolkitText *text)
{
    static const char *const backends[] = {"TCP", "Gloo", "MPI"};
    static const char *const languages[] = {"BrainScript", "Python"};
    check_word(context, "communicationBackend", text->backend, backends, 3);
    check_word(context, "languageType", text->language, languages, 2);
    if (text->language.value == NULL)
        return;
    // Source: CNTKsettings in the API's document.
    bool is_python = ascii_same(text->language.value, "Python");
    bool is_brain_script = ascii_same(text->language.value, "BrainScript");
    BoundText wrong = is_python ? text->config_file : text->script;
    if ((is_python || is_brain_script) && wrong.value != NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(wrong.node),
                     "%s is not for languageType \"%s\"",
                     is_python ? "configFilePath" : "pythonScriptFilePath", text->language.value);
}

static void check_script_or_config(const ConfigContext *context, Toolkit toolkit,
                                   const ToolkitText *text)
{
    bool has_choice = toolkit == TOOLKIT_CNTK || toolkit == TOOLKIT_CAFFE;
    if (text->script.is_refused || text->config_file.is_refused)
        return;
    if (has_choice && (text->script.value == NULL) == (text->config_file.value == NULL))
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->node),
                     "%s has %s of \"pythonScriptFilePath\" and \"configFilePath\", expected one",
                     toolkit_key(toolkit), text->script.value == NULL ? "neither" : "both");
    if (text->interpreter.value != NULL && text->script.value == NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->interpreter.node),
                     "pythonInterpreterPath without pythonScriptFilePath");
}

/* The command that the toolkit starts on one rank; NULL when a part of it is missing or refused. */
static const char *command_line(Arena *arena, Toolkit toolkit, const ToolkitText *text)
{
    const char *space = text->arguments.value != NULL ? " " : "";
    const char *arguments = text->arguments.value != NULL ? text->arguments.value : "";
    if (text->command_line.value != NULL)
        return text->command_line.value;
    if (text->arguments.is_refused || text->interpreter.is_refused || text->script.is_refused)
        return NULL;
    if (text->script.value != NULL)
        return arena_printf(arena, "%s %s%s%s",
                            text->interpreter.value != NULL ? text->interpreter.value : "python",
                            text->script.value, space, arguments);
    if (text->config_file.value == NULL)
        return NULL;
    return arena_printf(arena, "%s%s%s%s",
                        toolkit == TOOLKIT_CAFFE ? "caffe train -solver " : "cntk configFile=",
                        text->config_file.value, space, arguments);
}

static void check_count(const ConfigContext *context, BoundInteger count, const char *key,
                        int64_t limit, const char *why)
{
    if (count.node != NULL && !count.is_refused && count.value > limit)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(count.node),
                     "%s is %" PRId64 ", at most %" PRId64 " fit: %s", key, count.value, limit,
                     why);
}

/* How many processes (ranks) the toolkit starts over all nodes. The service's default is one on
 * each node; a job that asks for GPUs has one on each GPU. */
static int32_t process_count(const ConfigContext *context, const ToolkitText *text,
                             BoundInteger nodes, const JobSpec *spec, const ClusterConfig *cluster)
{
    const VmSize *vm = kinds_first_size(cluster, spec->kinds);
    int64_t nodes_max = nodes.is_refused ? cluster->nodes_max : nodes.value;
    int64_t workers_per_node = vm == NULL ? PROCESSES_PER_NODE_MAX : (vm->gpus > 0 ? vm->gpus : 1);
    const int64_t per_node =
        vm != NULL && vm->gpus > PROCESSES_PER_NODE_MAX ? vm->gpus : PROCESSES_PER_NODE_MAX;
    check_count(context, text->processes, "processCount", nodes_max * per_node,
                arena_printf(context->arena, "%" PRId64 " on each node", per_node));
    check_count(context, text->workers, "workerCount", nodes_max * workers_per_node,
                "one on each GPU");
    check_count(context, text->parameter_servers, "parameterServerCount", nodes_max,
                "one on each node");
    if (text->workers.node != NULL)
        return (int32_t)text->workers.value;
    if (text->processes.node != NULL)
        return (int32_t)text->processes.value;
    const int64_t gpus =
        spec->asks_for == REQUEST_GPUS_PER_NODE ? nodes.value * spec->gpus : spec->gpus;
    return (int32_t)(gpus > nodes.value ? gpus : nodes.value);
}

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
                                              variables->items, variables->mounts);
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

/* --- The job --- */

/* Puts the job's request into the spec, except for its nodes, which are returned: nodeCount, or
 * as many as its GPUs are on. */
static BoundInteger read_request(const ConfigContext *context, const JobText *text,
                                 const ClusterConfig *cluster, JobSpec *spec)
{
    BoundInteger nodes = text->nodes;
    const VmSize *vm = kinds_first_size(cluster, spec->kinds);
    if (text->gpus.node != NULL && text->gpus_per_node.node != NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->gpus_per_node.node),
                     "a job asks for \"gpus\" in total or \"gpus_per_node\", not both");
    if (text->gpus_per_node.node != NULL) {
        spec->asks_for = REQUEST_GPUS_PER_NODE;
        spec->gpus = (int32_t)text->gpus_per_node.value;
    } else if (text->gpus.node != NULL) {
        spec->asks_for = REQUEST_GPUS;
        spec->gpus = (int32_t)text->gpus.value;
        nodes = text->gpus;
        nodes.value = vm != NULL ? request_of_gpus(spec->gpus, vm->gpus).nodes : 1;
    }
    return nodes;
}

/* Puts the cores and the memory that the job asks for into the spec. Warns if a node never has
 * them. */
static void read_cores(const ConfigContext *context, const JobText *text,
                       const ClusterConfig *cluster, JobSpec *spec)
{
    const VmSize *vm = kinds_first_size(cluster, spec->kinds);
    const Json *node = text->cpus.node != NULL ? text->cpus.node : text->memory.node;
    const int64_t mib = text->memory.value / (1 << 20) + (text->memory.value % (1 << 20) > 0);
    if (node == NULL || text->cpus.is_refused || text->memory.is_refused)
        return;
    if (spec->asks_for == REQUEST_NODES) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(node),
                                 "a job of whole nodes has all of their cores and memory"),
                    "a job with \"gpus\" or \"gpus_per_node\" may ask for a part of them");
        return;
    }
    spec->cpus = (int32_t)text->cpus.value;
    spec->memory_mib = mib < INT32_MAX ? (int32_t)mib : INT32_MAX;
    if (vm == NULL || cluster->spec.kind_count > 0)
        return;
    const NodeShare need = request_share(job_spec_request(spec, vm->gpus), 0, vm->gpus);
    const NodeShare whole = vm_size_share(vm);
    if (need.cpus > whole.cpus || need.memory_mib > whole.memory_mib)
        problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(node),
                     "the job needs %" PRId32 " cores and %" PRId32
                     " MiB on a node, which %s does not have: the job waits for ever",
                     need.cpus, need.memory_mib, vm->name);
}

/* Puts the job's queue into the spec. Warns of a job that is larger than the limit of its queue. */
static void read_queue(const ConfigContext *context, const JobText *text,
                       const ClusterConfig *cluster, JobSpec *spec)
{
    const VmSize *vm = kinds_first_size(cluster, spec->kinds);
    const Place at = json_at(text->queue.node != NULL ? text->queue.node : text->node);
    if (text->queue.is_refused || cluster->text == NULL)
        return;
    const int64_t most = queue_most(cluster, queue_check(context, cluster, text->queue.value, at));
    spec->queue = text->queue.value;
    if (vm == NULL || cluster->spec.kind_count > 0 ||
        request_slots(job_spec_request(spec, vm->gpus), vm->gpus) <= most)
        return;
    status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, at,
                             "the job is larger than the gpus_max of its queue, %" PRId64
                             ": it waits for ever",
                             most),
                "raise gpus_max of the cluster's queue \"%s\"", spec->queue);
}

/* Warns of GPUs that no node of the cluster has. */
static void check_gpus(const ConfigContext *context, const JobText *text,
                       const ClusterConfig *cluster)
{
    const VmSize *vm = cluster->spec.vm_size;
    const BoundInteger gpus = text->gpus.node != NULL ? text->gpus : text->gpus_per_node;
    if (vm == NULL || cluster->spec.kind_count > 0 || gpus.node == NULL || gpus.is_refused ||
        gpus.value <= vm->gpus || (text->gpus.node != NULL && vm->gpus > 0))
        return;
    status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(gpus.node),
                             "the job needs %" PRId64 " GPUs on a node, but %s has %" PRId32
                             ": the job waits for ever",
                             gpus.value, vm->name, vm->gpus),
                "lower it or use a larger vmSize");
}

/* Warns of more nodes than the cluster ever has, for a job that asks for GPUs. */
static void warn_of_too_many_gpus(const ConfigContext *context, const JobText *text, int64_t nodes,
                                  const ClusterConfig *cluster)
{
    const int32_t each = cluster->spec.vm_size != NULL ? cluster->spec.vm_size->gpus : 0;
    status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(text->gpus.node),
                             "the job needs %" PRId64 " GPUs on %" PRId64
                             " nodes, but cluster \"%s\" never has more than %" PRId32
                             " nodes of %" PRId32 " GPUs: the job waits for ever",
                             text->gpus.value, nodes, cluster->name, cluster->nodes_max, each),
                "raise the cluster's targetNodeCount or lower \"gpus\"");
}

/* Warns of a job that no kind of nodes of its cluster can run. */
static void check_kinds(const ConfigContext *context, const JobText *text,
                        const ClusterConfig *cluster, const JobSpec *spec)
{
    const ClusterSpec *of_cluster = &cluster->spec;
    if (of_cluster->kind_count == 0 || cluster->nodes_max == NODES_UNKNOWN)
        return;
    JobRequest request = job_spec_request(spec, of_cluster->vm_size->gpus);
    request.kinds =
        (spec->kinds != 0 ? spec->kinds : cluster_spec_all_kinds(of_cluster)) & KIND_SET_ALL;
    const int64_t most = queue_most(cluster, cluster_spec_queue(of_cluster, spec->queue));
    if (!kinds_may_run(cluster, request, most))
        status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(text->node),
                                 "the job fits on no kind of nodes of cluster \"%s\" that it "
                                 "allows: it waits for ever",
                                 cluster->name),
                    "a job runs on nodes of one kind; raise the nodes of one, or allow others with "
                    "\"node_kind\"");
}

static void check_nodes(const ConfigContext *context, const JobText *text, BoundInteger bound,
                        const ClusterConfig *cluster)
{
    int64_t nodes = bound.value;
    if (bound.is_refused || nodes <= cluster->nodes_max || cluster->spec.kind_count > 0)
        return;
    if (text->gpus.node != NULL)
        warn_of_too_many_gpus(context, text, nodes, cluster);
    else if (nodes > cluster_nodes_limit(context))
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->nodes.node),
                     "nodeCount is %" PRId64 ", but a cluster has at most %" PRId32, nodes,
                     cluster_nodes_limit(context));
    else // only a warning: the service accepts such a job
        status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT,
                                 json_at(text->nodes.node),
                                 "nodeCount is %" PRId64 ", but cluster \"%s\" never has more than "
                                 "%" PRId32 ": the job waits for ever",
                                 nodes, cluster->name, cluster->nodes_max),
                    "raise the cluster's targetNodeCount or lower nodeCount");
}

/* A pattern that matches the job's script wherever it is, or else its command with any operands. */
static const char *pattern_for(Arena *arena, const char *script, const char *command)
{
    const char *slash = script != NULL ? strrchr(script, '/') : NULL;
    if (script != NULL)
        return slash != NULL ? arena_printf(arena, "*/%s", slash + 1) : script;
    return arena_printf(arena, "%.*s*", (int)strcspn(command, " \t\n"), command);
}

/* Reports a command line that nothing describes. A session accepts it, as the service did, unless
 * it is strict. */
static const Program *read_unknown(const ConfigContext *context, const ToolkitText *toolkit,
                                   const char *command)
{
    const bool is_accepted = context->is_of_session && !context->is_strict;
    const char *pattern = pattern_for(context->arena, toolkit->script.value, command);
    Status *problem =
        problems_add(is_accepted ? config_warnings(context) : context->problems, STATUS_BAD_INPUT,
                     json_at(toolkit->node),
                     "nothing says what this job does: no program matches \"%s\"", command);
    if (context->is_of_session)
        status_hint(problem,
                    "%s`trainyard serve --program '%s=sleep 20m; exit 0'`, POST "
                    "/trainyard/programs, or " DURATION_VARIABLE " in its environmentVariables",
                    is_accepted ? "it takes a time of the catalogue; to say more: " : "", pattern);
    else
        status_hint(problem,
                    "add {\"match\": \"%s\", \"duration\": \"10m\"} to the scenario's "
                    "\"programs\", or \"other_programs\": {}",
                    pattern);
    return is_accepted ? unknown_program(context, command) : NULL;
}

/* The program of the job's own variables; otherwise the scenario's program for the command;
 * otherwise its simple commands; otherwise the program for all other commands. */
static const Program *read_program(const ConfigContext *context, const JobText *job,
                                   const ToolkitText *toolkit, bool is_custom, const char *command,
                                   JobShape shape, const Variables *variables)
{
    const char *script = toolkit->script.value;
    bool is_stated;
    const Program *stated = stated_program(context, &job->environment, command, &is_stated);
    if (is_stated)
        return stated;
    const KnownProgram *program = program_find(context, command, script);
    if (program != NULL)
        return program_build(context, program, command, shape, variables);
    // With the other toolkits that take a command line, every process runs it.
    bool is_run_once = shape.processes == 1 || is_custom;
    const ShellScript *simple = toolkit->command_line.value != NULL && is_run_once
                                    ? shell_read(context->arena, command, variables->count,
                                                 variables->items, variables->mounts)
                                    : NULL;
    if (simple != NULL)
        return program_shell(context->arena, simple);
    if (context->other_programs != NULL)
        return other_program(context, context->other_programs, command);
    return context->unlisted.programs ? NULL : read_unknown(context, toolkit, command);
}

/* False for a program with a problem, which program_check has reported where the program is. */
static bool program_is_whole(const Program *program)
{
    switch (program->kind) {
    case PROGRAM_FIXED:
        return program->duration.kind != DISTRIBUTION_QUANTILES ||
               program->duration.quantiles.count > 0;
    case PROGRAM_TRAIN:
        return program->network != NULL || program->transformer != NULL;
    case PROGRAM_SHELL:
        return program->script != NULL;
    case PROGRAM_REAL:
        return true;
    }
    return false;
}

/* Finds the program that the job runs. Checks that its counts, each valid alone, are not too large
 * together. */
static void find_program(const ConfigContext *context, const JobText *job,
                         const ToolkitText *toolkit, bool is_custom, JobShape shape,
                         const Variables *variables, JobSpec *spec)
{
    int32_t problems_before = context->problems->count;
    spec->program = read_program(context, job, toolkit, is_custom, spec->command, shape, variables);
    bool is_whole = spec->program != NULL && context->problems->count == problems_before &&
                    program_is_whole(spec->program);
    if (is_whole && spec->program->transformer != NULL && !shape.states_processes)
        spec->processes = spec->program->transformer->gpus; // a rank on each
    Status status = {0};
    if (is_whole && shape.is_known &&
        !training_check(spec, shape.vm_size, json_at(toolkit->node), &status))
        problems_add_status(context->problems, &status);
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
    const char *mount_root = arena_printf(context->arena, JOB_ROOT "/%s/%s/%s/mounts",
                                          path.workspace, path.experiment, path.name);
    Mounts *mounts = ARENA_NEW(context->arena, Mounts);
    *mounts = mounts_read(context, text->mounts, mount_root, "$AZ_BATCHAI_JOB_MOUNT_ROOT",
                          &cluster->mounts);
    spec->mounts = mounts_shares(context->arena, mounts, cluster->mounts.count, &spec->mount_count,
                                 &spec->is_blob_mount);

    JobSurroundings surroundings = {.text = text,
                                    .toolkit = toolkit,
                                    .nodes = spec->nodes,
                                    .path = path,
                                    .mount_root = mount_root,
                                    .vm_size = kinds_first_size(cluster, spec->kinds)};
    Variables variables = job_variables(context, mounts, &surroundings);
    spec->environment_count = variables.count;
    spec->environment = variables.items;
    read_outputs(context, text, &variables, spec);
    check_file(context, &variables, settings->script);
    check_file(context, &variables, settings->config_file);
    return variables;
}

/* The training that the job's command line runs; NULL unless the trainer knows its network. */
static const Program *find_training(const ConfigContext *context, const ToolkitText *settings,
                                    JobShape shape, const Variables *variables, JobSpec *spec)
{
    const KnownProgram *known = spec->command != NULL && shape.is_known
                                    ? program_find(context, spec->command, settings->script.value)
                                    : NULL;
    const char *model = known != NULL ? known->text->model.value : NULL;
    return model != NULL && keras_network_find(model) != NULL
               ? program_build(context, known, spec->command, shape, variables)
               : NULL;
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
    if (least_ns <= most_ns || is_ended || program_can_resume(spec->program))
        return;
    Text least = {0}, most = {0};
    duration_print(&least, least_ns);
    duration_print(&most, most_ns);
    status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(text->node),
                             "the job takes %s, but runs %s at most on low-priority nodes and does "
                             "not resume: it never ends",
                             text_string(&least), text_string(&most)),
                "use dedicated nodes, a checkpoint with \"resume\": true, or \"until\"");
    text_free(&least);
    text_free(&most);
}

JobConfig *job_config_read(const ConfigContext *context, const JobText *text, ResourcePath path,
                           const ClusterConfig *cluster, JobExecution execution)
{
    static const ToolkitText no_settings;
    const int32_t problems_before = context->problems->count;
    JobConfig *job = ARENA_NEW(context->arena, JobConfig);
    JobSpec *spec = &job->spec;
    job->text = text;
    if (text->node == NULL)
        return job;
    Toolkit toolkit = only_toolkit(context, text);
    bool has_toolkit = toolkit != TOOLKIT_COUNT;
    const ToolkitText *settings = has_toolkit ? text->toolkits[toolkit] : &no_settings;
    check_script_or_config(context, toolkit, settings);
    check_words(context, settings);
    check_values(context, text);
    spec->kinds = kinds_of_job(context, cluster, text->node_kind);
    const BoundInteger nodes = read_request(context, text, cluster, spec);
    check_nodes(context, text, nodes, cluster);
    check_gpus(context, text, cluster);
    // A job of unknown shape is refused; the rest of it is checked as if it had one node.
    bool has_shape = cluster->spec.vm_size != NULL && cluster->nodes_max != NODES_UNKNOWN &&
                     !nodes.is_refused && nodes.value <= cluster_nodes_limit(context) &&
                     !settings->processes.is_refused && !settings->workers.is_refused;
    spec->nodes = has_shape ? (int32_t)nodes.value : 1;
    read_cores(context, text, cluster, spec);
    read_queue(context, text, cluster, spec);
    if (has_shape)
        check_kinds(context, text, cluster, spec);
    spec->processes = process_count(context, settings, nodes, spec, cluster);
    spec->priority = (JobPriority)text->priority.value;
    spec->tool = has_toolkit ? toolkit_name(toolkit) : NULL;
    spec->command = command_line(context->arena, toolkit, settings);
    spec->max_wall_clock_ns = wall_clock_max_ns(context, text->constraints);
    spec->expected_ns = spec->max_wall_clock_ns; // unless its owner says more
    Variables variables = read_places(context, text, toolkit, settings, path, cluster, spec);
    JobShape shape = {.is_known = has_shape,
                      .nodes = spec->nodes,
                      .processes = spec->processes,
                      .states_processes = settings->processes.node != NULL ||
                                          settings->workers.node != NULL ||
                                          spec->asks_for != REQUEST_NODES,
                      .vm_size = kinds_first_size(cluster, spec->kinds)};
    const Program *training = execution == EXECUTION_REAL || execution == EXECUTION_TRAINING
                                  ? find_training(context, settings, shape, &variables, spec)
                                  : NULL;
    const bool is_really_run =
        training == NULL && (execution == EXECUTION_REAL || execution == EXECUTION_COMMAND);
    check_commands(&variables, text, settings);
    spec->image = find_image(context, text->container);
    if (training != NULL) {
        read_trained(context, text, training, &variables, spec);
        return job;
    }
    if (is_really_run) {
        read_real(context, text, toolkit, settings, &variables, spec);
        return job;
    }
    read_preparation(context, text->preparation, &variables, spec);
    note_script(context, &variables, settings->script, spec);
    if (spec->command != NULL)
        find_program(context, text, settings, toolkit == TOOLKIT_CUSTOM, shape, &variables, spec);
    if (has_shape && spec->program != NULL && program_is_whole(spec->program) &&
        context->problems->count == problems_before)
        warn_of_endless(context, text, cluster, spec);
    return job;
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

#include "sim/scenario/config/job_toolkit.h"

#include <inttypes.h>

#include "sim/base/ascii.h"
#include "sim/scenario/config/kind_config.h"

/* GPU workers or MPI processes per node, or one on each GPU where a node has more. Source: Batch AI
 * documentation, "Service quotas and limits"; its largest nodes had 4 GPUs. */
enum { PROCESSES_PER_NODE_MAX = 4 };

Toolkit job_toolkit(const ConfigContext *context, const JobText *text)
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

void job_toolkit_check(const ConfigContext *context, Toolkit toolkit, const ToolkitText *text)
{
    check_script_or_config(context, toolkit, text);
    check_words(context, text);
}

const char *job_toolkit_command(Arena *arena, Toolkit toolkit, const ToolkitText *text)
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

int32_t job_toolkit_processes(const ConfigContext *context, const ToolkitText *text,
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

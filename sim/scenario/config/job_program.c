#include "sim/scenario/config/job_program.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/training/step_memory.h"
#include "sim/cloud/training/training.h"
#include "sim/formats/keras_network.h"
#include "sim/scenario/config/shell_read.h"
#include "sim/scenario/config/unknown_program.h"

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

/* A training that needs more memory than its GPU has runs only in the simulator. The bound is for
 * values of 4 bytes and the program may have smaller ones, so this is a warning. */
static void warn_of_memory(const ConfigContext *context, const Program *program,
                           const VmSize *vm_size, Place at)
{
    if (program->network == NULL || vm_size->gpu == NULL)
        return;
    const int64_t batch = program->batch_per_rank, has_bytes = vm_size->gpu->memory_bytes;
    const int64_t needed_bytes = step_memory_least_bytes(program->network, batch);
    if (needed_bytes <= has_bytes)
        return;
    const int64_t most = step_memory_batch_most(program->network, batch, has_bytes);
    Status *warning =
        problems_add(config_warnings(context), STATUS_BAD_INPUT, at,
                     "%s at batch %" PRId64 " needs at least %.1f GiB on each GPU, and a %s has "
                     "%.1f: the training would fail, but a run assumes that it fits",
                     program->network->name, batch, (double)needed_bytes / (double)GIB,
                     vm_size->gpu->name, (double)has_bytes / (double)GIB);
    if (most > 0)
        status_hint(warning, "a batch_per_rank of %" PRId64 " or less may fit", most);
    else
        status_hint(warning, "use a VM size whose GPUs have more memory");
}

bool job_program_is_whole(const Program *program)
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

void job_program_find(const ConfigContext *context, const JobText *job, const ToolkitText *toolkit,
                      bool is_custom, JobShape shape, const Variables *variables, JobSpec *spec)
{
    int32_t problems_before = context->problems->count;
    spec->program = read_program(context, job, toolkit, is_custom, spec->command, shape, variables);
    bool is_whole = spec->program != NULL && context->problems->count == problems_before &&
                    job_program_is_whole(spec->program);
    if (is_whole && spec->program->transformer != NULL && !shape.states_processes)
        spec->processes = spec->program->transformer->gpus; // a rank on each
    Status status = {0};
    if (is_whole && shape.is_known &&
        !training_check(spec, shape.vm_size, json_at(toolkit->node), &status))
        problems_add_status(context->problems, &status);
    else if (is_whole && shape.is_known)
        warn_of_memory(context, spec->program, shape.vm_size, json_at(toolkit->node));
}

const Program *job_program_training(const ConfigContext *context, const ToolkitText *settings,
                                    JobShape shape, const Variables *variables, const JobSpec *spec)
{
    const KnownProgram *known = spec->command != NULL && shape.is_known
                                    ? program_find(context, spec->command, settings->script.value)
                                    : NULL;
    const char *model = known != NULL ? known->text->model.value : NULL;
    return model != NULL && keras_network_find(model) != NULL
               ? program_build(context, known, spec->command, shape, variables)
               : NULL;
}

#include "sim/scenario/config/job_program.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/training/step_memory.h"
#include "sim/cloud/training/training.h"
#include "sim/formats/keras_network.h"
#include "sim/model/bounded.h"
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
                                                 variables->items, variables->mounts, NULL)
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

/* A file, or the files of a directory, that the program needs or leaves. */
typedef struct {
    const char *share; /* NULL: not on a share */
    const char *path;
    int64_t bytes;
} StoredPart;

/* A checkpoint whose path contains the epoch replaces no other. */
static int64_t checkpoints_kept(const Program *program)
{
    const bool has_epoch =
        program->checkpoint_path != NULL && strstr(program->checkpoint_path, "{epoch}") != NULL;
    const bool is_by_epochs = program->checkpoint_steps == 0 && program->checkpoint_every > 0;
    const int64_t all = is_by_epochs ? program->epochs / program->checkpoint_every : 1;
    return has_epoch && all > 1 ? all : 1;
}

/* The bytes that are on `share` together once a job of the program has ended, at least: two parts
 * of one path may be the same file. */
static int64_t stored_least_bytes(const StoredPart *parts, int32_t count, const char *share)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < count; i++) {
        bool is_known = parts[i].share == NULL || strcmp(parts[i].share, share) != 0;
        for (int32_t j = 0; j < i && !is_known; j++)
            is_known = parts[j].share != NULL && strcmp(parts[j].share, share) == 0 &&
                       parts[j].path != NULL && parts[i].path != NULL &&
                       strcmp(parts[j].path, parts[i].path) == 0;
        bytes = is_known ? bytes : bounded_add(bytes, parts[i].bytes);
    }
    return bytes;
}

/* Warns if the job's data set, checkpoints and model are together larger than their share, which
 * the world does not check. Other files may be there too, so that more shares may be full. */
static void warn_of_full_share(const ConfigContext *context, const Program *program, Place at)
{
    const StoredPart parts[] = {
        {program->downloads_data ? NULL : program->data_share, program->data_path,
         program->data_bytes},
        {program->checkpoint_bytes > 0 ? program->checkpoint_share : NULL, program->checkpoint_path,
         program->checkpoint_bytes > 0
             ? bounded_times(program->checkpoint_bytes, checkpoints_kept(program))
             : 0},
        {program->model_bytes > 0 ? program->model_share : NULL, program->model_path,
         program->model_bytes}};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    for (int32_t i = 0; i < PARTS; i++) {
        bool is_new = parts[i].share != NULL;
        for (int32_t j = 0; j < i && is_new; j++)
            is_new = parts[j].share == NULL || strcmp(parts[j].share, parts[i].share) != 0;
        const KnownShare *share = is_new ? config_share(context, parts[i].share) : NULL;
        if (share == NULL || share->tier == NULL)
            continue;
        const int64_t needed_bytes = stored_least_bytes(parts, PARTS, share->name);
        const int64_t has_bytes = share->tier->provisioned_bytes;
        if (needed_bytes <= has_bytes)
            continue;
        Status *warning = problems_add(
            config_warnings(context), STATUS_BAD_INPUT, at,
            "the data set, checkpoints and model of this job need at least %.1f GiB of share "
            "\"%s\", which has %.1f: writes would fail, but a run assumes that they fit",
            (double)needed_bytes / (double)GIB, share->name, (double)has_bytes / (double)GIB);
        status_hint(warning, share->tier->is_paid_by_size
                                 ? "a larger \"provisioned\" of the share may suffice"
                                 : "use a tier of larger shares");
    }
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
    else if (is_whole && shape.is_known) {
        warn_of_memory(context, spec->program, shape.vm_size, json_at(toolkit->node));
        if (spec->program->kind == PROGRAM_TRAIN)
            warn_of_full_share(context, spec->program, json_at(toolkit->node));
    }
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

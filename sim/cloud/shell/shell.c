#include "sim/cloud/shell/shell.h"

#include <string.h>

#include "sim/cloud/shell/commands.h"
#include "sim/cloud/shell/words.h"

static int32_t run_command(ShellFrame *frame)
{
    enum { REDIRECT_FAILED_BASH = 1, REDIRECT_FAILED_DASH = 2 };
    ShellRun *run = frame->run;
    frame->words = shell_split(run, frame->command->words, frame->command->word_count, frame->arena,
                               &frame->count);
    int32_t status = shell_redirect(frame)                          ? shell_command(frame)
                     : run->settings->script->dialect == SHELL_BASH ? REDIRECT_FAILED_BASH
                                                                    : REDIRECT_FAILED_DASH;
    shell_close_files(frame);
    return status;
}

/* Returns how long its last command sleeps; 0: it does not sleep. */
static int64_t run_pipeline(ShellRun *run, const ShellPipeline *pipeline)
{
    Arena *arena = arena_create();
    ShellTarget out = {.kind = TO_PRINT}, error = {.kind = TO_PRINT, .is_error = true};
    PartList *passed = NULL;
    int32_t status = 0;
    int64_t sleep_ns = 0;
    for (int32_t i = 0; i < pipeline->command_count; i++) {
        ShellFrame frame = {.run = run,
                            .command = &pipeline->commands[i],
                            .arena = arena,
                            .input = passed,
                            .streams = {NULL, &out, &error},
                            .is_alone = pipeline->command_count == 1};
        bool is_last = i == pipeline->command_count - 1;
        ShellTarget *pipe = is_last ? NULL : shell_new_target(&frame, TO_PIPE);
        if (!is_last)
            frame.streams[1] = pipe;
        status = run_command(&frame);
        sleep_ns = frame.sleep_ns;
        passed = is_last ? NULL : &pipe->contents;
    }
    run->exit_code = status;
    arena_destroy(arena);
    return sleep_ns;
}

static bool is_skipped(const ShellRun *run, const ShellPipeline *pipeline)
{
    return (pipeline->condition == SHELL_IF_TRUE && run->exit_code != 0) ||
           (pipeline->condition == SHELL_IF_FALSE && run->exit_code == 0);
}

int64_t shell_continue(ShellRun *run, int64_t now_ns)
{
    const ShellScript *script = run->settings->script;
    int64_t sleep_ns = 0;
    run->now_ns = now_ns;
    run->change_count = 0;
    while (!run->is_over && sleep_ns == 0 && run->next_pipeline < script->pipeline_count) {
        const ShellPipeline *pipeline = &script->pipelines[run->next_pipeline++];
        if (!is_skipped(run, pipeline))
            sleep_ns = run_pipeline(run, pipeline);
    }
    run->is_over = sleep_ns == 0;
    for (int32_t i = 0; i < run->change_count; i++)
        run->changes[i].file =
            file_set_find(run->settings->files, run->changes[i].volume, run->changes[i].path);
    return sleep_ns;
}

/* Makes the folders that exist from the start; the service makes the folders of a job's outputs. */
static void make_directories(ShellRun *run)
{
    static const char output[] = "AZ_BATCHAI_OUTPUT_", stdouterr[] = "AZ_BATCHAI_STDOUTERR_DIR";
    const ShellSettings *settings = run->settings;
    file_set_make_directory(settings->files, run->disk, "tmp");
    file_set_make_directory(settings->files, run->disk, run->directory);
    for (int32_t i = 0; i < settings->script->mount_count; i++)
        file_set_make_directory(settings->files, run->disk, settings->script->mounts[i].path);
    for (int32_t i = 0; i < settings->variable_count; i++) {
        const EnvironmentVariable *variable = &settings->variables[i];
        bool is_output = strncmp(variable->name, output, strlen(output)) == 0 ||
                         strcmp(variable->name, stdouterr) == 0;
        if (!is_output || variable->value == NULL || variable->value[0] != '/')
            continue;
        ShellPlace place = shell_place(run, variable->value);
        file_set_make_directory(settings->files, place.volume, place.path);
    }
}

ShellRun *shell_begin(const ShellSettings *settings)
{
    ShellRun *run = ARENA_NEW(settings->arena, ShellRun);
    *run = (ShellRun){.settings = settings,
                      .disk =
                          settings->disk != 0 ? settings->disk : file_set_new_disk(settings->files),
                      .directory = settings->directory};
    for (int32_t i = 0; i < settings->variable_count; i++) {
        const EnvironmentVariable *variable = &settings->variables[i];
        run->variables = pieces_room(settings->arena, run->variables, run->variable_count,
                                     &run->variable_capacity, sizeof *run->variables);
        run->variables[run->variable_count++] = *variable;
    }
    if (settings->script->uses_files)
        make_directories(run);
    return run;
}

/* Any bytes as a job's command line. A line that is accepted as a script runs to its end. The
 * output is within its limit, sleeps are not negative, exit codes are those of a shell, and two
 * runs give the same result. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/cloud/shell/shell.h"
#include "sim/scenario/config/shell_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const EnvironmentVariable variables[] = {
    {.name = "AZ_BATCHAI_JOB_TEMP", .value = "/mnt/batch/tasks/shared/LS_root/jobs/j"},
    {.name = "AZ_BATCHAI_OUTPUT_O",
     .value = "/mnt/batch/tasks/shared/LS_root/mounts/s/{segment}/outputs"},
    {.name = "A", .value = "one two"},
    {.name = "B", .value = ""},
    {.name = "C", .value = "x"},
    {.name = "D", .value = NULL},
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

/* A hash of all that it prints and leaves. */
static uint64_t run(Arena *arena, const ShellScript *script)
{
    enum { EXIT_MOST = 255 };
    static const uint32_t volumes[] = {0};
    const ShellSettings settings = {.arena = arena,
                                    .script = script,
                                    .files = file_set_create(arena),
                                    .volumes = volumes,
                                    .variable_count = VARIABLES,
                                    .variables = variables,
                                    .directory = variables[0].value};
    ShellRun *shell = shell_begin(&settings);
    uint64_t hash = HASH_START;
    for (int64_t now_ns = 0; !shell->is_over;) {
        int64_t sleep_ns = shell_continue(shell, now_ns);
        invariant(sleep_ns >= 0 && (sleep_ns > 0) != shell->is_over);
        for (int32_t i = 0; i < shell->change_count; i++) {
            const ShellChange *change = &shell->changes[i];
            invariant(change->volume == 0 && change->path[0] != '\0');
            if (change->file == FILE_NONE)
                continue; // removed
            const StoredFile *file = file_set_at(settings.files, change->file);
            invariant(file->bytes >= 0);
            hash = bytes_hash(hash, &file->bytes, sizeof file->bytes);
        }
        now_ns = sleep_ns < INT64_MAX - now_ns ? now_ns + sleep_ns : INT64_MAX;
    }
    int64_t printed = 0;
    for (int32_t i = 0; i < shell->output_count; i++) {
        const ShellOutput *output = &shell->outputs[i];
        if (output->part.text)
            hash = bytes_hash(hash, output->part.text, (uint64_t)output->part.length);
        printed += output->part.length;
    }
    invariant(printed <= 2 * SHELL_BYTES_MOST);
    invariant(shell->exit_code >= 0 && shell->exit_code <= EXIT_MOST);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static KnownShare share = {.name = "a/s"};
    static Mount items[] = {{.path = "/mnt/batch/tasks/shared/LS_root/mounts/s", .folder = ""}};
    static const Mounts mounts = {.count = 1, .items = items};
    items[0].share = &share;
    Arena *arena = arena_create();
    const char *line = arena_strndup(arena, (const char *)data, size);
    ShellRefusal refusal;
    const ShellScript *script = shell_read(arena, line, VARIABLES, variables, &mounts, &refusal);
    invariant(script != NULL || refusal.command == NULL || *refusal.command != '\0');
    if (script != NULL) {
        invariant(script->pipeline_count > 0);
        invariant(run(arena, script) == run(arena, script));
    }
    arena_destroy(arena);
    return 0;
}

#include "sim/output/written_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/name_table.h"

bool written_file_of(const TraceRow *row, WrittenFile *file)
{
    const TraceRecord *record = &row->record;
    if (record->kind != TRACE_FILE_WRITTEN)
        return false;
    *file = (WrittenFile){.share = row->share,
                          .share_id = record->share,
                          .path = record->name,
                          .job = record->job,
                          .bytes = record->bytes,
                          .at_ns = record->at_ns};
    return true;
}

const char *share_path_below(const char *path, Arena *arena)
{
    if (*path == '/')
        return NULL;
    char *below = arena_alloc(arena, strlen(path) + 1);
    size_t used = 0;
    for (const char *part = path; *part;) {
        size_t length = strcspn(part, "/");
        bool is_up = length == 2 && part[0] == '.' && part[1] == '.';
        if (is_up)
            return NULL;
        bool is_here = length == 0 || (length == 1 && part[0] == '.');
        if (!is_here) {
            if (used > 0)
                below[used++] = '/';
            memcpy(below + used, part, length);
            used += length;
        }
        part += length;
        part += *part == '/';
    }
    return used > 0 ? below : NULL;
}

const Command *written_file_upload(const World *world, const WrittenFile *file)
{
    if (file->job.index != ID_NONE)
        return NULL;
    const Scenario *scenario = world_scenario(world);
    for (int32_t i = scenario->command_count - 1; i >= 0; i--) {
        const Command *command = &scenario->commands[i];
        if (command->kind == COMMAND_FILE_UPLOAD && strcmp(command->path.name, file->share) == 0 &&
            strcmp(command->as.file_upload.file, file->path) == 0 &&
            command->as.file_upload.bytes == file->bytes)
            return command;
    }
    return NULL;
}

static bool is_keras_model(const Job *job)
{
    const Program *program = job->spec->program;
    return program->kind == PROGRAM_TRAIN && program->is_keras &&
           keras_model_is_known(program->network->name);
}

static WrittenContents unknown_contents(int64_t bytes)
{
    WrittenContents contents = {.kind = CONTENTS_UNKNOWN};
    snprintf(contents.notice, sizeof contents.notice,
             "emulated by trainyard: %" PRId64 " bytes, contents not modelled\n", bytes);
    if (bytes < (int64_t)strlen(contents.notice))
        contents.notice[bytes] = '\0';
    return contents;
}

WrittenContents written_file_contents(const World *world, const WrittenFile *file)
{
    if (file->job.index == ID_NONE) {
        const Command *upload = written_file_upload(world, file);
        if (upload && upload->as.file_upload.local_path)
            return (WrittenContents){.kind = CONTENTS_LOCAL,
                                     .local_path = upload->as.file_upload.local_path};
        return unknown_contents(file->bytes);
    }
    const Job *job = world_job(world, file->job);
    if (!is_keras_model(job))
        return unknown_contents(file->bytes);
    return (WrittenContents){
        .kind = CONTENTS_MODEL,
        .model = {.network = job->spec->program->network->name,
                  .ranks = job->spec->processes,
                  .seed = world_scenario(world)->seed,
                  .address = bytes_hash(job->address, file->path, strlen(file->path))}};
}

#include "sim/output/share/written_file.h"

#include <errno.h>
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
                          .file = record->file,
                          .bytes = record->bytes,
                          .at_ns = record->at_ns};
    return true;
}

const Command *written_file_upload(const World *world, const WrittenFile *file)
{
    if (file->job.index != ID_NONE || file->file == FILE_NONE)
        return NULL;
    // The world borrows the path from the command: another upload of that name is not this one.
    const char *path = world_file(world, file->file)->path;
    const Scenario *scenario = world_scenario(world);
    for (int32_t i = scenario->command_count - 1; i >= 0; i--) {
        const Command *command = &scenario->commands[i];
        if (command->kind == COMMAND_FILE_UPLOAD && command->as.file_upload.file == path)
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

/* A file by its number alone. */
static WrittenFile stored_file(const World *world, uint32_t number)
{
    const StoredFile *file = world_file(world, number);
    const ShareId share = {file->volume};
    return (WrittenFile){.share = share_name(world_share(world, share)),
                         .share_id = share,
                         .path = file->path,
                         .job = file->job,
                         .file = number,
                         .bytes = file->bytes,
                         .at_ns = file->at_ns};
}

WrittenContents written_file_contents(const World *world, const WrittenFile *file)
{
    const StoredFile *stored = file->file != FILE_NONE ? world_file(world, file->file) : NULL;
    if (stored && stored->has_parts && stored->part_count == 1 && !stored->parts[0].text) {
        const WrittenFile copied = stored_file(world, stored->parts[0].file);
        return written_file_contents(world, &copied);
    }
    if (stored && stored->has_parts)
        return (WrittenContents){.kind = CONTENTS_PARTS, .parts = stored};
    if (stored && stored->local_path)
        return (WrittenContents){.kind = CONTENTS_LOCAL, .local_path = stored->local_path};
    if (file->job.index == ID_NONE)
        return unknown_contents(file->bytes);
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

/* --- Pieces --- */

static void write_zeros(int64_t bytes, ByteSink sink)
{
    static const char zeros[4096];
    for (; bytes > 0; bytes -= (int64_t)sizeof zeros)
        sink.write(sink.to, zeros, bytes < (int64_t)sizeof zeros ? (size_t)bytes : sizeof zeros);
}

static bool write_local(const char *path, ByteSink sink, Status *status)
{
    char buffer[1 << 14];
    FILE *from = fopen(path, "rb");
    for (size_t got; from && (got = fread(buffer, 1, sizeof buffer, from)) > 0;)
        sink.write(sink.to, buffer, got);
    bool is_good = from && !ferror(from);
    if (!is_good)
        status_fail(status, STATUS_MACHINE, place_in("share", 0, 0), "cannot read %s: %s", path,
                    strerror(errno));
    if (from)
        fclose(from);
    return is_good;
}

/* Files in files are not deep: the shell sees to that. */
static bool write_file(const World *world, uint32_t number, bool has_size,
                       ByteSink sink, // NOLINT(misc-no-recursion)
                       Status *status)
{
    const WrittenFile file = stored_file(world, number);
    const WrittenContents contents = written_file_contents(world, &file);
    if (contents.kind == CONTENTS_LOCAL)
        return write_local(contents.local_path, sink, status);
    bool is_good = true;
    if (contents.kind == CONTENTS_PARTS) {
        for (int32_t i = 0; i < contents.parts->part_count && is_good; i++) {
            const FilePart *part = &contents.parts->parts[i];
            if (part->text)
                sink.write(sink.to, part->text, (size_t)part->length);
            else
                is_good = write_file(world, part->file, has_size, sink, status);
        }
        return is_good;
    }
    const WrittenContents unknown = unknown_contents(file.bytes);
    sink.write(sink.to, unknown.notice, strlen(unknown.notice));
    if (has_size)
        write_zeros(file.bytes - (int64_t)strlen(unknown.notice), sink);
    return true;
}

bool written_text(const World *world, uint32_t file, ByteSink sink, Status *status)
{
    return write_file(world, file, false, sink, status);
}

bool written_bytes(const World *world, uint32_t file, ByteSink sink, Status *status)
{
    return write_file(world, file, true, sink, status);
}

#include "sim/cloud/shell/shell.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/shell/parts.h"
#include "sim/model/bounded.h"

/* Beyond so many files in files contents are no longer followed. */
enum { DEPTH_MOST = 200 };
/* A file of fewer pieces is taken over piece by piece. */
enum { PIECES_TAKEN_OVER = 16 };

/* Room for one more of `items`, which are `size` bytes each. */
static void *room(Arena *arena, void *items, int32_t count, int32_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    *capacity = 2 * *capacity + 8;
    void *more = arena_alloc_array(arena, (size_t)*capacity, size);
    if (count > 0)
        memcpy(more, items, (size_t)count * size);
    return more;
}

/* --- Pieces --- */

void parts_add(PartList *list, const FileSet *files, FilePart part)
{
    const StoredFile *file = part.text == NULL ? file_set_at(files, part.file) : NULL;
    list->items = room(list->arena, list->items, list->count, &list->capacity, sizeof part);
    list->items[list->count++] = part;
    list->bytes = bounded_add(list->bytes, file != NULL ? file->bytes : part.length);
    if (file != NULL && list->depth <= file->depth)
        list->depth = file->depth + 1;
}

void parts_add_file(PartList *list, FileSet *files, uint32_t number)
{
    const StoredFile *file = file_set_at(files, number);
    if (file->has_parts && file->part_count <= PIECES_TAKEN_OVER) {
        for (int32_t i = 0; i < file->part_count; i++)
            parts_add(list, files, file->parts[i]);
        return;
    }
    file_set_keep(files, number);
    parts_add(list, files, (FilePart){.file = number});
}

/* --- Places --- */

/* An absolute path without "." and "..", and without a slash at its end. */
static const char *tidy(Arena *arena, const char *directory, const char *path)
{
    char *out = arena_alloc(arena, strlen(directory) + strlen(path) + 3);
    const char *const pieces[] = {*path == '/' ? "" : directory, path};
    size_t used = 0;
    for (int i = 0; i < 2; i++)
        for (const char *part = pieces[i]; *part != '\0';) {
            size_t length = strcspn(part, "/");
            bool is_up = length == 2 && part[0] == '.' && part[1] == '.';
            bool is_here = length == 0 || (length == 1 && part[0] == '.');
            if (is_up) {
                while (used > 0 && out[--used] != '/')
                    ;
            } else if (!is_here) {
                out[used++] = '/';
                memcpy(out + used, part, length);
                used += length;
            }
            part += length + (part[length] == '/');
        }
    out[used] = '\0';
    return out;
}

/* The mount that holds an absolute path, and the rest of the path; -1: none. */
static int32_t find_mount(const ShellScript *script, const char *path, const char **inside)
{
    int32_t found = -1;
    size_t longest = 0;
    for (int32_t i = 0; i < script->mount_count; i++) {
        size_t length = strlen(script->mounts[i].path);
        if (length > longest && strncmp(path, script->mounts[i].path, length) == 0 &&
            (path[length] == '/' || path[length] == '\0')) {
            found = i;
            longest = length;
        }
    }
    *inside = path + longest + (path[longest] == '/');
    return found;
}

ShellPlace shell_place(ShellRun *run, const char *path)
{
    const ShellSettings *settings = run->settings;
    const char *inside;
    const char *absolute = tidy(settings->arena, run->directory, path);
    int32_t mount = find_mount(settings->script, absolute, &inside);
    if (mount < 0)
        return (ShellPlace){
            .volume = run->disk, .path = inside, .is_null = strcmp(absolute, "/dev/null") == 0};
    const char *folder = settings->script->mounts[mount].folder;
    if (*folder != '\0')
        inside =
            arena_printf(settings->arena, "%s%s%s", folder, *inside != '\0' ? "/" : "", inside);
    return (ShellPlace){.volume = settings->volumes[mount], .path = inside, .is_share = true};
}

const char *shell_absolute(ShellRun *run, const char *path)
{
    return tidy(run->settings->arena, run->directory, path);
}

bool shell_is_directory(const ShellRun *run, ShellPlace place)
{
    return !place.is_null && file_set_has_directory(run->settings->files, place.volume, place.path);
}

uint32_t shell_find(const ShellRun *run, ShellPlace place)
{
    return file_set_find(run->settings->files, place.volume, place.path);
}

const char *shell_cannot_write(const ShellRun *run, ShellPlace place)
{
    if (place.is_null)
        return NULL;
    if (shell_is_directory(run, place))
        return "Is a directory";
    Arena *arena = run->settings->arena;
    const char *slash = strrchr(place.path, '/');
    ShellPlace above = place;
    above.path =
        slash != NULL ? arena_strndup(arena, place.path, (size_t)(slash - place.path)) : "";
    if (shell_find(run, above) != FILE_NONE)
        return "Not a directory";
    bool is_there = place.is_share || shell_is_directory(run, above);
    return is_there ? NULL : "No such file or directory";
}

/* Told once, as it is when the script sleeps or ends. */
static void note_change(ShellRun *run, ShellPlace place)
{
    for (int32_t i = 0; i < run->change_count; i++)
        if (run->changes[i].volume == place.volume && strcmp(run->changes[i].path, place.path) == 0)
            return;
    run->changes = room(run->settings->arena, run->changes, run->change_count,
                        &run->change_capacity, sizeof *run->changes);
    run->changes[run->change_count++] = (ShellChange){.volume = place.volume, .path = place.path};
}

void shell_write(ShellRun *run, ShellPlace place, const PartList *contents)
{
    if (place.is_null)
        return;
    if (place.is_share)
        note_change(run, place);
    bool has_parts = contents->bytes <= SHELL_BYTES_MOST && contents->depth <= DEPTH_MOST;
    FilePart *parts = NULL;
    if (has_parts && contents->count > 0) {
        parts = ARENA_ARRAY(run->settings->arena, FilePart, contents->count);
        memcpy(parts, contents->items, (size_t)contents->count * sizeof *parts);
    }
    file_set_put(run->settings->files, &(StoredFile){.volume = place.volume,
                                                     .path = place.path,
                                                     .bytes = contents->bytes,
                                                     .at_ns = run->now_ns,
                                                     .job = run->settings->job,
                                                     .has_parts = has_parts,
                                                     .part_count = has_parts ? contents->count : 0,
                                                     .parts = parts,
                                                     .depth = has_parts ? contents->depth : 0});
}

void shell_remove(ShellRun *run, ShellPlace place)
{
    if (place.is_null)
        return;
    if (place.is_share)
        note_change(run, place);
    file_set_remove(run->settings->files, place.volume, place.path);
}

/* --- Streams --- */

static void put_out(ShellRun *run, bool is_error, FilePart part)
{
    static const char cut[] = "\n# Emulated by trainyard: what else it prints is not shown.\n";
    int64_t length =
        part.text != NULL ? part.length : file_set_at(run->settings->files, part.file)->bytes;
    bool was_full = run->printed_bytes > SHELL_BYTES_MOST;
    run->printed_bytes = bounded_add(run->printed_bytes, length);
    if (was_full)
        return;
    if (run->printed_bytes > SHELL_BYTES_MOST && part.text != NULL)
        part = (FilePart){.text = cut, .length = sizeof cut - 1};
    run->outputs = room(run->settings->arena, run->outputs, run->output_count,
                        &run->output_capacity, sizeof *run->outputs);
    run->outputs[run->output_count++] =
        (ShellOutput){.at_ns = run->now_ns, .is_error = is_error, .part = part};
}

static void put(ShellFrame *frame, int stream, FilePart part)
{
    ShellRun *run = frame->run;
    ShellTarget *target = frame->streams[stream];
    switch (target->kind) {
    case TO_PRINT:
        put_out(run, target->is_error, part);
        break;
    case TO_PIPE:
    case TO_FILE:
        parts_add(&target->contents, run->settings->files, part);
        target->is_changed = true;
        break;
    case TO_NOTHING:
        break;
    }
}

void shell_print(ShellFrame *frame, int stream, const char *text, size_t length)
{
    if (length > 0)
        put(frame, stream,
            (FilePart){.text = arena_strndup(frame->run->settings->arena, text, length),
                       .length = (int64_t)length});
}

static void print_list(ShellFrame *frame, int stream, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    invariant(length >= 0);
    char *text = arena_alloc(frame->arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    shell_print(frame, stream, text, (size_t)length);
}

void shell_printf(ShellFrame *frame, int stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_list(frame, stream, format, arguments);
    va_end(arguments);
}

void shell_complain(ShellFrame *frame, const char *format, ...)
{
    const ShellScript *script = frame->run->settings->script;
    int line = (int)script->pipelines[frame->run->next_pipeline - 1].line;
    shell_printf(frame, 2,
                 script->dialect == SHELL_BASH ? "%s: line %d: " : "%s: %d: ", script->shell, line);
    va_list arguments;
    va_start(arguments, format);
    print_list(frame, 2, format, arguments);
    va_end(arguments);
}

void shell_pass_on(ShellFrame *frame, const PartList *list)
{
    for (int32_t i = 0; list != NULL && i < list->count; i++)
        put(frame, 1, list->items[i]);
}

static ShellTarget *new_target(ShellFrame *frame, ShellTargetKind kind)
{
    ShellTarget *target = ARENA_NEW(frame->arena, ShellTarget);
    *target = (ShellTarget){.kind = kind, .contents = {.arena = frame->arena}};
    return target;
}

/* --- Redirections --- */

static void cannot_open(ShellFrame *frame, const char *path, bool is_read, const char *why)
{
    bool is_missing = strcmp(why, "No such file or directory") == 0;
    if (frame->run->settings->script->dialect == SHELL_BASH)
        shell_complain(frame, "%s: %s\n", path, why);
    else if (is_read)
        shell_complain(frame, "cannot open %s: %s\n", path, is_missing ? "No such file" : why);
    else
        shell_complain(frame, "cannot create %s: %s\n", path,
                       is_missing ? "Directory nonexistent" : why);
}

static bool open_for_reading(ShellFrame *frame, const char *path)
{
    ShellRun *run = frame->run;
    ShellPlace place = shell_place(run, path);
    uint32_t file = place.is_null ? FILE_NONE : shell_find(run, place);
    bool is_directory = shell_is_directory(run, place);
    if (file == FILE_NONE && !place.is_null && !is_directory) {
        cannot_open(frame, path, true, "No such file or directory");
        return false;
    }
    frame->input = ARENA_NEW(frame->arena, PartList);
    *frame->input = (PartList){.arena = frame->arena};
    if (file != FILE_NONE)
        parts_add_file(frame->input, run->settings->files, file);
    return true;
}

static bool open_for_writing(ShellFrame *frame, const ShellRedirect *redirect, const char *path)
{
    ShellRun *run = frame->run;
    ShellPlace place = shell_place(run, path);
    const char *why = *path != '\0' ? shell_cannot_write(run, place) : "No such file or directory";
    if (why != NULL) {
        cannot_open(frame, path, false, why);
        return false;
    }
    ShellTarget *target = new_target(frame, place.is_null ? TO_NOTHING : TO_FILE);
    target->place = place;
    frame->streams[redirect->stream] = target;
    uint32_t file = place.is_null ? FILE_NONE : shell_find(run, place);
    if (redirect->kind == REDIRECT_APPEND && file != FILE_NONE)
        parts_add_file(&target->contents, run->settings->files, file);
    else
        shell_write(run, place, &target->contents); // empty from now on, whatever the command does
    return true;
}

static bool redirect(ShellFrame *frame)
{
    for (int32_t i = 0; i < frame->command->redirect_count; i++) {
        const ShellRedirect *redirect = &frame->command->redirects[i];
        if (redirect->kind == REDIRECT_COPY) {
            frame->streams[redirect->stream] = frame->streams[redirect->copied];
            continue;
        }
        const char *path = shell_join(frame->run, &redirect->file, frame->arena);
        if (redirect->kind == REDIRECT_READ ? !open_for_reading(frame, path)
                                            : !open_for_writing(frame, redirect, path))
            return false;
    }
    return true;
}

static void close_files(ShellFrame *frame)
{
    for (int stream = 1; stream <= 2; stream++) {
        ShellTarget *target = frame->streams[stream];
        if (target->kind != TO_FILE || !target->is_changed)
            continue;
        shell_write(frame->run, target->place, &target->contents);
        target->is_changed = false; // both streams may lead there
    }
}

/* --- Running --- */

static int32_t run_command(ShellFrame *frame)
{
    enum { REDIRECT_FAILED_BASH = 1, REDIRECT_FAILED_DASH = 2 };
    ShellRun *run = frame->run;
    frame->words = shell_split(run, frame->command->words, frame->command->word_count, frame->arena,
                               &frame->count);
    int32_t status = redirect(frame)                                ? shell_command(frame)
                     : run->settings->script->dialect == SHELL_BASH ? REDIRECT_FAILED_BASH
                                                                    : REDIRECT_FAILED_DASH;
    close_files(frame);
    return status;
}

/* Returns for how long its one command sleeps; 0: not at all. */
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
        ShellTarget *pipe = is_last ? NULL : new_target(&frame, TO_PIPE);
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

int64_t shell_go_on(ShellRun *run, int64_t now_ns)
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

/* The folders that are there from the start: the service makes those of a job's outputs. */
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
        run->variables = room(settings->arena, run->variables, run->variable_count,
                              &run->variable_capacity, sizeof *run->variables);
        run->variables[run->variable_count++] = *variable;
    }
    if (settings->script->uses_files)
        make_directories(run);
    return run;
}

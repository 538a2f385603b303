#include "sim/cloud/shell/frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/shell/words.h"
#include "sim/model/bounded.h"

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
    run->outputs = pieces_room(run->settings->arena, run->outputs, run->output_count,
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

void shell_print_error(ShellFrame *frame, const char *format, ...)
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

ShellTarget *shell_new_target(ShellFrame *frame, ShellTargetKind kind)
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
        shell_print_error(frame, "%s: %s\n", path, why);
    else if (is_read)
        shell_print_error(frame, "cannot open %s: %s\n", path, is_missing ? "No such file" : why);
    else
        shell_print_error(frame, "cannot create %s: %s\n", path,
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
    ShellTarget *target = shell_new_target(frame, place.is_null ? TO_NOTHING : TO_FILE);
    target->place = place;
    frame->streams[redirect->stream] = target;
    uint32_t file = place.is_null ? FILE_NONE : shell_find(run, place);
    if (redirect->kind == REDIRECT_APPEND && file != FILE_NONE)
        parts_add_file(&target->contents, run->settings->files, file);
    else
        shell_write(run, place, &target->contents); // empty even if the command writes nothing
    return true;
}

bool shell_redirect(ShellFrame *frame)
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

void shell_close_files(ShellFrame *frame)
{
    for (int stream = 1; stream <= 2; stream++) {
        ShellTarget *target = frame->streams[stream];
        if (target->kind != TO_FILE || !target->is_changed)
            continue;
        shell_write(frame->run, target->place, &target->contents);
        target->is_changed = false; // both streams may have this target
    }
}

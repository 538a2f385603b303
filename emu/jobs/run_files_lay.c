/* Private to this folder: how the shares of a run are laid out as files (run_files.h). */
#include <string.h>
#include <unistd.h>

#include "emu/jobs/beneath.h"
#include "emu/jobs/run_files_inside.h"
#include "sim/base/array.h"
#include "sim/cli/files.h"

/* A file to be laid out. */
struct ToLay {
    int32_t mount;
    const char *path; /* in the share */
    int64_t bytes;
};

/* The path on the node of a directory or file in the share of a mount. */
static const char *node_path(const RunFiles *files, const ShellMount *mount, const char *inside)
{
    const size_t cut = *mount->folder == '\0' ? 0 : strlen(mount->folder) + 1;
    return arena_printf(files->arena, "%s/%s", mount->path, inside + cut);
}

/* Directories at once, files to be laid out later. */
static bool list(RunFiles *files, int32_t mount, ShareName share, const char *path, int depth,
                 Status *status)
{
    FilesEntry *entries = NULL;
    int32_t count = 0;
    bool more;
    const ShellMount *at = &files->mounts[mount];
    const FilesFailure failure = files_list(files->store, files->arena, share, path, "", "",
                                            INT32_MAX, &entries, &count, &more);
    if (failure != FILES_OK) // a share that is not there is empty
        return run_files_is_fine("laid out", at->share, failure, status);
    for (int32_t i = 0; i < count && depth < DEPTH_MAX; i++) {
        const char *inner = *path == '\0'
                                ? entries[i].name
                                : arena_printf(files->arena, "%s/%s", path, entries[i].name);
        if (entries[i].kind == FILES_FILE) {
            files->to_lay = array_room(files->arena, files->to_lay, files->to_lay_count + 1,
                                       &files->to_lay_capacity, sizeof *files->to_lay);
            files->to_lay[files->to_lay_count++] =
                (ToLay){.mount = mount, .path = inner, .bytes = entries[i].bytes};
        } else if (!run_files_make_folder(files, node_path(files, at, inner), status) ||
                   !list(files, mount, share, inner, depth + 1, status)) {
            return false;
        }
    }
    return true;
}

static bool list_all(RunFiles *files, Status *status)
{
    for (int32_t i = 0; i < files->mount_count; i++) {
        const ShellMount *mount = &files->mounts[i];
        if (!file_server_is_share(mount->share) &&
            !list(files, i, share_name_read(files->arena, mount->share), mount->folder, 0, status))
            return false;
    }
    files->is_listed = true;
    return true;
}

static bool begin_laying(RunFiles *files, ToLay *file, Status *status)
{
    const ShellMount *mount = &files->mounts[file->mount];
    const FilesFailure failure =
        files_open(files->store, share_name_read(files->arena, mount->share), file->path,
                   &files->reader, &file->bytes);
    files->position = 0;
    if (failure != FILES_OK) {
        file->bytes = 0; // it has been deleted: there is nothing to lay out
        return run_files_is_fine("laid out", file->path, failure, status);
    }
    files->descriptor =
        beneath_open_file(files->folder, run_files_relative(node_path(files, mount, file->path)),
                          O_RDWR | O_CREAT | O_TRUNC, true);
    return (files->descriptor >= 0 && ftruncate(files->descriptor, file->bytes) == 0) ||
           run_files_cannot("lay out", file->path, status);
}

static bool is_zero(const char *bytes, size_t length)
{
    return length == 0 || (bytes[0] == '\0' && memcmp(bytes, bytes + 1, length - 1) == 0);
}

/* Copies the next piece. Zeros stay holes of the file. */
static bool lay_piece(RunFiles *files, const ToLay *file, int64_t *got, Status *status)
{
    *got = files_read(files->reader, files->position, files->chunk, CHUNK);
    if (*got <= 0)
        return status_fail(status, STATUS_MACHINE, place_in(file->path, 0, 0), "cannot be read");
    if (!is_zero(files->chunk, (size_t)*got) &&
        !file_put(files->descriptor, files->chunk, (size_t)*got, files->position))
        return run_files_cannot("lay out", file->path, status);
    files->position += *got;
    return true;
}

RunFilesStep run_files_lay(RunFiles *files, Status *status)
{
    if (!files->is_listed && !list_all(files, status))
        return RUN_FILES_FAILED;
    for (int64_t left = STEP_BYTES; files->laid < files->to_lay_count; left -= LEAST_BYTES) {
        ToLay *file = &files->to_lay[files->laid];
        int64_t got = 0;
        if (left <= 0)
            return RUN_FILES_MORE;
        if (files->descriptor < 0 && !begin_laying(files, file, status))
            return RUN_FILES_FAILED;
        if (files->position < file->bytes && !lay_piece(files, file, &got, status))
            return RUN_FILES_FAILED;
        if (files->position >= file->bytes) {
            run_files_close_file(files);
            files->laid++;
        }
        left -= got;
    }
    run_files_note_all(files);
    return RUN_FILES_DONE;
}

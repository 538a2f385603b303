/* What a job has left on a share: listOutputFiles. */
#include <inttypes.h>
#include <string.h>

#include "emu/batchai/batchai.h"
#include "emu/files/sas.h"
#include "emu/files/store/ticks.h"
#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"
#include "sim/output/share/job_files.h"

enum { FILES_MAX = 1000 };

typedef struct {
    const char *directory_id, *directory, *marker;
    int64_t expiry_minutes, files_max;
} Query;

static bool read_query(const HttpRequest *request, HttpResponse *response, Query *query)
{
    query->directory_id = http_query(request, "outputdirectoryid");
    query->directory = http_query(request, "directory");
    query->marker = http_query(request, "$skiptoken");
    if (!query->directory_id || *query->directory_id == '\0') {
        arm_error(request, response, 400, "InvalidParameter",
                  "The query parameter 'outputdirectoryid' is missing.");
        return false;
    }
    return arm_query_number(request, response, "linkexpiryinminutes", 5, 600, 60,
                            &query->expiry_minutes) &&
           arm_query_number(request, response, "maxresults", 1, FILES_MAX, FILES_MAX,
                            &query->files_max);
}

/* --- Where --- */

typedef struct {
    ShareName share;
    const char *path;
} Folder;

/* The directory with that id; false when the job has none. */
static bool find_output(const World *world, const Job *job, Arena *arena, const char *id,
                        const char **share, const char **path)
{
    if (ascii_same(id, "stdouterr")) {
        *share = job->spec->std_out_err.share;
        *path = *share ? job_files_directory(world, job, arena) : NULL;
        return true;
    }
    for (int32_t i = 0; i < job->spec->output_count; i++) {
        const OutputDirectory *output = &job->spec->outputs[i];
        if (strcmp(output->id, id) != 0)
            continue;
        *share = output->place.share;
        *path = job_output_directory(world, job, output, arena);
        return true;
    }
    return false;
}

/* "." and "" are the directory itself, "./a//b/" is "a/b"; NULL for one that leads out. */
static const char *below(Arena *arena, const char *path, const char *relative)
{
    while (*relative != '\0') {
        const size_t length = strcspn(relative, "/");
        if (length == 2 && strncmp(relative, "..", 2) == 0)
            return NULL;
        if (length > 0 && !(length == 1 && *relative == '.'))
            path = arena_printf(arena, "%s/%.*s", path, (int)length, relative);
        relative += length + (relative[length] == '/');
    }
    return path;
}

static bool find_folder(const Emulator *emulator, const HttpRequest *request, const Job *job,
                        const Query *query, Folder *folder, HttpResponse *response)
{
    Arena *arena = request->arena;
    const char *share, *path;
    if (!find_output(session_world(emulator->session), job, arena, query->directory_id, &share,
                     &path)) {
        arm_error(request, response, 404, "OutputDirectoryNotFound",
                  "The specified outputDirectoryId %s is not found", query->directory_id);
        return false;
    }
    const char *slash = share ? strchr(share, '/') : NULL;
    if (!slash || file_server_is_share(share)) {
        // The words are the service's; their code is not recorded.
        arm_error(request, response, 400, "InvalidParameter",
                  "The specified outputDirectoryId %s is not present on a mount root",
                  query->directory_id);
        return false;
    }
    folder->path = query->directory ? below(arena, path, query->directory) : path;
    if (!folder->path) {
        arm_error(request, response, 400, "InvalidParameter",
                  "The query parameter 'directory' is '%s', which leads out of the directory.",
                  query->directory);
        return false;
    }
    folder->share = (ShareName){.account = arena_strndup(arena, share, (size_t)(slash - share)),
                                .share = slash + 1};
    return true;
}

/* --- What --- */

/* To the second, as the service told it. */
static const char *modified_time(Arena *arena, int64_t ticks)
{
    enum { SECOND_MS = 1000 };
    char *text = arena_alloc(arena, CIVIL_TEXT);
    iso_time_print(ticks_unix_ms(ticks) / SECOND_MS * SECOND_MS, text);
    return text;
}

static Json *show_entry(Emulator *emulator, Arena *arena, const Folder *folder,
                        const FilesEntry *entry, int64_t expires_unix_ms)
{
    Json *body = json_object(arena);
    const bool is_file = entry->kind == FILES_FILE;
    arm_put_text(arena, body, "name", entry->name);
    arm_put_text(arena, body, "fileType", is_file ? "file" : "directory");
    if (!is_file)
        return body;
    arm_put_text(arena, body, "downloadUrl",
                 files_sas_url(emulator, arena, folder->share.account, folder->share.share,
                               arena_printf(arena, "%s/%s", folder->path, entry->name), "rl",
                               expires_unix_ms));
    Json *properties = json_put_object(arena, body, "properties");
    arm_put_text(arena, properties, "lastModified", modified_time(arena, entry->written_ticks));
    arm_put_number(arena, properties, "contentLength", entry->bytes);
    return body;
}

/* Clients GET it, although the list is a POST. */
static const char *next_link(const Emulator *emulator, const HttpRequest *request,
                             const Query *query, const char *last)
{
    Arena *arena = request->arena;
    return arm_url(
        emulator, request,
        arena_printf(arena,
                     "%s?api-version=%s&outputdirectoryid=%s&directory=%s"
                     "&linkexpiryinminutes=%" PRId64 "&maxresults=%" PRId64 "&%%24skiptoken=%s",
                     request->target, http_encode(arena, http_query(request, "api-version"), ""),
                     http_encode(arena, query->directory_id, ""),
                     http_encode(arena, query->directory ? query->directory : ".", ""),
                     query->expiry_minutes, query->files_max, http_encode(arena, last, "")));
}

void jobs_list_files(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                     HttpResponse *response)
{
    Arena *arena = request->arena;
    Query query;
    Folder folder;
    const Record *record = arm_find(emulator, request, response, RECORD_JOB, batchai_path(match));
    if (!record || !read_query(request, response, &query))
        return;
    const World *world = session_world(emulator->session);
    const Job *job = world_job(world, record->job);
    if (!find_folder(emulator, request, job, &query, &folder, response))
        return;
    FilesEntry *entries = NULL;
    int32_t count = 0;
    bool more = false;
    Json *body = json_object(arena);
    Json *list = json_put_array(arena, body, "value");
    // A directory that is not there yet, or whose share is gone, has no files: that is no error.
    if (files_list(emulator->files, arena, folder.share, folder.path, "",
                   query.marker ? query.marker : "", (int32_t)query.files_max, &entries, &count,
                   &more) != FILES_OK)
        count = 0;
    // Whoever follows a file does so by the machine's clock, however fast simulated time goes.
    const int64_t expires_unix_ms = emulator->real_unix_ms + query.expiry_minutes * 60000;
    for (int32_t i = 0; i < count; i++)
        json_add(list, show_entry(emulator, arena, &folder, &entries[i], expires_unix_ms));
    if (more && count > 0)
        arm_put_text(arena, body, "nextLink",
                     next_link(emulator, request, &query, entries[count - 1].name));
    if (job->ended_ns == INT64_MAX)
        emulator_polled(emulator);
    arm_answer(request, response, 200, body);
}

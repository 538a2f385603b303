#include "emu/batchai/output_files.h"

#include <inttypes.h>
#include <string.h>

#include "emu/arm/id.h"
#include "emu/batchai/batchai.h"
#include "emu/files/auth/sas.h"
#include "emu/files/store/ticks.h"
#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"
#include "sim/output/share/job_files.h"

enum { FILES_MAX = 1000 };

typedef struct {
    const char *directory_id, *directory, *marker;
    int64_t expiry_minutes, files_max;
} Query;

static bool read_query(const ArmCall *call, Query *query)
{
    query->directory_id = http_query(call->request, "outputdirectoryid");
    query->directory = http_query(call->request, "directory");
    query->marker = http_query(call->request, "$skiptoken");
    if (!query->directory_id || *query->directory_id == '\0')
        return arm_error(call, AZURE_BATCHAI_NO_OUTPUT_ID);
    return arm_query_number(call, "linkexpiryinminutes", 5, 600, 60, &query->expiry_minutes) &&
           arm_query_number(call, "maxresults", 1, FILES_MAX, FILES_MAX, &query->files_max);
}

/* --- The directory --- */

typedef struct {
    ShareName share;
    const char *path;
} Folder;

/* Finds the output directory with that id. False if the job has no such directory. */
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

/* Returns `path` joined with `relative`: "." and "" are `path` itself, "./a//b/" is "a/b". NULL for
 * a path that leads out of the directory. */
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

static bool find_folder(const ArmCall *call, const Job *job, const Query *query, Folder *folder)
{
    Arena *arena = call->arena;
    const char *share, *path;
    if (!find_output(session_world(call->session), job, arena, query->directory_id, &share, &path))
        return arm_error(call, AZURE_BATCHAI_NO_OUTPUT_DIRECTORY, query->directory_id);
    if (!share || file_server_is_share(share))
        return arm_error(call, AZURE_BATCHAI_OUTPUT_NOT_MOUNTED, query->directory_id);
    folder->path = query->directory ? below(arena, path, query->directory) : path;
    if (!folder->path)
        return arm_error(call, AZURE_BATCHAI_OUTSIDE_OUTPUT, query->directory);
    folder->share = share_name_read(arena, share);
    return true;
}

/* --- Entries --- */

/* Rounded down to a second, as in the service's answers. */
static const char *modified_time(Arena *arena, int64_t ticks)
{
    enum { SECOND_MS = 1000 };
    char *text = arena_alloc(arena, CIVIL_TEXT);
    iso_time_print(ticks_unix_ms(ticks) / SECOND_MS * SECOND_MS, text);
    return text;
}

static Json *show_entry(const ArmCall *call, const Folder *folder, const FilesEntry *entry,
                        bool is_file, int64_t expires_unix_ms)
{
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    json_put_text(arena, body, "name", entry->name);
    json_put_text(arena, body, "fileType", is_file ? "file" : "directory");
    if (!is_file)
        return body;
    json_put_text(arena, body, "downloadUrl",
                  files_sas_url(((Batchai *)call->provider)->azure_files, arena,
                                folder->share.is_container ? BLOB_HOST : FILES_HOST,
                                folder->share.account, folder->share.share,
                                arena_printf(arena, "%s/%s", folder->path, entry->name), "rl",
                                expires_unix_ms));
    Json *properties = json_put_object(arena, body, "properties");
    json_put_text(arena, properties, "lastModified", modified_time(arena, entry->written_ticks));
    json_put_integer(arena, properties, "contentLength",
                     entry->kind == FILES_FILE ? entry->bytes : 0);
    return body;
}

/* Clients GET this link, although the list is a POST. */
static const char *next_link(const ArmCall *call, const Query *query, const char *last)
{
    Arena *arena = call->arena;
    return arm_url(
        call,
        arena_printf(arena,
                     "%s?api-version=%s&outputdirectoryid=%s&directory=%s"
                     "&linkexpiryinminutes=%" PRId64 "&maxresults=%" PRId64 "&%%24skiptoken=%s",
                     call->request->target,
                     http_encode(arena, http_query(call->request, "api-version"), ""),
                     http_encode(arena, query->directory_id, ""),
                     http_encode(arena, query->directory ? query->directory : ".", ""),
                     query->expiry_minutes, query->files_max, http_encode(arena, last, "")));
}

void jobs_list_files(const ArmCall *call)
{
    Arena *arena = call->arena;
    Query query;
    Folder folder;
    const Record *record = arm_find(call, RECORD_JOB, batchai_path(call));
    if (!record || !read_query(call, &query))
        return;
    const World *world = session_world(call->session);
    const Job *job = world_job(world, record->job);
    if (!find_folder(call, job, &query, &folder))
        return;
    FilesEntry *entries = NULL;
    int32_t count = 0;
    bool more = false;
    Json *body = json_object(arena);
    Json *list = json_put_array(arena, body, "value");
    // A directory that does not exist yet, or whose share was deleted, has no files. This is not an
    // error.
    if (files_list(call->arm->files, arena, folder.share, folder.path, "",
                   query.marker ? query.marker : "", (int32_t)query.files_max, &entries, &count,
                   &more) != FILES_OK)
        count = 0;
    // A client follows a file by the machine's clock, at any speed of simulated time.
    const int64_t expires_unix_ms = call->arm->pace->real_unix_ms + query.expiry_minutes * 60000;
    for (int32_t i = 0; i < count; i++) {
        const bool is_file = entries[i].kind == FILES_FILE;
        // As recorded, a directory in a container is also a blob of no bytes, which marks it.
        if (is_file || folder.share.is_container)
            json_add(list, show_entry(call, &folder, &entries[i], true, expires_unix_ms));
        if (!is_file)
            json_add(list, show_entry(call, &folder, &entries[i], false, expires_unix_ms));
    }
    if (more && count > 0)
        json_put_text(arena, body, "nextLink", next_link(call, &query, entries[count - 1].name));
    if (job->ended_ns == INT64_MAX)
        pace_polled(call->arm->pace);
    arm_answer(call, 200, body);
}

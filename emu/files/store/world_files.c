#include "emu/files/store/world_files.h"
#include "emu/files/store/contents_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "emu/files/store/contents_folder.h"
#include "emu/files/store/file_names.h"
#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/base/share_path.h"
#include "sim/cli/files.h"

/* --- Listening --- */

/* The size of a file that a job removed. */
enum { REMOVED = -1 };

/* Whether the row is a file that a job wrote or removed. Clients remove their files themselves. */
static bool is_change(const TraceRow *row, WrittenFile *change)
{
    const TraceRecord *record = &row->record;
    if (record->kind != TRACE_FILE_DELETED || record->job.index == ID_NONE)
        return written_file_of(row, change);
    *change = (WrittenFile){.share = row->share,
                            .share_id = record->share,
                            .path = record->name,
                            .job = record->job,
                            .file = FILE_NONE,
                            .bytes = REMOVED,
                            .at_ns = record->at_ns};
    return true;
}

/* Uploads are entries of clients, except those of the scenario that the session began with. */
static bool is_of_world(const WorldFiles *files, const WrittenFile *file)
{
    return file->job.index != ID_NONE || written_file_upload(files->world, file) != NULL;
}

static void may_log(WorldFiles *files, LogFolder logs)
{
    files->logging = array_room(files->arena, files->logging, files->logging_count + 1,
                                &files->logging_capacity, sizeof *files->logging);
    files->logging[files->logging_count++] = logs;
}

void world_files_record(WorldFiles *files, const TraceRow *row)
{
    WrittenFile written;
    if (is_change(row, &written)) {
        if (!is_of_world(files, &written))
            return;
        files->written = array_room(files->arena, files->written, files->written_count + 1,
                                    &files->written_capacity, sizeof *files->written);
        files->written[files->written_count++] = written;
        files->written_by_jobs += written.job.index != ID_NONE;
    } else if (row->record.kind == TRACE_JOB_STATE || row->record.kind == TRACE_JOB_TRAINING) {
        may_log(files, log_folder_of_job(row->record.job));
    } else if (row->record.kind == TRACE_CLUSTER_PROVISIONING &&
               strcmp(row->record.name, provisioning_state_name(PROVISIONING_CREATING)) == 0) {
        files->set_ups = array_room(files->arena, files->set_ups, files->set_up_count + 1,
                                    &files->set_up_capacity, sizeof *files->set_ups);
        files->set_ups[files->set_up_count++] = (SetUp){.cluster = row->record.cluster};
    }
}

/* --- Life --- */

static void forget_made(WorldFiles *files)
{
    for (int i = 0; i < MADE_FILES; i++)
        files->made[i] = (MadeFile){.descriptor = -1};
}

void world_files_open(WorldFiles *files, Arena *arena, Tables *tables, Blobs *blobs)
{
    *files = (WorldFiles){.arena = arena, .tables = tables, .blobs = blobs};
    forget_made(files);
}

void world_files_detach(WorldFiles *files)
{
    const World *world = files->world;
    forget_made(files);
    files->written_shown = files->logging_count = 0;
    for (uint32_t j = 0; j < world_job_count(world); j++)
        if (world_job(world, (JobId){j}))
            may_log(files, log_folder_of_job((JobId){j}));
    for (uint32_t c = 0; (c = world_next_cluster(world, c)) < world_cluster_count(world); c++)
        if (world_cluster(world, (ClusterId){c})->setup_count > 0)
            may_log(files, log_folder_of_cluster((ClusterId){c}));
}

void world_files_close(WorldFiles *files)
{
    for (int i = 0; i < MADE_FILES; i++)
        if (files->made[i].descriptor >= 0)
            close(files->made[i].descriptor);
}

/* --- Its tree --- */

/* The world's ids are hashes of paths, larger than all ids of clients' entries. */
static int64_t id_of(uint64_t hash)
{
    const uint64_t top = UINT64_C(1) << 62;
    return (int64_t)(top | (hash & (top - 1)));
}

enum { NO_LOGS = -1 };
/* In the tables, numbers of clusters follow all numbers of jobs. */
static const int64_t logs_of_clusters = INT64_C(1) << 32;

static int64_t number_of(LogFolder logs)
{
    bool is_of_cluster = logs.job.index == ID_NONE;
    return is_of_cluster ? logs_of_clusters + logs.cluster.index : logs.job.index;
}

static LogFolder logs_of(int64_t number)
{
    bool is_of_cluster = number >= logs_of_clusters;
    return is_of_cluster ? log_folder_of_cluster((ClusterId){(uint32_t)(number - logs_of_clusters)})
                         : log_folder_of_job((JobId){(uint32_t)number});
}

/* A position on the way down to an entry. */
typedef struct {
    int64_t share, parent;
    uint64_t hash; /* of the folded path down to here */
} Branch;

/* A directory with new entries, which is put into the table once for all of them. */
typedef struct {
    Branch at;
    int64_t id;
    const char *name, *folded;
    int64_t at_ns, made_ns, logs;
} Touched;

enum { TOUCHED_MAX = 4096 };

/* New entries of the world that are being put into the table, a limited number at a time. */
typedef struct {
    WorldFiles *files;
    Arena *arena; /* of `touched` */
    NameTable *known;
    Touched *touched;
    uint32_t count;
} Intake;

static void intake_begin(Intake *intake)
{
    intake->arena = arena_create();
    intake->known = name_table_create(intake->arena);
    intake->touched = ARENA_ARRAY(intake->arena, Touched, TOUCHED_MAX);
    intake->count = 0;
}

static void intake_end(Intake *intake)
{
    for (uint32_t i = 0; i < intake->count; i++) {
        const Touched *t = &intake->touched[i];
        tables_do(intake->files->tables, QUERY_FILES_WORLD_DIRECTORY, "iiittiii", t->at.share,
                  t->at.parent, t->id, t->name, t->folded, t->at_ns, t->made_ns, t->logs);
    }
    arena_destroy(intake->arena);
}

/* Descends into a directory that has an entry written at `at_ns` below it. */
static void touch(Intake *intake, Branch *branch, const char *name, int64_t at_ns, int64_t logs)
{
    if (intake->count == TOUCHED_MAX) {
        intake_end(intake);
        intake_begin(intake);
    }
    const char *folded = file_name_fold(intake->arena, name);
    Touched new = {.at = *branch, .folded = folded, .at_ns = at_ns, .made_ns = at_ns, .logs = logs};
    branch->hash = bytes_hash(branch->hash, folded, strlen(folded) + 1);
    branch->parent = id_of(branch->hash);
    uint32_t index;
    uint64_t key = branch->hash ^ (uint64_t)branch->share;
    if (!name_table_find_hashed(intake->known, folded, key, &index)) {
        index = intake->count++;
        name_table_set_hashed(intake->known, folded, key, index);
        new.id = branch->parent;
        new.name = arena_strdup(intake->arena, name);
        intake->touched[index] = new;
    }
    Touched *touched = &intake->touched[index];
    touched->at_ns = at_ns > touched->at_ns ? at_ns : touched->at_ns;
    touched->made_ns = at_ns < touched->made_ns ? at_ns : touched->made_ns;
    touched->logs = logs > touched->logs ? logs : touched->logs;
}

/* Descends to the directory above the last part of `path`, which is cut at its slashes; returns
 * that part. */
static const char *touch_above(Intake *intake, Branch *branch, char *path, int64_t at_ns)
{
    for (char *slash; (slash = strchr(path, '/')); path = slash + 1) {
        *slash = '\0';
        touch(intake, branch, path, at_ns, NO_LOGS);
    }
    return path;
}

static void world_put(WorldFiles *files, const Branch *branch, WorldRow row, Arena *arena)
{
    row.folded = file_name_fold(arena, row.name);
    row.id = id_of(bytes_hash(branch->hash, row.folded, strlen(row.folded) + 1));
    tables_do(files->tables, QUERY_FILES_WORLD_PUT, "iiiittiiiiii", branch->share, branch->parent,
              row.id, row.kind, row.name, row.folded, row.at_ns, row.made_ns, row.bytes,
              row.modified_ms, row.logs, row.written);
}

/* A removed file hides the file that was there before. */
static void show_removed(Intake *intake, const WrittenFile *file, const char *path, Arena *arena)
{
    Branch branch = {.share = file->share_id.index, .parent = FILES_ROOT, .hash = HASH_START};
    const char *name = touch_above(intake, &branch, arena_strdup(arena, path), file->at_ns);
    world_put(intake->files, &branch,
              (WorldRow){.kind = FILES_GONE,
                         .name = name,
                         .at_ns = file->at_ns,
                         .made_ns = file->at_ns,
                         .logs = NO_LOGS,
                         .written = -1},
              arena);
}

static void show_written(Intake *intake, uint32_t index, Arena *arena)
{
    WorldFiles *files = intake->files;
    const WrittenFile *file = &files->written[index];
    const char *path = share_path_below(file->path, arena);
    if (!path)
        return;
    if (file->bytes == REMOVED) {
        show_removed(intake, file, path, arena);
        return;
    }
    WrittenContents contents = written_file_contents(files->world, file);
    Branch branch = {.share = file->share_id.index, .parent = FILES_ROOT, .hash = HASH_START};
    const char *name = touch_above(intake, &branch, arena_strdup(arena, path), file->at_ns);
    world_put(files, &branch,
              (WorldRow){.kind = FILES_FILE,
                         .name = name,
                         .at_ns = file->at_ns,
                         .made_ns = file->at_ns,
                         .bytes = contents.kind == CONTENTS_MODEL ? -1 : file->bytes,
                         .modified_ms = world_unix_ms(files->world, file->at_ns),
                         .logs = NO_LOGS,
                         .written = index},
              arena);
}

static void show_logs(Intake *intake, LogFolder logs, Arena *arena)
{
    const WorldFiles *files = intake->files;
    if (log_folder_is_forgotten(files->world, logs))
        return;
    const char *share = log_folder_share(files->world, logs);
    if (!share || world_find_share(files->world, share).index == ID_NONE)
        return; // on the node's disk, which is lost with the node; or lost with the share
    int64_t begun_ns = log_folder_begun_ns(files->world, logs);
    if (begun_ns == INT64_MAX)
        return; // still in the queue
    const char *path = share_path_below(log_folder_path(files->world, logs, arena), arena);
    if (!path)
        return;
    Branch branch = {.share = world_find_share(files->world, share).index,
                     .parent = FILES_ROOT,
                     .hash = HASH_START};
    const char *name = touch_above(intake, &branch, arena_strdup(arena, path), begun_ns);
    touch(intake, &branch, name, begun_ns, number_of(logs));
}

static void look_for_set_ups(WorldFiles *files)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < files->set_up_count; i++) {
        SetUp set_up = files->set_ups[i];
        const Cluster *cluster = world_cluster(files->world, set_up.cluster);
        if (!cluster)
            continue; // forgotten
        if (cluster->setup_count > set_up.begun)
            may_log(files, log_folder_of_cluster(cluster->id));
        set_up.begun = cluster->setup_count;
        bool may_begin =
            cluster->spec->setup_command && cluster->provisioning != PROVISIONING_DELETED;
        if (may_begin)
            files->set_ups[left++] = set_up;
    }
    files->set_up_count = left;
}

void world_catch_up(WorldFiles *files)
{
    if (!files->world)
        return;
    look_for_set_ups(files);
    if (files->written_shown == files->written_count && files->logging_count == 0)
        return;
    // One savepoint for all is cheaper.
    tables_do(files->tables, QUERY_FILES_SAVEPOINT, "");
    Intake intake = {.files = files};
    intake_begin(&intake);
    while (files->written_shown < files->written_count) {
        Arena *arena = arena_create();
        show_written(&intake, files->written_shown++, arena);
        arena_destroy(arena);
    }
    for (uint32_t i = 0; i < files->logging_count; i++) {
        Arena *arena = arena_create();
        show_logs(&intake, files->logging[i], arena);
        arena_destroy(arena);
    }
    files->logging_count = 0;
    intake_end(&intake);
    tables_do(files->tables, QUERY_FILES_RELEASE, "");
}

/* --- Shares --- */

int64_t world_share_of(const WorldFiles *files, Arena *arena, ShareName name)
{
    if (!files->world)
        return FILES_NONE;
    ShareId id = world_find_share(files->world, share_name_text(arena, name));
    return id.index == ID_NONE ? FILES_NONE : (int64_t)id.index;
}

bool world_share_exists(const WorldFiles *files, Arena *arena, ShareName name)
{
    const int64_t share = world_share_of(files, arena, name);
    return share != FILES_NONE &&
           !world_share_is_gone(files->world, (ShareId){.index = (uint32_t)share});
}

bool world_has_share(const WorldFiles *files, Arena *arena, ShareName share)
{
    if (world_share_of(files, arena, share) == FILES_NONE)
        return false;
    const char *name = share_name_text(arena, share);
    const Scenario *scenario = world_scenario(files->world);
    bool is_found = false;
    for (int32_t i = 0; i < scenario->command_count && !is_found; i++)
        is_found = scenario->commands[i].kind == COMMAND_SHARE_CREATE &&
                   strcmp(scenario->commands[i].path.name, name) == 0;
    return is_found;
}

/* --- Logs --- */

WorldRow world_row(sqlite3_stmt *row, Arena *arena)
{
    return (WorldRow){.id = sqlite3_column_int64(row, 0),
                      .kind = sqlite3_column_int64(row, 1),
                      .name = column_text(row, 2, arena),
                      .folded = column_text(row, 3, arena),
                      .at_ns = sqlite3_column_int64(row, 4),
                      .made_ns = sqlite3_column_int64(row, 5),
                      .bytes = sqlite3_column_int64(row, 6),
                      .modified_ms = sqlite3_column_int64(row, 7),
                      .logs = sqlite3_column_int64(row, 8),
                      .written = sqlite3_column_int64(row, 9)};
}

void world_enter(WorldFiles *files, const Directory *above, const WorldRow *directory)
{
    if (directory->logs == NO_LOGS)
        return;
    LogFolder logs = logs_of(directory->logs);
    int64_t now_ns = world_now_ns(files->world), fresh_ns = directory->modified_ms;
    // More may be written at the same instant.
    if (fresh_ns == now_ns || fresh_ns > log_folder_settled_ns(files->world, logs))
        return;
    Arena *arena = arena_create();
    int32_t count;
    FileEntry *entries = log_folder_list(files->world, logs, now_ns, arena, &count);
    tables_do(files->tables, QUERY_FILES_LOGS_DELETE, "ii", above->world_share, directory->id);
    Branch branch = {above->world_share, directory->id, (uint64_t)directory->id};
    for (int32_t i = 0; i < count; i++)
        world_put(files, &branch,
                  (WorldRow){.kind = FILES_FILE,
                             .name = entries[i].name,
                             .at_ns = entries[i].created_ns,
                             .made_ns = entries[i].created_ns,
                             .bytes = entries[i].bytes,
                             .modified_ms = entries[i].modified_unix_ms,
                             .logs = directory->logs,
                             .written = -1},
                  arena);
    tables_do(files->tables, QUERY_FILES_LOGS_FRESH, "iiti", above->world_share, above->world,
              directory->folded, now_ns);
    arena_destroy(arena);
}

/* --- Contents --- */

uint64_t world_etag(const Directory *above, const WorldRow *row)
{
    const int64_t states[] = {above->world_share, row->id, row->at_ns, row->bytes,
                              row->modified_ms};
    return bytes_hash(HASH_START, states, sizeof states);
}

static void count_bytes(void *to, const char *bytes, size_t length)
{
    (void)bytes;
    *(int64_t *)to += (int64_t)length;
}

/* The size of a model is the size of its network's layers and of the numbers in its description,
 * which depend on the ranks. */
static int64_t model_bytes(WorldFiles *files, const KerasModel *model)
{
    for (int32_t i = 0; i < files->size_count; i++)
        if (files->sizes[i].ranks == model->ranks &&
            strcmp(files->sizes[i].network, model->network) == 0)
            return files->sizes[i].bytes;
    int64_t bytes = 0;
    Status status = {0};
    if (!keras_model_write(model, (ByteSink){&bytes, count_bytes}, &status))
        tables_fail(files->tables, ENOMEM);
    if (files->size_count == MODEL_SIZES)
        files->size_count = 0;
    files->sizes[files->size_count++] = (ModelSize){model->network, model->ranks, bytes};
    return bytes;
}

void world_measure(WorldFiles *files, const Directory *above, WorldRow *row)
{
    if (row->bytes >= 0)
        return;
    WrittenContents contents = written_file_contents(files->world, &files->written[row->written]);
    row->bytes = model_bytes(files, &contents.model);
    tables_do(files->tables, QUERY_FILES_WORLD_SIZED, "iiti", above->world_share, above->world,
              row->folded, row->bytes);
}

/* The destination of generated contents. */
typedef struct {
    WorldFiles *files;
    int descriptor;
    int64_t bytes;
} Making;

static void make_bytes(void *to, const char *bytes, size_t length)
{
    Making *making = to;
    if (making->files->tables->failure != FILES_OK)
        return;
    if (file_put(making->descriptor, bytes, length, FILE_CURRENT_POSITION))
        making->bytes += (int64_t)length;
    else
        tables_fail(making->files->tables, errno);
}

static void make(WorldFiles *files, const WorldRow *row, Making *making)
{
    ByteSink sink = {making, make_bytes};
    if (row->written < 0) {
        bool is_there = log_folder_write(files->world, logs_of(row->logs), row->name,
                                         world_now_ns(files->world), sink);
        invariant(is_there); // it was in the list
        return;
    }
    WrittenContents contents = written_file_contents(files->world, &files->written[row->written]);
    Status status = {0};
    if (contents.kind == CONTENTS_MODEL && !keras_model_write(&contents.model, sink, &status))
        tables_fail(files->tables, ENOMEM);
    if (contents.kind == CONTENTS_PARTS &&
        !written_bytes(files->world, files->written[row->written].file, sink, &status))
        tables_fail(files->tables, EIO);
    if (contents.kind == CONTENTS_UNKNOWN)
        make_bytes(making, contents.notice, strlen(contents.notice));
}

/* Generated contents are cached: a client reads a large file in many requests. */
static MadeFile *made_file(WorldFiles *files, const Directory *above, const WorldRow *row)
{
    uint64_t etag = world_etag(above, row);
    MadeFile *oldest = &files->made[0];
    for (int i = 0; i < MADE_FILES; i++) {
        MadeFile *made = &files->made[i];
        if (made->descriptor >= 0 && made->share == above->world_share && made->id == row->id &&
            made->etag == etag)
            return made;
        if (made->used < oldest->used)
            oldest = made;
    }
    Making making = {.files = files, .descriptor = unnamed_file(files->blobs)};
    if (making.descriptor < 0)
        return NULL;
    make(files, row, &making);
    if (files->tables->failure != FILES_OK) {
        close(making.descriptor);
        return NULL;
    }
    if (oldest->descriptor >= 0)
        close(oldest->descriptor);
    *oldest = (MadeFile){.share = above->world_share,
                         .id = row->id,
                         .etag = etag,
                         .descriptor = making.descriptor,
                         .bytes = making.bytes};
    return oldest;
}

FilesReader *world_reader(WorldFiles *files, const Directory *above, const WorldRow *row)
{
    if (row->written >= 0) {
        const WrittenFile *file = &files->written[row->written];
        WrittenContents contents = written_file_contents(files->world, file);
        if (contents.kind == CONTENTS_LOCAL) { // read in place: it may be larger than the disk
            int local = open(contents.local_path, O_RDONLY | O_CLOEXEC);
            if (local < 0)
                tables_fail(files->tables, errno);
            return local < 0 ? NULL
                             : descriptor_reader(files->blobs, local, file->bytes, file->bytes);
        }
    }
    MadeFile *made = made_file(files, above, row);
    if (!made)
        return NULL;
    made->used = ++files->uses;
    int descriptor = fcntl(made->descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) {
        tables_fail(files->tables, errno);
        return NULL;
    }
    return descriptor_reader(files->blobs, descriptor, made->bytes, row->bytes);
}

#include "sim/output/share/job_files.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/job/job_name.h"
#include "sim/output/share/emulated_log_text.h"
#include "sim/output/share/keras_log.h"

/* A file of a job and the source of its contents. */
typedef struct LogFile LogFile;
struct LogFile {
    const char *name;
    void (*write)(const JobView *view, const LogFile *file, LogWriter *log);
    int32_t node;   /* the node, for logs of a node */
    RankSpan ranks; /* the ranks that print into it, for output of ranks */
    int64_t created_ns;
};

typedef struct {
    Arena *arena;
    const JobView *view;
    LogFile *files;
    int32_t count;
} LogFiles;

/* --- Contents --- */

static void write_execution(const JobView *view, const LogFile *file, LogWriter *log)
{
    execution_log(view, file->node, log);
}

/* The output of commands is known where they run, and trainyard must not add a line to it. */
static bool is_real(const JobView *view)
{
    return view->job->spec->program->kind == PROGRAM_REAL;
}

static bool is_prepared_outside(const JobView *view)
{
    return is_real(view) && !view->job->spec->program->training;
}

static void write_preparation_out(const JobView *view, const LogFile *file, LogWriter *log)
{
    if (!is_prepared_outside(view))
        preparation_out_log(view, file->node, log);
}

static void write_preparation_error(const JobView *view, const LogFile *file, LogWriter *log)
{
    if (!is_prepared_outside(view))
        preparation_error_log(view, file->node, log);
}

static bool is_keras(const JobView *view)
{
    const Program *program = view->job->spec->program;
    return program->kind == PROGRAM_TRAIN && program->is_keras;
}

static void write_out(const JobView *view, const LogFile *file, LogWriter *log)
{
    if (is_real(view) || view->job->attempt->lacks_script)
        return;
    if (is_keras(view))
        keras_out_log(view, file->ranks, log);
    else if (view->job->spec->program->kind == PROGRAM_SHELL)
        shell_log(view, view->job->attempt->shell, false, log);
    else
        plain_out_log(view, file->ranks, log);
}

static void write_error(const JobView *view, const LogFile *file, LogWriter *log)
{
    if (is_real(view))
        return;
    if (view->job->attempt->lacks_script) {
        script_error_log(view, file->ranks, log);
        return;
    }
    if (view->job->spec->program->kind == PROGRAM_SHELL) {
        shell_log(view, view->job->attempt->shell, true, log);
        if (view->job->attempt->shell && !view->job->attempt->shell->is_over)
            program_error_log(view, log); // the command was ended from outside
        return;
    }
    if (is_keras(view))
        keras_error_log(view, file->ranks, log);
    program_error_log(view, log);
}

static void write_nothing(const JobView *view, const LogFile *file, LogWriter *log)
{
    (void)view, (void)file, (void)log;
}

static void write_server_error(const JobView *view, const LogFile *file, LogWriter *log)
{
    (void)file;
    parameter_server_error_log(view, log);
}

/* --- Names --- */

static void add(LogFiles *files, LogFile file)
{
    files->files[files->count++] = file;
}

/* "execution.log" on one node, "execution-{nodeId}.log" on several nodes. */
static const char *node_file_name(const LogFiles *files, int32_t node, const char *stem,
                                  const char *ending)
{
    const JobView *view = files->view;
    if (view->job->request.nodes == 1)
        return arena_printf(files->arena, "%s%s", stem, ending);
    return arena_printf(files->arena, "%s-%s%s", stem, view->node_names[node], ending);
}

static void add_node_files(LogFiles *files, int32_t node)
{
    const Job *job = files->view->job;
    add(files, (LogFile){.name = node_file_name(files, node, "execution", ".log"),
                         .write = write_execution,
                         .node = node,
                         .created_ns = job->started_ns});
    if (!job->spec->has_preparation)
        return;
    int64_t begin_ns = job_stage_begin_ns(job, node, STAGE_PREPARATION);
    add(files, (LogFile){.name = node_file_name(files, node, "stdout-job_prep", ".txt"),
                         .write = write_preparation_out,
                         .node = node,
                         .created_ns = begin_ns});
    add(files, (LogFile){.name = node_file_name(files, node, "stderr-job_prep", ".txt"),
                         .write = write_preparation_error,
                         .node = node,
                         .created_ns = begin_ns});
}

/* The pair "stdout{suffix}.txt" and "stderr{suffix}.txt". */
static void add_pair(LogFiles *files, const char *suffix, LogFile out, LogFile error)
{
    out.name = arena_printf(files->arena, "stdout%s.txt", suffix);
    error.name = arena_printf(files->arena, "stderr%s.txt", suffix);
    out.created_ns = error.created_ns = files->view->job->attempt->program_ns;
    add(files, out);
    add(files, error);
}

static void add_ranks(LogFiles *files, const char *suffix, RankSpan ranks)
{
    add_pair(files, suffix, (LogFile){.write = write_out, .ranks = ranks},
             (LogFile){.write = write_error, .ranks = ranks});
}

/* One pair for each rank, e.g. "stdout-wk-0.txt". */
static void add_workers(LogFiles *files, const char *prefix)
{
    for (int32_t rank = 0; rank < files->view->job->spec->processes; rank++)
        add_ranks(files, arena_printf(files->arena, "-%s%d", prefix, (int)rank),
                  (RankSpan){rank, 1});
}

/* Number of hosts in the comma list of AZ_BATCHAI_PS_HOSTS; 0 without the variable. */
static int32_t parameter_servers(const JobSpec *spec)
{
    for (int32_t i = 0; i < spec->environment_count; i++) {
        const EnvironmentVariable *variable = &spec->environment[i];
        if (strcmp(variable->name, "AZ_BATCHAI_PS_HOSTS") != 0 || !variable->value ||
            !*variable->value)
            continue;
        int32_t hosts = 1;
        for (const char *c = variable->value; *c; c++)
            hosts += *c == ',';
        return hosts;
    }
    return 0;
}

static void add_program_files(LogFiles *files)
{
    const JobSpec *spec = files->view->job->spec;
    if (strcmp(spec->tool, "tensorflow") == 0) {
        add_workers(files, "wk-");
        for (int32_t i = 0; i < parameter_servers(spec); i++)
            add_pair(files, arena_printf(files->arena, "-ps-%d", (int)i),
                     (LogFile){.write = write_nothing}, (LogFile){.write = write_server_error});
    } else if (strcmp(spec->tool, "caffe2") == 0) {
        add_workers(files, "");
    } else {
        add_ranks(files, "", (RankSpan){0, spec->processes});
    }
}

static int by_name(const void *left, const void *right)
{
    const LogFile *a = left, *b = right;
    return strcmp(a->name, b->name); // names differ because node ids and ranks do
}

/* All files that the present attempt will have, in order of names. */
static LogFiles files_of(const JobView *view, Arena *arena)
{
    const JobSpec *spec = view->job->spec;
    int32_t room = 3 * spec->nodes + 2 * (spec->processes + parameter_servers(spec)) + 2;
    LogFiles files = {.arena = arena, .view = view, .files = ARENA_ARRAY(arena, LogFile, room)};
    for (int32_t node = 0; node < spec->nodes; node++)
        add_node_files(&files, node);
    add_program_files(&files);
    invariant(files.count <= room);
    qsort(files.files, (size_t)files.count, sizeof *files.files, by_name);
    return files;
}

/* --- Queries --- */

/* Whether the job has an attempt with files. A job in the queue has none; a job that was
 * terminated in the queue shows a start but never had nodes. */
static bool has_attempt(const Job *job)
{
    return job->nodes && job->state != JOB_QUEUED;
}

static JobView view_of(const World *world, const Job *job, Arena *arena)
{
    const char **names = ARENA_ARRAY(arena, const char *, job->request.nodes);
    for (int32_t i = 0; i < job->request.nodes; i++)
        names[i] = world_node(world, job->nodes[i])->name;
    return (JobView){
        .scenario = world_scenario(world),
        .world = world,
        .job = job,
        .vm_size = cluster_kind_of(world_cluster(world, job->cluster), job->request)->spec.vm_size,
        .node_names = names};
}

/* Processes stop writing when the job ends or stalls; the service's own log continues. */
static int64_t silent_ns(const Job *job, const LogFile *file)
{
    bool is_service = file->write == write_execution;
    int64_t stalled_ns = is_service ? INT64_MAX : job->attempt->stalled_ns;
    return stalled_ns < job->ended_ns ? stalled_ns : job->ended_ns;
}

/* Writes the file's contents up to `now_ns`, or to their end. */
static void write_file(const JobView *view, const LogFile *file, int64_t now_ns, ByteSink sink,
                       LogWriter *log)
{
    int64_t until_ns = silent_ns(view->job, file);
    log_begin(log, sink, file->created_ns, now_ns < until_ns ? now_ns : until_ns);
    file->write(view, file, log);
    log_end(log);
}

FileEntry *job_files_list(const World *world, const Job *job, int64_t now_ns, Arena *arena,
                          int32_t *count)
{
    *count = 0;
    if (!has_attempt(job))
        return NULL;
    JobView view = view_of(world, job, arena);
    LogFiles files = files_of(&view, arena);
    FileEntry *entries = ARENA_ARRAY(arena, FileEntry, files.count);
    LogWriter *log = ARENA_NEW(arena, LogWriter);
    for (int32_t i = 0; i < files.count; i++) {
        const LogFile *file = &files.files[i];
        if (file->created_ns > now_ns)
            continue;
        write_file(&view, file, now_ns, (ByteSink){0}, log);
        entries[(*count)++] =
            (FileEntry){.name = file->name,
                        .bytes = log->length,
                        .created_ns = file->created_ns,
                        .modified_unix_ms = world_unix_ms(world, log->modified_ns)};
    }
    return entries;
}

bool job_file_write(const World *world, const Job *job, const char *name, int64_t now_ns,
                    ByteSink sink)
{
    if (!has_attempt(job))
        return false;
    Arena *arena = arena_create();
    JobView view = view_of(world, job, arena);
    LogFiles files = files_of(&view, arena);
    bool is_there = false;
    for (int32_t i = 0; i < files.count; i++) {
        const LogFile *file = &files.files[i];
        if (strcmp(file->name, name) != 0 || file->created_ns > now_ns)
            continue;
        write_file(&view, file, now_ns, sink, ARENA_NEW(arena, LogWriter));
        is_there = true;
    }
    arena_destroy(arena);
    return is_there;
}

/* `directory` of a share, below the job's output segment. */
static const char *below_segment(const World *world, const Job *job, const char *directory,
                                 const char *name, Arena *arena)
{
    return arena_printf(arena, "%s%s%s/%s", directory, *directory ? "/" : "",
                        job_output_segment(world_scenario(world), job, arena), name);
}

const char *job_files_directory(const World *world, const Job *job, Arena *arena)
{
    return below_segment(world, job, job->spec->std_out_err.directory, "stdouterr", arena);
}

const char *job_output_directory(const World *world, const Job *job, const OutputDirectory *output,
                                 Arena *arena)
{
    const char *name =
        *output->suffix ? arena_printf(arena, "outputs/%s", output->suffix) : "outputs";
    return below_segment(world, job, output->place.directory, name, arena);
}

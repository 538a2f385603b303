/* Private to sim/output/share: execution.log (emulated_log_text.h). */
#include <inttypes.h>

#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/cloud/job/environment.h"
#include "sim/cloud/job/job_name.h"
#include "sim/output/share/container_log.h"
#include "sim/output/share/emulated_log_text.h"
#include "sim/output/share/package_log.h"

static const char emulated_notice[] =
    "# Emulated by trainyard; the text of the service's own file was never published.\n";

/* "2018-07-18T22:41:28.125Z " at the piece's own time. */
static void put_time(const JobView *view, LogWriter *log)
{
    char text[CIVIL_TEXT];
    iso_time_print(view->scenario->start_unix_ms + log->at_ns / NS_PER_MS, text);
    log_printf(log, "%-24s ", text);
}

static void put_mounts(const JobView *view, LogWriter *log)
{
    const JobSpec *spec = view->job->spec;
    for (int32_t i = 0; i < spec->mount_count; i++) {
        put_time(view, log);
        log_printf(log, "mounting %s\n", spec->mounts[i]);
    }
}

static void put_pull(const JobView *view, LogWriter *log)
{
    const ContainerImage *image = view->job->spec->image;
    put_time(view, log);
    log_printf(log, "pulling image %s, ", image->name);
    log_size(log, image->compressed_bytes);
    log_text(log, " compressed\n");
    container_pull_begin(image, log);
}

static void put_container(const JobView *view, LogWriter *log)
{
    const ContainerImage *image = view->job->spec->image;
    put_time(view, log);
    log_printf(log, image ? "starting container of %s\n" : "running on the host, no container\n",
               image ? image->name : "");
}

static void put_preparation(const JobView *view, LogWriter *log)
{
    put_time(view, log);
    log_printf(log, "job preparation: %s\n", view->job->spec->preparation_command);
}

static void put_download(const JobView *view, LogWriter *log)
{
    const DataSet *data_set = view->job->spec->program->data_set;
    put_time(view, log);
    log_printf(log, "program downloads data set %s, ", data_set->name);
    log_size(log, data_set->download_bytes);
    log_text(log, "\n");
}

static void put_data(const JobView *view, LogWriter *log)
{
    const Program *program = view->job->spec->program;
    put_time(view, log);
    log_printf(log, "program reads data set %s from %s, ", program->data_set->name,
               program->data_share);
    log_size(log, program->data_bytes);
    log_text(log, "\n");
}

static void put_start(const JobView *view, LogWriter *log)
{
    put_time(view, log);
    const Program *program = view->job->spec->program;
    log_printf(log, "program starts: %s\n",
               program->transformer != NULL ? program->name : program->framework->name);
}

typedef struct {
    void (*put_begin)(const JobView *view, LogWriter *log);
    const char *done;
} StageText;

static const StageText stage_texts[] = {
    [STAGE_MOUNT] = {put_mounts, "mounted"},
    [STAGE_PULL] = {put_pull, "image pulled"},
    [STAGE_CONTAINER] = {put_container, "ready to run commands"},
    [STAGE_PREPARATION] = {put_preparation, "job preparation ended"},
    [STAGE_START] = {put_start, "program ready"},
    [STAGE_DOWNLOAD] = {put_download, "downloaded"},
    [STAGE_DATA] = {put_data, "data read"},
};
_Static_assert(sizeof stage_texts / sizeof stage_texts[0] == STAGE_COUNT, "one text per stage");

/* Whether the job has the stage. A program that does not train has no stages after the start of
 * its container and its preparation. */
static bool has_stage(const Job *job, JobStage stage)
{
    const JobSpec *spec = job->spec;
    const Program *program = spec->program;
    bool trains = program->kind == PROGRAM_TRAIN;
    switch (stage) {
    case STAGE_MOUNT:
        return spec->mount_count > 0;
    case STAGE_PULL:
        return spec->image != NULL;
    case STAGE_CONTAINER:
        return true;
    case STAGE_PREPARATION:
        return spec->has_preparation;
    case STAGE_START:
        return trains;
    case STAGE_DOWNLOAD:
        return trains && program->downloads_data;
    case STAGE_DATA:
        return trains && program->data_share && program->data_bytes > 0;
    case STAGE_COUNT:
        break;
    }
    return false;
}

/* Whether the stage failed: it ended with its job before the program could start. A preparation
 * shows that by its exit code. */
static bool stage_failed(const JobView *view, JobStage stage, int64_t end_ns)
{
    const Job *job = view->job;
    return stage < STAGE_PREPARATION && end_ns == job->ended_ns && job->error_code != NULL &&
           job->attempt->program_ns == INT64_MAX;
}

static bool put_stage(const JobView *view, int32_t node, JobStage stage, LogWriter *log)
{
    int64_t begin_ns = job_stage_begin_ns(view->job, node, stage);
    int64_t end_ns = job_stage_end_ns(view->job, node, stage);
    if (!has_stage(view->job, stage))
        return true;
    if (!log_at(log, begin_ns))
        return false;
    if (stage == STAGE_PULL && end_ns == begin_ns) {
        put_time(view, log);
        log_printf(log, "image %s is already here\n", view->job->spec->image->name);
        return true;
    }
    stage_texts[stage].put_begin(view, log);
    if (!log_at(log, end_ns))
        return false;
    if (stage == STAGE_PULL && !stage_failed(view, stage, end_ns))
        container_pull_end(view->job->spec->image, log);
    if (stage == STAGE_CONTAINER && view->job->spec->image && !stage_failed(view, stage, end_ns))
        container_start_log(view, log);
    put_time(view, log);
    log_printf(log, "%s after ",
               stage_failed(view, stage, end_ns) ? "failed" : stage_texts[stage].done);
    log_duration(log, end_ns - begin_ns);
    log_text(log, "\n");
    return true;
}

static void put_environment(const JobView *view, Arena *arena, LogWriter *log)
{
    int32_t count;
    const EnvironmentVariable *all = job_environment(view->scenario, view->job, arena, &count);
    for (int32_t i = 0; i < count; i++) {
        put_time(view, log);
        log_printf(log, "environment: %s=%s\n", all[i].name,
                   all[i].value ? all[i].value : "(secret)");
    }
}

static void put_heading(const JobView *view, int32_t node, LogWriter *log)
{
    const Job *job = view->job;
    log_text(log, emulated_notice);
    put_time(view, log);
    Arena *arena = arena_create();
    log_printf(log, "job %s, attempt %" PRId32 ", on node %s: %" PRId32 " of %" PRId32 "%s\n",
               job_output_segment(view->scenario, job, arena), job->starts, view->node_names[node],
               node + 1, job->request.nodes, node == 0 ? ", the master" : "");
    arena_destroy(arena);
    for (int32_t i = 0; node == 0 && i < job->request.nodes; i++) {
        put_time(view, log);
        log_printf(log, "node %" PRId32 ": %s\n", i + 1, view->node_names[i]);
    }
}

/* The master of several nodes exports the job's shared folder to the others
 * (AZ_BATCHAI_SHARED_JOB_TEMP is on NFS) and writes the host file. It had 3.4 kB more in its log
 * than the master of one node, about what the installation of a server prints; each further node
 * had 30 bytes. */
static void put_shared_folder(const JobView *view, LogWriter *log)
{
    static const char install[] = "apt-get update; apt-get install -y nfs-kernel-server";
    const int32_t nodes = view->job->request.nodes;
    if (nodes == 1)
        return;
    log_printf(log, "+ %s\n", install);
    package_out_log(install, log->at_ns, log->at_ns, log);
    for (int32_t i = 0; i < nodes; i++)
        log_printf(log, "10.0.0.%" PRId32 " slots=%" PRId32 " max-slots=%" PRId32 "\n", 4 + i,
                   view->job->spec->processes / nodes, view->job->spec->processes / nodes);
}

static void put_command(const JobView *view, int32_t node, LogWriter *log)
{
    const JobSpec *spec = view->job->spec;
    Arena *arena = arena_create();
    if (node == 0) {
        put_environment(view, arena, log);
        put_shared_folder(view, log);
        command_shell_log(view, log);
    }
    put_time(view, log);
    if (node == 0)
        log_printf(log, "%s, %" PRId32 " process%s: %s\n", spec->tool, spec->processes,
                   spec->processes == 1 ? "" : "es",
                   job_fill_in(view->scenario, view->job, spec->command, 0, arena));
    else
        log_printf(log, "every node is prepared, the master %s starts the command\n",
                   view->node_names[0]);
    arena_destroy(arena);
}

static void put_end(const JobView *view, LogWriter *log)
{
    const Job *job = view->job;
    if (job->error_code) {
        put_time(view, log);
        log_printf(log, "%s: %s\n", job->error_code, job->error_message);
    }
    put_time(view, log);
    if (job->exit_code >= 0)
        log_printf(log, "job ended with exit code %" PRId32 " after ", job->exit_code);
    else
        log_text(log, "job ended without an exit code after ");
    log_duration(log, job->ended_ns - job->started_ns);
    log_text(log, "\n");
}

static bool put_stages(const JobView *view, int32_t node, JobStage first, JobStage last,
                       LogWriter *log)
{
    for (int32_t stage = (int32_t)first; stage <= (int32_t)last; stage++)
        if (!put_stage(view, node, (JobStage)stage, log))
            return false;
    return true;
}

static bool put_run(const JobView *view, int32_t node, LogWriter *log)
{
    if (!put_stages(view, node, STAGE_MOUNT, STAGE_PREPARATION, log) ||
        !log_at(log, view->job->attempt->program_ns))
        return false;
    put_command(view, node, log);
    return put_stages(view, node, STAGE_START, STAGE_DATA, log);
}

void execution_log(const JobView *view, int32_t node, LogWriter *log)
{
    put_heading(view, node, log);
    put_run(view, node, log);
    if (log_at(log, view->job->ended_ns))
        put_end(view, log);
}

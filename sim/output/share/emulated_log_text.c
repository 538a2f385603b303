#include "sim/output/share/emulated_log_text.h"

#include <inttypes.h>

#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/output/share/written_file.h"

static const char emulated_notice[] =
    "# Emulated by trainyard; the text of the service's own file was never published.\n";

/* --- Words --- */

/* "2018-07-18T22:41:28.125Z " at the piece's own time. */
static void put_time(const JobView *view, LogWriter *log)
{
    char text[CIVIL_TEXT];
    iso_time_print(view->scenario->start_unix_ms + log->at_ns / NS_PER_MS, text);
    log_printf(log, "%-24s ", text);
}

static void put_duration(LogWriter *log, int64_t ns)
{
    Text text = {0};
    duration_print(&text, ns);
    log_text(log, text_string(&text));
    text_free(&text);
}

static void put_bytes(LogWriter *log, int64_t bytes)
{
    Text text = {0};
    bytes_print(&text, bytes);
    log_text(log, text_string(&text));
    text_free(&text);
}

/* "0.7312" for 731,200 of a million. */
static void put_millionths(LogWriter *log, int64_t value)
{
    int64_t rounded = (value + 50) / 100;
    log_printf(log, "%" PRId64 ".%04" PRId64, rounded / 10000, rounded % 10000);
}

/* --- execution.log --- */

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
    put_bytes(log, image->compressed_bytes);
    log_text(log, " compressed\n");
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
    put_bytes(log, data_set->download_bytes);
    log_text(log, "\n");
}

static void put_data(const JobView *view, LogWriter *log)
{
    const Program *program = view->job->spec->program;
    put_time(view, log);
    log_printf(log, "program reads data set %s from %s, ", program->data_set->name,
               program->data_share);
    put_bytes(log, program->data_bytes);
    log_text(log, "\n");
}

static void put_start(const JobView *view, LogWriter *log)
{
    put_time(view, log);
    log_printf(log, "program starts: %s\n", view->job->spec->program->framework->name);
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
    put_time(view, log);
    log_printf(log, "%s after ",
               stage_failed(view, stage, end_ns) ? "failed" : stage_texts[stage].done);
    put_duration(log, end_ns - begin_ns);
    log_text(log, "\n");
    return true;
}

static void put_environment(const JobView *view, Arena *arena, LogWriter *log)
{
    const JobSpec *spec = view->job->spec;
    for (int32_t i = 0; i < spec->environment_count; i++) {
        const EnvironmentVariable *variable = &spec->environment[i];
        put_time(view, log);
        log_printf(log, "environment: %s=%s\n", variable->name,
                   variable->value
                       ? job_fill_in(view->scenario, view->job, variable->value, 0, arena)
                       : "(secret)");
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

static void put_command(const JobView *view, int32_t node, LogWriter *log)
{
    const JobSpec *spec = view->job->spec;
    Arena *arena = arena_create();
    put_environment(view, arena, log);
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
    put_duration(log, job->ended_ns - job->started_ns);
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

/* --- Scripts --- */

static void write_to_log(void *to, const char *bytes, size_t length)
{
    log_bytes(to, bytes, length);
}

void shell_log(const JobView *view, const ShellRun *run, bool is_error, LogWriter *log)
{
    for (int32_t i = 0; run && i < run->output_count; i++) {
        const ShellOutput *output = &run->outputs[i];
        Status status = {0};
        if (output->is_error != is_error)
            continue;
        if (!log_at(log, output->at_ns))
            return;
        if (output->part.text)
            log_bytes(log, output->part.text, (size_t)output->part.length);
        else if (!written_text(view->world, output->part.file, (ByteSink){log, write_to_log},
                               &status))
            log_printf(log, "# Emulated by trainyard: %s\n", status.message);
    }
}

static const ShellRun *preparation_run(const JobView *view, int32_t node)
{
    return view->job->attempt->preparations[node];
}

/* --- Commands with unknown output --- */

/* An exit code below 0 means that the command was ended from outside. */
static void command_out(const char *command, int64_t begin_ns, int64_t end_ns, int32_t exit_code,
                        LogWriter *log)
{
    log_text(log, "# Emulated by trainyard: the command's own output is not known.\n");
    log_printf(log, "+ %s\n", command);
    if (!log_at(log, end_ns) || exit_code < 0)
        return;
    log_printf(log, "# exit code %" PRId32 " after ", exit_code);
    put_duration(log, end_ns - begin_ns);
    log_text(log, "\n");
}

static void command_error(int64_t end_ns, int32_t exit_code, LogWriter *log)
{
    if (exit_code > 0 && log_at(log, end_ns))
        log_printf(log, "# Emulated by trainyard: the command failed with exit code %" PRId32 ".\n",
                   exit_code);
}

/* --- Job preparation --- */

void preparation_out_log(const JobView *view, int32_t node, LogWriter *log)
{
    const JobSpec *spec = view->job->spec;
    int64_t begin_ns = job_stage_begin_ns(view->job, node, STAGE_PREPARATION);
    int64_t end_ns = job_stage_end_ns(view->job, node, STAGE_PREPARATION);
    if (spec->preparation_script) {
        shell_log(view, preparation_run(view, node), false, log);
        return;
    }
    command_out(spec->preparation_command, begin_ns, end_ns, spec->preparation_exit_code, log);
}

void preparation_error_log(const JobView *view, int32_t node, LogWriter *log)
{
    int32_t exit_code = view->job->spec->preparation_exit_code;
    if (view->job->spec->preparation_script)
        shell_log(view, preparation_run(view, node), true, log);
    else
        command_error(job_stage_end_ns(view->job, node, STAGE_PREPARATION), exit_code, log);
}

/* --- Set-up task --- */

/* The output of a script that reads no files and began at `began_ns`. */
static void run_log(const ShellRun *run, int64_t began_ns, bool is_error, LogWriter *log)
{
    for (int32_t i = 0; i < run->output_count; i++) {
        const ShellOutput *output = &run->outputs[i];
        invariant(output->part.text);
        if (output->is_error != is_error)
            continue;
        if (output->at_ns > INT64_MAX - began_ns || !log_at(log, began_ns + output->at_ns))
            return;
        log_bytes(log, output->part.text, (size_t)output->part.length);
    }
}

void setup_out_log(const ClusterSpec *spec, const Node *node, LogWriter *log)
{
    if (spec->setup_run)
        run_log(spec->setup_run, node->setup_began_ns, false, log);
    else
        command_out(spec->setup_command, node->setup_began_ns, node->setup_ended_ns,
                    node->setup_exit_code, log);
}

void setup_error_log(const ClusterSpec *spec, const Node *node, LogWriter *log)
{
    const bool is_its_own = spec->setup_run && node->setup_exit_code == spec->setup_exit_code;
    if (spec->setup_run)
        run_log(spec->setup_run, node->setup_began_ns, true, log);
    if (!is_its_own)
        command_error(node->setup_ended_ns, node->setup_exit_code, log);
}

/* --- Programs without a known form of output --- */

static void put_numbers(LogWriter *log, const char *what, int64_t loss_micro, int64_t accuracy_ppm)
{
    log_printf(log, "%sloss ", what);
    put_millionths(log, loss_micro);
    log_printf(log, ", %saccuracy ", what);
    put_millionths(log, accuracy_ppm);
}

static bool put_steps(const JobView *view, RankSpan ranks, int64_t epoch,
                      const int64_t *step_end_ns, LogWriter *log)
{
    const Job *job = view->job;
    const Training *t = job->attempt->training;
    const StepPlan *plan = &t->plan;
    int64_t every = plan->steps_per_epoch < 10 ? 1 : plan->steps_per_epoch / 10;
    for (int64_t done = every; done < plan->steps_per_epoch; done += every) {
        if (!log_at(log, step_end_ns[done - 1]))
            return false;
        int64_t accuracy_ppm, loss_micro;
        training_progress(job->spec->program, plan, t->seed, t->address, epoch, done, ranks.first,
                          &accuracy_ppm, &loss_micro);
        log_printf(log, "epoch %" PRId64 "/%" PRId64 " step %" PRId64 "/%" PRId64 ": ", epoch + 1,
                   plan->epochs, done, plan->steps_per_epoch);
        put_numbers(log, "", loss_micro, accuracy_ppm);
        log_text(log, "\n");
    }
    return true;
}

static bool put_epoch(const JobView *view, RankSpan ranks, int64_t epoch, int64_t *step_end_ns,
                      LogWriter *log)
{
    const StepPlan *plan = &view->job->attempt->training->plan;
    EpochTimes times = job_epoch_times(view->job, epoch);
    epoch_step_ends(view, epoch, step_end_ns);
    if (!put_steps(view, ranks, epoch, step_end_ns, log) || !log_at(log, times.evaluated_ns))
        return false;
    EpochResult result = job_epoch_result(view->job, epoch);
    log_printf(log, "epoch %" PRId64 "/%" PRId64 " done in ", epoch + 1, plan->epochs);
    put_duration(log, times.evaluated_ns - times.begin_ns);
    log_text(log, ": ");
    put_numbers(log, "", result.train_loss_micro, result.train_accuracy_ppm);
    if (plan->evaluate_ns > 0) {
        log_text(log, ", ");
        put_numbers(log, "validation ", result.loss_micro, result.accuracy_ppm);
    }
    log_text(log, "\n");
    return true;
}

static void put_training(const JobView *view, RankSpan ranks, LogWriter *log)
{
    const Job *job = view->job;
    const Program *program = job->spec->program;
    const Training *t = job->attempt->training;
    if (!log_at(log, job->attempt->training_ns))
        return;
    log_printf(log,
               "training %s on %s: ranks %" PRId32 ", epochs %" PRId64 ", steps per epoch %" PRId64
               ", batch per rank %" PRId64 "\n",
               program->network->name, program->data_set->name, t->plan.ranks, t->plan.epochs,
               t->plan.steps_per_epoch, program->batch_per_rank);
    if (t->first_epoch > 0)
        log_printf(log, "resumed from a checkpoint: %" PRId64 " of %" PRId64 " epochs are done\n",
                   t->first_epoch, t->plan.epochs);
    Arena *arena = arena_create();
    int64_t *step_end_ns = ARENA_ARRAY(arena, int64_t, t->plan.steps_per_epoch);
    for (int64_t e = t->first_epoch;
         epoch_has_begun(view, e) && put_epoch(view, ranks, e, step_end_ns, log); e++)
        ;
    if (program->model_bytes > 0 && log_at(log, job->attempt->saved_ns))
        log_printf(log, "model saved: %s\n",
                   job_fill_in(view->scenario, job, program->model_shown_path, 0, arena));
    arena_destroy(arena);
    if (!program->evaluates_at_end || t->plan.final_evaluate_ns == 0 ||
        job->attempt->saved_ns == INT64_MAX ||
        !log_at(log, job->attempt->saved_ns + t->final_evaluate_ns))
        return;
    EpochResult last = job_epoch_result(job, t->plan.epochs - 1);
    put_numbers(log, "test ", last.loss_micro, last.accuracy_ppm);
    log_text(log, "\n");
}

/* The output of a command without a program in the scenario, in one line. */
static void put_other(const JobView *view, LogWriter *log)
{
    log_text(log, "# Emulated by trainyard: this command is not run; it takes ");
    put_duration(log, view->job->attempt->command_ns);
    log_printf(log, " and ends with exit code %" PRId32 ".\n", view->job->spec->program->exit_code);
}

void plain_out_log(const JobView *view, RankSpan ranks, LogWriter *log)
{
    const JobSpec *spec = view->job->spec;
    if (spec->program->is_other) {
        put_other(view, log);
        return;
    }
    log_printf(log, "# Emulated by trainyard: output of %s (%s).\n", spec->program->name,
               spec->tool);
    if (spec->program->kind == PROGRAM_TRAIN)
        put_training(view, ranks, log);
}

void program_error_log(const JobView *view, LogWriter *log)
{
    enum {
        SIGNAL_BASE = 128
    }; // a shell adds this to the number of the signal that killed the command
    const Job *job = view->job;
    if (job->exit_code <= 0 || !log_at(log, job->ended_ns))
        return;
    log_printf(log, "# Emulated by trainyard: the program ended with exit code %" PRId32,
               job->exit_code);
    if (job->exit_code > SIGNAL_BASE)
        log_printf(log, ", killed by signal %" PRId32, job->exit_code - SIGNAL_BASE);
    log_text(log, ".\n");
}

void script_error_log(const JobView *view, RankSpan ranks, LogWriter *log)
{
    for (int32_t i = 0; i < ranks.count; i++)
        log_printf(log, "python: can't open file '%s': [Errno 2] No such file or directory\n",
                   view->job->spec->script_path);
}

void parameter_server_error_log(const JobView *view, LogWriter *log)
{
    log_printf(log, "# Emulated by trainyard: a parameter server of %s, which prints nothing.\n",
               view->job->path.name);
}

#include "sim/output/share/emulated_log_text.h"

#include <inttypes.h>

#include "sim/base/invariant.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/job/job_name.h"
#include "sim/model/bounded.h"
#include "sim/output/share/package_log.h"
#include "sim/output/share/written_file.h"

/* --- Words --- */

/* "0.7312" for 731,200 of a million. */
static void put_millionths(LogWriter *log, int64_t value)
{
    int64_t rounded = (value + 50) / 100;
    log_printf(log, "%" PRId64 ".%04" PRId64, rounded / 10000, rounded % 10000);
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
    log_duration(log, end_ns - begin_ns);
    log_text(log, "\n");
}

static void command_error(int64_t end_ns, int32_t exit_code, LogWriter *log)
{
    if (exit_code > 0 && log_at(log, end_ns))
        log_printf(log, "# Emulated by trainyard: the command failed with exit code %" PRId32 ".\n",
                   exit_code);
}

/* Whether the output of a command that ends so is that of package managers. */
static bool installs_packages(const char *command, int32_t exit_code)
{
    return exit_code == 0 && is_package_command(command);
}

/* --- Job preparation --- */

void preparation_out_log(const JobView *view, int32_t node, LogWriter *log)
{
    const JobSpec *spec = view->job->spec;
    int64_t begin_ns = job_stage_begin_ns(view->job, node, STAGE_PREPARATION);
    int64_t end_ns = job_stage_end_ns(view->job, node, STAGE_PREPARATION);
    if (spec->preparation_script)
        shell_log(view, preparation_run(view, node), false, log);
    else if (installs_packages(spec->preparation_command, spec->preparation_exit_code))
        package_out_log(spec->preparation_command, begin_ns, end_ns, log);
    else
        command_out(spec->preparation_command, begin_ns, end_ns, spec->preparation_exit_code, log);
}

void preparation_error_log(const JobView *view, int32_t node, LogWriter *log)
{
    const JobSpec *spec = view->job->spec;
    int64_t begin_ns = job_stage_begin_ns(view->job, node, STAGE_PREPARATION);
    int64_t end_ns = job_stage_end_ns(view->job, node, STAGE_PREPARATION);
    if (spec->preparation_script)
        shell_log(view, preparation_run(view, node), true, log);
    else if (installs_packages(spec->preparation_command, spec->preparation_exit_code))
        package_error_log(spec->preparation_command, begin_ns, end_ns, log);
    else
        command_error(end_ns, spec->preparation_exit_code, log);
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

/* A transformer's steps, ten times between two checkpoints. */
static bool put_transformer_steps(const JobView *view, int64_t epoch, const int64_t *step_end_ns,
                                  LogWriter *log)
{
    const TransformerTraining *transformer = view->job->spec->program->transformer;
    const StepPlan *plan = &view->job->attempt->training->plan;
    const int64_t steps = plan_epoch_steps(plan, epoch), before = plan_steps(plan, 0, epoch);
    const int64_t every = steps < 10 ? 1 : steps / 10;
    const int64_t earlier = training_steps_before(view->job->attempt->training, epoch);
    for (int64_t done = every; done <= steps; done += every) {
        if (done <= earlier)
            continue; // by an earlier attempt
        if (!log_at(log, step_end_ns[done - 1]))
            return false;
        log_printf(log, "step %" PRId64 "/%" PRId64 ": %" PRId64 " tokens\n", before + done,
                   transformer->steps, bounded_times(before + done, transformer->tokens_per_step));
    }
    return true;
}

static bool put_steps(const JobView *view, RankSpan ranks, int64_t epoch,
                      const int64_t *step_end_ns, LogWriter *log)
{
    const Job *job = view->job;
    const Training *t = job->attempt->training;
    const StepPlan *plan = &t->plan;
    int64_t every = plan->steps_per_epoch < 10 ? 1 : plan->steps_per_epoch / 10;
    for (int64_t done = every; done < plan->steps_per_epoch; done += every) {
        if (done <= training_steps_before(t, epoch))
            continue; // by an earlier attempt
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
    if (view->job->spec->program->transformer != NULL)
        return put_transformer_steps(view, epoch, step_end_ns, log);
    if (!put_steps(view, ranks, epoch, step_end_ns, log) || !log_at(log, times.evaluated_ns))
        return false;
    EpochResult result = job_epoch_result(view->job, epoch);
    log_printf(log, "epoch %" PRId64 "/%" PRId64 " done in ", epoch + 1, plan->epochs);
    log_duration(log, times.evaluated_ns - times.begin_ns);
    log_text(log, ": ");
    put_numbers(log, "", result.train_loss_micro, result.train_accuracy_ppm);
    if (plan->evaluate_ns > 0) {
        log_text(log, ", ");
        put_numbers(log, "validation ", result.loss_micro, result.accuracy_ppm);
    }
    log_text(log, "\n");
    return true;
}

static void put_beginning(const Program *program, const Training *t, LogWriter *log)
{
    log_printf(log,
               "training %s on %s: ranks %" PRId32 ", epochs %" PRId64 ", steps per epoch %" PRId64
               ", batch per rank %" PRId64 "\n",
               program->network->name, program->data_set->name, t->plan.ranks, t->plan.epochs,
               t->plan.steps_per_epoch, program->batch_per_rank);
    if (t->first_epoch > 0 || t->first_step > 0)
        log_printf(log, "resumed from a checkpoint: %" PRId64 " of %" PRId64 " epochs are done\n",
                   t->first_epoch, t->plan.epochs);
    if (t->first_step > 0)
        log_printf(log, "resumed within an epoch: %" PRId64 " of %" PRId64 " steps are done\n",
                   t->first_step, t->plan.steps_per_epoch);
}

static void put_transformer(const TransformerTraining *transformer, const Training *t,
                            LogWriter *log)
{
    log_printf(log, "training %s on %" PRId32 " GPUs: %s, %" PRId64 " tokens a step\n",
               transformer->model, transformer->gpus, transformer->layout,
               transformer->tokens_per_step);
    if (t->first_epoch > 0 || t->first_step > 0)
        log_printf(log, "resumed from a checkpoint: %" PRId64 " of %" PRId64 " steps are done\n",
                   plan_steps(&t->plan, 0, t->first_epoch) + t->first_step, transformer->steps);
}

static void put_training(const JobView *view, RankSpan ranks, LogWriter *log)
{
    const Job *job = view->job;
    const Program *program = job->spec->program;
    const Training *t = job->attempt->training;
    if (!log_at(log, job->attempt->training_ns))
        return;
    if (program->transformer != NULL)
        put_transformer(program->transformer, t, log);
    else
        put_beginning(program, t, log);
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
    log_duration(log, view->job->attempt->command_ns);
    log_printf(log, " and ends with exit code %" PRId32 ".\n", view->job->spec->program->exit_code);
    log_text(log, "# To say what it does: \"programs\" of a scenario, `trainyard serve --program`, "
                  "or the job's variables TRAINYARD_DURATION and TRAINYARD_EXIT_CODE.\n");
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

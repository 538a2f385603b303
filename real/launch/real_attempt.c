#include "real/launch/real_attempt.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real/launch/job_place.h"
#include "real/launch/real_node.h"
#include "real/launch/real_report.h"
#include "real/launch/real_steps.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/progress.h"
#include "sim/cli/report.h"

/* --- While ranks run --- */

typedef struct {
    Progress progress;
    const char *out_path; /* on this machine */
    int64_t steps_per_epoch;
} RanksWatch;

static void watch_ranks(void *context)
{
    enum { TAIL_BYTES = 8192 };
    RanksWatch *watch = context;
    char tail[TAIL_BYTES + 1];
    FILE *stream = fopen(watch->out_path, "rb");
    if (!stream)
        return;
    if (fseek(stream, -TAIL_BYTES, SEEK_END) != 0)
        rewind(stream);
    tail[fread(tail, 1, TAIL_BYTES, stream)] = '\0';
    fclose(stream);
    progress_update(&watch->progress, hand_off_steps_printed(tail, watch->steps_per_epoch));
}

/* The steps of all epochs that the ranks printed. */
static int64_t last_step_printed(RealRun *run, const char *out_path, int64_t steps_per_epoch)
{
    enum { OUT_MAX = 64 << 20 };
    char *text;
    size_t length;
    Status none;
    return file_read(run->arena, out_path, OUT_MAX, &text, &length, &none)
               ? hand_off_steps_printed(text, steps_per_epoch)
               : 0;
}

static int create(RealRun *run, const char *path, Status *status)
{
    if (!real_node_make_above(run, path, status))
        return -1;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        file_failed(path, status);
    return descriptor;
}

static void warn(const RealRun *run, const Status *warning)
{
    Problems warnings = problems_create(run->arena);
    problems_add_status(&warnings, warning);
    if (!run->settings.is_quiet)
        report_warnings(&warnings);
}

static bool run_ranks(RealRun *run, const Job *job, HandOff *plan, const char *node, RanksEnd *end,
                      Status *status)
{
    const char *out = arena_printf(run->arena, "%s%s", node, plan->out_path);
    const char *error = arena_printf(run->arena, "%s%s", node, plan->error_path);
    const char *warning = NULL;
    Child child = {0};
    plan->ranks.out = create(run, out, status);
    plan->ranks.error = plan->ranks.out < 0 ? -1 : create(run, error, status);
    bool is_started = plan->ranks.error >= 0 && ranks_start(run->arena, &run->machine, &plan->ranks,
                                                            &child, &warning, status);
    if (plan->ranks.out >= 0)
        close(plan->ranks.out);
    if (plan->ranks.error >= 0)
        close(plan->ranks.error);
    if (!is_started)
        return false;
    if (warning) {
        Status as_status;
        status_fail(&as_status, STATUS_MACHINE, place_in("trainyard", 0, 0), "%s", warning);
        warn(run, &as_status);
    }
    RanksWatch watch = {
        .progress = progress_start(arena_printf(run->arena, "job %s", job->path.name),
                                   plan->epochs * plan->steps_per_epoch, run->settings.is_quiet),
        .out_path = out,
        .steps_per_epoch = plan->steps_per_epoch};
    const bool has_run =
        ranks_run(&child, job_place_limit_ns(job, 0), watch_ranks, &watch, end, status);
    progress_end(&watch.progress);
    return has_run;
}

/* Prints the last lines of the ranks' stderr. */
static void print_last_lines(const char *error_path)
{
    enum { LAST_BYTES = 1024 };
    char last[LAST_BYTES + 1];
    FILE *stream = fopen(error_path, "rb");
    if (!stream)
        return;
    const bool is_cut = fseek(stream, -LAST_BYTES, SEEK_END) == 0;
    if (!is_cut)
        rewind(stream);
    last[fread(last, 1, LAST_BYTES, stream)] = '\0';
    fclose(stream);
    char *line = is_cut && strchr(last, '\n') ? strchr(last, '\n') + 1 : last;
    for (char *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        fprintf(stderr, "  %.*s\n", (int)(end - line), line);
        end += *end == '\n';
    }
}

/* Whether a fault of the scenario killed the ranks. */
static bool was_killed(const HandOffSettings *settings, const RanksEnd *end)
{
    return settings->fail_step > 0 && end->exit_code == KILLED_EXIT && !end->is_late &&
           !end->signal;
}

static void print_end(const RealRun *run, const Job *job, const HandOff *plan,
                      const HandOffSettings *settings, const RanksEnd *end)
{
    Text took = {0};
    if (run->settings.is_quiet)
        return;
    duration_print(&took, end->took_ns);
    fprintf(stderr, "job %s, attempt %" PRId32 ": %" PRId32 " rank%s ran for real for %s",
            job->path.name, job->starts, plan->ranks.ranks, plural(plan->ranks.ranks),
            text_string(&took));
    text_free(&took);
    if (was_killed(settings, end))
        fprintf(stderr, ", until rank %" PRId32 " was killed after %sstep %" PRId64 "\n",
                settings->fail_rank, settings->fail_notice_ns > 0 ? "its notice at " : "",
                settings->fail_step);
    else if (end->exit_code == 0)
        fputc('\n', stderr);
    else {
        fprintf(stderr, ", exit code %d%s\n", end->exit_code,
                end->is_late  ? ", ended by its maxWallClockTime"
                : end->signal ? ", ended by a signal to trainyard"
                              : "");
        print_last_lines(arena_printf(run->arena, "%s%s", settings->node_folder, plan->error_path));
    }
}

/* Warns that the files in the program's working directory will be removed. */
static void print_lost_files(const RealRun *run, const Job *job, const HandOff *plan,
                             const char *node)
{
    struct stat facts;
    if (!run->settings.is_quiet && strncmp(plan->log_folder, node, strlen(node)) == 0 &&
        stat(plan->log_folder, &facts) == 0)
        fprintf(
            stderr,
            "job %s: its checkpoints and logs are not on a share and are removed with the node, as "
            "in the service; set its --dir, or the program's \"checkpoint\", to a folder on a "
            "share\n",
            job->path.name);
}

/* Reports that the ranks' epoch has another number of steps than the world's. */
static void print_steps(const RealRun *run, const Job *job, const HandOff *plan)
{
    const Program *training = job->spec->program->training;
    if (!run->settings.is_quiet && plan->steps_per_epoch != training->steps_per_epoch)
        fprintf(stderr,
                "job %s: an epoch has %" PRId64 " steps with the images in %s, not %" PRId64
                " as with the catalogue's data set\n",
                job->path.name, plan->steps_per_epoch, plan->data_folder,
                training->steps_per_epoch);
}

/* --- One attempt --- */

/* Reports that the ranks got notice and were killed after it. The notice was when they wrote its
 * checkpoint. In the world the node is lost a little later than they were killed, because the time
 * of the notice began before that. */
static bool report_preempted(RealRun *run, RealJob *real, const HandOff *plan,
                             const HandOffSettings *settings, Status *status)
{
    const CheckpointPoint at = {settings->fail_step / plan->steps_per_epoch,
                                settings->fail_step % plan->steps_per_epoch};
    const char *path = checkpoint_path(run->arena, real->log_folder, at);
    const char *out = arena_printf(run->arena, "%s%s", settings->node_folder, plan->out_path);
    struct stat facts;
    int64_t notice_ns = real->took_ns - settings->fail_notice_ns;
    if (stat(path, &facts) == 0)
        notice_ns = machine_time_ns(facts.st_mtim) - real->started_unix_ns;
    const int64_t last_step = last_step_printed(run, out, plan->steps_per_epoch);
    const int64_t killed_ns = real->took_ns;
    real->is_killed = true;
    real->took_ns = notice_ns + settings->fail_notice_ns + NS_PER_S;
    return real_report_reached(run, real, settings->fail_step, notice_ns, (CheckpointPoint){0},
                               status) &&
           (last_step <= settings->fail_step ||
            real_report_reached(run, real, last_step, killed_ns, (CheckpointPoint){0}, status));
}

/* Reports the results of the ranks to the world. */
static bool report_end(RealRun *run, RealJob *real, const HandOff *plan,
                       const HandOffSettings *settings, const RanksEnd *end, const char *folder,
                       Status *status)
{
    const int64_t limit_ns = job_place_limit_ns(real_job_of(run, real), 0);
    RealTraining training;
    Status no_figures;
    if (end->signal) {
        run->result->signal = end->signal;
        real->terminate_at_ns = real->since_ns + real->took_ns;
        return true;
    }
    if (!real_report_checkpoints(run, real, status))
        return false;
    if (was_killed(settings, end) && settings->fail_notice_ns > 0)
        return report_preempted(run, real, plan, settings, status);
    if (was_killed(settings, end)) {
        real->is_killed = true;
        return real_report_reached(run, real, settings->fail_step, real->took_ns,
                                   (CheckpointPoint){0}, status);
    }
    if (!real_report_steps(run, real, folder, status))
        return false;
    if (!hand_off_read_training(run->arena, plan, &training, &no_figures))
        warn(run, &no_figures);
    // A job that was stopped by its time limit must not end before that limit in the world.
    const bool is_late = end->is_late && real->took_ns <= limit_ns;
    return real_report_ran(
        run, real, end, is_late ? limit_ns + 1 : real->took_ns, &training,
        end->is_late ? "The specified job ran longer than its maxWallClockTime" : NULL, status);
}

/* {folder}/real/{job}/attempt-{n}; {job}-{number} for a second job with that name. */
static const char *attempt_folder(const RealRun *run, const Job *job)
{
    struct stat facts;
    const char *folder = arena_printf(run->arena, "%s/real/%s/attempt-%" PRId32, run->folder,
                                      job->path.name, job->starts);
    if (stat(folder, &facts) != 0)
        return folder;
    return arena_printf(run->arena, "%s/real/%s-%" PRIu32 "/attempt-%" PRId32, run->folder,
                        job->path.name, job->id.index, job->starts);
}

bool real_attempt_run(RealRun *run, RealJob *real, Status *status)
{
    const Job *job = real_job_of(run, real);
    const char *folder = attempt_folder(run, job);
    const char *node = arena_printf(run->arena, "%s/node", folder);
    HandOffSettings settings = {.trainer = run->trainer,
                                .backend = run->settings.backend,
                                .data_folder = run->settings.data_folder,
                                .arguments = run->settings.arguments,
                                .node_folder = node};
    HandOff plan;
    RanksEnd end;
    if (!real_node_remove_later_checkpoints(run, real, status) ||
        !real_node_prepare(run, job, node, status))
        return false;
    real_step_find_kill(run, job, &settings);
    if (!hand_off_plan(run->arena, run->world, job, &settings, &plan, status))
        return false;
    print_steps(run, job, &plan);
    *real = (RealJob){.job = job->id,
                      .attempt = job->starts,
                      .since_ns = job_outside_since_ns(job, 0),
                      .started_unix_ns = machine_unix_ns(),
                      .steps_per_epoch = plan.steps_per_epoch,
                      .terminate_at_ns = INT64_MAX};
    if (!run_ranks(run, job, &plan, node, &end, status))
        return false;
    real->took_ns = end.took_ns;
    real->log_folder = real_node_path(run, plan.log_folder);
    print_end(run, job, &plan, &settings, &end);
    print_lost_files(run, job, &plan, node);
    return hand_off_keep(run->arena, job, &plan, &settings, &end, folder, status) &&
           report_end(run, real, &plan, &settings, &end, folder, status) &&
           folder_remove(node, status);
}

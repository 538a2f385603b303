#define _XOPEN_SOURCE 700 // realpath
#include "real/launch/real_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real/launch/job_place.h"
#include "real/launch/real_run_check.h"
#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/progress.h"
#include "sim/cli/report.h"
#include "trainer/record/checkpoint_name.h"
#include "trainer/record/timeline.h"

/* A job of real execution, and its last attempt that was handed off. */
typedef struct {
    JobId job;
    int32_t attempt;         /* Job.starts; 0: none yet */
    int64_t since_ns;        /* start of the program in simulated time */
    int64_t took_ns;         /* how long its ranks ran */
    int64_t started_unix_ns; /* start of the ranks by the machine's clock */
    int64_t steps_per_epoch; /* of the ranks, for the images that they found */
    const char *log_folder;
    bool is_killed;          /* by a fault of the scenario; the world must lose the attempt, too */
    bool is_lost;            /* the world lost the attempt before its ranks had ended ... */
    int64_t lost_after_ns;   /* ... this long after its start */
    int64_t terminate_at_ns; /* INT64_MAX: never */
} RealJob;

typedef struct {
    Arena *arena;
    RealRunSettings settings;
    const char *folder; /* absolute */
    const char *trainer;
    World *world;
    CommandReader *reader;
    const ShareTree *tree;
    RanksMachine machine;
    const char *ran_path; /* the session to replay, which hands off no job; or NULL */
    RealJob *jobs;        /* the jobs that have not ended */
    uint32_t job_count, job_capacity, jobs_seen;
    RealRunResult *result;
} RealRun;

static const Job *job_of(const RealRun *run, const RealJob *real)
{
    return world_job(run->world, real->job);
}

/* --- Reporting to the world --- */

static Json *command_entry(RealRun *run, CommandKind kind, const Job *job)
{
    Arena *arena = run->arena;
    Json *entry = json_object(arena);
    const char *const members[][2] = {{"do", command_name(kind)},
                                      {"name", job->path.name},
                                      {"resource_group", job->path.group},
                                      {"workspace", job->path.workspace},
                                      {"experiment", job->path.experiment}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_put_text(arena, entry, members[i][0], members[i][1]);
    return entry;
}

static void set_ns(RealRun *run, Json *entry, const char *key, int64_t ns)
{
    json_put_text(run->arena, entry, key, arena_printf(run->arena, "%" PRId64 "ns", ns));
}

/* Applies the command at an instant without other events, as a replay does. The command is read
 * from JSON, as a replay reads it. */
static bool report(RealRun *run, Json *entry, Status *status)
{
    Problems problems = problems_create(run->arena);
    int64_t at_ns = world_now_ns(run->world) + 1;
    while (world_next_event_ns(run->world) <= at_ns && world_run_instant(run->world))
        at_ns = world_now_ns(run->world) + 1;
    set_ns(run, entry, "at", at_ns);
    const Command *command = command_read(run->reader, run->arena, entry, &problems, NULL);
    if (!command) {
        *status = problems.items[0];
        return false;
    }
    if (!world_apply_at(run->world, command, at_ns, status))
        return false;
    json_add(run->result->ran, entry);
    return true;
}

static bool report_ran(RealRun *run, const RealJob *real, const RanksEnd *end, int64_t took_ns,
                       const RealTraining *training, const char *reason, Status *status)
{
    Arena *arena = run->arena;
    Json *entry = command_entry(run, COMMAND_JOB_RAN, job_of(run, real));
    set_ns(run, entry, "took", took_ns);
    json_put_integer(arena, entry, "exit_code", end->exit_code);
    if (reason)
        json_put_text(arena, entry, "reason", reason);
    json_put_text(arena, entry, "ran_as", hand_off_description(arena, job_of(run, real)->spec));
    hand_off_put_training(arena, entry, *training);
    return report(run, entry, status);
}

/* `kept` is the number of epochs in a new checkpoint at that step; 0: there is no new checkpoint.
 */
static bool report_reached(RealRun *run, const RealJob *real, int64_t step, int64_t took_ns,
                           int64_t kept, Status *status)
{
    Json *entry = command_entry(run, COMMAND_JOB_REACHED, job_of(run, real));
    json_put_integer(run->arena, entry, "step", step);
    set_ns(run, entry, "took", took_ns);
    if (kept > 0)
        json_put_integer(run->arena, entry, "kept", kept);
    return report(run, entry, status);
}

/* Reports when the ranks wrote each checkpoint: if the attempt is lost, the next one resumes from
 * the latest. */
static bool report_checkpoints(RealRun *run, const RealJob *real, Status *status)
{
    const Program *training = job_of(run, real)->spec->program->training;
    bool is_good = true;
    if (!program_can_resume(training))
        return true;
    for (int64_t epoch = 1; is_good && epoch <= training->epochs; epoch++) {
        struct stat facts;
        const char *path = checkpoint_path(run->arena, real->log_folder, epoch);
        if (stat(path, &facts) != 0)
            continue;
        const int64_t after_ns = machine_time_ns(facts.st_mtim) - real->started_unix_ns;
        if (after_ns > 0 && after_ns <= real->took_ns) // not from an earlier attempt
            is_good =
                report_reached(run, real, epoch * real->steps_per_epoch, after_ns, epoch, status);
    }
    return is_good;
}

/* --- Steps that commands wait for --- */

/* The command at `index` if it still waits for a step of the job, otherwise NULL. */
static const Command *waits_for_step(const RealRun *run, const Job *job, int32_t index)
{
    const Command *command = &world_scenario(run->world)->commands[index];
    const bool waits = command->trigger.moment == MOMENT_JOB_STEP &&
                       ascii_same(command->trigger.subject, job->path.name) &&
                       world_is_awaiting(run->world, index);
    return waits ? command : NULL;
}

/* Whether the command ends the job's attempt at once. */
static bool kills(const Command *command, const Job *job)
{
    const bool is_of_job = ascii_same(command->path.name, job->path.name);
    if (command->trigger.delay_ns > 0 || !is_of_job)
        return false;
    if (command->kind == COMMAND_NODE_CRASH || command->kind == COMMAND_NODE_REBOOT)
        return command->as.fault.is_of_job;
    return command->kind == COMMAND_JOB_EXIT || command->kind == COMMAND_JOB_TERMINATE;
}

/* The first rank on the node that the fault affects; rank 0 if the command names no node. */
static int32_t rank_of(const Command *command, const Job *job)
{
    const bool is_of_node =
        command->kind == COMMAND_NODE_CRASH || command->kind == COMMAND_NODE_REBOOT;
    const int32_t node = is_of_node ? command->as.fault.node - 1 : 0;
    for (int32_t rank = 0; rank < job->spec->processes; rank++)
        if (job_node_of_rank(job, rank) == node)
            return rank;
    return 0;
}

/* Sets the first step at which a command kills a rank. */
static void find_kill(const RealRun *run, const Job *job, HandOffSettings *settings)
{
    const Program *training = job->spec->program->training;
    const int64_t steps = training->epochs * training->steps_per_epoch;
    for (int32_t i = 0; i < world_scenario(run->world)->command_count; i++) {
        const Command *command = waits_for_step(run, job, i);
        if (!command || !kills(command, job) || command->trigger.ordinal >= steps)
            continue; // a rank dies before the next step; after the last step there is no next step
        if (settings->fail_step > 0 && settings->fail_step <= command->trigger.ordinal)
            continue;
        settings->fail_step = command->trigger.ordinal;
        settings->fail_rank = rank_of(command, job);
    }
}

/* When a step, counted from 1 over all epochs, ended in the timeline of rank 0; -1: the timeline
 * does not have it. */
static int64_t step_end_ns(const TimelineFile *file, int64_t step)
{
    int64_t end_ns = -1;
    for (int64_t i = 0; i < file->count; i++) {
        const TimelineSpan *span = &file->spans[i];
        const bool is_of_step = span->phase != PHASE_EVALUATE && span->phase != PHASE_CHECKPOINT;
        if (is_of_step && span->step == step - 1 && span->end_ns > end_ns)
            end_ns = span->end_ns;
    }
    return end_ns;
}

static int64_t last_end_ns(const TimelineFile *file)
{
    int64_t end_ns = 0;
    for (int64_t i = 0; i < file->count; i++)
        end_ns = file->spans[i].end_ns > end_ns ? file->spans[i].end_ns : end_ns;
    return end_ns;
}

/* Reports when the ranks reached each step that a command waits for. The timeline starts when all
 * ranks are ready, and the world's attempt when they are started. Their ends are taken as equal. */
static bool report_steps(RealRun *run, const RealJob *real, const char *folder, Status *status)
{
    const Job *job = job_of(run, real);
    TimelineFile timeline;
    Status none;
    const char *path = arena_printf(run->arena, "%s/timeline.rank0.tsv", folder);
    if (!timeline_read(path, run->arena, &timeline, &none))
        return true; // they ended before there was one
    const int64_t zero_ns = real->took_ns - last_end_ns(&timeline);
    for (int32_t i = 0; i < world_scenario(run->world)->command_count; i++) {
        const Command *command = waits_for_step(run, job, i);
        const int64_t end_ns = command ? step_end_ns(&timeline, command->trigger.ordinal) : -1;
        if (end_ns >= 0 &&
            !report_reached(run, real, command->trigger.ordinal, zero_ns + end_ns, 0, status))
            return false;
    }
    return true;
}

/* --- The node --- */

static bool machine_failed(const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0), "%s", strerror(errno));
}

/* `path` with all links resolved, or unchanged if that fails; in the arena. */
static const char *real_path(RealRun *run, const char *path)
{
    char *whole = realpath(path, NULL);
    const char *copy = whole ? arena_strdup(run->arena, whole) : path;
    free(whole);
    return copy;
}

/* Makes the folders above `path`. */
static bool make_above(RealRun *run, const char *path, Status *status)
{
    return folder_create(arena_strndup(run->arena, path, (size_t)(strrchr(path, '/') - path)),
                         status);
}

/* Makes a link at each mount path to the mounted folder. */
static bool link_mounts(RealRun *run, const Program *program, const char *node, Status *status)
{
    for (int32_t i = 0; i < program->mount_count; i++) {
        const ShellMount *mount = &program->mounts[i];
        const char *from = arena_printf(run->arena, "%s%s", node, mount->path);
        const char *to = arena_printf(run->arena, "%s/share/%s%s%s", run->folder, mount->share,
                                      mount->folder[0] ? "/" : "", mount->folder);
        if (!folder_create(to, status) || !make_above(run, from, status))
            return false;
        if (symlink(to, from) != 0)
            return machine_failed(from, status);
    }
    return true;
}

static bool make_places(RealRun *run, const Job *job, const char *node, Status *status)
{
    int32_t count;
    const char **folders = job_place_folders(run->world, job, run->arena, &count);
    for (int32_t i = 0; i < count; i++)
        if (!folder_create(arena_printf(run->arena, "%s%s", node, folders[i]), status))
            return false;
    return true;
}

/* Writes all files that the ranks find on their node. */
static bool prepare_node(RealRun *run, const Job *job, const char *node, Status *status)
{
    return share_tree_write(run->tree, run->world, run->folder, status) &&
           folder_create(node, status) && link_mounts(run, job->spec->program, node, status) &&
           make_places(run, job, node, status);
}

/* Removes the checkpoints that the previous attempt wrote after the world had lost it: its ranks
 * ran longer than the world's attempt. */
static bool remove_later_checkpoints(RealRun *run, const RealJob *real, Status *status)
{
    DIR *listing =
        real->is_lost && !real->is_killed && real->log_folder ? opendir(real->log_folder) : NULL;
    bool is_good = true;
    if (!listing)
        return true;
    for (const struct dirent *entry; is_good && (entry = readdir(listing));) {
        const char *path = arena_printf(run->arena, "%s/%s", real->log_folder, entry->d_name);
        struct stat facts;
        if (checkpoint_epoch(entry->d_name) < 0 || stat(path, &facts) != 0)
            continue;
        const int64_t written_ns = machine_time_ns(facts.st_mtim);
        if (written_ns > real->started_unix_ns + real->lost_after_ns && unlink(path) != 0)
            is_good = machine_failed(path, status);
    }
    closedir(listing);
    return is_good;
}

static const char *link_of(RealRun *run, const RealShare *share)
{
    return arena_printf(run->arena, "%s/share/%s", run->folder, share->name);
}

/* Fails if a share that an earlier run filled with files would be replaced by a folder of the user.
 */
static bool check_links(RealRun *run, Status *status)
{
    for (int32_t i = 0; run->settings.keeps_shares && i < run->settings.share_count; i++) {
        const RealShare *share = &run->settings.shares[i];
        const char *link = link_of(run, share);
        struct stat facts;
        if (lstat(link, &facts) != 0 || S_ISLNK(facts.st_mode))
            continue;
        status_fail(status, STATUS_BAD_INPUT, place_in(link, 0, 0),
                    "contains files of an earlier run, but %s is to be mounted instead",
                    share->folder);
        return status_hint(status, "continue without that mount, or move the files there");
    }
    return true;
}

/* Makes a link to each folder of the user that is a share's contents. */
static bool link_shares(RealRun *run, Status *status)
{
    for (int32_t i = 0; i < run->settings.share_count; i++) {
        const RealShare *share = &run->settings.shares[i];
        const char *link = link_of(run, share);
        if (!make_above(run, link, status))
            return false;
        (void)unlink(link); // an earlier run, which this one continues, may have made it
        if (symlink(real_path(run, share->folder), link) != 0)
            return machine_failed(link, status);
    }
    return true;
}

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

static int create(RealRun *run, const char *path, Status *status)
{
    if (!make_above(run, path, status))
        return -1;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        machine_failed(path, status);
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

/* The exit code that a shell returns after SIGKILL. */
enum { KILLED_EXIT = 128 + SIGKILL };

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
        fprintf(stderr, ", until rank %" PRId32 " was killed after step %" PRId64 "\n",
                settings->fail_rank, settings->fail_step);
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

/* Reports the results of the ranks to the world. */
static bool report_end(RealRun *run, RealJob *real, const HandOff *plan,
                       const HandOffSettings *settings, const RanksEnd *end, const char *folder,
                       Status *status)
{
    const int64_t limit_ns = job_place_limit_ns(job_of(run, real), 0);
    RealTraining training;
    Status no_figures;
    if (end->signal) {
        run->result->signal = end->signal;
        real->terminate_at_ns = real->since_ns + real->took_ns;
        return true;
    }
    if (!report_checkpoints(run, real, status))
        return false;
    if (was_killed(settings, end)) {
        real->is_killed = true;
        return report_reached(run, real, settings->fail_step, real->took_ns, 0, status);
    }
    if (!report_steps(run, real, folder, status))
        return false;
    if (!hand_off_read_training(run->arena, plan, &training, &no_figures))
        warn(run, &no_figures);
    // A job that was stopped by its time limit must not end before that limit in the world.
    const bool is_late = end->is_late && real->took_ns <= limit_ns;
    return report_ran(
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

static bool hand_off(RealRun *run, RealJob *real, Status *status)
{
    const Job *job = job_of(run, real);
    const char *folder = attempt_folder(run, job);
    const char *node = arena_printf(run->arena, "%s/node", folder);
    HandOffSettings settings = {.trainer = run->trainer,
                                .backend = run->settings.backend,
                                .data_folder = run->settings.data_folder,
                                .arguments = run->settings.arguments,
                                .node_folder = node};
    HandOff plan;
    RanksEnd end;
    if (!remove_later_checkpoints(run, real, status) || !prepare_node(run, job, node, status))
        return false;
    find_kill(run, job, &settings);
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
    real->log_folder = real_path(run, plan.log_folder);
    print_end(run, job, &plan, &settings, &end);
    print_lost_files(run, job, &plan, node);
    return hand_off_keep(run->arena, job, &plan, &settings, &end, folder, status) &&
           report_end(run, real, &plan, &settings, &end, folder, status) &&
           folder_remove(node, status);
}

/* --- The world --- */

static void add_new_jobs(RealRun *run)
{
    for (; run->jobs_seen < world_job_count(run->world); run->jobs_seen++) {
        const Job *job = world_job(run->world, (JobId){run->jobs_seen});
        if (!hand_off_takes(job) ||
            (!run->ran_path && real_run_is_reported(world_scenario(run->world), job->path.name)))
            continue;
        run->jobs = array_room(run->arena, run->jobs, run->job_count + 1, &run->job_capacity,
                               sizeof *run->jobs);
        run->jobs[run->job_count++] = (RealJob){.job = job->id, .terminate_at_ns = INT64_MAX};
    }
}

/* Records that the world lost an attempt whose ranks ran longer. */
static void record_loss(const RealRun *run, RealJob *real)
{
    const Job *job = job_of(run, real);
    const int64_t after_ns = world_now_ns(run->world) - real->since_ns;
    const bool is_gone =
        job->starts != real->attempt || job->state == JOB_QUEUED || job_is_stalled(job);
    if (real->attempt == 0 || real->is_lost || !is_gone || after_ns >= real->took_ns)
        return;
    real->is_lost = true;
    real->lost_after_ns = after_ns;
}

/* Reports the end of ranks that were killed for a fault which did not happen in the world. */
static bool report_killed(RealRun *run, const RealJob *real, Status *status)
{
    const RanksEnd end = {.exit_code = KILLED_EXIT};
    const RealTraining unknown = real_training_unknown();
    return report_ran(run, real, &end, real->took_ns, &unknown, NULL, status);
}

/* Whether `reached` reports a step of the job at which a command ends its attempt. */
static bool is_killed_at(const RealRun *run, const Job *job, const Command *reached)
{
    if (reached->kind != COMMAND_JOB_REACHED || !ascii_same(reached->path.name, job->path.name))
        return false;
    for (int32_t i = 0; i < world_scenario(run->world)->command_count; i++) {
        const Command *command = waits_for_step(run, job, i);
        if (command && kills(command, job) &&
            command->trigger.ordinal <= reached->as.job_reached.step)
            return true;
    }
    return false;
}

/* Whether a pending command of the scenario ends the job's attempt. */
static bool end_is_pending(const RealRun *run, const Job *job)
{
    const Scenario *scenario = world_scenario(run->world);
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        if (!world_has_applied(run->world, i) &&
            (real_run_is_end(command, job->path.name) || is_killed_at(run, job, command)))
            return true;
    }
    return false;
}

/* Checks, when the program of an attempt begins in a replay, that the session reports its end. */
static bool check_reported(const RealRun *run, RealJob *real, Status *status)
{
    const Job *job = job_of(run, real);
    if (real->attempt == job->starts || !job_runs_outside(job, 0))
        return true;
    real->attempt = job->starts;
    if (end_is_pending(run, job))
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(run->ran_path, 0, 0),
                "does not report how attempt %" PRId32 " of job \"%s\" ended", job->starts,
                job->path.name);
    return status_hint(
        status, "pass the scenario and the --set options of that run, or use --real to run it");
}

static bool update_job(RealRun *run, RealJob *real, Status *status)
{
    const Job *job = job_of(run, real);
    const int64_t now_ns = world_now_ns(run->world);
    if (run->ran_path)
        return check_reported(run, real, status);
    record_loss(run, real);
    const bool is_due = now_ns >= real->terminate_at_ns;
    if (is_due)
        real->terminate_at_ns = INT64_MAX;
    if (!job_runs_outside(job, 0))
        return true;
    if (is_due)
        return report(run, command_entry(run, COMMAND_JOB_TERMINATE, job), status);
    if (real->attempt == job->starts)
        return !real->is_killed || now_ns < real->since_ns + real->took_ns ||
               report_killed(run, real, status);
    if (run->result->signal == 0)
        return hand_off(run, real, status);
    real->attempt = job->starts;
    return report(run, command_entry(run, COMMAND_JOB_TERMINATE, job), status);
}

/* Jobs that have ended are removed from the list. */
static bool update_jobs(RealRun *run, Status *status)
{
    uint32_t kept = 0;
    add_new_jobs(run);
    for (uint32_t i = 0; i < run->job_count; i++) {
        if (!update_job(run, &run->jobs[i], status))
            return false;
        if (job_of(run, &run->jobs[i])->ended_ns == INT64_MAX)
            run->jobs[kept++] = run->jobs[i];
    }
    run->job_count = kept;
    return true;
}

/* The next time at which a job must be terminated. The world has no event for it. */
static int64_t next_own_ns(const RealRun *run)
{
    int64_t next_ns = INT64_MAX;
    for (uint32_t i = 0; i < run->job_count; i++)
        if (run->jobs[i].terminate_at_ns < next_ns)
            next_ns = run->jobs[i].terminate_at_ns;
    return next_ns;
}

/* Runs the next instant of the world, or advances it to our next termination if that is earlier. */
static bool run_next(RealRun *run)
{
    const int64_t own_ns = next_own_ns(run);
    if (own_ns < world_next_event_ns(run->world)) {
        if (own_ns > world_now_ns(run->world))
            world_advance(run->world, own_ns);
        return true;
    }
    return world_run_instant(run->world);
}

/* Removes the files that a run makes in its folder. */
static bool remove_files(RealRun *run, Status *status)
{
    return folder_remove(arena_printf(run->arena, "%s/real", run->folder), status) &&
           (run->settings.keeps_shares ||
            folder_remove(arena_printf(run->arena, "%s/share", run->folder), status));
}

/* A run that failed leaves no files, like every other run. */
static bool clean_up(RealRun *run)
{
    Status ignored; // the first error is the one to report
    (void)!remove_files(run, &ignored);
    return false;
}

bool real_run(Arena *arena, const RealRunSettings *settings, World *world, CommandReader *reader,
              const ShareTree *tree, RealRunResult *result, Status *status)
{
    Text program_folder = {0};
    folder_of_program(&program_folder);
    *result = (RealRunResult){.ran = json_array(arena)};
    RealRun run = {.arena = arena,
                   .settings = *settings,
                   .trainer =
                       arena_printf(arena, "%strainyard-train", text_string(&program_folder)),
                   .world = world,
                   .reader = reader,
                   .tree = tree,
                   .machine = ranks_machine(arena),
                   .result = result};
    text_free(&program_folder);
    run.folder = real_path(&run, settings->folder);
    if (settings->data_folder)
        run.settings.data_folder = real_path(&run, settings->data_folder);
    if (!check_links(&run, status))
        return false;
    bool is_good = remove_files(&run, status) && link_shares(&run, status);
    while (is_good && run_next(&run))
        is_good = update_jobs(&run, status);
    return is_good || clean_up(&run);
}

bool real_run_replay(Arena *arena, const char *ran_path, World *world, Status *status)
{
    RealRun run = {.arena = arena, .world = world, .ran_path = ran_path};
    while (run_next(&run))
        if (!update_jobs(&run, status))
            return false;
    return true;
}

/* trainyard launch: runs job.json files with the trainer on this machine. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "real/launch/launch.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/schema/plain.h"
#include "tools/trainyard/answer/launch_answer.h"
#include "tools/trainyard/train/train_options.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    const char *output_folder;
    int backend; /* HandOffBackend */
    const char *data_folder;
    OptionTexts mounts;
    int64_t nodes; /* 0: the job's nodeCount */
    bool is_json;
    bool is_quiet;
} LaunchArguments;

static const char *const backend_names[] = {
#define X(name, word) word,
    HAND_OFF_BACKENDS(X)
#undef X
        NULL};

#define OWNER LaunchArguments
static const Field launch_options[] = {
    OPTION_FOLDER('o', "output", output_folder, "DIR",
                  "store each job's files in DIR/NAME (launch)"),
    OPTION_CHOICE(0, "real", backend, "BACKEND", backend_names, "the compute backend (auto)"),
    OPTION_FOLDER(0, "data", data_folder, "DIR", "train on CIFAR-10 in DIR"),
    OPTION_TEXTS(
        0, "mount", mounts, "PATH=DIR",
        "use DIR as the share that the job mounts at PATH, or as a mount of the cluster if the job "
        "has none; may be repeated"),
    OPTION_INTEGER(0, "nodes", nodes, "N", 1, 100,
                   "run as if on N nodes instead of nodeCount, with the same processes per node"),
    OPTION_FLAG(0, "json", is_json,
                "print only a record of each job, as JSON (trainyard schema launch-answer)"),
    OPTION_FLAG('q', "quiet", is_quiet, "print nothing but problems"),
    {0},
};
#undef OWNER

static const OptionTable launch_table = {
    .name = "launch",
    .operands = "JOB... [-- OPTION...]",
    .summary = "Runs job.json files for real on this machine, one after the other.",
    .details =
        "`trainyard train` runs in place of each job's script, with one rank for each process that "
        "the service would start. Open MPI's mpirun starts several ranks. The trainer's options "
        "are the job's commandLineArgs, followed by the options after --. Variables "
        "(AZ_BATCHAI_...), folders, names of log files, maxWallClockTime, exit code and errors are "
        "those of the service. jobPreparation and containerSettings are skipped: nothing is "
        "installed.\n"
        "\n"
        "A job's files are in DIR/NAME, where NAME is the name of the job's file. share/ACCOUNT/"
        "SHARE is a share that the job mounts, real/ has the timelines of the ranks. A launch "
        "replaces the files of an earlier launch. With --resume after --, the shares are kept, so "
        "that --resume latest finds a checkpoint.\n"
        "\n"
        "Exit codes: 0 when all jobs succeeded, 1 when one failed, 2 for wrong input, 3 when the "
        "machine fails, 128 plus the signal's number after a signal.",
    .example =
        "trainyard launch scenarios/local/tutorial/job.json --data cifar10 -o out -- --epochs "
        "1 --precision fp32\n"
        "trainyard launch scenarios/real/cifar10-small/job.json --nodes 1 --real cpu --data "
        "cifar10 -- --epochs 1\n"
        "trainyard launch scenarios/real/cifar10-small/job.json --mount myshare=/tmp/share "
        "--data cifar10 -- --epochs 1 --dir /tmp/share/cifar",
    .options = launch_options,
    .operand_count_min = 1,
    .operand_count_max = INT32_MAX,
};

static const Place here = {.source = "trainyard: launch"};

/* --- Arguments --- */

static bool check_trainer_words(char **words, Status *status)
{
    if (!words[0] || words[0][0] == '-')
        return true;
    status_fail(status, STATUS_BAD_INPUT, here,
                "the arguments after -- are for the trainer, which takes options; got \"%s\"",
                words[0]);
    return status_hint(status, "`mpirun -n N trainyard %s ...` starts a program as several ranks",
                       words[0]);
}

static bool read_mounts(Arena *arena, const OptionTexts *texts, LaunchMount **mounts,
                        Status *status)
{
    *mounts = ARENA_ARRAY(arena, LaunchMount, texts->count);
    for (int32_t i = 0; i < texts->count; i++) {
        const char *text = texts->items[i], *sign = strchr(text, '=');
        const Place at = place_in("--mount", 0, 0);
        if (!sign || sign == text || !sign[1]) {
            status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is not PATH=DIR", text);
            return status_hint(status, "PATH is a relativeMountPath of the job, DIR a folder here");
        }
        if (!folder_exists(sign + 1))
            return status_fail(status, STATUS_BAD_INPUT, at, "there is no folder \"%s\"", sign + 1);
        (*mounts)[i] = (LaunchMount){.relative = arena_strndup(arena, text, (size_t)(sign - text)),
                                     .folder = sign + 1};
    }
    return true;
}

/* The name of job `index`: the name of its file without the extension, at most 60 characters.
 * Characters that names cannot have become '-'. Further files of the same name get a number. */
static const char *job_name(Arena *arena, char **paths, int32_t index)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *slash = strrchr(paths[index], '/');
    const char *file = slash ? slash + 1 : paths[index];
    const char *dot = strrchr(file, '.');
    const size_t length = dot && dot > file ? (size_t)(dot - file) : strlen(file);
    char *name = arena_strndup(arena, file, length < 60 ? length : 60);
    for (char *letter = name; *letter; letter++)
        if (!strchr(letters, *letter))
            *letter = '-';
    int32_t same = 1;
    for (int32_t i = 0; i < index; i++)
        same += strcmp(job_name(arena, paths, i), name) == 0;
    return same > 1 ? arena_printf(arena, "%s-%" PRId32, name, same) : name;
}

/* Parses `words`, ended by NULL, as the trainer does. */
static bool parse_words(Arena *arena, char *const *words, TrainingSettings *options, Status *status)
{
    static char program[] = "train";
    Operands operands;
    bool wants_help;
    int32_t count = 0;
    while (words[count])
        count++;
    char **argv = ARENA_ARRAY(arena, char *, count + 2); // the last stays NULL
    argv[0] = program;
    for (int32_t i = 0; i < count; i++)
        argv[i + 1] = words[i];
    return options_parse(&train_option_table, arena, count + 1, argv, options, &operands,
                         &wants_help, status);
}

/* The training set; --limit makes the trainer use fewer images. */
enum { TRAINING_IMAGES = 50000 };

/* Sets the trainer's arguments: a seed (the trainer's default, not the world's), then the job's
 * arguments, then `more`. If the trainer does not accept the job's arguments, the trainer reports
 * that when it runs; `training` then follows from `more` alone. */
static void read_training(Arena *arena, const LaunchJob *job, char *const *more,
                          LaunchSettings *settings)
{
    enum { SEED_WORDS = 2 };
    TrainingSettings options = train_option_defaults;
    Status ignored;
    int32_t count = 0;
    while (more[count])
        count++;
    char **words = ARENA_ARRAY(arena, char *, SEED_WORDS + job->argument_count + count + 1);
    words[0] = arena_strdup(arena, "--seed");
    words[1] = arena_printf(arena, "%" PRId64, options.seed);
    for (int32_t i = 0; i < job->argument_count; i++)
        words[SEED_WORDS + i] = job->arguments[i];
    for (int32_t i = 0; i < count; i++)
        words[SEED_WORDS + job->argument_count + i] = more[i];
    if (!parse_words(arena, words, &options, &ignored)) {
        options = train_option_defaults;
        (void)!parse_words(arena, more, &options, &ignored);
    }
    const int64_t images =
        options.limit > 0 && options.limit < TRAINING_IMAGES ? options.limit : TRAINING_IMAGES;
    settings->arguments = words;
    settings->continues = options.resume != NULL;
    settings->training = (LaunchTraining){
        .network = options.network,
        .batch_size = options.batch_size,
        .epochs = options.epochs,
        .steps = options.steps > 0 ? options.steps
                                   : (images + options.batch_size - 1) / options.batch_size};
}

/* --- The job's folder --- */

static const char *record_path(Arena *arena, const char *folder)
{
    return arena_printf(arena, "%s/launch.json", folder);
}

/* A launch replaces share/ and real/, but only in a folder that an earlier launch made. */
static const char *const replaced_names[] = {"share", "real", NULL};
static const FolderMark launch_mark = {.maker = "launch",
                                       .option = "-o",
                                       .mark = "launch.json",
                                       .beginning = "",
                                       .replaced = replaced_names};

static bool folder_begin(Arena *arena, const char *folder, const LaunchJob *job, Status *status)
{
    Json *begun = json_object(arena);
    json_put_integer(arena, begun, "seed", job->seed);
    return folder_is_ours(folder, &launch_mark, status) && folder_create(folder, status) &&
           json_file_write(record_path(arena, folder), begun, status);
}

/* The seed of the earlier launch in `folder`, which determines the job's folders on its shares;
 * `fallback` if there was no earlier launch. */
static int64_t earlier_seed(Arena *arena, const char *folder, int64_t fallback)
{
    enum { RECORD_BYTES_MAX = 1 << 20 };
    char *text;
    size_t length;
    Status none;
    Problems ignored = problems_create(arena);
    const char *path = record_path(arena, folder);
    const Json *record = file_read(arena, path, RECORD_BYTES_MAX, &text, &length, &none)
                             ? json_parse(arena, path, text, length, JSON_STRICT, &ignored)
                             : NULL;
    const Json *seed = record ? json_member(record, "seed") : NULL;
    return seed && seed->is_integer ? seed->integer : fallback;
}

/* --- Results --- */

/* A result that the job does not have is negative. */
static int64_t known(int64_t value)
{
    return value >= 0 ? value : PLAIN_UNKNOWN;
}

static Json *record_of(Arena *arena, const LaunchJob *job, const LaunchResult *result)
{
    const LaunchRecord record = {.job = job->path,
                                 .state = result->state,
                                 .exit_code = known(result->exit_code),
                                 .error = {result->error_code, result->error_message},
                                 .seed = job->seed,
                                 .nodes = job->nodes,
                                 .ranks = job->ranks,
                                 .took_ms = result->took_ns / NS_PER_MS,
                                 .epochs = known(result->training.epochs),
                                 .accuracy_ppm = known(result->training.accuracy_ppm),
                                 .loss_micro = known(result->training.loss_micro),
                                 .logs = result->log_folder,
                                 .stdout_path = result->stdout_path,
                                 .stderr_path = result->stderr_path};
    return plain_write(arena, &launch_record_type, &record);
}

static void print_begin(const LaunchJob *job)
{
    const char *skipped = job->has_preparation && job->has_container
                              ? "jobPreparation and containerSettings"
                          : job->has_preparation ? "jobPreparation"
                          : job->has_container   ? "containerSettings"
                                                 : NULL;
    printf("%s: %" PRId32 " rank%s for %" PRId32 " node%s of the service, all on this machine\n",
           job->path, job->ranks, plural(job->ranks), job->nodes, plural(job->nodes));
    if (job->command)
        printf("  in place of  %s\n", job->command);
    if (skipped)
        printf("  skipped      %s: nothing is installed\n", skipped);
    fflush(stdout);
}

static void print_end(const LaunchJob *job, const LaunchResult *result)
{
    Text took = {0};
    duration_print(&took, result->took_ns);
    printf("%s: %s", job->path, result->state);
    if (result->exit_code >= 0)
        printf(", exit code %" PRId32, result->exit_code);
    printf(", took %s\n", text_string(&took));
    text_free(&took);
    if (result->error_code)
        printf("  %s: %s\n", result->error_code, result->error_message);
    if (result->training.accuracy_ppm >= 0)
        printf("  epochs %" PRId64 ", val_accuracy %.4f\n", result->training.epochs,
               (double)result->training.accuracy_ppm / 1e6);
    printf("  stdout       %s\n  stderr       %s\n", result->stdout_path, result->stderr_path);
    fflush(stdout);
}

/* --- The launch --- */

typedef struct {
    Arena *arena;
    const LaunchArguments *arguments;
    LaunchSettings settings;
    char **words; /* the arguments after --; ended by NULL */
    Json *records;
    bool has_failed;
    int signal;
} Launch;

static bool launch_one(Launch *launch, LaunchJob *job, Problems *problems)
{
    Arena *arena = launch->arena;
    LaunchSettings settings = launch->settings;
    LaunchResult result;
    Status status = {0};
    settings.folder = arena_printf(arena, "%s/%s", launch->arguments->output_folder, job->name);
    read_training(arena, job, launch->words, &settings);
    if (settings.continues)
        job->seed = earlier_seed(arena, settings.folder, job->seed);
    if (!folder_begin(arena, settings.folder, job, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    if (!settings.is_quiet)
        print_begin(job);
    if (!launch_run(arena, job, &settings, &result, problems))
        return false;
    Json *record = json_add(launch->records, record_of(arena, job, &result));
    if (!json_file_write(record_path(arena, settings.folder), record, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    if (!settings.is_quiet)
        print_end(job, &result);
    launch->has_failed = launch->has_failed || !result.has_succeeded;
    launch->signal = result.signal;
    return true;
}

static bool read_one(const Launch *launch, const char *path, const char *name, LaunchJob *job,
                     Problems *problems)
{
    Arena *arena = launch->arena;
    LaunchSettings settings = launch->settings;
    if (!launch_read(arena, path, name, launch->arguments->nodes, settings.mounts,
                     settings.mount_count, job, problems))
        return false;
    read_training(arena, job, launch->words, &settings);
    return launch_check(arena, job, &settings.training, problems);
}

/* All jobs are read before the first one runs. */
static int launch_all(Launch *launch, const Operands *operands)
{
    Arena *arena = launch->arena;
    Problems problems = problems_create(arena);
    LaunchJob *jobs = ARENA_ARRAY(arena, LaunchJob, operands->count);
    bool is_good = true;
    for (int32_t i = 0; i < operands->count; i++)
        is_good = read_one(launch, operands->items[i], job_name(arena, operands->items, i),
                           &jobs[i], &problems) &&
                  is_good;
    for (int32_t i = 0; is_good && i < operands->count && launch->signal == 0; i++)
        is_good = launch_one(launch, &jobs[i], &problems);
    if (launch->arguments->is_json)
        json_show(launch->records);
    if (!is_good)
        return report_problems(&problems);
    return launch->signal ? 128 + launch->signal : launch->has_failed ? EXIT_NO : EXIT_FINE;
}

static int launch_with(Arena *arena, const LaunchArguments *arguments, const Operands *operands,
                       char **words)
{
    TrainingSettings options = train_option_defaults;
    LaunchMount *mounts;
    Status status;
    if (!parse_words(arena, words, &options, &status) ||
        !read_mounts(arena, &arguments->mounts, &mounts, &status))
        return report_status(&status);
    Launch launch = {.arena = arena,
                     .arguments = arguments,
                     .settings = {.backend = (HandOffBackend)arguments->backend,
                                  .data_folder = arguments->data_folder,
                                  .mounts = mounts,
                                  .mount_count = arguments->mounts.count,
                                  .is_quiet = arguments->is_quiet || arguments->is_json},
                     .words = words,
                     .records = json_array(arena)};
    return launch_all(&launch, operands);
}

static int launch(int argc, char **argv)
{
    Arena *arena = arena_create();
    LaunchArguments arguments = {.output_folder = "launch"};
    Operands operands;
    Status status;
    int exit_code;
    int own = 1;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    char **words = argv + (own < argc ? own + 1 : argc);
    if (!check_trainer_words(words, &status))
        exit_code = report_status(&status);
    else if (options_read(&launch_table, arena, own, argv, &arguments, &operands, &exit_code))
        exit_code = launch_with(arena, &arguments, &operands, words);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_launch = {.options = &launch_table, .run = launch};

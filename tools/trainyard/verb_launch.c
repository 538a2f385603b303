/* trainyard launch: a job.json runs here and now, by the trainer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "real/launch/launch.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/json/decimal.h"
#include "tools/trainyard/train/train_options.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    const char *output_folder;
    int backend; /* HandOffBackend */
    const char *data_folder;
    OptionTexts mounts;
    int64_t nodes; /* 0: as the job says */
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
                  "keep each job's files in a folder of its name in DIR (launch)"),
    OPTION_CHOICE(0, "real", backend, "WHERE", backend_names, "who computes (auto)"),
    OPTION_FOLDER(0, "data", data_folder, "DIR", "train on CIFAR-10 in DIR"),
    OPTION_TEXTS(
        0, "mount", mounts, "PATH=DIR",
        "mount DIR where the job mounts a share at PATH, or else for the cluster; as often as "
        "needed"),
    OPTION_INTEGER(0, "nodes", nodes, "N", 1, 100,
                   "run as on N nodes instead of nodeCount, with as many processes on each"),
    OPTION_FLAG(0, "json", is_json, "print nothing but a record of each job as JSON"),
    OPTION_FLAG('q', "quiet", is_quiet, "print nothing but problems"),
    {0},
};
#undef OWNER

static const OptionTable launch_table = {
    .name = "launch",
    .operands = "JOB... [-- OPTION...]",
    .summary = "Runs job.json files for real on this machine, one after the other.",
    .details =
        "As many ranks as the service would start processes run `trainyard train`, by Open MPI's "
        "mpirun where they are several, in the place of the job's script: commandLineArgs are the "
        "trainer's options, and those behind -- come after them. Variables (AZ_BATCHAI_...), "
        "folders, names of log files, maxWallClockTime, exit code and errors are those of the "
        "service. jobPreparation and containerSettings are passed over: nothing is installed.\n"
        "\n"
        "A job's files are in DIR/NAME, NAME being that of its file: share/ACCOUNT/SHARE is what "
        "it has mounted, real/ has the timelines of its ranks. A launch replaces what an earlier "
        "one "
        "left there; with --resume behind -- the shares stay, so that \"latest\" is found.\n"
        "\n"
        "Exit codes: 0 when all jobs succeeded, 1 when one failed, 2 for wrong input, 3 when the "
        "machine fails, 128 and the signal's number after a signal.",
    .example = "trainyard launch job.json --data cifar10 -o out\n"
               "trainyard launch job.json --nodes 2 --real cpu --data cifar10 -- --epochs 2\n"
               "trainyard launch job.json --mount myshare=/srv/share -- --dir /srv/share/cifar",
    .options = launch_options,
    .operand_count_min = 1,
    .operand_count_max = INT32_MAX,
};

static const Place here = {.source = "trainyard: launch"};

/* --- What is asked for --- */

static bool check_trainer_words(char **words, Status *status)
{
    if (!words[0] || words[0][0] == '-')
        return true;
    status_fail(status, STATUS_BAD_INPUT, here,
                "what stands behind -- is for the trainer, which takes options; got \"%s\"",
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
        const Place at = place_in("trainyard: launch: --mount", 0, 0);
        struct stat facts;
        if (!sign || sign == text || !sign[1]) {
            status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is not PATH=DIR", text);
            return status_hint(status, "PATH is a relativeMountPath of the job, DIR a folder here");
        }
        if (stat(sign + 1, &facts) != 0 || !S_ISDIR(facts.st_mode))
            return status_fail(status, STATUS_BAD_INPUT, at, "there is no folder \"%s\"", sign + 1);
        (*mounts)[i] = (LaunchMount){.relative = arena_strndup(arena, text, (size_t)(sign - text)),
                                     .folder = sign + 1};
    }
    return true;
}

/* Its file's name without ".json", in letters of names; of a second one of that name with a number.
 */
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

/* What the trainer makes of the words. */
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

/* Of the training set, which the trainer sees whole without --limit. */
enum { TRAINING_IMAGES = 50000 };

/* The job's own arguments and then `more`, with a seed in front: the world's is no seed of a
 * training. Words of the job that the trainer does not know are its own to complain of. */
static void read_training(Arena *arena, const LaunchJob *job, char *const *more,
                          LaunchSettings *settings)
{
    enum { SEED_WORDS = 2 };
    TrainingSettings options = train_option_defaults;
    Status unheard;
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
    if (!parse_words(arena, words, &options, &unheard)) {
        options = train_option_defaults;
        (void)!parse_words(arena, more, &options, &unheard);
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

/* --- Its folder --- */

static const char *record_path(Arena *arena, const char *folder)
{
    return arena_printf(arena, "%s/launch.json", folder);
}

/* What is in share/ and real/ is replaced: only where we have left it. */
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

/* The seed of the launch before in `folder`, with which a job finds its own files on its shares;
 * `otherwise` where there was none. */
static int64_t seed_before(Arena *arena, const char *folder, int64_t otherwise)
{
    enum { RECORD_BYTES_MAX = 1 << 20 };
    char *text;
    size_t length;
    Status none;
    Problems unheard = problems_create(arena);
    const char *path = record_path(arena, folder);
    const Json *record = file_read(arena, path, RECORD_BYTES_MAX, &text, &length, &none)
                             ? json_parse(arena, path, text, length, JSON_STRICT, &unheard)
                             : NULL;
    const Json *seed = record ? json_member(record, "seed") : NULL;
    return seed && seed->is_integer ? seed->integer : otherwise;
}

/* --- What came of it --- */

static Json *record_of(Arena *arena, const LaunchJob *job, const LaunchResult *result)
{
    Json *record = json_object(arena);
    const RealTraining *training = &result->training;
    json_put_text(arena, record, "job", job->path);
    json_put_text(arena, record, "state", result->state);
    if (result->exit_code >= 0)
        json_put_integer(arena, record, "exit_code", result->exit_code);
    if (result->error_code) {
        Json *error = json_put_object(arena, record, "error");
        json_put_text(arena, error, "code", result->error_code);
        json_put_text(arena, error, "message", result->error_message);
    }
    json_put_integer(arena, record, "seed", job->seed);
    json_put_integer(arena, record, "nodes", job->nodes);
    json_put_integer(arena, record, "ranks", job->ranks);
    json_set(arena, record, "took_s", decimal_json(arena, result->took_ns / NS_PER_MS, 3));
    if (training->epochs >= 0)
        json_put_integer(arena, record, "epochs", training->epochs);
    if (training->accuracy_ppm >= 0)
        json_set(arena, record, "val_accuracy", decimal_json(arena, training->accuracy_ppm, 6));
    if (training->loss_micro >= 0)
        json_set(arena, record, "val_loss", decimal_json(arena, training->loss_micro, 6));
    json_put_text(arena, record, "logs", result->log_folder);
    json_put_text(arena, record, "stdout", result->stdout_path);
    json_put_text(arena, record, "stderr", result->stderr_path);
    return record;
}

static void say_begin(const LaunchJob *job)
{
    const char *passed_over = job->has_preparation && job->has_container
                                  ? "jobPreparation and containerSettings"
                              : job->has_preparation ? "jobPreparation"
                              : job->has_container   ? "containerSettings"
                                                     : NULL;
    printf("%s: %" PRId32 " rank%s on %" PRId32 " node%s of the service, here on one machine\n",
           job->path, job->ranks, plural(job->ranks), job->nodes, plural(job->nodes));
    if (job->command)
        printf("  in place of  %s\n", job->command);
    if (passed_over)
        printf("  not done     %s: nothing is installed\n", passed_over);
    fflush(stdout);
}

static void say_end(const LaunchJob *job, const LaunchResult *result)
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

/* --- Together --- */

typedef struct {
    Arena *arena;
    const LaunchArguments *arguments;
    LaunchSettings settings;
    char **words; /* behind --; ended by NULL */
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
        job->seed = seed_before(arena, settings.folder, job->seed);
    if (!folder_begin(arena, settings.folder, job, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    if (!settings.is_quiet)
        say_begin(job);
    if (!launch_run(arena, job, &settings, &result, problems))
        return false;
    Json *record = json_add(launch->records, record_of(arena, job, &result));
    if (!json_file_write(record_path(arena, settings.folder), record, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    if (!settings.is_quiet)
        say_end(job, &result);
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

#define _XOPEN_SOURCE 700 // realpath
#include "real/launch/hand_off.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real/launch/job_place.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/cli/machine_clock.h"
#include "sim/cloud/job/job_name.h"
#include "sim/cloud/training/layer_rates.h"
#include "sim/json/decimal.h"
#include "trainer/data/cifar_files.h"
#include "trainer/record/checkpoint_name.h"
#include "trainer/record/computing.h"
#include "trainer/record/history.h"

/* Names of the ranks' timelines, as text and for Perfetto (trainer/record/timeline.h). */
static const char timeline_begins[] = "timeline.";

static const char *backend_word(HandOffBackend backend)
{
    static const char *const words[] = {
#define X(name, word) word,
        HAND_OFF_BACKENDS(X)
#undef X
    };
    return words[backend];
}

bool hand_off_takes(const Job *job)
{
    return job->spec->program->kind == PROGRAM_REAL && job->spec->program->training;
}

/* --- Places --- */

const char *hand_off_node_path(Arena *arena, const Program *program, const char *share,
                               const char *path)
{
    for (int32_t i = 0; i < program->mount_count; i++) {
        const ShellMount *mount = &program->mounts[i];
        const size_t length = strlen(mount->folder);
        const bool is_in = strcmp(mount->share, share) == 0 &&
                           strncmp(mount->folder, path, length) == 0 &&
                           (length == 0 || path[length] == '/' || path[length] == '\0');
        if (!is_in)
            continue;
        const char *inside = path + length + (length > 0 && path[length] == '/');
        return arena_printf(arena, "%s%s%s", mount->path, *inside ? "/" : "", inside);
    }
    return NULL;
}

/* The inputs of hand_off_plan. */
typedef struct {
    Arena *arena;
    const World *world;
    const Job *job;
    const Program *training;
    const HandOffSettings *settings;
} HandOffInput;

/* `path` with the node's links resolved: the node's folder is removed after the run, but the
 * trainer's output still names the path. The last parts of `path` need not exist yet. */
static const char *resolve_links(Arena *arena, const char *path)
{
    char *begin = arena_strdup(arena, path);
    for (size_t length = strlen(begin); length > 0; length--) {
        if (path[length] != '/' && path[length] != '\0')
            continue;
        begin[length] = '\0';
        char *whole = realpath(begin, NULL);
        if (!whole)
            continue;
        const char *found = arena_printf(arena, "%s%s", whole, path + length);
        free(whole);
        return found;
    }
    return path;
}

/* This machine's path of a program's path on `share` (NULL: on the node). */
static const char *local_path(const HandOffInput *input, const char *share, const char *path)
{
    const char *folder = input->settings->node_folder;
    const char *on_node =
        share ? hand_off_node_path(input->arena, input->job->spec->program, share, path) : path;
    if (on_node && on_node[0] == '/')
        return resolve_links(input->arena, arena_printf(input->arena, "%s%s", folder, on_node));
    // No mount contains the path, or it is relative to the folder in which the program starts.
    const char *start = job_place_start(input->world, input->job, folder, input->arena);
    while (path[0] == '.' && (path[1] == '/' || path[1] == '\0'))
        path += 1 + (path[1] == '/');
    return arena_printf(input->arena, "%s%s%s", start, *path ? "/" : "", path);
}

/* The folder of a file that the program writes; `otherwise` if it writes no such file. */
static const char *folder_of(const HandOffInput *input, int64_t bytes, const char *share,
                             const char *path, const char *otherwise)
{
    if (bytes == 0 || !path)
        return local_path(input, NULL, otherwise);
    char *folder = arena_strdup(
        input->arena, job_fill_in(world_scenario(input->world), input->job, path, 0, input->arena));
    char *slash = strrchr(folder, '/');
    if (!slash)
        return local_path(input, share, "");
    *slash = '\0';
    return local_path(input, share, folder);
}

/* --- Data --- */

static bool find_data(const HandOffInput *input, const char **folder, Status *status)
{
    const Program *training = input->training;
    const char *name = input->job->path.name;
    const char *named = input->settings->data_folder;
    *folder = named                  ? named
              : training->data_share ? local_path(input, training->data_share, training->data_path)
                                     : NULL;
    CifarFile found;
    if (*folder ? cifar_file_find(*folder, input->arena, &found)
                : input->settings->arguments != NULL)
        return true;
    if (named)
        status_fail(status, STATUS_BAD_INPUT, place_in(named, 0, 0),
                    "contains no CIFAR-10 data set; job \"%s\" needs one", name);
    else if (*folder)
        status_fail(status, STATUS_BAD_INPUT, place_in(training->data_share, 0, 0),
                    "\"%s\" contains no CIFAR-10 data set; job \"%s\" needs one",
                    training->data_path, name);
    else
        status_fail(status, STATUS_BAD_INPUT, place_in("--data", 0, 0),
                    "job \"%s\" downloads its data set, but a real run downloads nothing", name);
    return status_hint(status,
                       "--data DIR names the folder of CIFAR-10; `trainyard make-cifar DIR` "
                       "makes a similar set");
}

/* The steps that a rank needs to see `images` images once. */
static int64_t steps_for(const Program *training, int64_t images)
{
    return (images + training->batch_per_rank - 1) / training->batch_per_rank;
}

/* An epoch that covers the whole modelled set covers all images that are found. */
static bool covers_all_images(const Program *training)
{
    return training->steps_per_epoch == steps_for(training, training->data_set->train_samples);
}

const char *hand_off_description(Arena *arena, const JobSpec *spec)
{
    const Program *training = spec->program->training;
    if (!training)
        return "no training";
    const char *each = covers_all_images(training)
                           ? "of all images"
                           : arena_printf(arena, "of %" PRId64 " step%s", training->steps_per_epoch,
                                          plural(training->steps_per_epoch));
    return arena_printf(
        arena, "%s in %s, %" PRId32 " rank%s, batches of %" PRId64 ", %" PRId64 " epoch%s %s",
        training->network->name, step_precision_word(training->precision), spec->processes,
        plural(spec->processes), training->batch_per_rank, training->epochs,
        plural(training->epochs), each);
}

static int64_t steps_per_epoch(const HandOffInput *input, const char *data_folder)
{
    const Program *training = input->training;
    DataSamples there = {0};
    Status ignored; // the trainer reports a damaged set in the job's own output
    if (covers_all_images(training) &&
        !data_set_count(input->arena, data_folder, input->settings->counted, &there, &ignored))
        return training->steps_per_epoch;
    return there.train > 0 ? steps_for(training, there.train) : training->steps_per_epoch;
}

/* --- The plan --- */

static const char *history_path(Arena *arena, const char *log_folder)
{
    return arena_printf(arena, "%s/history.tsv", log_folder);
}

static void add_option(Arena *arena, char **list, int32_t *count, const char *name,
                       const char *value)
{
    list[(*count)++] = arena_printf(arena, "--%s", name);
    list[(*count)++] = arena_strdup(arena, value);
}

static void add_number(Arena *arena, char **list, int32_t *count, const char *name, int64_t value)
{
    add_option(arena, list, count, name, arena_printf(arena, "%" PRId64, value));
}

/* The value of the variable whose name is the first `length` characters of `name`, or NULL. */
static const char *value_of(char *const *environment, const char *name, size_t length)
{
    for (; *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

/* `word` with $NAME and ${NAME} replaced by their values in `environment`; unknown names stay
 * unchanged. */
static char *fill_in(Arena *arena, const char *word, char *const *environment)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    Text text = {0};
    while (*word) {
        const bool has_braces = word[0] == '$' && word[1] == '{';
        const char *name = word + 1 + has_braces;
        const size_t length = word[0] == '$' ? strspn(name, letters) : 0;
        const bool is_whole = length > 0 && (!has_braces || name[length] == '}');
        const char *value = is_whole ? value_of(environment, name, length) : NULL;
        if (value)
            text_add(&text, value);
        else
            text_append(&text, word, 1);
        word = value ? name + length + has_braces : word + 1;
    }
    return text_move(arena, &text);
}

/* `word` with the links of a node's path in it resolved, if it contains such a path. */
static char *resolve_word(const HandOffInput *input, char *word)
{
    const char *path = strstr(word, input->settings->node_folder);
    return path ? arena_printf(input->arena, "%.*s%s", (int)(path - word), word,
                               resolve_links(input->arena, path))
                : word;
}

/* The distance of the program's checkpoints, as the trainer reads it. */
static const char *every_of(Arena *arena, const Program *training)
{
    if (training->checkpoint_steps > 0)
        return arena_printf(arena, "%" PRId64 "steps", training->checkpoint_steps);
    return arena_printf(arena, "%" PRId64 "epochs", training->checkpoint_every);
}

static char **arguments_of(const HandOffInput *input, const HandOff *plan, char *const *environment)
{
    enum { ARGUMENTS_MAX = 40 };
    static char *const none[] = {NULL};
    Arena *arena = input->arena;
    const Program *training = input->training;
    char *const *more = input->settings->arguments ? input->settings->arguments : none;
    int32_t count = 0;
    while (more[count])
        count++;
    char **list = ARENA_ARRAY(arena, char *, ARGUMENTS_MAX + count);
    count = 0;
    add_option(arena, list, &count, "network", training->network->name);
    add_number(arena, list, &count, "batch-size", training->batch_per_rank);
    add_option(arena, list, &count, "precision", step_precision_word(training->precision));
    add_number(arena, list, &count, "epochs", training->epochs);
    if (!covers_all_images(training)) // otherwise the trainer counts the images itself
        add_number(arena, list, &count, "steps", training->steps_per_epoch);
    add_number(arena, list, &count, "seed", (int64_t)world_scenario(input->world)->seed);
    if (plan->data_folder)
        add_option(arena, list, &count, "data-dir", plan->data_folder);
    add_option(arena, list, &count, "log-dir", plan->log_folder);
    add_option(arena, list, &count, "model-dir", plan->model_folder);
    add_option(arena, list, &count, "backend", backend_word(input->settings->backend));
    list[count++] = arena_strdup(arena, "--timeline");
    list[count++] = arena_strdup(arena, "--whole-steps"); // phases would take longer on GPUs
    if (training->checkpoint_bytes > 0)
        add_option(arena, list, &count, "checkpoint-every", every_of(arena, training));
    if (plan->resumed.epochs > 0 || plan->resumed.steps > 0)
        add_option(arena, list, &count, "resume", "latest");
    if (input->settings->fail_step > 0) {
        add_number(arena, list, &count, "fail-rank", input->settings->fail_rank);
        add_number(arena, list, &count, "fail-step", input->settings->fail_step);
        add_option(arena, list, &count, "fail-notice",
                   arena_printf(arena, "%" PRId64 "ns", input->settings->fail_notice_ns));
    }
    for (; *more; more++)
        list[count++] = resolve_word(input, fill_in(arena, *more, environment));
    return list;
}

/* The job's variables and this machine's variables that locate GPU libraries, select GPUs and
 * configure sanitizers. */
static char **environment_of(const HandOffInput *input)
{
    static const char *const kept[] = {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "ASAN_OPTIONS",
                                       "LSAN_OPTIONS"};
    enum { KEPT = sizeof kept / sizeof *kept };
    int32_t count;
    char **list = job_place_environment(input->world, input->job, input->settings->node_folder,
                                        KEPT, input->arena, &count);
    for (size_t i = 0; i < KEPT; i++)
        if (getenv(kept[i]))
            list[count++] = arena_printf(input->arena, "%s=%s", kept[i], getenv(kept[i]));
    return list;
}

bool hand_off_plan(Arena *arena, const World *world, const Job *job,
                   const HandOffSettings *settings, HandOff *plan, Status *status)
{
    const Program *training = job->spec->program->training;
    const HandOffInput input = {
        .arena = arena, .world = world, .job = job, .training = training, .settings = settings};
    *plan = (HandOff){
        .out_path = job_place_output(world, job, 0, "stdout", arena),
        .error_path = job_place_output(world, job, 0, "stderr", arena),
        .log_folder = folder_of(&input, training->checkpoint_bytes, training->checkpoint_share,
                                training->checkpoint_path, "logs"),
        .model_folder = folder_of(&input, training->model_bytes, training->model_share,
                                  training->model_path, "saved_models"),
        .epochs = training->epochs};
    if (!find_data(&input, &plan->data_folder, status))
        return false;
    plan->steps_per_epoch = steps_per_epoch(&input, plan->data_folder);
    plan->history = file_version(history_path(arena, plan->log_folder));
    const bool can_resume = job->starts > 1 && training->resumes;
    CheckpointPoint latest;
    if (can_resume && checkpoint_latest_point(plan->log_folder, CHECKPOINT_LAST, &latest))
        plan->resumed = latest;
    char **environment = environment_of(&input);
    plan->ranks =
        (RanksPlan){.program = settings->trainer,
                    .arguments = arguments_of(&input, plan, environment),
                    .environment = environment,
                    .directory = job_place_start(world, job, settings->node_folder, arena),
                    .ranks = job->spec->processes,
                    .is_on_gpus = settings->backend == HAND_OFF_CUDA,
                    .out = -1,
                    .error = -1};
    return true;
}

/* --- Results --- */

/* A number of the history, which has six decimals, in millionths; -1: it was not measured. */
static int64_t millionths(double value)
{
    return isnan(value) ? -1 : llround(value * 1e6);
}

bool hand_off_read_training(Arena *arena, const HandOff *plan, RealTraining *training,
                            Status *status)
{
    const char *path = history_path(arena, plan->log_folder);
    HistoryFile history;
    *training = real_training_unknown();
    const FileVersion now = file_version(path);
    const int64_t epoch_max =
        file_version_is_same(now, plan->history) ? plan->resumed.epochs : INT64_MAX;
    if (now.number == 0 || epoch_max == 0)
        return true;
    if (!history_read(path, arena, &history, status))
        return false;
    while (history.count > 0 && history.records[history.count - 1].epoch > epoch_max)
        history.count--;
    if (history.count == 0)
        return true;
    const EpochRecord *last = &history.records[history.count - 1];
    if (last->epoch > plan->epochs)
        return status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                           "ends with epoch %" PRId64 ", but the job trains for %" PRId64,
                           last->epoch, plan->epochs);
    *training = (RealTraining){.epochs = last->epoch,
                               .steps = last->epoch * plan->steps_per_epoch,
                               .accuracy_ppm = millionths(last->val_acc),
                               .loss_micro = millionths(last->val_loss)};
    return true;
}

void hand_off_put_training(Arena *arena, Json *entry, RealTraining training)
{
    if (training.epochs >= 0)
        json_put_integer(arena, entry, "epochs", training.epochs);
    if (training.steps >= 0)
        json_put_integer(arena, entry, "steps", training.steps);
    if (training.accuracy_ppm >= 0)
        json_set(arena, entry, "val_accuracy", decimal_json(arena, training.accuracy_ppm, 6));
    if (training.loss_micro >= 0)
        json_set(arena, entry, "val_loss", decimal_json(arena, training.loss_micro, 6));
}

/* The text after the first character of `ends`; NULL: it has none. */
static const char *after(const char *text, const char *ends)
{
    const char *end = strpbrk(text, ends);
    return end != NULL ? end + 1 : NULL;
}

int64_t hand_off_steps_printed(const char *text, int64_t steps_per_epoch)
{
    int64_t epoch = 0, in_epoch = 0;
    // mpirun gives ranks a terminal, on which a bar is drawn over the one before.
    for (const char *line = text; line; line = after(line, "\n\r\b")) {
        char *end;
        const char *number = line + strspn(line, " \r");
        if (strncmp(line, "Epoch ", strlen("Epoch ")) == 0) {
            epoch = strtoll(line + strlen("Epoch "), NULL, 10) - 1;
            in_epoch = 0;
            continue;
        }
        const int64_t done = strtoll(number, &end, 10);
        const bool is_bar = end > number && *end == '/';
        // The bar of an evaluation counts test images, so it has another total.
        if (is_bar && strtoll(end + 1, &end, 10) == steps_per_epoch && *end == ' ')
            in_epoch = done;
    }
    return epoch < 0 ? 0 : epoch * steps_per_epoch + in_epoch;
}

/* The output of the ranks; "" if there is none. */
static const char *read_output(Arena *arena, const HandOff *plan, const HandOffSettings *settings)
{
    enum { OUT_MAX = 64 << 20 };
    char *text;
    size_t length;
    Status none;
    const char *path = arena_printf(arena, "%s%s", settings->node_folder, plan->out_path);
    return file_read(arena, path, OUT_MAX, &text, &length, &none) ? text : "";
}

/* The row "Backend" of the table that the trainer prints first; its members are NULL if the output
 * has no such row yet. */
static Computing printed_computing(Arena *arena, const char *text)
{
    static const char row[] = "\nBackend ";
    const char *found = strstr(text, row);
    if (!found)
        return (Computing){0};
    found += strlen(row);
    return computing_parse(arena, found + strspn(found, " "));
}

/* The number in the line "N WHAT" above that table; -1: there is no such line. */
static int64_t printed_count(const char *text, const char *what)
{
    for (const char *line = text; line; line = after(line, "\n")) {
        char *end;
        const int64_t count = strtoll(line, &end, 10);
        const size_t length = strlen(what);
        if (end > line && strncmp(end, what, length) == 0 && (end[length] == '\n' || !end[length]))
            return count;
    }
    return -1;
}

static Json *count_or_null(Arena *arena, int64_t count)
{
    return count < 0 ? json_null(arena) : json_integer(arena, count);
}

static Json *text_or_null(Arena *arena, const char *text)
{
    return text == NULL ? json_null(arena) : json_string(arena, text);
}

static bool copy_file(Arena *arena, const char *from, const char *to, Status *status)
{
    char *bytes;
    size_t length;
    return file_read(arena, from, SIZE_MAX / 2, &bytes, &length, status) &&
           file_write(to, bytes, length, status);
}

static bool move_file(Arena *arena, const char *from, const char *to, const char *name,
                      Status *status)
{
    const char *old = arena_printf(arena, "%s/%s", from, name);
    const char *new = arena_printf(arena, "%s/%s", to, name);
    if (rename(old, new) == 0)
        return true;
    if (errno == EXDEV) { // a mounted folder may be on another disk
        if (!copy_file(arena, old, new, status))
            return false;
        if (unlink(old) == 0)
            return true;
    }
    return status_fail(status, STATUS_MACHINE, place_in(old, 0, 0), "cannot be moved to %s: %s", to,
                       strerror(errno));
}

static bool move_timelines(Arena *arena, const char *from, const char *to, Status *status)
{
    bool is_good = true;
    DIR *listing = opendir(from);
    if (!listing)
        return true; // the ranks ended before they created it
    for (const struct dirent *entry; is_good && (entry = readdir(listing));)
        if (strncmp(entry->d_name, timeline_begins, strlen(timeline_begins)) == 0)
            is_good = move_file(arena, from, to, arena_strdup(arena, entry->d_name), status);
    closedir(listing);
    return is_good;
}

bool hand_off_keep(Arena *arena, const Job *job, const HandOff *plan,
                   const HandOffSettings *settings, const RanksEnd *end, const char *folder,
                   Status *status)
{
    const Program *training = job->spec->program->training;
    Json *facts = json_object(arena);
    const char *text_printed = read_output(arena, plan, settings);
    const Computing computing = printed_computing(arena, text_printed);
    json_set(arena, facts, "backend", text_or_null(arena, computing.backend));
    json_set(arena, facts, "precision", text_or_null(arena, computing.precision));
    json_set(arena, facts, "device", text_or_null(arena, computing.device));
    json_put_integer(arena, facts, "ranks", job->spec->processes);
    json_put_integer(arena, facts, "batch", training->batch_per_rank);
    json_put_text(arena, facts, "network", training->network->name);
    json_set(arena, facts, "train_samples",
             count_or_null(arena, printed_count(text_printed, " train samples")));
    json_set(arena, facts, "test_samples",
             count_or_null(arena, printed_count(text_printed, " test samples")));
    json_put_integer(arena, facts, "took_ns", end->took_ns);
    json_put_integer(arena, facts, "exit_code", end->exit_code);
    if (!folder_create(folder, status) || !move_timelines(arena, plan->log_folder, folder, status))
        return false;
    return json_file_write(arena_printf(arena, "%s/ranks.json", folder), facts, status);
}

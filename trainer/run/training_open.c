#include "trainer/run/training_open.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/text.h"
#include "sim/cli/files.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/report.h"
#include "trainer/comm/cores.h"
#include "trainer/record/checkpoint_name.h"
#include "trainer/run/backends.h"
#include "trainer/run/signals.h"

static const Place here = {.source = "trainyard: train"};

/* --- Agreement --- */

/* Sets a status without a message, because another rank prints it. */
static bool fail_silently(StatusCode code, Status *status)
{
    *status = (Status){.code = code, .at = here};
    return false;
}

/* Adds the rank's number to the message. */
static void name_rank(int32_t rank, Status *status)
{
    char hint[sizeof status->hint];
    memcpy(hint, status->hint, sizeof hint);
    status_fail(status, status->code, status->at, "rank %" PRId32 ": %s", rank, status->message);
    if (hint[0])
        status_hint(status, "%s", hint);
}

bool training_agree(Training *training, bool is_fine, Status *status)
{
    enum { CODES = 16 };
    int64_t verdict = is_fine ? INT64_MAX : (int64_t)training->rank * CODES + status->code;
    if (!comm_min(training->trainer.comm, &verdict, status))
        return false;
    if (verdict == INT64_MAX)
        return true;
    training->end = TRAINING_FAILED;
    if (verdict / CODES != training->rank)
        return fail_silently((StatusCode)(verdict % CODES), status);
    if (training->ranks > 1)
        name_rank(training->rank, status);
    return false;
}

/* --- The backend --- */

/* Returns the first backend that works on all ranks. NULL if there is none; the status then has the
 * reasons of the lowest rank on which no backend works. */
static const Backend *agree_on_backend(Training *training, Status *status)
{
    const char *word = backend_words[training->options->backend];
    const Precision precision = (Precision)training->options->precision;
    for (int32_t i = 0; backends[i]; i++) {
        Status reason;
        int64_t works =
            backend_word_allows(word, backends[i]) && backends[i]->probe(precision, &reason);
        if (!comm_min(training->trainer.comm, &works, status))
            return NULL;
        if (works)
            return backends[i];
    }
    bool has_own = backend_find(word, precision, status) != NULL;
    if (training_agree(training, has_own, status)) {
        training->end = TRAINING_FAILED; // each rank has a backend, but there is no common one
        status_fail(status, STATUS_MACHINE, here, "no backend works on all ranks with --backend %s",
                    word);
        if (training->rank > 0)
            fail_silently(STATUS_MACHINE, status);
    }
    return NULL;
}

/* The size of the largest batch. No batch has more images than the larger set, so that
 * `--batch-size 65536` with a small set does not allocate 80 GB. */
static int32_t largest_batch(const Training *training)
{
    const int64_t train = training->data.train.count, test = training->data.test.count;
    const int64_t images = train > test ? train : test, batch = training->options->batch_size;
    return (int32_t)(batch < images ? batch : images);
}

static bool open_model(Training *training, Status *status)
{
    const TrainingSettings *options = training->options;
    const BackendSettings settings = {.net = &training->net,
                                      .batch_max = largest_batch(training),
                                      .precision = (Precision)options->precision,
                                      .threads = (int32_t)options->threads,
                                      .local_rank = comm_local_rank(training->trainer.comm),
                                      .seed = (uint64_t)options->seed,
                                      .rank = (uint32_t)training->rank,
                                      .profile = training->trainer.profile,
                                      .engine =
                                          options->is_deterministic ? ENGINE_OWN : ENGINE_FASTEST};
    Trainer *trainer = &training->trainer;
    bool is_open = trainer->backend->open(&settings, &trainer->model, status);
    if (!training_agree(training, is_open, status))
        return false;
    if (trainer->backend->device)
        training->plan.device = trainer->backend->device(trainer->model);
    return true;
}

/* Warns if ranks share a GPU, because they wait for each other. */
static void warn_shared_gpus(const Training *training, Problems *warnings)
{
    const Trainer *trainer = &training->trainer;
    const int32_t ranks = comm_local_size(trainer->comm);
    const int32_t gpus =
        trainer->backend->device_count ? trainer->backend->device_count(trainer->model) : ranks;
    if (gpus < ranks)
        problems_add(warnings, STATUS_CONFLICT, here,
                     "%" PRId32 " ranks on this machine share %" PRId32 " GPU%s", ranks, gpus,
                     plural(gpus));
}

/* Chooses between sums on GPUs and on processors, after each rank has selected its GPU. */
static bool choose_sums(Training *training, Status *status)
{
    Trainer *trainer = &training->trainer;
    const bool is_on_gpu = trainer->backend->exchange != NULL;
    if (!training_agree(training, comm_use_gpus(trainer->comm, is_on_gpu, status), status))
        return false;
    training->plan.comm = comm_name(trainer->comm);
    return true;
}

/* --- Data and plan --- */

static void limit_images(ImageSet *set, int64_t limit)
{
    if (limit > 0 && set->count > limit)
        set->count = (int32_t)limit;
}

static bool read_data(Training *training, Status *status)
{
    const TrainingSettings *options = training->options;
    const char *folder = options->data_folder ? options->data_folder : options->folder;
    bool is_read = dataset_read(folder, training->arena, &training->data, status);
    if (!training_agree(training, is_read, status))
        return false;
    limit_images(&training->data.train, options->limit);
    limit_images(&training->data.test, options->limit);
    return true;
}

static bool plan_steps(Training *training, int64_t *steps, Status *status)
{
    const TrainingSettings *options = training->options;
    const int64_t images = training->data.train.count, batch = options->batch_size;
    const int64_t all = (images + batch - 1) / batch;
    *steps = options->steps > 0 ? options->steps : all;
    bool is_fine = *steps <= all;
    if (!is_fine) {
        status_fail(status, STATUS_BAD_INPUT, place_in("--steps", 0, 0),
                    "is %" PRId64 ", but an epoch has %" PRId64 " steps", *steps, all);
        status_hint(status, "%" PRId64 " images in batches of %" PRId64 "; --epochs trains longer",
                    images, batch);
    }
    return training_agree(training, is_fine, status);
}

/* Refuses --fail-rank and --fail-step if the failure would never happen. */
static bool check_failure(const Training *training, int64_t steps, Status *status)
{
    const TrainingSettings *options = training->options;
    const int64_t all = steps * training->plan.epochs;
    if ((options->fail_rank < 0) != (options->fail_step < 0))
        return status_fail(status, STATUS_BAD_INPUT, here,
                           "expected --fail-rank and --fail-step, or neither");
    if (options->fail_notice_ns > 0 && options->fail_step < 0)
        return status_fail(status, STATUS_BAD_INPUT, place_in("--fail-notice", 0, 0),
                           "needs --fail-rank and --fail-step");
    if (options->fail_notice_ns > 0 && options->fail_step == 0)
        return status_fail(status, STATUS_BAD_INPUT, place_in("--fail-notice", 0, 0),
                           "needs a --fail-step of 1 or more: before that there is nothing to "
                           "save");
    if (options->fail_rank >= training->ranks)
        return status_fail(status, STATUS_BAD_INPUT, place_in("--fail-rank", 0, 0),
                           "is %" PRId64 ", but the last rank is %" PRId32, options->fail_rank,
                           training->ranks - 1);
    if (options->fail_step >= all)
        return status_fail(status, STATUS_BAD_INPUT, place_in("--fail-step", 0, 0),
                           "is %" PRId64 ", but the last step of the training is %" PRId64,
                           options->fail_step, all - 1);
    return true;
}

static bool read_every(Training *training, Status *status)
{
    const char *text = training->options->checkpoint_every;
    CheckpointEvery *every = &training->every;
    if (!text) {
        *every = (CheckpointEvery){.epochs = 1};
        return true;
    }
    if (!checkpoint_every_parse(text, every)) {
        status_fail(status, STATUS_BAD_INPUT, place_in("--checkpoint-every", 0, 0),
                    "is \"%s\", expected a number of epochs, steps or a time", text);
        return status_hint(status, "for example 2epochs, 500steps or 10m");
    }
    every->epochs += every->count;
    every->count = 0;
    return true;
}

static bool fill_plan(Training *training, Status *status)
{
    const TrainingSettings *options = training->options;
    const int32_t ranks = training->ranks;
    TrainingPlan *plan = &training->plan;
    *plan = (TrainingPlan){
        .net = &training->net,
        .data_folder = training->data.folder,
        .encoding = training->data.encoding,
        .train_images = training->data.train.count,
        .test_images = training->data.test.count,
        .is_augmented = options->is_augmented,
        .backend = training->trainer.backend->name,
        .precision = precision_names[options->precision],
        .comm = comm_name(training->trainer.comm),
        .ranks = ranks,
        .threads = options->threads,
        .batch_size = options->batch_size,
        .epochs = options->epochs > 0 ? options->epochs : (100 + ranks - 1) / ranks,
        .learning_rate = options->learning_rate,
        .seed = options->seed,
        .log_folder = training->log_folder,
    };
    training->trainer.optimizer = rmsprop_of_keras(options->learning_rate * ranks);
    return training_agree(training, read_every(training, status), status) &&
           plan_steps(training, &plan->steps, status) &&
           training_agree(training, check_failure(training, plan->steps, status), status);
}

/* --- Beginning and resuming --- */

static TrainingState state_of_plan(const TrainingPlan *plan)
{
    TrainingState state = {.seed = (uint64_t)plan->seed,
                           .ranks = plan->ranks,
                           .batch_size = (int32_t)plan->batch_size,
                           .train_images = plan->train_images,
                           .is_augmented = plan->is_augmented};
    memcpy(state.backend, plan->backend, strlen(plan->backend) + 1);
    memcpy(state.precision, plan->precision, strlen(plan->precision) + 1);
    return state;
}

static void add_difference(Text *list, const char *setting, int64_t there, int64_t now)
{
    if (there != now)
        text_printf(list, "%s%s was %" PRId64 " and is %" PRId64, list->length > 0 ? ", " : "",
                    setting, there, now);
}

/* True if a training with the state `found` can continue as `wanted` and `plan`. */
static bool check_continues(const char *path, const TrainingState *found,
                            const TrainingState *wanted, const TrainingPlan *plan, Status *status)
{
    Text list = {0};
    add_difference(&list, "ranks", found->ranks, wanted->ranks);
    add_difference(&list, "--batch-size", found->batch_size, wanted->batch_size);
    add_difference(&list, "--seed", (int64_t)found->seed, (int64_t)wanted->seed);
    add_difference(&list, "training images", found->train_images, wanted->train_images);
    add_difference(&list, "--data-augmentation", found->is_augmented, wanted->is_augmented);
    if (list.length == 0 && found->step > 0)
        add_difference(&list, "--steps", found->epoch_steps, plan->steps);
    else if (list.length == 0 && found->epoch > 0)
        add_difference(&list, "--steps", found->iteration / found->epoch, plan->steps);
    const bool is_within = found->epoch + (found->step > 0) <= plan->epochs;
    if (list.length > 0) {
        status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                    "belongs to another training: %s", text_string(&list));
        status_hint(status, "use the same settings, or start again in another --log-dir");
    } else if (!is_within) {
        const char *more = found->step > 0 ? " and steps of another" : "";
        status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                    "has completed %" PRId64 " epochs%s, more than the %" PRId64 " of --epochs",
                    found->epoch, more, plan->epochs);
        status_hint(status, "--epochs includes completed epochs");
    }
    bool is_fine = list.length == 0 && is_within;
    text_free(&list);
    return is_fine;
}

static void warn_backend_changed(const char *path, const TrainingState *found,
                                 const TrainingState *wanted, Problems *warnings)
{
    if (strcmp(found->backend, wanted->backend) == 0 &&
        strcmp(found->precision, wanted->precision) == 0)
        return;
    problems_add(warnings, STATUS_CONFLICT, place_in(path, 0, 0),
                 "was trained with %s in %s, and continues with %s in %s: the results will not be "
                 "equal bit by bit",
                 found->backend, found->precision, wanted->backend, wanted->precision);
}

static const char *history_path(const Training *training)
{
    return arena_printf(training->arena, "%s/history.tsv", training->log_folder);
}

/* The last row of the history up to epoch `epoch_max`; NULL if there is no such row or no readable
 * history. */
static const EpochRecord *last_record(const Training *training, int64_t epoch_max)
{
    HistoryFile file;
    Status reason; // ignored: history_open reports it if necessary
    if (!history_read(history_path(training), training->arena, &file, &reason))
        return NULL;
    while (file.count > 0 && file.records[file.count - 1].epoch > epoch_max)
        file.count--;
    return file.count > 0 ? &file.records[file.count - 1] : NULL;
}

/* The last epoch in the history; INT64_MAX: there is no readable history. */
static int64_t last_epoch(const Training *training)
{
    HistoryFile file;
    Status reason; // as in last_record
    if (!history_read(history_path(training), training->arena, &file, &reason))
        return INT64_MAX;
    return file.count > 0 ? file.records[file.count - 1].epoch : 0;
}

/* The path of the checkpoint to resume. A checkpoint without a row in the history belongs to an
 * earlier training with more epochs: the latest training has replaced the history, but not yet that
 * checkpoint. */
static const char *checkpoint_to_resume(Training *training, Status *status)
{
    const char *word = training->options->resume;
    if (strcmp(word, "latest") != 0)
        return word;
    const CheckpointPoint most = {last_epoch(training), INT64_MAX};
    const char *path = checkpoint_latest(training->arena, training->log_folder, most);
    if (!path) {
        status_fail(status, STATUS_NOT_FOUND, place_in("--resume", 0, 0),
                    "there is no checkpoint in \"%s\"", training->log_folder);
        status_hint(status,
                    "--log-dir names the folder of checkpoints; leave out --resume to start "
                    "a training");
    }
    return path;
}

/* Users may change the learning rate, but get a warning in case they forgot to repeat the option.
 * Checkpoints do not store it as a setting of the training; the history has it with 9 decimals. */
static void warn_rate_changed(const Training *training, const char *path, Problems *warnings)
{
    const TrainingState *state = &training->state;
    const EpochRecord *last = last_record(training, state->epoch);
    const int64_t iteration = state->iteration - state->step; // after the epoch
    if (!last || last->epoch != state->epoch || iteration == 0)
        return;
    const double rate = (double)rmsprop_rate(&training->trainer.optimizer, iteration - 1);
    if (fabs(rate - last->learning_rate) < 1e-9)
        return;
    Status *warning =
        problems_add(warnings, STATUS_CONFLICT, place_in(path, 0, 0),
                     "continues with another learning rate: it was %.3g times as high",
                     last->learning_rate / rate);
    status_hint(warning, "it was trained with --learning-rate %.3g",
                training->options->learning_rate * last->learning_rate / rate);
}

/* Adds what else can be resumed, after `path` could not be read. Returns false. */
static bool hint_older(const Training *training, const char *path, Status *status)
{
    const char *slash = strrchr(path, '/');
    CheckpointPoint point;
    const bool is_named = checkpoint_point_of(slash ? slash + 1 : path, &point);
    const CheckpointPoint before = point.steps > 0
                                       ? (CheckpointPoint){point.epochs, point.steps - 1}
                                       : (CheckpointPoint){point.epochs - 1, INT64_MAX};
    const char *older =
        is_named ? checkpoint_latest(training->arena, training->log_folder, before) : NULL;
    if (older && status->code == STATUS_BAD_INPUT)
        status_hint(status,
                    "a training continues only from an unchanged checkpoint; the one "
                    "before it is %s",
                    older);
    return false;
}

/* Called on rank 0. */
static bool read_checkpoint(Training *training, Problems *warnings, Status *status)
{
    const TrainingState wanted = state_of_plan(&training->plan);
    Trainer *trainer = &training->trainer;
    const Backend *backend = trainer->backend;
    const char *path = checkpoint_to_resume(training, status);
    float *weights = path ? backend->arena(trainer->model, ARENA_WEIGHTS, status) : NULL;
    float *accumulators =
        weights ? backend->arena(trainer->model, ARENA_ACCUMULATORS, status) : NULL;
    if (!accumulators)
        return false;
    if (!checkpoint_read(path, &training->net, training->arena, &training->state, weights,
                         accumulators, status))
        return hint_older(training, path, status);
    if (!check_continues(path, &training->state, &wanted, &training->plan, status))
        return false;
    backend->arena_changed(trainer->model, ARENA_WEIGHTS);
    backend->arena_changed(trainer->model, ARENA_ACCUMULATORS);
    warn_backend_changed(path, &training->state, &wanted, warnings);
    warn_rate_changed(training, path, warnings);
    memcpy(training->state.backend, wanted.backend, sizeof wanted.backend);
    memcpy(training->state.precision, wanted.precision, sizeof wanted.precision);
    training->checkpoint = path;
    return true;
}

/* Called on rank 0: warns that checkpoints in the log folder will be replaced. */
static void warn_older_checkpoint(const Training *training, Problems *warnings)
{
    const char *older = checkpoint_latest(training->arena, training->log_folder, CHECKPOINT_LAST);
    if (!older)
        return;
    Status *warning =
        problems_add(warnings, STATUS_CONFLICT, place_in(older, 0, 0),
                     "belongs to an earlier training: this one replaces its checkpoints "
                     "one by one");
    status_hint(warning, "--resume latest continues it, another --log-dir keeps it");
}

/* Called on rank 0. */
static bool make_folders(const Training *training, Status *status)
{
    return folder_create(training->log_folder, status) &&
           folder_create(training->model_folder, status);
}

/* Called on rank 0: two trainings in one folder would replace one another's checkpoints. */
static bool lock_folder(Training *training, Status *status)
{
    const char *folder = training->log_folder;
    training->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (training->lock < 0)
        return file_failed(folder, status);
    if (file_lock(training->lock) != FILE_LOCK_BUSY)
        return true; // without locks: as if it were alone
    status_fail(status, STATUS_CONFLICT, place_in(folder, 0, 0),
                "another training writes to this folder");
    return status_hint(status, "wait until it ends, or choose another --dir or --log-dir");
}

/* Called on rank 0. */
static bool open_logs(Training *training, Status *status)
{
    Arena *arena = training->arena;
    const int64_t epochs = training->state.epoch;
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0 || !host[0])
        memcpy(host, "localhost", sizeof "localhost"); // only part of a file's name
    return history_open(history_path(training), epochs, arena, &training->history, status) &&
           tensorboard_open(training->log_folder, host, tensorboard_clock_s(), epochs, arena,
                            &training->board, status);
}

/* Called on rank 0: sets the initial weights and opens the log files. */
static bool begin_first_rank(Training *training, Problems *warnings, Status *status)
{
    Trainer *trainer = &training->trainer;
    training->state = state_of_plan(&training->plan);
    if (training->options->resume) {
        if (!read_checkpoint(training, warnings, status))
            return false;
    } else {
        warn_older_checkpoint(training, warnings);
        float *weights = trainer->backend->arena(trainer->model, ARENA_WEIGHTS, status);
        if (!weights)
            return false;
        net_initial_weights(&training->net, (uint64_t)training->options->seed, weights);
        trainer->backend->arena_changed(trainer->model, ARENA_WEIGHTS);
    }
    return make_folders(training, status) && lock_folder(training, status) &&
           open_logs(training, status);
}

/* Sends the scores of all ranks in a checkpoint within an epoch to all of them. */
static bool broadcast_scores(Training *training, Status *status)
{
    const int64_t bytes = training->ranks * (int64_t)sizeof(Score);
    training->scores = ARENA_ARRAY(training->arena, Score, training->ranks);
    if (training->state.step == 0)
        return true;
    if (training->rank == 0)
        memcpy(training->scores, training->state.scores, (size_t)bytes);
    training->state.scores = training->scores;
    return comm_broadcast(training->trainer.comm, training->scores, bytes, status);
}

static bool begin_weights(Training *training, Problems *warnings, Status *status)
{
    Comm *comm = training->trainer.comm;
    bool is_fine = training->rank > 0 || begin_first_rank(training, warnings, status);
    return training_agree(training, is_fine, status) &&
           comm_broadcast(comm, &training->state, sizeof training->state, status) &&
           broadcast_scores(training, status) && trainer_broadcast(&training->trainer, status);
}

/* --- Together --- */

static void name_folders(Training *training)
{
    const TrainingSettings *options = training->options;
    const char *below = strcmp(options->folder, ".") == 0
                            ? ""
                            : arena_printf(training->arena, "%s/", options->folder);
    training->log_folder =
        options->log_folder ? options->log_folder : arena_printf(training->arena, "%slogs", below);
    training->model_folder = options->model_folder
                                 ? options->model_folder
                                 : arena_printf(training->arena, "%ssaved_models", below);
}

/* Called on rank 0: checks before the training that the trace can be written. */
static bool check_chrome_path(const Training *training, Status *status)
{
    FileWriter writer;
    if (!training->chrome_path)
        return true;
    if (!file_writer_open(&writer, training->chrome_path, status))
        return status_hint(status, "HOROVOD_TIMELINE names this file for the Chrome trace");
    file_writer_abandon(&writer);
    return true;
}

static bool begin_timeline(Training *training, Status *status)
{
    Trainer *trainer = &training->trainer;
    bool is_fine = training->rank > 0 || check_chrome_path(training, status);
    if (!training_agree(training, is_fine, status))
        return false;
    trainer->ready_ns = ARENA_ARRAY(training->arena, int64_t, training->ranks);
    if (!comm_barrier(trainer->comm, status))
        return false;
    trainer->timeline = timeline_create(training->rank, training->ranks, machine_clock_ns());
    trainer->has_whole_steps = training->options->has_whole_steps;
    if (trainer->profile)
        profile_add_to(trainer->profile, trainer->timeline);
    return true;
}

bool training_open(Training *training, Status *status)
{
    const TrainingSettings *options = training->options;
    Trainer *trainer = &training->trainer;
    Problems warnings = problems_create(training->arena);
    training->lock = -1;
    name_folders(training);
    bool has_net = net_build(options->network, &training->net, status);
    trainer->net = &training->net;
    if (!training_agree(training, has_net, status) || !read_data(training, status))
        return false;
    if (options->has_profile)
        trainer->profile = profile_create(training->arena, &training->net);
    trainer->backend = agree_on_backend(training, status);
    if (!trainer->backend || !fill_plan(training, status) || !open_model(training, status) ||
        !choose_sums(training, status) || !begin_weights(training, &warnings, status))
        return false;
    signals_note_checkpoint(training->checkpoint);
    training->plan.epochs_done = training->state.epoch;
    training->plan.steps_done = training->state.step;
    trainer->seed = (uint64_t)options->seed;
    trainer->order = ARENA_ARRAY(training->arena, int32_t, training->plan.train_images);
    training->records =
        ARENA_ARRAY(training->arena, EpochRecord, training->plan.epochs - training->state.epoch);
    training->report = training_report_begin((Verbosity)options->verbose, options->is_json,
                                             training->rank, &training->plan);
    if (training->rank == 0) {
        cores_warn(&warnings, comm_local_size(trainer->comm), (int32_t)options->threads,
                   comm_local_cores(trainer->comm));
        warn_shared_gpus(training, &warnings);
        report_warnings(&warnings);
    }
    training_report_plan(&training->report, &training->plan);
    return !options->has_timeline || begin_timeline(training, status);
}

void training_close(Training *training)
{
    Trainer *trainer = &training->trainer;
    Status status;
    int64_t bytes;
    // After a failure that is reported, a checkpoint may still be being written.
    const bool is_idle = !checkpoint_writer_is_busy(&training->writer) ||
                         checkpoint_writer_end(&training->writer, &bytes, &status);
    (void)is_idle;
    if (trainer->backend)
        trainer->backend->close(trainer->model);
    timeline_destroy(trainer->timeline);
    history_close(training->history);
    tensorboard_close(training->board);
    if (training->lock >= 0)
        close(training->lock);
}

#include "sim/output/share/keras_log.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"
#include "sim/cloud/job/job_name.h"
#include "sim/engine/rng.h"
#include "sim/formats/keras_bar.h"

enum {
    SCORE_ROOM = 64,
    DOWNLOAD_BLOCK = 8192, // the block size of urlretrieve
    EVALUATE_BATCH = 32,   // the default of Model.evaluate
};

/* Differences between the examples, by the data set that they load. */
typedef struct {
    const char *data_set;
    const char *url;
    const char *sample_shape;
    bool augments;
    bool counts_samples;   /* trains by fit, whose bar counts samples; fit_generator's bar counts
                              batches */
    bool shows_evaluation; /* the last message, with a bar */
} KerasScript;

static const KerasScript keras_scripts[] = {
    {"cifar10", "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz", "32, 32, 3",
     .augments = true, .shows_evaluation = true},
    {"mnist_npz", "https://s3.amazonaws.com/img-datasets/mnist.npz", "28, 28, 1",
     .counts_samples = true},
};

/* A script with another data set: lines that no example prints are left out. */
static const KerasScript own_script = {.shows_evaluation = true};

static const KerasScript *script_of(const DataSet *data_set)
{
    for (size_t i = 0; i < sizeof keras_scripts / sizeof keras_scripts[0]; i++)
        if (strcmp(keras_scripts[i].data_set, data_set->name) == 0)
            return &keras_scripts[i];
    return &own_script;
}

/* Data shared by the parts of one log. */
typedef struct {
    const JobView *view;
    const Program *program;
    const KerasScript *script;
    const Training *training;
    bool is_terminal; /* for the ranks that print */
    RankSpan ranks;
    int32_t *order; /* [ranks.count]: the order in which the ranks print */
    int32_t *width; /* [ranks.count]: width of the rank's last line, to be overwritten by spaces */
    int64_t *step_end_ns;
    LogWriter *log;
} KerasLog;

/* One update of a bar. `means` and `validation` may be NULL. `width` is the width of the line
 * before and becomes that of this line. */
static void put_update(const KerasLog *keras, KerasProgress progress, const KerasMeans *means,
                       const KerasMeans *validation, int32_t *width)
{
    LogWriter *log = keras->log;
    char *out = log_room(log, KERAS_REDRAW_ROOM + KERAS_BAR_ROOM);
    out = keras_redraw_put(out, keras->is_terminal, *width);
    log_advance(log, keras_bar_put(out, progress, means, validation, width));
}

/* --- Ranks --- */

/* Shuffles the ranks (Fisher and Yates) that print at one instant. `instant` is the number of
 * the step over all epochs, or a larger number after the last step. */
static void draw_order(const KerasLog *keras, int64_t instant)
{
    int32_t *order = keras->order;
    for (int32_t i = 0; i < keras->ranks.count; i++)
        order[i] = i;
    for (int32_t i = keras->ranks.count - 1; i > 0; i--) {
        uint64_t word = rng_word(keras->training->seed, RNG_STEP_ORDER, keras->training->address,
                                 (uint64_t)instant << 16 | (uint64_t)i);
        int32_t other = (int32_t)(((word >> 32) * (uint64_t)(i + 1)) >> 32);
        int32_t swap = order[i];
        order[i] = order[other];
        order[other] = swap;
    }
}

static void forget_widths(const KerasLog *keras)
{
    memset(keras->width, 0, (size_t)keras->ranks.count * sizeof *keras->width);
}

/* --- Before training: every rank at its own pace --- */

typedef enum { SAYS_DOWNLOADING, SHOWS_BLOCK, TELLS_COUNTS, SAYS_NOTHING } LoadingPart;

/* A rank's position in its data set, and what it prints next. */
typedef struct {
    LoadingPart part;
    int64_t at_ns;
    int64_t block; /* number of the last block; Progbar counts blocks as urlretrieve reports them */
    int64_t last_block;
    int64_t begin_ns;
    int64_t end_ns; /* end of the download; INT64_MAX while it lasts */
    int64_t loaded_ns;
    int32_t width;
} Loading;

static Loading loading_begin(const KerasLog *keras, int32_t rank)
{
    const Job *job = keras->view->job;
    int32_t node = job_node_of_rank(job, rank);
    Loading loading = {.begin_ns = job_stage_end_ns(job, node, STAGE_START),
                       .end_ns = job_stage_end_ns(job, node, STAGE_DOWNLOAD),
                       .loaded_ns = job_stage_end_ns(job, node, STAGE_DATA)};
    int64_t bytes = keras->program->data_set->download_bytes;
    bool downloads = keras->program->downloads_data && bytes > 0;
    loading.part = downloads ? SAYS_DOWNLOADING : TELLS_COUNTS;
    loading.at_ns = downloads ? loading.begin_ns : loading.loaded_ns;
    loading.last_block = (bytes + DOWNLOAD_BLOCK - 1) / DOWNLOAD_BLOCK;
    return loading;
}

/* The first block at least one update interval after the block shown before. The last block is
 * shown at the end of the download. */
static void next_block(const KerasLog *keras, Loading *loading)
{
    int64_t rate = keras->view->scenario->service.internet_bytes_per_s;
    int64_t due_ns = loading->at_ns - loading->begin_ns + KERAS_UPDATE_INTERVAL_NS;
    int64_t due = mul_div_up(due_ns, rate, NS_PER_S * DOWNLOAD_BLOCK);
    if (loading->block == 0)
        loading->block = 1; // Progbar always shows the first
    else
        loading->block = due > loading->block ? due : loading->block + 1;
    loading->at_ns =
        loading->begin_ns + mul_div_up(loading->block * DOWNLOAD_BLOCK, NS_PER_S, rate);
    if (loading->block >= loading->last_block || loading->at_ns >= loading->end_ns) {
        loading->block = loading->last_block;
        loading->at_ns = loading->end_ns;
    }
}

static void put_block(const KerasLog *keras, Loading *loading)
{
    KerasProgress progress = {.current = loading->block * DOWNLOAD_BLOCK,
                              .target = keras->program->data_set->download_bytes,
                              .elapsed_ns = loading->at_ns - loading->begin_ns};
    put_update(keras, progress, NULL, NULL, &loading->width);
}

static void put_counts(const KerasLog *keras)
{
    const DataSet *data_set = keras->program->data_set;
    if (keras->script->sample_shape)
        log_printf(keras->log, "x_train shape: (%" PRId64 ", %s)\n", data_set->train_samples,
                   keras->script->sample_shape);
    log_printf(keras->log, "%" PRId64 " train samples\n%" PRId64 " test samples\n",
               data_set->train_samples, data_set->test_samples);
}

/* Prints the due line and finds the next one. */
static void loading_step(const KerasLog *keras, Loading *loading)
{
    switch (loading->part) {
    case SAYS_DOWNLOADING:
        log_printf(keras->log, "Downloading data from %s\n",
                   keras->script->url ? keras->script->url : keras->program->data_set->name);
        loading->part = SHOWS_BLOCK;
        next_block(keras, loading);
        break;
    case SHOWS_BLOCK:
        put_block(keras, loading);
        if (loading->block < loading->last_block) {
            next_block(keras, loading);
        } else {
            loading->part = TELLS_COUNTS;
            loading->at_ns = loading->loaded_ns;
        }
        break;
    case TELLS_COUNTS:
        put_counts(keras);
        loading->part = SAYS_NOTHING;
        loading->at_ns = INT64_MAX;
        break;
    case SAYS_NOTHING:
        break;
    }
}

static void put_loading(const KerasLog *keras, Arena *arena)
{
    int32_t count = keras->ranks.count;
    Loading *loadings = ARENA_ARRAY(arena, Loading, count);
    for (int32_t i = 0; i < count; i++)
        loadings[i] = loading_begin(keras, keras->ranks.first + i);
    for (;;) {
        Loading *first = &loadings[0];
        for (int32_t i = 1; i < count; i++)
            if (loadings[i].at_ns < first->at_ns)
                first = &loadings[i];
        if (!log_at(keras->log, first->at_ns))
            return;
        loading_step(keras, first);
    }
}

/* --- Epochs --- */

static KerasProgress epoch_progress(const KerasLog *keras, int64_t steps_done, int64_t elapsed_ns)
{
    int64_t steps = keras->training->plan.steps_per_epoch;
    if (!keras->script->counts_samples)
        return (KerasProgress){steps_done, steps, elapsed_ns};
    int64_t batch = keras->program->batch_per_rank;
    int64_t target = steps * batch;
    int64_t samples = keras->program->data_set->train_samples;
    if (target > samples && target - samples < batch)
        target = samples; // the last batch has the remaining samples
    return (KerasProgress){steps_done < steps ? steps_done * batch : target, target, elapsed_ns};
}

static KerasMeans running_means(const KerasLog *keras, int64_t epoch, int64_t steps_done,
                                int32_t rank)
{
    const Training *t = keras->training;
    KerasMeans means;
    training_progress(keras->program, &t->plan, t->seed, t->address, epoch, steps_done, rank,
                      &means.accuracy_ppm, &means.loss_micro);
    return means;
}

/* The bars of all ranks at one instant. `validation` is the same for all ranks: they have the
 * same weights. */
static void put_bars(const KerasLog *keras, int64_t epoch, int64_t steps_done,
                     const KerasMeans *validation)
{
    int64_t elapsed_ns = keras->log->at_ns - job_epoch_times(keras->view->job, epoch).begin_ns;
    KerasProgress progress = epoch_progress(keras, steps_done, elapsed_ns);
    draw_order(keras, epoch * keras->training->plan.steps_per_epoch + steps_done - 1);
    for (int32_t i = 0; i < keras->ranks.count; i++) {
        int32_t rank = keras->order[i];
        KerasMeans means = running_means(keras, epoch, steps_done, keras->ranks.first + rank);
        put_update(keras, progress, &means, validation, &keras->width[rank]);
    }
}

static bool put_running_bars(const KerasLog *keras, int64_t epoch)
{
    int64_t shown_ns = INT64_MIN; // Progbar always shows the first
    // The last step is shown with the validation, when on_epoch_end is called.
    const int64_t first = training_steps_before(keras->training, epoch) + 1;
    for (int64_t done = first; done < keras->training->plan.steps_per_epoch; done++) {
        int64_t at_ns = keras->step_end_ns[done - 1];
        if (done > first && at_ns - shown_ns < KERAS_UPDATE_INTERVAL_NS)
            continue;
        if (!log_at(keras->log, at_ns))
            return false;
        put_bars(keras, epoch, done, NULL);
        shown_ns = at_ns;
    }
    return true;
}

static bool put_epoch(const KerasLog *keras, int64_t epoch)
{
    const StepPlan *plan = &keras->training->plan;
    EpochTimes times = job_epoch_times(keras->view->job, epoch);
    if (!log_at(keras->log, times.begin_ns))
        return false;
    for (int32_t i = 0; i < keras->ranks.count; i++)
        log_printf(keras->log, "Epoch %" PRId64 "/%" PRId64 "\n", epoch + 1, plan->epochs);
    forget_widths(keras);
    epoch_step_ends(keras->view, epoch, keras->step_end_ns);
    if (!put_running_bars(keras, epoch) || !log_at(keras->log, times.evaluated_ns))
        return false;
    EpochResult result = job_epoch_result(keras->view->job, epoch);
    KerasMeans validation = {result.loss_micro, result.accuracy_ppm};
    put_bars(keras, epoch, plan->steps_per_epoch, plan->evaluate_ns > 0 ? &validation : NULL);
    return true;
}

static void put_before_training(const KerasLog *keras)
{
    const DataSet *data_set = keras->program->data_set;
    for (int32_t i = 0; i < keras->ranks.count; i++) {
        if (keras->script->augments)
            log_text(keras->log, "Using real-time data augmentation.\n");
        if (keras->script->counts_samples)
            log_printf(keras->log,
                       "Train on %" PRId64 " samples, validate on %" PRId64 " samples\n",
                       data_set->train_samples, data_set->test_samples);
    }
}

/* --- The end --- */

static void put_evaluation_bars(const KerasLog *keras, int64_t samples_done, int64_t begin_ns)
{
    KerasProgress progress = {samples_done, keras->program->data_set->test_samples,
                              keras->log->at_ns - begin_ns};
    const StepPlan *plan = &keras->training->plan;
    draw_order(keras, plan->epochs * plan->steps_per_epoch +
                          samples_done); // larger than the number of any step
    for (int32_t i = 0; i < keras->ranks.count; i++)
        put_update(keras, progress, NULL, NULL, &keras->width[keras->order[i]]);
}

/* Model.evaluate with a bar that counts samples; its batches take equally long. False while it
 * lasts. */
static bool put_evaluation(const KerasLog *keras, int64_t begin_ns, int64_t span_ns)
{
    int64_t samples = keras->program->data_set->test_samples;
    int64_t shown_ns = INT64_MIN; // Progbar always shows the first
    forget_widths(keras);
    for (int64_t done = EVALUATE_BATCH; done < samples; done += EVALUATE_BATCH) {
        int64_t at_ns = begin_ns + mul_div(span_ns, done, samples);
        if (done > EVALUATE_BATCH && at_ns - shown_ns < KERAS_UPDATE_INTERVAL_NS)
            continue;
        if (!log_at(keras->log, at_ns))
            return false;
        put_evaluation_bars(keras, done, begin_ns);
        shown_ns = at_ns;
    }
    if (!log_at(keras->log, begin_ns + span_ns))
        return false;
    put_evaluation_bars(keras, samples, begin_ns);
    return true;
}

static void put_score(const KerasLog *keras, const char *what, int64_t millionths)
{
    char *out = log_room(keras->log, SCORE_ROOM);
    size_t length = strlen(what);
    memcpy(out, what, length);
    out = keras_float_put(out + length, millionths);
    *out++ = '\n';
    log_advance(keras->log, out);
}

static void put_saved(const KerasLog *keras)
{
    Arena *arena = arena_create();
    const char *path = job_fill_in(keras->view->scenario, keras->view->job,
                                   keras->program->model_shown_path, 0, arena);
    for (int32_t i = 0; i < keras->ranks.count; i++)
        log_printf(keras->log, "Saved trained model at %s \n", path);
    arena_destroy(arena);
}

static void put_end(const KerasLog *keras)
{
    int64_t saved_ns = keras->view->job->attempt->saved_ns;
    if (!log_at(keras->log, saved_ns))
        return;
    if (keras->program->model_bytes > 0)
        put_saved(keras);
    int64_t span_ns = keras->training->final_evaluate_ns;
    if (!keras->program->evaluates_at_end || span_ns == 0)
        return;
    if (keras->script->shows_evaluation ? !put_evaluation(keras, saved_ns, span_ns)
                                        : !log_at(keras->log, saved_ns + span_ns))
        return;
    EpochResult last = job_epoch_result(keras->view->job, keras->training->plan.epochs - 1);
    // Accuracy is a count of test samples over their number: four digits for 10,000.
    int64_t samples = keras->program->data_set->test_samples;
    int64_t right =
        (int64_t)(((WideUnsigned)last.accuracy_ppm * (WideUnsigned)samples + PPM / 2) / PPM);
    for (int32_t i = 0; i < keras->ranks.count; i++) {
        put_score(keras, "Test loss: ", last.loss_micro);
        put_score(keras, "Test accuracy: ", mul_div(right, PPM, samples));
    }
}

static void put_training(const KerasLog *keras)
{
    if (!log_at(keras->log, keras->view->job->attempt->training_ns))
        return;
    put_before_training(keras);
    int64_t epoch = keras->training->first_epoch;
    while (epoch_has_begun(keras->view, epoch) && put_epoch(keras, epoch))
        epoch++;
    if (epoch == keras->training->plan.epochs)
        put_end(keras);
}

/* Whether mpirun starts the job's processes: by its toolkit, or in its command line. */
static bool job_runs_mpi(const JobSpec *spec)
{
    static const char *const tools[] = {"chainer", "cntk", "custommpi", "horovod"};
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        if (strcmp(spec->tool, tools[i]) == 0)
            return true;
    return strstr(spec->command, "mpirun") != NULL || strstr(spec->command, "mpiexec") != NULL;
}

void keras_out_log(const JobView *view, RankSpan ranks, LogWriter *log)
{
    const Program *program = view->job->spec->program;
    Arena *arena = arena_create();
    KerasLog keras = {.view = view,
                      .program = program,
                      .script = script_of(program->data_set),
                      .training = view->job->attempt->training,
                      .is_terminal = job_runs_mpi(view->job->spec),
                      .ranks = ranks,
                      .order = ARENA_ARRAY(arena, int32_t, ranks.count),
                      .width = ARENA_ARRAY(arena, int32_t, ranks.count),
                      .step_end_ns = ARENA_ARRAY(
                          arena, int64_t, view->job->attempt->training->plan.steps_per_epoch),
                      .log = log};
    put_loading(&keras, arena);
    put_training(&keras);
    arena_destroy(arena);
}

/* --- Standard error --- */

/* "2018-07-18 22:41:28.125000: I tensorflow/...": the prefix of TensorFlow's own lines. */
static void put_tensorflow_head(const KerasLog *keras, const char *where)
{
    int64_t unix_us = keras->view->scenario->start_unix_ms * 1000 + keras->log->at_ns / NS_PER_US;
    CivilTime t = civil_from_unix_ms(unix_us / 1000);
    log_printf(keras->log,
               "%04d-%02d-%02d %02d:%02d:%02d.%06d: I tensorflow/core/common_runtime/gpu/%s] ",
               (int)t.year, (int)t.month, (int)t.day, (int)t.hour, (int)t.minute, (int)t.second,
               (int)(unix_us % 1000000), where);
}

/* The device of a rank, in the words of TensorFlow 1.8's gpu_device.cc. It also prints bus id,
 * clock and compute capability, which the catalogue does not have; they are left out. */
static void put_device(const KerasLog *keras, int32_t rank)
{
    const GpuModel *gpu = keras->view->vm_size->gpu;
    const Job *job = keras->view->job;
    if (!gpu)
        return;
    int32_t device = 0; // the rank's number on its node
    while (rank - device > 0 &&
           job_node_of_rank(job, rank - device - 1) == job_node_of_rank(job, rank))
        device++;
    int64_t hundredths = gpu->memory_bytes / GIB * 100 + gpu->memory_bytes % GIB * 100 / GIB;
    put_tensorflow_head(keras, "gpu_device.cc:1356");
    log_printf(keras->log,
               "Found device %d with properties: \nname: %s\ntotalMemory: %" PRId64 ".%02" PRId64
               "GiB\n",
               (int)device, gpu->name, hundredths / 100, hundredths % 100);
    put_tensorflow_head(keras, "gpu_device.cc:1435");
    log_printf(keras->log, "Adding visible gpu devices: %d\n", (int)device);
}

static void put_backend(const KerasLog *keras, int32_t rank)
{
    bool is_cntk = strcmp(keras->view->job->spec->tool, "cntk") == 0;
    log_text(keras->log, is_cntk ? "Using CNTK backend\n" : "Using TensorFlow backend.\n");
    if (!is_cntk)
        put_device(keras, rank);
}

static int64_t imported_ns(const KerasLog *keras, int32_t rank)
{
    const Job *job = keras->view->job;
    return job_stage_end_ns(job, job_node_of_rank(job, rank), STAGE_START);
}

/* The earliest moment after `after_ns` at which a rank of the log has finished its imports. */
static int64_t next_import_ns(const KerasLog *keras, int64_t after_ns)
{
    int64_t next_ns = INT64_MAX;
    for (int32_t i = 0; i < keras->ranks.count; i++) {
        int64_t at_ns = imported_ns(keras, keras->ranks.first + i);
        if (at_ns > after_ns && at_ns < next_ns)
            next_ns = at_ns;
    }
    return next_ns;
}

void keras_error_log(const JobView *view, RankSpan ranks, LogWriter *log)
{
    const KerasLog keras = {.view = view, .ranks = ranks, .log = log};
    int64_t at_ns = next_import_ns(&keras, INT64_MIN);
    while (log_at(log, at_ns)) {
        for (int32_t i = 0; i < ranks.count; i++)
            if (imported_ns(&keras, ranks.first + i) == at_ns)
                put_backend(&keras, ranks.first + i);
        at_ns = next_import_ns(&keras, at_ns);
    }
}

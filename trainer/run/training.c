#include "trainer/run/training.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/report.h"
#include "trainer/record/checkpoint_name.h"
#include "trainer/run/signals.h"
#include "trainer/run/timeline_gather.h"
#include "trainer/run/training_open.h"
#include "trainer/run/training_summary.h"

static const Place here = {.source = "trainyard: train"};

static double seconds_since(int64_t begin_ns)
{
    return (double)(machine_clock_ns() - begin_ns) * 1e-9;
}

/* --- Endings --- */

/* Waits for the checkpoint that is being written, if there is one, and records it as the last. */
static bool settle_checkpoint(Training *training, Status *status)
{
    const Writing *writing = &training->writing;
    int64_t bytes;
    if (!checkpoint_writer_is_busy(&training->writer))
        return true;
    if (!checkpoint_writer_end(&training->writer, &bytes, status))
        return false;
    timeline_add(training->trainer.timeline, PHASE_CHECKPOINT, writing->step, writing->begin_ns,
                 writing->end_ns, bytes);
    training->checkpoint = writing->path;
    training->checkpoint_bytes = bytes;
    signals_note_checkpoint(writing->path);
    return true;
}

/* The same before another failure is reported. */
static void settle_quietly(Training *training)
{
    Status second;
    const bool is_settled = settle_checkpoint(training, &second);
    (void)is_settled; // if not, it is not the last one
}

/* A single process received a signal. The caller of training_run reports it. */
static bool end_interrupted(Training *training, Status *status)
{
    settle_quietly(training);
    training->end = TRAINING_INTERRUPTED;
    *status = (Status){.code = STATUS_MACHINE, .at = here};
    return false;
}

/* Called on all ranks; only rank 0 keeps the message. */
static bool end_diverged(Training *training, Status *status)
{
    settle_quietly(training);
    training->end = TRAINING_DIVERGED;
    status_hint(status, "a lower --learning-rate%s; %s%s",
                training->options->precision == PRECISION_FP32 ? "" : ", or --precision fp32",
                training->checkpoint ? "the last good checkpoint is "
                                     : "there is no checkpoint yet",
                training->checkpoint ? training->checkpoint : "");
    if (training->rank > 0)
        *status = (Status){.code = status->code, .at = here};
    return false;
}

/* Adds a hint that names the last checkpoint after a failure of a disk or a GPU. Only rank 0 has
 * the path of the checkpoint.
 */
static bool hint_checkpoint(Training *training, Status *status)
{
    settle_quietly(training);
    if (training->checkpoint && status->hint[0] == '\0')
        status_hint(status, "the last good checkpoint is %s; --resume continues with it",
                    training->checkpoint);
    return false;
}

static void warn_late_ranks(void *listener, int64_t waited_ns, const int32_t *late,
                            int32_t late_count)
{
    const Training *training = listener;
    Problems warnings = problems_create(training->arena);
    Text ranks = {0}, waited = {0};
    for (int32_t i = 0; i < late_count; i++)
        text_printf(&ranks, "%s%" PRId32, i > 0 ? ", " : "", late[i]);
    duration_print(&waited, waited_ns);
    problems_add(&warnings, STATUS_MACHINE, here,
                 "rank%s %s of %" PRId32 " %s late: step %" PRId64 " has waited for %s",
                 plural(late_count), text_string(&ranks), training->ranks,
                 late_count > 1 ? "are" : "is", training->state.iteration, text_string(&waited));
    report_warnings(&warnings);
    text_free(&ranks);
    text_free(&waited);
}

/* --- Evaluation --- */

/* Evaluates this rank's part of the test set, a few batches at a time. */
static bool evaluate_part(Training *training, bool has_bar, Score *score, Status *status)
{
    const int64_t images = training->data.test.count;
    const int64_t first = images * training->rank / training->ranks;
    const int64_t end = images * (training->rank + 1) / training->ranks;
    const int32_t batch = (int32_t)training->options->batch_size;
    const int32_t at_once = trainer_evaluates_at_once(&training->trainer, batch);
    *score = (Score){0};
    for (int64_t at = first, count; at < end; at += count) {
        Score more;
        count = end - at < at_once ? end - at : at_once;
        if (!trainer_evaluate(&training->trainer, &training->data.test, (int32_t)at, (int32_t)count,
                              batch, &more, status))
            return false;
        score_add(score, more);
        if (signals_received())
            return end_interrupted(training, status);
        if (has_bar) // assumes that the other ranks are about as far
            training_report_evaluated(&training->report,
                                      images * (at + count - first) / (end - first), images);
    }
    return true;
}

/* Sums a score over all ranks. */
static bool sum_score(Training *training, Score *score, Status *status)
{
    double sums[] = {score->loss_sum, (double)score->correct, (double)score->images};
    if (!comm_sum_doubles(training->trainer.comm, sums, 3, status))
        return false;
    *score = (Score){sums[0], (int64_t)sums[1], (int64_t)sums[2]};
    return true;
}

static bool evaluate(Training *training, bool has_bar, Score *score, Status *status)
{
    const int64_t begin_ns = machine_clock_ns();
    if (!evaluate_part(training, has_bar, score, status))
        return false;
    timeline_add(training->trainer.timeline, PHASE_EVALUATE, training->state.iteration - 1,
                 begin_ns, machine_clock_ns(), score->images * IMAGE_BYTES);
    // comm_ready reports ranks that are late, as in a step.
    if (!comm_ready(training->trainer.comm, training->state.iteration, NULL, status) ||
        !sum_score(training, score, status))
        return false;
    if (isfinite(score->loss_sum))
        return true;
    status_fail(status, STATUS_MACHINE, here,
                "the loss of the test set is not a number after step %" PRId64,
                training->state.iteration);
    return end_diverged(training, status);
}

/* --- Epochs --- */

/* The steps of each epoch that --profile measures. They are few, so that the other steps are not
 * slowed down and the trace stays small. The first step is excluded: it follows an evaluation, or
 * kernels are not loaded yet. */
enum { PROFILED_FIRST = 1, PROFILED_END = 33 };

static bool is_profiled(const Training *training, int64_t step)
{
    return training->trainer.profile && step >= PROFILED_FIRST && step < PROFILED_END;
}

/* The end of the steps from `step` on that are all profiled or all not profiled. No rank is to fail
 * (--fail-step) between these steps. */
static int64_t run_end(const Training *training, int64_t step)
{
    const int64_t changes = step < PROFILED_FIRST ? PROFILED_FIRST : PROFILED_END;
    const int64_t fails = training->options->fail_step - training->state.iteration + step;
    int64_t end = training->plan.steps;
    if (training->trainer.profile && step < changes && changes < end)
        end = changes;
    return step < fails && fails < end ? fails : end;
}

/* --fail-rank, --fail-step: ends the rank like a lost node, without a message or cleaning up. */
static void fail_on_purpose(const Training *training)
{
    const TrainingSettings *options = training->options;
    if (options->fail_rank == training->rank && options->fail_step == training->state.iteration)
        raise(SIGKILL);
}

/* The steps of the epoch from `step` on, up to run_end. */
static StepRun run_from(const Training *training, int64_t step)
{
    return (StepRun){.set = &training->data.train,
                     .epoch = (uint64_t)training->state.epoch,
                     .first = step,
                     .count = run_end(training, step) - step,
                     .batch_size = (int32_t)training->options->batch_size,
                     .step = (uint64_t)training->state.iteration,
                     .is_augmented = training->options->is_augmented};
}

/* Reports a checkpoint that could not be written while steps were made. With several ranks, the end
 * of the epoch does so, on which all of them agree. */
static bool check_checkpoint(Training *training, Status *status)
{
    if (training->ranks > 1 || !checkpoint_writer_is_over(&training->writer))
        return true;
    const bool is_kept = settle_checkpoint(training, status) || hint_checkpoint(training, status);
    return training_agree(training, is_kept, status);
}

/* Trains one epoch; `score` is this rank's. */
static bool train_epoch(Training *training, Score *score, Status *status)
{
    Trainer *trainer = &training->trainer;
    TrainingState *state = &training->state;
    *score = (Score){0};
    training_report_epoch(&training->report, state->epoch + 1);
    for (int64_t step = 0, done; step < training->plan.steps; step += done) {
        fail_on_purpose(training);
        const StepRun run = run_from(training, step);
        Score more;
        trainer->is_profiled = is_profiled(training, step);
        signals_note_step(state->epoch + 1, step + 1);
        if (!trainer_steps(trainer, &run, &done, &more, status))
            return trainer->has_diverged ? end_diverged(training, status)
                                         : hint_checkpoint(training, status);
        state->iteration += done;
        score_add(score, more);
        training_report_step(&training->report, step + done, score);
        if (signals_received())
            return end_interrupted(training, status);
        if (!check_checkpoint(training, status))
            return false;
    }
    state->epoch++;
    return true;
}

/* Begins the checkpoint of an epoch, and ends it unless the backend makes steps meanwhile. */
static bool write_checkpoint(Training *training, const char *path, Status *status)
{
    const Trainer *trainer = &training->trainer;
    Writing *writing = &training->writing;
    if (!settle_checkpoint(training, status))
        return false;
    *writing = (Writing){path, training->state.iteration - 1, machine_clock_ns(), 0};
    const bool is_begun =
        checkpoint_writer_begin(&training->writer, trainer, &training->state, path, status);
    writing->end_ns = machine_clock_ns();
    return is_begun && (trainer->backend->copy_begin || settle_checkpoint(training, status));
}

/* Writes history row, events and checkpoint of an epoch; on rank 0. */
static bool keep_epoch(Training *training, const EpochRecord *record, Status *status)
{
    const char *path = checkpoint_path(training->arena, training->log_folder, record->epoch);
    if (!history_add(training->history, record, status) ||
        !tensorboard_add(training->board, tensorboard_clock_s(), record, status) ||
        !write_checkpoint(training, path, status))
        return hint_checkpoint(training, status);
    training->records[training->record_count++] = *record;
    training_report_checkpoint(&training->report, record->images_per_s, path,
                               training->checkpoint == path ? training->checkpoint_bytes : 0);
    return true;
}

static EpochRecord record_of(const Training *training, const Score *train, const Score *test,
                             double train_s)
{
    const double images = (double)train->images;
    return (EpochRecord){
        .epoch = training->state.epoch,
        .loss = train->loss_sum / images,
        .acc = (double)train->correct / images,
        .val_loss = test->loss_sum / (double)test->images,
        .val_acc = (double)test->correct / (double)test->images,
        .learning_rate =
            (double)rmsprop_rate(&training->trainer.optimizer, training->state.iteration - 1),
        .images_per_s = images / train_s,
    };
}

static bool run_epoch(Training *training, Status *status)
{
    const int64_t begin_ns = machine_clock_ns();
    Score own, test;
    if (!train_epoch(training, &own, status))
        return false;
    const double train_s = seconds_since(begin_ns);
    Score all = own;
    if (!evaluate(training, false, &test, status) || !sum_score(training, &all, status))
        return false;
    training_report_epoch_end(&training->report, &own, &test);
    EpochRecord record = record_of(training, &all, &test, train_s);
    record.seconds = seconds_since(begin_ns);
    bool is_kept = training->rank > 0 || keep_epoch(training, &record, status);
    return training_agree(training, is_kept, status);
}

/* --- The end --- */

/* On rank 0. */
static bool write_model(Training *training, const char *path, Status *status)
{
    int64_t bytes;
    return settle_checkpoint(training, status) &&
           checkpoint_writer_begin(&training->writer, &training->trainer, &training->state, path,
                                   status) &&
           checkpoint_writer_end(&training->writer, &bytes, status);
}

static bool save_model(Training *training, const char *path, Status *status)
{
    bool is_saved = training->rank > 0 || write_model(training, path, status) ||
                    hint_checkpoint(training, status);
    if (!training_agree(training, is_saved, status))
        return false;
    training_report_model(&training->report, path);
    return true;
}

static bool finish(Training *training, TrainingResult *result, Status *status)
{
    const char *path =
        arena_printf(training->arena, "%s/keras_cifar10_trained_model.h5", training->model_folder);
    Score test;
    if (!save_model(training, path, status))
        return false;
    training_report_evaluation(&training->report);
    if (!evaluate(training, true, &test, status))
        return false;
    training_report_scores(&training->report, &test);
    if (training->trainer.profile)
        training_report_profile(&training->report, training->trainer.profile);
    if (training->options->is_json && training->rank == 0)
        training_summary(training, path, &test, &result->summary);
    return true;
}

static bool train(Training *training, TrainingResult *result, Status *status)
{
    while (training->state.epoch < training->plan.epochs)
        if (!run_epoch(training, status))
            return false;
    return finish(training, result, status);
}

/* --- Timeline --- */

/* Called on all ranks after the training. */
static bool write_timeline(Training *training, Status *status)
{
    const Trainer *trainer = &training->trainer;
    const char *chrome_path = training->chrome_path;
    if (!trainer->timeline)
        return true;
    if (!chrome_path)
        chrome_path = arena_printf(training->arena, "%s/timeline.json", training->log_folder);
    const TimelineStages stages =
        trainer->profile ? profile_drawn_as(trainer->profile) : (TimelineStages){0};
    bool is_written = timeline_gather(trainer->timeline, trainer->comm, training->log_folder,
                                      chrome_path, stages, status);
    return training_agree(training, is_written, status);
}

/* --- Together --- */

bool training_run(const TrainingSettings *options, const char *chrome_path, Comm *comm,
                  Arena *arena, TrainingResult *result, Status *status)
{
    Training *training = ARENA_NEW(arena, Training);
    *training = (Training){.options = options,
                           .arena = arena,
                           .rank = comm_rank(comm),
                           .ranks = comm_size(comm),
                           .end = TRAINING_FAILED_ALONE,
                           .chrome_path = chrome_path,
                           .trainer = {.comm = comm}};
    comm_watch_stalls(comm, options->stall_ns > 0 ? options->stall_ns : INT64_MAX, warn_late_ranks,
                      training);
    bool is_done = training_open(training, status) && train(training, result, status);
    training_report_end(&training->report);
    if (is_done) {
        is_done = write_timeline(training, status);
    } else if (training->end !=
               TRAINING_FAILED_ALONE) { // write the incomplete timeline, to help find the cause
        Status second;
        TrainingEnd end = training->end;
        if (!write_timeline(training, &second) && second.message[0])
            report_status(&second);
        training->end = end;
    }
    result->end = is_done ? TRAINING_DONE : training->end;
    training_close(training);
    return is_done;
}
